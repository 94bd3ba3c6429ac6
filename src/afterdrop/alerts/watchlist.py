"""The watchlist: the domains an account watches."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.accounts.store import lock_account
from afterdrop.alerts import store
from afterdrop.catalogue.status import STATUSES_OF
from afterdrop.catalogue.store import site_rows, summaries, visible_domain
from afterdrop.catalogue.summary import DomainSummary, Links, SiteRow
from afterdrop.core.errors import AfterdropError

# The most names that one query of the catalogue takes.
_BATCH = 1000
Watched = TypeVar("Watched", DomainSummary, SiteRow)
_LIVE = STATUSES_OF["live"]


class TooManyWatches(AfterdropError):
    """The account watches as many domains as its plan allows."""

    code, status = "limit_reached", 409


async def count_watches(conn: AsyncConnection, account_id: int) -> int:
    """How many domains an account watches."""
    return await store.count_watches(conn, account_id)


async def watchlist(
    conn: AsyncConnection, viewer: Viewer, now: datetime, links: Links
) -> list[DomainSummary]:
    """Summaries of the watched domains: soonest end first, ended ones after, by most recent end."""
    names = await store.watched_domains(conn, viewer.account_id)
    found: list[DomainSummary] = []
    for at in range(0, len(names), _BATCH):
        found += (await summaries(conn, names[at : at + _BATCH], viewer, now, links)).values()
    return in_order(found)


async def site_watchlist(conn: AsyncConnection, viewer: Viewer, now: datetime, links: Links) -> list[SiteRow]:
    """The same with what became of the ended ones."""
    names = await store.watched_domains(conn, viewer.account_id)
    found: list[SiteRow] = []
    for at in range(0, len(names), _BATCH):
        found += (await site_rows(conn, names[at : at + _BATCH], viewer, now, links)).values()
    return in_order(found)


def in_order(watched: list[Watched]) -> list[Watched]:
    """Live ones by soonest end (those without one last), then ended ones by most recent end; ties by name."""
    by_name = sorted(watched, key=lambda item: str(item["domain"]))
    live = [item for item in by_name if item["status"] in _LIVE]
    ended = [item for item in by_name if item["status"] not in _LIVE]
    live.sort(key=lambda item: item["listing"]["ends_at"] or "9999")
    ended.sort(key=lambda item: item["listing"]["ends_at"] or "", reverse=True)
    return live + ended


async def watch(
    conn: AsyncConnection, viewer: Viewer, domain: str, *, limit: int | None, now: datetime
) -> Literal["watched", "hidden", "locked"]:
    """Watch a domain the viewer may see. One that is watched already stays so, at any limit.

    `hidden`: not on the list for them; `locked`: part of Pro. Raises TooManyWatches at `limit` (None = no limit).
    """
    await lock_account(conn, viewer.account_id)
    if await store.watches_domain(conn, viewer.account_id, domain):
        return "watched"
    seen = await visible_domain(conn, domain, viewer, now)
    if seen is None:
        return "hidden"
    if seen.access == "locked":
        return "locked"
    if limit is not None and await store.count_watches(conn, viewer.account_id) >= limit:
        raise TooManyWatches("", f"the plan allows {limit} watched domains; remove one first")
    await store.insert_watch(conn, viewer.account_id, domain, now)
    return "watched"


async def watch_all(
    conn: AsyncConnection, viewer: Viewer, names: Iterable[str], *, limit: int | None, now: datetime
) -> None:
    """Watch all of these domains that the viewer sees, or none. Raises TooManyWatches at `limit` (None: no limit)."""
    await lock_account(conn, viewer.account_id)
    watched = set(await store.watched_domains(conn, viewer.account_id))
    fresh = [name for name in names if name not in watched]
    if limit is not None and fresh and len(watched) + len(fresh) > limit:
        raise TooManyWatches(
            "",
            f"the plan allows {limit} followed domains and you follow {len(watched)}; "
            f"{len(fresh)} more do not fit, so none of them was followed",
        )
    await store.insert_watches(conn, viewer.account_id, fresh, now)


async def unwatch(conn: AsyncConnection, viewer: Viewer, domain: str, now: datetime) -> bool:
    """Stop watching; False when the domain was not watched and is not on the viewer's list."""
    if await store.delete_watch(conn, viewer.account_id, domain):
        return True
    return await visible_domain(conn, domain, viewer, now) is not None
