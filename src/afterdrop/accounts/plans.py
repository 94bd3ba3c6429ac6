"""The two plans, and who looks at a list or report. Pure. `pro` is computed from the time, never stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

PlanName = Literal["free", "pro"]


@dataclass(frozen=True, slots=True)
class Viewer:
    """What decides what an account may see. Operators also see what a licence reserves for the operator's own use."""

    account_id: int
    plan: PlanName
    operator: bool = False


# People without an account see what the free plan sees: the day's open domains are open to all.
STRANGER: Final = Viewer(0, "free")


def plan_at(plan_until: datetime | None, now: datetime) -> PlanName:
    """`pro` while `now < plan_until`, else `free`."""
    return "pro" if plan_until is not None and now < plan_until else "free"
