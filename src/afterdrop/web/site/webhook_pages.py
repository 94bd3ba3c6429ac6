"""Webhook endpoints: added, tested, switched on and off, their deliveries."""

from __future__ import annotations

import secrets

from starlette.responses import Response

from afterdrop.delivery.webhooks import endpoint_store
from afterdrop.delivery.webhooks.address_rules import address_fault
from afterdrop.delivery.webhooks.endpoint_store import NotRedelivered, redeliver
from afterdrop.web.api.schemas.values import EVENTS
from afterdrop.web.problems import not_found, plan_required
from afterdrop.web.site.account_pages import number
from afterdrop.web.site.site_request import SiteRequest

_NO_ENDPOINT = "There is no such webhook endpoint."


async def webhooks_page(visit: SiteRequest) -> Response:
    """All endpoints and a form for another."""
    return await _hooks(visit)


async def webhooks(visit: SiteRequest) -> Response:
    """Add an endpoint; its secret is shown now and never again."""
    _pro(visit)
    url, wanted, faults = _typed(visit)
    if faults:
        visit.form = visit.form.refused(faults)
        return await _hooks(visit, 422)
    try:
        async with visit.env.database.write() as conn:
            made = await endpoint_store.create_endpoint(
                conn,
                visit.env.secret_box,
                visit.member.id,
                endpoint_store.NewEndpoint(
                    url=url, events=wanted, active=True, secret=secrets.token_urlsafe(32)
                ),
                limit=visit.limits.webhook_endpoints,
                now=visit.now,
            )
    except endpoint_store.TooManyEndpoints as error:
        visit.form = visit.form.refused({"form": [error.message]})
        return await _hooks(visit, 409)
    return await _hooks(visit, made=made)


def _typed(visit: SiteRequest) -> tuple[str, list[str], dict[str, list[str]]]:
    """The address and events of the form, and what is wrong with them."""
    form = visit.form
    url = form.text("url")
    wanted: list[str] = [event for event in EVENTS if event in form.all("events")]
    faults: dict[str, list[str]] = {}
    fault = address_fault(url, allow_loopback=visit.env.settings.webhook.allow_loopback)
    if fault:
        faults["url"] = [fault]
    if not wanted:
        faults["events"] = ["choose at least one"]
    return url, wanted, faults


async def _hooks(
    visit: SiteRequest, status: int = 200, made: endpoint_store.CreatedEndpoint | None = None
) -> Response:
    async with visit.env.database.read() as conn:
        found = await endpoint_store.list_endpoints(conn, visit.member.id)
    return visit.page("webhooks.html", status, endpoints=found, made=made)


async def webhook_page(visit: SiteRequest) -> Response:
    """One endpoint with its last deliveries."""
    return await _hook(visit)


async def webhook(visit: SiteRequest) -> Response:
    """Test, change, switch, or delete an endpoint; or send one of its deliveries again."""
    endpoint_id, mine = number(visit.request.path_params["id"]), visit.member.id
    do = visit.form.text("do")
    if do != "delete":
        _pro(visit)
    url, wanted, faults = _typed(visit)
    if do == "change" and faults:
        visit.form = visit.form.refused(faults)
        return await _hook(visit, 422)
    done: object
    try:
        async with visit.env.database.write() as conn:
            if do == "delete":
                done = await endpoint_store.delete_endpoint(conn, mine, endpoint_id) or None
            elif do == "test":
                done = await endpoint_store.test_endpoint(conn, mine, endpoint_id, visit.now)
            elif do == "again":
                done = await redeliver(conn, mine, endpoint_id, visit.form.text("delivery"), visit.now)
            else:
                changes = {"url": url, "events": wanted} if do == "change" else {"active": do == "on"}
                done = await endpoint_store.change_endpoint(conn, mine, endpoint_id, changes)
    except NotRedelivered as error:
        visit.form = visit.form.refused({"form": [f"It was not sent again: {error.message}."]})
        return await _hook(visit, 409)
    if done is None:
        raise not_found(_NO_ENDPOINT)
    if do == "delete":
        return visit.go("/account/webhooks")
    return visit.go(f"/account/webhooks/{endpoint_id}" + ("?sent=1" if do in ("test", "again") else ""))


async def _hook(visit: SiteRequest, status: int = 200) -> Response:
    endpoint_id = number(visit.request.path_params["id"])
    async with visit.env.database.read() as conn:
        endpoint = await endpoint_store.get_endpoint(conn, visit.member.id, endpoint_id)
        sent = await endpoint_store.list_deliveries(conn, visit.member.id, endpoint_id, visit.now)
    if endpoint is None:
        raise not_found(_NO_ENDPOINT)
    queued = visit.request.query_params.get("sent") == "1"
    return visit.page("webhook.html", status, endpoint=endpoint, deliveries=sent or [], queued=queued)


def _pro(visit: SiteRequest) -> None:
    if visit.plan != "pro":
        raise plan_required("Webhooks are part of the Pro plan.")
