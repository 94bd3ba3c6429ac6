"""Rows of a CSV: where its header is, how a line is cut, and many lines at once.

Pure. A record is one line: a reader that went on after a stray quote would swallow the rows up to the next quote.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from afterdrop.core.errors import FeedError
from afterdrop.feeds.columns import check_header
from afterdrop.feeds.converters import SEARCHED_MOST
from afterdrop.feeds.mapping import BadRow, Mapper, Row, sample
from afterdrop.feeds.row_batches import Batch, BatchMapper
from afterdrop.feeds.spec import Csv, FeedSpec

MAX_PREAMBLE_LINES = 1000
# Rows looked at together, so many that their cells stay in the processor's cache, and the characters from which there
# are fewer.
BATCH, BATCH_CHARS = 500, 4 << 20
_PORTION = 50


@dataclass(slots=True)
class CsvFile:
    """A CSV whose header has been read: its other lines, its columns (lower case name → index) and their layout.

    `number` is the next line's, `width` a line's number of cells, `tail` what the preamble says of every row.
    """

    lines: Iterator[str]
    number: int
    columns: dict[str, int]
    printed: list[str]
    layout: Csv
    width: int
    tail: list[str]
    fault: FeedError | None = None

    def row(self, mapper: Mapper, number: int, line: str) -> Row | BadRow | None:
        """The row of one line; None for a blank one."""
        record, wrong = _cells(line, self.layout)
        if wrong:
            return BadRow(wrong, number, sample(line))
        if len(record) == 1 and not record[0].strip():
            return None
        if len(record) != self.width and not _fits(record, self.width, headed=not self.layout.columns):
            return BadRow("columns", number, sample(line))
        return mapper.row(number, record[: self.width] + self.tail if self.tail else record)

    def rows(self, mapper: Mapper) -> Iterator[Row | BadRow]:
        """Every row, one by one."""
        for number, line in enumerate(self.lines, self.number):
            row = self.row(mapper, number, line)
            if row is not None:
                yield row

    def batches(self, mapper: BatchMapper) -> Iterator[Batch]:
        """The same rows, many at once."""
        while lines := self._group():
            yield self._batch(mapper, range(self.number, self.number + len(lines)), lines)
            self.number += len(lines)
        if self.fault is not None:
            raise self.fault

    def _group(self) -> list[str]:
        """The next lines: BATCH of them, fewer of long ones and at the end."""
        group: list[str] = []
        size = 0
        while len(group) < BATCH and size < BATCH_CHARS:
            before = len(group)
            try:
                group.extend(islice(self.lines, min(_PORTION, BATCH - before)))
            except FeedError as fault:  # the rows before it are taken first
                self.fault = fault
            if len(group) == before:
                break
            size += sum(map(len, group[before:]))
        return group

    def _batch(self, mapper: BatchMapper, numbers: Sequence[int], lines: list[str]) -> Batch:
        alone: dict[int, Row | BadRow] = {}
        flat = self._cut(lines)
        if flat is None:
            numbers, lines, alone = self._apart(mapper.mapper, numbers, lines)
            flat = self._cut(lines) or []
        step = self.width + 1

        def cells(name: str) -> list[Any]:
            place = self.columns[name]
            return flat[place::step] if place < self.width else [self.tail[place - self.width]] * len(lines)

        def record(place: int) -> list[str]:
            return flat[place * step : place * step + self.width] + self.tail

        return mapper.map(numbers, cells, record, alone)

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

    def _apart(
        self, mapper: Mapper, numbers: Sequence[int], lines: list[str]
    ) -> tuple[list[int], list[str], dict[int, Row | BadRow]]:
        """The lines that are not blank, with empty ones for those that are not plain, and the rows of these."""
        delimiter, quote = self.layout.delimiter, self.layout.quote
        empty = delimiter * (self.width - 1)
        kept: list[int] = []
        plain: list[str] = []
        alone: dict[int, Row | BadRow] = {}
        for number, line in zip(numbers, lines, strict=True):
            if (
                line.count(delimiter) == self.width - 1
                and not (quote and '"' in line)
                and not _blank(line, delimiter)
            ):
                plain.append(line)
            elif (row := self.row(mapper, number, line)) is not None:
                alone[len(plain)] = row
                plain.append(empty)
            else:
                continue
            kept.append(number)
        return kept, plain, alone


def open_csv(lines: Iterator[str], spec: FeedSpec, needed: tuple[str, ...]) -> CsvFile:
    """A CSV from its first line on. FeedError when it has no header, or lacks a column of the `needed` values."""
    layout = spec.csv
    lines = _repaired(lines, spec)
    skipped, captured, first = _preamble(lines, spec)
    lines = lines if first is None else chain([first], lines)
    names, read = (list(layout.columns), 0) if layout.columns else _header(lines, spec)
    header = [*names, *captured]
    columns = {name.strip().lower(): index for index, name in reversed(list(enumerate(header)))}
    printed = [name.strip() for name in header]
    check_header(spec, printed, needed)
    tail = list(captured.values())
    return CsvFile(lines, skipped + read + 1, columns, printed, layout, len(names), tail)


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
