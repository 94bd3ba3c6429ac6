"""The watchlist: the domains an account watches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, TypeVar

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.rate_limit_store import spread_follows
from afterdrop.accounts.store import lock_account
from afterdrop.catalogue.availability import store as registry_store
from afterdrop.catalogue.availability.store import StateRow
from afterdrop.catalogue.drops import due
from afterdrop.catalogue.shapes import SiteRow, Summary
from afterdrop.catalogue.status import STATUSES_OF
from afterdrop.catalogue.store import site_rows, summaries, visible_domain
from afterdrop.catalogue.summary import Links
from afterdrop.core.errors import AfterdropError
from afterdrop.core.json_shapes import Count
from afterdrop.core.plan_limits import MOST_UNLISTED, Plan
from afterdrop.watching import store

# The most names that one query of the catalogue takes.
_BATCH = 1000
# Of an operator's, who may follow very many: the lists' names do not wait behind them for long.
_OPERATORS_PER_HOUR = 12_000
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
    found: list[Summary] = []
    for names in batched(await store.published_watches(conn, viewer.account_id)):
        found += (await summaries(conn, names, viewer, now, links)).values()
    return in_order(found)


async def site_watchlist(conn: AsyncConnection, viewer: Viewer, now: datetime, links: Links) -> list[SiteRow]:
    """The same with what became of the ended ones."""
    found: list[SiteRow] = []
    for names in batched(await store.published_watches(conn, viewer.account_id)):
        found += (await site_rows(conn, names, viewer, now, links)).values()
    return in_order(found)


def batched(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The names in as many pieces as queries take."""
    return (names[at : at + _BATCH] for at in range(0, len(names), _BATCH))


async def unlisted(
    conn: AsyncConnection, viewer: Viewer, limit: int, offset: int
) -> list[tuple[str, StateRow | None]]:
    """Some of the watched names that are not in the `site_watchlist`, with what their registries last said.

    The most urgent first, then by name.
    """
    names = await store.unlisted_watches(conn, viewer.account_id, limit, offset)
    known = await registry_states(conn, viewer, names)
    return [(name, known.get(name)) for name in names]


async def registry_states(conn: AsyncConnection, viewer: Viewer, names: Sequence[str]) -> dict[str, StateRow]:
    """The registries' states of these watched names since the viewer watches them, by name."""
    found: dict[str, StateRow] = {}
    for some in batched(names):
        found |= await store.states_seen(conn, viewer.account_id, some)
    return found


def in_order(watched: list[Watched]) -> list[Watched]:
    """Live ones by soonest end (those without one last), then ended ones by most recent end; ties by name."""
    by_name = sorted(watched, key=lambda item: str(item["domain"]))
    live = [item for item in by_name if item["status"] in _LIVE]
    ended = [item for item in by_name if item["status"] not in _LIVE]
    live.sort(key=lambda item: due(item["listing"]) or "9999")
    ended.sort(key=lambda item: item["listing"]["ends_at"] or "", reverse=True)
    return live + ended


async def watch(
    conn: AsyncConnection, viewer: Viewer, domain: str, plan: Plan, now: datetime
) -> Literal["watched", "hidden", "locked"]:
    """Watch a domain the viewer may see. One that is watched already stays so, at any limit.

    `hidden`: not on the list for them; `locked`: part of Pro. Raises TooManyWatches at the plan's limit.
    """
    await lock_account(conn, viewer.account_id)
    if await store.watches_domain(conn, viewer.account_id, domain):
        return "watched"
    seen = await visible_domain(conn, domain, viewer, now)
    if seen is None:
        return "hidden"
    if seen.access == "locked":
        return "locked"
    limit = plan.watched_domains
    if limit is not None and await store.count_watches(conn, viewer.account_id) >= limit:
        raise TooManyWatches("", f"the plan allows {limit} watched domains; remove one first")
    await _insert(conn, viewer, [domain], plan, now)
    return "watched"


async def watch_all(
    conn: AsyncConnection, viewer: Viewer, names: Iterable[str], plan: Plan, now: datetime
) -> None:
    """Watch all of these domains that the viewer sees, or none. Raises TooManyWatches at the plan's limit."""
    await lock_account(conn, viewer.account_id)
    fresh = await _unwatched(conn, viewer, list(names), plan.watched_domains)
    await _insert(conn, viewer, fresh, plan, now)


async def _unwatched(
    conn: AsyncConnection, viewer: Viewer, names: Sequence[str], limit: int | None
) -> list[str]:
    """Those that the account does not watch yet. Raises TooManyWatches where they do not fit below `limit`."""
    fresh: list[str] = []
    for some in batched(names):
        watched = await store.watched_among(conn, viewer.account_id, some)
        fresh += [name for name in some if name not in watched]
    if limit is not None and fresh:
        total = await store.count_watches(conn, viewer.account_id)
        if total + len(fresh) > limit:
            raise _too_many(limit, total, len(fresh))
    return fresh


async def _insert(
    conn: AsyncConnection, viewer: Viewer, fresh: Sequence[str], plan: Plan, now: datetime
) -> None:
    """Watch these, and have their registries asked, as many in an hour as the account may look up.

    Those that are known already, too: what was learnt for others is not shown.
    """
    per_hour = _OPERATORS_PER_HOUR if viewer.operator else plan.lookup_domains_per_hour
    moments = await spread_follows(conn, viewer.account_id, len(fresh), per_hour, now) if fresh else []
    due = dict(zip(fresh, moments, strict=True))
    for some in batched(fresh):
        await store.insert_watches(conn, viewer.account_id, some, now)
        await registry_store.take_in(conn, {name: due[name] for name in some})


class FollowedNames(TypedDict):
    """The result of following many names."""

    followed: Annotated[Count, Field(description="How many of them were not followed before")]
    watched: Annotated[Count, Field(description="How many domains the account watches now")]


@dataclass(frozen=True, slots=True)
class NamesToFollow:
    """Names that somebody wants to follow: those that are part of Pro for them, and those on no list they see."""

    names: Sequence[str]
    locked: Sequence[str]
    unlisted: frozenset[str]


async def names_to_follow(
    conn: AsyncConnection, viewer: Viewer, names: Sequence[str], now: datetime
) -> NamesToFollow:
    """The viewer's access to these names. This can take long: run it as a reader."""
    published = [name for some in batched(names) for name in await store.published(conn, some)]
    seen = {name: await visible_domain(conn, name, viewer, now) for name in published}
    locked = [name for name, each in seen.items() if each is not None and each.access == "locked"]
    return NamesToFollow(names, locked, frozenset(name for name in names if seen.get(name) is None))


async def follow_names(
    conn: AsyncConnection, viewer: Viewer, wanted: NamesToFollow, plan: Plan, now: datetime
) -> int:
    """Follow names, on the lists or not; none of them is locked. All or none; gives how many are new.

    Each name on no list is asked about at its registry. Raises TooManyWatches where there would be more of them than
    `most_unlisted` says, and where the plan allows fewer watched domains.
    """
    await lock_account(conn, viewer.account_id)
    fresh = await _unwatched(conn, viewer, wanted.names, plan.watched_domains)
    new, most = sum(name in wanted.unlisted for name in fresh), most_unlisted(viewer, plan)
    if new and new + await store.count_unlisted(conn, viewer.account_id) > most:
        text = f"an account of this plan can follow {most:,} names that are on no list"
        raise TooManyWatches("", f"{text}, so none of these was followed")
    await _insert(conn, viewer, fresh, plan, now)
    return len(fresh)


def most_unlisted(viewer: Viewer, plan: Plan) -> int:
    """How many names on no list the account may follow."""
    return MOST_UNLISTED if viewer.operator else plan.unlisted_names


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
