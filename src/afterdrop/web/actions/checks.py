"""Domain checks: ordering one, listing and reading those of an account."""

from __future__ import annotations

from collections.abc import Sequence

from afterdrop.checks import store
from afterdrop.checks.order import (
    CheckDetail,
    CheckOrder,
    CheckSummary,
    check_detail,
    check_json,
    order_check,
    reusable_check,
)
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.paths import path_check_id
from afterdrop.web.problems import not_found, out_of_scope


def only_spending(request: AccountRequest) -> None:
    """Let pass who may spend credits. Raises 403."""
    if request.scope == "no_spending":
        raise out_of_scope("This API key is not allowed to spend check credits.")


async def order(request: AccountRequest, domain: str) -> CheckOrder:
    """Order a check of a registrable domain, or give the one of the last 7 days back. Raises NoChecksLeft."""
    account_id = request.viewer.account_id
    # A client that polls by ordering again and again costs no write transaction.
    async with request.context.database.read() as conn:
        earlier = await reusable_check(conn, account_id, domain, request.now)
    if earlier is not None:
        return CheckOrder(earlier)
    only_spending(request)
    async with request.context.database.write() as conn:
        return await order_check(
            conn, account_id, domain, allowance=request.limits.checks_per_month, now=request.now
        )


async def list_checks(
    request: AccountRequest, page: int, per_page: int
) -> tuple[Sequence[CheckSummary], int]:
    """One page of the account's checks, newest first, and how many there are in all."""
    account_id = request.viewer.account_id
    async with request.context.database.read() as conn:
        total = await store.count_checks(conn, account_id)
        rows = await store.checks_of(conn, account_id, page=page, per_page=per_page)
    return [check_json(row, request.context.settings.site_url) for row in rows], total


async def get_check(request: AccountRequest, check_id: str) -> CheckDetail:
    """One of the account's checks with everything it found. Raises `not_found`."""
    async with request.context.database.read() as conn:
        row = await store.check_row(conn, request.viewer.account_id, path_check_id(check_id))
    if row is None:
        raise not_found()
    return check_detail(row, request.context.settings.site_url)
