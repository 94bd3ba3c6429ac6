"""Tools over the three lists, the report and the revival kit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, create_model

from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.lists.pages import SITE_ROWS
from afterdrop.catalogue.rejections import RejectedFilter
from afterdrop.web.account_request import ApiRequest
from afterdrop.web.actions import lists, rejected, reports
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
from afterdrop.web.schemas.criteria import FilterQuery, argument_fields
from afterdrop.web.schemas.envelope import RequestModel
from afterdrop.web.strict_input import path_domain

_TEXTS_A_PAGE = 5
_META = ("list", "total", "plan", "locked", "locked_note", "filter_note", "upgrade_url")


if TYPE_CHECKING:

    class _Filters(Listed, FilterQuery): ...
else:
    _Filters = create_model("_Filters", __base__=(Listed, FilterQuery), **argument_fields())


class Search(_Filters):
    """Which list, which filters, which order."""

    list: Literal["live", "available", "archive"] = Field(
        default="live",
        description="`live`: auctions and drops that have not ended; `available`: dropped and free to register; "
        "`archive`: everything that has ended",
    )
    sort: Literal["score", "dr", "ending", "newest", "price", "ended"] | None = Field(
        default=None, description="Default `score`; on the archive `ended` (most recent first)"
    )


class OneDomain(RequestModel):
    """Which domain."""

    domain: Name = Field(description="A registrable domain, Unicode or A-labels")


class Pages(Listed):
    """Which pages of the old site."""

    domain: Name = Field(description="A registrable domain, Unicode or A-labels")
    content: v.BodyBool = Field(default=False, description="Also give the archived text as Markdown")
    era: Annotated[int, Field(strict=True, ge=1, le=1000)] | None = Field(
        default=None,
        description="Only the pages of one owner, by the number of `revival_kit.eras` of the report",
    )


@tool("Search the domain lists", "read")
async def search_domains(request: ApiRequest, args: Search, position: Position) -> ToolResult:
    """Search vetted expiring, pending-delete and auctioned domains: the live list, those available now, or the
    archive. Each row has score, verdict, risk flags, metrics and listing. On the free plan the live list has the
    day's open domains, and `meta.locked` counts the other matches."""
    asked = lists.selection(request, args.list, ListFilter.of(**args.asked()), args.sort)

    async def read_page(number: int) -> ToolPage:
        found = await request.context.lists.page(asked, number, ROWS, SITE_ROWS)
        return found.rows, lists.list_meta(request, asked, (number, ROWS), found)

    rows, meta = await rows_of_pages(read_page, ROWS, position.row, args.limit)
    more = position.row + len(rows) < meta["total"]
    shown_meta = {name: meta[name] for name in _META if name in meta}
    shown = [untrusted.listed(row) for row in rows]
    return ToolResult(shown, counted_from(position.row), more, shown_meta)


class Rejected(Listed):
    """Which rejected names."""

    q: v.QueryText | None = Field(default=None, description="Part of the name")
    extension: v.QueryText | None = Field(default=None, description="`com` or `.com`")
    spam: v.BodyBool = Field(default=False, description="Only names rejected for spam")


@tool("List rejected domains", "read")
async def list_rejected(request: ApiRequest, args: Rejected, position: Position) -> ToolResult:
    """Names that a scan looked at and did not list, the newest first, with the reasons and the capture that shows them
    (under `untrusted_text`: it quotes the old site). Part of Pro."""
    wanted = RejectedFilter.of(args.q, args.extension, spam=args.spam)

    async def read_page(number: int) -> ToolPage:
        rows, total = await rejected.rejected(request, wanted, page=number, per_page=ROWS)
        return rows, page_meta(total, number, ROWS)

    rows, meta = await rows_of_pages(read_page, ROWS, position.row, args.limit)
    more = position.row + len(rows) < meta["total"]
    shown = [untrusted.rejected(row) for row in rows]
    return ToolResult(shown, counted_from(position.row), more, {"total": meta["total"]})


@tool("Read a domain's report", "read")
async def get_report(request: ApiRequest, args: OneDomain, position: Position) -> ToolResult:
    """The report of a listed domain: how the score is made, what each risk check found, links, anchors, the history
    read from the web archive, and the registration once the listing has ended. `detail` is `basic` where only
    the summary is shown and the rest is part of Pro. For a domain that is not listed, use order_check."""
    return single(untrusted.report(await reports.report(request, args.domain)))


@tool("List a domain's archived pages", "read")
async def list_pages(request: ApiRequest, args: Pages, position: Position) -> ToolResult:
    """The revival kit of a listed domain: the old site's most archived pages; with `content`, also their text."""
    per_page = _TEXTS_A_PAGE if args.content else ROWS

    async def read_page(number: int) -> ToolPage:
        rows, total = await reports.revival_kit(
            request, args.domain, page=number, per_page=per_page, content=args.content, era=args.era
        )
        return rows, page_meta(total, number, per_page)

    rows, meta = await rows_of_pages(read_page, per_page, position.row, min(args.limit, per_page))
    numbered = [untrusted.page(row, position.row + number) for number, row in enumerate(rows, 1)]
    more = position.row + len(rows) < meta["total"]
    shown_meta = {"domain": path_domain(args.domain, request.sale_zones), "total": meta["total"]}
    return ToolResult(numbered, counted_from(position.row), more, shown_meta)


TOOLS: tuple[Tool, ...] = (search_domains, list_rejected, get_report, list_pages)
