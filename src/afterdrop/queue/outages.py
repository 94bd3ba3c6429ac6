"""Outages of the database: a worker waits for it instead of ending."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

import sqlalchemy as sa

log = logging.getLogger("afterdrop.queue")

Result = TypeVar("Result")

_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 30.0


def is_outage(error: Exception) -> bool:
    """Whether the database was unavailable: gone, restarting, locked by others or full. A wrong statement is not."""
    if isinstance(error, sa.exc.TimeoutError):
        return True  # no connection of the pool is free
    if not isinstance(error, sa.exc.DBAPIError):
        return False
    if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:
        return False  # SQLite reports a wrong statement as an OperationalError too
    operational = isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError)
    return operational or error.connection_invalidated


async def wait_out(
    attempt: Callable[[], Awaitable[Result]], stop: asyncio.Event, what: str, *, wait: float = _FIRST_WAIT
) -> Result | None:
    """Repeat `attempt` until the database answers, and give its result; None when `stop` is set before.

    Other failures are raised. `wait` is the first pause in seconds; each further one is twice as long, up to half a
    minute.
    """
    while True:
        try:
            return await attempt()
        except sa.exc.SQLAlchemyError as error:
            if not is_outage(error):
                raise
            log.warning("%s: the database does not answer (%s)", what, outage_text(error))
        if stop.is_set():
            return None
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), wait)
            return None
        wait = min(wait * 2, _LONGEST_WAIT)


def outage_text(error: Exception) -> str:
    """The driver's message on one line, without the statement and its values."""
    return " ".join(str(getattr(error, "orig", None) or type(error).__name__).split())[:200]
