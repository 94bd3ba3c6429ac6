"""The account as the API and MCP show it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.accounts.account import PlanName
from afterdrop.accounts.api_keys import Scope
from afterdrop.core.json_shapes import Count, Moment


class RequestLimits(TypedDict):
    """What the account may do."""

    requests_per_minute: int
    requests_per_day: int
    requests_today: Annotated[Count, Field(description="Today (UTC), including this request")]
    lookup_domains_per_hour: int


class CheckCredits(TypedDict):
    """Check credits left; `available` is the sum of the other three."""

    available: Count
    from_plan_this_month: Count
    welcome: Count
    purchased: Count


class Allowance(TypedDict):
    """How many there are, and how many are allowed."""

    used: Count
    limit: Count


class OpenAllowance(TypedDict):
    """How many there are, and how many are allowed; null means no limit."""

    used: Count
    limit: Count | None


class KeyScope(TypedDict):
    """What the key of this request may do."""

    scope: Annotated[
        Scope,
        Field(
            description="`full`: everything; `read_only`: no changes; `no_spending`: everything except spending credits"
        ),
    ]
    lookup_domains_per_day: Annotated[
        Count | None,
        Field(description="With `no_spending`: look-ups per day (UTC) with all such keys of the account"),
    ]
    lookup_domains_today: Annotated[Count | None, Field(description="How many of them were used today")]


class Me(TypedDict):
    """The account the key belongs to."""

    email: str
    plan: PlanName
    plan_renews_at: Moment | None
    limits: RequestLimits
    checks: CheckCredits
    alerts: Allowance
    watchlist: OpenAllowance
    webhooks: Allowance
    key: Annotated[KeyScope, Field(description="Extension: the scope of the key you sent")]
