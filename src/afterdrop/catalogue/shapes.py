"""The shapes of a domain: the summary of lists and events, and the reports. Pure.

Names of shapes, without `Json` at their end, are names of schemas in the OpenAPI document, which clients generate code
from: they stay.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.catalogue.kit_shapes import RevivalKit
from afterdrop.catalogue.link_shapes import Anchors, CcRank, LinkEras, LinkJson, LinksToday
from afterdrop.catalogue.purchase import Way
from afterdrop.catalogue.status import Outcome, Status
from afterdrop.core.json_shapes import Count, Day, DomainName, Fraction, Percent, Timestamp
from afterdrop.feeds.spec import ListingType
from afterdrop.review.flags.risk_flags import Flag, Verdict
from afterdrop.review.history.history_json import SiteHistory
from afterdrop.scoring.conclusion import Conclusion, Level, Standing
from afterdrop.sources.metrics.values import Topic
from afterdrop.sources.registry.rdap_answer import RegistryState

Detail = Literal["full", "basic"]


class LinkFigures(TypedDict):
    """Link and archive figures that everybody sees; null where unknown."""

    domain_rating: Annotated[Percent | None, Field(description="Domain Rating, 0-100")]
    referring_domains: Annotated[
        Count | None, Field(description="How many domains have at least one link to the name")
    ]
    archive_years: Annotated[Count | None, Field(description="Calendar years with captures")]
    archive_first_year: Annotated[int | None, Field(description="The first calendar year with a capture")]
    archive_last_year: Annotated[int | None, Field(description="The last calendar year with a capture")]


class MetricsJson(LinkFigures):
    """Link and archive figures; null where unknown. The trust figures are there only if `detail` is `full`."""

    trust_flow: NotRequired[Annotated[Percent | None, Field(description="Only if `detail` is `full`")]]
    citation_flow: NotRequired[Annotated[Percent | None, Field(description="Only if `detail` is `full`")]]


class BuyerFacts(TypedDict):
    """Facts that marketplaces state of a name beside its links, null where none states it. No score is made of it."""

    valuation_usd: Annotated[Count | None, Field(description="An appraisal in US dollars")]
    search_volume: Annotated[Count | None, Field(description="Searches a month for the words of the name")]
    cost_per_click_usd: Annotated[
        float | None, Field(ge=0, description="The price of a click for advertisers, in US dollars")
    ]
    extensions_taken: Annotated[
        Count | None, Field(description="Other extensions under which the same name is registered")
    ]
    adult: Annotated[bool | None, Field(description="Whether it is listed as adult")]


class FactSource(TypedDict):
    """The source of a fact, and when it was read."""

    source: Annotated[str, Field(description="The marketplace, or the operator's own")]
    source_title: NotRequired[Annotated[str, Field(description="The source's name for people")]]
    at: Annotated[Timestamp, Field(description="When it was read")]


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
    type: Annotated[ListingType, Field(description="How it is sold")]
    price_usd: Annotated[
        Count | None,
        Field(
            description="Current price in US dollars; null if there is none. For an available domain, the registration "
            "fee"
        ),
    ]
    bids: Annotated[Count, Field(description="How many bids there are")]
    ends_at: Annotated[
        Timestamp | None, Field(description="End of the auction or drop; null without a known end")
    ]
    opens_at: _OpensAt
    day: _DropDay
    certain: _Certain
    url: Annotated[str | None, Field(description="The listing; for an available domain, a registrar")]


class DomainMembers(TypedDict):
    """The members of every shape of a domain."""

    domain: DomainName
    tld: Annotated[str, Field(description="The extension, without its dot")]
    status: Annotated[Status, Field(description="Whether it is on offer, ended or free to register")]
    flags: Annotated[list[Flag], Field(description="The risks that were found")]
    flag_levels: Annotated[dict[Flag, Level], Field(default={}, description="Extension: how grave each is")]
    conclusion: Annotated[
        Conclusion, Field(description="Extension: what score, verdict, flags and past come to")
    ]
    topic: Annotated[
        Topic | None, Field(description="Topic of the old site or of the links to it; null if unknown")
    ]
    language: Annotated[
        str | None,
        Field(pattern="^[a-z]{2}$", description="Language of the old site, two letters; null if unknown"),
    ]
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
    report_url: Annotated[str, Field(description="The report's page on the site")]


class PublishedMembers(DomainMembers):
    """The further members of every shape of a published domain."""

    score: Annotated[Percent, Field(description="0-100, from parts with weights, minus a penalty for flags")]
    verdict: Annotated[Verdict, Field(description="`risky` where a risk was found, or a second look is wise")]
    listing: Annotated[ListingJson, Field(description="Where it is offered, until when and at which price")]
    found_at: Annotated[Timestamp, Field(description="When it was first listed")]


_SHARE = "Extension: percent of the known links that the last owner earned. Only if `detail` is `full`"
LastOwnerLinks = Annotated[Percent | None, Field(description=_SHARE)]
_LIVE = "Extension: how many of the strongest links are there today; null where nobody looked. Only in full detail"
LiveLinks = Annotated[Count | None, Field(description=_LIVE)]


class Summary(PublishedMembers):
    """A vetted domain as lists, the watchlist, matches and events show it."""

    metrics: Annotated[MetricsJson, Field(description="Link and archive figures")]
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
    detail: Annotated[Detail, Field(description="`full` if you see all of the report, else `basic`")]


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
        "<vendor_a>_authority_score": Annotated[
            int | None,
            Field(title="Vendor A authority score", description="The vendor's Authority Score, 0-100"),
        ],
        "<vendor_b>_domain_authority": Annotated[
            int | None,
            Field(title="Vendor B domain authority", description="The vendor's Domain Authority, 0-100"),
        ],
        "<vendor_d>_pagerank": Annotated[
            float | None, Field(title="Vendor D page rank", description="The vendor's page rank")
        ],
        "<search_engine>_indexed_pages": Annotated[
            int | None,
            Field(title="Indexed pages", description="How many pages the search engine has indexed"),
        ],
    },
)


class FurtherMetrics(_Provided):
    """The figures that a report adds to those of its summary."""

    tf_cf_ratio: Annotated[float | None, Field(ge=0, description="Trust Flow divided by Citation Flow")]
    backlinks: Annotated[Count | None, Field(description="How many links lead to the name")]
    archived_urls: Annotated[
        Count | None, Field(description="How many addresses of the name the web archive has")
    ]
    link_rank: Annotated[
        float | None,
        Field(default=None, ge=0, le=100, description="Extension: rank in the open web graph; 100 is best"),
    ]


class ReportMetrics(LinkFigures, FurtherMetrics):
    """The summary's figures and those of other providers; null where unknown."""

    trust_flow: Annotated[Percent | None, Field(description="Trust Flow, 0-100")]
    citation_flow: Annotated[Percent | None, Field(description="Citation Flow, 0-100")]


_ProvidedParts = TypedDict(
    "_ProvidedParts",
    {
        "<vendor_c>_dr": Annotated[
            float | None, Field(title="Domain Rating part", description="The part of the Domain Rating")
        ],
        "<vendor_a>_as": Annotated[
            float | None, Field(title="Authority score part", description="The part of the Authority Score")
        ],
        "<vendor_d>_pagerank": Annotated[
            float | None, Field(title="Page rank part", description="The part of the page rank")
        ],
    },
)


class ScoreBreakdown(_ProvidedParts):
    """The parts of the score, each a fraction; null where unknown. `penalty` is what the flags take off."""

    trust_flow: Annotated[float | None, Field(description="The part of Trust Flow")]
    ref_domains: Annotated[float | None, Field(description="The part of the referring domains")]
    history: Annotated[float | None, Field(description="The part of the past that the review read")]
    age: Annotated[float | None, Field(description="The part of the years archived")]
    price: Annotated[float | None, Field(description="The part of the price")]
    penalty: Annotated[Fraction, Field(description="The fraction that the flags take off")]


class TopicFlow(TypedDict):
    """Trust flow by topic."""

    topic: Annotated[str, Field(description="The topic of the linking pages")]
    trust_flow: Annotated[Percent, Field(description="Trust Flow from pages on this topic, 0-100")]


class RiskCheckJson(TypedDict):
    """One risk, and whether it was found."""

    flag: Annotated[Flag, Field(description="The risk")]
    label: Annotated[str, Field(description="The risk in words")]
    result: Annotated[
        Literal["clean", "found", "unknown"],
        Field(description="`unknown` where nothing could be read that would show it"),
    ]
    severity: Annotated[
        Literal["risk", "info"], Field(description="`risk` lowers the score much, `info` little")
    ]
    note: Annotated[str, Field(description="The reason, in a sentence")]


class SpamCheckJson(TypedDict):
    """Whether spam was found on the domain's pages or in the links to it."""

    result: Annotated[
        Literal["found", "suspected", "overruled", "clean", "unknown"],
        Field(description="`overruled` where later evidence speaks for the name"),
    ]
    note: Annotated[str, Field(description="The reason, in a sentence")]


class ScoreInputJson(TypedDict):
    """The figure that a part of the score was made from."""

    value: Annotated[float, Field(description="The figure")]
    of: NotRequired[Annotated[int, Field(description="The total it is a part of")]]
    source: NotRequired[
        Annotated[
            str,
            Field(description="`vendor_a` …, a marketplace, `registry`, `archive`, or the operator's own"),
        ]
    ]
    source_title: NotRequired[Annotated[str, Field(description="The source's name for people")]]
    at: NotRequired[Annotated[Timestamp, Field(description="When it was read")]]


class AttributionJson(TypedDict):
    """A credit for data in the report, as the data's licence asks."""

    text: Annotated[str, Field(description="The credit, as it must be shown")]
    url: Annotated[str | None, Field(description="Where the credit must lead; null if nowhere")]


class ReportRegistration(TypedDict):
    """The registration after the listing's end."""

    availability: Annotated[RegistryState, Field(description="The name's state at its registry")]
    checked_at: Annotated[
        Timestamp | None, Field(description="When the registry was last asked; null if not yet")
    ]
    available_since: Annotated[
        Timestamp | None, Field(description="Since when it is free to register; null if it is not")
    ]
    register_url: Annotated[
        str | None, Field(description="A registrar's search for a name that is free; else null")
    ]
    registrar: Annotated[str | None, Field(description="The registrar of the new registration")]
    registered_at: Annotated[Timestamp | None, Field(description="When it was registered; null if unknown")]
    expires_at: Annotated[
        Timestamp | None, Field(description="Until when the registration is paid; null if unknown")
    ]
    caught_after_drop: Annotated[
        bool, Field(description="Whether somebody registered it after it had dropped")
    ]


class JudgedParts(TypedDict):
    """The members of a report that a summary lacks and that are stored with the domain, ready to be shown."""

    score_breakdown: Annotated[ScoreBreakdown, Field(description="The parts of the score and the penalty")]
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
    top_referring_domains: Annotated[
        list[str] | None, Field(description="The strongest referring domains; null if unknown")
    ]
    anchors: Annotated[Anchors, Field(description="The most used link texts")]
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
    topical_trust_flow: Annotated[
        list[TopicFlow] | None, Field(description="Trust Flow by topic, the largest first; null if unknown")
    ]
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
    """The members of a report besides those of a summary."""

    detail: Annotated[Literal["full"], Field(description="`full`: the whole report")]
    metrics: Annotated[ReportMetrics, Field(description="Link and archive figures")]
    facts: NotRequired[Annotated[BuyerFacts, Field(description="Extension: as in summaries")]]
    last_owner_links: NotRequired[LastOwnerLinks]
    live_links: NotRequired[LiveLinks]
    webarchive_url: Annotated[str, Field(description="All captures in the web archive")]
    registration: Annotated[ReportRegistration | None, Field(description="Null until the listing has ended")]
    rank_on_hunt_day: Annotated[
        int | None,
        Field(
            ge=1, description="Its place by score among the names of the scan that listed it; null if unknown"
        ),
    ]
    revival_kit: Annotated[RevivalKit, Field(description="The old pages that can be revived")]


class FullReport(ReportParts, PublishedMembers):
    """The full report of a published domain: for Pro, and for everybody if the domain is open or has ended."""


class BasicReport(PublishedMembers):
    """The report of a published domain with only the summary's members."""

    metrics: Annotated[LinkFigures, Field(description="Link and archive figures")]
    detail: Annotated[Literal["basic"], Field(description="`basic`: the members of the summary alone")]


class CheckedListing(TypedDict):
    """The listing of a checked domain; if there is none, every member is null and `bids` is 0."""

    source: Annotated[str | None, Field(description="Identifier of the marketplace")]
    source_title: _SourceTitle
    type: Annotated[ListingType | None, Field(description="How it is sold")]
    price_usd: Annotated[
        Count | None, Field(description="Current price in US dollars; null if there is none")
    ]
    bids: Annotated[Count, Field(description="How many bids there are")]
    ends_at: Annotated[
        Timestamp | None, Field(description="End of the auction or drop; null without a known end")
    ]
    opens_at: _OpensAt
    day: _DropDay
    certain: _Certain
    url: Annotated[str | None, Field(description="The listing")]


class CheckReport(ReportParts, DomainMembers):
    """The report of a check of any domain: what only published domains have is null for others."""

    score: Annotated[Percent | None, Field(description="0-100; null if too little is known")]
    verdict: Annotated[
        Verdict | None,
        Field(
            description="`risky` where a risk was found, or a second look is wise; null if too little is known"
        ),
    ]
    listing: Annotated[CheckedListing, Field(description="Where it is offered, if it is")]
    found_at: Annotated[Timestamp | None, Field(description="When it was first listed; null if it never was")]
