"""The account and the service's figures."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from afterdrop.accounts.api_keys import Scope
from afterdrop.web.schemas.domains import Timestamp
from afterdrop.web.schemas.envelope import ResponseModel


class RequestLimits(ResponseModel):
    """What the account may do."""

    requests_per_minute: int
    requests_per_day: int
    requests_today: int = Field(ge=0, description="Today (UTC), including this request")
    lookup_domains_per_hour: int


class CheckCredits(ResponseModel):
    """Check credits left; `available` is the sum of the other three."""

    available: int = Field(ge=0)
    from_plan_this_month: int = Field(ge=0)
    welcome: int = Field(ge=0)
    purchased: int = Field(ge=0)


class Allowance(ResponseModel):
    """How many there are, and how many are allowed."""

    used: int = Field(ge=0)
    limit: int = Field(ge=0)


class OpenAllowance(ResponseModel):
    """How many there are, and how many are allowed; null means no limit."""

    used: int = Field(ge=0)
    limit: int | None = Field(ge=0)


class KeyScope(ResponseModel):
    """What the key of this request may do."""

    scope: Scope = Field(
        description="`full`: everything; `read_only`: no changes; `no_spending`: everything except spending credits"
    )
    lookup_domains_per_day: int | None = Field(
        ge=0, description="With `no_spending`: look-ups per day (UTC) with all such keys of the account"
    )
    lookup_domains_today: int | None = Field(ge=0, description="How many of them were used today")


class Me(ResponseModel):
    """The account the key belongs to."""

    email: str
    plan: Literal["free", "pro"]
    plan_renews_at: Timestamp | None
    limits: RequestLimits
    checks: CheckCredits
    alerts: Allowance
    watchlist: OpenAllowance
    webhooks: Allowance
    key: KeyScope = Field(description="Extension: the scope of the key you sent")


class LastScan(ResponseModel):
    """The last finished daily scan."""

    started_at: Timestamp
    finished_at: Timestamp
    scanned: int = Field(ge=0)
    passed_authority_filter: int = Field(ge=0)


class LiveStats(ResponseModel):
    """The live list in figures."""

    domains: int = Field(ge=0)
    open_on_free_plan: int = Field(ge=0)
    ending_within_24h: int = Field(ge=0)
    average_score: float | None
    average_domain_rating: float | None


class Stats(ResponseModel):
    """The service in figures. The same on both plans."""

    last_scan: LastScan | None
    live: LiveStats
    available_now: int = Field(ge=0)
    archive: int = Field(ge=0)
