"""Rows of a CSV: where its header is, how a line is cut, and many lines at once.

Pure. A record is one line, or several with line breaks in quoted cells (RFC 4180 section 2.6). A reader that went on
after any open quote would swallow the rows up to the next quote, and quotes are left open by mistake, too. So lines are
joined only if all of it is one record of the header's width, and none of them is a row of its own.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from afterdrop.core.errors import FeedError
from afterdrop.feeds.converters import SEARCHED_MOST
from afterdrop.feeds.mapping import BadRow, check_header, sample
from afterdrop.feeds.row_batches import Batch, BatchMapper
from afterdrop.feeds.spec import Csv, FeedSpec
from afterdrop.feeds.unread_rows import Unread

MAX_PREAMBLE_LINES = 1000
# Rows looked at together, so many that their cells stay in the processor's cache, and the characters from which there
# are fewer.
BATCH, BATCH_CHARS = 500, 4 << 20
_PORTION = 50
# The lines and characters of one record, at most.
JOINED_LINES, JOINED_CHARS = 100, 1 << 16
# Behind a line that is cut off: its row cannot be used, and what names would follow it nobody knows.
CUT_OFF = "\uffff\ufffd"
# Part of a host: tells a row of its own from a line of a quoted cell.
_NAMED = re.compile(r"\w\.[^\W\d_]")


@dataclass(slots=True)
class CsvFile:
    """A CSV whose header has been read: its other lines, its columns (lower case name → index) and their layout.

    `number` is the next line's, `width` a line's number of cells, `tail` what the preamble says of every row, `named`
    the places of the columns that name the domain, `heads` what a repeated header holds in the first of them.
    """

    lines: Iterator[str]
    number: int
    columns: dict[str, int]
    printed: list[str]
    layout: Csv
    width: int
    tail: list[str]
    named: tuple[int, ...] = ()
    heads: frozenset[str] = frozenset()
    _fault: FeedError | None = None
    _ahead: deque[str] = field(default_factory=deque)

    def batches(self, mapper: BatchMapper) -> Iterator[Batch]:
        """Every row, many at once."""
        for lines in line_groups(self._stream()):
            yield self._batch(mapper, lines)
            self.number += len(lines)
        if self._fault is not None:
            raise self._fault

    def _stream(self) -> Iterator[str]:
        """The lines that were looked at for a record and are not of it, then the file's."""
        while True:
            while self._ahead:
                yield self._ahead.popleft()
            line = None if self._fault else next(self.lines, None)
            if line is None:
                return
            yield line

    def _batch(self, mapper: BatchMapper, lines: list[str]) -> Batch:
        """The rows of these lines, and of those that are read on for a record that goes beyond them."""
        flat = self._cut(lines)
        if lines[-1].endswith(CUT_OFF):
            flat = None
        if (
            flat is not None
            and self.named
            and not self.heads.isdisjoint(flat[self.named[0] :: self.width + 1])
        ):
            flat = None  # one by one, without the header lines
        numbers = range(self.number, self.number + len(lines))
        cut = self._cut_each(lines) if flat is None else _Cut(numbers, flat)
        step = self.width + 1

        def cells(name: str) -> Sequence[str]:
            place = self.columns[name]
            if place >= self.width:
                return [self.tail[place - self.width]] * len(cut.numbers)
            return cut.flat[place::step]

        def record(place: int) -> list[str]:
            return cut.longer.get(place) or cut.flat[place * step : place * step + self.width] + self.tail

        batch = mapper.map(cut.numbers, cells, record, cut.unreadable)
        batch.unread += cut.unread
        return batch

    def _cut(self, lines: list[str]) -> list[str] | None:
        """The cells of all lines, with one more between lines; None when not every line has `width` plain cells."""
        delimiter, step = self.layout.delimiter, self.width + 1
        if self.width == 1 and any(_blank(line, delimiter) for line in lines):
            return None
        together = f"{delimiter}\n{delimiter}".join(lines)
        if self.layout.quote and '"' in together:
            return None
        flat = together.split(delimiter)
        between = flat[self.width :: step]
        return flat if len(flat) == len(lines) * step - 1 and between.count("\n") == len(between) else None

    def _cut_each(self, lines: list[str]) -> _Cut:
        """The cells of all lines that are not blank, cut one by one."""
        kept: list[int] = []
        cut = _Cut(kept, [])
        at, tried, own = 0, 0, len(lines)
        while at < own:
            line, number, took = lines[at], self.number + at, 1
            record, wrong = ([], "cut_off") if line.endswith(CUT_OFF) else _cells(line, self.layout)
            if wrong == "open_quote" and at >= tried:
                joined, took = self._joined(lines, at)
                # No line between here and the last that was looked at can begin a record that ends well.
                tried = at + took - 1
                record, wrong, took = (record, wrong, 1) if joined is None else (joined, "", took)
            at += took
            if not wrong and (_is_blank(record) or self._heads_again(record)):
                continue
            if not wrong and not _fits(record, self.width, headed=not self.layout.columns):
                wrong = "columns"
            if wrong:
                cut.unreadable[len(kept)] = BadRow(wrong, number, sample(line))
                cut.unread.append(Unread(line, True))
                record = [""] * self.width
            elif len(record) > self.width and not self.tail:
                cut.longer[len(kept)] = record
            kept.append(number)
            cut.flat += record[: self.width]
            cut.flat.append("")
        self._ahead.extendleft(reversed(lines[at:]))
        del lines[at:]
        return cut

    def _heads_again(self, record: list[str]) -> bool:
        """Whether a record is the header again, as where several files were put together."""
        if not self.named or len(record) != self.width or record[self.named[0]] not in self.heads:
            return False
        return _plain(record) == _plain(self.printed[: self.width])

    def _joined(self, lines: list[str], at: int) -> tuple[list[str] | None, int]:
        """The record that begins at a line and goes beyond it, or None, and how many lines were looked at for it."""
        reader = csv.reader(self._record_lines(lines, at), delimiter=self.layout.delimiter, strict=True)
        try:
            record = next(reader, [])
        except csv.Error:
            record = []
        return record if len(record) == self.width > 1 else None, max(reader.line_num, 1)

    def _record_lines(self, lines: list[str], at: int) -> Iterator[str]:
        """The lines that may be of the record that begins at one of them."""
        size = 0
        for place in range(at, at + JOINED_LINES):
            if place == len(lines) and not self._read_on(lines):
                return
            line = lines[place]
            size += len(line)
            if size > JOINED_CHARS or (place > at and self._own_row(line)):
                return
            yield f"{line}\n"

    def _read_on(self, lines: list[str]) -> bool:
        """Whether the file has another line, now one of `lines`; a fault of the file comes after its rows."""
        try:
            more = self._ahead.popleft() if self._ahead else next(self.lines, None)
        except FeedError as fault:
            self._fault, more = fault, None
        lines += [] if more is None else [more]
        return more is not None

    def _own_row(self, line: str) -> bool:
        """Whether a line that may be part of a quoted cell is a row by itself: as wide, with a name in its place."""
        if line.count(self.layout.delimiter) < self.width - 1:
            return False
        record, _ = _cells(line, self.layout)
        return len(record) == self.width and any(_NAMED.search(record[at]) for at in self.named)


@dataclass(slots=True)
class _Cut:
    """The cells of lines, one after the other, with one more between lines.

    `unreadable` and `longer` are by place: lines that are no rows, and whole records that have cells beyond the width.
    `unread` are the former as they stand in the file.
    """

    numbers: Sequence[int]
    flat: list[str]
    unreadable: dict[int, BadRow] = field(default_factory=dict)
    longer: dict[int, list[str]] = field(default_factory=dict)
    unread: list[Unread] = field(default_factory=list)


def line_groups(lines: Iterator[str]) -> Iterator[list[str]]:
    """Lines to look at together: BATCH of them, fewer of long ones. A fault of the file comes after those before it."""
    fault: FeedError | None = None
    while fault is None:
        group: list[str] = []
        size = 0
        while len(group) < BATCH and size < BATCH_CHARS:
            before = len(group)
            try:
                group.extend(islice(lines, min(_PORTION, BATCH - before)))
            except FeedError as error:  # the rows before it are taken first
                fault = error
            if len(group) == before:
                break
            size += sum(map(len, group[before:]))
        if not group:
            break
        yield group
    if fault is not None:
        raise fault


def open_csv(lines: Iterator[str], spec: FeedSpec, needed: tuple[str, ...]) -> CsvFile:
    """A CSV from its first line on. FeedError when it has no header, or lacks a column of the `needed` values."""
    layout = spec.csv
    skipped, captured, first = _preamble(lines, spec)
    lines = _repaired(lines if first is None else chain([first], lines), spec)
    names, read = (list(layout.columns), 0) if layout.columns else _header(lines, spec)
    header = [*names, *captured]
    columns = {name.strip().lower(): index for index, name in reversed(list(enumerate(header)))}
    printed = [name.strip() for name in header]
    check_header(spec, printed, needed)
    tail = list(captured.values())
    domain = spec.fields.domain.from_
    named = [at for one in domain if (at := columns.get(one.strip().lower(), len(names))) < len(names)]
    heads = _heads(names[named[0]]) if named else frozenset[str]()
    return CsvFile(
        lines=lines,
        number=skipped + read + 1,
        columns=columns,
        printed=printed,
        layout=layout,
        width=len(names),
        tail=tail,
        named=tuple(named),
        heads=heads,
    )


def _is_blank(record: list[str]) -> bool:
    return len(record) == 1 and not record[0].strip()


def _plain(header: Sequence[str]) -> list[str]:
    return [name.strip("\ufeff \t").lower() for name in header]


def _heads(name: str) -> frozenset[str]:
    """How a header's cell may be written where the header is repeated, with the byte order mark of a second file."""
    ways = {name, name.strip(), name.lower(), name.upper(), name.capitalize()}
    return frozenset(mark + way for mark in ("", "\ufeff") for way in ways)


def _blank(line: str, delimiter: str) -> bool:
    return not line.strip() and delimiter not in line


def _cells(line: str, layout: Csv) -> tuple[list[str], str]:
    """A line cut into cells, and the reason why it cannot be cut ("" when it can)."""
    if not layout.quote or '"' not in line:
        return line.split(layout.delimiter), ""
    reader = csv.reader((line, ""), delimiter=layout.delimiter)
    try:
        record = next(reader)
    except csv.Error:
        return [], "unreadable"
    return record, "open_quote" if reader.line_num > 1 else ""


def _header(lines: Iterator[str], spec: FeedSpec) -> tuple[list[str], int]:
    """The cells of the first line that is not empty, and how many lines were read for it."""
    for read, line in enumerate(lines, 1):
        record, wrong = _cells(line, spec.csv)
        if wrong:
            raise FeedError(spec.name, f"has no readable header line ({wrong})")
        if any(cell.strip() for cell in record):
            return record, read
    raise FeedError(spec.name, "is empty: it has no header line")


def _fits(record: list[str], width: int, *, headed: bool) -> bool:
    """Whether a row fits its header, perhaps with blank cells beyond it; without a header, short rows are padded."""
    if len(record) >= width:
        return not headed or not any(map(str.strip, record[width:]))
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
    """Skip the preamble. Returns how many lines it had, what was captured, and the line after it if that was read.

    FeedError when it has nothing of what is to be captured: then it is not the list, but perhaps the text of an error.
    """
    patterns = {f"@{name}": re.compile(pattern) for name, pattern in spec.csv.capture.items()}
    captured = dict.fromkeys(patterns, "")
    starts = spec.csv.header_starts
    count, begins = 0, ""
    while count < (MAX_PREAMBLE_LINES if starts else spec.csv.preamble):
        line = next(lines, None)
        if line is None:
            break
        begins = begins or line
        if starts and line.lower().startswith(starts.lower()):
            _check_captured(captured, begins, spec)
            return count, captured, line
        count += 1
        for name, pattern in patterns.items():
            if not captured[name] and (found := pattern.search(line[:SEARCHED_MOST])):
                captured[name] = found[1] or ""
    if starts:
        raise FeedError(spec.name, f"has no header line starting with {starts!r}")
    _check_captured(captured, begins, spec)
    return count, captured, None


def _check_captured(captured: dict[str, str], begins: str, spec: FeedSpec) -> None:
    if captured and not any(captured.values()):
        lacking = " or ".join(captured)
        raise FeedError(spec.name, f"has no {lacking} in its first lines; it begins with {sample(begins)!r}")
