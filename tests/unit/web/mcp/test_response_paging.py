"""Answers have the rows that fit, and cursors continue them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from afterdrop.web.mcp.response_paging import (
    Position,
    cursor_tag,
    fitting,
    json_text,
    read_cursor,
    write_cursor,
)


@pytest.mark.parametrize("room", [0, 1, 700, 7_000])
def test_rows_stay_whole_and_none_is_lost(room: int) -> None:
    rows = [{"domain": f"d{number}.org", "note": "x" * (number * 97 % 900)} for number in range(40)]
    answers, left = [], rows
    while left:
        answers.append(fitting(left, room))
        left = left[len(answers[-1]) :]
    assert [row for answer in answers for row in answer] == rows
    assert all(len(answer) == 1 or len(json_text(answer)) <= room + 2 for answer in answers)
    assert fitting([], room) == []


def test_a_cursor_names_a_position_of_one_question() -> None:
    tag = cursor_tag("search_domains", {"q": "hut", "limit": 5, "cursor": None})
    assert tag == cursor_tag("search_domains", {"cursor": "x", "q": "hut", "limit": 9})
    assert tag != cursor_tag("search_domains", {"q": "hat"})
    assert tag != cursor_tag("list_rules", {"q": "hut"})
    position = Position(12, 1_700_000_000)
    assert read_cursor(write_cursor(tag, position), tag) == position
    with pytest.raises(ValueError, match="other arguments"):
        read_cursor(write_cursor(tag, position), "other")


def _cursor(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


BROKEN = [
    {},
    [],
    ["t", 1],
    ["t", -1, 0],
    ["t", True, 0],
    ["t", "1", 0],
    ["t", 2**31, 0],
    [1] * 5,
]


@pytest.mark.parametrize("text", ["", "%%%", "é", "AAAA", "W" * 200, *map(_cursor, BROKEN)])
def test_text_that_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a cursor"):
        read_cursor(text, "t")
