"""Fault rules, the sandbox's clock, the web graph, and the document of expected results."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest

from afterdrop.sandbox import expected
from afterdrop.sandbox import graph_server as graph
from afterdrop.sandbox.state import BadRule, FaultRules, SandboxClock
from tests.unit.sandbox.worlds import MIDNIGHT, role, world

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_a_scene_is_put_by_its_name_and_ends_by_the_clock() -> None:
    faults = FaultRules()
    faults.put(["archive_blocked"])
    faults.rules[0].after = 1
    minutes = (0, 5, 64, 65, 66)
    struck = [faults.strike("archive", "/", NOW + timedelta(minutes=minute)) for minute in minutes]
    assert [rule is not None for rule in struck] == [False, True, True, False, False]
    with pytest.raises(BadRule, match="or one of archive_blocked, index_from_fails"):
        faults.put(["nonsense"])


def test_a_counted_fault_happens_that_often() -> None:
    faults = FaultRules()
    faults.put([{"kind": "429", "path": "^/cdx", "count": 2}])
    assert [faults.strike("archive", "/cdx/x", NOW) is not None for _ in range(4)] == [
        True,
        True,
        False,
        False,
    ]
    assert faults.strike("archive", "/web/x", NOW) is None
    assert (faults.rules[0].seen, faults.rules[0].done) == (4, 2)


def test_a_scene_is_switched_on_by_name_among_the_rules() -> None:
    faults = FaultRules()
    faults.put(["closeouts", {"kind": "429"}])
    assert (faults.playing, len(faults.rules)) == (frozenset({"closeouts"}), 1)
    faults.put([])
    assert not faults.playing and not faults.rules


def test_a_fault_for_a_share_of_requests_is_spread_evenly() -> None:
    faults = FaultRules()
    faults.put([{"kind": "reset", "server": "verisign", "share": 0.25}])
    struck = [faults.strike("verisign", "/", NOW) is not None for _ in range(12)]
    assert sum(struck) == 3 and struck[3] and not struck[0]
    assert faults.strike("pir", "/", NOW) is None


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("429", "object"),
        ({"kind": "429", "colour": 1}, "colour"),
        ({"kind": "sulk"}, "kind must be one of"),
        ({"kind": "429", "path": "("}, "unterminated"),
        ({"kind": "429", "count": "many"}, "invalid literal"),
    ],
)
def test_unusable_rules_are_refused(rule: object, said: str) -> None:
    with pytest.raises(BadRule, match=said):
        FaultRules().put([rule])


def test_the_clock_stands_still_runs_on_and_returns_to_real_time() -> None:
    real = [MIDNIGHT]
    moment = SandboxClock(lambda: real[0])
    assert moment.now() == MIDNIGHT
    earlier = datetime(2026, 11, 17, 12)  # naive: taken as UTC
    moment.put(earlier)
    real[0] += timedelta(hours=1)
    assert moment.now() == earlier.replace(tzinfo=UTC)
    moment.put(datetime(2026, 11, 18, 13, tzinfo=timezone(timedelta(hours=1))), running=True)
    real[0] += timedelta(hours=2)
    assert moment.now() == datetime(2026, 11, 18, 14, tzinfo=UTC)
    moment.put(None)
    assert moment.now() == real[0]
    moment.put(None, running=True)
    assert moment.now() == real[0]


def test_the_graph_links_each_name_as_often_as_its_metrics_say() -> None:
    built = graph.build_graph(world())
    place = {name: number for number, name in enumerate(built.names)}
    counts: dict[int, int] = {}
    for _, target in built.links:
        counts[target] = counts.get(target, 0) + 1
    for story in world().stories:
        found = place.get(graph.reverse(story.domain))
        wanted = story.metrics.referring_domains if "graph" in story.metrics.known else 0
        assert (counts[found] if found is not None else 0) == wanted, story.domain
    assert list(built.links) == sorted(set(built.links))
    assert list(built.names) == sorted(set(built.names))


def test_ranks_separate_names_with_many_links_from_the_rest() -> None:
    built = graph.build_graph(world())
    place = {name: number for number, name in enumerate(built.ranked, start=1)}
    for story in world().stories:
        found = place.get(graph.reverse(story.domain))
        if found is None:
            continue
        rating = 100 * (1 - math.log(found) / math.log(len(place)))
        assert (
            (rating > 30)
            if story.outcome in ("published", "rejected") and story.metrics.referring_domains > 60
            else True
        )
        assert rating < 10 or story.outcome != "below_filter"


def test_an_empty_world_has_a_graph_too() -> None:
    assert graph.build_graph(world(0)).names


def test_the_expected_document_says_what_a_look_up_must_answer_at_each_time() -> None:
    told = expected.expected_document(world(), "http://127.0.0.1:1")
    dropped = told["domains"][role("dropped_free").domain]
    assert [phase["availability"] for phase in dropped["registry"]][-2:] == ["dropping", "available"]
    assert dropped["registry"][-1]["announceable"] is True
    assert told["domains"][role("dropped_delegated").domain]["registry"][-1]["announceable"] is False
    assert told["domains"][role("odd_no_rdap").domain]["registry"][-1]["availability"] == "unknown"
    assert told["domains"][role("live_buy_now").domain]["listing"]["end"] is None
    assert told["domains"][role("parked_always").domain]["title_words"] == []
    assert told["feeds"]["godaddy_auctions"]["bad_rows"] == 3
    assert told["feeds"]["iis_se"]["bad_rows"] == 0
    assert set(told["graph"]) == {"release", "ranks", "vertices", "edges"}
