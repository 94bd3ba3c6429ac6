"""The authority filter: unknown is not zero, any one figure is enough."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.core.settings import Authority
from afterdrop.scoring.authority import filter_verdict, judge_metrics, strength, thresholds_by_role
from afterdrop.sources.metrics.model import LINK_FIGURES, NOTHING_KNOWN, Metric, Metrics, Role

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LEAST = thresholds_by_role(Authority())


def test_thresholds_cover_every_link_figure() -> None:
    assert set(LEAST) == set(LINK_FIGURES)


@pytest.mark.parametrize(
    ("figures", "judgement"),
    [
        ({}, "unknown"),
        ({"backlinks": 100000, "search_engine_indexed_pages": 9}, "unknown"),
        ({"domain_rating": None, "trust_flow": "7"}, "unknown"),
        ({"domain_rating": 0}, "below"),
        ({"domain_rating": 4, "trust_flow": 4, "referring_domains": 9}, "below"),
        ({"domain_rating": 5}, "pass"),
        ({"domain_rating": 0, "referring_domains": 10}, "pass"),
        ({"vendor_a_authority_score": 5}, "pass"),
        ({"vendor_d_pagerank": 1.99}, "below"),
        ({"vendor_d_pagerank": 2.0}, "pass"),
        ({"link_rank": 10.0}, "pass"),
    ],
)
def test_judgements(figures: dict[Role, object], judgement: str) -> None:
    assert filter_verdict(figures, LEAST) == judgement


def test_merged_metrics_are_judged_alike() -> None:
    assert judge_metrics(NOTHING_KNOWN, Authority()) == "unknown"
    weak = Metrics.of([Metric("trust_flow", 1, "v", NOON)])
    assert judge_metrics(weak, Authority()) == "below"
    assert judge_metrics(weak, Authority(trust_flow=1)) == "pass"


def test_strength_orders_by_level_and_by_how_much_is_known() -> None:
    assert strength({}) == strength({"backlinks": 10**6}) == 0
    one = strength({"trust_flow": 15})
    assert 0 < strength({"trust_flow": 5}) < one < strength({"trust_flow": 15, "domain_rating": 25}) < 1
    everything: dict[Role, object] = dict.fromkeys(LINK_FIGURES, 5000)
    assert strength(everything) == 1


def test_the_link_rank_counts_only_without_a_pagerank() -> None:
    assert strength({"vendor_d_pagerank": 3, "link_rank": 50}) == strength({"vendor_d_pagerank": 3})
    assert strength({"link_rank": 25}) == strength({"vendor_d_pagerank": 3})


@given(st.dictionaries(st.sampled_from(LINK_FIGURES), st.floats(0, 1000)), st.sampled_from(LINK_FIGURES))
def test_a_higher_figure_never_turns_a_pass_or_weakens(figures: dict[Role, float], role: Role) -> None:
    more = {**figures, role: figures.get(role, 0) + 10}
    if filter_verdict(figures, LEAST) == "pass":
        assert filter_verdict(more, LEAST) == "pass"
    if role in figures:
        assert strength(more) >= strength(figures)
