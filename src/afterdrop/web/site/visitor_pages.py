"""One check without an account: ordering it from the start page, and its result at an address nobody can guess."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Final

from starlette.responses import Response

from afterdrop.accounts.sessions import digest
from afterdrop.accounts.sign_in_limits import networks
from afterdrop.checks import visitor_store
from afterdrop.checks.visitor_store import Quota
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.site.landing_pages import start_page
from afterdrop.web.site.report_pages import provider_titles
from afterdrop.web.site.report_view import report_values
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_domain

_NO_MORE: Final = {
    "day": "Today’s free checks are used up. Come back tomorrow, or sign up.",
    "network": "You have had today’s free checks. Come back tomorrow, or sign up.",
}


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
    quota = Quota(site.visitor_checks, site.visitor_checks_per_network)
    network = hashlib.sha256(networks(request.host)[1].encode()).hexdigest()
    async with request.context.database.read() as conn:
        refused = await visitor_store.used_up(conn, network, quota, request.now)
    if refused is None:  # asked again where nobody else writes: another order may have come between
        async with request.context.database.write() as conn:
            refused = await visitor_store.order(conn, digest(token), domain, network, quota, request.now)
    if refused is not None:
        return await _refused(request, 429, {"domain": [_NO_MORE[refused]]})
    return request.redirect(f"/check-one/{token}")


async def _refused(request: SiteRequest, status: int, errors: Mapping[str, list[str]]) -> Response:
    request.form = request.form.with_errors(errors)
    return await start_page(request, status)


async def result(request: SiteRequest) -> Response:
    """The check: waiting, done or failed."""
    async with request.context.database.read() as conn:
        row = await visitor_store.check_by(conn, digest(request.http.path_params["token"]), request.now)
    if row is None:
        raise not_found("This check does not exist, or is older than a week.")
    found = row["report"]
    values = report_values(found, request.now, provider_titles(request)) if found else {}
    page = request.page("visitor_check.html", check=row, **values)
    page.headers["X-Robots-Tag"] = "noindex"
    return page
