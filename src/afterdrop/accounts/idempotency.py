"""The SQL of first answers: a request that was sent with an Idempotency-Key is executed once and answered again.

A row without a status belongs to a request that is being executed. It may be taken over after a minute, for a process
that died in between cannot record its answer.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.accounts import answered_requests

KEPT: Final = timedelta(hours=24)
LEASE: Final = timedelta(minutes=1)
_row = answered_requests.c


@dataclass(frozen=True, slots=True)
class AskedOnce:
    """A request under its key: whose it is, and the hashes of the key and of what is asked."""

    account_id: int
    key_hash: str
    request: str


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The state of the first request with the key. `mine`: this one is the first, and is to be executed.

    `other`: it asked for something else. `running`: it is being executed. `answered`: with `status` and `body`.
    """

    state: Literal["mine", "other", "running", "answered"]
    status: int = 0
    body: bytes = b""


async def begin(conn: AsyncConnection, asked: AskedOnce, now: datetime) -> FirstAnswer:
    """Take the key for this request, or tell what became of the one that has it."""
    row = {
        "account_id": asked.account_id,
        "key_hash": asked.key_hash,
        "request": asked.request,
        "began_at": now,
    }
    if await insert_once(conn, answered_requests, row, ["account_id", "key_hash"]):
        return FirstAnswer("mine")
    found = (await conn.execute(sa.select(answered_requests).where(*_mine(asked)).with_for_update())).one()
    if found.began_at > now - KEPT:
        if found.request != asked.request:
            return FirstAnswer("other")
        if found.status is not None:
            return FirstAnswer("answered", found.status, zlib.decompress(found.body))
        if found.began_at > now - LEASE:
            return FirstAnswer("running")
    fresh = {**row, "status": None, "body": None}
    await conn.execute(sa.update(answered_requests).where(*_mine(asked)).values(**fresh))
    return FirstAnswer("mine")


async def finish(conn: AsyncConnection, asked: AskedOnce, began_at: datetime, answer: FirstAnswer) -> None:
    """Record the answer to a request that has the key since `began_at`."""
    values = {"status": answer.status, "body": zlib.compress(answer.body)}
    await conn.execute(sa.update(answered_requests).where(*_running(asked, began_at)).values(**values))


async def give_up(conn: AsyncConnection, asked: AskedOnce, began_at: datetime) -> None:
    """Free the key of a request that failed and changed nothing."""
    await conn.execute(sa.delete(answered_requests).where(*_running(asked, began_at)))


async def prune(conn: AsyncConnection, now: datetime, at_most: int) -> int:
    """Delete answers that are no longer given; gives how many."""
    some = sa.select(_row.account_id, _row.key_hash).where(_row.began_at <= now - KEPT).limit(at_most)
    done = await conn.execute(
        sa.delete(answered_requests).where(sa.tuple_(_row.account_id, _row.key_hash).in_(some))
    )
    return int(done.rowcount)


def _mine(asked: AskedOnce) -> tuple[sa.ColumnElement[bool], ...]:
    return _row.account_id == asked.account_id, _row.key_hash == asked.key_hash


def _running(asked: AskedOnce, began_at: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return (*_mine(asked), _row.request == asked.request, _row.began_at == began_at, _row.status.is_(None))
