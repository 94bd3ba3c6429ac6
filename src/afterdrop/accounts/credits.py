"""The rules of check credits: balances, the bucket a check is paid from, where a refund goes. Pure.

The ledger holds deltas. The plan's monthly allowance is a setting, not a row of the ledger, so nothing carries over.
Months are UTC calendar months, such as `2026-11`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, repeat
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

    def in_order(self) -> Iterator[Bucket]:
        """The bucket of each credit in the order in which they are spent: plan, then welcome, then purchased."""
        return chain.from_iterable(repeat(bucket, getattr(self, bucket)) for bucket in SPENDING_ORDER)


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
    """The bucket of a failed check's refund: its own, but a past month's plan credit becomes a welcome credit."""
    return "welcome" if paid_from == "plan" and paid_month != month else paid_from
