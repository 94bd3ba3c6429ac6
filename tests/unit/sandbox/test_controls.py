"""Fault rules and the web graph."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from afterdrop.sandbox import graph_server as graph
from afterdrop.sandbox.state import FaultRules
from tests.unit.sandbox.worlds import world

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("rule", "struck"),
    [
        ({"kind": "429", "count": 2}, [1, 1, 0, 0, 0, 0, 0, 0]),
        ({"kind": "429", "after": 1, "count": 2}, [0, 1, 1, 0, 0, 0, 0, 0]),
        ({"kind": "429", "share": 0.25}, [0, 0, 0, 1, 0, 0, 0, 1]),
        ({"kind": "429", "lasts": 180}, [1, 1, 1, 0, 0, 0, 0, 0]),
        ({"kind": "429", "path": "^/web/"}, [0, 0, 0, 0, 0, 0, 0, 0]),
        ({"kind": "429", "server": "crawl"}, [0, 0, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_a_rule_strikes_as_often_as_it_says(rule: dict[str, object], struck: list[int]) -> None:
    faults = FaultRules()
    faults.put(["closeouts", rule])
    moments = [NOW + timedelta(minutes=minute) for minute in range(8)]
    assert [int(faults.strike("archive", "/cdx/", at) is not None) for at in moments] == struck
    assert (faults.playing, faults.rules[0].done) == (frozenset({"closeouts"}), sum(struck))


@pytest.mark.parametrize("rule", ["nonsense", {"kind": "429", "colour": 1}, {"kind": "sulk"}])
def test_a_misspelt_rule_is_an_error(rule: str | dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        FaultRules().put([rule])


def test_the_graph_links_each_name_as_often_as_its_metrics_say() -> None:
    built = graph.build_graph(world())
    counts = Counter(built.names[target] for _, target in built.links)
    for story in world().stories:
        wanted = story.metrics.referring_domains if "graph" in story.metrics.known else 0
        assert counts[graph.reverse(story.domain)] == wanted, story.domain


def test_ranks_separate_names_with_many_links_from_the_rest() -> None:
    ranked = graph.build_graph(world()).ranked
    place = {name: number for number, name in enumerate(ranked, start=1)}
    for story in world().stories:
        if (found := place.get(graph.reverse(story.domain))) is not None:
            rating = 100 * (1 - math.log(found) / math.log(len(place)))
            assert rating > 30 or story.metrics.referring_domains <= 60
            assert rating < 10 or story.outcome != "below_filter"
