"""The report of a domain, its revival kit, and watching it with a note."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from starlette.responses import Response

from afterdrop.catalogue.kit_shapes import PageJson
from afterdrop.catalogue.purchase import marketplace
from afterdrop.core.errors import AfterdropError
from afterdrop.watching import desk_store as desk
from afterdrop.watching import store
from afterdrop.watching.desk_rules import DECISIONS, note_of
from afterdrop.web.actions import lookups, reports, watching
from afterdrop.web.actions.lists import attributions_for
from afterdrop.web.problems import Problem, not_found
from afterdrop.web.site.downloads import calendar_entry, kit_zip
from afterdrop.web.site.forms import own_path
from afterdrop.web.site.owners_view import Kit, kit_choices
from afterdrop.web.site.rejected_pages import one_rejected
from afterdrop.web.site.report_view import report_values
from afterdrop.web.site.site_request import SiteRequest, attachment
from afterdrop.web.site.templates import moment
from afterdrop.web.strict_input import path_domain

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
        return await report(request, error.status)
    return request.redirect(f"/domains/{name}")


def _named(request: SiteRequest) -> str:
    return path_domain(request.http.path_params["domain"], request.sale_zones)


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
    """The registry's record of the name, as a part of its report."""
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
    from_list = request.form.text("from") == "watchlist"
    here = f"/account/watchlist?unfollowed={name}" if from_list else f"/domains/{name}"
    return request.redirect(own_path(request.form.text("back"), here))
