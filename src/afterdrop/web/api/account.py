"""The account a key belongs to, and the service's figures."""

from __future__ import annotations

import orjson
from fastapi import APIRouter
from starlette.responses import Response

from afterdrop.catalogue.stats import Stats
from afterdrop.web.actions import account
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.route import AdmittedRequest, StrictRoute
from afterdrop.web.responses import data_response, json_bytes
from afterdrop.web.schemas.account import Me
from afterdrop.web.schemas.envelope import Data

router = APIRouter(route_class=StrictRoute, tags=["Account"])


@router.get(
    "/me", response_model=Data[Me], operation_id="getMe", summary="Your account", responses=error_responses()
)
async def me(request: AdmittedRequest) -> Response:
    """The account: its plan, limits, check credits and usage."""
    return data_response(await account.account_json(request, request.account))


@router.get(
    "/stats",
    response_model=Data[Stats],
    operation_id="getStats",
    summary="Service figures",
    responses=error_responses(),
)
async def service_stats(request: AdmittedRequest) -> Response:
    """The last scan and the size of each list. The same on both plans."""

    async def made() -> bytes:
        return json_bytes(await account.service_stats(request))

    body = await request.context.list_cache.body("stats", request.now, make=made)
    return data_response(orjson.Fragment(body))
