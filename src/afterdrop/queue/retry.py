"""When a row whose work failed is tried again, and what becomes of it after the last attempt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db import leases
from afterdrop.db.leases import RowT
from afterdrop.queue.loop import QueueContext


@dataclass(frozen=True, slots=True)
class Retry:
    """Each wait is twice as long as the one before, up to `longest`; without `attempts` there is no last one."""

    first: timedelta
    attempts: int | None = None
    longest: timedelta = timedelta.max

    def wait(self, attempts: int) -> timedelta | None:
        """How long a row waits after so many attempts; None when it is given up."""
        if self.attempts is not None and attempts >= self.attempts:
            return None
        return min(self.first * (1 << min(attempts - 1, 16)), self.longest)


# Writes the end of a row that is given up: (connection, row, its last error, now).
GiveUp = Callable[[AsyncConnection, RowT, str, datetime], Awaitable[object]]


async def _never(*_: object) -> None:
    raise AssertionError("a row that is tried without end is never given up")


def retried(
    context: QueueContext, table: sa.Table, retry: Retry, give_up: GiveUp[RowT] = _never
) -> Callable[[RowT, str], Awaitable[None]]:
    """The `failed` of a queue whose rows are tried again by a rule."""

    async def failed(row: RowT, error: str) -> None:
        now, error = context.now(), error[:1000]
        attempts = row["attempts"]
        assert isinstance(attempts, int)
        wait = retry.wait(attempts)
        async with context.database.write() as conn:
            if wait is None:
                await give_up(conn, row, error, now)
            else:
                await leases.settle(conn, table, row, due_at=now + wait, error=error)

    return failed
