"""Trying a feed file out: what its first rows become, and where file and feed description disagree.

Pure apart from reading the file object it is given.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from afterdrop.core.json_shapes import instant
from afterdrop.core.json_values import Json
from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.mapping import BadRow, Row
from afterdrop.feeds.parse import SeenColumns, read_feed
from afterdrop.feeds.spec import FeedSpec, FieldSource

# Enough rows for optional JSON members to turn up.
ROWS_READ = 2000
ROWS_SHOWN = 5
PAGES_READ = 4


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of the first rows of a file.

    `rows` are the first mapped rows, and `written` has the cells that each value of the first was read from. `bad` and
    `notes` count reasons among the `read` rows; `bad` also has the line and beginning of the first, as `left_out` has
    of a note. `unmapped` are columns that the feed file neither maps nor ignores; `not_found` are columns it
    names that did not appear.
    """

    read: int
    rows: list[dict[str, Any]]
    written: dict[str, list[Json]]
    bad: dict[str, dict[str, Any]]
    notes: dict[str, int]
    left_out: dict[str, dict[str, Any]]
    columns: list[str]
    unmapped: list[str]
    not_found: list[str]


def first_pages(spec: FeedSpec) -> FeedSpec:
    """The feed with as many of its pages as a trial needs."""
    if spec.paging is None:
        return spec
    few = spec.paging.model_copy(update={"most": min(spec.paging.most, PAGES_READ)})
    return spec.model_copy(update={"paging": few})


def try_out(spec: FeedSpec, file: BinaryIO, bounds: Bounds, zones: tuple[str, ...] = ()) -> Trial:
    """Read the beginning of a feed file. Raises FeedError when it cannot be read as a whole."""
    seen, rows, written = SeenColumns(), list[dict[str, Any]](), dict[str, list[Json]]()
    bad, notes = Counter[str](), Counter[str]()
    samples, left_out = dict[str, dict[str, Any]](), dict[str, dict[str, Any]]()
    batches = read_feed(spec, file, bounds, zones, seen)
    places = chain.from_iterable(((batch, place) for place in range(len(batch))) for batch in batches)
    read = 0
    for read, (batch, place) in enumerate(places, 1):
        row = batch.row(place)
        if isinstance(row, BadRow):
            bad[row.reason] += 1
            samples.setdefault(row.reason, {"line": row.line, "sample": row.sample})
        else:
            notes.update(row.notes)
            for each in row.left_out:
                first = {"line": row.line, "reason": each.reason, "sample": each.sample}
                left_out.setdefault(each.name, first)
            written = written or batch.written(place)
            if len(rows) < ROWS_SHOWN:
                rows.append(_shown(row))
        if read >= ROWS_READ:
            break
    found = {column.strip().lower() for column in seen.columns}
    named = _named(spec)
    known = {name.lower() for name in [*named, *spec.ignore]} | {name.split(".")[0].lower() for name in named}
    return Trial(
        read=read,
        rows=rows,
        written=written,
        bad={reason: {"count": count, **samples[reason]} for reason, count in bad.most_common()},
        notes=dict(notes.most_common()),
        left_out=left_out,
        columns=list(seen.columns),
        unmapped=[column for column in seen.columns if column.strip().lower() not in known],
        not_found=[name for name in named if name.split(".")[0].strip().lower() not in found],
    )


def _shown(row: Row) -> dict[str, Any]:
    price = None if row.price is None else str(row.price)
    shown = {**row._asdict(), "price": price, "ends_at": instant(row.ends_at), "metrics": dict(row.metrics)}
    del shown["left_out"]
    return shown


def _named(spec: FeedSpec) -> list[str]:
    sources: list[FieldSource | None] = [
        getattr(spec.fields, name) for name in type(spec.fields).model_fields
    ]
    sources += spec.metrics.values()
    return list(dict.fromkeys(name for source in sources if source is not None for name in source.from_))
