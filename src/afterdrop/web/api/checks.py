"""Domain checks: order, list, read."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Query
from starlette.responses import Response

from afterdrop.checks.batch import CheckBatchJson, CheckBatchPreview, batch_json, preview_json
from afterdrop.checks.order import CheckDetail, OrderedCheck, check_json
from afterdrop.web.actions import checks
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.route import AdmittedRequest, StrictRoute
from afterdrop.web.responses import data_response, page_meta
from afterdrop.web.schemas.checks import CheckList, ChecksQuery, NewCheck, NewCheckBatch
from afterdrop.web.schemas.envelope import Data
from afterdrop.web.strict_input import BatchPath, CheckPath, read_domain

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
            "description": "You checked it within the last 7 days: this is that check, and no credit was used",
        }
    },
)
async def order(request: AdmittedRequest, body: Annotated[NewCheck, Body()]) -> Response:
    """Orders a full report of any domain for one credit. Poll no more often than every 10 seconds."""
    ordered = await checks.order(request, read_domain(body.domain, request.sale_zones))
    check = check_json(ordered.check, request.settings.site_url)
    if ordered.queue_position is None:
        return data_response(check)
    return data_response({**check, "queue_position": ordered.queue_position}, status=202)


@router.get(
    "/checks",
    response_model=CheckList,
    operation_id="listChecks",
    summary="Your checks",
    responses=error_responses(),
)
async def list_checks(request: AdmittedRequest, query: Annotated[ChecksQuery, Query()]) -> Response:
    """The checks you ordered, newest first."""
    found, total = await checks.list_checks(request, query.page, query.per_page)
    return data_response(found, meta=page_meta(total, query.page, query.per_page))


@router.post(
    "/checks/batch",
    response_model=Data[CheckBatchJson],
    status_code=202,
    operation_id="orderCheckBatch",
    summary="Check many domains",
    responses=error_responses("no_checks_left")
    | {
        200: {
            "model": Data[CheckBatchPreview],
            "description": "Without `credits`: what the order would cost. Nothing was ordered",
        }
    },
)
async def order_batch(request: AdmittedRequest, body: Annotated[NewCheckBatch, Body()]) -> Response:
    """Check up to 100 domains in one order. Domains whose report you see on a list and those you had checked within
    7 days are free; every other takes one credit. The credits are taken together with the checks, or not at all."""
    names = checks.all_names(body.domains, request.sale_zones)
    site_url = request.settings.site_url
    if body.credits is None:
        found = await checks.preview_names(request, names)
        return data_response(preview_json(found.items, found.credits_available, site_url))
    return data_response(
        batch_json(await checks.order_names(request, names, body.credits), site_url), status=202
    )


@router.get(
    "/checks/batch/{id}",
    response_model=Data[CheckBatchJson],
    operation_id="getCheckBatch",
    summary="One batch of checks",
    responses=error_responses("not_found"),
)
async def get_batch(request: AdmittedRequest, id: BatchPath) -> Response:
    """Names ordered together, with their checks as they are now. Poll no more often than every 10 seconds."""
    return data_response(batch_json(await checks.get_batch(request, id), request.settings.site_url))


@router.get(
    "/checks/{id:check}",
    response_model=Data[CheckDetail],
    operation_id="getCheck",
    summary="One check",
    responses=error_responses("not_found"),
)
async def get_check(request: AdmittedRequest, id: CheckPath) -> Response:
    """A check, with its report once it is done."""
    return data_response(await checks.get_check(request, id))
