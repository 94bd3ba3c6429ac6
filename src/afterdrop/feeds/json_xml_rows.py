"""Reading the rows of a JSON array or an XML document as a stream: half a gigabyte is never in memory at once.

Pure. The array is found by walking the keys of the document; its objects are then parsed many at a time. A slice that
ends at a closing brace parses as `[…]` only if the cut is between two objects, so the fast way is never wrong. Where
it fails, objects are cut one by one, strings are respected, and a broken object is counted, not fatal. In XML, a
document type declaration is refused: its entities can make a parser explode, and no feed needs them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import cast
from xml.parsers import expat

import orjson

from afterdrop.core.errors import FeedError
from afterdrop.core.json_values import Json, JsonObject
from afterdrop.core.safe_text import storable
from afterdrop.feeds.containers import CHUNK, ByteSource
from afterdrop.feeds.record_values import at_path, loses_digits

# How far into the document the array may begin, and how large one row may be.
MAX_PREAMBLE = 8 << 20
MAX_OBJECT = 1 << 20

# A string with the colon that makes it a key, a mark, or any other scalar.
_TOKEN = re.compile(rb'\s*(?:"([^"\\]*+(?:\\.[^"\\]*+)*+)"(\s*:)?|([{}\[\]:,])|[^\s{}\[\]:,"]+)', re.DOTALL)
# A string (group 1 = its closing quote, missing where the data end inside it) or a bracket.
_STRUCTURE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("|\\?\Z)|[{}\[\]]', re.DOTALL)
_BETWEEN = b", \t\r\n"


class Unreadable:
    """A part of the array that is not a JSON object."""

    __slots__ = ("text",)

    def __init__(self, text: bytes) -> None:
        self.text = text


def read_json(text: bytes | str, identifiers: tuple[str, ...]) -> Json:
    """The value of a JSON text, whose texts can be stored (afterdrop.core.safe_text).

    In the objects of a list, numbers of `identifiers` that lose digits become texts: numbers beyond 2^64 would become
    floats, so that different ids are the same. Raises orjson.JSONDecodeError.
    """
    value: Json = orjson.loads(text)
    if b"\\u0000" in text if isinstance(text, bytes) else "\\u0000" in text:
        value = storable(value)
    keep_digits(value, identifiers, lambda: written_numbers(text))
    return value


def keep_digits(value: Json, identifiers: tuple[str, ...], written: Callable[[], Json]) -> None:
    """Put the text of numbers that lose digits into the objects of a value, which `written` gives with such texts."""
    rows = value if isinstance(value, list) else [value]
    for name in identifiers:
        found = [_at(row, name) for row in rows]
        if float in set(map(type, found)) and any(map(loses_digits, found)):
            again = written()
            for row, same in zip(rows, again if isinstance(again, list) else [again], strict=False):
                if isinstance(row, dict) and isinstance(same, dict) and loses_digits(_at(row, name)):
                    row[name] = _at(same, name)


def written_numbers(text: bytes | str) -> Json:
    """The value of a JSON text with each number as it is written; None when it nests too deep for that."""
    try:
        return cast("Json", json.loads(text, parse_float=str, parse_int=str))
    except RecursionError:
        return None


def _at(row: Json, name: str) -> Json:
    if not isinstance(row, dict):
        return None
    return row[name] if name in row else at_path(row, name) if "." in name else None


def listed(value: Json, named: tuple[str, ...]) -> Json:
    """A list as it is. An object in its place is the only row, or has the rows under their ids.

    It is a row where it has one of the columns `named`.
    """
    if not isinstance(value, dict):
        return value
    if any(_at(value, name) is not None for name in named):
        return [value]
    rows = list(value.values())
    if not rows or any(_at(row, name) is not None for row in rows for name in named):
        return rows
    return value


def array_slices(
    stream: ByteSource, path: str, subject: str, identifiers: tuple[str, ...] = ()
) -> Iterator[list[JsonObject | Unreadable]]:
    """The objects of the array at `path` (keys joined by dots, "" = the document itself), a slice of the text at once.

    `identifiers` are those of `read_json`. FeedError when the array is not there, or the document ends inside it.
    """
    rest = _seek_array(stream, tuple(path.split(".")) if path else (), subject)
    while True:
        items, rest, ended = _take(rest, identifiers)
        yield items
        if ended:
            break
        if items:
            continue  # the end of the array may follow right after them
        chunk = stream.read(CHUNK)
        if not chunk:
            raise FeedError(subject, "is cut off: the list of rows has no end")
        rest += chunk
        if len(rest) > MAX_OBJECT + 2 * CHUNK:
            raise FeedError(subject, f"has a row larger than {MAX_OBJECT} bytes or broken beyond repair")
    while stream.read(CHUNK):
        pass  # read to the end, so that the container verifies its checksum


def _seek_array(stream: ByteSource, path: tuple[str, ...], subject: str) -> bytes:
    head, want = b"", CHUNK
    while True:
        while len(head) < want and (chunk := stream.read(CHUNK)):
            head += chunk
        complete = len(head) < want
        found = _array_start(head.removeprefix(b"\xef\xbb\xbf"), path)
        if found is not None:
            return found
        if complete or len(head) >= MAX_PREAMBLE:
            where = ".".join(path) or "its top"
            raise FeedError(subject, f"has no JSON array at {where}")
        want = min(2 * want, MAX_PREAMBLE)


def _array_start(head: bytes, path: tuple[str, ...]) -> bytes | None:
    """The bytes after the opening bracket of the array at `path`; None when it is not in `head`."""
    # One entry for each open container: its key (None for items of an array).
    stack: list[str | None] = []
    key: str | None = None
    position = 0
    while found := _TOKEN.match(head, position):
        position = found.end()
        name, colon, mark = found.groups()
        if mark == b"[" and _here(stack, key) == path:
            return head[position:]
        if mark in (b"{", b"["):
            if len(stack) > 100:
                return None
            stack.append(key)
            key = None
        elif mark in (b"}", b"]"):
            if not stack:
                return None
            stack.pop()
            key = None
        elif mark == b",":
            key = None
        elif colon:
            key = name.decode("utf-8", "replace")
    return None


def _here(stack: list[str | None], key: str | None) -> tuple[str | None, ...]:
    return tuple([*stack[1:], key]) if stack else ()


def _take(data: bytes, identifiers: tuple[str, ...]) -> tuple[list[JsonObject | Unreadable], bytes, bool]:
    """The complete rows in `data`, the rest of the bytes, and whether the array ended."""
    data = data.lstrip(_BETWEEN)
    if data.startswith(b"]"):
        return [], b"", True
    cut = data.rfind(b"}") + 1
    if not cut:
        return [], data, False
    try:
        items = read_json(b"[" + data[:cut] + b"]", identifiers)
    except orjson.JSONDecodeError:
        return _take_slowly(data, identifiers)
    assert isinstance(items, list)
    if {dict}.issuperset(map(type, items)):
        return cast("list[JsonObject | Unreadable]", items), data[cut:], False
    return [item if isinstance(item, dict) else _scalar(item) for item in items], data[cut:], False


def _take_slowly(
    data: bytes, identifiers: tuple[str, ...]
) -> tuple[list[JsonObject | Unreadable], bytes, bool]:
    items: list[JsonObject | Unreadable] = []
    depth = start = done = 0
    for mark in _STRUCTURE.finditer(data):
        sign = mark[0]
        if sign[:1] == b'"':
            if mark[1] != b'"':
                break  # the data end inside a string: wait for the next bytes
        elif sign in (b"{", b"["):
            if depth == 0:
                start = mark.start()
                items.extend(_litter(data[done:start]))
                done = start
            depth += 1
        elif depth == 0:
            items.extend(_litter(data[done : mark.start()]))
            return items, b"", True
        else:
            depth -= 1
            if depth == 0:
                done = mark.end()
                items.append(_one(data[start:done], identifiers))
    return items, data[done:], False


def _litter(between: bytes) -> list[Unreadable]:
    found = between.strip(_BETWEEN)
    return [Unreadable(found)] if found else []


def _scalar(item: object) -> Unreadable:
    return Unreadable(orjson.dumps(item))


def _one(piece: bytes, identifiers: tuple[str, ...]) -> JsonObject | Unreadable:
    try:
        item = read_json(piece, identifiers)
    except orjson.JSONDecodeError:
        return Unreadable(piece)
    return item if isinstance(item, dict) else Unreadable(piece)


MAX_TEXT = 1 << 16
# The size of a tag, comment or instruction: the parser reads an unfinished one again with every new piece.
MAX_TOKEN = 1 << 20
MAX_DEPTH = 100


class _Collector:
    """Collects each row element as a flat dict: child elements by name, attributes of the row as `@name`."""

    def __init__(self, row: str, subject: str) -> None:
        self.done: list[JsonObject | Unreadable] = []
        self.closed = False
        self._row_tag = row
        self._subject = subject
        self._row: JsonObject | None = None
        self._path: list[str] = []
        self._outer: list[str] = []
        self._text: list[str] = []
        self._size = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        self._path.append(tag.rpartition(":")[2])
        if len(self._path) > MAX_DEPTH:
            raise FeedError(self._subject, f"nests elements deeper than {MAX_DEPTH}")
        if self._row is None and self._path[-1] == self._row_tag:
            self._row = {f"@{name}": value for name, value in attributes.items()}
            self._outer, self._path = self._path[:-1], [self._row_tag]
            self._size = 0
            self._count(sum(len(name) + len(value) for name, value in attributes.items()))
        self._text = []

    def end(self, _tag: str) -> None:
        """An element ends."""
        name = self._path.pop()
        if self._row is None:
            self.closed = not self._path
            return
        if not self._path:
            self.done.append(self._row)
            self._row, self._path = None, self._outer
            self.closed = not self._path
        elif text := "".join(self._text).strip():
            where = ".".join([*self._path[1:], name])
            self._count(len(where))
            self._row.setdefault(where, text)
        self._text = []

    def text(self, data: str) -> None:
        """Characters inside an element."""
        if self._row is not None:
            self._count(len(data))
            self._text.append(data)

    def _count(self, characters: int) -> None:
        self._size += characters
        if self._size > MAX_TEXT:
            raise FeedError(self._subject, f"has a row with more than {MAX_TEXT} characters")

    def refuse(self, *_declaration: object) -> None:
        """A document type declaration begins."""
        raise FeedError(self._subject, "has a document type declaration, which feeds do not need")


def _only_padding(rest: bytes, stream: ByteSource) -> bool:
    """Whether nothing but 0x1A, zeros and white space comes: the end of file of DOS, or a block that was not filled."""
    while rest and not rest.strip(b"\0\x1a \t\r\n"):
        rest = stream.read(CHUNK)
    return not rest


def element_slices(stream: ByteSource, row: str, subject: str) -> Iterator[list[JsonObject | Unreadable]]:
    """Every `row` element, those of a slice of the text at once.

    FeedError when the document is not well formed or ends early.
    """
    collector = _Collector(row, subject)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    parser.StartDoctypeDeclHandler = collector.refuse
    fed, chunk = 0, b""
    try:
        while chunk := stream.read(CHUNK):
            parser.Parse(chunk, False)
            fed += len(chunk)
            if fed - parser.CurrentByteIndex > MAX_TOKEN:
                raise FeedError(subject, f"has a tag or comment longer than {MAX_TOKEN} bytes")
            yield collector.done
            collector.done = []
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # the latter for encodings it does not know
        begins = parser.ErrorByteIndex - fed
        if collector.closed and 0 <= begins < len(chunk) and _only_padding(chunk[begins:], stream):
            yield collector.done
            return
        raise FeedError(subject, f"is not well-formed XML or cut off ({error})") from None
