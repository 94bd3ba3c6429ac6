"""What strangers see first: today's open domains, a whole report as a sample, what was rejected, plans and prices."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

import orjson
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import HTMLResponse, Response

from afterdrop.accounts.plans import STRANGER
from afterdrop.catalogue import rejection_store, store
from afterdrop.catalogue.attribution import credits_owed
from afterdrop.catalogue.filters import ListFilter
from afterdrop.catalogue.list_store import ListSelection
from afterdrop.catalogue.lists import list_page
from afterdrop.catalogue.open_domains import OPEN_A_DAY
from afterdrop.catalogue.rejections import RejectedName, rejection
from afterdrop.catalogue.standing import standing
from afterdrop.catalogue.stats import stats
from afterdrop.checks import visitor_store
from afterdrop.review.history.life import life
from afterdrop.web.problems import not_found
from afterdrop.web.site.charts import row_strip
from afterdrop.web.site.report_pages import KIT_PAGES, provider_titles
from afterdrop.web.site.report_view import report_values
from afterdrop.web.site.site_request import SiteRequest, visitors_request

_KEPT_SECONDS: Final = 60


async def home(request: SiteRequest) -> Response:
    """What this is, shown by today's domains; a member's home is the desk."""
    if request.account is not None and request.account.verified_at is not None:
        return request.redirect("/desk")
    return await start_page(request)


async def start_page(request: SiteRequest, status: int = 200) -> Response:
    """The start page; the form on it may have been refused."""
    context, site = request.context, request.context.settings.site
    minute = int(request.now.timestamp()) // _KEPT_SECONDS
    made = await context.list_cache.body("landing", minute, make=lambda: _landing(request))
    checks_left = None
    if site.visitor_checks:
        async with context.database.read() as conn:
            used = await visitor_store.ordered_on(conn, f"{request.now:%Y-%m-%d}")
        checks_left = max(site.visitor_checks - used, 0)
    return request.page(
        "home.html",
        status,
        **orjson.loads(made),
        plans=context.settings.plans,
        objections=site.objections or context.settings.contact,
        checks_left=checks_left,
    )


async def _landing(request: SiteRequest) -> bytes:
    """What the page shows to everybody alike, as JSON."""
    snapshot = await request.context.snapshots.current(operator=False)
    async with request.context.database.read() as conn:
        figures = await stats(conn, False, request.now, snapshot)
        reports = await _open_reports(conn, request)
        shown = request.context.settings.site.show_rejections
        rejected = await rejection_store.rejected_names(conn) if shown else []
    sample = _best(reports)
    owed = [credit for each in reports for credit in each["attributions"]]
    owed += [credit for each in rejected for credit in each.metrics.attributions()]
    values = {
        "stats": figures,
        "open_domains": [_row(each, request) for each in reports],
        "sample": sample and _sample(sample, request),
        "rejected_on": rejected[0].day if rejected else "",
        "rejected": [rejected_row(each, request) for each in rejected],
        "credits": credits_owed(owed, ()),
    }
    return orjson.dumps(values)


async def _open_reports(conn: AsyncConnection, request: SiteRequest) -> list[dict[str, Any]]:
    """The reports of today's open domains, best first."""
    links, now = request.context.links, request.now
    selection = ListSelection("live", ListFilter.of(), STRANGER, now, links.fees, "score")
    found = await list_page(conn, selection, links, per_page=OPEN_A_DAY)
    reports: list[dict[str, Any]] = []
    for row in found.rows:
        access, report = await store.report(conn, row["domain"], STRANGER, now, links)
        if access == "full" and report is not None:
            reports.append({"attributions": [], "history": None, **report})
    return reports


def _best(reports: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The report that is shown as the sample: the first with a score."""
    return next((each for each in reports if standing(each) == "scored"), None)


def _row(report: dict[str, Any], request: SiteRequest) -> dict[str, Any]:
    shown = ("domain", "title", "score", "flags", "metrics", "listing", "purchase", "status")
    strip = row_strip(life(report["history"]), request.now)
    return {**{name: report[name] for name in shown}, "standing": standing(report), "strip": asdict(strip)}


def _sample(report: dict[str, Any], request: SiteRequest) -> dict[str, Any]:
    view = report_values(report, request.now, provider_titles(request))["view"]
    return {
        **{name: report[name] for name in ("domain", "score", "verdict")},
        "story": view.verdict.story,
        "strip": asdict(view.panel),
        "narrow": asdict(view.narrow),
        "found": [{"code": row.code, "label": row.label, "level": row.level} for row in view.risks.found],
        "clean": len(view.risks.clean),
    }


def rejected_row(name: RejectedName, request: SiteRequest) -> dict[str, Any]:
    """An entry of the rejected names as pages show it; nothing in it names the domain."""
    entry = rejection(name)
    return {
        "name": entry.name,
        "trust_flow": entry.trust_flow,
        "domain_rating": entry.domain_rating,
        "referring_domains": entry.referring_domains,
        "showed": entry.showed,
        "strip": asdict(row_strip(entry.eras, request.now)),
    }


async def sample(request: SiteRequest) -> Response:
    """The whole report of the day's best open domain, for people without an account."""
    request.count_stranger("page")
    minute = int(request.now.timestamp()) // _KEPT_SECONDS
    body = await request.context.list_cache.body("sample", minute, make=lambda: _sample_page(request))
    name, page = orjson.loads(body)
    if not name:
        raise not_found("No domains are open today. Come back after the next scan.")
    if request.account is not None:
        return request.redirect(f"/domains/{name}")
    return HTMLResponse(page)


async def _sample_page(request: SiteRequest) -> bytes:
    """The sample's name and its page as every stranger sees it, as JSON; both empty where nothing is open."""
    async with request.context.database.read() as conn:
        reports = await _open_reports(conn, request)
        found = _best(reports)
        if found is None:
            return orjson.dumps(["", ""])
        pages, _ = await store.pages(
            conn, found["domain"], request.context.links, page=1, per_page=KIT_PAGES, content=True
        )
    values = report_values(found, request.now, provider_titles(request))
    own = {"pages": pages, "watched": False, "note": None, "credits": found["attributions"]}
    # Whoever asks first, the page that is kept is nobody's: it holds no account and no token.
    page = visitors_request(request.http).page("report.html", **values, **own)
    return orjson.dumps([found["domain"], bytes(page.body).decode()])
