"""Check credits: what an account has, which bucket a check is paid from, where a refund goes. Pure.

The ledger holds deltas; the plan's monthly allowance is no row of it but a setting, so nothing carries over.
Months are UTC calendar months, spelled `2026-11`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Bucket = Literal["plan", "welcome", "purchased"]
SPENDING_ORDER: tuple[Bucket, ...] = ("plan", "welcome", "purchased")


@dataclass(frozen=True, slots=True)
class Balance:
    """Credits left, by bucket; never below zero."""

    plan: int
    welcome: int
    purchased: int

    @property
    def available(self) -> int:
        """How many checks can be ordered."""
        return self.plan + self.welcome + self.purchased

    def next_bucket(self) -> Bucket | None:
        """Where the next check is paid from: plan, then welcome, then purchased; None when nothing is left."""
        for bucket in SPENDING_ORDER:
            if getattr(self, bucket) > 0:
                return bucket
        return None


def month_of(now: datetime) -> str:
    """The UTC calendar month, `2026-11`."""
    return now.strftime("%Y-%m")


def balance(sums: Iterable[tuple[str, str, int]], allowance: int, month: str) -> Balance:
    """Credits left from the ledger's sums `(bucket, month, delta)`; `allowance` is the plan's for `month`."""
    left = {"plan": allowance, "welcome": 0, "purchased": 0}
    for bucket, when, delta in sums:
        if bucket != "plan" or when == month:
            left[bucket] += delta
    return Balance(*(max(left[bucket], 0) for bucket in SPENDING_ORDER))


def refund_bucket(paid_from: Bucket, paid_month: str, month: str) -> Bucket:
    """Where a failed check's credit returns: its own bucket, but a past month's plan credit becomes welcome."""
    return "welcome" if paid_from == "plan" and paid_month != month else paid_from
