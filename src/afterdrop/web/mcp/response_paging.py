"""An answer cut to what an agent takes in: rows, and where one is too long pieces of it, with a cursor. Pure.

A row is JSON. Where it does not fit as a whole its pieces are handed out in their order: members, items of lists,
stretches of text. Put together again in the order they came they are the row.
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


class Place(NamedTuple):
    """Where an answer goes on: at `piece` of row `row`, counted from the moment `at` (epoch seconds) or the start."""

    row: int = 0
    piece: int = 0
    at: int = 0


class Packed(NamedTuple):
    """The rows that fit. `rest`: which of the given rows goes on with which of its pieces, None when all is in."""

    rows: list[Any]
    rest: tuple[int, int] | None


def text_of(value: Any) -> str:
    """JSON in its shortest form."""
    return orjson.dumps(value).decode()


def pieces(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """A value in pieces of bounded size, each with the path it stands at."""
    if len(text_of(value)) <= _PIECE_CHARS:
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

    Rows are whole but where one alone is too long; what goes on with a row repeats its first member, its name.
    """
    packed: list[Any] = []
    for number, row in enumerate(rows):
        start = first if number == 0 else 0
        left = list(pieces(row))[start:]
        spent = sum(_cost(path, piece) for path, piece in left)
        if spent > room and packed:
            return Packed(packed, (number, 0))
        if spent > room:
            some = _some(left, room)
            return Packed([_joined(row, some, start)], (number, start + len(some)))
        if left:
            packed.append(_joined(row, left, start))
        room -= spent
    return Packed(packed, None)


def _cost(path: Path, piece: Any) -> int:
    return len(text_of(piece)) + _AROUND + sum(len(str(step)) + _AROUND for step in path)


def _some(left: Sequence[tuple[Path, Any]], room: int) -> list[tuple[Path, Any]]:
    some: list[tuple[Path, Any]] = []
    for path, piece in left:
        room -= _cost(path, piece)
        if room < 0 and some:
            break
        some.append((path, piece))
    return some


def _joined(row: Mapping[str, Any], some: Sequence[tuple[Path, Any]], start: int) -> Any:
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
    """Put a piece where it belongs; lists hold only the items that are there, texts grow."""
    for depth in range(1, len(path)):
        if path[:depth] not in containers:
            made: Any = [] if isinstance(path[depth], int) else {}
            _put(containers[path[: depth - 1]], path[depth - 1], made)
            containers[path[:depth]] = made
    parent, last = containers[path[:-1]], path[-1]
    if path in containers:
        # A further stretch of a text.
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


def question_tag(tool: str, arguments: Mapping[str, Any]) -> str:
    """What a cursor belongs to: the tool and everything asked of it but how much and from where."""
    asked = {name: value for name, value in arguments.items() if name not in ("cursor", "limit")}
    told = orjson.dumps([tool, asked], option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(told, digest_size=6).hexdigest()


def write_cursor(tag: str, place: Place) -> str:
    """A place as opaque text."""
    return base64.urlsafe_b64encode(orjson.dumps([tag, *place])).decode().rstrip("=")


def read_cursor(text: str, tag: str) -> Place:
    """The place a cursor names. Raises ValueError saying what is wrong with it."""
    try:
        value = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, binascii.Error):
        value = None
    if not isinstance(value, list) or len(value) != 4 or not all(_is_count(part) for part in value[1:]):
        raise ValueError("is not a cursor of an earlier answer")
    if value[0] != tag:
        raise ValueError("belongs to a question with other arguments")
    return Place(*value[1:])


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
