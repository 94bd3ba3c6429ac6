"""Claim rows with a lease. The rows are the queue: a worker claims due rows, and another takes over when it dies.

A claimable table has the columns of `schema.claim_columns`. A claim is one conditional UPDATE. Only
the worker that still holds the row (`holds`) writes a result, so a worker that was thought dead changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:  # a default (PEP 696) is for type checkers alone until Python 3.13
    from typing_extensions import TypeVar

    RowT = TypeVar("RowT", bound=Mapping[str, object], default=dict[str, object])
else:
    from typing import TypeVar

    RowT = TypeVar("RowT")


class LeaseLost(AfterdropError):
    """Another worker has the row. Raised inside a transaction, it rolls back what this worker wrote there."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A worker's claim at `now` on up to `limit` rows, which it holds for the time of the `lease`."""

    worker: str
    now: datetime
    lease: timedelta
    limit: int


async def claim(
    conn: AsyncConnection,
    table: sa.Table,
    claim: Claim,
    due: sa.ColumnElement[bool],
    order_by: Sequence[sa.SQLColumnExpression[object]] = (),
    values: dict[str, object] | None = None,
) -> list[RowT]:
    """Claim rows that are `due` and not leased by a live worker; gives them with all columns.

    `attempts` rises by one with every claim; `values` are further columns to set (a state, say).
    Rows come back in no promised order. `RowT` is the caller's name for the table's columns: a TypedDict.
    """
    key = list(table.primary_key.columns)
    free = sa.or_(table.c.lease_until.is_(None), table.c.lease_until <= claim.now)
    chosen = sa.select(*key).where(due, free).order_by(*order_by).limit(claim.limit)
    if conn.dialect.name == "postgresql":
        # A common table expression is evaluated once. A subquery may be run again for every row of the table, and each
        # time SKIP LOCKED and LIMIT give the next few: more than `limit` in all.
        chosen = sa.select(chosen.with_for_update(skip_locked=True).cte("chosen"))
    where = key[0].in_(chosen) if len(key) == 1 else sa.tuple_(*key).in_(chosen)
    taken = await conn.execute(
        sa.update(table)
        .where(where)
        .values(
            claimed_by=claim.worker,
            lease_until=claim.now + claim.lease,
            attempts=table.c.attempts + 1,
            **(values or {}),
        )
        .returning(*table.c)
    )
    return [cast("RowT", dict(row)) for row in taken.mappings()]


def holds(table: sa.Table, row: Mapping[str, object]) -> sa.ColumnElement[bool]:
    """The condition that the row is still held by the claim that `row` came from."""
    same = [column == row[column.name] for column in table.primary_key.columns]
    return sa.and_(*same, table.c.claimed_by == row["claimed_by"], table.c.attempts == row["attempts"])


async def settle(conn: AsyncConnection, table: sa.Table, row: Mapping[str, object], **values: object) -> bool:
    """Write a claimed row's result and end its lease; False when the lease was lost (nothing is changed then)."""
    done = await conn.execute(
        sa.update(table).where(holds(table, row)).values(claimed_by=None, lease_until=None, **values)
    )
    return done.rowcount == 1


async def must_settle(
    conn: AsyncConnection, table: sa.Table, row: Mapping[str, object], **values: object
) -> None:
    """Like `settle`, but raise LeaseLost: for results that are written together with other rows."""
    if not await settle(conn, table, row, **values):
        raise LeaseLost(table.name, "the lease was lost; another worker's result counts")


async def renew(
    conn: AsyncConnection, table: sa.Table, row: Mapping[str, object], now: datetime, lease: timedelta
) -> bool:
    """Extend the lease of a row whose work takes longer; False when it was lost."""
    done = await conn.execute(sa.update(table).where(holds(table, row)).values(lease_until=now + lease))
    return done.rowcount == 1


async def give_back(
    conn: AsyncConnection, table: sa.Table, row: Mapping[str, object], **values: object
) -> bool:
    """Give a row back at a graceful stop, or because what it needs is away: the claim does not count as an attempt."""
    uncounted = sa.case((table.c.attempts > 1, table.c.attempts - 1), else_=0)
    return await settle(conn, table, row, attempts=uncounted, **values)
