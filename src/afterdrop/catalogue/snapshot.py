"""The lists of one audience in memory: columns of numbers, their sort orders, and each row's bytes.

`store.ListSelection` says in SQL which rows a list has and in which order; this answers the same questions without a
database, and a property test holds the two together. Rows are only ever added: a changed domain gets a new row and its
old one is left out of every order. So what a thread prepares is not seen before `apply` puts it in place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from afterdrop.catalogue.filters import default_sort
from afterdrop.catalogue.ready_rows import ReadyRows
from afterdrop.catalogue.search_index import Rows, SearchIndex
from afterdrop.catalogue.snapshot_rows import (
    COLUMN,
    COLUMNS,
    NEVER,
    Codes,
    StoredRow,
    numbers,
    pack,
    unpack,
)
from afterdrop.catalogue.store import ListSelection, LiveFigures
from afterdrop.catalogue.summary import DomainSummary, Links, summary

Order = NDArray[np.int32]
Numbers = NDArray[np.int64]

# The sort orders kept: each of a column, then the latest found first, then by name.
_ORDERS: Final = (
    *("neg_score", "neg_dr", "ends", "neg_ends", "until", "neg_until"),
    *("neg_found", "price", "price_pro", "price_free"),
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a list has: the rows of one page, and how many there are on all pages and on the Pro list beyond them."""

    rows: list[int]
    total: int
    locked: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """New sort orders, and the rows that appear and disappear with them."""

    orders: dict[str, Order]
    size: int
    gone: list[int]
    rows: dict[str, int | None]


class Snapshot:
    """One audience's catalogue as it was at `version`."""

    def __init__(self, links: Links, version: int = 0, capacity: int = 1000) -> None:
        self.version = version
        self._links = links
        self._size = 0
        self._columns: Numbers = np.zeros((len(COLUMNS), capacity), dtype=np.int64)
        self._kept: Rows = np.zeros(capacity, dtype=np.bool_)
        self._names: list[str] = []
        self._packed: list[bytes] = []
        self._row_of: dict[str, int] = {}
        self._codes = Codes()
        self._search = SearchIndex(capacity)
        self._orders: dict[str, Order] = {name: np.zeros(0, dtype=np.int32) for name in _ORDERS}
        self._ready = ReadyRows(links)

    # Filling

    def add(self, rows: Iterable[StoredRow]) -> None:
        """Add rows, unseen until `complete` or `prepare` and `apply` sort them in."""
        for row in rows:
            place = len(self._names)
            if place >= self._columns.shape[1]:
                self._grow()
            self._columns[:, place] = numbers(row, self._codes, self._links.fees)
            self._search.add([row.search])
            self._packed.append(pack(row))
            self._names.append(row.summary["domain"])

    def _grow(self) -> None:
        more = self._columns.shape[1] // 2 + 1000
        columns = np.zeros((len(COLUMNS), more), dtype=np.int64)
        self._columns = np.concatenate([self._columns, columns], axis=1)
        self._kept = np.concatenate([self._kept, np.zeros(more, dtype=np.bool_)])

    def complete(self, version: int) -> None:
        """Sort the rows added so far, which came in the order of their names, and show them."""
        size = len(self._names)
        columns = self._columns[:, :size]
        newest = columns[COLUMN["neg_found"]]
        for name in _ORDERS:
            order = np.lexsort((newest, columns[COLUMN[name]]))
            self._orders[name] = order.astype(np.int32)
        self._kept[:size] = True
        self._row_of = {name: row for row, name in enumerate(self._names)}
        self._size, self.version = size, version

    def prepare(self, names: Iterable[str], rows: Sequence[StoredRow]) -> Change:
        """Sort changed domains in: `names` are all that changed, `rows` those of them that are on a list.

        A thread may do this while the lists are read, one change after another.
        """
        first = len(self._names)
        self.add(rows)
        placed: dict[str, int | None] = dict.fromkeys(names)
        placed |= {row.summary["domain"]: first + number for number, row in enumerate(rows)}
        gone = [self._row_of[name] for name in placed if name in self._row_of]
        keep = np.ones(len(self._names), dtype=np.bool_)
        keep[gone] = False
        fresh = range(first, len(self._names))
        orders = {}
        for name, order in self._orders.items():
            key = self._key(name)
            kept = order[keep[order]]
            added = sorted(fresh, key=key)
            places = [bisect_left(kept, key(row), key=key) for row in added]
            orders[name] = np.insert(kept, places, np.array(added, dtype=np.int32))
        return Change(orders, len(self._names), gone, placed)

    def _key(self, order: str) -> Callable[[int], tuple[int, int, str]]:
        first, newest = self._columns[COLUMN[order]], self._columns[COLUMN["neg_found"]]
        names = self._names
        return lambda row: (int(first[row]), int(newest[row]), names[row])

    def apply(self, change: Change, version: int) -> None:
        """Show a change that was prepared."""
        self._orders = change.orders
        self._kept[self._size : change.size] = True
        self._kept[change.gone] = False
        for name, row in change.rows.items():
            if row is None:
                self._row_of.pop(name, None)
            else:
                self._row_of[name] = row
        self._size, self.version = change.size, version

    @property
    def wasted(self) -> int:
        """How many rows are kept that no list shows any more."""
        return self._size - len(self._row_of)

    def __len__(self) -> int:
        return len(self._row_of)

    # Lists

    def page(self, selection: ListSelection, page: int, per_page: int) -> Found:
        """One page of a list: `ListSelection.page`, `count` and `count_locked` at once."""
        common = self._common(selection)
        rows = common & self._member(selection, selection.pro)
        wanted = selection.wanted
        if wanted.min_tf is not None:
            rows &= self._column("neg_tf") <= -wanted.min_tf
            if not selection.pro:
                rows &= self._column("open") == 1
        if wanted.q is not None:
            rows = self._search.among(wanted.q, rows)
        order = self._orders[self._order(selection)]
        ordered = order[rows[order]]
        start = (page - 1) * per_page
        locked = None
        if selection.viewer.plan == "free" and selection.which != "archive" and wanted.q is None:
            hidden = self._column("open" if selection.which == "live" else "opened") == 0
            locked = int(np.count_nonzero(common & hidden & self._member(selection, True)))
        return Found(ordered[start : start + per_page].tolist(), len(ordered), locked)

    def _column(self, name: str) -> Numbers:
        found: Numbers = self._columns[COLUMN[name], : self._size]
        return found

    def _member(self, selection: ListSelection, pro: bool) -> Rows:
        """On the list, by time and plan, and by price, which depends on the plan."""
        now = int(selection.now.timestamp())
        until = self._column("until")
        if selection.which == "live":
            rows = until > now
            if not pro:
                rows &= self._column("open") == 1
        else:
            rows = until <= now
        if selection.which == "available":
            rows &= self._column("announced") == 1
            if not pro:
                rows &= self._column("opened") == 1
        if selection.wanted.max_price is not None:
            price = self._column(_price(selection, pro))
            rows &= (price <= selection.wanted.max_price) | (price == NEVER)
        return rows

    def _common(self, selection: ListSelection) -> Rows:
        """What the filters ask for that is the same on both plans; the search comes last, among the rows left."""
        wanted, rows = selection.wanted, self._kept[: self._size].copy()
        least = {
            "neg_score": wanted.min_score,
            "neg_dr": wanted.min_dr,
            "neg_refs": wanted.min_ref_domains,
            "neg_years": wanted.min_archive_years,
            "neg_found": None if wanted.since is None else int(wanted.since.timestamp()),
        }
        for name, bound in least.items():
            if bound is not None:
                rows &= self._column(name) <= -bound
        chosen = {
            "tld": wanted.tlds,
            "type": wanted.types,
            "topic": wanted.topics,
            "language": wanted.langs,
        }
        for name, words in chosen.items():
            if words:
                rows &= self._has(name, words)
        if wanted.clean:
            rows &= self._column("clean") == 1
        if wanted.ending_within_hours is not None:
            now = int(selection.now.timestamp())
            last = int((selection.now + timedelta(hours=wanted.ending_within_hours)).timestamp())
            ends = self._column("ends")
            rows &= (self._column("until") > now) & (ends > now) & (ends <= last)
        return rows

    def _has(self, column: str, words: Iterable[str]) -> Rows:
        known = self._codes.known(column)
        numbers_ = [known[word] for word in words if word in known]
        if len(numbers_) == 1:
            only: Rows = self._column(column) == numbers_[0]
            return only
        among = np.zeros(len(known), dtype=np.bool_)
        among[numbers_] = True
        found: Rows = among[self._column(column)]
        return found

    def _order(self, selection: ListSelection) -> str:
        end = "ends" if selection.which == "live" else "until"
        return {
            "score": "neg_score",
            "dr": "neg_dr",
            "ending": end,
            "ended": f"neg_{end}",
            "newest": "neg_found",
            "price": _price(selection, selection.pro),
        }[selection.sort or default_sort(selection.which)]

    # Rows

    def summaries(self, rows: Sequence[int], selection: ListSelection) -> list[DomainSummary]:
        """The summaries of rows as the viewer sees them."""
        viewer, now = selection.viewer, selection.now
        return [summary(unpack(self._packed[row]), viewer, now, self._links) for row in rows]

    def ready(self, rows: Sequence[int], selection: ListSelection) -> list[orjson.Fragment]:
        """The same as JSON."""
        now = int(selection.now.timestamp())
        return [self._ready.json(row, self._packed[row], selection, now) for row in rows]

    # Figures

    def live_figures(self, now: int) -> LiveFigures:
        """`store.live_figures` of this audience at `now`, in seconds since 1970."""
        rows = self._kept[: self._size] & (self._column("until") > now)
        ends, rating = self._column("ends")[rows], self._column("neg_dr")[rows]
        rated = rating[rating != NEVER]
        total = int(np.count_nonzero(rows))
        return LiveFigures(
            domains=total,
            open=int(self._column("open")[rows].sum()),
            ending_within_24h=int(np.count_nonzero((ends > now) & (ends <= now + 86_400))),
            scores=total,
            score_sum=-int(self._column("neg_score")[rows].sum()),
            ratings=len(rated),
            rating_sum=-int(rated.sum()),
        )

    def ended_counts(self, now: int) -> tuple[int, int]:
        """`store.ended_counts` of this audience at `now`, in seconds since 1970."""
        rows = self._kept[: self._size] & (self._column("until") <= now)
        return int(np.count_nonzero(rows)), int(np.count_nonzero(rows & (self._column("announced") == 1)))


def _price(selection: ListSelection, pro: bool) -> str:
    if selection.which == "live":
        return "price"
    return "price_pro" if pro else "price_free"
