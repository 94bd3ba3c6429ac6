"""Move reports from where 1.0 kept them, the rows of lists, to a table of their own: a hundred at a time.

A database of any size is in use meanwhile. What was stopped goes on where it was. Nodes of 1.0 read no report that was
moved, so workers of this version start after them (docs/INSTALLING.md).
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from afterdrop.catalogue.publish import put_reports
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains, reports

_AT_ONCE: Final = 100


async def move_old_reports(database: Database) -> int:
    """Move all that are left; gives how many. The catalogue's version stays: readers see what they saw."""
    row = domains.c
    moved = sa.exists().where(reports.c.domain == row.domain)
    left = sa.select(row.domain).where(~moved).order_by(row.domain).limit(_AT_ONCE)
    count, last = 0, ""
    while True:
        # Looked for by reading, which no writer waits for.
        async with database.read() as conn:
            names = list(await conn.scalars(left.where(row.domain > last)))
        if not names:
            return count
        last = names[-1]
        async with database.write() as conn:
            # Locked first, and then read: whoever publishes one of them has committed by then.
            mine = row.domain.in_(names)
            await conn.execute(sa.select(row.domain).where(mine).order_by(row.domain).with_for_update())
            result = await conn.execute(sa.select(row.domain, row.report).where(mine, ~moved))
            told = {domain: report for domain, report in result if report}
            await put_reports(conn, told)
            await conn.execute(sa.update(domains).where(row.domain.in_(told)).values(report={}))
        count += len(told)
