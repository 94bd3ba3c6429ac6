"""The end of a scan: the ranks of its day, and the draw of a date's open domains after that date's first scan."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.open_domains import OpenCandidate, draw
from afterdrop.catalogue.publish import bump_catalogue
from afterdrop.catalogue.store import live, on_list
from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.catalogue import domains, open_domains, open_draws


async def end_scan(conn: AsyncConnection, scan_id: int, day: str, now: datetime) -> None:
    """Rank the domains found on `day` (the scan's) and draw the open ones of the UTC date of `now`.

    Repeating it changes nothing.
    """
    mine = sa.and_(domains.c.hunt_day == day, on_list())
    found = await conn.execute(sa.select(domains.c.domain, domains.c.score, domains.c.found_at).where(mine))
    name: sa.BindParameter[str] = sa.bindparam("name")
    rank: sa.BindParameter[int] = sa.bindparam("rank")
    if placed := ranks((domain, score, found_at) for domain, score, found_at in found):
        await conn.execute(
            sa.update(domains).where(domains.c.domain == name).values(rank_on_hunt_day=rank),
            [{"name": domain, "rank": place} for domain, place in placed.items()],
        )
    await bump_catalogue(conn, await draw_open(conn, scan_id, now))


def ranks(found: Iterable[tuple[str, int, datetime]]) -> dict[str, int]:
    """Rank from 1 by domain for (domain, score, found_at): best first, then latest found, then by name."""
    order = sorted(found, key=lambda item: (-item[1], -item[2].timestamp(), item[0]))
    return {domain: rank for rank, (domain, _, _) in enumerate(order, 1)}


async def draw_open(conn: AsyncConnection, scan_id: int, now: datetime) -> set[str]:
    """Draw the open domains of the UTC date of `now`, once; gives those it opened or closed."""
    day = f"{now:%Y-%m-%d}"
    drawn_at = open_draws.c.drawn_at
    last_draw_at = await conn.scalar(sa.select(sa.func.max(drawn_at, type_=drawn_at.type)))
    if not await insert_once(conn, open_draws, {"day": day, "drawn_at": now, "scan_id": scan_id}, ["day"]):
        return set()
    columns = [domains.c[name] for name in OpenCandidate.__slots__]
    chosen = sa.select(*columns).where(on_list(), live(domains, now))
    alive = [OpenCandidate(**found) for found in (await conn.execute(chosen)).mappings()]
    names = draw(alive, last_draw_at, now)
    closing = sa.update(domains).where(domains.c.open_now.is_(True)).values(open_now=False)
    closed = (await conn.scalars(closing.returning(domains.c.domain))).all()
    if names:
        opened = sa.update(domains).where(domains.c.domain.in_(names))
        await conn.execute(opened.values(open_now=True, last_open_on=day))
        await conn.execute(sa.insert(open_domains), [{"day": day, "domain": name} for name in names])
    return {*closed, *names}
