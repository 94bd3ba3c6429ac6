"""Which rows of a snapshot pass a filter: one bit a row, kept for each restriction that was asked for.

A row never changes and rows are only added, so a mask stays right; rows added since are tested when it is next used.
Masks of many restrictions are joined bit by bit, which costs little whatever the filter.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from afterdrop.catalogue.filters import ListFilter
from afterdrop.catalogue.list_store import ListSelection
from afterdrop.catalogue.search_index import Mask, Rows, SearchIndex, packed, unpacked
from afterdrop.catalogue.snapshot_rows import COLUMN, COLUMNS, NEVER, Codes, StoredRow, numbers

Numbers = NDArray[np.int64]
Test = Callable[[int], Rows]

# The minimums of a filter, and the columns that they are about.
_LEAST: Final[Mapping[str, str]] = {
    "min_score": "score",
    "min_dr": "dr",
    "min_ref_domains": "refs",
    "min_archive_years": "years",
}
_WORDS: Final[Mapping[str, str]] = {
    "tlds": "tld",
    "types": "type",
    "topics": "topic",
    "langs": "language",
    "sources": "source",
}
_MOST_BYTES: Final = 8 * 1024 * 1024
# What an entry takes besides its mask: a key of some numbers and words, and its place.
_ENTRY_BYTES: Final = 1000
# So few texts are read anew for each search.
_READ_AGAIN: Final = 2000


def counted(mask: Mask) -> int:
    """How many rows a mask has."""
    return int(np.bitwise_count(mask).sum())


class RowMasks:
    """The values of a snapshot's rows, and masks of those that pass. The first `size` rows are visible."""

    def __init__(self, fees: Mapping[str, int], capacity: int = 1000) -> None:
        self.size = 0
        self.codes = Codes()
        self._fees = fees
        self._added = 0
        self._columns: Numbers = np.zeros((len(COLUMNS), capacity), dtype=np.int64)
        self._search = SearchIndex(capacity)
        self._kept: dict[Hashable, tuple[int, Mask]] = {}
        self._bytes = 0

    def add(self, row: StoredRow) -> None:
        """Add a row, not visible yet."""
        if self._added >= self._columns.shape[1]:
            more = np.zeros((len(COLUMNS), self._added // 2 + 1000), dtype=np.int64)
            self._columns = np.concatenate([self._columns, more], axis=1)
        self._columns[:, self._added] = numbers(row, self.codes, self._fees)
        self._search.add([row.search])
        self._added += 1

    def values(self, column: str, size: int | None = None) -> Numbers:
        """The values of the visible rows, or of the first `size`."""
        found: Numbers = self._columns[COLUMN[column], : self.size if size is None else size]
        return found

    # One restriction

    def _mask(self, key: Hashable, test: Test) -> Mask:
        """The mask that is kept under `key`. `test` says which rows pass, from one of them to the last visible."""
        size = self.size
        known, mask = self._kept.pop(key, (0, np.zeros(0, dtype=np.uint64)))
        self._bytes -= mask.nbytes + _ENTRY_BYTES if known else 0
        if known < size:
            # Begin again with the last number that was not full.
            whole = known // 64
            mask = np.concatenate([mask[:whole], packed(test(whole * 64))])
        self._kept[key] = (size, mask)
        self._bytes += mask.nbytes + _ENTRY_BYTES
        while self._bytes > _MOST_BYTES:
            self._bytes -= self._kept.pop(next(iter(self._kept)))[1].nbytes + _ENTRY_BYTES
        return mask

    def _passing(self, column: str, bound: Hashable, passes: Callable[[Numbers], Rows]) -> Mask:
        return self._mask((column, bound), lambda first: passes(self.values(column)[first:]))

    def at_least(self, column: str, bound: int) -> Mask:
        """Known values from `bound` on."""
        return self._passing(column, (">=", bound), lambda values: (values >= bound) & (values != NEVER))

    def at_most(self, column: str, bound: int) -> Mask:
        """Known values up to `bound`."""
        return self._passing(column, ("<=", bound), lambda values: values <= bound)

    def over(self, column: str, bound: int) -> Mask:
        """Values above `bound`, and those without end."""
        return self._passing(column, (">", bound), lambda values: values > bound)

    def equal(self, column: str, value: int) -> Mask:
        """Values of exactly this."""
        return self._passing(column, ("=", value), lambda values: values == value)

    def among(self, column: str, words: Iterable[str]) -> Mask:
        """Rows with one of these words."""
        known = self.codes.known(column)
        # By the codes alone: words that no row has are a caller's own, of any number and length.
        chosen = frozenset(known[word] for word in words if word in known)
        table = np.zeros(len(known), dtype=np.bool_)
        table[list(chosen)] = True
        return self._passing(column, ("in", chosen), lambda values: table[values])

    def of(self, rows: Sequence[int]) -> Mask:
        """Exactly these rows."""
        found = np.zeros(self.size, dtype=np.bool_)
        found[list(rows)] = True
        return packed(found)

    # A whole filter

    def member(self, selection: ListSelection, pro: bool) -> list[Mask]:
        """On the list for a plan, and by what one plan sees another way than the other."""
        now, wanted = int(selection.now.timestamp()), selection.wanted
        masks = [self.over("until", now) if selection.which == "live" else self.at_most("until", now)]
        if selection.which == "live" and not pro:
            masks.append(self.equal("open", 1))
        if selection.which == "available":
            masks.append(self.equal("free_pro" if pro else "free", 1))
        if wanted.max_price is not None:
            masks.append(self._cheap(as_seen(selection, "price", pro), wanted))
        bids = as_seen(selection, "bids", pro)
        if wanted.min_bids is not None:
            masks.append(self.at_least(bids, wanted.min_bids))
        if wanted.max_bids is not None:
            masks.append(self.at_most(bids, wanted.max_bids))
        if wanted.outcomes:
            masks += [self.among("outcome_pro" if pro else "outcome", wanted.outcomes)]
            masks += [self.at_most("until", now)]
        return masks

    def full(self, selection: ListSelection) -> list[Mask]:
        """By figures that only `full` detail shows."""
        bounds = {"tf": selection.wanted.min_tf, "cf": selection.wanted.min_cf}
        return [
            self.at_least(f"{column}_pro" if selection.pro else column, bound)
            for column, bound in bounds.items()
            if bound is not None
        ]

    def _cheap(self, price: str, wanted: ListFilter) -> Mask:
        most = wanted.max_price or 0
        if not wanted.unpriced:
            return self.at_most(price, most)
        return self._passing(price, ("<=?", most), lambda values: (values <= most) | (values == NEVER))

    def common(self, selection: ListSelection) -> list[Mask]:
        """What the filters ask for that is the same on both plans, but for names and the search."""
        wanted = selection.wanted
        masks = [
            self.at_least(column, bound)
            for name, column in _LEAST.items()
            if (bound := getattr(wanted, name)) is not None
        ]
        masks += [
            self.among(column, words) for name, column in _WORDS.items() if (words := getattr(wanted, name))
        ]
        if wanted.clean:
            masks.append(self.equal("clean", 1))
        if wanted.since is not None:
            masks.append(self.at_least("found", int(wanted.since.timestamp())))
        if wanted.min_age is not None:
            masks.append(self.at_most("first_year", selection.now.year - wanted.min_age))
        window = wanted.window(selection.now)
        if window is not None:
            after, until = (int(moment.timestamp()) for moment in window)
            now = int(selection.now.timestamp())
            masks += [self.over("until", now), self.over("ends", after), self.at_most("ends", until)]
        if wanted.drops_on is not None:
            masks.append(self.among("type", ["pending_delete"]))
        return masks

    def containing(self, q: str, mask: Mask) -> Mask:
        """Those rows of a mask whose text contains `q`."""
        likely, sure = self._search.likely(q, mask, self.size)
        if sure:
            return likely
        if counted(likely) <= _READ_AGAIN and ("search", q) not in self._kept:
            return self._search.read(q, likely, self.size)
        # A word that many texts have is looked for in all of them, once.
        return likely & self._mask(("search", q), lambda first: self._texts_with(q, first))

    def _texts_with(self, q: str, first: int) -> Rows:
        rows = np.ones(self.size, dtype=np.bool_)
        rows[:first] = False
        likely, _ = self._search.likely(q, packed(rows), self.size)
        return unpacked(self._search.read(q, likely, self.size), self.size)[first:]


def as_seen(selection: ListSelection, column: str, pro: bool) -> str:
    """The column of prices or bids: of what is free, those of its registration, for those who know that it is."""
    if selection.which == "live":
        return column
    return f"{column}_pro" if pro else f"{column}_free"
