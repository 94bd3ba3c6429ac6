"""The report of a domain, its revival kit, watching it with a note, and the watchlist."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from starlette.responses import Response

from afterdrop.catalogue.kit_shapes import PageJson
from afterdrop.catalogue.purchase import marketplace
from afterdrop.catalogue.status import BECAME, Became
from afterdrop.core.errors import AfterdropError
from afterdrop.core.plan_limits import MOST_UNLISTED
from afterdrop.watching import desk_store as desk
from afterdrop.watching import store, takeovers, watchlist
from afterdrop.watching.desk_rules import DECISIONS, UNMARKED, note_of
from afterdrop.web.actions import lookups, reports, watching
from afterdrop.web.actions.checks import pasted_names
from afterdrop.web.actions.lists import attributions_for
from afterdrop.web.problems import Problem, not_found
from afterdrop.web.responses import page_meta
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import RequestModel
from afterdrop.web.site import labels
from afterdrop.web.site.downloads import calendar_entry, kit_zip
from afterdrop.web.site.forms import own_path
from afterdrop.web.site.mark_pages import csv_file
from afterdrop.web.site.owners_view import Kit, kit_choices
from afterdrop.web.site.rejected_pages import one_rejected
from afterdrop.web.site.report_view import report_values
from afterdrop.web.site.site_request import SiteRequest, attachment
from afterdrop.web.site.templates import moment
from afterdrop.web.strict_input import path_domain, read_query

KIT_PAGES: Final = 20
PER_PAGE: Final = 50
_KIT: Final = re.compile(r"[1-9][0-9]{0,2}")


def provider_titles(request: SiteRequest) -> dict[str, str]:
    """The names that people read for providers of link figures."""
    return {spec.name: spec.file.title for spec in request.context.providers}


async def keep_note(request: SiteRequest) -> Response:
    """Keep the account's note on a domain."""
    name = _named(request)
    try:
        note = note_of(request.form.text("note"))
        async with request.context.database.write() as conn:
            await desk.write_note(conn, request.member.id, name, note, request.now)
    except AfterdropError as error:
        request.form = request.form.refused(error, "note")
        return await (
            _watchlist(request, None, name, error.status)
            if _from_list(request)
            else report(request, error.status)
        )
    return request.redirect("/account/watchlist" if _from_list(request) else f"/domains/{name}")


def _named(request: SiteRequest) -> str:
    return path_domain(request.http.path_params["domain"], request.sale_zones)


def _from_list(request: SiteRequest) -> bool:
    return request.form.text("from") == "watchlist"


async def report(request: SiteRequest, status: int = 200) -> Response:
    """The report as the account sees it; `kit` of the query chooses the owner whose old pages are shown."""
    name = _named(request)
    if name != request.http.path_params["domain"] and request.http.method != "POST":
        return request.redirect(f"/domains/{name}")
    try:
        listed = await reports.report(request, name)
    except Problem as problem:
        told = await one_rejected(request, name) if problem.code == "not_found" else None
        if told is None:
            raise
        return told
    async with request.context.database.read() as conn:
        watched = await store.watches_domain(conn, request.member.id, name)
        marks = await desk.marked(conn, request.member.id, name)
        confirmation = await request.context.confirmation(conn, name)
    pages: Sequence[PageJson] = ()
    kits: Sequence[Kit] = ()
    if listed["detail"] == "full":
        kits = kit_choices(listed, _chosen_kit(request))
        pages = await _kit_pages(request, name, kits)
    settings = request.context.settings
    looks = settings.live.pages if settings.live.links and settings.contact else 0
    own = {
        "pages": pages,
        "looks_at": looks,
        "kits": kits,
        "watched": watched,
        "marks": marks,
        "decisions": DECISIONS,
        "credits": attributions_for(request),
        "confirmation": confirmation,
    }
    values = report_values(listed, request.now, provider_titles(request))
    return request.page("report.html", status, **values, **own)


async def registration(request: SiteRequest) -> Response:
    """What the registry says of the name, as a part of its report."""
    listed = await reports.report(request, _named(request))
    if listed["detail"] != "full":
        raise not_found("Its registration is part of the full report.")
    record = await lookups.listed_registration(request, listed["domain"])
    return request.page("registration.html", record=record)


async def calendar(request: SiteRequest) -> Response:
    """The end of a running listing, for a calendar."""
    name = _named(request)
    listed = await reports.report(request, name)
    ends_at = moment(listed["listing"]["ends_at"])
    if ends_at is None or ends_at <= request.now:
        raise not_found("This listing has no end still to come.")
    text = calendar_entry(listed, marketplace(listed), request.now)
    return attachment(text, "text/calendar", f"{name}.ics")


async def download_kit(request: SiteRequest) -> Response:
    """The texts of one owner's old pages as a zip."""
    name = _named(request)
    listed = await reports.report(request, name)
    kits = kit_choices(listed, _chosen_kit(request)) if listed["detail"] == "full" else ()
    pages = await _kit_pages(request, name, kits)
    years = next((f"-{kit.years.replace('–', '-')}" for kit in kits if kit.chosen), "")
    return attachment(kit_zip(name, pages), "application/zip", f"{name}-pages{years}.zip")


def _chosen_kit(request: SiteRequest) -> int | None:
    """The owner that the query chooses; None where it chooses none."""
    chosen = request.http.query_params.get("kit", "")
    return int(chosen) if _KIT.fullmatch(chosen) else None


async def _kit_pages(request: SiteRequest, name: str, kits: Sequence[Kit]) -> Sequence[PageJson]:
    era = next((kit.era for kit in kits if kit.chosen), None)
    pages, _ = await reports.revival_kit(request, name, page=1, per_page=KIT_PAGES, content=True, era=era)
    return pages


async def watch(request: SiteRequest) -> Response:
    """Follow the domain; one that is on no list only where the form says `any`."""
    name = _named(request)
    if request.form.has("any"):
        await watching.follow(request, [name])
    else:
        await watching.watch(request, name)
    return request.redirect(own_path(request.form.text("back"), f"/domains/{name}"))


async def unwatch(request: SiteRequest) -> Response:
    """Stop watching it."""
    name = _named(request)
    await watching.unwatch(request, name)
    here = f"/account/watchlist?unfollowed={name}" if _from_list(request) else f"/domains/{name}"
    return request.redirect(own_path(request.form.text("back"), here))


class WatchlistQuery(RequestModel):
    """The query string of the watchlist."""

    outcome: Became | None = None
    unfollowed: str = ""
    page: v.QueryPage = 1


async def watchlist_page(request: SiteRequest) -> Response:
    """The watched domains with their store, all or those of which one thing became."""
    asked = read_query(request.http.scope["query_string"], WatchlistQuery)
    return await _watchlist(request, asked.outcome, page=asked.page)


async def follow(request: SiteRequest) -> Response:
    """Follow the names that somebody wrote, on the lists or not."""
    try:
        await watching.follow_written(request, pasted_names(request.form.text("names"), MOST_UNLISTED))
    except AfterdropError as error:
        request.form = request.form.refused(error, "names")
        return await _watchlist(request, status=error.status)
    return request.redirect("/account/watchlist")


async def watchlist_file(request: SiteRequest) -> Response:
    """The watchlist as CSV, with tags and notes."""
    request.count("form")  # a whole file costs as much as a form
    async with request.context.database.read() as conn:
        rows = await watchlist.watchlist(conn, request.viewer, request.now, request.context.links)
        marks = await desk.marks(conn, request.member.id)
    return csv_file(request, "watchlist", rows, marks)


async def _watchlist(
    request: SiteRequest, outcome: Became | None = None, refused: str = "", status: int = 200, page: int = 1
) -> Response:
    """The page; `refused` is the domain whose note (in the form) was not taken, `page` that of names on no list."""
    every = await watching.watched_rows(request)
    async with request.context.database.read() as conn:
        names = [row["domain"] for row in every]
        marks = await desk.marks(conn, request.member.id, names)
        states = await watchlist.registry_states(conn, request.viewer, names)
        total = await store.count_watches(conn, request.member.id)
        unlisted = await watchlist.unlisted(conn, request.viewer, PER_PAGE, (page - 1) * PER_PAGE)
        shown = [*names, *(name for name, _ in unlisted)] if request.plan == "pro" else []
        stands = await takeovers.stands_at(conn, request.member.id, shown)
    became = [row["outcome"]["became"] if row["outcome"] else None for row in every]
    rows = [row for row, what in zip(every, became, strict=True) if outcome in (None, what)]
    values = {
        "marks": marks,
        "unmarked": UNMARKED,
        "refused": refused,
        "credits": attributions_for(request),
        "unfollowed": _unfollowed(request),
        "watched": len(every),
        "states": states,
        "unlisted": unlisted,
        "meta": page_meta(total - len(every), page, PER_PAGE),
        "most_unlisted": watchlist.most_unlisted(request.viewer, request.limits),
        "stages": labels.STAGES,
        "stands": {name: labels.AFTER_LIVES[row["kind"] or "unclear"] for name, row in stands.items()},
        "outcome": outcome,
        "counts": {what: became.count(what) for what in BECAME if what in became},
        "words": labels.OUTCOMES,
    }
    return request.page("watchlist.html", status, rows=rows, **values)


def _unfollowed(request: SiteRequest) -> str:
    """The domain that is no longer followed since the request before; empty for none."""
    gone = request.http.query_params.get("unfollowed", "")
    with suppress(Problem):
        return path_domain(gone, request.sale_zones) if gone else ""
    return ""
