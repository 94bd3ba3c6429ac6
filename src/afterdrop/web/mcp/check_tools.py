"""Tools over domain checks. Ordering spends a credit, so it takes an explicit yes."""

from __future__ import annotations

from typing import Any

import orjson
from pydantic import Field
from starlette.responses import Response

from afterdrop.accounts.store import credit_balance
from afterdrop.checks.order import check_json, reusable_check
from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import BadName
from afterdrop.web.api import checks
from afterdrop.web.api.request import ApiRequest
from afterdrop.web.api.schemas import values as v
from afterdrop.web.api.schemas.checks import ChecksQuery, NewCheck
from afterdrop.web.mcp import untrusted
from afterdrop.web.mcp.response_paging import ROWS, Place
from afterdrop.web.mcp.tool import Continued, Found, Listed, Name, Tool, after, body_of, one, tool, window
from afterdrop.web.problems import Invalid
from afterdrop.web.responses import json_bytes


class Order(NewCheck):
    """What to check, and whether to spend the credit."""

    confirm: v.BodyBool = Field(
        default=False, description="`true` orders; else the answer only says cost and balance"
    )


class OneCheck(Continued):
    """Which check."""

    id: Name = Field(description="The check's `id`, such as chk_01KAGW4V6N3T5Y8Z2B7C9D1E0F")


@tool("Order a domain check", "spend")
async def order_check(ask: ApiRequest, args: Order, place: Place) -> Found:
    """A full report of any domain, listed or not, for one check credit. Without `confirm: true` nothing is ordered and
    the answer says cost and balance: ask the person first. A domain checked within 7 days gives that check again at
    no cost. A check usually takes under two minutes: read it with get_check, not more often than every 10 seconds."""
    offer = await _offer(ask, args)
    if not args.confirm:
        return one({"ordered": False, **offer})
    response = await checks.order(ask, args)
    check = body_of(response)["data"]
    new = response.status_code == 202
    left = await _credits(ask)
    return one({"ordered": new, "cost": int(new), "credits_available": left, "check": untrusted.check(check)})


async def _offer(ask: ApiRequest, args: Order) -> dict[str, Any]:
    """What an order would cost, and what there is to pay it with."""
    try:
        domain = domain_of_url(args.domain, ask.zones)
    except BadName as error:
        raise Invalid({"domain": [error.message]}) from None
    async with ask.env.database.read() as conn:
        earlier = await reusable_check(conn, ask.account.id, domain, ask.now)
    check = None if earlier is None else orjson.loads(json_bytes(check_json(earlier, ask.settings.site_url)))
    return {
        "domain": domain,
        "cost": 0 if check else 1,
        "credits_available": await _credits(ask),
        "check": check,
        "next": f"Call get_check with id {check['id']}."
        if check
        else "Call again with confirm: true to order.",
    }


async def _credits(ask: ApiRequest) -> int:
    async with ask.env.database.read() as conn:
        left = await credit_balance(conn, ask.account.id, allowance=ask.limits.checks_per_month, now=ask.now)
    return left.available


@tool("List domain checks", "read")
async def list_checks(ask: ApiRequest, args: Listed, place: Place) -> Found:
    """The checks the account ordered, newest first."""

    async def page_of(number: int) -> Response:
        return await checks.list_checks(ask, ChecksQuery(page=number, per_page=ROWS))

    rows, meta = await window(page_of, ROWS, place.row, args.limit)
    more = place.row + len(rows) < meta["total"]
    return Found([untrusted.check(row) for row in rows], after(place.row), more, {"total": meta["total"]})


@tool("Read a domain check", "read")
async def get_check(ask: ApiRequest, args: OneCheck, place: Place) -> Found:
    """A check: its status, and once it is done the report, whether the domain would have passed the daily vetting and
    why not, and its registration."""
    return one(untrusted.check(body_of(await checks.get_check(ask, args.id))["data"]))


TOOLS: tuple[Tool, ...] = (order_check, list_checks, get_check)
