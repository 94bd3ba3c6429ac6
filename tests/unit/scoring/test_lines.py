"""The lines of a score add up to what is shown, and differences between two add up to the difference."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from afterdrop.review.flags.risk_flags import FLAGS
from afterdrop.scoring.score import apportioned, contributions, differences, score_lines
from afterdrop.scoring.weights import PARTS, current

SHARES = st.one_of(st.none(), st.floats(0, 1).map(lambda share: round(share, 4)))
FLAGGED = st.dictionaries(st.sampled_from(FLAGS), st.sampled_from(("risk", "info")))
PARTED = st.fixed_dictionaries({str(part): SHARES for part in PARTS})


def shown(breakdown: dict[str, float | None]) -> int:
    """The score as it is shown."""
    return math.floor(round(sum(contributions(breakdown).values()), 9) + 0.5)


def whole(
    parts: dict[str, float | None], flags: Any, *, spam: bool = False, cap: float = 0.0
) -> dict[str, float | None]:
    """A breakdown with its penalty, which is `cap` at least."""
    return {**parts, "penalty": 0.6 if spam else max(round(current().penalty(flags), 4), cap)}


@given(PARTED, FLAGGED, st.booleans(), st.sampled_from((0.0, 0.35)))
@example(dict.fromkeys(map(str, PARTS)), {}, True, 0.0)
def test_the_lines_add_up_to_the_score_shown(parts: Any, flags: Any, spam: bool, cap: float) -> None:
    breakdown = whole(parts, flags, spam=spam, cap=cap)
    points = shown(breakdown)
    lines = score_lines(breakdown, points, flags, spam=spam)
    assert round(sum(line.points for line in lines), 6) == points
    assert [line.name for line in lines if line.kind == "part"] == [
        part for part in PARTS if parts[part] is not None
    ]
    # A maximum is the part's weight whatever else is known.
    weights = {str(part): weight for part, weight in current().parts.items()}
    assert all(line.most == round(100 * weights[line.name], 1) for line in lines if line.kind == "part")
    assert all(0 <= line.points <= line.most for line in lines if line.kind in ("part", "unknown"))
    assert all(line.points <= 0 for line in lines if line.kind in ("flag", "cap", "spam"))
    exact = contributions(breakdown)
    for line in lines:
        if line.kind == "rounding":
            assert abs(line.points) <= 0.5
    assert abs(sum(line.points for line in lines if line.kind != "rounding") - sum(exact.values())) <= 0.0501


@given(PARTED, FLAGGED, PARTED, FLAGGED)
def test_differences_add_up(ours: Any, our_flags: Any, theirs: Any, their_flags: Any) -> None:
    one, two = whole(ours, our_flags), whole(theirs, their_flags)
    first = score_lines(one, shown(one), our_flags)
    other = score_lines(two, shown(two), their_flags)
    found = differences(first, other)
    assert round(sum(each.points for each in found), 6) == shown(two) - shown(one)
    comparable = [each for each in found if each.name != "unknown"]
    assert [each.name for each in found[len(comparable) :]] in ([], ["unknown"])
    sizes = [abs(each.points) for each in comparable]
    assert sizes == sorted(sizes, reverse=True)
    unknown = [{part for line in lines for part in line.unknown} for lines in (first, other)]
    assert {part for each in found for part in each.parts} == unknown[0] ^ unknown[1]
    assert not (unknown[0] | unknown[1]) & {each.name for each in comparable}
    assert differences(first, first) == ()


def test_what_is_unknown_is_one_line_and_says_what_was_not_given() -> None:
    parts: dict[str, float | None] = {str(part): 0.9 for part in PARTS} | {"<vendor_d>_pagerank": None}
    breakdown = whole(parts, {})
    [line] = [line for line in score_lines(breakdown, shown(breakdown), {}) if line.kind == "unknown"]
    assert line.unknown == ("<vendor_d>_pagerank",)
    assert line.most == 5
    assert 0 < line.points < 5
    assert line.missed == round(5 - line.points, 1)


def test_each_flag_has_its_line_and_spam_only_one() -> None:
    parts: dict[str, float | None] = {str(part): 1.0 for part in PARTS}
    flags: Any = {"gap": "info", "trademark": "risk"}
    lines = {line.name: line for line in score_lines(whole(parts, flags), 77, flags)}
    assert (lines["trademark"].points, lines["gap"].points) == (-20.0, -3.2)
    assert lines["rounding"].points == 0.2
    spam = score_lines(whole(parts, flags, spam=True), 40, flags, spam=True)
    assert [(line.kind, line.points) for line in spam if line.points < 0] == [("spam", -60.0)]


def test_what_the_cap_takes_stands_beside_each_flags_own_share() -> None:
    parts: dict[str, float | None] = {str(part): 1.0 for part in PARTS}
    flags: Any = {"gap": "info", "anchor_foreign": "risk"}
    lines = {line.name: line for line in score_lines(whole(parts, flags, cap=0.41), 59, flags)}
    assert (lines["anchor_foreign"].points, lines["gap"].points, lines["cap"].points) == (-20.0, -3.2, -17.8)
    assert lines["cap"].kind == "cap" and "rounding" not in lines


def test_a_penalty_of_flags_that_are_not_told_is_one_line() -> None:
    parts: dict[str, float | None] = {str(part): 1.0 for part in PARTS}
    lines = score_lines({**parts, "penalty": 0.1}, 90, {})
    assert [(line.name, line.points) for line in lines if line.kind == "flag"] == [("flag", -10.0)]


def test_tenths_are_apportioned_by_the_largest_remainder() -> None:
    assert apportioned([1.26, 1.24, -0.5]) == [13, 12, -5]
    assert apportioned([0.04, 0.04, 0.04]) == [1, 0, 0]
    assert apportioned([]) == []
