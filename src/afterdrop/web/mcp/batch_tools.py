"""Tools that check many domains in one order, for at most the credits that a preview named."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from afterdrop.checks.batch import MOST_NAMES, batch_json, preview_json
from afterdrop.web.account_request import ApiRequest
from afterdrop.web.actions import check_batches
from afterdrop.web.actions.account import credits_left
from afterdrop.web.mcp import shapes, untrusted
from afterdrop.web.mcp.response_paging import Position
from afterdrop.web.mcp.tool import Listed, Name, Tool, ToolResult, counted_from, single, tool
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import RequestModel

Names = Annotated[list[v.UrlOrDomain], Field(min_length=1, max_length=MOST_NAMES)]
_DOMAINS = "Up to 100 domains; URLs and subdomains are reduced to the registered domain"


class Wanted(Listed):
    """Which domains."""

    domains: Names = Field(description=_DOMAINS)


class Order(RequestModel):
    """Which domains, and what may be spent on them."""

    domains: Names = Field(description=_DOMAINS)
    credits: v.BodyCount = Field(description="The most credits to spend: the `cost` that preview_checks gave")


class OneBatch(Listed):
    """Which batch."""

    id: Name = Field(description="The batch's `id`, such as bat_01KAGW4V6N3T5Y8Z2B7C9D1E0F")


@tool(
    "Preview checks of many domains", "read", shapes.answer(shapes.listed(shapes.BATCH_ITEM), shapes.PREVIEW)
)
async def preview_checks(request: ApiRequest, args: Wanted, position: Position) -> ToolResult:
    """What checks of up to 100 domains would cost; nothing is ordered. A domain whose report the account sees on a list
    (`listed`) and one checked within the last 7 days (`checked`) are free; every other (`new`) takes one credit. Tell
    the person `cost` and `credits_available` before order_checks."""
    found = await check_batches.preview(request, check_batches.all_names(args.domains, request.sale_zones))
    shown = preview_json(found.items, found.credits_available, request.settings.site_url)
    return _rows(shown, args.limit, position)


@tool("Order checks of many domains", "spend", shapes.answer(shapes.BATCH), shown_by="get_check_batch")
async def order_checks(request: ApiRequest, args: Order, position: Position) -> ToolResult:
    """Checks of up to 100 domains for at most `credits` credits, all of them or none: ask the person first, and name
    the cost that preview_checks gave. The answer has the batch's id: read it with get_check_batch, at most every
    10 seconds."""
    made = await check_batches.order(
        request, check_batches.all_names(args.domains, request.sale_zones), args.credits
    )
    shown = batch_json(made, request.settings.site_url)
    del shown["items"]
    return single({**shown, "credits_available": (await credits_left(request)).available})


@tool("Read a batch of checks", "read", shapes.answer(shapes.listed(shapes.BATCH_ITEM), shapes.BATCH))
async def get_check_batch(request: ApiRequest, args: OneBatch, position: Position) -> ToolResult:
    """Domains that were ordered together, each with its check as it is now; `meta.progress` counts them by state. Read
    a listed domain's report with get_report, a check's with get_check."""
    found = await check_batches.batch(request, args.id)
    return _rows(batch_json(found, request.settings.site_url), args.limit, position)


def _rows(shown: dict[str, Any], limit: int, position: Position) -> ToolResult:
    """The items from `position` on as rows, and what is said of all of them as `meta`."""
    items = shown.pop("items")
    rows = items[position.row : position.row + limit]
    more = position.row + len(rows) < len(items)
    meta = untrusted.visible_json(shown)
    return ToolResult([untrusted.batch_item(row) for row in rows], counted_from(position.row), more, meta)


TOOLS: tuple[Tool, ...] = (preview_checks, order_checks, get_check_batch)
