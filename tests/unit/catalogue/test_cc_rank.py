"""The course of the CC rank: rising, steady or falling, and since when."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from afterdrop.catalogue.cc_rank import cc_rank
from afterdrop.sources.metrics.model import LINK_PLACE, Metric, Metrics


def course(*ranks: float) -> Metrics:
    values = []
    for month, rank in enumerate(ranks, 1):
        place = {
            **{"release": f"r{month:02}", "as_of": f"2026-{month:02}-28", "harmonic": 9, "pagerank": 9},
            **{"referring_domains": None, "rank": rank},
        }
        values.append(
            Metric(LINK_PLACE, [place], f"link_ranks:r{month:02}", datetime(2026, month, 28, tzinfo=UTC))
        )
    return Metrics.of(reversed(values))


@pytest.mark.parametrize(
    ("ranks", "trend", "since"),
    [
        ((30,), None, None),
        ((30, 30), "steady", None),
        ((30, 31.4), "steady", None),
        ((30, 31.5), "rising", "2026-01-28"),
        ((31.5, 30), "falling", "2026-01-28"),
        ((30, 25, 31), "rising", "2026-02-28"),
        ((30, 36, 31), "falling", "2026-02-28"),
        ((20, 40, 30), "falling", "2026-02-28"),
        ((40, 20, 30), "rising", "2026-02-28"),
        ((20, 20, 20, 25), "rising", "2026-03-28"),
        ((25, 25, 25, 20), "falling", "2026-03-28"),
    ],
)
def test_where_it_goes(ranks: tuple[float, ...], trend: str | None, since: str | None) -> None:
    found = cc_rank(course(*ranks))
    assert found is not None
    assert (found["trend"], found["since"]) == (trend, since)
    assert [place["rank"] for place in found["places"]] == list(ranks)


def test_a_name_that_no_table_knows_has_none() -> None:
    assert cc_rank(Metrics.of([])) is None
