"""Answers are cut to size, and cursors continue them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterdrop.web.mcp.response_paging import (
    Packed,
    Position,
    cursor_tag,
    json_text,
    pack,
    pieces,
    read_cursor,
    write_cursor,
)

ROOM = 7_000


def leaves(value: Any) -> str:
    """All values in order, without the members' names, which are repeated where a row is cut."""
    if isinstance(value, dict):
        return "".join(leaves(member) for member in value.values())
    if isinstance(value, list):
        return "".join(leaves(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value)


def walked(rows: list[dict[str, Any]], room: int = ROOM) -> list[Packed]:
    """All the answers it takes to give `rows`."""
    answers: list[Packed] = []
    row, piece = 0, 0
    while True:
        packed = pack(rows[row:], piece, room)
        answers.append(packed)
        if packed.rest is None:
            return answers
        assert packed.rest > (0, piece), "no progress"
        row, piece = row + packed.rest[0], packed.rest[1]


def test_small_rows_stay_whole() -> None:
    rows = [{"domain": f"d{number}.org", "note": "x" * 500} for number in range(25)]
    answers = walked(rows)
    assert [row for answer in answers for row in answer.rows] == rows
    assert len(answers) == 2
    assert all(len(json_text(answer.rows)) <= ROOM for answer in answers)
    assert answers[0].rest == (len(answers[0].rows), 0)


def test_a_row_that_never_fits_is_given_in_pieces() -> None:
    row = {
        "domain": "long.org",
        "figures": {"score": 5, "more": {"list": list(range(900))}},
        "text": "word " * 4_000,
        "end": None,
    }
    answers = walked([row, {"domain": "next.org"}])
    parts = [answer.rows[0] for answer in answers]
    assert all(part["domain"] == "long.org" for part in parts)
    assert parts[0]["figures"]["score"] == 5
    assert "".join(part.get("text", "") for part in parts) == row["text"]
    numbers = [n for part in parts for n in part.get("figures", {}).get("more", {}).get("list", [])]
    assert numbers == list(range(900))
    assert answers[-1].rows[-1] == {"domain": "next.org"}
    assert parts[-1]["end"] is None and "end" not in parts[0]
    assert all(len(json_text(answer.rows)) <= ROOM for answer in answers)


def test_long_texts_in_lists_grow_in_place() -> None:
    row = {"id": 1, "texts": ["a" * 3_000, "b" * 3_000, {"c": "d" * 2_000}]}
    (answer,) = walked([row], 20_000)
    assert answer.rows == [row]


def test_a_row_goes_before_one_that_is_cut() -> None:
    rows = [{"domain": "a.org"}, {"domain": "b.org", "text": "x" * 20_000}]
    first, second, *_ = walked(rows)
    assert first.rows == [{"domain": "a.org"}]
    assert first.rest == (1, 0)
    assert second.rest is not None and second.rest[0] == 0


def test_rows_deleted_meanwhile_are_skipped() -> None:
    assert pack([{"domain": "short.org"}, {"domain": "b.org"}], 40, ROOM) == Packed(
        [{"domain": "b.org"}], None
    )
    assert pack([], 0, ROOM) == Packed([], None)


def test_at_least_one_piece_is_given() -> None:
    packed = pack([{"id": 1, "text": "x" * 5_000}], 0, 10)
    assert packed.rest == (0, 1)
    assert pack([{"id": 1}], 0, 1) == Packed([{"id": 1}], (0, 1))
    assert pack([{"id": 1}], 1, 1) == Packed([], None)


def test_a_number_is_never_cut() -> None:
    huge = {"n": "5" * 100}
    assert list(pieces(huge)) == [((), huge)]
    assert list(pieces(1.5, ("a",))) == [(("a",), 1.5)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.from_regex("k[a-z]{0,4}", fullmatch=True), inner, max_size=6)
    ),
    max_leaves=12,
)


# The rows have no control characters any more, which JSON writes six times as long.
shown_text = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8)


@settings(deadline=None, max_examples=60)
@given(st.lists(json_values, min_size=1, max_size=4), st.integers(1, 40), shown_text)
def test_nothing_is_lost_or_repeated(values: list[Any], times: int, text: str) -> None:
    for long in (text * 2_000, values * times, {f"m{n}": values for n in range(times)}):
        row = {"domain": "a.org", "value": long}
        parts = [answer.rows[0] for answer in walked([row], 3_000)]
        assert "".join(leaves(part.get("value", "")) for part in parts) == leaves(long)
        assert all(len(json_text(part)) <= 3_000 for part in parts)


def test_a_cursor_names_a_position_of_one_question() -> None:
    tag = cursor_tag("search_domains", {"q": "hut", "limit": 5, "cursor": None})
    assert tag == cursor_tag("search_domains", {"cursor": "x", "q": "hut", "limit": 9})
    assert tag != cursor_tag("search_domains", {"q": "hat"})
    assert tag != cursor_tag("list_rules", {"q": "hut"})
    position = Position(12, 3, 1_700_000_000)
    assert read_cursor(write_cursor(tag, position), tag) == position
    with pytest.raises(ValueError, match="other arguments"):
        read_cursor(write_cursor(tag, position), "other")


def _cursor(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


BROKEN = [
    {},
    [],
    ["t", 1, 2],
    ["t", -1, 0, 0],
    ["t", True, 0, 0],
    ["t", "1", 0, 0],
    ["t", 2**31, 0, 0],
    [1] * 5,
]


@pytest.mark.parametrize("text", ["", "%%%", "é", "AAAA", "W" * 200, *map(_cursor, BROKEN)])
def test_text_that_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a cursor"):
        read_cursor(text, "t")
