"""The merged view of a domain's link metrics."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from afterdrop.sources.metrics.model import (
    ANCHORS,
    AUTHORITY_SCORE,
    BUYER_FACTS,
    CITATION_FLOW,
    DOMAIN_RATING,
    LINK_FIGURES,
    NOTHING_KNOWN,
    PAGERANK,
    ROLES,
    TOPIC,
    TRUST_FLOW,
    Metric,
    Metrics,
    Role,
    Value,
    contract_key,
)

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
CREDIT = {"text": "Data by A", "url": "https://a.example"}


def metric(role: Role, value: Value, provider: str = "majestic", hours: float = 0, **more: object) -> Metric:
    return Metric(role, value, provider, NOON + timedelta(hours=hours), **more)  # type: ignore[arg-type] # test shorthand


def test_a_named_provider_beats_a_newer_feed_and_newer_beats_older() -> None:
    merged = Metrics.of(
        [
            metric(TRUST_FLOW, 7, "feed:shop", hours=5),
            metric(TRUST_FLOW, 9, "older"),
            metric(TRUST_FLOW, 12, "newer", hours=1),
        ]
    )
    assert [one.value for one in merged.all_of(TRUST_FLOW)] == [12, 9, 7]
    assert merged.number(TRUST_FLOW) == 12
    best = merged.best(TRUST_FLOW)
    assert best is not None and not best.from_feed


def test_of_one_provider_and_role_only_the_newest_stays() -> None:
    merged = Metrics.of([metric(DOMAIN_RATING, 20, hours=1), metric(DOMAIN_RATING, 10)])
    assert [one.value for one in merged.every()] == [20]
    assert [one.value for one in merged.plus([metric(DOMAIN_RATING, 30, hours=2)]).every()] == [30]


def test_equal_times_are_ordered_by_provider_so_that_a_rerun_agrees() -> None:
    one, two = metric(TRUST_FLOW, 1, "a"), metric(TRUST_FLOW, 2, "b")
    assert Metrics.of([one, two]) == Metrics.of([two, one])


def test_unknown_is_none_and_an_empty_list_is_asked_and_none() -> None:
    assert NOTHING_KNOWN.number(TRUST_FLOW) is None
    assert NOTHING_KNOWN.text(TOPIC) is None
    assert NOTHING_KNOWN.items(ANCHORS) is None
    assert not NOTHING_KNOWN.knows_any()
    known = Metrics.of([metric(ANCHORS, []), metric(TOPIC, "Arts"), metric(TRUST_FLOW, 0)])
    assert known.items(ANCHORS) == []
    assert known.text(TOPIC) == "Arts"
    assert known.number(TOPIC) is None and known.text(ANCHORS) is None and known.items(TOPIC) is None
    assert known.knows_any() and known.knows_any({TOPIC}) and not known.knows_any({DOMAIN_RATING})


def test_the_ratio_needs_both_figures_of_one_provider() -> None:
    both = [metric(TRUST_FLOW, 10), metric(CITATION_FLOW, 30)]
    assert Metrics.of(both).tf_cf_ratio == 0.33
    assert Metrics.of([both[0], metric(CITATION_FLOW, 0)]).tf_cf_ratio is None
    assert Metrics.of([both[0], metric(CITATION_FLOW, 20, "other")]).tf_cf_ratio is None
    assert Metrics.of(both[1:]).tf_cf_ratio is None
    assert Metrics.of(both[:1]).tf_cf_ratio is None


def test_contract_keys_are_the_neutral_spellings() -> None:
    assert contract_key(AUTHORITY_SCORE) == "<vendor_a>_authority_score"
    assert contract_key("vendor_b_domain_authority") == "<vendor_b>_domain_authority"
    assert contract_key("search_engine_indexed_pages") == "<search_engine>_indexed_pages"
    assert contract_key(TRUST_FLOW) == "trust_flow"
    shown = Metrics.of([metric(PAGERANK, 3.2)]).contract([PAGERANK, AUTHORITY_SCORE])
    assert shown == {"<vendor_d>_pagerank": 3.2, "<vendor_a>_authority_score": None}


def test_attributions_name_each_source_of_a_shown_value_once() -> None:
    known = Metrics.of(
        [
            metric(TRUST_FLOW, 1, attribution=CREDIT),
            metric(DOMAIN_RATING, 1, attribution=CREDIT),
            metric(PAGERANK, 1.0, attribution={"text": "B"}),
            metric(PAGERANK, 2.0, "feed:x", attribution={"text": "not shown"}),
            metric(AUTHORITY_SCORE, 3),
        ]
    )
    assert known.attributions() == [{"text": "B", "url": ""}, CREDIT]


def test_the_link_figures_are_roles() -> None:
    assert set(LINK_FIGURES) < set(ROLES) and len(ROLES) == 22
    assert not set(LINK_FIGURES) & set(BUYER_FACTS), "what marketplaces say of a name counts in no score"
