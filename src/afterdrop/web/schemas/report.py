"""The domain report and the revival kit."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from afterdrop.review.flags.risk_flags import Flag
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import Day, Metrics, Summary, Timestamp
from afterdrop.web.schemas.envelope import PageMeta, RequestModel, ResponseModel


class ReportMetrics(Metrics):
    """The summary's figures and, with `full`, the vendors'. Null where unknown."""

    tf_cf_ratio: float | None = Field(default=None, ge=0, examples=[0.82])
    backlinks: int | None = Field(default=None, ge=0, examples=[4100])
    vendor_a_authority_score: int | None = Field(
        default=None, alias="<vendor_a>_authority_score", title="Vendor A authority score", examples=[21]
    )
    vendor_b_domain_authority: int | None = Field(
        default=None, alias="<vendor_b>_domain_authority", title="Vendor B domain authority", examples=[25]
    )
    vendor_d_pagerank: float | None = Field(
        default=None, alias="<vendor_d>_pagerank", title="Vendor D page rank", examples=[3.1]
    )
    search_engine_indexed_pages: int | None = Field(
        default=None, alias="<search_engine>_indexed_pages", title="Indexed pages", examples=[120]
    )
    archived_urls: int | None = Field(default=None, ge=0, examples=[860])


class ScoreBreakdown(ResponseModel):
    """The parts of the score, each a fraction; null where unknown. `penalty` is what flags take off."""

    vendor_c_dr: float | None = Field(alias="<vendor_c>_dr", title="Domain Rating part", examples=[0.68])
    trust_flow: float | None = Field(examples=[0.6])
    ref_domains: float | None = Field(examples=[0.77])
    vendor_a_as: float | None = Field(alias="<vendor_a>_as", title="Authority score part", examples=[0.52])
    vendor_d_pagerank: float | None = Field(
        alias="<vendor_d>_pagerank", title="Page rank part", examples=[0.51]
    )
    history: float | None = Field(examples=[0.9])
    age: float | None = Field(examples=[1.0])
    price: float | None = Field(examples=[0.8])
    penalty: float = Field(ge=0, le=1, examples=[0.0])


class Anchor(ResponseModel):
    """One anchor text and how many domains use it."""

    text: str = Field(examples=["alpine huts"])
    referring_domains: int = Field(ge=0, examples=[31])


class Anchors(ResponseModel):
    """The most used anchor texts."""

    top: list[Anchor] | None
    spam_share: float | None = Field(ge=0, le=1, examples=[0.02])


class TopicFlow(ResponseModel):
    """Trust flow by topic."""

    topic: str = Field(examples=["Recreation/Outdoors"])
    trust_flow: int = Field(ge=0, le=100, examples=[17])


class RiskCheck(ResponseModel):
    """What was looked for, and what was found."""

    flag: Flag
    label: str = Field(examples=["Parked in the past"])
    result: Literal["clean", "found", "unknown"]
    severity: Literal["risk", "info"]
    note: str = Field(examples=["No capture shows a parking page."])


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
    """How many archived pages there are to revive, and where."""

    pages: int = Field(ge=0, examples=[20])
    url: str | None = Field(examples=["https://afterdrop.example/api/v1/domains/alpine-hut.org/pages"])


class Attribution(ResponseModel):
    """Whose data is in the report, as its licence asks."""

    text: str
    url: str | None


class Report(Summary):
    """A domain's report. With `detail` = `basic` it has the summary's members only."""

    metrics: ReportMetrics
    score_breakdown: ScoreBreakdown | None = None
    top_referring_domains: list[str] | None = None
    anchors: Anchors | None = None
    topical_trust_flow: list[TopicFlow] | None = None
    risk_checks: list[RiskCheck] | None = None
    webarchive_url: str | None = None
    registration: ReportRegistration | None = None
    rank_on_hunt_day: int | None = Field(default=None, ge=1)
    revival_kit: RevivalKit | None = None
    attributions: list[Attribution] | None = None


class Page(ResponseModel):
    """One old page. `content` stands only with `include=content`."""

    path: str = Field(examples=["/huts/"])
    url: str = Field(examples=["http://alpine-hut.org/huts/"])
    captures: int = Field(ge=0, examples=[41])
    last_capture: Day | None
    title: str | None = Field(examples=["Huts"])
    words: int | None = Field(ge=0, examples=[620])
    webarchive_url: str
    has_content: bool
    content: str | None = Field(
        default=None, description="The archived text as Markdown, null when not stored"
    )


class PagesMeta(PageMeta):
    """Whose pages, and which."""

    domain: str = Field(examples=["alpine-hut.org"])


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
