"""The end of a scan: the ranks of its day, and the draw of a date's open domains after that date's first scan."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import publish_store
from afterdrop.catalogue.open_domains import draw


async def end_scan(conn: AsyncConnection, scan_id: int, day: str, now: datetime) -> list[str] | None:
    """Rank the domains found on `day` (the scan's) and draw the open ones of the UTC date of `now`.

    Gives the domains opened, best first; None where that date had its draw already. Repeating it changes nothing.
    """
    await publish_store.save_ranks(conn, ranks(await publish_store.found_on(conn, day)))
    opened = await draw_open(conn, scan_id, now)
    await publish_store.bump_catalogue(conn)
    return opened


def ranks(found: Iterable[tuple[str, int, datetime]]) -> dict[str, int]:
    """Rank from 1 by domain for (domain, score, found_at): best first, then latest found, then by name."""
    order = sorted(found, key=lambda item: (-item[1], -item[2].timestamp(), item[0]))
    return {domain: rank for rank, (domain, _, _) in enumerate(order, 1)}


async def draw_open(conn: AsyncConnection, scan_id: int, now: datetime) -> list[str] | None:
    """Draw the open domains of the UTC date of `now`, once; None where that was done."""
    day = f"{now:%Y-%m-%d}"
    last_draw_at = await publish_store.last_draw(conn)
    if not await publish_store.begin_draw(conn, day, scan_id, now):
        return None
    opened = draw(await publish_store.open_candidates(conn, now), last_draw_at, now)
    await publish_store.open_only(conn, opened, day)
    return opened
