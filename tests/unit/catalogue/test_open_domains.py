"""The draw of open domains, and ranks."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from afterdrop.catalogue.open_domains import OpenCandidate, draw
from afterdrop.catalogue.scan_end import ranks

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
LAST = NOW - 24 * HOUR


def entry(
    name: str, score: int = 50, found: int = -1, ends: int | None = 48, opened: str | None = None
) -> OpenCandidate:
    return OpenCandidate(
        name,
        name.partition(".")[2],
        score,
        NOW + found * HOUR,
        None if ends is None else NOW + ends * HOUR,
        opened,
    )


def test_at_most_two_of_one_extension_while_others_remain() -> None:
    found = [entry(f"c{score}.com", score) for score in (90, 89, 88, 87)] + [
        entry("n.net", 50),
        entry("o.org", 49),
    ]
    assert draw(found, LAST, NOW) == ["c90.com", "c89.com", "n.net", "o.org", "c88.com"]


def test_new_ones_with_a_day_left_go_first_then_any_live_one() -> None:
    found = [
        entry("old.a", 99, found=-48),
        entry("short.b", 98, ends=23),
        entry("exact.c", 60, ends=24),
        entry("endless.d", 59, ends=None),
    ]
    assert draw(found, LAST, NOW) == ["exact.c", "endless.d", "old.a", "short.b"]
    assert draw(found, None, NOW)[0] == "old.a"
    assert draw([], LAST, NOW) == []


def test_after_the_never_opened_ones_those_come_whose_opening_lies_longest_ago() -> None:
    found = [
        entry("never.a", 45, found=-48, ends=2),
        entry("yesterday.b", 99, opened="2026-11-19"),
        entry("week.c", 60, opened="2026-11-13"),
        entry("week2.d", 70, opened="2026-11-13", ends=None),
        entry("month.e", 50, opened="2026-10-20", ends=23),
        entry("older.f", 45, opened="2026-10-01"),
    ]
    assert draw(found, LAST, NOW) == ["never.a", "older.f", "week2.d", "week.c", "yesterday.b"]
    assert draw(found[:5], LAST, NOW) == ["never.a", "week2.d", "week.c", "yesterday.b", "month.e"]
    assert draw(found[1:], LAST, NOW)[0] == "older.f"


entries = st.lists(
    st.builds(
        entry,
        st.from_regex(r"[a-z]{1,4}\.(a|b|c)", fullmatch=True),
        st.integers(45, 60),
        st.integers(-60, 0),
        st.none() | st.integers(1, 60),
        st.none() | st.sampled_from(["2026-11-01", "2026-11-10", "2026-11-19"]),
    ),
    max_size=15,
    unique_by=lambda each: each.domain,
)


@given(entries, st.none() | st.just(LAST))
def test_five_or_all_and_never_a_third_while_another_extension_is_left_out(
    found: list[OpenCandidate], last: datetime | None
) -> None:
    opened = draw(found, last, NOW)
    assert len(opened) == min(5, len(found)) == len(set(opened))
    assert draw(list(reversed(found)), last, NOW) == opened
    never = {each.domain for each in found if each.last_open_on is None}
    lasting = {each.domain for each in found if _day_left(each)}
    fresh = {each.domain for each in found if (last is None or each.found_at >= last)} & never & lasting
    chosen = Counter(name.partition(".")[2] for name in opened if name in fresh)
    left_out = {each.tld for each in found if each.domain in fresh and each.domain not in opened}
    for tld, count in chosen.items():
        assert count <= 2 or all(chosen[other] >= 2 for other in left_out - {tld})
    if any(name not in fresh for name in opened):
        assert fresh <= set(opened)
    if any(name not in never for name in opened):
        assert never <= set(opened)
    if any(name not in never | lasting for name in opened):
        assert never | lasting <= set(opened) and len(never | lasting) < 5


def _day_left(each: OpenCandidate) -> bool:
    return each.ends_at is None or each.ends_at >= NOW + 24 * HOUR


def test_ranks() -> None:
    found = [("b.com", 50, NOW), ("a.com", 50, NOW), ("n.com", 50, NOW + HOUR), ("z.com", 90, NOW)]
    assert ranks(found) == {"z.com": 1, "n.com": 2, "a.com": 3, "b.com": 4}
    assert ranks([]) == {}
