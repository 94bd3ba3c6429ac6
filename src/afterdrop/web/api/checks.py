"""Domain checks: order, list, read."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Query
from starlette.responses import Response

from afterdrop.checks import store
from afterdrop.checks.order import CheckOrder, check_detail, check_json, order_check, reusable_check
from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import BadName
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.paths import CheckPath, path_check_id
from afterdrop.web.api.request import ApiRequest, Asked
from afterdrop.web.api.route import StrictRoute
from afterdrop.web.api.schemas.checks import CheckDetail, CheckList, ChecksQuery, NewCheck, OrderedCheck
from afterdrop.web.api.schemas.common import Data
from afterdrop.web.pagination import page_meta
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.responses import data_answer

router = APIRouter(route_class=StrictRoute, tags=["Checks"])


@router.post(
    "/checks",
    response_model=Data[OrderedCheck],
    status_code=202,
    operation_id="orderCheck",
    summary="Order a check",
    responses=error_responses("no_checks_left")
    | {
        200: {
            "model": Data[OrderedCheck],
            "description": "Checked within 7 days: the existing check, no credit used",
        }
    },
)
async def order(ask: Asked, body: Annotated[NewCheck, Body()]) -> Response:
    """Queue a full report of any domain for one credit. Poll no more often than every 10 seconds."""
    try:
        domain = domain_of_url(body.domain, ask.zones)
    except BadName as error:
        raise Invalid({"domain": [error.message]}) from None
    ordered = await _order(ask, domain)
    check = check_json(ordered.check, ask.settings.site_url)
    if ordered.queue_position is None:
        return data_answer(check)
    return data_answer({**check, "queue_position": ordered.queue_position}, status=202)


async def _order(ask: ApiRequest, domain: str) -> CheckOrder:
    # Asked again and again (a client polling with POST), a standing check costs no writing transaction.
    async with ask.env.database.read() as conn:
        earlier = await reusable_check(conn, ask.account.id, domain, ask.now)
    if earlier is not None:
        return CheckOrder(earlier)
    async with ask.env.database.write() as conn:
        return await order_check(
            conn, ask.account.id, domain, allowance=ask.limits.checks_per_month, now=ask.now
        )


@router.get(
    "/checks",
    response_model=CheckList,
    operation_id="listChecks",
    summary="Your checks",
    responses=error_responses(),
)
async def list_checks(ask: Asked, query: Annotated[ChecksQuery, Query()]) -> Response:
    """Checks you ordered, newest first."""
    async with ask.env.database.read() as conn:
        total = await store.count_checks(conn, ask.account.id)
        rows = await store.checks_of(conn, ask.account.id, page=query.page, per_page=query.per_page)
    found = [check_json(row, ask.settings.site_url) for row in rows]
    return data_answer(found, meta=page_meta(total, query.page, query.per_page))


@router.get(
    "/checks/{id}",
    response_model=Data[CheckDetail],
    operation_id="getCheck",
    summary="One check",
    responses=error_responses("not_found"),
)
async def get_check(ask: Asked, id: CheckPath) -> Response:
    """A check with its report once it is done."""
    async with ask.env.database.read() as conn:
        row = await store.check_row(conn, ask.account.id, path_check_id(id))
    if row is None:
        raise not_found()
    return data_answer(check_detail(row, ask.settings.site_url))
