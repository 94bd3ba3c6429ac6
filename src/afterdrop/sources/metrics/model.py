"""Link metrics and what else sources say of a name: one value (`Metric`), and all of a domain (`Metrics`).

Pure. Feeds, metric providers and the local link ranks give `Metric` values. The authority filter, the review's link
flags, the score and the report read them through `Metrics`. `values.read_value` makes clean values of raw ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, get_args

Role = Literal[
    "domain_rating",
    "trust_flow",
    "citation_flow",
    "referring_domains",
    "backlinks",
    "vendor_a_authority_score",
    "vendor_b_domain_authority",
    "vendor_d_pagerank",
    "search_engine_indexed_pages",
    "link_rank",
    "link_place",
    "top_referring_domains",
    "anchors",
    "links",
    "links_today",
    "topical_trust_flow",
    "topic",
    "valuation",
    "search_volume",
    "cost_per_click",
    "extensions_taken",
    "adult",
]
DOMAIN_RATING: Final = "domain_rating"
TRUST_FLOW: Final = "trust_flow"
CITATION_FLOW: Final = "citation_flow"
REFERRING_DOMAINS: Final = "referring_domains"
BACKLINKS: Final = "backlinks"
AUTHORITY_SCORE: Final = "vendor_a_authority_score"
DOMAIN_AUTHORITY: Final = "vendor_b_domain_authority"
PAGERANK: Final = "vendor_d_pagerank"
INDEXED_PAGES: Final = "search_engine_indexed_pages"
LINK_RANK: Final = "link_rank"
LINK_PLACE: Final = "link_place"
TOP_REFERRING_DOMAINS: Final = "top_referring_domains"
ANCHORS: Final = "anchors"
LINKS: Final = "links"
LINKS_TODAY: Final = "links_today"
TOPICAL_TRUST_FLOW: Final = "topical_trust_flow"
TOPIC: Final = "topic"
VALUATION: Final = "valuation"
SEARCH_VOLUME: Final = "search_volume"
COST_PER_CLICK: Final = "cost_per_click"
EXTENSIONS_TAKEN: Final = "extensions_taken"
ADULT: Final = "adult"

ROLES: Final[tuple[Role, ...]] = get_args(Role)
# The roles by which the score and the authority filter judge links.
LINK_FIGURES: Final[tuple[Role, ...]] = (
    DOMAIN_RATING,
    TRUST_FLOW,
    REFERRING_DOMAINS,
    AUTHORITY_SCORE,
    PAGERANK,
    LINK_RANK,
)
# What marketplaces say of a name beside its links. These facts are shown and filtered by; no score is made of them.
BUYER_FACTS: Final[tuple[Role, ...]] = (VALUATION, SEARCH_VOLUME, COST_PER_CLICK, EXTENSIONS_TAKEN, ADULT)
# The interface spells vendors neutrally, with angle brackets; every other role is its own key.
_CONTRACT_KEYS: Final[Mapping[Role, str]] = {
    AUTHORITY_SCORE: "<vendor_a>_authority_score",
    DOMAIN_AUTHORITY: "<vendor_b>_domain_authority",
    PAGERANK: "<vendor_d>_pagerank",
    INDEXED_PAGES: "<search_engine>_indexed_pages",
}
FEED_PREFIX: Final = "feed:"

Value = int | float | str | list[Any]


def contract_key(role: Role) -> str:
    """The spelling of `role` in the interface's JSON."""
    return _CONTRACT_KEYS.get(role, role)


@dataclass(frozen=True, slots=True)
class Metric:
    """One value with its provenance.

    `value` by role: integers 0-100 (domain_rating, trust_flow, citation_flow, vendor_a_authority_score,
    vendor_b_domain_authority), counts (referring_domains, backlinks, search_engine_indexed_pages), numbers
    (vendor_d_pagerank 0-10, link_rank 0-100), US dollars (valuation, whole; cost_per_click, to the cent), searches a
    month (search_volume), extensions in which the same name is taken (extensions_taken), adult: 1 or 0,
    lists (link_place: one `{release, as_of, harmonic, pagerank, referring_domains, rank}` for each provider, which is a
    release of the open web graph; top_referring_domains: names; anchors: `{text,
    referring_domains}`; links: `{domain, page, rating, nofollow, text, target, first_seen, last_seen}`, one for
    each linking domain, with dates or null; links_today: `{page, state, at, text, target, nofollow, sponsored, place,
    note}`, what our own look found on each page; topical_trust_flow: `{topic, trust_flow}`), topic: one of the
    fourteen.
    `provider` is `feed:NAME` or a provider's name.
    `attribution` is `{"text", "url"}` where the licence asks for credit.
    """

    role: Role
    value: Value
    provider: str
    fetched_at: datetime
    attribution: Mapping[str, str] | None = None

    @property
    def from_feed(self) -> bool:
        """Whether the value came from a row of a feed."""
        return self.provider.startswith(FEED_PREFIX)


def _preference(metric: Metric) -> tuple[bool, float, str]:
    # A provider that was asked by name beats a column of a feed file, because feeds carry old copies. Then the newest.
    return (metric.from_feed, -metric.fetched_at.timestamp(), metric.provider)


@dataclass(frozen=True, slots=True)
class Metrics:
    """All known values of one domain by role, the preferred one first: named provider before feed, then newest.

    Make it with `Metrics.of`. A role without a value is absent, because unknown is not zero.
    """

    by_role: Mapping[Role, tuple[Metric, ...]]

    @classmethod
    def of(cls, values: Iterable[Metric]) -> Metrics:
        """Merge values. Of one provider and role, only the newest is kept."""
        newest: dict[tuple[Role, str], Metric] = {}
        for metric in values:
            key = (metric.role, metric.provider)
            known = newest.get(key)
            if known is None or metric.fetched_at >= known.fetched_at:
                newest[key] = metric
        grouped: dict[Role, list[Metric]] = {}
        for metric in newest.values():
            grouped.setdefault(metric.role, []).append(metric)
        return cls({role: tuple(sorted(group, key=_preference)) for role, group in grouped.items()})

    def every(self) -> list[Metric]:
        """All values of all providers."""
        return [metric for group in self.by_role.values() for metric in group]

    def plus(self, values: Iterable[Metric]) -> Metrics:
        """These metrics with further values merged in."""
        return Metrics.of([*self.every(), *values])

    def best(self, role: Role) -> Metric | None:
        """The preferred value of `role` with its provenance; None when unknown."""
        group = self.by_role.get(role)
        return group[0] if group else None

    def all_of(self, role: Role) -> tuple[Metric, ...]:
        """Every provider's value of `role`, the preferred one first. Providers may disagree."""
        return self.by_role.get(role, ())

    def number(self, role: Role) -> int | float | None:
        """The preferred value of a numeric role, None when unknown."""
        metric = self.best(role)
        return metric.value if metric is not None and isinstance(metric.value, int | float) else None

    def text(self, role: Role) -> str | None:
        """The preferred value of a text role (`topic`), None when unknown."""
        metric = self.best(role)
        return metric.value if metric is not None and isinstance(metric.value, str) else None

    def items(self, role: Role) -> list[Any] | None:
        """The preferred value of a list role: None when no provider was asked, [] when it has no items."""
        metric = self.best(role)
        return list(metric.value) if metric is not None and isinstance(metric.value, list) else None

    def knows_any(self, roles: Collection[Role] = LINK_FIGURES) -> bool:
        """Whether at least one of `roles` is known."""
        return any(role in self.by_role for role in roles)

    @property
    def tf_cf_ratio(self) -> float | None:
        """Trust Flow over Citation Flow of the same provider, two decimals; None when either is unknown or CF is 0."""
        trust = self.best(TRUST_FLOW)
        for cite in self.all_of(CITATION_FLOW):
            if trust is not None and cite.provider == trust.provider:
                under = cite.value
                if isinstance(trust.value, int | float) and isinstance(under, int | float) and under > 0:
                    return round(trust.value / under, 2)
                return None
        return None

    def contract(self, roles: Iterable[Role]) -> dict[str, Value | None]:
        """`roles` as the interface's JSON members, null where unknown."""
        shown: dict[str, Value | None] = {}
        for role in roles:
            metric = self.best(role)
            shown[contract_key(role)] = None if metric is None else metric.value
        return shown

    def attributions(self) -> list[dict[str, str]]:
        """The credits owed for the preferred values: each once, sorted by text."""
        owed = {
            (group[0].attribution["text"], group[0].attribution.get("url", ""))
            for group in self.by_role.values()
            if group[0].attribution
        }
        return [{"text": text, "url": url} for text, url in sorted(owed)]


NOTHING_KNOWN: Final = Metrics({})
