"""The report of a domain, its revival kit, watching it with a note, and the watchlist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from starlette.responses import Response

from afterdrop.alerts import store, watchlist
from afterdrop.catalogue.purchase import marketplace
from afterdrop.catalogue.status import BECAME, Became
from afterdrop.core.errors import AfterdropError
from afterdrop.desk import store as desk
from afterdrop.desk.rules import DECISIONS, UNMARKED, note_of
from afterdrop.web.actions import domains
from afterdrop.web.paths import path_domain
from afterdrop.web.problems import Problem, not_found
from afterdrop.web.schemas.envelope import RequestModel
from afterdrop.web.site import labels
from afterdrop.web.site.attributions import attributions_for
from afterdrop.web.site.calendar_entry import calendar_entry
from afterdrop.web.site.downloads import kit_zip
from afterdrop.web.site.forms import own_path
from afterdrop.web.site.mark_pages import csv_file
from afterdrop.web.site.report_view import report_values
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.site.templates import moment
from afterdrop.web.strict_input import read_query

KIT_PAGES: Final = 20


def provider_titles(request: SiteRequest) -> dict[str, str]:
    """The names that people read for providers of link figures."""
    return {spec.name: spec.file.title for spec in request.context.providers}


async def report(request: SiteRequest) -> Response:
    """The report as the account sees it."""
    return await _report(request)


async def keep_note(request: SiteRequest) -> Response:
    """Keep the account's note on a domain."""
    name = path_domain(request.http.path_params["domain"], request.sale_zones)
    try:
        note = note_of(request.form.text("note"))
        async with request.context.database.write() as conn:
            await desk.write_note(conn, request.member.id, name, note, request.now)
    except AfterdropError as error:
        request.form = request.form.refused(error, "note")
        return await (
            _watchlist(request, None, name, error.status)
            if _from_list(request)
            else _report(request, error.status)
        )
    return request.redirect("/account/watchlist" if _from_list(request) else f"/domains/{name}")


def _from_list(request: SiteRequest) -> bool:
    return request.form.text("from") == "watchlist"


async def _report(request: SiteRequest, status: int = 200) -> Response:
    named = request.http.path_params["domain"]
    name = path_domain(named, request.sale_zones)
    if name != named and request.http.method != "POST":
        return request.redirect(f"/domains/{name}")
    found = await domains.report(request, name)
    async with request.context.database.read() as conn:
        watched = await store.watches_domain(conn, request.member.id, name)
        marks = await desk.marked(conn, request.member.id, name)
    pages: Sequence[Mapping[str, Any]] = ()
    if found["detail"] == "full":
        pages, _ = await domains.revival_kit(request, name, page=1, per_page=KIT_PAGES, content=True)
    own = {
        "pages": pages,
        "watched": watched,
        "marks": marks,
        "decisions": DECISIONS,
        "credits": attributions_for(request),
    }
    values = report_values(found, request.now, provider_titles(request))
    return request.page("report.html", status, **values, **own)


async def calendar(request: SiteRequest) -> Response:
    """The end of a running listing, for a calendar."""
    name = path_domain(request.http.path_params["domain"], request.sale_zones)
    found = await domains.report(request, name)
    ends_at = moment(found["listing"]["ends_at"])
    if ends_at is None or ends_at <= request.now:
        raise not_found("This listing has no end still to come.")
    text = calendar_entry(name, ends_at, marketplace(found), found["report_url"], request.now)
    return Response(
        text,
        media_type="text/calendar",
        headers={"Content-Disposition": f'attachment; filename="{name}.ics"'},
    )


async def download_kit(request: SiteRequest) -> Response:
    """The old pages' texts as a zip."""
    name = path_domain(request.http.path_params["domain"], request.sale_zones)
    pages, _ = await domains.revival_kit(request, name, page=1, per_page=KIT_PAGES, content=True)
    return Response(
        kit_zip(name, pages),
        media_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{name}-pages.zip"'},
    )


async def watch(request: SiteRequest) -> Response:
    """Watch the domain."""
    name = path_domain(request.http.path_params["domain"], request.sale_zones)
    await domains.watch(request, name)
    return request.redirect(own_path(request.form.text("back"), f"/domains/{name}"))


async def unwatch(request: SiteRequest) -> Response:
    """Stop watching it."""
    name = path_domain(request.http.path_params["domain"], request.sale_zones)
    await domains.unwatch(request, name)
    here = f"/account/watchlist?unfollowed={name}" if _from_list(request) else f"/domains/{name}"
    return request.redirect(own_path(request.form.text("back"), here))


class WatchlistQuery(RequestModel):
    """The query string of the watchlist."""

    outcome: Became | None = None
    unfollowed: str = ""


async def watchlist_page(request: SiteRequest) -> Response:
    """The watched domains with their store, all or those of which one thing became."""
    asked = read_query(request.http.scope["query_string"], WatchlistQuery)
    return await _watchlist(request, asked.outcome)


async def watchlist_file(request: SiteRequest) -> Response:
    """The watchlist as CSV, with tags and notes."""
    request.count("form")  # a whole file costs as much as a form
    async with request.context.database.read() as conn:
        found = await watchlist.watchlist(conn, request.viewer, request.now, request.context.links)
        marks = await desk.marks(conn, request.member.id)
    return csv_file(request, "watchlist", found, marks)


async def _watchlist(
    request: SiteRequest, outcome: Became | None = None, refused: str = "", status: int = 200
) -> Response:
    """The page; `refused` is the domain whose note (in the form) was not taken."""
    every = await domains.watched_rows(request)
    async with request.context.database.read() as conn:
        marks = await desk.marks(conn, request.member.id, [row["domain"] for row in every])
    became = [row["outcome"]["became"] if row["outcome"] else None for row in every]
    found = [row for row, what in zip(every, became, strict=True) if outcome in (None, what)]
    values = {
        "marks": marks,
        "unmarked": UNMARKED,
        "refused": refused,
        "credits": attributions_for(request),
        "unfollowed": _unfollowed(request),
        "watched": len(every),
        "outcome": outcome,
        "counts": {what: became.count(what) for what in BECAME if what in became},
        "words": labels.OUTCOMES,
        "untold": any(row["status"] == "ended" and row["outcome"] is None for row in every),
    }
    return request.page("watchlist.html", status, rows=found, **values)


def _unfollowed(request: SiteRequest) -> str:
    """The domain that is no longer followed since the request before; empty for none."""
    gone = request.http.query_params.get("unfollowed", "")
    with suppress(Problem):
        return path_domain(gone, request.sale_zones) if gone else ""
    return ""
