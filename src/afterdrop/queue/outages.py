"""Outages of the database: a worker waits for it instead of ending."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

import sqlalchemy as sa

from afterdrop.db.outages import is_outage, outage

log = logging.getLogger("afterdrop.queue")

Result = TypeVar("Result")

_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 30.0


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
            outage.failed(error)
            log.debug("%s waits for the database", what)
        if stop.is_set():
            return None
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), wait)
            return None
        wait = min(wait * 2, _LONGEST_WAIT)
