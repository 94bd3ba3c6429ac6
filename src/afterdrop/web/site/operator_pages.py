"""What operators see: scans, sources, queues, failures, accounts, providers."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from afterdrop.accounts import store
from afterdrop.web.site.account_pages import number
from afterdrop.web.site.provider_rows import provider_rows, ranks_rows
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.worker.health import health

PER_PAGE: Final = 50


async def status(visit: SiteRequest) -> Response:
    """How the service is doing: what `afterdrop status` shows."""
    async with visit.env.database.read() as conn:
        found = await health(conn, visit.now)
        providers = await provider_rows(conn, [each.name for each in visit.env.providers], visit.now)
    ranks = await ranks_rows(visit.env.settings)
    return visit.page("admin.html", health=found, providers=providers, ranks=ranks)


async def accounts(visit: SiteRequest) -> Response:
    """Accounts by id with plan and credits."""
    after = number(visit.request.query_params.get("after", "0"))
    rows: list[dict[str, Any]] = []
    async with visit.env.database.read() as conn:
        found = await store.every_account(conn, after=after, limit=PER_PAGE)
        for account in found:
            plan = account.plan(visit.now)
            allowance = visit.env.settings.plan(plan).checks_per_month
            left = await store.credit_balance(conn, account.id, allowance=allowance, now=visit.now)
            rows.append({"account": account, "plan": plan, "credits": left.available})
    return visit.page("admin_accounts.html", rows=rows, full=len(found) == PER_PAGE)
