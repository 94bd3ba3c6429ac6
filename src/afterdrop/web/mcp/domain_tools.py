"""Tools over the three lists, the report and the revival kit."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from afterdrop.catalogue.status import Became
from afterdrop.web.account_request import ApiRequest
from afterdrop.web.actions import domains
from afterdrop.web.actions.domains import Asked
from afterdrop.web.mcp import shapes, untrusted
from afterdrop.web.mcp.response_paging import ROWS, Position
from afterdrop.web.mcp.tool import (
    Listed,
    Name,
    Paged,
    Tool,
    ToolPage,
    ToolResult,
    counted_from,
    rows_of_pages,
    single,
    tool,
)
from afterdrop.web.paths import path_domain
from afterdrop.web.responses import page_meta
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import ArchiveQuery, ListQuery, LiveQuery
from afterdrop.web.schemas.rules import Extensions, Text60, Topics, Types

_TEXTS_A_PAGE = 5
_META = ("list", "total", "plan", "locked", "locked_note", "filter_note", "upgrade_url")
Code = Annotated[str, Field(strict=True), WithJsonSchema({"type": "string", "pattern": "^[A-Za-z]{2}$"})]
Codes = Annotated[tuple[Code, ...], Field(max_length=100), AfterValidator(v.two_letters)]
Outcomes = Annotated[list[Became], Field(max_length=5)]
Part = Annotated[Text60, AfterValidator(v.plain_text)]


class Search(Listed):
    """Which list, which filters, which order."""

    list: Literal["live", "available", "archive"] = Field(
        default="live",
        description="`live`: auctions and drops that have not ended; `available`: dropped and free to register; "
        "`archive`: everything that has ended",
    )
    q: Part | None = Field(default=None, description="Part of the domain name or the old site's title")
    min_score: v.BodyScore | None = Field(default=None, description="Lowest score, 0-100")
    min_dr: v.BodyScore | None = Field(default=None, description="Lowest Domain Rating, 0-100")
    min_tf: v.BodyScore | None = Field(default=None, description="Lowest Trust Flow, 0-100")
    min_ref_domains: v.BodyCount | None = Field(default=None, description="Fewest referring domains")
    min_archive_years: v.BodyYears | None = Field(default=None, description="Fewest years in the archive")
    max_price: v.BodyCount | None = Field(
        default=None, description="Highest price in US dollars; domains without a price pass"
    )
    tld: Extensions = Field(default=[], description="Extensions, such as com or co.uk; empty = any")
    type: Types = Field(default=[], description="Listing types; empty = any")
    topic: Topics = Field(default=[], description="Topics of the old site; empty = any")
    lang: Codes = Field(default=(), description="Two-letter language codes; empty = any")
    clean: v.BodyBool = Field(
        default=False, description="Only domains with the verdict `ok` and no risk flags"
    )
    since: v.QueryMoment | None = Field(
        default=None, description="Only domains found at or after this time (ISO 8601)"
    )
    ending_within_hours: Annotated[v.BodyCount, Field(ge=1, le=720)] | None = Field(
        default=None, description="Only listings that end within this many hours, 1-720"
    )
    outcome: Outcomes = Field(
        default=[],
        description="What became of ended domains: only these (with `list` = archive); empty = any. "
        "On the free plan only domains that were open on some day match",
    )
    sort: Literal["score", "dr", "ending", "newest", "price", "ended"] | None = Field(
        default=None, description="Default `score`; on the archive `ended` (most recent first)"
    )


class OneDomain(Paged):
    """Which domain."""

    domain: Name = Field(description="A registrable domain, Unicode or A-labels")


class Pages(Listed):
    """Which pages of the old site."""

    domain: Name = Field(description="A registrable domain, Unicode or A-labels")
    content: v.BodyBool = Field(default=False, description="Also give the archived text as Markdown")


@tool(
    "Search the domain lists",
    "read",
    shapes.answer(
        shapes.listed(shapes.SEARCHED),
        shapes.members(
            list=shapes.TEXT,
            total=shapes.WHOLE,
            plan=shapes.TEXT,
            locked=shapes.WHOLE,
            locked_note=shapes.TEXT,
            filter_note=shapes.TEXT,
            upgrade_url=shapes.TEXT,
        ),
    ),
)
async def search_domains(request: ApiRequest, args: Search, position: Position) -> ToolResult:
    """Search vetted expiring, pending-delete and auctioned domains: the live list, those available now, or the
    archive. Each row has score, verdict, risk flags, metrics and listing. On the free plan the live list has the
    day's open domains, and `meta.locked` counts the other matches."""
    filters = args.model_dump(exclude_defaults=True, exclude={"list", "limit", "cursor", "outcome"})
    if args.since is not None:
        filters["since"] = args.since.isoformat()
    model: type[ListQuery] = ArchiveQuery if args.list == "archive" else LiveQuery

    async def read_page(number: int) -> ToolPage:
        query = model.model_validate({**filters, "page": number, "per_page": ROWS})
        wanted = replace(domains.list_filter(query), outcomes=frozenset(args.outcome))
        asked = Asked(args.list, wanted, query.sort)
        found = await domains.site_page(request, asked, number, ROWS)
        told = domains.list_meta(request, args.list, query, found)
        note = domains.filter_note(request, wanted, found)
        return found.rows, told if note is None else {**told, "filter_note": note}

    rows, meta = await rows_of_pages(read_page, ROWS, position.row, args.limit)
    more = position.row + len(rows) < meta["total"]
    shown_meta = {name: meta[name] for name in _META if name in meta}
    shown = [untrusted.listed(row) for row in rows]
    return ToolResult(shown, counted_from(position.row), more, shown_meta)


@tool("Read a domain's report", "read", shapes.answer(shapes.REPORT))
async def get_report(request: ApiRequest, args: OneDomain, position: Position) -> ToolResult:
    """The report of a listed domain: how the score is made, what each risk check found, links, anchors, the history
    read from the web archive, and the registration once the listing has ended. `detail` is `basic` where only
    the summary is shown and the rest is part of Pro. For a domain that is not listed, use order_check."""
    return single(untrusted.report(await domains.report(request, args.domain)))


@tool(
    "List a domain's archived pages",
    "read",
    shapes.answer(shapes.listed(shapes.PAGE), shapes.members(domain=shapes.TEXT, total=shapes.WHOLE)),
)
async def list_pages(request: ApiRequest, args: Pages, position: Position) -> ToolResult:
    """The revival kit of a listed domain: the old site's most archived pages; with `content`, also their text."""
    per_page = _TEXTS_A_PAGE if args.content else ROWS

    async def read_page(number: int) -> ToolPage:
        rows, total = await domains.revival_kit(
            request, args.domain, page=number, per_page=per_page, content=args.content
        )
        return rows, page_meta(total, number, per_page)

    rows, meta = await rows_of_pages(read_page, per_page, position.row, min(args.limit, per_page))
    numbered = [untrusted.page(row, position.row + number) for number, row in enumerate(rows, 1)]
    more = position.row + len(rows) < meta["total"]
    shown_meta = {"domain": path_domain(args.domain, request.sale_zones), "total": meta["total"]}
    return ToolResult(numbered, counted_from(position.row), more, shown_meta)


TOOLS: tuple[Tool, ...] = (search_domains, get_report, list_pages)
