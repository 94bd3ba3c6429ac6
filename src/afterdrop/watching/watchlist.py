"""The watchlist: the domains an account watches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.store import lock_account
from afterdrop.catalogue.availability import store as registry_store
from afterdrop.catalogue.availability.store import ChangeRow, StateRow
from afterdrop.catalogue.drops import due
from afterdrop.catalogue.shapes import SiteRow, Summary
from afterdrop.catalogue.status import STATUSES_OF
from afterdrop.catalogue.store import site_rows, summaries, visible_domain
from afterdrop.catalogue.summary import Links
from afterdrop.core.errors import AfterdropError
from afterdrop.watching import store

# The most names that one query of the catalogue takes.
_BATCH = 1000
# What an account may follow of names that only its followers make us ask about.
MOST_UNLISTED: Final = 1000
Watched = TypeVar("Watched", Summary, SiteRow)
_LIVE = STATUSES_OF["live"]


class TooManyWatches(AfterdropError):
    """The account watches as many domains as its plan allows."""

    code, status = "limit_reached", 409


async def count_watches(conn: AsyncConnection, account_id: int) -> int:
    """How many domains an account watches."""
    return await store.count_watches(conn, account_id)


async def watchlist(conn: AsyncConnection, viewer: Viewer, now: datetime, links: Links) -> list[Summary]:
    """Summaries of the watched domains: soonest end first, ended ones after, by most recent end."""
    names = await store.watched_domains(conn, viewer.account_id)
    found: list[Summary] = []
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


# Stages of names on no list, the most urgent first.
_URGENT: Final = ("available", "pending_delete", "redemption", "expired", "active", None)


async def unlisted(
    conn: AsyncConnection, viewer: Viewer, shown: Collection[str]
) -> list[tuple[str, StateRow | None]]:
    """Watched names that are not among the `shown` ones, with what their registries last said, most urgent first."""
    names = [name for name in await store.watched_domains(conn, viewer.account_id) if name not in shown]
    known = await registry_states(conn, names)
    found = [(name, known.get(name)) for name in names]
    return sorted(found, key=lambda each: (_URGENT.index(each[1]["stage"] if each[1] else None), each[0]))


async def registry_states(conn: AsyncConnection, names: Sequence[str]) -> dict[str, StateRow]:
    """What the registries last said of these names, by name."""
    found: dict[str, StateRow] = {}
    for at in range(0, len(names), _BATCH):
        found |= await registry_store.states(conn, names[at : at + _BATCH])
    return found


async def registry_news(
    conn: AsyncConnection, viewer: Viewer, since: datetime, limit: int
) -> list[ChangeRow]:
    """The newest changes of watched names at their registries, each name once."""
    names = await store.watched_domains(conn, viewer.account_id)
    newest: dict[str, ChangeRow] = {}
    for at in range(0, len(names), _BATCH):
        for row in await registry_store.changes_since(conn, names[at : at + _BATCH], since):
            newest.setdefault(row["domain"], row)
    return sorted(newest.values(), key=lambda row: row["seen_at"], reverse=True)[:limit]


def in_order(watched: list[Watched]) -> list[Watched]:
    """Live ones by soonest end (those without one last), then ended ones by most recent end; ties by name."""
    by_name = sorted(watched, key=lambda item: str(item["domain"]))
    live = [item for item in by_name if item["status"] in _LIVE]
    ended = [item for item in by_name if item["status"] not in _LIVE]
    live.sort(key=lambda item: due(item["listing"]) or "9999")
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
    await store.insert_watches(conn, viewer.account_id, [domain], now)
    return "watched"


async def watch_all(
    conn: AsyncConnection, viewer: Viewer, names: Iterable[str], *, limit: int | None, now: datetime
) -> None:
    """Watch all of these domains that the viewer sees, or none. Raises TooManyWatches at `limit` (None: no limit)."""
    await lock_account(conn, viewer.account_id)
    watched = set(await store.watched_domains(conn, viewer.account_id))
    fresh = [name for name in names if name not in watched]
    if limit is not None and fresh and len(watched) + len(fresh) > limit:
        raise _too_many(limit, len(watched), len(fresh))
    await store.insert_watches(conn, viewer.account_id, fresh, now)


@dataclass(frozen=True, slots=True)
class NamesToFollow:
    """Names that somebody wants to follow: those that are part of Pro for them, and those on no list they see."""

    names: Sequence[str]
    locked: Sequence[str]
    unlisted: frozenset[str]


async def names_to_follow(
    conn: AsyncConnection, viewer: Viewer, names: Sequence[str], now: datetime
) -> NamesToFollow:
    """What the viewer may see of these names (at most 1,000). This can take long: run it as a reader."""
    published = await store.published(conn, names)
    seen = {name: await visible_domain(conn, name, viewer, now) for name in names if name in published}
    locked = [name for name, each in seen.items() if each is not None and each.access == "locked"]
    return NamesToFollow(names, locked, frozenset(name for name in names if seen.get(name) is None))


async def follow_names(
    conn: AsyncConnection, viewer: Viewer, wanted: NamesToFollow, *, limit: int | None, now: datetime
) -> None:
    """Follow names, on the lists or not; none of them is locked. All or none.

    An account follows at most 1,000 names on no list, for each of them is asked about at its registry. Raises
    TooManyWatches there and at `limit` (None: no limit).
    """
    await lock_account(conn, viewer.account_id)
    watched = set(await store.watched_domains(conn, viewer.account_id))
    fresh = [name for name in wanted.names if name not in watched]
    if limit is not None and fresh and len(watched) + len(fresh) > limit:
        raise _too_many(limit, len(watched), len(fresh))
    new = sum(name in wanted.unlisted for name in fresh)
    if new and new + await store.count_unlisted(conn, viewer.account_id) > MOST_UNLISTED:
        most = f"an account can follow {MOST_UNLISTED:,} names that are on no list"
        raise TooManyWatches("", f"{most}, so none of these was followed")
    await store.insert_watches(conn, viewer.account_id, fresh, now)


def _too_many(limit: int, watched: int, fresh: int) -> TooManyWatches:
    return TooManyWatches(
        "",
        f"the plan allows {limit} followed domains and you follow {watched}; "
        f"{fresh} more do not fit, so none of them was followed",
    )


async def unwatch(conn: AsyncConnection, viewer: Viewer, domain: str, now: datetime) -> bool:
    """Stop watching; False when the domain was not watched and is not on the viewer's list."""
    if await store.delete_watch(conn, viewer.account_id, domain):
        return True
    return await visible_domain(conn, domain, viewer, now) is not None
