"""An account as every door of the service sees it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from afterdrop.accounts.plans import PlanName, Viewer, plan_at


@dataclass(frozen=True, slots=True)
class Account:
    """Who is calling; the plan is computed from `plan_until` and the time."""

    id: int
    email: str
    created_at: datetime
    verified_at: datetime | None
    plan_until: datetime | None
    operator: bool = False
    zone: str = "UTC"
    epoch: int = 0

    def plan(self, now: datetime) -> PlanName:
        """`pro` while `now < plan_until`, else `free`."""
        return plan_at(self.plan_until, now)

    def viewer(self, now: datetime) -> Viewer:
        """Whose eyes an answer to this account is made for."""
        return Viewer(self.id, self.plan(now), self.operator)
