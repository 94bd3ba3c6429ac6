"""The authority filter: is a name's link profile worth a review, and which of two names goes first. Pure.

Unknown is not zero: a name that nobody measured is `unknown`, and the bulk providers are asked about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from afterdrop.feeds.run_context import FilterVerdict
from afterdrop.scoring.weights import Part, Weights, current
from afterdrop.sources.metrics.model import (
    AUTHORITY_SCORE,
    DOMAIN_RATING,
    LINK_FIGURES,
    LINK_RANK,
    PAGERANK,
    REFERRING_DOMAINS,
    TRUST_FLOW,
    Metrics,
    Role,
)


class Thresholds(Protocol):
    """The lowest value of each figure that passes (`settings.Authority`)."""

    @property
    def domain_rating(self) -> float: ...
    @property
    def trust_flow(self) -> float: ...
    @property
    def referring_domains(self) -> float: ...
    @property
    def authority_score(self) -> float: ...
    @property
    def pagerank(self) -> float: ...
    @property
    def link_rank(self) -> float: ...


# The part of the score that a figure counts for, and its curve. The link rank stands in for the page rank.
_MEASURES: Final[Mapping[Role, tuple[Part, str]]] = {
    DOMAIN_RATING: ("<vendor_c>_dr", "<vendor_c>_dr"),
    TRUST_FLOW: ("trust_flow", "trust_flow"),
    REFERRING_DOMAINS: ("ref_domains", "ref_domains"),
    AUTHORITY_SCORE: ("<vendor_a>_as", "<vendor_a>_as"),
    PAGERANK: ("<vendor_d>_pagerank", "<vendor_d>_pagerank"),
    LINK_RANK: ("<vendor_d>_pagerank", "link_rank"),
}


def thresholds_by_role(thresholds: Thresholds) -> dict[Role, float]:
    """The thresholds by role."""
    return {
        DOMAIN_RATING: thresholds.domain_rating,
        TRUST_FLOW: thresholds.trust_flow,
        REFERRING_DOMAINS: thresholds.referring_domains,
        AUTHORITY_SCORE: thresholds.authority_score,
        PAGERANK: thresholds.pagerank,
        LINK_RANK: thresholds.link_rank,
    }


def filter_verdict(figures: Mapping[Role, object], least: Mapping[Role, float]) -> FilterVerdict:
    """`pass` when any known figure reaches its threshold, `below` when none does, `unknown` when none is known.

    `least` comes from `thresholds_by_role`. Other roles (backlinks, indexed pages …) are ignored. This runs for a
    million feed rows, so it creates no objects.
    """
    known = False
    for role, threshold in least.items():
        figure = figures.get(role)
        if isinstance(figure, int | float):
            if figure >= threshold:
                return "pass"
            known = True
    return "below" if known else "unknown"


def judge_metrics(metrics: Metrics, thresholds: Thresholds) -> FilterVerdict:
    """`judge` over the preferred value of each figure."""
    return filter_verdict(
        {role: metrics.number(role) for role in LINK_FIGURES}, thresholds_by_role(thresholds)
    )


def strength(figures: Mapping[Role, object], weights: Weights | None = None) -> float:
    """How promising a link profile is, 0-1, to order candidates: the score's mean and confidence, from links alone."""
    data = weights or current()
    known: dict[Part, float] = {}
    for role, (part, curve) in _MEASURES.items():
        figure = figures.get(role)
        if isinstance(figure, int | float):
            known.setdefault(part, data.curves[curve].at(figure))
    if not known:
        return 0.0
    weight_known = sum(data.parts[part] for part in known)
    weight_all = sum(data.parts[part] for part in {part for part, _ in _MEASURES.values()})
    mean = sum(data.parts[part] * share for part, share in known.items()) / weight_known
    confidence = data.least_confidence + (1 - data.least_confidence) * weight_known / weight_all
    return round(mean * confidence, 6)
