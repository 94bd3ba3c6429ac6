"""Which rows of a batch need a look into the database: those that pass the filter, or that may be stored already.

Pure. Most rows of most files are neither: they are counted by column, and no Row is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from afterdrop.feeds.mapping import Row
from afterdrop.feeds.row_batches import Batch
from afterdrop.feeds.row_outcome import is_past, untimely
from afterdrop.feeds.run_context import AuthorityFilter, FilterVerdict, Tally
from afterdrop.feeds.spec import FeedSpec

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERDICTS_MOST = 100_000
_MARKS = 1 << 24


class JudgedRow(NamedTuple):
    """A row with the filter's verdict. A name that is not `known` is not in the database."""

    row: Row
    verdict: FilterVerdict
    known: bool = True


class KnownNames:
    """Names that may be stored: all that were added, and by accident a few others."""

    def __init__(self) -> None:
        self._marks = np.zeros(_MARKS, bool)

    def add(self, names: Iterable[str]) -> None:
        """Add names."""
        self._marks[_places(list(names))] = True

    def among(self, names: Sequence[str]) -> list[int]:
        """The places of the names that may be stored."""
        found: list[int] = np.flatnonzero(self._marks[_places(names)]).tolist()
        return found


def _places(names: Sequence[str]) -> NDArray[np.int64]:
    return np.fromiter(map(hash, names), np.int64, len(names)) & (_MARKS - 1)


@dataclass
class Waiting:
    """Rows of several batches that are stored together, with the names of their domains and offers.

    None of them may depend on another: a row whose domain or offer waits already is stored after it.
    """

    rows: list[JudgedRow] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def apart_from(self, rows: Sequence[JudgedRow]) -> bool:
        """Whether none of these rows depends on one that waits."""
        return self.names.isdisjoint(_names(rows))

    def add(self, rows: Sequence[JudgedRow]) -> None:
        """Let these rows wait, too."""
        self.rows += rows
        self.names.update(_names(rows))

    def take(self) -> list[JudgedRow]:
        """The rows that wait, which wait no longer."""
        rows, self.rows = self.rows, []
        self.names.clear()
        return rows


def _names(rows: Sequence[JudgedRow]) -> Iterator[str]:
    return (name for row, _, _ in rows for name in (row.domain, row.key))


@dataclass
class BatchFilter:
    """Counts the rows of batch after batch, and gives those that are decided on one by one.

    Without `known` every row may be stored. `spec` is the feed's, `at` the scan's start.
    """

    authority_filter: AuthorityFilter
    spec: FeedSpec
    at: datetime
    tally: Tally
    known: KnownNames | None = None
    _verdicts: dict[tuple[object, ...], FilterVerdict] = field(default_factory=dict)

    def rows_to_decide(self, batch: Batch) -> list[JudgedRow]:
        """The rows of a batch to decide on, each with the filter's verdict; all others are counted.

        Their names and keys join `known`, because a later row may repeat them.
        """
        places = self._good(batch)
        verdicts = self._judge(batch)
        if self.known is None:
            wanted = known = set(places)
        else:
            known = {*self.known.among(batch.domains), *self.known.among(batch.keys)}
            wanted = {place for place in places if verdicts[place] != "below" or place in known}
            if wanted and len(set(batch.domains)) < len(batch):
                domains = {batch.domains[place] for place in wanted}
                wanted.update(place for place in places if batch.domains[place] in domains)
        self._count_below(batch, [place for place in places if place not in wanted])
        rows = [
            JudgedRow(row, verdicts[place], place in known)
            for place in places
            if place in wanted and isinstance(row := batch.row(place), Row)
        ]
        if self.known is not None:
            self.known.add(_names(rows))
        return rows

    def _good(self, batch: Batch) -> Sequence[int]:
        """The places of usable rows; of those of one offer only one, at the place of the first."""
        places: Sequence[int] = range(len(batch))
        plain, keys = len(batch) - len(batch.alone), batch.keys
        for place in sorted(batch.alone):
            row = batch.alone[place]
            if isinstance(row, Row):
                self.tally.good_row(row)
            else:
                self.tally.bad(row)
        self.tally.plain_rows(plain, batch.missing)
        bad = {place for place, row in batch.alone.items() if not isinstance(row, Row)}
        if bad:
            places = [place for place in places if place not in bad]
            keys = [keys[place] for place in places]
        return places if len(set(keys)) == len(places) else self._distinct(batch, places)

    def _distinct(self, batch: Batch, places: Sequence[int]) -> list[int]:
        """Of the rows of one offer, which is a key and a name, the last that runs; the last where none does."""
        kept: dict[tuple[str, str], int] = {}
        for place in places:
            offer = batch.keys[place], batch.domains[place]
            before = kept.get(offer)
            if before is None or self._runs(batch, place) or not self._runs(batch, before):
                kept[offer] = place
        if len(kept) < len(places):
            self.tally.count("duplicate", len(places) - len(kept))
        names: dict[str, str] = {}
        for key, domain in kept:
            if (other := names.setdefault(key, domain)) != domain:
                self.tally.shared(key, other, domain)
        return list(kept.values())

    def _runs(self, batch: Batch, place: int) -> bool:
        row = batch.row(place)
        return isinstance(row, Row) and not is_past(row.ends_at, self.at)

    def _judge(self, batch: Batch) -> list[FilterVerdict]:
        """The filter's verdict on each row. Figures repeat: each combination is judged once."""
        judge, roles = self.authority_filter.judge, self.authority_filter.roles
        if roles is None or not batch.values:
            rows = (batch.row(place) for place in range(len(batch)))
            return [judge(row.metrics) if isinstance(row, Row) else "unknown" for row in rows]
        columns = batch.metric_columns(roles)
        figures = list(zip(*columns.values(), strict=True)) if columns else [()] * len(batch)
        for combination in set(figures).difference(self._verdicts):
            self._verdicts[combination] = judge(
                {role: value for role, value in zip(columns, combination, strict=True) if value is not None}
            )
        verdicts = list(map(self._verdicts.__getitem__, figures))
        if len(self._verdicts) > VERDICTS_MOST:
            self._verdicts.clear()
        for place, row in batch.alone.items():
            if isinstance(row, Row):
                verdicts[place] = judge(row.metrics)
        return verdicts

    def _count_below(self, batch: Batch, places: list[int]) -> None:
        """Count rows that do not pass and are not known, as `row_outcome.decide` does."""
        for end, times in batch.ends_of(places).items():
            self.tally.count(untimely(end, self.spec, self.at) or "below_filter", times)
