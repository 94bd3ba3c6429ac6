"""The watchlist."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from afterdrop.web.actions import domains
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.route import AdmittedRequest, StrictRoute
from afterdrop.web.paths import DomainPath
from afterdrop.web.problems import not_found
from afterdrop.web.responses import data_response, no_content
from afterdrop.web.schemas.domains import Summary
from afterdrop.web.schemas.envelope import Data

router = APIRouter(route_class=StrictRoute, tags=["Watchlist"])


@router.get(
    "/watchlist",
    response_model=Data[list[Summary]],
    operation_id="listWatched",
    summary="Watched domains",
    responses=error_responses(),
)
async def watchlist(request: AdmittedRequest) -> Response:
    """The domains you watch: those ending soonest first, then ended ones, most recent first."""
    return data_response(await domains.watched(request))


@router.put(
    "/watchlist/{domain}",
    response_model=Data[Summary],
    operation_id="watchDomain",
    summary="Watch a domain",
    responses=error_responses("not_found", "plan_required", "limit_reached"),
)
async def watch(request: AdmittedRequest, domain: DomainPath) -> Response:
    """Watch a listed domain. Watching it again changes nothing."""
    return data_response(await domains.watch(request, domain))


@router.delete(
    "/watchlist/{domain}",
    status_code=204,
    response_class=Response,
    operation_id="unwatchDomain",
    summary="Stop watching",
    responses=error_responses("not_found"),
)
async def unwatch(request: AdmittedRequest, domain: DomainPath) -> Response:
    """Stop watching a domain."""
    if not await domains.unwatch(request, domain):
        raise not_found(domains.NOT_LISTED)
    return no_content()
