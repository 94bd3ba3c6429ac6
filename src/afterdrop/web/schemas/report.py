"""The domain report and the revival kit."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, RootModel
from pydantic.json_schema import SkipJsonSchema

from afterdrop.catalogue.standing import Standing
from afterdrop.feeds.spec import ListingType
from afterdrop.review.flags.risk_flags import Flag
from afterdrop.review.spam.verdict import Outcome
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import (
    Day,
    DomainMembers,
    LinkFigures,
    PublishedMembers,
    Timestamp,
    Verdict,
)
from afterdrop.web.schemas.envelope import PageMeta, RequestModel, ResponseModel


class ReportMetrics(LinkFigures):
    """The summary's figures and those of other providers; null where unknown."""

    trust_flow: int | None = Field(ge=0, le=100)
    citation_flow: int | None = Field(ge=0, le=100)
    tf_cf_ratio: float | None = Field(ge=0)
    backlinks: int | None = Field(ge=0)
    vendor_a_authority_score: int | None = Field(
        alias="<vendor_a>_authority_score", title="Vendor A authority score"
    )
    vendor_b_domain_authority: int | None = Field(
        alias="<vendor_b>_domain_authority", title="Vendor B domain authority"
    )
    vendor_d_pagerank: float | None = Field(alias="<vendor_d>_pagerank", title="Vendor D page rank")
    search_engine_indexed_pages: int | None = Field(
        alias="<search_engine>_indexed_pages", title="Indexed pages"
    )
    archived_urls: int | None = Field(ge=0)
    link_rank: float | None = Field(
        default=None, ge=0, le=100, description="Extension: rank in the open web graph; 100 is best"
    )


class ScoreBreakdown(ResponseModel):
    """The parts of the score, each a fraction; null where unknown. `penalty` is what the flags take off."""

    vendor_c_dr: float | None = Field(alias="<vendor_c>_dr", title="Domain Rating part")
    trust_flow: float | None
    ref_domains: float | None
    vendor_a_as: float | None = Field(alias="<vendor_a>_as", title="Authority score part")
    vendor_d_pagerank: float | None = Field(alias="<vendor_d>_pagerank", title="Page rank part")
    history: float | None
    age: float | None
    price: float | None
    penalty: float = Field(ge=0, le=1)


class Anchor(ResponseModel):
    """One anchor text and how many domains use it."""

    text: str
    referring_domains: int = Field(ge=0)


class Anchors(ResponseModel):
    """The most used anchor texts."""

    top: list[Anchor] | None
    spam_share: float | None = Field(ge=0, le=1)


class TopicFlow(ResponseModel):
    """Trust flow by topic."""

    topic: str
    trust_flow: int = Field(ge=0, le=100)


class RiskCheck(ResponseModel):
    """One risk, and whether it was found."""

    flag: Flag
    label: str
    result: Literal["clean", "found", "unknown"]
    severity: Literal["risk", "info"]
    note: str


class ReportRegistration(ResponseModel):
    """The registration after the listing's end."""

    availability: Literal["available", "registered", "dropping", "unknown"]
    checked_at: Timestamp | None
    available_since: Timestamp | None
    register_url: str | None
    registrar: str | None
    registered_at: Timestamp | None
    expires_at: Timestamp | None
    caught_after_drop: bool


class RevivalKit(ResponseModel):
    """How many archived pages there are to revive, and where to find them."""

    pages: int = Field(ge=0)
    url: str | None = Field(description="Null in a check of a domain that is not on the list")


class Attribution(ResponseModel):
    """Whose data the report contains, as its licence asks."""

    text: str
    url: str | None


class Era(ResponseModel):
    """What was on the home page from one capture to another."""

    kind: Literal["site", "suspect", "spam", "parked", "error", "redirect", "failed"]
    start: Timestamp
    end: Timestamp
    captures: int = Field(ge=0)
    days: int = Field(ge=0)
    url: str = Field(description="A capture that shows it")
    language: str | None
    title: str | None
    topic: str | None
    brand: list[str] = Field(description="Words that name the owner")
    detail: str | None = Field(description="What kind of parking, spam or error it was")
    excerpt: str | None = Field(default=None, description="An excerpt of the page's text")


class Finding(ResponseModel):
    """One thing found in the history, with its evidence."""

    code: str
    severity: int = Field(ge=0, le=3, description="From 0 (worth knowing) to 3 (decides alone)")
    note: str
    category: str
    at: Timestamp | None = Field(description="Time of the capture")
    url: str = Field(description="The address of the capture; empty if there is none")
    zone: str = Field(description="The part of the page where `quote` was found")
    quote: str
    rule: str
    lexicon: str
    years: list[int] | None = Field(default=None, description="Extension: first and last year of a gap")


class SiteHistory(ResponseModel):
    """What the web archive shows of the old site."""

    reviewed_at: Timestamp
    outcome: Outcome | None = Field(default=None, description="The conclusion drawn from the pages")
    first_capture: Timestamp | None
    last_capture: Timestamp | None
    captures: int = Field(ge=0)
    eras: list[Era]
    findings: list[Finding]


class ScoreInput(ResponseModel):
    """The figure that a part of the score was made from."""

    value: float
    of: int | SkipJsonSchema[None] = Field(default=None, description="The total it is a part of")
    source: str | SkipJsonSchema[None] = Field(default=None, description="Who gave it, as named here")
    at: Timestamp | SkipJsonSchema[None] = Field(default=None, description="When it was read")


class SpamCheck(ResponseModel):
    """Whether spam was found on the domain's pages or in the links to it."""

    result: Literal["found", "suspected", "overruled", "clean", "unknown"]
    note: str


class ReportParts(ResponseModel):
    """What a report has besides the members of a summary."""

    detail: Literal["full"]
    metrics: ReportMetrics
    score_breakdown: ScoreBreakdown
    standing: Standing | SkipJsonSchema[None] = Field(
        default=None, description="Extension: the conclusion, before any number"
    )
    score_inputs: dict[str, ScoreInput] = Field(
        default={}, description="Extension: the figure behind each part of the score"
    )
    spam: SpamCheck | SkipJsonSchema[None] = Field(
        default=None, description="Extension: whether spam was found; spam is not a flag"
    )
    score_notes: dict[str, str] = Field(
        default={}, description="Extension: notes on parts of the score that need one"
    )
    score_confidence: float = Field(
        default=1, ge=0, le=1, description="Extension: how much of what goes into the score is known"
    )
    score_version: str = Field(default="", description="Extension: the version of the score's weights")
    top_referring_domains: list[str] | None
    anchors: Anchors
    topical_trust_flow: list[TopicFlow] | None
    risk_checks: list[RiskCheck] = Field(description="Each of the flags, once")
    topic_estimated: bool = Field(
        default=False, description="Extension: no provider gives the topic; it was estimated from old pages"
    )
    history: SiteHistory | None = Field(default=None, description="Extension: its eras and findings")
    review_notes: list[str] = Field(default=[], description="Extension: anything unusual in the review")
    attributions: list[Attribution] = Field(
        default=[], description="Extension: credits that data licences ask for"
    )
    webarchive_url: str
    registration: ReportRegistration | None = Field(description="Null until the listing has ended")
    rank_on_hunt_day: int | None = Field(ge=1)
    revival_kit: RevivalKit


class FullReport(ReportParts, PublishedMembers):
    """The full report of a published domain: for Pro, and for everybody if the domain is open or has ended."""


class BasicReport(PublishedMembers):
    """The report of a published domain with only the summary's members."""

    metrics: LinkFigures
    detail: Literal["basic"]


class Report(RootModel[Annotated[FullReport | BasicReport, Field(discriminator="detail")]]):
    """A published domain's report; `detail` says which of the two it is."""

    model_config = ConfigDict(json_schema_extra={"type": "object"})


class CheckedListing(ResponseModel):
    """The listing of a checked domain; if there is none, every member is null and `bids` is 0."""

    source: str | None
    source_title: str | None = Field(default=None, description="Extension: the name of the marketplace")
    type: ListingType | None
    price_usd: int | None = Field(ge=0)
    bids: int = Field(ge=0)
    ends_at: Timestamp | None
    url: str | None


class CheckReport(ReportParts, DomainMembers):
    """The report of a check of any domain: what only published domains have is null for others."""

    score: int | None = Field(ge=0, le=100)
    verdict: Verdict | None
    listing: CheckedListing
    found_at: Timestamp | None


class Page(ResponseModel):
    """One old page. `content` is there only with `include=content`."""

    path: str
    url: str
    captures: int = Field(ge=0)
    last_capture: Day | None
    title: str | None
    words: int | None = Field(ge=0)
    webarchive_url: str
    has_content: bool
    content: str | None = Field(
        default=None, description="The archived text as Markdown; null if it is not stored"
    )


class PagesMeta(PageMeta):
    """Whose pages, and which."""

    domain: str


class PageList(ResponseModel):
    """One page of the revival kit."""

    data: list[Page]
    meta: PagesMeta


class PagesQuery(RequestModel):
    """Which part of the revival kit."""

    include: Literal["content"] | None = Field(default=None, description="`content` adds the archived text")
    page: v.QueryPage = Field(default=1, description="Page, from 1")
    per_page: v.QueryHundred | None = Field(
        default=None,
        description="Items per page: 1-100, default 50; with `include=content` at most 20, default 10",
    )
