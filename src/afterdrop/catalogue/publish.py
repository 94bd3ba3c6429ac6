"""Publish a reviewed domain, refresh published ones, and move them on to their next listing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from functools import partial

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import publish_store
from afterdrop.catalogue.listings import advance_listing
from afterdrop.catalogue.placement import KnownDomain, Placement, place
from afterdrop.catalogue.vetting import vet
from afterdrop.review.history.domain_history import History


async def publish(conn: AsyncConnection, history: History, now: datetime, day: str) -> Placement:
    """Publish, refresh or reject a domain whose review has just finished; `day` is the scan's (2026-11-20).

    Reads its listings and metrics, writes the domain, its revival kit and, for a new round, one `to_match` row. The
    `outcome`, `score` and `reasons` given back are the candidate's. A banned name is rejected.
    """
    domain = history.domain
    if await publish_store.is_banned(conn, domain):
        return Placement("rejected", reasons=("An operator has banned the name.",))
    known = replace((await publish_store.load_known(conn, [domain], now))[domain], fresh=True)
    placed = _placed(history, known, now, day)
    await publish_store.save_placement(conn, domain, placed, now)
    if placed.row is not None:
        await publish_store.save_pages(conn, domain, history.pages, now)
    # Last: every publisher waits for the one that raised the version until that one commits.
    if placed.changes:
        await publish_store.bump_catalogue(conn, [domain])
    return placed


async def refresh(
    conn: AsyncConnection, names: Collection[str], now: datetime, day: str
) -> dict[str, Placement]:
    """Bring published domains among `names` up to date with their listings and metrics.

    Price, end and listing follow, the domain is scored anew, and a new round begins where no listing was live for 7
    days and the review is still valid. Nothing is fetched. Names never published are left out.
    """
    histories = await publish_store.load_histories(conn, names)
    known = await publish_store.load_known(conn, histories, now)
    placed: dict[str, Placement] = {}
    for name, history in histories.items():
        if known[name].row is not None:
            placed[name] = _placed(history, known[name], now, day)
            await publish_store.save_placement(conn, name, placed[name], now)
    changed = [name for name, each in placed.items() if each.changes]
    if changed:
        await publish_store.bump_catalogue(conn, changed)
    return placed


def _placed(history: History, known: KnownDomain, now: datetime, day: str) -> Placement:
    return place(history, known, partial(vet, now=now, spam_overruled=known.restored), now, day)


async def advance_listings(conn: AsyncConnection, now: datetime, limit: int = 200) -> int:
    """Store the listing that domains show now that a better one has ended; gives how many. Call it every minute.

    Readers see the right listing without it; filters and the order of lists need it.
    """
    advanced: list[str] = []
    for table in publish_store.VIEWS:
        for due in await publish_store.due_to_advance(conn, table, now, limit):
            values = advance_listing(due.next_listings, now)
            if await publish_store.save_advanced(conn, table, due, values):
                advanced.append(due.domain)
    if advanced:
        await publish_store.bump_catalogue(conn, advanced)
    return len(advanced)
