"""Domain checks: ordered, listed, followed while they run, read."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from afterdrop.accounts.store import credit_balance
from afterdrop.checks import store
from afterdrop.checks.order import NoChecksLeft, check_detail, check_json, order_check
from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import BadName
from afterdrop.web.api.paths import path_check_id
from afterdrop.web.pagination import page_meta
from afterdrop.web.problems import not_found
from afterdrop.web.site.account_pages import number
from afterdrop.web.site.report_pages import drawn
from afterdrop.web.site.site_request import SiteRequest

PER_PAGE: Final = 25


async def checks_page(visit: SiteRequest) -> Response:
    """Order a check, and the history of checks."""
    return await _checks(visit)


async def checks(visit: SiteRequest) -> Response:
    """Order one; a check of the last seven days is shown again without a credit."""
    try:
        domain = domain_of_url(visit.form.text("domain"), visit.zones)
    except BadName as error:
        visit.form = visit.form.refused({"domain": [error.message]})
        return await _checks(visit, 422)
    try:
        async with visit.env.database.write() as conn:
            allowance = visit.limits.checks_per_month
            ordered = await order_check(conn, visit.member.id, domain, allowance=allowance, now=visit.now)
    except NoChecksLeft as error:
        visit.form = visit.form.refused({"form": [error.message]})
        return await _checks(visit, 402)
    return visit.go(f"/checks/{ordered.check['id']}")


async def _checks(visit: SiteRequest, status: int = 200) -> Response:
    page = min(max(number(visit.request.query_params.get("page", "1")), 1), 100_000)
    async with visit.env.database.read() as conn:
        left = await credit_balance(
            conn, visit.member.id, allowance=visit.limits.checks_per_month, now=visit.now
        )
        total = await store.count_checks(conn, visit.member.id)
        rows = await store.checks_of(conn, visit.member.id, page=page, per_page=PER_PAGE)
    found = [check_json(row, visit.env.settings.site_url) for row in rows]
    return visit.page("checks.html", status, checks=found, left=left, meta=page_meta(total, page, PER_PAGE))


async def check(visit: SiteRequest) -> Response:
    """One check: its progress, then its report."""
    async with visit.env.database.read() as conn:
        row = await store.check_row(conn, visit.member.id, path_check_id(visit.request.path_params["id"]))
        waiting = (
            await store.queue_position(conn, row["id"], row["created_at"])
            if row and row["status"] == "queued"
            else None
        )
    if row is None:
        raise not_found("There is no such check of yours.")
    detail = check_detail(row, visit.env.settings.site_url)
    pictures = drawn(detail["report"]) if detail["report"] else {}
    return visit.page("check.html", check=detail, progress=row["progress"], waiting=waiting, **pictures)
