"""Writing what intake decided in short transactions: at most 1,000 rows and, by its own clock, 50 ms each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.clock import monotonic
from afterdrop.db.engine import Database
from afterdrop.feeds import store
from afterdrop.feeds.row_outcome import RowOutcome, RunContext
from afterdrop.metrics.model import Metric
from afterdrop.metrics.store import put_metrics

MOST_ROWS = 1000
LEAST_ROWS = 60
# Aim well below the promised 50 ms: the next transaction may meet a slower disk.
SLOW, QUICK = 0.020, 0.008


class Unit(NamedTuple):
    """What is stored for one feed row; `strength` and `soonest` are its candidate's."""

    domain: str
    key: str
    decision: RowOutcome
    metrics: list[Metric]
    strength: float
    soonest: datetime | None
    end_moved: bool

    @property
    def rows(self) -> int:
        """How many table rows it writes at most."""
        return 1 + bool(self.decision.candidate) + len(self.metrics)


@dataclass
class Writer:
    """Writes units, sizing its transactions by how long the last one took."""

    database: Database
    occasion: RunContext
    scan_id: int
    now: datetime
    budget: int = 150
    longest: float = field(default=0.0)

    async def write(self, units: Sequence[Unit]) -> None:
        """Store all units, in as many transactions as it takes."""
        rest = list(units)
        while rest:
            some = list(self._next(rest))
            rest = rest[len(some) :]
            async with self.database.write() as conn:
                started = monotonic()
                await self._store(conn, some)
            took = monotonic() - started
            self.longest = max(self.longest, took)
            if took > SLOW:
                self.budget = max(LEAST_ROWS, self.budget * 2 // 3)
            elif took < QUICK:
                self.budget = min(MOST_ROWS, self.budget * 5 // 4)

    def _next(self, units: Sequence[Unit]) -> Iterator[Unit]:
        total = 0
        for unit in units:
            total += unit.rows
            if total > self.budget and total > unit.rows:
                return
            yield unit

    async def _store(self, conn: AsyncConnection, units: Sequence[Unit]) -> None:
        occasion = self.occasion
        await store.put_listings(conn, [unit.decision.listing for unit in units if unit.decision.listing])
        unchanged = [unit.key for unit in units if unit.decision.listing is None]
        await store.touch_listings(conn, occasion.spec.source, unchanged, occasion.run_id, occasion.at)
        by_step: dict[str, dict[str, Unit]] = {"": {}, "new": {}, "touch": {}, "again": {}}
        metrics: dict[tuple[str, str, str], tuple[str, Metric]] = {}
        for unit in units:
            by_step[unit.decision.candidate][unit.domain] = unit
            for metric in unit.metrics:
                metrics[unit.domain, metric.role, metric.provider] = (unit.domain, metric)
        new = [(unit.domain, unit.strength, unit.soonest) for unit in by_step["new"].values()]
        await store.new_candidates(conn, new, self.scan_id, occasion.at, self.now)
        waiting = {**by_step["touch"], **by_step["again"]}
        moved = [(unit.domain, unit.soonest) for unit in waiting.values() if unit.end_moved]
        await store.touch_candidates(conn, list(waiting), moved, self.scan_id)
        await store.due_candidates(conn, list(by_step["again"]), self.scan_id, self.now)
        await put_metrics(conn, list(metrics.values()))
