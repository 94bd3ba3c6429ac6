"""How many pending-delete names of a viewer's live list drop when."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.list_store import ListSelection


async def drop_counts(conn: AsyncConnection, selection: ListSelection) -> list[tuple[str, datetime, int]]:
    """`(extension, end, number)` of the names of a list; one without an end is left out."""
    table = selection.table
    known = table.c.ends_at.is_not(None)
    counted = sa.select(table.c.tld, table.c.ends_at, sa.func.count()).where(*selection.where(table), known)
    found = await conn.execute(counted.group_by(table.c.tld, table.c.ends_at))
    return [(str(tld), ends_at, int(number)) for tld, ends_at, number in found]
