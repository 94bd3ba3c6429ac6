"""Findings from link metrics: an authority nothing else bears out, and a site no search engine lists.

Pure. Each question answers with a `Finding`, with `CLEAN`, or with `UNKNOWN` where nobody gave the data: absent is
never clean.
"""

from __future__ import annotations

from typing import Final, Literal

from afterdrop.review.history.findings import Finding
from afterdrop.sources.metrics.model import (
    AUTHORITY_SCORE,
    CITATION_FLOW,
    DOMAIN_AUTHORITY,
    DOMAIN_RATING,
    INDEXED_PAGES,
    LINK_RANK,
    PAGERANK,
    REFERRING_DOMAINS,
    TRUST_FLOW,
    Metrics,
)

Unfound = Literal["clean", "unknown"]
CLEAN: Final = "clean"
UNKNOWN: Final = "unknown"

# Below this a rating is not worth inflating.
LEAST_RATING = 20
SIGNALS = 2


def dr_inflated(metrics: Metrics) -> Finding | Unfound:
    """Whether the Domain Rating is out of line with what other figures say of the same links.

    Signals: fewer referring domains than 10^(rating/25) (40 → 40, 60 → 250); Trust Flow under a fifth of the
    rating; Trust Flow under a quarter of Citation Flow; another provider's authority under a fifth of the
    rating; page rank (0–10) under rating/20; the open link rank at least 40 below the rating and under 15.
    Two signals make a finding, or one where no known figure is in line with the rating.
    """
    rating = metrics.number(DOMAIN_RATING)
    if rating is None:
        return UNKNOWN
    signals, in_line = _weigh(metrics, rating)
    if not signals and not in_line:
        return UNKNOWN
    if rating < LEAST_RATING or not signals or (len(signals) < SIGNALS and in_line):
        return CLEAN
    return Finding(
        "dr_inflated",
        2,
        f"The other figures do not support a Domain Rating of {rating:g}: {', '.join(signals)}.",
        rule=f"dr_inflated {len(signals)} of {len(signals) + in_line}",
    )


def _weigh(metrics: Metrics, rating: float) -> tuple[list[str], int]:
    """Sentence parts for figures that contradict the rating, and how many known ones are in line with it."""
    signals: list[str] = []
    in_line = 0
    for text, value, floor in (
        ("{:,.0f} referring domains", metrics.number(REFERRING_DOMAINS), 10 ** (rating / 25)),
        ("a Trust Flow of {:g}", metrics.number(TRUST_FLOW), rating / 5),
        ("an authority score of {:g}", metrics.number(AUTHORITY_SCORE), rating / 5),
        ("a domain authority of {:g}", metrics.number(DOMAIN_AUTHORITY), rating / 5),
        ("a page rank of {:g} out of 10", metrics.number(PAGERANK), rating / 20),
        ("an open link rank of {:g} out of 100", metrics.number(LINK_RANK), min(15.0, rating - 40)),
    ):
        if value is None:
            continue
        if value < floor:
            signals.append(text.format(value))
        else:
            in_line += 1
    ratio, citation = metrics.tf_cf_ratio, metrics.number(CITATION_FLOW)
    if ratio is not None and citation is not None and citation >= LEAST_RATING and ratio < 0.25:
        signals.append(f"a Trust Flow of {ratio:g} times the Citation Flow")
    return signals, in_line


def not_indexed(metrics: Metrics) -> Finding | Unfound:
    """Whether the search engine lists no page of the domain: only a figure of zero says so."""
    pages = metrics.number(INDEXED_PAGES)
    if pages is None:
        return UNKNOWN
    if pages > 0:
        return CLEAN
    return Finding("not_indexed", 1, "The search engine lists no pages of the domain.")
