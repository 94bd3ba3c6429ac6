"""The open link rank beside a vendor's rating."""

from __future__ import annotations

from datetime import UTC, datetime

from afterdrop.sources.metrics.model import DOMAIN_RATING, NOTHING_KNOWN, REFERRING_DOMAINS
from afterdrop.sources.webgraph.table import LinkRank, Manifest, as_metrics

NOW = datetime(2026, 11, 20, 16, tzinfo=UTC)
MANIFEST = Manifest("cc-main-2026-apr-may-jun", NOW, 121_100_000)


def test_the_link_rank_never_stands_in_for_a_vendors_rating() -> None:
    local = as_metrics({"a.com": LinkRank(9, 9, 1, 88.0, 5000)}, MANIFEST)["a.com"]
    alone = NOTHING_KNOWN.plus(local)
    assert alone.number(DOMAIN_RATING) is None
    assert alone.number(REFERRING_DOMAINS) == 5000
    assert {metric.provider for group in alone.by_role.values() for metric in group} == {"link_ranks"}
    assert alone.attributions() == [
        {
            "text": "Link rank: Common Crawl domain-level web graph, release cc-main-2026-apr-may-jun",
            "url": "https://commoncrawl.org/web-graphs",
        }
    ]
