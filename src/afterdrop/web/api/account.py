"""The account a key belongs to, and the service's figures."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from afterdrop.catalogue import stats
from afterdrop.web.actions.account import account_json
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.route import AdmittedRequest, StrictRoute
from afterdrop.web.responses import data_response
from afterdrop.web.schemas.account import Me, Stats
from afterdrop.web.schemas.envelope import Data

router = APIRouter(route_class=StrictRoute, tags=["Account"])


@router.get(
    "/me", response_model=Data[Me], operation_id="getMe", summary="Your account", responses=error_responses()
)
async def me(request: AdmittedRequest) -> Response:
    """The account, its plan, limits, check credits and what it uses of them."""
    return data_response(await account_json(request, request.account))


@router.get(
    "/stats",
    response_model=Data[Stats],
    operation_id="getStats",
    summary="Service figures",
    responses=error_responses(),
)
async def service_stats(request: AdmittedRequest) -> Response:
    """The last scan and the sizes of the lists; the same on both plans."""
    async with request.context.database.read() as conn:
        return data_response(await stats.stats(conn, request.viewer.operator, request.now))
