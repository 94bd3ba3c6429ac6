"""Webhook endpoints: adding, testing and switching them, and their deliveries."""

from __future__ import annotations

import secrets
from typing import Final

import orjson
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from afterdrop.delivery.events import EVENTS
from afterdrop.delivery.webhooks import delivery_states, endpoint_store
from afterdrop.delivery.webhooks.address_rules import address_fault
from afterdrop.delivery.webhooks.endpoint_store import NotRedelivered, redeliver
from afterdrop.web.problems import not_found
from afterdrop.web.site.forms import Form, whole_number
from afterdrop.web.site.site_request import SiteRequest

_ENDPOINT_GONE: Final = (
    "Its secret and its deliveries are deleted too. To stop it for a while, pause it instead."
)
_NO_ENDPOINT = "This webhook endpoint does not exist."
_DROPPED: Final = (
    "They are not sent any more. Their events can be read for 14 days all the same: GET /events."
)
_AT_ONCE: Final = 500


async def add_webhook(request: SiteRequest) -> Response:
    """Add an endpoint. Its secret is shown only now."""
    request.require_pro("Webhooks")
    url, wanted, errors = _form_values(request)
    if errors:
        request.form = request.form.with_errors(errors)
        return await webhooks_page(request, 422)
    try:
        async with request.context.database.write() as conn:
            made = await endpoint_store.create_endpoint(
                conn,
                request.context.secret_box,
                request.member.id,
                endpoint_store.NewEndpoint(
                    url=url, events=wanted, active=True, secret=secrets.token_urlsafe(32)
                ),
                limit=request.limits.webhook_endpoints,
                now=request.now,
            )
    except endpoint_store.TooManyEndpoints as error:
        request.form = request.form.with_errors({"form": [error.message]})
        return await webhooks_page(request, 409)
    request.form = Form()  # for another endpoint, not for this one again
    return await webhooks_page(request, made=made)


def _form_values(request: SiteRequest) -> tuple[str, list[str], dict[str, list[str]]]:
    """The address and events of the form, and error messages by field."""
    form = request.form
    url = form.text("url")
    wanted: list[str] = [event for event in EVENTS if event in form.all("events")]
    errors: dict[str, list[str]] = {}
    fault = address_fault(url, allow_loopback=request.context.settings.webhook.allow_loopback)
    if fault:
        errors["url"] = [fault]
    if not wanted:
        errors["events"] = ["choose at least one"]
    return url, wanted, errors


async def webhooks_page(
    request: SiteRequest, status: int = 200, made: endpoint_store.CreatedEndpoint | None = None
) -> Response:
    """All endpoints and a form for another."""
    async with request.context.database.read() as conn:
        found = await endpoint_store.list_endpoints(conn, request.member.id)
    return request.page("webhooks.html", status, endpoints=found, made=made)


async def change_webhook(request: SiteRequest) -> Response:
    """Test, change, switch or delete an endpoint, or send one or all of its failed deliveries again."""
    if request.form.text("do") == "drop":
        return await _drop(request)
    endpoint_id = whole_number(request.http.path_params["id"])
    do = request.form.text("do")
    if do != "delete":
        request.require_pro("Webhooks")
    elif asked := request.ask_once("Delete this endpoint?", _ENDPOINT_GONE, "Delete the endpoint"):
        return asked
    *_, errors = _form_values(request)
    if do == "change" and errors:
        request.form = request.form.with_errors(errors)
        return await webhook_page(request, 422)
    try:
        async with request.context.database.write() as conn:
            done = await _do(conn, request, endpoint_id, do)
    except NotRedelivered as error:
        request.form = request.form.with_errors({"form": [f"It could not be sent again: {error.message}."]})
        return await webhook_page(request, 409)
    if done is None:
        raise not_found(_NO_ENDPOINT)
    if do == "delete":
        return request.redirect("/account/webhooks")
    return request.redirect(
        f"/account/webhooks/{endpoint_id}" + ("?sent=1" if do in ("test", "again", "all again") else "")
    )


async def _do(conn: AsyncConnection, request: SiteRequest, endpoint_id: int, do: str) -> object:
    """Do what the form asks for; None where the account has no such endpoint or delivery."""
    account_id, now = request.member.id, request.now
    if do == "delete":
        return await endpoint_store.delete_endpoint(conn, account_id, endpoint_id) or None
    if do == "test":
        return await endpoint_store.test_endpoint(conn, account_id, endpoint_id, now)
    if do == "again":
        return await redeliver(conn, account_id, endpoint_id, request.form.text("delivery"), now)
    if do == "all again":
        return await delivery_states.send_failed_again(conn, account_id, endpoint_id, now)
    url, wanted, _ = _form_values(request)
    changes = {"url": url, "events": wanted} if do == "change" else {"active": do == "on"}
    return await endpoint_store.change_endpoint(conn, account_id, endpoint_id, changes)


async def _drop(request: SiteRequest) -> Response:
    """Drop all deliveries that are in the form's state."""
    endpoint_id, account_id = whole_number(request.http.path_params["id"]), request.member.id
    state = next((name for name in delivery_states.STATES if name == request.form.text("state")), None)
    if state is None or state == "delivered":
        raise not_found("There are no such deliveries.")
    if asked := request.ask_once(f"Drop all {state} deliveries?", _DROPPED, "Drop them"):
        return asked
    dropped = _AT_ONCE
    while dropped == _AT_ONCE:
        async with request.context.database.write() as conn:
            dropped = await delivery_states.drop(conn, account_id, endpoint_id, state, request.now, _AT_ONCE)
    return request.redirect(f"/account/webhooks/{endpoint_id}")


async def webhook_page(request: SiteRequest, status: int = 200) -> Response:
    """One endpoint with the states of its deliveries, and the last of them."""
    endpoint_id, account_id = whole_number(request.http.path_params["id"]), request.member.id
    async with request.context.database.read() as conn:
        endpoint = await endpoint_store.get_endpoint(conn, account_id, endpoint_id)
        states = await delivery_states.counts(conn, account_id, endpoint_id, request.now)
        sent = await delivery_states.newest(conn, account_id, endpoint_id, request.now)
    if endpoint is None:
        raise not_found(_NO_ENDPOINT)
    queued = request.http.query_params.get("sent") == "1"
    return request.page(
        "webhook.html", status, endpoint=endpoint, states=states, deliveries=sent, queued=queued
    )


async def delivery_page(request: SiteRequest) -> Response:
    """The body of a delivery, as text."""
    endpoint_id, event_id = whole_number(request.http.path_params["id"]), request.http.path_params["event"]
    async with request.context.database.read() as conn:
        body = await delivery_states.payload(conn, request.member.id, endpoint_id, event_id, request.now)
    if body is None:
        raise not_found("There is no such delivery.")
    text = orjson.dumps(orjson.loads(body), option=orjson.OPT_INDENT_2).decode()
    return request.page("delivery.html", endpoint=endpoint_id, event=event_id, text=text, size=len(body))
