"""Tools over domain checks. Ordering spends a credit, so it takes an explicit yes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from afterdrop.checks.batch import MOST_NAMES, CheckBatchJson, CheckBatchPreview, batch_json, preview_json
from afterdrop.checks.order import CheckJson, check_json, reusable_check
from afterdrop.web.account_request import ApiRequest
from afterdrop.web.actions import checks
from afterdrop.web.actions.account import credits_left
from afterdrop.web.mcp import untrusted
from afterdrop.web.mcp.response_paging import ROWS, Position
from afterdrop.web.mcp.tool import (
    Listed,
    Name,
    Tool,
    ToolPage,
    ToolResult,
    counted_from,
    rows_of_pages,
    single,
    tool,
)
from afterdrop.web.responses import page_meta
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.checks import NewCheck
from afterdrop.web.schemas.envelope import RequestModel
from afterdrop.web.strict_input import read_domain


class Order(NewCheck):
    """The name to check, and whether to spend the credit."""

    confirm: v.BodyBool = Field(
        default=False, description="`true` orders the check; otherwise the answer only names cost and balance"
    )


class OneCheck(RequestModel):
    """Which check."""

    id: Name = Field(description="The check's `id`, such as chk_01KAGW4V6N3T5Y8Z2B7C9D1E0F")


@tool("Order a domain check", "spend")
async def order_check(request: ApiRequest, args: Order, position: Position) -> ToolResult:
    """A full report of any domain, listed or not, for one check credit. Without `confirm: true` nothing is ordered and
    the answer names cost and balance: ask the person first. A domain checked within the last 7 days returns that check
    for free. A check usually takes under two minutes: read it with get_check, at most every 10 seconds."""
    domain = read_domain(args.domain, request.sale_zones)
    if not args.confirm:
        return single({"ordered": False, **await _offer(request, domain)})
    ordered = await checks.order(request, domain)
    check: dict[str, Any] = {**check_json(ordered.check, request.settings.site_url)}
    new = ordered.queue_position is not None
    if new:
        check["queue_position"] = ordered.queue_position
    left = (await credits_left(request)).available
    return single(
        {"ordered": new, "cost": int(new), "credits_available": left, "check": untrusted.check(check)}
    )


async def _offer(request: ApiRequest, domain: str) -> dict[str, Any]:
    """The cost of an order, and the means to pay it with."""
    async with request.context.database.read() as conn:
        earlier = await reusable_check(conn, request.account.id, domain, request.now)
    check = None if earlier is None else check_json(earlier, request.settings.site_url)
    return {
        "domain": domain,
        "cost": 0 if check else 1,
        "credits_available": (await credits_left(request)).available,
        "check": check,
        "next": _next_step(request, check),
    }


def _next_step(request: ApiRequest, check: CheckJson | None) -> str:
    if check:
        return f"Call get_check with id {check['id']}."
    if request.scope == "no_spending":
        return "This key may not spend credits. A person can order the check on the site."
    return "Call again with confirm: true to order the check."


@tool("List domain checks", "read")
async def list_checks(request: ApiRequest, args: Listed, position: Position) -> ToolResult:
    """The checks the account has ordered, newest first."""

    async def read_page(number: int) -> ToolPage:
        rows, total = await checks.list_checks(request, number, ROWS)
        return rows, page_meta(total, number, ROWS)

    rows, meta = await rows_of_pages(read_page, ROWS, position.row, args.limit)
    more = position.row + len(rows) < meta["total"]
    shown = [untrusted.check(row) for row in rows]
    return ToolResult(shown, counted_from(position.row), more, {"total": meta["total"]})


@tool("Read a domain check", "read")
async def get_check(request: ApiRequest, args: OneCheck, position: Position) -> ToolResult:
    """A check: its status and, once it is done, the report, whether the daily scan would have listed the domain, why
    not, and its registration."""
    return single(untrusted.check(await checks.get_check(request, args.id)))


Names = Annotated[list[v.UrlOrDomain], Field(min_length=1, max_length=MOST_NAMES)]
_DOMAINS = "Up to 100 domains; URLs and subdomains are reduced to the registered domain"


class Wanted(Listed):
    """Which domains."""

    domains: Names = Field(description=_DOMAINS)


class BatchOrder(RequestModel):
    """Which domains, and what may be spent on them."""

    domains: Names = Field(description=_DOMAINS)
    credits: v.BodyCount = Field(description="The most credits to spend: the `cost` that preview_checks gave")


class OneBatch(Listed):
    """Which batch."""

    id: Name = Field(description="The batch's `id`, such as bat_01KAGW4V6N3T5Y8Z2B7C9D1E0F")


@tool("Preview checks of many domains", "read")
async def preview_checks(request: ApiRequest, args: Wanted, position: Position) -> ToolResult:
    """The cost of checks of up to 100 domains; nothing is ordered. A domain whose report the account sees on a list
    (`listed`) and one checked within the last 7 days (`checked`) are free; every other (`new`) takes one credit. Tell
    the person `cost` and `credits_available` before order_checks."""
    found = await checks.preview_names(request, checks.all_names(args.domains, request.sale_zones))
    shown = preview_json(found.items, found.credits_available, request.settings.site_url)
    return _rows(shown, args.limit, position)


@tool("Order checks of many domains", "spend")
async def order_checks(request: ApiRequest, args: BatchOrder, position: Position) -> ToolResult:
    """Checks of up to 100 domains for at most `credits` credits, all of them or none: ask the person first, and name
    the cost that preview_checks gave. The answer has the batch's id: read it with get_check_batch, at most every
    10 seconds."""
    made = await checks.order_names(request, checks.all_names(args.domains, request.sale_zones), args.credits)
    ordered = {
        name: value for name, value in batch_json(made, request.settings.site_url).items() if name != "items"
    }
    return single({**ordered, "credits_available": (await credits_left(request)).available})


@tool("Read a batch of checks", "read")
async def get_check_batch(request: ApiRequest, args: OneBatch, position: Position) -> ToolResult:
    """Domains that were ordered together, each with its check as it is now; `meta.progress` counts them by state. Read
    a listed domain's report with get_report, a check's with get_check."""
    found = await checks.get_batch(request, args.id)
    return _rows(batch_json(found, request.settings.site_url), args.limit, position)


def _rows(batch: CheckBatchPreview | CheckBatchJson, limit: int, position: Position) -> ToolResult:
    """The items from `position` on as rows, and what is said of all of them as `meta`."""
    items = batch["items"]
    rows = items[position.row : position.row + limit]
    more = position.row + len(rows) < len(items)
    meta = untrusted.visible_json({name: value for name, value in batch.items() if name != "items"})
    return ToolResult([untrusted.batch_item(row) for row in rows], counted_from(position.row), more, meta)


TOOLS: tuple[Tool, ...] = (
    order_check,
    list_checks,
    get_check,
    preview_checks,
    order_checks,
    get_check_batch,
)
