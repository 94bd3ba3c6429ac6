"""The three lists with the short report beside them, and what is done with their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol, TypedDict

from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.background import BackgroundTask
from starlette.responses import Response

from afterdrop.accounts.store import change_account, list_columns
from afterdrop.catalogue.lists.chosen_store import chosen
from afterdrop.catalogue.lists.filters import EVERYTHING, ListFilter, ListSelection
from afterdrop.catalogue.lists.pages import SITE_ROWS, ListPage
from afterdrop.catalogue.lists.sort_orders import Order, orders_of
from afterdrop.catalogue.shapes import AttributionJson, SiteRow
from afterdrop.catalogue.status import ListName
from afterdrop.watching import desk_store as desk
from afterdrop.watching import store as alerts_store
from afterdrop.watching.criteria import as_filter
from afterdrop.watching.desk_rules import DECISIONS, Marks, PageMemory
from afterdrop.web.actions import lists, reports, watching
from afterdrop.web.actions.checks import read_names
from afterdrop.web.actions.lists import attributions_for, lives_of
from afterdrop.web.actions.watching import remember_page
from afterdrop.web.problems import Invalid, Problem
from afterdrop.web.responses import page_meta
from afterdrop.web.site.forms import Form, own_path, whole_number
from afterdrop.web.site.list_query import (
    PATHS,
    SiteQuery,
    Tab,
    filter_name,
    filter_words,
    filters_of,
    list_options,
    list_path,
    presets,
    query_string,
    tidy_query,
    unkept_filters,
)
from afterdrop.web.site.list_rows import (
    COLUMNS,
    Column,
    RowAnnotations,
    arranged,
    columns_of,
    hunt_row,
    with_choice,
)
from afterdrop.web.site.mark_pages import MOST_NAMES, csv_file
from afterdrop.web.site.own_filters import OwnFilter, own_filters
from afterdrop.web.site.rejected_pages import rejected_match
from afterdrop.web.site.report_view import ReportValues, report_values
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.site.typed_query import typed_query
from afterdrop.web.strict_input import read_query

TITLES: Final[dict[ListName, str]] = {"live": "Live", "available": "Free now", "archive": "Archive"}
EXPORTED: Final = 1000
# The saved filters whose tabs are counted, the first by name: every count is a list of its own.
COUNTED: Final = 10
# The page's part with the rows, which follows while somebody types a filter.
FOLLOWING: Final = "pick"
# A full page: what is followed at once.
MOST_FOLLOWED: Final = 100
# The pages that chosen rows are taken to, and what their names are called there.
_LEADS: Final = {"compare": ("/compare", "d"), "check": ("/checks/bulk", "names")}


class PageUrl(Protocol):
    """Makes the address of the page with some of its query changed; None leaves a member out."""

    def __call__(self, **changes: str | int | None) -> str:
        """The address."""


class ListView(TypedDict):
    """The values that every part of a list's page needs."""

    which: ListName
    title: str
    path: str
    names: list[str]
    meta: dict[str, int]
    found: int | None
    here: PageUrl
    chips: dict[str, str]
    orders: Sequence[Order]
    sorted: bool
    filters: dict[str, str]
    named: str
    csv: str
    exported: int
    decisions: Sequence[str]


class ListNotes(TypedDict):
    """The words of a list's page besides its rows."""

    locked_note: str | None
    filter_note: str | None
    locked: int | None
    unkept: list[str]
    credits: Sequence[AttributionJson]


@dataclass(frozen=True, slots=True)
class OwnView:
    """The stored annotations of the rows, and the account's columns, tabs with counts and memory of the page.
    `held` is the filter of its own that is shown."""

    kept: RowAnnotations
    columns: Sequence[Column]
    tabs: Sequence[tuple[Tab, int | None, bool]]
    held: OwnFilter | None
    memory: PageMemory


class RefusedPanel(TypedDict):
    """Why there is no short report of a domain."""

    refused: str
    name: str


class Panel(ReportValues):
    """The short report beside a list."""

    own: Marks
    followed: bool
    name: str


async def live(request: SiteRequest) -> Response:
    """Auctions and drops that have not ended."""
    return await _list(request, "live")


async def available(request: SiteRequest) -> Response:
    """Domains that dropped and are free to register."""
    return await _list(request, "available")


async def archive(request: SiteRequest) -> Response:
    """Everything that has ended."""
    return await _list(request, "archive")


async def _list(request: SiteRequest, which: ListName) -> Response:
    part = request.part == "panel"  # the short report, which htmx asks for
    values: dict[str, str] = {}
    query, asked, status = SiteQuery(), None, 200
    rows: ListPage[SiteRow] = ListPage([], 0)
    try:
        text, values, changed = tidy_query(request.http.scope["query_string"])
        if changed and not part:
            return request.redirect(list_path(which, text))
        query = read_query(text.encode(), SiteQuery)
        async with request.context.database.read() as conn:
            asked = await asked_of(conn, request, which, query)
        rows = await request.context.lists.page(asked, query.page, query.per_page, SITE_ROWS)
    except Invalid as error:
        status = 422
        request.form = Form(errors=error.fields or {})
    request.form.values = {name: [value] for name, value in values.items()}
    view = _list_view(which, query, rows, values)
    view["found"] = rows.total if asked is None else lists.visible_total(request, asked, rows)
    panel = await _panel(request, query.open)
    if part:
        return request.page("list_part.html", part="panel", **view, panel=panel)
    own = await _own_view(request, which, rows.rows, query.saved)
    page = request.page(
        "list.html",
        status,
        **view,
        **_notes(request, query, asked, rows),
        options=list_options(
            which, await request.context.lists.occurring(lists.selection(request, which).at), values
        ),
        panel=panel,
        rows=[hunt_row(row, own.kept, request.now, query.open or "") for row in rows.rows],
        **await _beyond(request, query.q, asked, rows),
        unread=typed_query(values.get("q", "")).unread,
        columns=own.columns,
        tabs=own.tabs,
        held=own.held,
    )
    if request.part != FOLLOWING:  # what flies past while somebody types is not seen
        page.background = BackgroundTask(
            remember_page, request, own.memory
        )  # its reader need not wait for that
    return page


async def _beyond(
    request: SiteRequest, q: str | None, asked: ListSelection | None, rows: ListPage[SiteRow]
) -> dict[str, object]:
    """The parts of a page about rows it lacks: how to widen an empty list, what was rejected, what Pro adds."""
    empty = not rows.total
    return {
        "masked": await request.context.lists.locked(asked, lists.MASKED) if asked and rows.locked else [],
        "wider": await lists.wider_lists(request, asked) if asked and empty else [],
        "rejected": await rejected_match(request, q) if empty else ((), 0),
    }


async def asked_of(
    conn: AsyncConnection, request: SiteRequest, which: ListName, query: SiteQuery
) -> ListSelection:
    """The list asked of the catalogue: the query, with the names that tags, visits and rejections stand for."""
    account, known, values = request.member, request.own_names, query.asked()
    if "tag" in values:
        values["tag"] = await desk.tagged(conn, account.id, values["tag"])
    # Each kind of names is read once in a request.
    if values.get("unseen"):
        if "unseen" not in known:
            known["unseen"] = await desk.seen_before(conn, account.id, request.now)
        values["unseen"] = known["unseen"]
    if values.get("unrejected"):
        if "unrejected" not in known:
            known["unrejected"] = await desk.rejected(conn, account.id)
        values["unrejected"] = known["unrejected"]
    values |= query.days(account.zone)
    return lists.selection(request, which, ListFilter.of(**values), query.order())


async def asked_by(conn: AsyncConnection, request: SiteRequest, own: OwnFilter) -> ListSelection:
    """The list that a filter of the account asks of the catalogue. Raises Invalid for one that is none any more."""
    if own.criteria is not None:
        return lists.selection(request, "live", as_filter(own.criteria))
    return await asked_of(conn, request, own.which, read_query((own.query or "").encode(), SiteQuery))


def _list_view(
    which: ListName, query: SiteQuery, rows: ListPage[SiteRow], values: Mapping[str, str]
) -> ListView:
    def here(**changes: str | int | None) -> str:
        merged = {name: value for name, value in {**values, **changes}.items() if value is not None}
        return list_path(which, query_string(merged))

    filters = filters_of(values)
    return {
        "which": which,
        "title": TITLES[which],
        "path": PATHS[which],
        "names": [row["domain"] for row in rows.rows],
        "meta": page_meta(rows.total, query.page, query.per_page),
        "found": rows.total,
        "here": here,
        "chips": filter_words(filters),
        "orders": orders_of(which, query.order()),
        "sorted": "sort" in values,
        "filters": filters,
        "named": filter_name(query_string(values)) if filters else "",
        "csv": f"/csv/{which}" + (f"?{query_string(values)}" if values else ""),
        "exported": EXPORTED,
        "decisions": DECISIONS,
    }


def _notes(
    request: SiteRequest, query: SiteQuery, asked: ListSelection | None, rows: ListPage[SiteRow]
) -> ListNotes:
    wanted, locked = EVERYTHING if asked is None else asked.wanted, rows.locked
    note = None if locked is None else lists.locked_note(locked, trust_flow=wanted.needs_full)
    return {
        "locked_note": note,
        "locked": locked,
        "filter_note": lists.filter_note(request, wanted, rows),
        "unkept": unkept_filters(query),
        "credits": attributions_for(request),
    }


async def _own_view(
    request: SiteRequest, which: ListName, rows: Sequence[SiteRow], saved: str | None
) -> OwnView:
    account, names = request.member, [row["domain"] for row in rows]
    lives = await lives_of(request, rows)
    async with request.context.database.read() as conn:
        memory = await desk.memory(conn, account.id, names, request.now)
        kept = RowAnnotations(
            lives,
            await alerts_store.watched_among(conn, account.id, names),
            await desk.marks(conn, account.id, names),
            memory.before,
        )
        columns = columns_of(await list_columns(conn, account.id), which)
        mine = await own_filters(conn, account.id)
        usual = presets(which, request.now, account.zone, memory.visit.previous_at)
        tabs, asked = [*usual, *(tab for each in mine if (tab := each.tab))], {}
        for at, tab in enumerate(tabs[: len(usual) + COUNTED]):
            with suppress(Invalid):
                query = read_query(query_string(tab.values).encode(), SiteQuery)
                asked[at] = await asked_of(conn, request, tab.which, query)
    totals = dict(zip(asked, await lists.visible_totals(request, list(asked.values())), strict=True))
    counted = [(tab, totals.get(at), at in totals) for at, tab in enumerate(tabs)]
    held = next((each for each in mine if each.name == saved), None)
    return OwnView(kept, columns, counted, held, memory)


async def _panel(request: SiteRequest, name: str | None) -> Panel | RefusedPanel | None:
    """The short report beside the list; a refusal in words for a domain that the account may not see."""
    if not name:
        return None
    try:
        report = await reports.report(request, name)
    except (Problem, Invalid) as problem:
        return {"refused": problem.message, "name": name}
    async with request.context.database.read() as conn:
        own = await desk.marked(conn, request.member.id, report["domain"])
        followed = await alerts_store.watches_domain(conn, request.member.id, report["domain"])
    return {
        **report_values(report, request.now, {}),
        "own": own,
        "followed": followed,
        "name": report["domain"],
    }


async def export(request: SiteRequest) -> Response:
    """The list as CSV, in its order, at most 1,000 rows."""
    request.count("form")  # a whole file costs as much as a form
    which: ListName = request.http.path_params["which"]
    text, _, _ = tidy_query(request.http.scope["query_string"])
    query = read_query(text.encode(), SiteQuery)
    async with request.context.database.read() as conn:
        asked = await asked_of(conn, request, which, query)
    page = await request.context.lists.page(asked, 1, EXPORTED, SITE_ROWS)
    return await _csv(request, which, page.rows)


async def _csv(request: SiteRequest, name: str, rows: Sequence[SiteRow]) -> Response:
    async with request.context.database.read() as conn:
        marks = await desk.marks(conn, request.member.id, [row["domain"] for row in rows])
    return csv_file(request, name, rows, marks)


async def pick(request: SiteRequest) -> Response:
    """A list's action on chosen rows (`d`): follow, unfollow, compare, check, CSV, names; or with a row's star."""
    form = request.form
    for deed in ("follow", "unfollow"):
        if form.text(deed):
            return await _star(request, form.text(deed), deed == "follow")
    names, _ = read_names(form.all("d")[:MOST_NAMES], request.sale_zones)
    do = form.text("do")
    if do in _LEADS:
        page, name = _LEADS[do]
        return request.redirect(f"{page}?" + query_string({name: ",".join(names)}))
    if do == "names":
        return Response("".join(f"{name}\n" for name in names), media_type="text/plain")
    if do == "csv":
        async with request.context.database.read() as conn:
            rows = await chosen(conn, names, request.viewer, request.now, request.context.links)
        return await _csv(request, "chosen", [row for name in names if (row := rows.get(name))])
    if do in ("follow", "unfollow"):
        await _follow(request, names, do == "follow")
    return _back(request)


async def _follow(request: SiteRequest, names: list[str], follow: bool) -> None:
    if len(names) > MOST_FOLLOWED:
        raise Invalid({"d": [f"follow at most {MOST_FOLLOWED} domains at once"]})
    if follow:
        await watching.watch_all(request, names)
        return
    for name in names:
        await watching.unwatch(request, name)


async def _star(request: SiteRequest, name: str, follow: bool) -> Response:
    await (watching.watch if follow else watching.unwatch)(request, name)
    if request.part:
        return request.page("list_part.html", part="star", name=name, followed=follow)
    return _back(request)


def _back(request: SiteRequest) -> Response:
    return request.redirect(own_path(request.form.text("back"), "/domains"))


async def keep_columns(request: SiteRequest) -> Response:
    """Keep the account's choice and order of a list's columns; `do=reset` gives the default back."""
    form = request.form
    which: ListName = next((name for name in PATHS if name == form.text("list")), "live")
    places = {key: whole_number(form.text(f"at-{key}")) or len(COLUMNS) for key in COLUMNS}
    ticked = [] if form.text("do") == "reset" else arranged(form.all("c"), places)
    async with request.context.database.write() as conn:
        kept = await list_columns(conn, request.member.id)
        await change_account(conn, request.member.id, list_columns=with_choice(kept, which, ticked))
    return _back(request)
