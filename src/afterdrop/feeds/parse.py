"""Reading a feed file: from its bytes to listings, one at a time, in bounded memory.

Pure: values out of a stream of bytes. A row that cannot be used comes out as a BadRow and reading goes on; a feed
that cannot be read as a whole (cut off, no header, no array) is a FeedError.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Literal

import orjson

from afterdrop.errors import FeedError
from afterdrop.feeds.containers import Bounds, ByteSource, members
from afterdrop.feeds.jsonrows import Unreadable, array_rows
from afterdrop.feeds.lines import text_lines
from afterdrop.feeds.mapping import BadRow, Mapper, Row, sample
from afterdrop.feeds.spec import FeedSpec
from afterdrop.feeds.xmlrows import element_rows

MAX_PREAMBLE_LINES = 1000


class Seen:
    """What reading came across, for `feeds try`: the columns of the file, in order of appearance."""

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
    seen: Seen | None = None,
) -> Iterator[Row | BadRow]:
    """Every row of a seekable feed file, unpacked as the feed says."""
    for member in members(file, spec.container, spec.members, bounds, spec.name):
        yield from rows(spec, member.stream, zones, seen)


def rows(
    spec: FeedSpec, stream: ByteSource, zones: tuple[str, ...] = (), seen: Seen | None = None
) -> Iterator[Row | BadRow]:
    """Every row of one unpacked text. FeedError when it cannot be read as a whole.

    `zones` are the operator's sale zones (afterdrop.names), `seen` collects the file's columns.
    """
    if spec.format == "csv":
        return _csv_rows(spec, stream, zones, seen or Seen())
    if spec.format == "ndjson":
        return _ndjson_rows(spec, stream, zones, seen)
    return _document_rows(spec, stream, zones, seen)


def _document_rows(
    spec: FeedSpec, stream: ByteSource, zones: tuple[str, ...], seen: Seen | None
) -> Iterator[Row | BadRow]:
    mapper = Mapper(spec, None, zones)
    if spec.xml is not None:
        items: Iterator[dict[str, Any] | Unreadable] = element_rows(stream, spec.xml.row, spec.name)
    else:
        items = array_rows(stream, spec.json_.path, spec.name)
    for number, item in enumerate(items, 1):
        if isinstance(item, Unreadable):
            yield BadRow("unreadable", number, sample(item.sample.decode("utf-8", "replace")))
            continue
        if seen is not None:
            seen.add(item)
        yield mapper.row(number, item)


def _ndjson_rows(
    spec: FeedSpec, stream: ByteSource, zones: tuple[str, ...], seen: Seen | None
) -> Iterator[Row | BadRow]:
    mapper = Mapper(spec, None, zones)
    for number, line in enumerate(text_lines(stream, spec.encoding, spec.name), 1):
        if not line.strip():
            continue
        try:
            item = orjson.loads(line)
        except orjson.JSONDecodeError:
            item = None
        if not isinstance(item, dict):
            yield BadRow("unreadable", number, sample(line))
            continue
        if seen is not None:
            seen.add(item)
        yield mapper.row(number, item)


def _csv_rows(
    spec: FeedSpec, stream: ByteSource, zones: tuple[str, ...], seen: Seen
) -> Iterator[Row | BadRow]:
    layout = spec.csv
    lines = _mended(text_lines(stream, spec.encoding, spec.name), spec)
    skipped, captured, first = _preamble(lines, spec)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE
    reader = csv.reader(_after(first, lines), delimiter=layout.delimiter, quoting=quoting)
    header = [*(list(layout.columns) or _header(reader, spec)), *captured]
    columns = {name.strip().lower(): index for index, name in reversed(list(enumerate(header)))}
    _check_header(spec, columns)
    seen.add(name.strip() for name in header)
    mapper = Mapper(spec, columns, zones)
    tail, width = list(captured.values()), len(header) - len(captured)
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield BadRow("unreadable", skipped + reader.line_num, str(error)[:200])
            continue
        if not record or (len(record) == 1 and not record[0].strip()):
            continue
        line = skipped + reader.line_num
        if len(record) != width and not _fits(record, width, headed=not layout.columns):
            yield BadRow("columns", line, sample(layout.delimiter.join(record)))
            continue
        yield mapper.row(line, record[:width] + tail if tail else record)


def _header(reader: Iterator[list[str]], spec: FeedSpec) -> list[str]:
    try:
        for record in reader:
            if any(cell.strip() for cell in record):
                return record
    except csv.Error as error:
        raise FeedError(spec.name, f"has no readable header line ({error})") from None
    raise FeedError(spec.name, "is empty: it has no header line")


def _fits(record: list[str], width: int, *, headed: bool) -> bool:
    """Whether a row of another length than its header is still that header's; short headless rows are padded."""
    if len(record) > width:
        return not headed or not any(cell.strip() for cell in record[width:])
    if headed:
        return False
    record.extend([""] * (width - len(record)))
    return True


def _check_header(spec: FeedSpec, columns: dict[str, int]) -> None:
    for name in ("domain", "type"):
        wanted = getattr(spec.fields, name).from_
        if wanted and not any(column.strip().lower() in columns for column in wanted):
            raise FeedError(
                spec.name,
                f"has no column {' or '.join(wanted)} for the {name}; it has {', '.join(columns)[:300]}",
            )


def _mended(lines: Iterator[str], spec: FeedSpec) -> Iterator[str]:
    comment, replace = spec.csv.comment, spec.csv.replace
    if not comment and not replace:
        return lines

    def mend() -> Iterator[str]:
        for line in lines:
            text = "" if comment and line.startswith(comment) else line
            for old, new in replace.items():
                text = text.replace(old, new)
            yield text

    return mend()


def _preamble(lines: Iterator[str], spec: FeedSpec) -> tuple[int, dict[str, str], str | None]:
    """Skip the preamble: how many lines it had, what it captured, and the line after it if already read."""
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
            if not captured[name] and (found := pattern.search(line)):
                captured[name] = found[1] or ""
    if starts:
        raise FeedError(spec.name, f"has no header line starting with {starts!r}")
    return count, captured, None


def _after(first: str | None, lines: Iterator[str]) -> Iterator[str]:
    if first is not None:
        yield first
    yield from lines
