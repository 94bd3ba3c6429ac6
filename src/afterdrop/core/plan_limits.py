"""The limits of the free and the Pro plan, with the contract's figures as defaults. Pure."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, ValidationInfo, field_validator

Count = Annotated[int, Field(ge=0)]
# The most names that are on no list that an account follows; `bench/following.py` measures their cost.
MOST_UNLISTED: Final = 100_000


class Plan(BaseModel, frozen=True, extra="forbid"):
    """The limits of one plan (the interface's Limits table)."""

    requests_per_minute: Count
    requests_per_day: Count
    lookup_domains_per_hour: Count
    agent_lookup_domains_per_day: Count = 100
    exports_per_hour: Count = 10
    availability_domains: Count
    rating_domains: Count
    watched_domains: Count | None = None
    unlisted_names: Annotated[int, Field(ge=0, le=MOST_UNLISTED)] = 1000
    alert_rules: Count = 0
    webhook_endpoints: Count = 0
    checks_per_month: Count = 0


class Plans(BaseModel, frozen=True, extra="forbid"):
    """Both plans, with the contract's figures as defaults. A table of a plan changes what it names."""

    free: Plan = Plan(
        requests_per_minute=30,
        requests_per_day=1000,
        lookup_domains_per_hour=200,
        availability_domains=20,
        rating_domains=10,
        watched_domains=3,
    )
    pro: Plan = Plan(
        requests_per_minute=120,
        requests_per_day=20000,
        lookup_domains_per_hour=600,
        exports_per_hour=30,
        availability_domains=50,
        rating_domains=25,
        alert_rules=10,
        webhook_endpoints=3,
        checks_per_month=20,
    )
    welcome_checks: Count = 1

    @field_validator("free", "pro", mode="before")
    @classmethod
    def _changed(cls, given: object, info: ValidationInfo) -> Any:
        default: Plan = cls.model_fields[info.field_name or ""].default
        return {**default.model_dump(), **given} if isinstance(given, dict) else given
