"""The account as the API and MCP show it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.accounts.account import PlanName
from afterdrop.accounts.api_keys import Scope
from afterdrop.core.json_shapes import Count, Moment


class RequestLimits(TypedDict):
    """The limits of the account."""

    requests_per_minute: Annotated[int, Field(description="Requests allowed per minute")]
    requests_per_day: Annotated[int, Field(description="Requests allowed per day (UTC)")]
    requests_today: Annotated[Count, Field(description="Today (UTC), including this request")]
    lookup_domains_per_hour: Annotated[int, Field(description="Domains allowed in look-ups per hour")]


class CheckCredits(TypedDict):
    """Check credits left; `available` is the sum of the other three."""

    available: Annotated[Count, Field(description="All credits you have")]
    from_plan_this_month: Annotated[Count, Field(description="Left of this month's credits of the plan")]
    welcome: Annotated[Count, Field(description="Left of the credits of a new account")]
    purchased: Annotated[Count, Field(description="Left of the credits you bought")]


class Allowance(TypedDict):
    """How many there are, and how many are allowed."""

    used: Annotated[Count, Field(description="How many there are")]
    limit: Annotated[Count, Field(description="How many the plan allows")]


class OpenAllowance(TypedDict):
    """How many there are, and how many are allowed; null means no limit."""

    used: Annotated[Count, Field(description="How many there are")]
    limit: Annotated[Count | None, Field(description="How many the plan allows; null for no limit")]


class KeyScope(TypedDict):
    """The scope of this request's key."""

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

    email: Annotated[str, Field(description="The e-mail address of the account")]
    plan: Annotated[PlanName, Field(description="The plan of the account")]
    plan_renews_at: Annotated[
        Moment | None, Field(description="When the paid plan ends or renews; null on the free plan")
    ]
    limits: Annotated[RequestLimits, Field(description="How many requests and look-ups the plan allows")]
    checks: Annotated[CheckCredits, Field(description="Check credits left")]
    alerts: Annotated[Allowance, Field(description="Alert rules")]
    watchlist: Annotated[OpenAllowance, Field(description="Domains on the watchlist")]
    webhooks: Annotated[Allowance, Field(description="Webhook endpoints")]
    key: Annotated[KeyScope, Field(description="Extension: the scope of the key you sent")]
