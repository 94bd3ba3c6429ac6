"""Webhook endpoints with their deliveries, and the events that they send."""

from __future__ import annotations

import secrets
from typing import Annotated, TypeVar

import orjson
from fastapi import APIRouter, Body, Query
from starlette.responses import Response

from afterdrop.delivery import events
from afterdrop.delivery.webhooks import endpoint_store
from afterdrop.delivery.webhooks.address_rules import address_fault
from afterdrop.delivery.webhooks.endpoint_store import CreatedEndpoint, DeliveryJson, EndpointJson
from afterdrop.web.account_request import ApiRequest
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.route import PRO_ONLY, AdmittedRequest, StrictRoute
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.responses import data_response, no_content
from afterdrop.web.schemas.envelope import Data
from afterdrop.web.schemas.webhooks import EndpointChange, EventList, EventsQuery, NewEndpoint
from afterdrop.web.strict_input import IdPath, path_id

Row = TypeVar("Row", EndpointJson, DeliveryJson)
router = APIRouter(route_class=StrictRoute, tags=["Webhooks"])


@router.get(
    "/webhooks",
    response_model=Data[list[EndpointJson]],
    operation_id="listWebhooks",
    summary="Your webhook endpoints",
    responses=error_responses(),
)
async def list_webhooks(request: AdmittedRequest) -> Response:
    """All endpoints in order of id."""
    async with request.context.database.read() as conn:
        return data_response(await endpoint_store.list_endpoints(conn, request.account.id))


@router.post(
    "/webhooks",
    response_model=Data[CreatedEndpoint],
    status_code=201,
    operation_id="createWebhook",
    summary="Create a webhook endpoint",
    responses=error_responses("plan_required", "limit_reached")
    | {
        200: {
            "model": Data[EndpointJson],
            "description": "Repeated with the same Idempotency-Key: the endpoint as it was created, without its secret",
        }
    },
    dependencies=[PRO_ONLY],
)
async def create_webhook(request: AdmittedRequest, body: Annotated[NewEndpoint, Body()]) -> Response:
    """Adds an address that receives signed events. Pro, up to 3. The signing secret is returned only here."""
    _check_address(request, body.url)
    async with request.context.database.write() as conn:
        made = await endpoint_store.create_endpoint(
            conn,
            request.context.secret_box,
            request.account.id,
            endpoint_store.NewEndpoint(
                url=body.url, events=body.events, active=body.active, secret=secrets.token_urlsafe(32)
            ),
            limit=request.limits.webhook_endpoints,
            now=request.now,
        )
    return data_response(made, status=201)


@router.get(
    "/webhooks/{id}",
    response_model=Data[EndpointJson],
    operation_id="getWebhook",
    summary="One webhook endpoint",
    responses=error_responses("not_found"),
)
async def get_webhook(request: AdmittedRequest, id: IdPath) -> Response:
    """One of your endpoints."""
    async with request.context.database.read() as conn:
        return data_response(_found(await endpoint_store.get_endpoint(conn, request.account.id, path_id(id))))


@router.patch(
    "/webhooks/{id}",
    response_model=Data[EndpointJson],
    operation_id="changeWebhook",
    summary="Change a webhook endpoint",
    responses=error_responses("not_found", "plan_required"),
    dependencies=[PRO_ONLY],
)
async def change_webhook(
    request: AdmittedRequest, id: IdPath, body: Annotated[EndpointChange, Body()]
) -> Response:
    """Only the members you send change. `active: true` switches an endpoint back on and resets its failures."""
    sent = body.model_dump(exclude_unset=True)
    if "url" in sent:
        _check_address(request, body.url)
    async with request.context.database.write() as conn:
        return data_response(
            _found(await endpoint_store.change_endpoint(conn, request.account.id, path_id(id), sent))
        )


@router.delete(
    "/webhooks/{id}",
    status_code=204,
    response_class=Response,
    operation_id="deleteWebhook",
    summary="Delete a webhook endpoint",
    responses=error_responses("not_found"),
)
async def delete_webhook(request: AdmittedRequest, id: IdPath) -> Response:
    """Deletes the endpoint and its deliveries."""
    async with request.context.database.write() as conn:
        if not await endpoint_store.delete_endpoint(conn, request.account.id, path_id(id)):
            raise not_found()
    return no_content()


@router.post(
    "/webhooks/{id}/test",
    response_model=Data[DeliveryJson],
    status_code=202,
    operation_id="testWebhook",
    summary="Send a test event",
    responses=error_responses("not_found", "plan_required"),
    dependencies=[PRO_ONLY],
)
async def test_webhook(request: AdmittedRequest, id: IdPath) -> Response:
    """Sends a `ping`, whichever events the endpoint takes and whether or not it is on."""
    async with request.context.database.write() as conn:
        queued = await endpoint_store.test_endpoint(conn, request.account.id, path_id(id), request.now)
    return data_response(_found(queued), status=202)


@router.get(
    "/webhooks/{id}/deliveries",
    response_model=Data[list[DeliveryJson]],
    operation_id="listDeliveries",
    summary="Recent deliveries",
    responses=error_responses("not_found"),
)
async def list_deliveries(request: AdmittedRequest, id: IdPath) -> Response:
    """The last 50 deliveries, newest first. They are kept for 14 days."""
    async with request.context.database.read() as conn:
        found = await endpoint_store.list_deliveries(conn, request.account.id, path_id(id), request.now)
    if found is None:
        raise not_found()
    return data_response(found)


def _found(row: Row | None) -> Row:
    if row is None:
        raise not_found()
    return row


def _check_address(request: ApiRequest, url: str) -> None:
    fault = address_fault(url, allow_loopback=request.settings.webhook.allow_loopback)
    if fault:
        raise Invalid({"url": [fault]})


@router.get(
    "/events",
    response_model=EventList,
    operation_id="listEvents",
    summary="Events of the last 14 days",
    responses=error_responses("plan_required"),
    dependencies=[PRO_ONLY],
)
async def list_events(request: AdmittedRequest, query: Annotated[EventsQuery, Query()]) -> Response:
    """The events of webhooks, the same bodies byte for byte, in an order that never changes, whether or not there is an
    endpoint. Keep `meta.next_cursor` and send it as `after`: no event is skipped and none comes twice. Pro."""
    account_id, database = request.account.id, request.context.database
    async with database.read() as conn:
        fresh = await events.has_new(conn, account_id)
    if fresh:
        async with database.write() as conn:
            await events.take_positions(conn, account_id, request.now)
    after = int(query.after or 0)
    async with database.read() as conn:
        newest = await events.newest_position(conn, account_id)
        if after > (events.reached_by(request.now) if newest is None else newest):
            raise Invalid({"after": [f"is beyond the newest event ({newest or 'there is none'})"]})
        found = await events.read_after(
            conn, account_id, after, query.type or (), now=request.now, limit=query.limit
        )
    cursor = str(found.position) if found.position else None
    meta = {"next_cursor": cursor, "more": found.more}
    return data_response([orjson.Fragment(body) for body in found.bodies], meta=meta)
