"""What operators see: scans, sources, queues, failures, accounts, providers of link metrics."""

from __future__ import annotations

import asyncio
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

from starlette.responses import Response

from afterdrop.accounts import store
from afterdrop.accounts.account import Account, PlanName
from afterdrop.catalogue import operator_actions
from afterdrop.catalogue import rejections as rejected
from afterdrop.catalogue.rejections import SHOWN
from afterdrop.core.settings import Settings
from afterdrop.sources.metrics.store import provider_usage
from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.table_dir import open_table_dir, release_of
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.site.visitor_pages import rejected_row
from afterdrop.web.strict_input import read_domain
from afterdrop.worker.health import health

if TYPE_CHECKING:
    from afterdrop.sources.webgraph.table import Manifest

PER_PAGE: Final = 50
_MOST_REJECTED: Final = 25


class LinkRanksRow(TypedDict):
    """The table of link ranks in use; what a damaged one does not tell is None."""

    release: str
    imported_at: datetime | None
    names: int | None
    state: str
    fault: str | None


class AccountRow(TypedDict):
    """An account with its plan now and the check credits it has left."""

    account: Account
    plan: PlanName
    credits: int


async def status(request: SiteRequest) -> Response:
    """How the service is doing: what `afterdrop status` shows."""
    configured = [provider.name for provider in request.context.providers]
    async with request.context.database.read() as conn:
        state = await health(conn, request.now)
        providers = await provider_usage(conn, configured, request.now)
    ranks = await _link_ranks(request.context.settings)
    return request.page("admin.html", health=state, providers=providers, ranks=ranks)


async def _link_ranks(settings: Settings) -> list[LinkRanksRow]:
    """One row for the table of link ranks in use, none without a table."""
    file = open_table_dir(settings).in_use()
    if file is None:
        return []
    row: LinkRanksRow
    try:
        manifest = await asyncio.to_thread(_manifest, file)
        row = {
            "release": manifest.release,
            "imported_at": manifest.imported_at,
            "names": manifest.nodes,
            "state": "readable",
            "fault": None,
        }
    except RanksError as error:
        row = {
            "release": release_of(file),
            "imported_at": None,
            "names": None,
            "state": "damaged",
            "fault": error.message,
        }
    return [row]


def _manifest(file: Path) -> Manifest:
    from afterdrop.sources.webgraph.table import open_table  # noqa: PLC0415  # a heavy engine that only this page needs

    with closing(open_table(file)) as table:
        return table.manifest


async def accounts(request: SiteRequest) -> Response:
    """Accounts by id with plan and credits."""
    after = whole_number(request.http.query_params.get("after", "0"))
    rows: list[AccountRow] = []
    async with request.context.database.read() as conn:
        page = await store.every_account(conn, after=after, limit=PER_PAGE)
        for account in page:
            plan = account.plan(request.now)
            allowance = request.context.settings.plan(plan).checks_per_month
            left = await store.credit_balance(conn, account.id, allowance=allowance, now=request.now)
            rows.append({"account": account, "plan": plan, "credits": left.available})
    return request.page("admin_accounts.html", rows=rows, full=len(page) == PER_PAGE)


async def rejections(request: SiteRequest) -> Response:
    """The rejected names that strangers may be shown, with their names, and those that were withdrawn."""
    async with request.context.database.read() as conn:
        public = await rejected.rejected_names(conn, most=_MOST_REJECTED)
        withdrawn = await rejected.withdrawn_names(conn, most=_MOST_REJECTED)
    return request.page(
        "admin_rejections.html",
        shown=[(each.domain, rejected_row(each, request)) for each in public],
        withdrawn=[(each.domain, rejected_row(each, request)) for each in withdrawn],
        public=SHOWN,
    )


async def decide_rejection(request: SiteRequest) -> Response:
    """Withdraw a rejected name from the start page, or let it be shown again."""
    domain = read_domain(request.form.text("domain"), request.sale_zones)
    act = operator_actions.readmit if request.form.text("do") == "readmit" else operator_actions.withdraw
    async with request.context.database.write() as conn:
        await act(conn, domain, request.member.email, "decided on the site", request.now)
    return request.redirect("/admin/rejections")
