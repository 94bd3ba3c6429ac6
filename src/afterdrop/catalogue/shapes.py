"""The shapes of a domain: the summary of lists and events, the reports, the revival kit. Pure.

Names of shapes, without `Json` at their end, are names of schemas in the OpenAPI document, which clients generate code
from: they stay.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.catalogue.link_shapes import Anchors, CcRank, LinkEras, LinkJson, LinksToday
from afterdrop.catalogue.purchase import Way
from afterdrop.catalogue.status import Outcome, Status
from afterdrop.core.json_shapes import Count, Day, Fraction, Percent, Timestamp
from afterdrop.feeds.spec import ListingType
from afterdrop.review.flags.risk_flags import Flag, Verdict
from afterdrop.review.history.history_json import SiteHistory
from afterdrop.scoring.conclusion import Conclusion, Level, Standing
from afterdrop.sources.metrics.values import Topic
from afterdrop.sources.registry.rdap_answer import RegistryState

Detail = Literal["full", "basic"]


class LinkFigures(TypedDict):
    """Link and archive figures that everybody sees; null where unknown."""

    domain_rating: Percent | None
    referring_domains: Count | None
    archive_years: Annotated[Count | None, Field(description="Calendar years with captures")]
    archive_first_year: int | None
    archive_last_year: int | None


class MetricsJson(LinkFigures):
    """Link and archive figures; null where unknown. The trust figures are there only if `detail` is `full`."""

    trust_flow: NotRequired[Annotated[Percent | None, Field(description="Only if `detail` is `full`")]]
    citation_flow: NotRequired[Annotated[Percent | None, Field(description="Only if `detail` is `full`")]]


class BuyerFacts(TypedDict):
    """What marketplaces say of a name beside its links, null where none says it. No score is made of it."""

    valuation_usd: Annotated[Count | None, Field(description="An appraisal in US dollars")]
    search_volume: Annotated[Count | None, Field(description="Searches a month for the words of the name")]
    cost_per_click_usd: Annotated[
        float | None, Field(ge=0, description="What advertisers pay for a click, in US dollars")
    ]
    extensions_taken: Annotated[
        Count | None, Field(description="Other extensions under which the same name is registered")
    ]
    adult: Annotated[bool | None, Field(description="Whether it is listed as adult")]


class FactSource(TypedDict):
    """Who states a fact, and when it was read."""

    source: Annotated[str, Field(description="The marketplace, or the operator's own")]
    source_title: NotRequired[Annotated[str, Field(description="What people call that source")]]
    at: Timestamp


# When a name about to drop begins to drop, and on which day where that has no hour.
_OpensAt = Annotated[
    Timestamp | None,
    Field(
        default=None,
        description="Extension: when the registry begins to release a name about to drop, or the beginning of `day`",
    ),
]
_DropDay = Annotated[
    Day | None,
    Field(
        default=None, description="Extension: the registry's day of a drop without a known hour; else null"
    ),
]
_Certain = Annotated[
    bool,
    Field(default=True, description="Extension: false while the name may still be renewed or taken"),
]
_SourceTitle = Annotated[
    str | None,
    Field(default=None, description="Extension: the name of the marketplace; null if its feed does not say"),
]


class ListingJson(TypedDict):
    """The listing shown: the best live one, otherwise the last."""

    source: Annotated[str, Field(description="Identifier of the marketplace")]
    source_title: _SourceTitle
    type: ListingType
    price_usd: Annotated[
        Count | None,
        Field(
            description="Current price in US dollars; null if there is none. For an available domain, the registration "
            "fee"
        ),
    ]
    bids: Count
    ends_at: Annotated[
        Timestamp | None, Field(description="End of the auction or drop; null without a known end")
    ]
    opens_at: _OpensAt
    day: _DropDay
    certain: _Certain
    url: Annotated[str | None, Field(description="The listing; for an available domain, a registrar")]


class DomainMembers(TypedDict):
    """What every shape of a domain has."""

    domain: Annotated[str, Field(description="Lowercase, A-labels")]
    tld: str
    status: Status
    flags: list[Flag]
    flag_levels: Annotated[dict[Flag, Level], Field(default={}, description="Extension: how grave each is")]
    conclusion: Annotated[
        Conclusion, Field(description="Extension: what score, verdict, flags and past come to")
    ]
    topic: Topic | None
    language: Annotated[str | None, Field(pattern="^[a-z]{2}$")]
    title: Annotated[str | None, Field(description="Title of the old site")]
    purchase: Annotated[
        list[Way],
        Field(
            default=[],
            description="Extension: how to buy it, best way first: the listing, catchers for a name about to drop, a "
            "registrar for a free one. Empty once it has ended",
        ),
    ]
    open: Annotated[bool, Field(description="Whether it is one of the day's open domains of the free plan")]
    report_url: str


class PublishedMembers(DomainMembers):
    """What every shape of a published domain has besides."""

    score: Percent
    verdict: Verdict
    listing: ListingJson
    found_at: Timestamp


_SHARE = "Extension: percent of the known links that the last owner earned. Only if `detail` is `full`"
LastOwnerLinks = Annotated[Percent | None, Field(description=_SHARE)]
_LIVE = "Extension: how many of the strongest links are there today; null where nobody looked. Only in full detail"
LiveLinks = Annotated[Count | None, Field(description=_LIVE)]


class Summary(PublishedMembers):
    """A vetted domain as lists, the watchlist, matches and events show it."""

    metrics: MetricsJson
    facts: NotRequired[
        Annotated[
            BuyerFacts,
            Field(
                description="Extension: what marketplaces say of the name, never part of the score. Only if "
                "`detail` is `full`"
            ),
        ]
    ]
    last_owner_links: NotRequired[LastOwnerLinks]
    live_links: NotRequired[LiveLinks]
    detail: Detail


class SiteRow(Summary):
    """A summary with what only the site's lists show.

    `outcome` is None of a live domain, and where the viewer may not know what became of it. `life` is the packed life
    (`review.history.life`), None where the viewer does not see the domain in full.
    """

    outcome: Outcome | None
    life: str | None


_Provided = TypedDict(
    "_Provided",
    {
        "<vendor_a>_authority_score": Annotated[int | None, Field(title="Vendor A authority score")],
        "<vendor_b>_domain_authority": Annotated[int | None, Field(title="Vendor B domain authority")],
        "<vendor_d>_pagerank": Annotated[float | None, Field(title="Vendor D page rank")],
        "<search_engine>_indexed_pages": Annotated[int | None, Field(title="Indexed pages")],
    },
)


class FurtherMetrics(_Provided):
    """The figures that a report adds to those of its summary."""

    tf_cf_ratio: Annotated[float | None, Field(ge=0)]
    backlinks: Count | None
    archived_urls: Count | None
    link_rank: Annotated[
        float | None,
        Field(default=None, ge=0, le=100, description="Extension: rank in the open web graph; 100 is best"),
    ]


class ReportMetrics(LinkFigures, FurtherMetrics):
    """The summary's figures and those of other providers; null where unknown."""

    trust_flow: Percent | None
    citation_flow: Percent | None


_ProvidedParts = TypedDict(
    "_ProvidedParts",
    {
        "<vendor_c>_dr": Annotated[float | None, Field(title="Domain Rating part")],
        "<vendor_a>_as": Annotated[float | None, Field(title="Authority score part")],
        "<vendor_d>_pagerank": Annotated[float | None, Field(title="Page rank part")],
    },
)


class ScoreBreakdown(_ProvidedParts):
    """The parts of the score, each a fraction; null where unknown. `penalty` is what the flags take off."""

    trust_flow: float | None
    ref_domains: float | None
    history: float | None
    age: float | None
    price: float | None
    penalty: Fraction


class TopicFlow(TypedDict):
    """Trust flow by topic."""

    topic: str
    trust_flow: Percent


class RiskCheckJson(TypedDict):
    """One risk, and whether it was found."""

    flag: Flag
    label: str
    result: Literal["clean", "found", "unknown"]
    severity: Literal["risk", "info"]
    note: str


class SpamCheckJson(TypedDict):
    """Whether spam was found on the domain's pages or in the links to it."""

    result: Literal["found", "suspected", "overruled", "clean", "unknown"]
    note: str


class ScoreInputJson(TypedDict):
    """The figure that a part of the score was made from."""

    value: float
    of: NotRequired[Annotated[int, Field(description="The total it is a part of")]]
    source: NotRequired[
        Annotated[
            str,
            Field(description="`vendor_a` …, a marketplace, `registry`, `archive`, or the operator's own"),
        ]
    ]
    source_title: NotRequired[Annotated[str, Field(description="What people call that source")]]
    at: NotRequired[Annotated[Timestamp, Field(description="When it was read")]]


class AttributionJson(TypedDict):
    """Whose data the report contains, as its licence asks."""

    text: str
    url: str | None


class ReportRegistration(TypedDict):
    """The registration after the listing's end."""

    availability: RegistryState
    checked_at: Timestamp | None
    available_since: Timestamp | None
    register_url: str | None
    registrar: str | None
    registered_at: Timestamp | None
    expires_at: Timestamp | None
    caught_after_drop: bool


class KitEra(TypedDict):
    """The pages that were archived while one owner's site stood."""

    era: Annotated[int, Field(ge=1, description="The owner, counted from 1 in the order in which they came")]
    start: Annotated[Timestamp, Field(description="The first capture read of the owner's site")]
    end: Annotated[Timestamp, Field(description="The last capture read of it")]
    pages: Count


class RevivalKit(TypedDict):
    """How many archived pages there are to revive, and where to find them."""

    pages: Count
    url: Annotated[str | None, Field(description="Null in a check of a domain that is not on the list")]
    eras: Annotated[
        list[KitEra],
        Field(
            default=[],
            description="Extension: one kit for each owner of the site, at most three, the longest time first. "
            "`era` of the pages endpoint gives one of them",
        ),
    ]


class JudgedParts(TypedDict):
    """What a report says besides a summary and is stored with the domain, ready to be shown."""

    score_breakdown: ScoreBreakdown
    standing: NotRequired[
        Annotated[Standing, Field(description="Extension: the conclusion, before any number")]
    ]
    score_inputs: Annotated[
        dict[str, ScoreInputJson],
        Field(default={}, description="Extension: the figure behind each part of the score"),
    ]
    spam: NotRequired[
        Annotated[
            SpamCheckJson,
            Field(title="Spam", description="Extension: whether spam was found; spam is not a flag"),
        ]
    ]
    score_notes: Annotated[
        dict[str, str],
        Field(default={}, description="Extension: notes on parts of the score that need one"),
    ]
    score_confidence: Annotated[
        Fraction,
        Field(default=1, description="Extension: how much of what goes into the score is known"),
    ]
    score_version: Annotated[
        str, Field(default="", description="Extension: the version of the score's weights")
    ]
    fact_sources: Annotated[
        dict[str, FactSource],
        Field(default={}, description="Extension: who states each of the `facts`, by its name"),
    ]
    top_referring_domains: list[str] | None
    anchors: Anchors
    links: Annotated[
        list[LinkJson] | None,
        Field(
            default=None, description="Extension: single links, one for each referring domain, at most 100"
        ),
    ]
    link_eras: Annotated[
        LinkEras | None,
        Field(default=None, description="Extension: which owner of the site earned the known links"),
    ]
    links_today: Annotated[
        LinksToday | None,
        Field(
            default=None,
            description="Extension: which of the strongest known links are there today; null where nobody has looked",
        ),
    ]
    cc_rank: Annotated[
        CcRank | None,
        Field(
            default=None,
            description="Extension: its place in each release of the open web graph that we read",
        ),
    ]
    topical_trust_flow: list[TopicFlow] | None
    risk_checks: Annotated[list[RiskCheckJson], Field(description="Each of the flags, once")]
    topic_estimated: Annotated[
        bool,
        Field(
            default=False,
            description="Extension: no provider gives the topic; it was estimated from old pages",
        ),
    ]
    history: NotRequired[Annotated[SiteHistory | None, Field(description="Extension: its eras and findings")]]
    review_notes: Annotated[
        list[str], Field(default=[], description="Extension: anything unusual in the review")
    ]
    attributions: Annotated[
        list[AttributionJson],
        Field(default=[], description="Extension: credits that data licences ask for"),
    ]


class ReportParts(JudgedParts):
    """What a report has besides the members of a summary."""

    detail: Literal["full"]
    metrics: ReportMetrics
    facts: NotRequired[Annotated[BuyerFacts, Field(description="Extension: as in summaries")]]
    last_owner_links: NotRequired[LastOwnerLinks]
    live_links: NotRequired[LiveLinks]
    webarchive_url: str
    registration: Annotated[ReportRegistration | None, Field(description="Null until the listing has ended")]
    rank_on_hunt_day: Annotated[int | None, Field(ge=1)]
    revival_kit: RevivalKit


class FullReport(ReportParts, PublishedMembers):
    """The full report of a published domain: for Pro, and for everybody if the domain is open or has ended."""


class BasicReport(PublishedMembers):
    """The report of a published domain with only the summary's members."""

    metrics: LinkFigures
    detail: Literal["basic"]


class CheckedListing(TypedDict):
    """The listing of a checked domain; if there is none, every member is null and `bids` is 0."""

    source: str | None
    source_title: _SourceTitle
    type: ListingType | None
    price_usd: Count | None
    bids: Count
    ends_at: Timestamp | None
    opens_at: _OpensAt
    day: _DropDay
    certain: _Certain
    url: str | None


class CheckReport(ReportParts, DomainMembers):
    """The report of a check of any domain: what only published domains have is null for others."""

    score: Percent | None
    verdict: Verdict | None
    listing: CheckedListing
    found_at: Timestamp | None


class PageJson(TypedDict):
    """One old page. `content` is there only with `include=content`."""

    path: str
    url: str
    captures: Count
    last_capture: Day | None
    title: str | None
    words: Count | None
    webarchive_url: str
    has_content: bool
    era: Annotated[
        int,
        Field(
            default=1,
            ge=1,
            description="Extension: whose page it was. Captures, date, title and text are from that owner's time",
        ),
    ]
    content: NotRequired[
        Annotated[str | None, Field(description="The archived text as Markdown; null if it is not stored")]
    ]
