"""Windows of pending-delete names: registry hours over summer time, days of the reader, countdowns."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

import pytest

from afterdrop.catalogue.drops import (
    Drop,
    DropTime,
    Window,
    countdown,
    dropping,
    drops,
    due,
    when,
    window_of,
)
from afterdrop.catalogue.shapes import Summary
from afterdrop.sources.registry.release_hours import drop_begins, drop_day, drop_end, release_opens


def at(day: int, hour: int = 0, minute: int = 0, second: int = 0, month: int = 11) -> datetime:
    return datetime(2026, month, day, hour, minute, second, tzinfo=UTC)


def item(
    domain: str, ends_at: str | None, score: int = 70, status: str = "pending_delete", *, certain: bool = True
) -> Summary:
    values: dict[str, Any] = {"domain": domain, "tld": domain.partition(".")[2], "score": score}
    listing = {"ends_at": ends_at, "opens_at": None, "certain": certain}
    return cast(Summary, {**values, "status": status, "listing": listing})


@pytest.mark.parametrize(
    ("domain", "ends_at", "opens"),
    [
        ("a.com", drop_end(date(2026, 11, 22), "a.com"), at(22, 19)),
        ("a.com", drop_end(date(2026, 7, 22), "a.com"), at(22, 18, month=7)),
        ("a.net", at(22, 19), at(22, 19)),  # a feed that names the hour itself
        ("a.com", at(22, 23, 59, 59), at(22, 19)),  # a feed that names the end of the day
        ("a.se", drop_end(date(2026, 11, 22), "a.se"), at(22, 4)),
    ],
)
def test_a_known_hour_opens_a_window_that_closes_where_that_is_published(
    domain: str, ends_at: datetime, opens: datetime
) -> None:
    guide = domain in ("a.com", "a.net")
    assert window_of(domain, ends_at) == Window(opens, opens + timedelta(hours=2), None, by_guide=guide)
    session = window_of("a.co.nz", drop_end(date(2026, 11, 22), "a.co.nz"))
    assert session == Window(at(22, 2), at(22, 4), at(22, 3))


def test_a_list_that_names_the_second_makes_windows_of_an_hour() -> None:
    drops_at = at(22, 11, 31, 21)
    assert release_opens("a.co.uk", drops_at) == release_opens("a.uk", drops_at) == drops_at
    assert window_of("a.co.uk", drops_at) == Window(at(22, 11), at(22, 12), at(22, 12))
    assert release_opens("a.uk.com", at(22, 23, 59, 59)) is None


def test_a_drop_never_opens_after_its_end() -> None:
    early = at(22, 15)  # ten in the morning in Virginia, four hours before the release
    assert release_opens("a.com", early) == early


@pytest.mark.parametrize(
    ("opens_at", "time", "open_now"),
    [
        (None, "2026-11-22T21:00:00Z", False),
        ("2026-11-22T19:00:00Z", "2026-11-22T19:00:00Z", True),
        ("2026-11-22T20:30:00Z", "2026-11-22T20:30:00Z", False),
    ],
)
def test_a_listing_is_due_when_its_drop_opens(opens_at: str | None, time: str, open_now: bool) -> None:
    shown = listing(ends_at="2026-11-22T21:00:00Z", opens_at=opens_at)
    assert (due(shown), dropping(shown, at(22, 20))) == (time, open_now)
    assert not dropping(shown, at(22, 21))


@pytest.mark.parametrize(
    ("domain", "begins"),
    [
        ("a.org", at(22)),
        ("a.pl", at(21, 23)),
        ("a.jp", at(21, 15)),
        ("a.com.br", at(22, 3)),
        ("a.me", at(22)),
    ],
)
def test_without_a_known_hour_only_the_registrys_day_is_known(domain: str, begins: datetime) -> None:
    day = date(2026, 11, 22)
    ends_at = drop_end(day, domain)
    assert (release_opens(domain, ends_at), drop_day(domain, ends_at)) == (None, day)
    assert drop_begins(domain, ends_at) == begins
    assert window_of(domain, ends_at) == Window(None, ends_at, None, day, begins)


def test_an_hour_that_a_list_names_is_no_day() -> None:
    named = at(22, 18)
    assert (drop_day("a.org", named), drop_begins("a.org", named)) == (None, None)
    assert window_of("a.org", named) == Window(None, named)
    midnight = drop_end(date(2026, 11, 22), "a.se")
    assert drop_day("a.se", midnight) is None
    assert drop_begins("a.se", midnight) == at(22, 4)


def listing(**values: Any) -> Any:
    return {"ends_at": None, "opens_at": None, "day": None, **values}


def test_when_a_listing_ends() -> None:
    assert when(listing()) is None
    moment = when(listing(ends_at="2026-11-22T18:00:00Z"))
    assert moment == DropTime(at(22, 18), at(22, 18))
    opening = when(listing(ends_at="2026-11-22T21:00:00Z", opens_at="2026-11-22T19:00:00Z"))
    assert opening == DropTime(at(22, 19), at(22, 21))
    polish = listing(ends_at="2026-11-22T23:59:59Z", opens_at="2026-11-21T23:00:00Z", day="2026-11-22")
    whole = when(polish)
    assert whole == DropTime(at(21, 23), at(22, 23, 59, 59), date(2026, 11, 22))
    assert due(polish) == "2026-11-21T23:00:00Z"
    assert [dropping(polish, now) for now in (at(21, 22), at(22), at(23))] == [False, True, False]
    hours = timedelta(hours=6)
    assert [whole.near(now, hours) for now in (at(21, 16), at(21, 18), at(22, 12), at(23))] == [
        False,
        True,
        True,
        False,
    ]
    old = {"ends_at": "2026-11-22T18:00:00Z", "opens_at": None}
    assert when(cast(Any, old)) == moment, "the report of a check that an earlier version stored"


def test_names_are_grouped_by_window_and_ordered_by_score() -> None:
    rows = [
        item("low.net", "2026-11-22T21:00:00Z", 60),
        item("some.org", "2026-11-22T23:59:59Z"),
        item("high.com", "2026-11-22T21:00:00Z", 90),
        item("first.se", "2026-11-22T06:00:00Z"),
        item("later.com", "2026-11-23T21:00:00Z"),
        item("sold.com", "2026-11-22T21:00:00Z", status="listed"),
        item("open.com", None),
    ]
    found = drops(rows)
    assert [[each["domain"] for each in drop.domains] for drop in found] == [
        ["first.se"],
        ["high.com", "low.net"],
        ["some.org"],
        ["later.com"],
    ]
    assert found[1].extensions == ["com", "net"]


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (at(20, 18), "opens in 2 d 01:00:00"),
        (at(22, 18, 35, 17), "opens in 00:24:43"),
        (at(22, 19), "open, 02:00:00 left"),
        (at(22, 20, 5, 17), "open, 00:54:43 left"),
        (at(22, 21), "over"),
    ],
)
def test_countdowns(now: datetime, said: str) -> None:
    drop = Drop(Window(at(22, 19), at(22, 23), at(22, 21)), (item("a.com", None),))
    assert countdown(drop, now) == said


def test_no_countdown_runs_to_a_close_that_nobody_publishes() -> None:
    drop = Drop(window_of("a.se", drop_end(date(2026, 11, 22), "a.se")), (item("a.se", None),))
    assert countdown(drop, at(22, 3)) == "opens in 01:00:00"
    assert countdown(drop, at(22, 5)) == countdown(drop, at(22, 9)) == "open; its end is not published"


def test_a_countdown_without_an_hour_names_none() -> None:
    drop = Drop(Window(None, at(22, 23, 59, 59)), (item("a.org", None),))
    assert countdown(drop, at(22)) == "hour not published"


def test_nothing_counts_down_to_names_that_only_may_drop() -> None:
    window = Window(at(22, 4), at(22, 6))
    may, will = item("may.se", None, certain=False), item("will.se", None)
    assert (countdown(Drop(window, (may,)), at(20)), Drop(window, (may,)).certain) == ("may drop", False)
    assert countdown(Drop(window, (may, will)), at(22, 3)) == "opens in 01:00:00"
