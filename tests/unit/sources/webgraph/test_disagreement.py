"""A vendor's rating far from the open link rank is evidence that the rating is inflated."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from afterdrop.review.flags.link_flags import CLEAN, UNKNOWN, dr_inflated
from afterdrop.review.history.findings import Finding
from afterdrop.sources.metrics.model import DOMAIN_RATING, NOTHING_KNOWN, REFERRING_DOMAINS, Metric, Metrics
from afterdrop.sources.webgraph.table import LinkRank, Manifest, as_metrics

NOW = datetime(2026, 11, 20, 16, tzinfo=UTC)
MANIFEST = Manifest("cc-main-2026-apr-may-jun", NOW, 121_100_000)


def known(rating: int | None, link_rank: float | None, referring: int | None = None) -> Metrics:
    """A vendor's rating beside the value of the local table."""
    found = NOTHING_KNOWN
    if link_rank is not None:
        local = as_metrics({"a.com": LinkRank(9, 9, 1, link_rank, referring)}, MANIFEST)["a.com"]
        found = found.plus(local)
    return found if rating is None else found.plus([Metric(DOMAIN_RATING, rating, "vendor", NOW)])


@pytest.mark.parametrize(
    ("rating", "link_rank", "referring", "found"),
    [
        (
            60,
            4.0,
            None,
            "The other figures do not support a Domain Rating of 60: an open link rank of 4 out of 100.",
        ),
        (
            60,
            4.0,
            12,
            "The other figures do not support a Domain Rating of 60: 12 referring domains, an open link rank of 4 out"
            " of 100.",
        ),
        # Near enough, or the vendor is the modest one.
        (60, 15.0, None, CLEAN),
        (45, 5.0, None, CLEAN),
        (30, 50.0, None, CLEAN),
        # One contradiction against one agreement is no finding.
        (60, 4.0, 900, CLEAN),
        (60, None, None, UNKNOWN),
        (None, 4.0, None, UNKNOWN),
    ],
)
def test_disagreement(rating: int | None, link_rank: float | None, referring: int | None, found: str) -> None:
    got = dr_inflated(known(rating, link_rank, referring))
    if found in (CLEAN, UNKNOWN):
        assert got == found
        return
    assert isinstance(got, Finding)
    assert got.note == found


def test_the_link_rank_never_stands_in_for_a_vendors_rating() -> None:
    alone = known(None, 88.0, 5000)
    assert alone.number(DOMAIN_RATING) is None
    assert alone.number(REFERRING_DOMAINS) == 5000
    assert {metric.provider for group in alone.by_role.values() for metric in group} == {"link_ranks"}
    assert alone.attributions() == [
        {
            "text": "Link rank: Common Crawl domain-level web graph, release cc-main-2026-apr-may-jun",
            "url": "https://commoncrawl.org/web-graphs",
        }
    ]
