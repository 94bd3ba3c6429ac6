"""Cuts an answer to what an agent can take in: as many whole rows as fit, and a cursor to the next. Pure."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

ANSWER_CHARS: Final = 8_000
ROWS: Final = 25
_MOST: Final = 2**31 - 1


class Position(NamedTuple):
    """Where an answer continues: at row `row`, counted from the time `at` (epoch seconds) or the start."""

    row: int = 0
    at: int = 0


def json_text(value: Any) -> str:
    """JSON in its shortest form."""
    return orjson.dumps(value).decode()


def fitting(rows: Sequence[Mapping[str, Any]], room: int) -> Sequence[Mapping[str, Any]]:
    """The first rows that together take `room` characters, at least one: a row is never cut."""
    for number, row in enumerate(rows):
        room -= len(json_text(row)) + 1
        if room < 0 and number:
            return rows[:number]
    return rows


def cursor_tag(tool: str, arguments: Mapping[str, Any]) -> str:
    """Names the question a cursor belongs to: the tool and its arguments without `limit` and `cursor`."""
    asked = {name: value for name, value in arguments.items() if name not in ("cursor", "limit")}
    question = orjson.dumps([tool, asked], option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(question, digest_size=6).hexdigest()


def write_cursor(tag: str, position: Position) -> str:
    """A position as opaque text."""
    return base64.urlsafe_b64encode(orjson.dumps([tag, *position])).decode().rstrip("=")


def read_cursor(text: str, tag: str) -> Position:
    """The position a cursor names. Raises ValueError that says what is wrong with it."""
    try:
        value = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, binascii.Error):
        value = None
    if not isinstance(value, list) or len(value) != 3 or not all(_is_count(part) for part in value[1:]):
        raise ValueError("is not a cursor from an earlier answer")
    if value[0] != tag:
        raise ValueError("belongs to a call with other arguments")
    return Position(*value[1:])


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
