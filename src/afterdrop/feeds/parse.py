"""Reading a feed file: from its bytes to listings, one at a time, in bounded memory.

Pure: values out of a stream of bytes. A row that cannot be used comes out as a BadRow and reading goes on; a feed
that cannot be read as a whole (cut off, no header, no array) is a FeedError.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from afterdrop.core.errors import FeedError
from afterdrop.feeds.columns import ALWAYS, OFFER, check_header, check_records
from afterdrop.feeds.containers import CHUNK, Bounds, ByteSource, members
from afterdrop.feeds.converters import SEARCHED_MOST
from afterdrop.feeds.json_rows import Unreadable, array_rows
from afterdrop.feeds.mapping import BadRow, Mapper, Row, sample
from afterdrop.feeds.spec import Csv, FeedSpec
from afterdrop.feeds.xml_rows import element_rows

MAX_PREAMBLE_LINES = 1000
MAX_LINE = 1 << 20


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
    if spec.format != "csv" and seen is None:
        texts = members(file, spec.container, spec.members, bounds, spec.name)
        check_records(spec, (record for text in texts for record in _records(spec, text.stream)))
    for member in members(file, spec.container, spec.members, bounds, spec.name):
        yield from rows(spec, member.stream, zones, seen)


def rows(
    spec: FeedSpec, stream: ByteSource, zones: tuple[str, ...] = (), seen: SeenColumns | None = None
) -> Iterator[Row | BadRow]:
    """Every row of one unpacked text. FeedError when it cannot be read as a whole.

    `zones` are the operator's sale zones (afterdrop.core.domain_names), and `seen` collects the file's columns.
    """
    if spec.format == "csv":
        return _csv_rows(spec, stream, zones, seen)
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
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    rest = ""
    while chunk := stream.read(CHUNK):
        lines = (rest + decoder.decode(chunk)).split("\n")
        rest = lines.pop()
        if len(rest) > MAX_LINE:
            raise FeedError(subject, f"has a line longer than {MAX_LINE} characters: not a list of lines")
        for line in lines:
            yield line[:-1] if line.endswith("\r") else line
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest.removesuffix("\r")


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


def _csv_rows(
    spec: FeedSpec, stream: ByteSource, zones: tuple[str, ...], seen: SeenColumns | None
) -> Iterator[Row | BadRow]:
    layout = spec.csv
    lines = _repaired(text_lines(stream, spec.encoding, spec.name), spec)
    skipped, captured, first = _preamble(lines, spec)
    numbered = enumerate(_after(first, lines), skipped + 1)
    header = [*(list(layout.columns) or _header(numbered, spec)), *captured]
    columns = {name.strip().lower(): index for index, name in reversed(list(enumerate(header)))}
    printed = [name.strip() for name in header]
    check_header(spec, printed, ALWAYS if seen else OFFER)
    if seen is not None:
        seen.add(printed)
    mapper = Mapper(spec, columns, zones)
    tail, width = list(captured.values()), len(header) - len(captured)
    for number, line in numbered:
        record, wrong = _cells(line, layout)
        if wrong:
            yield BadRow(wrong, number, sample(line))
        elif len(record) == 1 and not record[0].strip():
            continue
        elif len(record) != width and not _fits(record, width, headed=not layout.columns):
            yield BadRow("columns", number, sample(line))
        else:
            yield mapper.row(number, record[:width] + tail if tail else record)


def _cells(line: str, layout: Csv) -> tuple[list[str], str]:
    """A line cut into cells, and the reason why it cannot be cut ("" when it can).

    A record is one line: a reader that went on after a stray quote would swallow the rows up to the next quote.
    """
    if not layout.quote or '"' not in line:
        return line.split(layout.delimiter), ""
    reader = csv.reader((line, ""), delimiter=layout.delimiter)
    try:
        record = next(reader)
    except csv.Error:
        return [], "unreadable"
    return record, "open_quote" if reader.line_num > 1 else ""


def _header(numbered: Iterator[tuple[int, str]], spec: FeedSpec) -> list[str]:
    for _number, line in numbered:
        record, wrong = _cells(line, spec.csv)
        if wrong:
            raise FeedError(spec.name, f"has no readable header line ({wrong})")
        if any(cell.strip() for cell in record):
            return record
    raise FeedError(spec.name, "is empty: it has no header line")


def _fits(record: list[str], width: int, *, headed: bool) -> bool:
    """Whether a row of another length than its header still fits it; without a header, short rows are padded."""
    if len(record) > width:
        return not headed or not any(cell.strip() for cell in record[width:])
    if headed:
        return False
    record.extend([""] * (width - len(record)))
    return True


def _repaired(lines: Iterator[str], spec: FeedSpec) -> Iterator[str]:
    comment, replace = spec.csv.comment, spec.csv.replace
    if not comment and not replace:
        return lines

    def repair() -> Iterator[str]:
        for line in lines:
            text = "" if comment and line.startswith(comment) else line
            for old, new in replace.items():
                text = text.replace(old, new)
            yield text

    return repair()


def _preamble(lines: Iterator[str], spec: FeedSpec) -> tuple[int, dict[str, str], str | None]:
    """Skip the preamble. Returns how many lines it had, what was captured, and the line after it if that was read."""
    patterns = {f"@{name}": re.compile(pattern) for name, pattern in spec.csv.capture.items()}
    captured = dict.fromkeys(patterns, "")
    starts = spec.csv.header_starts
    count = 0
    while count < (MAX_PREAMBLE_LINES if starts else spec.csv.preamble):
        line = next(lines, None)
        if line is None:
            break
        if starts and line.lower().startswith(starts.lower()):
            return count, captured, line
        count += 1
        for name, pattern in patterns.items():
            if not captured[name] and (found := pattern.search(line[:SEARCHED_MOST])):
                captured[name] = found[1] or ""
    if starts:
        raise FeedError(spec.name, f"has no header line starting with {starts!r}")
    return count, captured, None


def _after(first: str | None, lines: Iterator[str]) -> Iterator[str]:
    if first is not None:
        yield first
    yield from lines
