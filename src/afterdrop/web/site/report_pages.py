"""The report of a domain, its revival kit, and following it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import Response

from afterdrop.alerts import store as alerts_store
from afterdrop.alerts import watchlist as watches
from afterdrop.catalogue import store
from afterdrop.web.api.paths import path_domain
from afterdrop.web.problems import not_found, plan_required
from afterdrop.web.site.attributions import credits_for
from afterdrop.web.site.charts import BARS, YEARS, bars, timeline
from afterdrop.web.site.revival_kit_zip import kit
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.site.watchlist_page import watchlist

KIT_PAGES: Final = 20
# a report stored before a part was there says nothing of it
_UNKNOWN: Final = {
    **dict.fromkeys(("anchors", "top_referring_domains", "topical_trust_flow", "history", "registration")),
    **dict.fromkeys(("risk_checks", "attributions", "flags"), ()),
}
_NOT_LISTED = "The domain is not on the list."


def drawn(found: Mapping[str, Any]) -> dict[str, Any]:
    """What the report's template needs beside the report: the pictures."""
    breakdown = found.get("score_breakdown")
    return {
        "report": {**_UNKNOWN, **found},
        "bars": bars(breakdown) if breakdown else [],
        "bar_room": BARS,
        "years": timeline(found.get("history")),
        "year_room": YEARS,
    }


async def report(visit: SiteRequest) -> Response:
    """The report as the account sees it."""
    return await _report(visit)


async def keep_note(visit: SiteRequest) -> Response:
    """Keep what the account writes beside a domain it follows."""
    name = path_domain(visit.request.path_params["domain"], visit.zones)
    text = " ".join(visit.form.text("note").split())
    if len(text) > alerts_store.NOTE_LENGTH:
        visit.form = visit.form.refused({"note": [f"has more than {alerts_store.NOTE_LENGTH} characters"]})
        return await (watchlist(visit, name, 422) if _from_list(visit) else _report(visit, 422))
    async with visit.env.database.write() as conn:
        if not await alerts_store.write_note(conn, visit.member.id, name, text):
            raise not_found("You do not follow this domain.")
    return visit.go("/account/watchlist" if _from_list(visit) else f"/domains/{name}")


def _from_list(visit: SiteRequest) -> bool:
    return visit.form.text("from") == "watchlist"


async def _report(visit: SiteRequest, status: int = 200) -> Response:
    asked = visit.request.path_params["domain"]
    name = path_domain(asked, visit.zones)
    if name != asked and visit.request.method == "GET":
        return visit.go(f"/domains/{name}")
    async with visit.env.database.read() as conn:
        access, found = await store.report(conn, name, visit.viewer, visit.now, visit.env.links)
        watched = await alerts_store.watches_domain(conn, visit.member.id, name)
        note = await alerts_store.note(conn, visit.member.id, name) if watched else None
        pages: list[store.KitPage] = []
        if access == "full":
            pages, _ = await store.pages(
                conn, name, visit.env.links, page=1, per_page=KIT_PAGES, content=True
            )
    if access == "locked":
        raise plan_required("This domain is on the Pro list.")
    if found is None:
        raise not_found(_NOT_LISTED)
    own = {"pages": pages, "watched": watched, "note": note, "credits": credits_for(visit)}
    return visit.page("report.html", status, **drawn(found), **own)


async def download_kit(visit: SiteRequest) -> Response:
    """The old pages' texts as a zip."""
    name = path_domain(visit.request.path_params["domain"], visit.zones)
    async with visit.env.database.read() as conn:
        seen = await store.visible_domain(conn, name, visit.viewer, visit.now)
        if seen is None:
            raise not_found(_NOT_LISTED)
        if seen.access != "full":
            raise plan_required("The revival kit of this domain is part of Pro.")
        pages, _ = await store.pages(conn, name, visit.env.links, page=1, per_page=KIT_PAGES, content=True)
    return Response(
        kit(name, pages),
        media_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{name}-pages.zip"'},
    )


async def watch(visit: SiteRequest) -> Response:
    """Follow the domain."""
    name = path_domain(visit.request.path_params["domain"], visit.zones)
    async with visit.env.database.write() as conn:
        seen = await watches.watch(
            conn, visit.viewer, name, limit=visit.limits.watched_domains, now=visit.now
        )
    if seen == "locked":
        raise plan_required("This domain is on the Pro list.")
    if seen == "hidden":
        raise not_found(_NOT_LISTED)
    return visit.go(f"/domains/{name}")


async def unwatch(visit: SiteRequest) -> Response:
    """Stop following it."""
    name = path_domain(visit.request.path_params["domain"], visit.zones)
    async with visit.env.database.write() as conn:
        await watches.unwatch(conn, visit.viewer, name, visit.now)
    return visit.go("/account/watchlist" if _from_list(visit) else f"/domains/{name}")
