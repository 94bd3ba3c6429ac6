"""The desk of an account: what is new, what ends and what drops soon; and the first steps of a new account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from starlette.responses import Response

from afterdrop.accounts import store as accounts
from afterdrop.catalogue.availability.store import ChangeRow
from afterdrop.catalogue.drops import Drop, countdown, drops, when
from afterdrop.catalogue.lists.chosen_store import chosen
from afterdrop.catalogue.lists.comparisons import Days
from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.lists.pages import ListPage
from afterdrop.catalogue.shapes import SiteRow, Summary
from afterdrop.catalogue.status import STATUSES_OF
from afterdrop.catalogue.visits import VisitRow
from afterdrop.core.time_zones import time_zone
from afterdrop.watching import desk_store as store
from afterdrop.watching import rules, takeovers, watchlist
from afterdrop.watching import store as alerts
from afterdrop.watching.criteria import restricting
from afterdrop.watching.desk_rules import Visit
from afterdrop.watching.rules import Preview
from afterdrop.watching.store import MatchesWanted
from afterdrop.web import account_export
from afterdrop.web.actions import lists, watching
from afterdrop.web.actions.account import account_usage, source_health
from afterdrop.web.actions.lists import MOST_DROPS, Asked, attributions_for, dropping, lives_of, new_in
from afterdrop.web.actions.watching import remember_page
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.schemas.rules import NewRule
from afterdrop.web.site.downloads import drop_entry
from afterdrop.web.site.forms import Form, validated, whole_number
from afterdrop.web.site.list_pages import asked_of, filter_path, filter_values, query_of
from afterdrop.web.site.list_query import (
    SiteQuery,
    filters_of,
    query_string,
    rule_members,
    rule_name,
    tidy_query,
    unkept_filters,
)
from afterdrop.web.site.site_request import SiteRequest, attachment
from afterdrop.web.strict_input import read_query

SHOWN: Final = 5
# What the first filter may hold; the lists have more.
FIELDS: Final = ("q", "tld", "min_score", "min_tf", "max_price", "lang")
MAILS: Final = ("mail_alerts", "mail_watches", "mail_weekly")
DAYS: Final = 7
FOLLOWED: Final = "followed"
_DAY: Final = timedelta(days=1)
ROWS_A_GROUP: Final = 5
MOST_GROUPS: Final = 8
MOST_MATCHES: Final = 50
SOON: Final = timedelta(hours=72)
ENDED_LATELY: Final = timedelta(days=7)
NEWS_FOR: Final = timedelta(days=7)
# Before the first visit, what was found within a day is new.
_FIRST_VISIT: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class FirstFilter:
    """What the filter in the address matches now: its query and name, and the first domains with their lives."""

    page: ListPage[SiteRow]
    query: str
    name: str
    lives: Mapping[str, str]


async def start(request: SiteRequest) -> Response:
    """The three steps: what is done, and the next one with what it would bring."""
    async with request.context.database.read() as conn:
        saved = await store.filters_of(conn, request.member.id)
        kept = await account_export.account_row(conn, request.member.id)
        alert_rules = await rules.list_rules(conn, request.member.id)
    first, status = await _first_filter(request)
    newest = max(saved, key=lambda each: each["saved_at"], default=None)
    held = filters_of(filter_values(newest)) if newest is not None else {}
    return request.page(
        "start.html",
        status,
        saved=saved,
        newest=newest,
        rules=alert_rules,
        kept=kept,
        found=first and first.page,
        query=first.query if first else "",
        name=first.name if first else "",
        lives=first.lives if first else {},
        held=held,
        told=await _rule_preview(request, held) if newest is not None else None,
        used=await account_usage(request),
        credits=attributions_for(request),
    )


async def keep_mails(request: SiteRequest) -> Response:
    """Switch the mails on or off; back to the steps."""
    switches = {name: request.form.has(name) for name in MAILS}
    async with request.context.database.write() as conn:
        await accounts.change_account(conn, request.member.id, **switches)
    return request.redirect("/start#send")


async def _first_filter(request: SiteRequest) -> tuple[FirstFilter | None, int]:
    """The filter, and the status of the page; None before a filter was given, and for one that is wrong."""
    try:
        _, values, _ = tidy_query(request.http.scope["query_string"])
        values = {name: value for name, value in values.items() if name in FIELDS}
        request.form.values = {name: [value] for name, value in values.items()}
        if not values:
            return None, 200
        query = read_query(query_string(values).encode(), SiteQuery)
    except Invalid as error:
        request.form = Form(request.form.values, error.fields or {})
        return None, 422
    async with request.context.database.read() as conn:
        asked = await asked_of(conn, request, "live", query)
    page = await lists.site_page(request, asked, 1, SHOWN)
    lives = await lives_of(request, page.rows)
    return FirstFilter(page, query_string(values), rule_name(query), lives), 200


async def _rule_preview(request: SiteRequest, held: dict[str, str]) -> Preview | None:
    """What a rule with this filter would have matched; None where rules cannot hold it, or are not in the plan."""
    if request.plan != "pro":
        return None
    try:
        asked = read_query(query_string(held).encode(), SiteQuery)
        if unkept_filters(asked):
            return None
        members = rule_members(asked)
        criteria = restricting(validated(members, NewRule).model_dump())
    except Invalid:
        return None
    request.count("form")  # it costs as much as the preview of a rule
    return await watching.rule_preview(request, criteria)


async def drops_page(request: SiteRequest) -> Response:
    """One day's names, or the followed ones of all days."""
    today = today_of(request)
    followed = await _followed_drops(request)
    days = [today + each * _DAY for each in range(DAYS)]
    totals = await lists.told_totals(request, [dropping(_days(request, day)) for day in days])
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
    return drops((await lists.site_page(request, dropping(days), 1, MOST_DROPS)).rows)


async def _followed_drops(request: SiteRequest) -> list[Drop]:
    """The followed names that are about to drop and that the reader may see."""
    async with request.context.database.read() as conn:
        names = await alerts.published_watches(conn, request.member.id)
        seen = await chosen(conn, names, request.viewer, request.now, request.context.links)
    return drops(seen.values())


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
        saved = await store.filters_of(conn, request.member.id)
    visit = remembered.visit
    since = _since(visit, request.now)
    groups = await _new_groups(request, saved, since)
    followed = await _followed(request)
    rows = [*(row for group in groups for row in group.rows), *followed.soon]
    today = today_of(request)
    dropping_today = await drops_of(request, today)
    [dropping_total] = await lists.told_totals(request, [dropping(_days(request, today))])
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
            page = await new_in(request, asked, since, ROWS_A_GROUP)
            total = lists.told_total(request, asked, page)
            groups.append(Group(each["name"], filter_path(each), page.rows, total))
    groups += await _matches(request, since, {row["domain"] for group in groups for row in group.rows})
    if not groups:
        everything = Asked("live", ListFilter.of())
        page = await new_in(request, everything, since, ROWS_A_GROUP)
        total = lists.told_total(request, everything, page)
        groups = [Group("All new domains", "/domains?sort=newest", page.rows, total)]
    return groups


async def _matches(request: SiteRequest, since: datetime, listed: set[str]) -> list[Group]:
    if request.plan != "pro":
        return []
    async with request.context.database.read() as conn:
        matches = await rules.list_matches(
            conn, request.viewer, request.now, request.context.links, MatchesWanted(since, limit=MOST_MATCHES)
        )
    rows: dict[tuple[int, str], list[Summary]] = {}
    for match in matches.rows:
        if match["domain"]["domain"] not in listed:
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
