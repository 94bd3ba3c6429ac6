"""An account as the API, the site and the command line see it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from afterdrop.accounts.plans import PlanName, Viewer, plan_at

# The hours before an end that an account can be reminded at, and those a new account has.
REMINDER_HOURS: Final = (1, 3, 6, 12, 24, 48)
DEFAULT_REMINDER_HOURS: Final = (24, 1)


@dataclass(frozen=True, slots=True)
class Account:
    """An account. Its plan follows from `plan_until` and the time.

    `token_version` rises with a password change: signed links and cookies carry it and end with it.
    """

    id: int
    email: str
    created_at: datetime
    verified_at: datetime | None
    plan_until: datetime | None
    operator: bool = False
    zone: str = "UTC"
    token_version: int = 0

    def plan(self, now: datetime) -> PlanName:
        """`pro` while `now < plan_until`, else `free`."""
        return plan_at(self.plan_until, now)

    def viewer(self, now: datetime) -> Viewer:
        """What decides what this account may see."""
        return Viewer(self.id, self.plan(now), self.operator)
