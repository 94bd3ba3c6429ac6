"""Transactions that PostgreSQL breaks off because of another one: what counts as that, and how they are repeated."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import sqlalchemy as sa

log = logging.getLogger("afterdrop.database")

Result = TypeVar("Result")

# PostgreSQL, appendix A: serialization_failure and deadlock_detected. Of two in conflict one goes on.
_CONFLICTS: Final = frozenset({"40001", "40P01"})
_ATTEMPTS: Final = 5
_PAUSE: Final = 0.02


def is_conflict(error: BaseException) -> bool:
    """Whether the database broke a transaction off because of another one. It was rolled back as a whole."""
    return isinstance(error, sa.exc.DBAPIError) and getattr(error.orig, "sqlstate", None) in _CONFLICTS


async def repeated(attempt: Callable[[], Awaitable[Result]]) -> Result:
    """The result of `attempt`, which is made again after a conflict, five times at most; then the conflict is raised.

    Changes of an attempt in transactions of its own before the conflict must be harmless to make again.
    """
    for number in range(1, _ATTEMPTS):
        try:
            return await attempt()
        except sa.exc.DBAPIError as error:
            if not is_conflict(error):
                raise
            log.info("a transaction was in conflict with another one and is repeated")
        await asyncio.sleep(_PAUSE * number)
    return await attempt()
