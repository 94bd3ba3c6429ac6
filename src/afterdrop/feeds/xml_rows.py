"""Reading the row elements of an XML document as a stream.

Pure. A document type declaration is refused: its entities can make a parser explode, and no feed needs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from afterdrop.core.errors import FeedError
from afterdrop.feeds.containers import CHUNK, ByteSource
from afterdrop.feeds.json_rows import Unreadable

MAX_TEXT = 1 << 16
# The size of a tag, comment or instruction: the parser reads an unfinished one again with every new piece.
MAX_TOKEN = 1 << 20
MAX_DEPTH = 100


class _Collector:
    """Collects each row element as a flat dict: child elements by name, attributes of the row as `@name`."""

    def __init__(self, row: str, subject: str) -> None:
        self.done: list[dict[str, Any] | Unreadable] = []
        self._row_tag = row
        self._subject = subject
        self._row: dict[str, Any] | None = None
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
            return
        if not self._path:
            self.done.append(self._row)
            self._row, self._path = None, self._outer
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


def element_rows(stream: ByteSource, row: str, subject: str) -> Iterator[dict[str, Any] | Unreadable]:
    """Every `row` element. FeedError when the document is not well formed or ends early."""
    collector = _Collector(row, subject)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    parser.StartDoctypeDeclHandler = collector.refuse
    fed = 0
    try:
        while chunk := stream.read(CHUNK):
            parser.Parse(chunk, False)
            fed += len(chunk)
            if fed - parser.CurrentByteIndex > MAX_TOKEN:
                raise FeedError(subject, f"has a tag or comment longer than {MAX_TOKEN} bytes")
            yield from collector.done
            collector.done.clear()
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # the latter for encodings it does not know
        raise FeedError(subject, f"is not well-formed XML or cut off ({error})") from None
