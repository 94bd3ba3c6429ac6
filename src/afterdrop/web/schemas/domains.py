"""Domain summaries and lists."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from afterdrop.catalogue.purchase import Deed
from afterdrop.catalogue.status import Status
from afterdrop.feeds.spec import ListingType
from afterdrop.metrics.values import Topic
from afterdrop.review.flags.risk_flags import Flag
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import PageMeta, RequestModel, ResponseModel

Verdict = Literal["ok", "risky"]

Timestamp = Annotated[
    str,
    Field(
        pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$",
        json_schema_extra={"format": "date-time"},
    ),
]
Day = Annotated[
    str,
    Field(pattern=r"^\d{4}-\d{2}-\d{2}$", json_schema_extra={"format": "date"}),
]


class LinkFigures(ResponseModel):
    """Link and archive figures that everybody sees; null where unknown."""

    domain_rating: int | None = Field(ge=0, le=100)
    referring_domains: int | None = Field(ge=0)
    archive_years: int | None = Field(ge=0, description="Calendar years with captures")
    archive_first_year: int | None
    archive_last_year: int | None


class Metrics(LinkFigures):
    """Link and archive figures; null where unknown. The trust figures are there only if `detail` is `full`."""

    trust_flow: int | None = Field(default=None, ge=0, le=100, description="Only if `detail` is `full`")
    citation_flow: int | None = Field(default=None, ge=0, le=100, description="Only if `detail` is `full`")


class Listing(ResponseModel):
    """The listing shown: the best live one, otherwise the last."""

    source: str = Field(description="Identifier of the marketplace")
    source_title: str | None = Field(
        default=None,
        description="Extension: the name of the marketplace; null if its feed does not say",
    )
    type: ListingType
    price_usd: int | None = Field(
        ge=0,
        description="Current price in US dollars; null if there is none. For an available domain, the registration fee",
    )
    bids: int = Field(ge=0)
    ends_at: Timestamp | None = Field(description="End of the auction or drop; null without a known end")
    url: str | None = Field(description="The listing; for an available domain, a registrar")


class Way(ResponseModel):
    """One way to buy a domain."""

    kind: Deed
    place: str = Field(description="Marketplace, catcher or registrar")
    label: str = Field(description="The text of a button")
    url: str = Field(description="Where to go")
    affiliate: bool = Field(description="Whether the address carries this site's affiliate parameter")


class DomainMembers(ResponseModel):
    """What every shape of a domain has."""

    domain: str = Field(description="Lowercase, A-labels")
    tld: str
    status: Status
    flags: list[Flag]
    topic: Topic | None
    language: str | None = Field(pattern="^[a-z]{2}$")
    title: str | None = Field(description="Title of the old site")
    purchase: list[Way] = Field(
        default=[],
        description="Extension: how to buy it, best way first: the listing, catchers for a name about to drop, a "
        "registrar for a free one. Empty once it has ended",
    )
    open: bool = Field(description="Whether it is one of the day's open domains of the free plan")
    report_url: str


class PublishedMembers(DomainMembers):
    """What every shape of a published domain has besides."""

    score: int = Field(ge=0, le=100)
    verdict: Verdict
    listing: Listing
    found_at: Timestamp


class Summary(PublishedMembers):
    """A vetted domain as lists, the watchlist, matches and events show it."""

    metrics: Metrics
    detail: Literal["full", "basic"]


class ListMeta(PageMeta):
    """Which list, which page, and what else Pro would show."""

    list: Literal["live", "available", "archive"]
    plan: Literal["free", "pro"]
    locked: Annotated[int, Field(ge=0)] | SkipJsonSchema[None] = Field(
        default=None,
        description="Free plan, live and available lists, without `q`: how many more domains match on the Pro list",
    )
    locked_note: str | SkipJsonSchema[None] = Field(default=None, description="`locked` in words")
    filter_note: str | SkipJsonSchema[None] = Field(
        default=None,
        description="Extension: free plan, `min_tf` on a list without `locked`: says that this filter is part of Pro",
    )
    upgrade_url: str | SkipJsonSchema[None] = Field(default=None, description="Free plan: the pricing page")


class DomainList(ResponseModel):
    """One page of a list."""

    data: list[Summary]
    meta: ListMeta


class ListFilters(RequestModel):
    """Filters and order of the three lists."""

    q: v.QueryText | None = Field(
        default=None,
        description="Search in the domain name and the title of the old site, up to 60 characters",
    )
    min_score: v.QueryScore | None = Field(default=None, description="Lowest score, 0-100; 0 means no filter")
    min_dr: v.QueryScore | None = Field(
        default=None, description="Lowest Domain Rating, 0-100; 0 means no filter"
    )
    min_tf: v.QueryScore | None = Field(
        default=None,
        description="Lowest Trust Flow, 0-100; 0 means no filter. The free plan matches only domains seen in full",
    )
    min_ref_domains: v.QueryCount | None = Field(default=None, description="Fewest referring domains")
    min_archive_years: v.QueryYears | None = Field(
        default=None, description="Fewest years with archive captures, 0-30"
    )
    max_price: v.QueryCount | None = Field(
        default=None, description="Highest current price in USD; domains without a price always pass"
    )
    tld: v.QueryExtensions | None = Field(
        default=None, description="Comma-separated extensions, `com` or `.com`"
    )
    type: v.QueryTypes | None = Field(
        default=None, description="Comma-separated: `bid`, `buy_now`, `pending_delete`, `auction`"
    )
    topic: v.QueryTopics | None = Field(default=None, description="Comma-separated topics, in any case")
    lang: v.QueryLangs | None = Field(default=None, description="Comma-separated two-letter language codes")
    clean: v.QueryBool | None = Field(
        default=None,
        description="Only domains with the verdict `ok` and no risk flags; `false` means no filter",
    )
    since: v.QueryMoment | None = Field(
        default=None, description="Only domains found at or after this time (ISO 8601)"
    )
    ending_within_hours: v.QueryHours | None = Field(
        default=None, description="Only listings ending within this many hours, 1-720"
    )
    sort: Literal["score", "dr", "ending", "newest", "price", "ended"] | None = Field(
        default=None, description="Default `score`; on the archive `ended`"
    )


class ExportQuery(ListFilters):
    """Which domains, in which form."""

    format: Literal["ndjson", "csv"] = Field(
        default="ndjson", description="`ndjson`: one JSON object per line; `csv`: values separated by commas"
    )


class ListQuery(ListFilters):
    """Filters, order and page of the three lists."""

    page: v.QueryPage = Field(default=1, description="Page, counted from 1")
    per_page: v.QueryHundred = Field(default=25, description="Items per page, 1-100")


class LiveQuery(ListQuery):
    """The same with the default order of the live and available lists."""

    sort: Literal["score", "dr", "ending", "newest", "price", "ended"] = Field(
        default="score", description="Order of the list"
    )


class ArchiveQuery(ListQuery):
    """The same with the default order of the archive."""

    sort: Literal["score", "dr", "ending", "newest", "price", "ended"] = Field(
        default="ended", description="Order of the list"
    )
