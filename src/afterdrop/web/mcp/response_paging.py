"""Cuts an answer to what an agent can take in: whole rows, pieces of a row that is too long, and a cursor. Pure.

A row is JSON. Where it does not fit as a whole its pieces are handed out in order: members, items of lists, parts of
texts. Put together again in that order they are the row.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

ANSWER_CHARS: Final = 8_000
ROWS: Final = 25
_PIECE_CHARS: Final = 1_200
_TEXT_CHARS: Final = 600
# What a member costs beside its name and value: quotes, colon, comma, a pair of brackets.
_AROUND: Final = 8
_MOST: Final = 2**31 - 1

Path = tuple[str | int, ...]


class Position(NamedTuple):
    """Where an answer continues: at `piece` of row `row`, counted from the time `at` (epoch seconds) or the start."""

    row: int = 0
    piece: int = 0
    at: int = 0


class Packed(NamedTuple):
    """The rows that fit. `rest`: the number of the row to continue with and of its piece, None when all rows fit."""

    rows: list[Any]
    rest: tuple[int, int] | None


def json_text(value: Any) -> str:
    """JSON in its shortest form."""
    return orjson.dumps(value).decode()


def pieces(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """A value in pieces of bounded size, each with its path."""
    if len(json_text(value)) <= _PIECE_CHARS:
        yield path, value
    elif isinstance(value, str):
        for start in range(0, len(value), _TEXT_CHARS):
            yield path, value[start : start + _TEXT_CHARS]
    elif isinstance(value, Mapping):
        for name, member in value.items():
            yield from pieces(member, (*path, name))
    else:
        # Numbers are short: what is left is a list.
        for number, item in enumerate(value):
            yield from pieces(item, (*path, number))


def pack(rows: Sequence[Mapping[str, Any]], first: int, room: int) -> Packed:
    """As many rows as `room` characters take, the first of them from its piece number `first` on.

    Rows are whole unless one alone is too long. The continuation of a row repeats its first member, which names it.
    """
    packed: list[Any] = []
    for number, row in enumerate(rows):
        start = first if number == 0 else 0
        left = list(pieces(row))[start:]
        spent = sum(_cost(path, piece) for path, piece in left)
        if spent > room and packed:
            return Packed(packed, (number, 0))
        if spent > room:
            fitting = _fitting(left, room)
            return Packed([_assembled(row, fitting, start)], (number, start + len(fitting)))
        if left:
            packed.append(_assembled(row, left, start))
        room -= spent
    return Packed(packed, None)


def _cost(path: Path, piece: Any) -> int:
    return len(json_text(piece)) + _AROUND + sum(len(str(step)) + _AROUND for step in path)


def _fitting(left: Sequence[tuple[Path, Any]], room: int) -> list[tuple[Path, Any]]:
    """The first pieces that fit into `room`, at least one."""
    fitting: list[tuple[Path, Any]] = []
    for path, piece in left:
        room -= _cost(path, piece)
        if room < 0 and fitting:
            break
        fitting.append((path, piece))
    return fitting


def _assembled(row: Mapping[str, Any], some: Sequence[tuple[Path, Any]], start: int) -> Any:
    """Pieces of a row, the first of them its piece number `start`, as one value."""
    if some[0][0] == ():
        return some[0][1]
    made: dict[str, Any] = {}
    if start:
        name = next(iter(row))
        made[name] = row[name]
    containers: dict[Path, Any] = {(): made}
    for path, piece in some:
        _attach(containers, path, piece)
    return made


def _attach(containers: dict[Path, Any], path: Path, piece: Any) -> None:
    """Put a piece at its path. Lists hold only the items that are there, texts grow."""
    for depth in range(1, len(path)):
        if path[:depth] not in containers:
            made: Any = [] if isinstance(path[depth], int) else {}
            _put(containers[path[: depth - 1]], path[depth - 1], made)
            containers[path[:depth]] = made
    parent, last = containers[path[:-1]], path[-1]
    if path in containers:
        # A further part of a text.
        where = len(parent) - 1 if isinstance(parent, list) else last
        parent[where] += piece
        return
    containers[path] = piece
    _put(parent, last, piece)


def _put(parent: Any, step: str | int, value: Any) -> None:
    if isinstance(parent, list):
        parent.append(value)
    else:
        parent[step] = value


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
    if not isinstance(value, list) or len(value) != 4 or not all(_is_count(part) for part in value[1:]):
        raise ValueError("is not a cursor from an earlier answer")
    if value[0] != tag:
        raise ValueError("belongs to a call with other arguments")
    return Position(*value[1:])


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
