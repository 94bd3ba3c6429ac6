"""Prices, changes of listings, suspect files, the tally, and trying a feed out."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.feeds import run_context, trial
from afterdrop.feeds.mapping import BadRow
from afterdrop.feeds.plausibility import (
    Lacking,
    Sketch,
    agreement,
    sketch_of,
    suspicion,
)
from afterdrop.feeds.row_outcome import UNSEEN, in_usd, is_live, live_until
from afterdrop.feeds.run_context import Tally
from afterdrop.feeds.trial import try_out
from tests.support.feed_inputs import BOUNDS, good, spec

NOW = datetime(2026, 11, 20, 16, tzinfo=UTC)
HOUR = timedelta(hours=1)
RATES = {"EUR": 0.8, "JPY": 150.0, "XXX": 0.0}


@pytest.mark.parametrize(
    ("price", "currency", "dollars"),
    [
        (None, "USD", None),
        (Decimal("0"), "USD", 0),
        (Decimal("12.49"), "USD", 12),
        (Decimal("12.50"), "$US", 13),
        (Decimal("13.50"), "USD", 14),
        (Decimal("10"), "€", 13),
        (Decimal("1000"), "JPY", 7),
    ],
)
def test_prices_in_whole_dollars_half_up(price: Decimal | None, currency: str, dollars: int | None) -> None:
    assert in_usd(price, currency, RATES) == (dollars, None)


@pytest.mark.parametrize(("currency", "why"), [("GBP", "GBP"), ("XXX", "XXX"), ("", "without a currency")])
def test_without_a_rate_there_is_a_note(currency: str, why: str) -> None:
    dollars, note = in_usd(Decimal(5), currency, RATES)
    assert dollars is None
    assert note is not None
    assert why in note


def test_when_a_listing_is_live() -> None:
    assert is_live(None, None, NOW)
    assert is_live(NOW + HOUR, None, NOW)
    assert not is_live(NOW, None, NOW)
    assert not is_live(None, NOW, NOW)
    assert live_until(NOW, False, NOW) == NOW
    assert live_until(None, True, NOW) is None
    assert live_until(None, False, NOW) == NOW + UNSEEN


def sketch(names: Any, size: int = 1024) -> list[int]:
    kept = Sketch(size)
    for name in names:
        kept.add(name)
    return kept.hashes()


@given(st.sets(st.text(), max_size=40), st.integers(1, 20))
def test_a_sketch_keeps_the_smallest_hashes_whatever_the_order(names: set[str], size: int) -> None:
    whole = sketch(names, 1000)
    assert sketch([*names, *names], size) == whole[:size]
    assert sketch_of([list(names)[:3], names]) == sketch(names)
    assert len(whole) == len(names)


def test_agreement_estimates_the_share_of_common_names() -> None:
    base = [f"n{number}.com" for number in range(20_000)]
    assert agreement(sketch(base), sketch(reversed(base))) == 1.0
    near = agreement(sketch(base), sketch([*base[500:], *(f"x{n}.com" for n in range(500))]))
    assert near == pytest.approx(0.951, abs=0.03)
    assert agreement(sketch(base), sketch(f"x{n}.com" for n in range(20_000))) == 0.0
    assert agreement([], []) == 1.0
    assert agreement([1], []) == 0.0


@pytest.mark.parametrize(
    ("known", "missing", "rows", "suspect"),
    [
        (0, 0, 0, True),
        (0, 0, 1, False),
        (10, 10, 1, False),
        (50, 20, 30, False),
        (50, 21, 29, True),
        (1000, 200, 800, False),
        (1000, 201, 799, True),
    ],
)
def test_suspicion(known: int, missing: int, rows: int, suspect: bool) -> None:
    assert (suspicion(Lacking(known, missing), Lacking(), rows) is not None) is suspect


@pytest.mark.parametrize(
    ("known", "missing", "suspect"), [(10, 10, False), (30, 21, True), (1000, 500, False), (1000, 501, True)]
)
def test_more_may_vanish_of_the_names_without_an_end(known: int, missing: int, suspect: bool) -> None:
    why = suspicion(Lacking(1000, 200), Lacking(known, missing), 800)
    assert (why is not None) is suspect
    assert not suspect or why == f"the file lacks {missing} of the {known} known names at a fixed price"


def test_the_tally_counts_and_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_context, "REASONS", 2)
    counted = Tally()
    for line in range(7):
        counted.bad(BadRow("ends_at", line, "x"))
    counted.bad(BadRow("domain_empty", 8, "y"))
    counted.bad(BadRow("type", 9, "z"))
    for row in good(spec(), "name\nwww.a.com\nb.com\n"):
        counted.good_row(row)
    counted.count("new")
    counted.count("withdrawn", 3)
    counted.passed += 1
    columns = counted.columns()
    assert (columns["rows"], columns["good"], columns["passed"]) == (11, 2, 1)
    assert columns["counts"] == {
        "new": 1,
        "withdrawn": 3,
        "bad": {"ends_at": 7, "domain_empty": 1, "type": 1},
        "notes": {"reduced": 1},
    }
    assert {reason: len(kept) for reason, kept in columns["samples"].items()} == {
        "ends_at": 5,
        "domain_empty": 1,
    }
    assert Tally().columns()["counts"] == {}


def test_trying_a_feed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = spec(
        fields={
            "domain": "name",
            "type": {"const": "bid"},
            "price": {"from": "cost", "convert": ["money"]},
            "url": {"from": ["deep.link", "link"]},
        },
        metrics={"trust_flow": "tf"},
        ignore=["Age"],
    )
    lines = ["Name,Age,tf,colour,link"] + [f"n{n}.com,1,{n},red,https://x.com/{n}" for n in range(8)]
    data = "\n".join([*lines, "bad name,1,1,red,", "a.com,1,900,red,nowhere", "b b,1,1,red,"])
    tried = try_out(feed, io.BytesIO(data.encode()), BOUNDS)
    assert [row["domain"] for row in tried.rows] == [f"n{n}.com" for n in range(5)]
    assert tried.written == {"domain": ["n0.com"], "url": ["https://x.com/0"], "trust_flow": ["0"]}
    assert tried.read == 11
    assert [(reason, first["count"], first["line"]) for reason, first in tried.bad.items()] == [
        ("domain_characters", 2, 10)
    ]
    assert tried.notes == {"url": 1, "trust_flow": 1}
    assert tried.columns == ["Name", "Age", "tf", "colour", "link"]
    assert tried.unmapped == ["colour"]
    assert tried.not_found == ["deep.link", "cost"]
    monkeypatch.setattr(trial, "ROWS_READ", 3)
    assert try_out(feed, io.BytesIO(data.encode()), BOUNDS).read == 3
