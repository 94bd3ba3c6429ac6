"""Reading a feed file: from its bytes to listings, one at a time, in bounded memory.

Pure: values out of a stream of bytes. A row that cannot be used comes out as a BadRow and reading goes on; a feed
that cannot be read as a whole (cut off, no header, no array) is a FeedError.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, BinaryIO

import orjson

from afterdrop.core.errors import FeedError
from afterdrop.feeds.columns import ALWAYS, OFFER, check_records
from afterdrop.feeds.containers import CHUNK, Bounds, ByteSource, members
from afterdrop.feeds.csv_rows import BATCH, open_csv
from afterdrop.feeds.json_rows import Unreadable, array_rows, array_slices
from afterdrop.feeds.mapping import BadRow, Mapper, Row, sample
from afterdrop.feeds.row_batches import Batch, BatchMapper, batch_of
from afterdrop.feeds.spec import FeedSpec
from afterdrop.feeds.xml_rows import element_rows

MAX_LINE = 1 << 20
# Slices of a JSON text that make a batch at most, however few objects are in them.
_SLICES = 6


class SeenColumns:
    """The columns that reading a file came across, in order of appearance, for `feeds try`."""

    def __init__(self) -> None:
        self.columns: dict[str, None] = {}

    def add(self, names: Any) -> None:
        """Note column names."""
        for name in names:
            if len(self.columns) < 500:
                self.columns.setdefault(str(name)[:100])


def read_feed(
    spec: FeedSpec,
    file: BinaryIO,
    bounds: Bounds,
    zones: tuple[str, ...] = (),
    seen: SeenColumns | None = None,
) -> Iterator[Row | BadRow]:
    """Every row of a seekable feed file, unpacked as the feed says.

    FeedError, before any row, when the file lacks a column that an offer needs; with `seen` it is read all the same.
    """
    if seen is None:
        _check_members(spec, file, bounds)
    for member in members(file, spec.container, spec.members, bounds, spec.name):
        yield from rows(spec, member.stream, zones, seen)


def read_batches(
    spec: FeedSpec, file: BinaryIO, bounds: Bounds, zones: tuple[str, ...] = ()
) -> Iterator[Batch]:
    """The same rows, many at once: at most BATCH."""
    _check_members(spec, file, bounds)
    for member in members(file, spec.container, spec.members, bounds, spec.name):
        if spec.format == "csv":
            lines = text_lines(member.stream, spec.encoding, spec.name)
            opened = open_csv(lines, spec, tuple(OFFER))
            yield from opened.batches(BatchMapper(spec, opened.columns, zones))
        elif spec.format == "json":
            yield from _object_batches(spec, member.stream, zones)
        else:
            found = rows(spec, member.stream, zones)
            while group := list(islice(found, BATCH)):
                yield batch_of(group)


def _check_members(spec: FeedSpec, file: BinaryIO, bounds: Bounds) -> None:
    if spec.format != "csv":
        texts = members(file, spec.container, spec.members, bounds, spec.name)
        check_records(spec, (record for text in texts for record in _records(spec, text.stream)))


def _with_end(slices: Iterator[list[Any]]) -> Iterator[list[Any] | None]:
    """The slices, and None after the last; a fault of the file comes after that."""
    try:
        yield from slices
    except FeedError:
        yield None
        raise
    yield None


def _object_batches(spec: FeedSpec, stream: ByteSource, zones: tuple[str, ...]) -> Iterator[Batch]:
    mapper = BatchMapper(spec, None, zones)
    number = 1
    waiting: list[dict[str, Any] | Unreadable] = []
    slices = 0
    for items in _with_end(array_slices(stream, spec.json_.path, spec.name)):
        waiting += items or ()
        slices += 1
        while len(waiting) >= BATCH or (waiting and (items is None or slices >= _SLICES)):
            yield mapper.map_objects(number, waiting[:BATCH])
            number += len(waiting[:BATCH])
            del waiting[:BATCH]
            slices = 0


def rows(
    spec: FeedSpec, stream: ByteSource, zones: tuple[str, ...] = (), seen: SeenColumns | None = None
) -> Iterator[Row | BadRow]:
    """Every row of one unpacked text. FeedError when it cannot be read as a whole.

    `zones` are the operator's sale zones (afterdrop.core.domain_names), and `seen` collects the file's columns.
    """
    if spec.format == "csv":
        opened = open_csv(
            text_lines(stream, spec.encoding, spec.name), spec, ALWAYS if seen else tuple(OFFER)
        )
        if seen is not None:
            seen.add(opened.printed)
        return opened.rows(Mapper(spec, opened.columns, zones))
    return _record_rows(spec, stream, zones, seen)


def _record_rows(
    spec: FeedSpec, stream: ByteSource, zones: tuple[str, ...], seen: SeenColumns | None
) -> Iterator[Row | BadRow]:
    mapper = Mapper(spec, None, zones)
    for number, item in enumerate(_records(spec, stream), 1):
        if item is None:
            continue
        if isinstance(item, Unreadable):
            yield BadRow("unreadable", number, sample(item.sample.decode("utf-8", "replace")))
            continue
        if seen is not None:
            seen.add(item)
        yield mapper.row(number, item)


def _records(spec: FeedSpec, stream: ByteSource) -> Iterator[dict[str, Any] | Unreadable | None]:
    if spec.format == "ndjson" or spec.paging is not None:
        return _line_records(text_lines(stream, spec.encoding, spec.name))
    if spec.xml is not None:
        return element_rows(stream, spec.xml.row, spec.name)
    return array_rows(stream, spec.json_.path, spec.name)


def text_lines(stream: ByteSource, encoding: str, subject: str) -> Iterator[str]:
    """Every line without its end, in bounded memory. FeedError when a line is longer than a mebibyte.

    Bytes that are not in the feed's encoding become U+FFFD: the row they spoil is counted, and reading goes on.
    """
    return chain.from_iterable(_line_lists(stream, encoding, subject))


def _line_lists(stream: ByteSource, encoding: str, subject: str) -> Iterator[list[str]]:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    rest = ""
    while chunk := stream.read(CHUNK):
        text = rest + decoder.decode(chunk)
        lines = text.split("\n")
        rest = lines.pop()
        if len(rest) > MAX_LINE:
            raise FeedError(subject, f"has a line longer than {MAX_LINE} characters: not a list of lines")
        yield [line.removesuffix("\r") for line in lines] if "\r" in text else lines
    rest += decoder.decode(b"", final=True)
    if rest:
        yield [rest.removesuffix("\r")]


def _line_records(lines: Iterator[str]) -> Iterator[dict[str, Any] | Unreadable | None]:
    """The JSON object of each line; None for a blank line."""
    for line in lines:
        if not line.strip():
            yield None
            continue
        try:
            item = orjson.loads(line)
        except orjson.JSONDecodeError:
            item = None
        yield item if isinstance(item, dict) else Unreadable(line[:400].encode("utf-8", "replace"))
