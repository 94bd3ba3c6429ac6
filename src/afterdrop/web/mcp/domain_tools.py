"""Tools over the three lists, the report and the revival kit."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema
from starlette.responses import Response

from afterdrop.web.api import domains
from afterdrop.web.api.request import ApiRequest
from afterdrop.web.api.schemas import values as v
from afterdrop.web.api.schemas.domains import ArchiveQuery, LiveQuery
from afterdrop.web.api.schemas.report import PagesQuery
from afterdrop.web.api.schemas.rules import Extensions, Text60, Topics, Types
from afterdrop.web.mcp import untrusted
from afterdrop.web.mcp.response_paging import ROWS, Place
from afterdrop.web.mcp.tool import Continued, Found, Listed, Name, Tool, after, body_of, one, tool, window

_TEXTS_A_PAGE = 5
_META = ("list", "total", "plan", "locked", "locked_note", "upgrade_url")
Code = Annotated[str, Field(strict=True), WithJsonSchema({"type": "string", "pattern": "^[A-Za-z]{2}$"})]
Codes = Annotated[tuple[Code, ...], Field(max_length=100), AfterValidator(v.two_letters)]
Part = Annotated[Text60, AfterValidator(v.plain_text)]


class Search(Listed):
    """Which list, which filters, which order."""

    list: Literal["live", "available", "archive"] = Field(
        default="live",
        description="`live`: auctions and drops not ended; `available`: dropped and free to register; "
        "`archive`: everything that ended",
    )
    q: Part | None = Field(default=None, description="Part of the domain name or of the old site's title")
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
    clean: v.BodyBool = Field(default=False, description="Only domains without risk flags and doubts")
    since: v.QueryMoment | None = Field(
        default=None, description="Only domains found at or after this time (ISO 8601)"
    )
    ending_within_hours: Annotated[v.BodyCount, Field(ge=1, le=720)] | None = Field(
        default=None, description="Only listings that end within so many hours, 1-720"
    )
    sort: Literal["score", "dr", "ending", "newest", "price", "ended"] | None = Field(
        default=None, description="Default `score`, on the archive `ended` (most recent first)"
    )


class OneDomain(Continued):
    """Which domain."""

    domain: Name = Field(description="A registrable domain, Unicode or A-labels")


class Pages(Listed):
    """Which pages of the old site."""

    domain: Name = Field(description="A registrable domain, Unicode or A-labels")
    content: v.BodyBool = Field(default=False, description="With the archived text as Markdown")


@tool("Search the domain lists", "read")
async def search_domains(ask: ApiRequest, args: Search, place: Place) -> Found:
    """Search vetted expiring, pending-delete and auctioned domains: the live list, those available now, or the
    archive. Each row has score, verdict, risk flags, metrics and listing. On the free plan the live list holds the
    day's open domains and `meta.locked` counts the other matches."""
    filters = args.model_dump(exclude_defaults=True, exclude={"list", "limit", "cursor"})
    if args.since is not None:
        filters["since"] = args.since.isoformat()

    async def page_of(number: int) -> Response:
        query = {**filters, "page": number, "per_page": ROWS}
        if args.list == "archive":
            return await domains.archive(ask, ArchiveQuery.model_validate(query))
        listed = domains.live if args.list == "live" else domains.available
        return await listed(ask, LiveQuery.model_validate(query))

    rows, meta = await window(page_of, ROWS, place.row, args.limit)
    more = place.row + len(rows) < meta["total"]
    shown = {name: meta[name] for name in _META if name in meta}
    return Found([untrusted.summary(row) for row in rows], after(place.row), more, shown)


@tool("Read a domain's report", "read")
async def get_report(ask: ApiRequest, args: OneDomain, place: Place) -> Found:
    """The report of a listed domain: how the score is made, what each risk check found, links, anchors, the history
    read from the web archive, and the registration once the listing has ended. `detail` is `basic`, the summary
    alone, where the rest is part of Pro. Not listed: order_check makes a report of any domain."""
    body = body_of(await domains.report(ask, args.domain))
    return one(untrusted.report(body["data"]))


@tool("List a domain's archived pages", "read")
async def list_pages(ask: ApiRequest, args: Pages, place: Place) -> Found:
    """The revival kit of a listed domain: the old site's most-archived pages, with `content` also their text."""
    include: Literal["content"] | None = "content" if args.content else None
    per_page = _TEXTS_A_PAGE if args.content else ROWS

    async def page_of(number: int) -> Response:
        return await domains.pages(
            ask, args.domain, PagesQuery(include=include, page=number, per_page=per_page)
        )

    rows, meta = await window(page_of, per_page, place.row, min(args.limit, per_page))
    numbered = [untrusted.page(row, place.row + number) for number, row in enumerate(rows, 1)]
    more = place.row + len(rows) < meta["total"]
    return Found(numbered, after(place.row), more, {"domain": meta["domain"], "total": meta["total"]})


TOOLS: tuple[Tool, ...] = (search_domains, get_report, list_pages)
