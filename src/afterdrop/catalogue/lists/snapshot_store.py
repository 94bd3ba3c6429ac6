"""The SQL behind the lists in memory: all rows of the lists, and those that changed after a version."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.lists.columns import READ, Row
from afterdrop.catalogue.lists.snapshot_rows import INSTANTS
from afterdrop.catalogue.store import on_list, summary_column
from afterdrop.db.tables.catalogue import changed_domains, domains

# Rows read at a time: what is done with them on the event loop takes a few milliseconds.
AT_ONCE: Final = 60


async def all_rows(conn: AsyncConnection) -> AsyncGenerator[list[Row]]:
    """Every row of the lists, some at a time."""
    result = await conn.stream(_select().where(on_list()))
    try:
        async for rows in result.partitions(AT_ONCE):
            yield [_stored(row) for row in rows]
    finally:
        # `async with` would leave the cursor open where the reader stops early.
        await result.close()


async def most_rows(conn: AsyncConnection) -> int:
    """How many rows the lists have at most: an index tells, while those that were taken off would have to be read."""
    return int((await conn.execute(sa.select(sa.func.count()).select_from(domains))).scalar_one())


async def changed_since(conn: AsyncConnection, version: int, most: int) -> list[str]:
    """The names of the domains that changed after `version`; at most `most` and one more."""
    newer = changed_domains.c.version > version
    found = await conn.scalars(sa.select(changed_domains.c.domain).where(newer).limit(most + 1))
    return list(found.all())


async def rows_of(conn: AsyncConnection, names: Sequence[str]) -> list[Row]:
    """The rows of those of `names` that are on the lists."""
    rows = list[Row]()
    for start in range(0, len(names), AT_ONCE):
        mine = domains.c.domain.in_(names[start : start + AT_ONCE])
        result = await conn.execute(_select().where(on_list(), mine))
        rows += [_stored(row) for row in result]
    return rows


async def lives(conn: AsyncConnection, names: Sequence[str]) -> dict[str, str]:
    """The packed lives of those of `names` that are published."""
    chosen = sa.select(domains.c.domain, domains.c.life).where(
        domains.c.domain.in_(names), domains.c.life.is_not(None)
    )
    return {domain: packed for domain, packed in await conn.execute(chosen)}


def _select() -> sa.Select[Any]:
    # Times stay numbers: that is how they are kept, too.
    columns = [
        sa.type_coerce(domains.c[name], sa.BigInteger).label(name)
        if name in INSTANTS
        else summary_column(name)
        for name in READ
    ]
    return sa.select(*columns)


def _stored(row: sa.Row[Any]) -> Row:
    return dict(zip(READ, row, strict=True))
