"""The end of a scan: the ranks of its day, and the draw of a date's open domains after that date's first scan."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import publish
from afterdrop.catalogue.open_domains import draw


async def end_scan(conn: AsyncConnection, scan_id: int, day: str, now: datetime) -> None:
    """Rank the domains found on `day` (the scan's) and draw the open ones of the UTC date of `now`.

    Repeating it changes nothing.
    """
    await publish.save_ranks(conn, ranks(await publish.found_on(conn, day)))
    await publish.bump_catalogue(conn, await draw_open(conn, scan_id, now))


def ranks(found: Iterable[tuple[str, int, datetime]]) -> dict[str, int]:
    """Rank from 1 by domain for (domain, score, found_at): best first, then latest found, then by name."""
    order = sorted(found, key=lambda item: (-item[1], -item[2].timestamp(), item[0]))
    return {domain: rank for rank, (domain, _, _) in enumerate(order, 1)}


async def draw_open(conn: AsyncConnection, scan_id: int, now: datetime) -> set[str]:
    """Draw the open domains of the UTC date of `now`, once; gives those it opened or closed."""
    day = f"{now:%Y-%m-%d}"
    last_draw_at = await publish.last_draw(conn)
    if await publish.begin_draw(conn, day, scan_id, now):
        live = await publish.open_candidates(conn, now)
        return await publish.open_only(conn, draw(live, last_draw_at, now), day)
    return set()
