"""The three lists: live, available, archive; and the short report beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.background import BackgroundTask
from starlette.responses import Response

from afterdrop.accounts.store import list_columns
from afterdrop.alerts import store as alerts_store
from afterdrop.catalogue.filters import ListFilter, order_of
from afterdrop.catalogue.lists import ListPage
from afterdrop.catalogue.purchase import marketplace
from afterdrop.catalogue.status import ListName
from afterdrop.catalogue.summary import SiteRow
from afterdrop.desk import store as desk
from afterdrop.desk.rules import DECISIONS, PageMemory
from afterdrop.metrics.values import TOPICS
from afterdrop.web.actions import domains
from afterdrop.web.actions.desk import lives_of, remember_page
from afterdrop.web.actions.domains import Asked
from afterdrop.web.problems import Invalid, Problem
from afterdrop.web.responses import page_meta
from afterdrop.web.schemas import values as v
from afterdrop.web.site.attributions import attributions_for
from afterdrop.web.site.forms import Form
from afterdrop.web.site.list_columns import COLUMNS, columns_of
from afterdrop.web.site.list_query import (
    SiteQuery,
    filter_words,
    filters_of,
    foreign_langs,
    query_string,
    rule_name,
    tidy_query,
    unkept_filters,
)
from afterdrop.web.site.list_rows import Kept, hunt_row
from afterdrop.web.site.list_tabs import PATHS, presets, saved_tabs
from afterdrop.web.site.report_view import report_values
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_query

TITLES: Final[dict[ListName, str]] = {"live": "Live", "available": "Free now", "archive": "Archive"}
EXPORTED: Final = 1000
# The saved filters whose tabs are counted, the first by name: every count is a list of its own.
COUNTED: Final = 10
# What htmx asks for: the short report, and the count while somebody types.
PARTS: Final = ("panel", "count")


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
    part = request.part if request.part in PARTS else ""
    values: dict[str, str] = {}
    query, asked, status = SiteQuery(), None, 200
    found: ListPage[SiteRow] = ListPage([], 0)
    try:
        text, values, changed = tidy_query(request.http.scope["query_string"])
        if changed and not part:
            return request.redirect(PATHS[which] + (f"?{text}" if text else ""))
        query = read_query(text.encode(), SiteQuery)
        async with request.context.database.read() as conn:
            asked = await asked_of(conn, request, which, query)
        found = await domains.site_page(request, asked, query.page, query.per_page)
    except Invalid as error:
        status = 422
        request.form = Form(errors=error.fields or {})
    request.form.values = {name: [value] for name, value in values.items()}
    shown = _shown(which, query, found, values)
    if part == "count":
        return request.page("list_part.html", part=part, **shown)
    shown["panel"] = await _panel(request, query.open)
    if part:
        return request.page("list_part.html", part=part, **shown)
    kept, own, remembered = await _kept(request, which, found.rows)
    shown["rows"] = [hunt_row(row, kept, request.now, query.open or "") for row in found.rows]
    shown["wider"] = await domains.wider_lists(request, asked) if asked and not found.total else []
    page = request.page("list.html", status, **shown, **own, **_notes(request, query, asked, found))
    page.background = BackgroundTask(remember_page, request, remembered)  # its reader need not wait for that
    return page


async def asked_of(conn: AsyncConnection, request: SiteRequest, which: ListName, query: SiteQuery) -> Asked:
    """What the catalogue is asked for: the query, with the names that tags, visits and rejections stand for."""
    account = request.member
    without = await _left_out(conn, request, query)
    only = await desk.tagged(conn, account.id, query.tag) if query.tag else None
    wanted = replace(
        domains.list_filter(query),
        min_cf=query.min_cf or None,
        min_age=query.min_age or None,
        min_bids=query.min_bids or None,
        max_bids=query.max_bids,
        unpriced=not query.priced,
        sources=frozenset(query.source or ()),
        outcomes=frozenset(query.outcome or ()),
        ends_before=query.ends_before(account.zone),
        drops_on=query.drops_on,
        only=None if only is None else frozenset(only),
        without=frozenset(without),
    )
    return Asked(which, wanted, query.order())


async def _left_out(conn: AsyncConnection, request: SiteRequest, query: SiteQuery) -> set[str]:
    """The names that `unseen` and `unrejected` leave out; each kind is read once in a request."""
    known, account, without = request.own_names, request.member, set[str]()
    if query.unseen:
        if "seen" not in known:
            known["seen"] = await desk.seen_before(conn, account.id, request.now)
        without |= known["seen"]
    if query.unrejected:
        if "rejected" not in known:
            known["rejected"] = await desk.rejected(conn, account.id)
        without |= known["rejected"]
    return without


def _shown(
    which: ListName, query: SiteQuery, found: ListPage[SiteRow], values: Mapping[str, str]
) -> dict[str, Any]:
    """What every part of the page needs."""

    def here(**changes: Any) -> str:
        merged = {name: value for name, value in {**values, **changes}.items() if value is not None}
        return PATHS[which] + (f"?{query_string(merged)}" if merged else "")

    filters = filters_of(values)
    return {
        "which": which,
        "title": TITLES[which],
        "path": PATHS[which],
        "names": [row["domain"] for row in found.rows],
        "meta": page_meta(found.total, query.page, query.per_page),
        "here": here,
        "chips": filter_words(filters),
        "order": order_of(which, query.order()),
        "filters": filters,
        "csv": f"/csv/{which}" + (f"?{query_string(values)}" if values else ""),
        "exported": EXPORTED,
        "decisions": DECISIONS,
    }


def _notes(
    request: SiteRequest, query: SiteQuery, asked: Asked | None, found: ListPage[SiteRow]
) -> dict[str, Any]:
    """What the page says besides its rows, and the choices in its filters."""
    wanted, locked = ListFilter.of() if asked is None else asked.wanted, found.locked
    note = None if locked is None else domains.locked_note(locked, trust_flow=wanted.needs_full)
    places = {row["listing"]["source"]: marketplace(row) for row in found.rows if row["listing"]["source"]}
    places |= {source: source for source in query.source or () if source not in places}
    return {
        "locked_note": note,
        "filter_note": domains.filter_note(request, wanted, found),
        "rule_name": rule_name(query),
        "unkept": unkept_filters(query),
        "foreign_langs": foreign_langs(query),
        "credits": attributions_for(request),
        "choices": {
            "type": v.LISTING_TYPES,
            "topic": TOPICS,
            "lang": v.LANGS,
            "columns": list(COLUMNS.values()),
            "source": sorted(places.items(), key=lambda each: each[1]),
        },
    }


async def _kept(
    request: SiteRequest, which: ListName, rows: Sequence[SiteRow]
) -> tuple[Kept, dict[str, Any], PageMemory]:
    """What is stored about the rows, the account's columns and tabs with their counts, and its memory of the page."""
    account, names = request.member, [row["domain"] for row in rows]
    shown_lives = await lives_of(request, rows)
    async with request.context.database.read() as conn:
        remembered = await desk.memory(conn, account.id, names, request.now)
        kept = Kept(
            shown_lives,
            set(await alerts_store.watched_domains(conn, account.id)),
            await desk.marks(conn, account.id, names),
            remembered.before,
        )
        columns = columns_of(await list_columns(conn, account.id), which)
        saved = await desk.filters_of(conn, account.id)
        mine = saved_tabs((each["name"], each["list"], each["query"]) for each in saved)
        usual = presets(which, request.now, account.zone, remembered.visit.previous_at)
        tabs, asked = [*usual, *mine], {}
        for at, tab in enumerate(tabs[: len(usual) + COUNTED]):
            with suppress(Invalid):
                query = read_query(query_string(tab.values).encode(), SiteQuery)
                asked[at] = await asked_of(conn, request, tab.which, query)
    totals = dict(zip(asked, await domains.list_totals(request, list(asked.values())), strict=True))
    tabs_counted = [(tab, totals.get(at)) for at, tab in enumerate(tabs)]
    return kept, {"columns": columns, "tabs": tabs_counted}, remembered


async def _panel(request: SiteRequest, name: str | None) -> dict[str, Any] | None:
    """The short report beside the list; a refusal in words for a domain that the account may not see."""
    if not name:
        return None
    try:
        found = await domains.report(request, name)
    except (Problem, Invalid) as problem:
        return {"refused": problem.message, "name": name}
    async with request.context.database.read() as conn:
        own = await desk.marked(conn, request.member.id, found["domain"])
        followed = await alerts_store.watches_domain(conn, request.member.id, found["domain"])
    return {
        **report_values(found, request.now, {}),
        "own": own,
        "followed": followed,
        "name": found["domain"],
    }
