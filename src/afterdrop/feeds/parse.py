"""Reading a feed file: from its bytes to listings, a batch at a time, in bounded memory.

Pure: values out of a stream of bytes. A row that cannot be used comes out as a BadRow and reading goes on; a feed
that cannot be read as a whole (cut off, no header, no array) is a FeedError.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import BinaryIO, TypeAlias

import orjson

from afterdrop.core.errors import FeedError
from afterdrop.core.json_values import JsonObject
from afterdrop.core.safe_text import storable
from afterdrop.feeds.containers import CHUNK, Bounds, ByteSource, members
from afterdrop.feeds.csv_rows import BATCH, CUT_OFF, line_groups, open_csv
from afterdrop.feeds.json_xml_rows import Unreadable, array_slices, element_slices, read_json
from afterdrop.feeds.mapping import ALWAYS, OFFER, check_records
from afterdrop.feeds.row_batches import Batch, BatchMapper
from afterdrop.feeds.spec import FeedSpec

MAX_LINE = 1 << 20
# What stands behind the last row: the end of file of CP/M and DOS, or the zeros of a block that was not filled.
_PADDING = "\x00\x1a\r\n"
# Slices of a text that make a batch at most, however few objects are in them.
_SLICES = 6
# What a text holds one after the other; None is a blank line.
Item: TypeAlias = "JsonObject | Unreadable | None"


class SeenColumns:
    """The columns that reading a file came across, in order of appearance, for `feeds try`."""

    def __init__(self) -> None:
        self.columns: dict[str, None] = {}

    def add(self, names: Iterable[str]) -> None:
        """Note column names."""
        for name in names:
            if len(self.columns) < 500:
                self.columns.setdefault(name[:100])


def read_feed(
    spec: FeedSpec,
    file: BinaryIO,
    bounds: Bounds,
    zones: tuple[str, ...] = (),
    seen: SeenColumns | None = None,
) -> Iterator[Batch]:
    """Every row of a seekable feed file, unpacked as the feed says, in batches of about BATCH at most.

    `zones` are the operator's sale zones (afterdrop.core.domain_names), and `seen` collects the file's columns.
    FeedError when the file cannot be read as a whole, and before any row when it lacks a column that an offer needs;
    with `seen` it is then read all the same.
    """
    if seen is None and spec.format != "csv":
        texts = members(file, spec.container, spec.members, bounds, spec.name)
        items = chain.from_iterable(items for text in texts for items in _slices(spec, text.stream))
        check_records(spec, (item for item in items if isinstance(item, dict)))
    for member in members(file, spec.container, spec.members, bounds, spec.name):
        if spec.format != "csv":
            yield from _object_batches(spec, member.stream, zones, seen)
            continue
        lines = text_lines(member.stream, spec.encoding, spec.name, ended=spec.registry)
        opened = open_csv(lines, spec, ALWAYS if seen else tuple(OFFER))
        if seen is not None:
            seen.add(opened.printed)
        yield from opened.batches(BatchMapper(spec, opened.columns, zones))


def _object_batches(
    spec: FeedSpec, stream: ByteSource, zones: tuple[str, ...], seen: SeenColumns | None
) -> Iterator[Batch]:
    mapper = BatchMapper(spec, None, zones)
    number = 1
    waiting: list[Item] = []
    slices = 0
    for items in _with_end(_slices(spec, stream)):
        waiting += items or ()
        slices += 1
        while len(waiting) >= BATCH or (waiting and (items is None or slices >= _SLICES)):
            group = waiting[:BATCH]
            if seen is not None:
                seen.add(name for item in group if isinstance(item, dict) for name in item)
            lines = [line for line, item in enumerate(group, number) if item is not None]
            if lines:
                yield mapper.map_objects(lines, [item for item in group if item is not None])
            number += len(group)
            del waiting[:BATCH]
            slices = 0


def _with_end(slices: Iterator[Sequence[Item]]) -> Iterator[Sequence[Item] | None]:
    """The slices, and None after the last; a fault of the file comes after that."""
    try:
        yield from slices
    except FeedError:
        yield None
        raise
    yield None


def _slices(spec: FeedSpec, stream: ByteSource) -> Iterator[Sequence[Item]]:
    if spec.format == "ndjson" or spec.paging is not None:
        groups = line_groups(text_lines(stream, spec.encoding, spec.name))
        return ([_line_item(line, spec.identifiers) for line in lines] for lines in groups)
    if spec.xml is not None:
        return element_slices(stream, spec.xml.row, spec.name)
    return array_slices(stream, spec.json_.path, spec.name, spec.identifiers)


def text_lines(stream: ByteSource, encoding: str, subject: str, *, ended: bool = False) -> Iterator[str]:
    """Every line without its end, in bounded memory. FeedError when a line is longer than a mebibyte.

    0x1A and zeros behind the last line are no line. Where lines must be `ended`, a last one that is not, behind others,
    is cut off: CUT_OFF follows it.
    Bytes that are not in the feed's encoding, and zeros, become U+FFFD: a row that they spoil is counted, and reading
    goes on.
    """
    return chain.from_iterable(_line_lists(stream, encoding, subject, CUT_OFF if ended else ""))


def _line_lists(stream: ByteSource, encoding: str, subject: str, cut_off: str) -> Iterator[list[str]]:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    rest, held, over, alone = "", "", False, True
    while not over:
        chunk = stream.read(CHUNK)
        over = not chunk
        text = held + decoder.decode(chunk, final=over)
        kept = text.rstrip(_PADDING)
        held = text[len(kept) : len(kept) + MAX_LINE + 2]
        text = rest + (storable(kept) if "\0" in kept else kept)
        lines = text.split("\n")
        rest = lines.pop()
        alone = alone and not lines
        if len(rest) > MAX_LINE:
            raise FeedError(subject, f"has a line longer than {MAX_LINE} characters: not a list of lines")
        yield [line.removesuffix("\r") for line in lines] if "\r" in text else lines
    if rest:
        yield [rest.removesuffix("\r") + ("" if held or alone else cut_off)]


def _line_item(line: str, identifiers: tuple[str, ...]) -> Item:
    """The JSON object of a line; None for a blank line."""
    if not line.strip():
        return None
    try:
        item = read_json(line, identifiers)
    except orjson.JSONDecodeError:
        item = None
    return item if isinstance(item, dict) else Unreadable(line.encode("utf-8", "replace"))
