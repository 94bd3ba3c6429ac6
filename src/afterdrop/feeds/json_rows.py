"""Reading the objects of a JSON array as a stream: a document of half a gigabyte is never in memory at once.

Pure. The array is found by walking the keys of the document; its objects are then parsed many at a time. A slice that
ends at a closing brace parses as `[…]` only if the cut is between two objects, so the fast way is never wrong. Where
it fails, objects are cut one by one, strings are respected, and a broken object is counted, not fatal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import orjson

from afterdrop.core.errors import FeedError
from afterdrop.feeds.containers import CHUNK, ByteSource

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

    __slots__ = ("sample",)

    def __init__(self, sample: bytes) -> None:
        self.sample = sample


def array_rows(stream: ByteSource, path: str, subject: str) -> Iterator[dict[str, Any] | Unreadable]:
    """The objects of the array at `path` (keys joined by dots, "" = the document itself).

    FeedError when the array is not there, or the document ends inside it.
    """
    return chain.from_iterable(array_slices(stream, path, subject))


def array_slices(stream: ByteSource, path: str, subject: str) -> Iterator[list[dict[str, Any] | Unreadable]]:
    """The same objects, those of a slice of the text at once."""
    rest = _seek_array(stream, tuple(path.split(".")) if path else (), subject)
    while True:
        items, rest, ended = _take(rest)
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


def _take(data: bytes) -> tuple[list[dict[str, Any] | Unreadable], bytes, bool]:
    """The complete rows in `data`, the rest of the bytes, and whether the array ended."""
    data = data.lstrip(_BETWEEN)
    if data.startswith(b"]"):
        return [], b"", True
    cut = data.rfind(b"}") + 1
    if not cut:
        return [], data, False
    try:
        items = orjson.loads(b"[" + data[:cut] + b"]")
    except orjson.JSONDecodeError:
        return _take_slowly(data)
    if not {dict}.issuperset(map(type, items)):
        items = [item if type(item) is dict else _scalar(item) for item in items]
    return items, data[cut:], False


def _take_slowly(data: bytes) -> tuple[list[dict[str, Any] | Unreadable], bytes, bool]:
    items: list[dict[str, Any] | Unreadable] = []
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
                items.append(_one(data[start:done]))
    return items, data[done:], False


def _litter(between: bytes) -> list[Unreadable]:
    found = between.strip(_BETWEEN)
    return [Unreadable(found[:400])] if found else []


def _scalar(item: object) -> Unreadable:
    return Unreadable(orjson.dumps(item)[:400])


def _one(piece: bytes) -> dict[str, Any] | Unreadable:
    try:
        item = orjson.loads(piece)
    except orjson.JSONDecodeError:
        return Unreadable(piece[:400])
    return item if isinstance(item, dict) else Unreadable(piece[:400])
