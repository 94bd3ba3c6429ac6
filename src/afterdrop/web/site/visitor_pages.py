"""Pages of strangers and search engines: the start page, a sample report, a check without an account, robots, terms."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict
from xml.sax.saxutils import escape

import orjson
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from afterdrop.accounts.account import STRANGER
from afterdrop.accounts.sessions import digest
from afterdrop.accounts.sign_in_limits import networks
from afterdrop.catalogue import rejections, store
from afterdrop.catalogue.attribution import credits_owed
from afterdrop.catalogue.open_domains import OPEN_A_DAY
from afterdrop.catalogue.purchase import Way
from afterdrop.catalogue.rejections import RejectedName, rejection
from afterdrop.catalogue.shapes import FullReport, ListingJson, ReportMetrics
from afterdrop.catalogue.stats import stats
from afterdrop.catalogue.status import Status
from afterdrop.checks import visitors
from afterdrop.checks.visitors import Quota
from afterdrop.review.flags.risk_flags import Flag
from afterdrop.review.history.life import stored_life
from afterdrop.scoring.conclusion import Conclusion, Level, has_score
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.site.charts import Strip, row_strip
from afterdrop.web.site.doc_pages import GUIDES
from afterdrop.web.site.owners_view import kit_choices
from afterdrop.web.site.report_pages import KIT_PAGES, provider_titles
from afterdrop.web.site.report_view import RiskRow, in_use, report_values
from afterdrop.web.site.site_request import SiteRequest, visitors_request
from afterdrop.web.site.templates import markdown
from afterdrop.web.strict_input import read_domain

_KEPT_SECONDS: Final = 60
# How many of the day's checks for strangers one network may order.
_CHECKS_PER_NETWORK: Final = 2
_NO_MORE: Final = {
    "day": "Today’s free checks are used up. Come back tomorrow, or sign up.",
    "network": "You have had today’s free checks. Come back tomorrow, or sign up.",
}
TITLES: Final = {"terms": "Terms", "privacy": "Privacy"}
# Everything behind a sign-in, and addresses that only their owner knows.
_CLOSED: Final = (
    "/domains", "/csv/", "/compare", "/checks", "/check-one", "/account", "/admin", "/tools", "/desk",
    "/drops", "/tags",
    "/api/", "/mcp", "/verify/", "/reset/", "/unsubscribe/",
)  # fmt: skip


class OpenRow(TypedDict):
    """An open domain on the start page: what of its report a row shows, with its life."""

    domain: str
    title: str | None
    score: int
    conclusion: Conclusion
    flags: Sequence[str]
    flag_levels: Mapping[Flag, Level]
    metrics: ReportMetrics
    listing: ListingJson
    purchase: Sequence[Way]
    status: Status
    strip: Strip


@dataclass(frozen=True, slots=True)
class Sample:
    """The best open domain in short; `clean` risks were looked for and not found."""

    domain: str
    score: int | None
    conclusion: Conclusion
    story: str
    strip: Strip
    narrow: Strip
    found: Sequence[RiskRow]
    clean: int


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A rejected name; nothing in it names the domain."""

    name: str
    trust_flow: int | None
    domain_rating: int | None
    referring_domains: int | None
    showed: str
    strip: Strip


async def home(request: SiteRequest) -> Response:
    """The service, shown by today's domains; a member's home is the desk."""
    if request.account is not None and request.account.verified_at is not None:
        return request.redirect("/desk")
    return await start_page(request)


async def start_page(request: SiteRequest, status: int = 200) -> Response:
    """The start page; the form on it may have been refused."""
    context, site = request.context, request.context.settings.site
    minute = int(request.now.timestamp()) // _KEPT_SECONDS
    body = await context.list_cache.body("landing", minute, make=lambda: _landing(request))
    checks_left = None
    if site.visitor_checks:
        async with context.database.read() as conn:
            used = await visitors.ordered_on(conn, f"{request.now:%Y-%m-%d}")
        checks_left = max(site.visitor_checks - used, 0)
    return request.page(
        "home.html",
        status,
        **orjson.loads(body),
        plans=context.settings.plans,
        objections=site.objections or context.settings.contact,
        checks_left=checks_left,
    )


async def _landing(request: SiteRequest) -> bytes:
    """The part of the page that is alike for everybody, as JSON."""
    counted = await request.context.lists.figures(request.now)
    async with request.context.database.read() as conn:
        figures = await stats(conn, counted)
        reports = await _open_reports(conn, request)
        public = request.context.settings.site.show_rejections
        rejected = await rejections.rejected_names(conn) if public else []
    sample = _best(reports)
    in_reports = [credit for report in reports for credit in report["attributions"]]
    in_rejected = [credit for each in rejected for credit in each.metrics.attributions()]
    values = {
        "stats": figures,
        "open_domains": [_row(report, request) for report in reports],
        "sample": sample and _sample(sample, request),
        "rejected_on": rejected[0].day if rejected else "",
        "rejected": [rejected_row(each, request) for each in rejected],
        "credits": credits_owed([*in_reports, *in_rejected], ()),
    }
    return orjson.dumps(values)


async def _open_reports(conn: AsyncConnection, request: SiteRequest) -> list[FullReport]:
    """The reports of today's open domains, best first."""
    links, now = request.context.links, request.now
    page = await store.live_now(conn, STRANGER, now, links, OPEN_A_DAY)
    reports: list[FullReport] = []
    for row in page.rows:
        _, report = await store.report(conn, row["domain"], STRANGER, now, links)
        if report is not None and report["detail"] == "full":
            reports.append({"attributions": [], "history": None, **report})
    return reports


def _best(reports: list[FullReport]) -> FullReport | None:
    """The report that is shown as the sample: the first with a score."""
    return next((report for report in reports if has_score(report["conclusion"])), None)


def _row(report: FullReport, request: SiteRequest) -> OpenRow:
    return {
        "domain": report["domain"],
        "title": report["title"],
        "score": report["score"],
        "conclusion": report["conclusion"],
        "flags": report["flags"],
        "flag_levels": report["flag_levels"],
        "metrics": report["metrics"],
        "listing": report["listing"],
        "purchase": report["purchase"],
        "status": report["status"],
        "strip": row_strip(stored_life(report.get("history")), request.now),
    }


def _sample(report: FullReport, request: SiteRequest) -> Sample:
    view = report_values(report, request.now, provider_titles(request))["view"]
    return Sample(
        domain=report["domain"],
        score=report["score"],
        conclusion=report["conclusion"],
        story=view.verdict.story,
        strip=view.panel,
        narrow=view.narrow,
        found=view.risks.found,
        clean=len(view.risks.clean),
    )


def rejected_row(name: RejectedName, request: SiteRequest) -> RejectedRow:
    """An entry of the rejected names as pages show it."""
    entry = rejection(name)
    return RejectedRow(
        entry.name,
        entry.trust_flow,
        entry.domain_rating,
        entry.referring_domains,
        entry.showed,
        row_strip(entry.eras, request.now),
    )


async def sample(request: SiteRequest) -> Response:
    """The whole report of one of the day's open domains, the best by default, for people without an account."""
    request.count_stranger("page")
    minute = int(request.now.timestamp()) // _KEPT_SECONDS
    body = await request.context.list_cache.body("sample", minute, make=lambda: _sample_pages(request))
    best, pages = orjson.loads(body)
    name = request.http.path_params.get("domain") or best
    if not name:
        raise not_found("No domains are open today. Come back after the next scan.")
    if name not in pages:
        raise not_found("This domain is not among those that are open today.")
    if request.account is not None:
        return request.redirect(f"/domains/{name}")
    return HTMLResponse(pages[name])


async def _sample_pages(request: SiteRequest) -> bytes:
    """The best name, and the page of each open one as every stranger sees it, by name, as JSON."""
    async with request.context.database.read() as conn:
        reports = await _open_reports(conn, request)
        pages = {report["domain"]: await _sample_page(conn, request, report) for report in reports}
    best = _best(reports)
    return orjson.dumps([best["domain"] if best else "", pages])


async def _sample_page(conn: AsyncConnection, request: SiteRequest, report: FullReport) -> str:
    kits = kit_choices(report, None)
    era = next((kit.era for kit in kits if kit.chosen), None)
    pages, _ = await store.pages(
        conn, report["domain"], request.context.links, page=1, per_page=KIT_PAGES, content=True, era=era
    )
    values = report_values(report, request.now, provider_titles(request))
    own = {"pages": pages, "kits": kits, "watched": False, "note": None, "looks_at": 0}
    own["credits"] = report["attributions"]
    own["confirmation"] = await request.context.confirmation(conn, report["domain"])
    # Whoever asks first, the page that is kept is nobody's: it holds no account and no token.
    page = visitors_request(request.http).page("report.html", **values, **own)
    return bytes(page.body).decode()


async def order(request: SiteRequest) -> Response:
    """Order a check and lead to its result. Nobody learns whether the name is on a list."""
    site = request.context.settings.site
    if not site.visitor_checks:
        raise not_found("There is no such page.")
    request.count_stranger("form")
    try:
        domain = read_domain(request.form.text("domain"), request.sale_zones)
    except Invalid as error:
        return await _refused(request, 422, error.fields or {})
    token = secrets.token_urlsafe(24)
    quota = Quota(site.visitor_checks, _CHECKS_PER_NETWORK)
    network = hashlib.sha256(networks(request.host)[1].encode()).hexdigest()
    async with request.context.database.read() as conn:
        refused = await visitors.used_up(conn, network, quota, request.now)
    if refused is None:  # asked again where nobody else writes: another order may have come between
        async with request.context.database.write() as conn:
            refused = await visitors.order(conn, digest(token), domain, network, quota, request.now)
    if refused is not None:
        return await _refused(request, 429, {"domain": [_NO_MORE[refused]]})
    return request.redirect(f"/check-one/{token}")


async def _refused(request: SiteRequest, status: int, errors: Mapping[str, list[str]]) -> Response:
    request.form = request.form.with_errors(errors)
    return await start_page(request, status)


async def result(request: SiteRequest) -> Response:
    """The check: waiting, done or failed."""
    async with request.context.database.read() as conn:
        row = await visitors.check_by(conn, digest(request.http.path_params["token"]), request.now)
    if row is None:
        raise not_found("This check does not exist, or is older than a week.")
    report = row["report"]
    values: Mapping[str, object] = (
        report_values(report, request.now, provider_titles(request)) if report else {}
    )
    used = False
    if report and (registered := report.get("registration")):
        eras = stored_life(report.get("history"))
        used = in_use(registered["availability"], registered["expires_at"], eras, request.now)
    page = request.page("visitor_check.html", check=row, used=used, **values)
    page.headers["X-Robots-Tag"] = "noindex"
    return page


async def robots(request: SiteRequest) -> Response:
    """The pages that crawlers may read: those that need no account."""
    if request.context.settings.audience == "team":
        return PlainTextResponse("User-agent: *\nDisallow: /\n")
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _CLOSED)]
    lines += ["", f"Sitemap: {request.context.settings.site_url}/sitemap.xml"]
    return PlainTextResponse("\n".join(lines) + "\n")


async def sitemap(request: SiteRequest) -> Response:
    """The public pages."""
    paths = ["/", "/sample", "/pricing", "/docs", *(f"/docs/{name}" for name in GUIDES)]
    paths += [f"/{name}" for name in request.context.legal]
    site = request.context.settings.site_url
    places = "".join(f"<url><loc>{escape(site + path)}</loc></url>" for path in paths)
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>\n'
    return Response(text, media_type="application/xml")


async def terms(request: SiteRequest) -> Response:
    """The operator's terms."""
    return _legal(request, "terms")


async def privacy(request: SiteRequest) -> Response:
    """The operator's privacy policy."""
    return _legal(request, "privacy")


def _legal(request: SiteRequest, name: str) -> Response:
    text = request.context.legal.get(name)
    if text is None:
        raise not_found("There is no such page.")
    return request.page("legal.html", title=TITLES[name], text=markdown(text))
