"""What the end of a scan brings: the ranks of its day, and the first scan of a date draws the open domains."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.hunt_day_ranks import ranks
from afterdrop.catalogue.open_domains import Entry, draw
from afterdrop.catalogue.queries import live, on_list
from afterdrop.catalogue.writing import CATALOGUE
from afterdrop.db.dialects import bump_version, insert_once
from afterdrop.db.tables.catalogue import domains, open_domains, open_draws


async def end_scan(conn: AsyncConnection, scan_id: int, day: str, now: datetime) -> list[str] | None:
    """Rank the domains found on `day` (the scan's) and draw the open ones of the UTC date of `now`.

    Gives the domains opened, best first; None where that date had its draw already. Repeating it changes nothing.
    """
    await rank_day(conn, day)
    opened = await draw_open(conn, scan_id, now)
    await bump_version(conn, CATALOGUE)
    return opened


async def rank_day(conn: AsyncConnection, day: str) -> int:
    """Write `rank_on_hunt_day` of the public domains found on `day`; gives how many."""
    mine = sa.and_(domains.c.hunt_day == day, on_list(domains, operator=False))
    found = await conn.execute(sa.select(domains.c.domain, domains.c.score, domains.c.found_at).where(mine))
    placed = ranks((domain, score, found_at) for domain, score, found_at in found)
    if placed:
        name: sa.BindParameter[str] = sa.bindparam("name")
        rank: sa.BindParameter[int] = sa.bindparam("rank")
        await conn.execute(
            sa.update(domains).where(domains.c.domain == name).values(rank_on_hunt_day=rank),
            [{"name": domain, "rank": place} for domain, place in placed.items()],
        )
    return len(placed)


async def draw_open(conn: AsyncConnection, scan_id: int, now: datetime) -> list[str] | None:
    """Draw the open domains of the UTC date of `now`, once; None where that was done."""
    day = f"{now:%Y-%m-%d}"
    last = sa.select(sa.func.max(open_draws.c.drawn_at, type_=open_draws.c.drawn_at.type))
    last_draw_at = (await conn.execute(last)).scalar_one()
    row = {"day": day, "drawn_at": now, "scan_id": scan_id}
    if not await insert_once(conn, open_draws, row, ["day"]):
        return None
    columns = [domains.c[name] for name in ("domain", "tld", "score", "found_at", "ends_at")]
    never = domains.c.last_open_on.is_(None)
    chosen = sa.select(*columns).where(on_list(domains, operator=False), live(domains, now), never)
    entries = [Entry(**found) for found in (await conn.execute(chosen)).mappings()]
    opened = draw(entries, last_draw_at, now)
    await conn.execute(sa.update(domains).where(domains.c.open_now.is_(True)).values(open_now=False))
    if opened:
        await conn.execute(
            sa.update(domains).where(domains.c.domain.in_(opened)).values(open_now=True, last_open_on=day)
        )
        await conn.execute(sa.insert(open_domains), [{"domain": name, "day": day} for name in opened])
    return opened
