"""Trying a feed file out: what its first rows become, and where file and feed description disagree.

Pure apart from reading the file object it is given.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO

from afterdrop.core.json_values import Json
from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.mapping import BadRow, LeftOut, Row
from afterdrop.feeds.parse import SeenColumns, read_feed
from afterdrop.feeds.spec import FeedSpec, FieldSource

# Enough rows for optional JSON members to turn up.
ROWS_READ = 2000
PAGES_READ = 4


@dataclass(frozen=True, slots=True)
class Trial:
    """What the first rows of a file became.

    `rows` are the first mapped rows, and `written` has the cells that each value of the first was read from. `bad` and
    `notes` count reasons among the `read` rows, with the first sample of each; `left_out` has the line and value behind
    a note that has one. `unmapped` are columns that the feed file neither maps nor ignores; `not_found` are columns it
    names that did not appear.
    """

    read: int
    rows: tuple[Row, ...]
    written: dict[str, list[Json]] = field(default_factory=dict)
    bad: dict[str, int] = field(default_factory=dict)
    samples: dict[str, BadRow] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, tuple[int, LeftOut]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    unmapped: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()


def first_pages(spec: FeedSpec) -> FeedSpec:
    """The feed with as many of its pages as a trial needs."""
    if spec.paging is None:
        return spec
    few = spec.paging.model_copy(update={"most": min(spec.paging.most, PAGES_READ)})
    return spec.model_copy(update={"paging": few})


def try_out(
    spec: FeedSpec, file: BinaryIO, bounds: Bounds, zones: tuple[str, ...] = (), show: int = 5
) -> Trial:
    """Read the beginning of a feed file. Raises FeedError when it cannot be read as a whole."""
    seen, rows = SeenColumns(), list[Row]()
    bad: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    samples: dict[str, BadRow] = {}
    left_out: dict[str, tuple[int, LeftOut]] = {}
    written: dict[str, list[Json]] = {}
    batches = read_feed(spec, file, bounds, zones, seen)
    places = chain.from_iterable(((batch, place) for place in range(len(batch))) for batch in batches)
    read = 0
    for read, (batch, place) in enumerate(places, 1):
        row = batch.row(place)
        if isinstance(row, BadRow):
            bad[row.reason] += 1
            samples.setdefault(row.reason, row)
        else:
            notes.update(row.notes)
            for each in row.left_out:
                left_out.setdefault(each.name, (row.line, each))
            written = written or batch.written(place)
            if len(rows) < show:
                rows.append(row)
        if read >= ROWS_READ:
            break
    found = {column.strip().lower() for column in seen.columns}
    named = _named(spec)
    known = {name.lower() for name in [*named, *spec.ignore]} | {name.split(".")[0].lower() for name in named}
    return Trial(
        read,
        tuple(rows),
        written,
        dict(bad.most_common()),
        samples,
        dict(notes.most_common()),
        left_out,
        tuple(seen.columns),
        tuple(column for column in seen.columns if column.strip().lower() not in known),
        tuple(name for name in named if name.split(".")[0].strip().lower() not in found),
    )


def _named(spec: FeedSpec) -> list[str]:
    sources: list[FieldSource | None] = [
        getattr(spec.fields, name) for name in type(spec.fields).model_fields
    ]
    sources += spec.metrics.values()
    return list(dict.fromkeys(name for source in sources if source is not None for name in source.from_))
