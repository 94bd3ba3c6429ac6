"""Domain checks: ordering one, the list, and the page of one with its progress and its report."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from afterdrop.checks import store
from afterdrop.checks.order import NoChecksLeft, check_detail
from afterdrop.web.actions import check_batches, checks
from afterdrop.web.actions.account import credits_left
from afterdrop.web.paths import path_check_id
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.responses import page_meta
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.report_pages import provider_titles
from afterdrop.web.site.report_view import report_values
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_domain

PER_PAGE: Final = 25


async def checks_page(request: SiteRequest) -> Response:
    """The form to order a check, and the checks so far."""
    return await _checks(request)


async def order_check(request: SiteRequest) -> Response:
    """Order a check. One of the last seven days is shown again without a credit; a listed name's report comes first."""
    try:
        domain = read_domain(request.form.text("domain"), request.sale_zones)
        if not request.form.has("anyway"):
            [item] = (await check_batches.preview(request, [domain])).items
            if item.listed is not None:
                return request.page("check_listed.html", listed=item.listed, left=await credits_left(request))
        ordered = await checks.order(request, domain)
    except Invalid as error:
        request.form = request.form.with_errors(error.fields or {})
        return await _checks(request, 422)
    except NoChecksLeft as error:
        request.form = request.form.with_errors({"form": [error.message]})
        return await _checks(request, 402)
    return request.redirect(f"/checks/{ordered.check['id']}")


async def _checks(request: SiteRequest, status: int = 200) -> Response:
    page = min(max(whole_number(request.http.query_params.get("page", "1")), 1), 100_000)
    left = await credits_left(request)
    found, total = await checks.list_checks(request, page, PER_PAGE)
    async with request.context.database.read() as conn:
        standings = await store.standings(conn, [check["id"] for check in found])
    meta = page_meta(total, page, PER_PAGE)
    return request.page("checks.html", status, checks=found, standings=standings, left=left, meta=meta)


async def check_page(request: SiteRequest) -> Response:
    """One check: its progress, then its report."""
    async with request.context.database.read() as conn:
        row = await store.check_row(conn, request.member.id, path_check_id(request.http.path_params["id"]))
        waiting = await store.queue_position(conn, row["id"]) if row and row["status"] == "queued" else None
    if row is None:
        raise not_found("You have no such check.")
    detail = check_detail(row, request.context.settings.site_url)
    found = detail["report"]
    report = report_values(found, request.now, provider_titles(request)) if found else {}
    return request.page("check.html", check=detail, progress=row["progress"], waiting=waiting, **report)
