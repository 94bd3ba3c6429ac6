"""Writing what intake decided in short transactions: at most 1,000 rows and 50 ms each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.clock import monotonic
from afterdrop.db.engine import Database
from afterdrop.feeds import store
from afterdrop.feeds.row_outcome import CandidateStep, RowOutcome
from afterdrop.feeds.run_context import RunContext
from afterdrop.metrics.model import Metric
from afterdrop.metrics.store import put_metrics

MAX_ROWS = 1000
MIN_ROWS = 150
# Aim below the promised 50 ms: the next transaction may meet a slower disk.
SLOW, QUICK = 0.025, 0.015


class RowWrite(NamedTuple):
    """What is stored for one feed row; `strength` and `soonest_end` are its candidate's."""

    domain: str
    key: str
    outcome: RowOutcome
    metrics: list[Metric]
    strength: float
    soonest_end: datetime | None
    end_moved: bool

    @property
    def table_rows(self) -> int:
        """How many table rows it writes at most."""
        return 1 + bool(self.outcome.candidate) + len(self.metrics)


@dataclass
class BatchWriter:
    """Writes rows in transactions whose size follows how long the last one took."""

    database: Database
    context: RunContext
    rows_at_once: int = 300

    async def write(self, writes: Sequence[RowWrite]) -> None:
        """Store all writes, in as many transactions as it takes."""
        rest = list(writes)
        while rest:
            batch = list(self._next_batch(rest))
            rest = rest[len(batch) :]
            async with self.database.write() as conn:
                started = monotonic()
                await self._store(conn, batch)
            took = monotonic() - started
            if took > SLOW:
                self.rows_at_once = max(MIN_ROWS, self.rows_at_once * 2 // 3)
            elif took < QUICK:
                self.rows_at_once = min(MAX_ROWS, self.rows_at_once * 5 // 4)

    def _next_batch(self, writes: Sequence[RowWrite]) -> Iterator[RowWrite]:
        total = 0
        for write in writes:
            total += write.table_rows
            if total > self.rows_at_once and total > write.table_rows:
                return
            yield write

    async def _store(self, conn: AsyncConnection, writes: Sequence[RowWrite]) -> None:
        context = self.context
        await store.put_listings(conn, [write.outcome.listing for write in writes if write.outcome.listing])
        unchanged = [write.key for write in writes if write.outcome.listing is None]
        await store.touch_listings(conn, context, unchanged)
        by_step: dict[CandidateStep, dict[str, RowWrite]] = {"": {}, "new": {}, "touch": {}, "requeue": {}}
        metrics: dict[tuple[str, str, str], tuple[str, Metric]] = {}
        for write in writes:
            by_step[write.outcome.candidate][write.domain] = write
            for metric in write.metrics:
                metrics[write.domain, metric.role, metric.provider] = (write.domain, metric)
        new = [(write.domain, write.strength, write.soonest_end) for write in by_step["new"].values()]
        await store.new_candidates(conn, context, new)
        waiting = {**by_step["touch"], **by_step["requeue"]}
        moved = [(write.domain, write.soonest_end) for write in waiting.values() if write.end_moved]
        await store.touch_candidates(conn, list(waiting), moved, context.scan_id)
        await store.due_candidates(conn, list(by_step["requeue"]), context.scan_id, context.now)
        await put_metrics(conn, list(metrics.values()))
