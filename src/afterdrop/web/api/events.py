"""Events again, for receivers that were down."""

from __future__ import annotations

from typing import Annotated

import orjson
from fastapi import APIRouter, Query
from starlette.responses import Response

from afterdrop.delivery import event_log_store
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.route import PRO_ONLY, AdmittedRequest, StrictRoute
from afterdrop.web.responses import data_response
from afterdrop.web.schemas.events import EventList, EventsQuery

router = APIRouter(route_class=StrictRoute, tags=["Webhooks"])


@router.get(
    "/events",
    response_model=EventList,
    operation_id="listEvents",
    summary="Events of the last 14 days",
    responses=error_responses("plan_required"),
    dependencies=[PRO_ONLY],
)
async def list_events(request: AdmittedRequest, query: Annotated[EventsQuery, Query()]) -> Response:
    """What webhooks send, the same bodies byte for byte, in an order that never changes, whether or not there is an
    endpoint. Keep `meta.next_cursor` and send it as `after`: no event is skipped and none comes twice. Pro."""
    account_id, database = request.account.id, request.context.database
    async with database.read() as conn:
        fresh = await event_log_store.has_new(conn, account_id)
    if fresh:
        async with database.write() as conn:
            await event_log_store.take_positions(conn, account_id, request.now)
    after = int(query.after or 0)
    async with database.read() as conn:
        found = await event_log_store.read_after(
            conn, account_id, after, query.type or (), now=request.now, limit=query.limit
        )
    cursor = str(found.position) if found.position else None
    meta = {"next_cursor": cursor, "more": found.more}
    return data_response([orjson.Fragment(body) for body in found.bodies], meta=meta)
