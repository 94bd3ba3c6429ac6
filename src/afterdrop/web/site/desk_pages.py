"""The desk: what a signed-in account sees first. New matches, what ends soon, drops of today, credits, sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from starlette.responses import Response

from afterdrop.alerts import rules, watchlist
from afterdrop.alerts import store as alerts
from afterdrop.alerts.store import MatchesWanted
from afterdrop.catalogue.chosen_store import chosen
from afterdrop.catalogue.filters import ListFilter
from afterdrop.catalogue.status import STATUSES_OF
from afterdrop.catalogue.summary import DomainSummary, SiteRow
from afterdrop.desk import store
from afterdrop.desk.rules import Visit
from afterdrop.web.actions.account import account_usage
from afterdrop.web.actions.desk import lives_of, new_in, remember_page, source_health
from afterdrop.web.actions.domains import Asked
from afterdrop.web.problems import Invalid
from afterdrop.web.site.attributions import attributions_for
from afterdrop.web.site.drops_pages import drops_of, today_of
from afterdrop.web.site.filter_pages import filter_path, query_of
from afterdrop.web.site.list_pages import asked_of
from afterdrop.web.site.site_request import SiteRequest

ROWS_A_GROUP: Final = 5
MOST_GROUPS: Final = 8
MOST_MATCHES: Final = 50
SOON: Final = timedelta(hours=72)
TODAY: Final = timedelta(hours=24)
ENDED_LATELY: Final = timedelta(days=7)
# Before the first visit, what was found within a day is new.
_FIRST_VISIT: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Group:
    """New domains under one heading: the best few of `total`, and where the others stand."""

    name: str
    path: str
    rows: Sequence[Mapping[str, Any]]
    total: int


@dataclass(frozen=True, slots=True)
class Followed:
    """Followed domains: those that end soon, and what became of those that ended lately."""

    soon: Sequence[DomainSummary]
    today: int
    became: Sequence[SiteRow]
    total: int


async def desk(request: SiteRequest) -> Response:
    """The desk of the account."""
    async with request.context.database.read() as conn:
        remembered = await store.memory(conn, request.member.id, (), request.now)
        saved = await store.filters_of(conn, request.member.id)
    visit = remembered.visit
    since = _since(visit, request.now)
    groups = await _new_groups(request, saved, since)
    followed = await _followed(request)
    shown = [*(row for group in groups for row in group.rows), *followed.soon]
    dropping = await drops_of(request, today_of(request))
    page = request.page(
        "desk.html",
        since=since,
        first=visit.previous_at is None,
        groups=groups,
        followed=followed,
        lives=await lives_of(request, shown),
        drops=[(drop.window, item) for drop in dropping for item in drop.domains],
        used=await account_usage(request),
        health=await source_health(request),
        saved=saved,
        credits=attributions_for(request),
    )
    await remember_page(request, remembered)
    return page


def _since(visit: Visit, now: datetime) -> datetime:
    return visit.previous_at or now - _FIRST_VISIT


async def _new_groups(
    request: SiteRequest, saved: Sequence[store.SavedFilter], since: datetime
) -> list[Group]:
    """What is new in saved filters, then what matched alert rules besides; without either the best new domains."""
    groups = []
    for each in saved[:MOST_GROUPS]:
        with suppress(Invalid):  # a filter that an earlier version could read
            query = query_of(each)
            async with request.context.database.read() as conn:
                asked = await asked_of(conn, request, each["list"], query)
            found = await new_in(request, asked, since, ROWS_A_GROUP)
            groups.append(Group(each["name"], filter_path(each), found.rows, found.total))
    groups += await _matches(request, since, {row["domain"] for group in groups for row in group.rows})
    if not groups:
        found = await new_in(request, Asked("live", ListFilter.of()), since, ROWS_A_GROUP)
        groups = [Group("All new domains", "/domains?sort=newest", found.rows, found.total)]
    return groups


async def _matches(request: SiteRequest, since: datetime, shown: set[str]) -> list[Group]:
    if request.plan != "pro":
        return []
    async with request.context.database.read() as conn:
        found = await rules.list_matches(
            conn, request.viewer, request.now, request.context.links, MatchesWanted(since, limit=MOST_MATCHES)
        )
    rows: dict[tuple[int, str], list[DomainSummary]] = {}
    for match in found.rows:
        if match["domain"]["domain"] not in shown:
            rows.setdefault((match["alert"]["id"], match["alert"]["name"]), []).append(match["domain"])
    return [
        Group(f"Alert: {name}", f"/account/rules/{rule}", some[:ROWS_A_GROUP], len(some))
        for (rule, name), some in rows.items()
    ]


async def _followed(request: SiteRequest) -> Followed:
    now, links = request.now, request.context.links
    async with request.context.database.read() as conn:
        rows = await watchlist.watchlist(conn, request.viewer, now, links)
        ended = [row["domain"] for row in rows if _ended_lately(row, now)][: 2 * ROWS_A_GROUP]
        became = await chosen(conn, ended, request.viewer, now, links)
        total = await alerts.count_watches(conn, request.member.id)
    soon = [row for row in rows if _left(row, now, SOON)]
    today = sum(1 for row in soon if _left(row, now, TODAY))
    told = [became[name] for name in ended if name in became and became[name]["outcome"]]
    return Followed(soon[:ROWS_A_GROUP], today, told[:ROWS_A_GROUP], total)


def _left(row: DomainSummary, now: datetime, within: timedelta) -> bool:
    ends_at = row["listing"]["ends_at"]
    live = row["status"] in STATUSES_OF["live"] and ends_at is not None
    return live and datetime.fromisoformat(str(ends_at)) - now <= within


def _ended_lately(row: DomainSummary, now: datetime) -> bool:
    ends_at = row["listing"]["ends_at"]
    over = row["status"] in STATUSES_OF["archive"] and ends_at is not None
    return over and now - datetime.fromisoformat(str(ends_at)) <= ENDED_LATELY
