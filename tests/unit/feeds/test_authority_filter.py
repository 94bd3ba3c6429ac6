"""Which rows are looked up in the database, and how the others count."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from afterdrop.feeds import authority_filter
from afterdrop.feeds.authority_filter import BatchFilter, JudgedRow, KnownNames, Waiting
from afterdrop.feeds.parse import read_feed
from afterdrop.feeds.row_batches import Batch
from afterdrop.feeds.row_outcome import StoredRow, decide
from afterdrop.feeds.run_context import AuthorityFilter, RunContext, Tally
from tests.support.feed_inputs import BOUNDS, spec

NOW = datetime(2026, 11, 20, tzinfo=UTC)
ROLES = frozenset({"trust_flow"})
LATER, EARLIER = "2026-12-01T00:00:00Z", "2026-11-01T00:00:00Z"


def judge(figures: Any) -> Any:
    figure = figures.get("trust_flow")
    return "unknown" if figure is None else "pass" if figure >= 10 else "below"


def batch(*rows: str, fmt: str = "csv", day: bool = False, **more: Any) -> Batch:
    """Lines of domain;id;end;tf."""
    described = spec(
        format=fmt,
        csv={"delimiter": ";"},
        fields={
            "domain": "name",
            "type": {"const": "bid"},
            "external_id": "id",
            "ends_at": {"from": "end", "convert": ["date_only" if day else "iso"]},
            "bids": "bids",
        },
        metrics={"trust_flow": "tf"},
        **more,
    )
    (found,) = read_feed(described, io.BytesIO("\n".join(["name;id;end;tf", *rows]).encode()), BOUNDS)
    return found


def made(known: KnownNames | None, ahead_days: int | None = None, **more: Any) -> BatchFilter:
    chosen = AuthorityFilter(judge, lambda _: 0.0, **more)
    return BatchFilter(chosen, spec(ahead_days=ahead_days), NOW, Tally(), known=known)


def names(found: list[JudgedRow]) -> list[str]:
    return [row.domain for row, _, _ in found]


def test_without_memory_every_row_is_looked_up_and_the_last_of_an_offer_counts() -> None:
    one = made(None, roles=ROLES)
    rows = (
        f"b.com;1;{LATER};3",
        f"b.com;1;{LATER};12",
        f"www.c.com;2;{LATER};",
        f"d;3;{LATER};3",
        "e.com;4;;3",
    )
    found = one.rows_to_decide(batch(*rows))
    assert [(row.domain, verdict) for row, verdict, _ in found] == [("b.com", "pass"), ("c.com", "unknown")]
    counted = one.tally.columns()
    assert (counted["rows"], counted["good"]) == (5, 3)
    assert counted["counts"]["duplicate"] == 1
    assert counted["counts"]["bad"] == {"domain_single_label": 1, "ends_at": 1}
    assert counted["counts"]["notes"] == {"no_bids": 3, "reduced": 1}
    assert all(known for _, _, known in found)


def test_a_large_file_counts_rows_as_a_small_one_does() -> None:
    """In a large one most rows are counted by their ends alone, and none of them is made."""
    far = "2026-12-20T00:00:00Z"
    rows = [f"n{number}.com;{number};{end};3" for number, end in enumerate((LATER, EARLIER, far, far))]
    small, large = made(None, 14, roles=ROLES), made(KnownNames(), 14, roles=ROLES)
    assert large.rows_to_decide(batch(*rows)) == []
    counted = large.tally.columns()["counts"]
    assert counted == {"below_filter": 1, "ended": 1, "waits": 2, "notes": {"no_bids": 4}}
    context = RunContext(spec(ahead_days=14), 3, 7, NOW, NOW, {}, timedelta(days=30))
    for row, verdict, _ in small.rows_to_decide(batch(*rows)):
        small.tally.count(decide(row, StoredRow(), verdict, context).counted_as)
    assert small.tally.columns()["counts"] == counted


@pytest.mark.parametrize(
    ("ends", "wins"),
    [
        ((EARLIER, LATER, EARLIER), LATER),
        ((LATER, "2026-12-02T00:00:00Z"), "2026-12-02T00:00:00Z"),
        (("2026-10-31T00:00:00Z", EARLIER), EARLIER),
        ((EARLIER, "2026-11-20T00:00:00Z"), "2026-11-20T00:00:00Z"),
    ],
)
def test_of_the_rows_of_one_offer_the_last_that_runs_wins(ends: tuple[str, ...], wins: str) -> None:
    one = made(None, roles=ROLES)
    rows = [f"a.com;1;{end};{number}" for number, end in enumerate(ends, 10)]
    ((row, _, _),) = one.rows_to_decide(batch(*rows))
    assert row.ends_at == datetime.fromisoformat(wins)
    assert row.metrics["trust_flow"] == 10 + ends.index(wins)
    assert one.tally.columns()["counts"] == {"duplicate": len(ends) - 1, "notes": {"no_bids": len(ends)}}
    assert one.tally.shared_key is None


@pytest.mark.parametrize("more", [{"roles": ROLES}, {}])
def test_with_memory_only_rows_that_pass_or_may_be_known_are_looked_up(more: dict[str, Any]) -> None:
    known = KnownNames()
    known.add(["known.com", "k9"])
    one = made(known, **more)
    rows = (
        f"known.com;1;{LATER};3",
        f"x.com;k9;{LATER};3",
        f"pass.com;2;{LATER};12",
        f"pass.com;3;{LATER};3",
        f"below.com;4;{LATER};3",
        f"ended.com;5;{EARLIER};3",
        f"www.below.net;6;{LATER};4",
        f"www.ended.net;7;{EARLIER};4",
    )
    found = one.rows_to_decide(batch(*rows))
    assert names(found) == ["known.com", "x.com", "pass.com", "pass.com"]
    assert [known for _, _, known in found] == [True, True, False, False]
    assert known.among(["below.com", "2", "pass.com", "x.com"]) == [1, 2, 3]
    counts = one.tally.columns()["counts"]
    assert (counts["below_filter"], counts["ended"]) == (2, 2)


def test_a_days_end_depends_on_the_name() -> None:
    one = made(KnownNames(), roles=ROLES)
    one.rows_to_decide(batch("a.com;1;2026-11-01;3", "b.com;2;2026-12-01;3", day=True))
    counts = one.tally.columns()["counts"]
    assert (counts["below_filter"], counts["ended"]) == (1, 1)


def test_judgements_are_remembered_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authority_filter, "VERDICTS_MOST", 1)
    one = made(KnownNames(), roles=ROLES)
    for _ in range(2):
        assert names(one.rows_to_decide(batch(f"a.com;1;{LATER};12", f"b.com;2;{LATER};3"))) == ["a.com"]
    other = made(KnownNames(), roles=frozenset({"domain_rating"}))
    assert [verdict for _, verdict, _ in other.rows_to_decide(batch(f"a.com;1;{LATER};12"))] == ["unknown"]


def test_rows_wait_for_others_that_they_do_not_depend_on() -> None:
    found = made(None, roles=ROLES).rows_to_decide(batch(f"a.com;1;{LATER};12", f"b.com;2;{LATER};3"))
    waiting = Waiting()
    waiting.add(found[:1])
    assert waiting.apart_from(found[1:])
    assert not waiting.apart_from(found[:1])
    waiting.add(found[1:])
    assert names(waiting.take()) == ["a.com", "b.com"]
    assert waiting.apart_from(found)
    assert waiting.take() == []
