"""Webhook endpoints: adding, testing and switching them, and their deliveries."""

from __future__ import annotations

import secrets
from typing import Final

from starlette.responses import Response

from afterdrop.delivery.events import EVENTS
from afterdrop.delivery.webhooks import endpoint_store
from afterdrop.delivery.webhooks.address_rules import address_fault
from afterdrop.delivery.webhooks.endpoint_store import NotRedelivered, redeliver
from afterdrop.web.problems import not_found
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.site_request import SiteRequest

_ENDPOINT_GONE: Final = (
    "Its secret and its deliveries are deleted too. To stop it for a while, pause it instead."
)
_NO_ENDPOINT = "This webhook endpoint does not exist."


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
    """Test, change, switch or delete an endpoint, or send one of its deliveries again."""
    endpoint_id, account_id = whole_number(request.http.path_params["id"]), request.member.id
    do = request.form.text("do")
    if do != "delete":
        request.require_pro("Webhooks")
    elif asked := request.ask_once("Delete this endpoint?", _ENDPOINT_GONE, "Delete the endpoint"):
        return asked
    url, wanted, errors = _form_values(request)
    if do == "change" and errors:
        request.form = request.form.with_errors(errors)
        return await webhook_page(request, 422)
    done: object
    try:
        async with request.context.database.write() as conn:
            if do == "delete":
                done = await endpoint_store.delete_endpoint(conn, account_id, endpoint_id) or None
            elif do == "test":
                done = await endpoint_store.test_endpoint(conn, account_id, endpoint_id, request.now)
            elif do == "again":
                done = await redeliver(
                    conn, account_id, endpoint_id, request.form.text("delivery"), request.now
                )
            else:
                changes = {"url": url, "events": wanted} if do == "change" else {"active": do == "on"}
                done = await endpoint_store.change_endpoint(conn, account_id, endpoint_id, changes)
    except NotRedelivered as error:
        request.form = request.form.with_errors({"form": [f"It could not be sent again: {error.message}."]})
        return await webhook_page(request, 409)
    if done is None:
        raise not_found(_NO_ENDPOINT)
    if do == "delete":
        return request.redirect("/account/webhooks")
    return request.redirect(
        f"/account/webhooks/{endpoint_id}" + ("?sent=1" if do in ("test", "again") else "")
    )


async def webhook_page(request: SiteRequest, status: int = 200) -> Response:
    """One endpoint with its last deliveries."""
    endpoint_id = whole_number(request.http.path_params["id"])
    async with request.context.database.read() as conn:
        endpoint = await endpoint_store.get_endpoint(conn, request.member.id, endpoint_id)
        sent = await endpoint_store.list_deliveries(conn, request.member.id, endpoint_id, request.now)
    if endpoint is None:
        raise not_found(_NO_ENDPOINT)
    queued = request.http.query_params.get("sent") == "1"
    return request.page("webhook.html", status, endpoint=endpoint, deliveries=sent or [], queued=queued)
