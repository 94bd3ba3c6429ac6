"""The desk of an account: what is new, what ends and what drops soon."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from starlette.responses import Response

from afterdrop.catalogue.availability.store import ChangeRow
from afterdrop.catalogue.drops import Drop, countdown, drops, when
from afterdrop.catalogue.lists.chosen_store import chosen
from afterdrop.catalogue.lists.comparisons import Days
from afterdrop.catalogue.lists.pages import SITE_ROWS
from afterdrop.catalogue.shapes import SiteRow, Summary
from afterdrop.catalogue.status import STATUSES_OF
from afterdrop.catalogue.visits import VisitRow
from afterdrop.core.time_zones import time_zone
from afterdrop.watching import desk_store as store
from afterdrop.watching import store as alerts
from afterdrop.watching import takeovers, watchlist
from afterdrop.web.actions import lists
from afterdrop.web.actions.account import account_usage, source_health
from afterdrop.web.actions.lists import MOST_DROPS, attributions_for, dropping, lives_of, new_in
from afterdrop.web.actions.watching import remember_page
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.site.downloads import drop_entry
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.list_pages import asked_by
from afterdrop.web.site.own_filters import OwnFilter, own_filters
from afterdrop.web.site.site_request import SiteRequest, attachment

FILTERS: Final = "/account/filters"
DAYS: Final = 7
FOLLOWED: Final = "followed"
_DAY: Final = timedelta(days=1)
ROWS_A_GROUP: Final = 5
MOST_GROUPS: Final = 8
SOON: Final = timedelta(hours=72)
ENDED_LATELY: Final = timedelta(days=7)
NEWS_FOR: Final = timedelta(days=7)
# Before the first visit, what was found within a day is new.
_FIRST_VISIT: Final = timedelta(days=1)


async def drops_page(request: SiteRequest) -> Response:
    """One day's names, or the followed ones of all days."""
    today = today_of(request)
    # The followed names that are about to drop and that the reader may see.
    async with request.context.database.read() as conn:
        names = await alerts.published_watches(conn, request.member.id)
        seen = await chosen(conn, names, request.viewer, request.now, request.context.links)
    followed = drops(seen.values())
    days = [today + each * _DAY for each in range(DAYS)]
    totals = await lists.visible_totals(request, [dropping(request, _days(request, day)) for day in days])
    counts = dict(zip(days, totals, strict=True))
    asked = request.http.query_params.get("day", "")
    day = next((day for day in days if day.isoformat() == asked), today)
    listed = followed if asked == FOLLOWED else await drops_of(request, day)
    return request.page(
        "drops.html",
        day=FOLLOWED if asked == FOLLOWED else day,
        today=today,
        days=[each for each in days if counts[each] != 0 or each in (today, today + _DAY, day)],
        counts=counts,
        followed=followed,
        watched={item["domain"] for drop in followed for item in drop.domains},
        drops=listed,
        most=MOST_DROPS,
        countdown=countdown,
        lives=await lives_of(request, [item for drop in listed for item in drop.domains]),
        credits=attributions_for(request),
    )


async def calendar(request: SiteRequest) -> Response:
    """One window for a calendar, named by the second of its end."""
    end = whole_number(request.http.path_params["end"])
    with suppress(OverflowError, ValueError, OSError):
        gone = datetime.fromtimestamp(end, request.now.tzinfo)
        for drop in await _dropping_on(request, Days.of((gone - 2 * _DAY).date(), gone.date(), UTC)):
            if drop.window.gone == gone:
                text = drop_entry(drop, f"{request.context.settings.site_url}/drops", request.now)
                return attachment(text, "text/calendar", f"drop-{gone:%Y-%m-%d-%H%M}.ics")
    raise not_found("No name you can see drops then.")


def today_of(request: SiteRequest) -> date:
    """The date on the reader's clock."""
    return request.now.astimezone(time_zone(request.member.zone)).date()


async def drops_of(request: SiteRequest, day: date) -> list[Drop]:
    """The names that drop on a day of the reader's zone, as he may see them; of very many the best."""
    return await _dropping_on(request, _days(request, day))


def _days(request: SiteRequest, day: date) -> Days:
    """A day of the reader; today with what has begun to drop before and is not over."""
    return Days.of(None if day == today_of(request) else day, day, time_zone(request.member.zone))


async def _dropping_on(request: SiteRequest, days: Days) -> list[Drop]:
    page = await request.context.lists.page(dropping(request, days), 1, MOST_DROPS, SITE_ROWS)
    return drops(page.rows)


@dataclass(frozen=True, slots=True)
class Group:
    """New domains under one heading: the best few of `total` (None: part of Pro), and where the others stand."""

    name: str
    path: str
    rows: Sequence[Summary]
    total: int | None


@dataclass(frozen=True, slots=True)
class Followed:
    """Followed domains: those that end soon, what became of those that ended lately, and what registries say anew, and
    what stands at those with new holders.

    `first` is the first of `today` that is sure to end.
    """

    soon: Sequence[Summary]
    today: int
    first: Summary | None
    became: Sequence[SiteRow]
    total: int
    news: Sequence[ChangeRow]
    visits: Sequence[VisitRow]


async def desk(request: SiteRequest) -> Response:
    """The desk of the account."""
    async with request.context.database.read() as conn:
        remembered = await store.memory(conn, request.member.id, (), request.now)
        mine = await own_filters(conn, request.member.id)
    visit = remembered.visit
    since = visit.previous_at or request.now - _FIRST_VISIT
    groups = await _new_groups(request, mine, since)
    followed = await _followed(request)
    rows = [*(row for group in groups for row in group.rows), *followed.soon]
    today = today_of(request)
    dropping_today = await drops_of(request, today)
    [dropping_total] = await lists.visible_totals(request, [dropping(request, _days(request, today))])
    certain = [drop.window.opens for drop in dropping_today if drop.certain]
    page = request.page(
        "desk.html",
        since=since,
        first=visit.previous_at is None,
        groups=groups,
        followed=followed,
        lives=await lives_of(request, rows),
        drops=[(drop.window, item) for drop in dropping_today for item in drop.domains],
        dropping_total=dropping_total,
        opens=next((opens for opens in certain if opens is not None), None),
        used=await account_usage(request),
        health=await source_health(request),
        filters=mine,
        credits=attributions_for(request),
    )
    await remember_page(request, remembered)
    return page


async def _new_groups(request: SiteRequest, mine: Sequence[OwnFilter], since: datetime) -> list[Group]:
    """The new domains in the account's filters, each name once; without one the best new domains."""
    groups: list[Group] = []
    shown: set[str] = set()
    for each in mine[:MOST_GROUPS]:
        with suppress(Invalid):  # a filter that an earlier version could read
            async with request.context.database.read() as conn:
                asked = await asked_by(conn, request, each)
            page = await new_in(request, asked, since, ROWS_A_GROUP)
            rows = [row for row in page.rows if row["domain"] not in shown]
            shown |= {row["domain"] for row in rows}
            path = each.tab.href if each.tab else FILTERS
            groups.append(Group(each.name, path, rows, lists.visible_total(request, asked, page)))
    if not groups:
        everything = lists.selection(request, "live")
        page = await new_in(request, everything, since, ROWS_A_GROUP)
        total = lists.visible_total(request, everything, page)
        groups = [Group("All new domains", "/domains?sort=newest", page.rows, total)]
    return groups


async def _followed(request: SiteRequest) -> Followed:
    now, links = request.now, request.context.links
    async with request.context.database.read() as conn:
        rows = await watchlist.watchlist(conn, request.viewer, now, links)
        ended = [row["domain"] for row in rows if _ended_lately(row, now)][: 2 * ROWS_A_GROUP]
        became = await chosen(conn, ended, request.viewer, now, links)
        total = await alerts.count_watches(conn, request.member.id)
        pro = request.plan == "pro"
        lately = now - NEWS_FOR
        news = await alerts.registry_news(conn, request.member.id, lately, ROWS_A_GROUP) if pro else []
        seen = await takeovers.of_followed(conn, request.member.id, lately, ROWS_A_GROUP) if pro else []
    coming = [
        (row, found)
        for row in rows
        if row["status"] in STATUSES_OF["live"] and (found := when(row["listing"]))
    ]
    soon = [row for row, found in coming if found.near(now, SOON)]
    zone, day = time_zone(request.member.zone), today_of(request)
    today = [row for row, found in coming if found.ends > now and found.on(zone) <= day]
    first = next((row for row in today if row["listing"]["certain"]), None)
    settled = [became[name] for name in ended if name in became and became[name]["outcome"]]
    return Followed(soon[:ROWS_A_GROUP], len(today), first, settled[:ROWS_A_GROUP], total, news, seen)


def _ended_lately(row: Summary, now: datetime) -> bool:
    ends_at = row["listing"]["ends_at"]
    over = row["status"] in STATUSES_OF["archive"] and ends_at is not None
    return over and now - datetime.fromisoformat(str(ends_at)) <= ENDED_LATELY
