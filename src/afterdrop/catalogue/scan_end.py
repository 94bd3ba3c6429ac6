"""The end of a scan: the ranks of its day, and the draw of a date's open domains after that date's first scan.

Both are made for each audience, the public and the operators, over the domains that it may see.
"""

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
    turned: set[str] = set()
    for operator in (False, True):
        found = await publish.found_on(conn, operator, day)
        await publish.save_ranks(conn, operator, ranks(found))
        turned |= await draw_open(conn, operator, scan_id, now)
    await publish.bump_catalogue(conn, turned)


def ranks(found: Iterable[tuple[str, int, datetime]]) -> dict[str, int]:
    """Rank from 1 by domain for (domain, score, found_at): best first, then latest found, then by name."""
    order = sorted(found, key=lambda item: (-item[1], -item[2].timestamp(), item[0]))
    return {domain: rank for rank, (domain, _, _) in enumerate(order, 1)}


async def draw_open(conn: AsyncConnection, operator: bool, scan_id: int, now: datetime) -> set[str]:
    """Draw an audience's open domains of the UTC date of `now`, once; gives those it opened or closed."""
    day = f"{now:%Y-%m-%d}"
    last_draw_at = await publish.last_draw(conn, operator)
    if await publish.begin_draw(conn, operator, day, scan_id, now):
        live = await publish.open_candidates(conn, operator, now)
        return await publish.open_only(conn, operator, draw(live, last_draw_at, now), day)
    return set()
