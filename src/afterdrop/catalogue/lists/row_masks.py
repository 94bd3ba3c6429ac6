"""Which rows of a snapshot pass a filter: one bit a row, kept for each restriction that was asked for.

A row never changes and rows are only added, so a mask stays right; rows added since are tested when it is next used.
Masks of many restrictions are joined bit by bit, which costs little whatever the filter.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from afterdrop.catalogue.lists.filters import ListSelection
from afterdrop.catalogue.lists.search_index import Mask, Rows, SearchIndex, packed, unpacked
from afterdrop.catalogue.lists.snapshot_rows import (
    Codes,
    Numbers,
    StoredRow,
    column_numbers,
    empty_columns,
    never,
)
from afterdrop.catalogue.summary import Links

Test = Callable[[int], Rows]

_MOST_BYTES: Final = 8 * 1024 * 1024
# What an entry takes besides its mask: a key of some numbers and words, and its place.
_ENTRY_BYTES: Final = 1000
# So many names are entered at a time: a thread lets no other run meanwhile.
_PART: Final = 50_000
# Before the name of a column's array.
_COLUMN: Final = "column "
# So few texts are read anew for each search.
_READ_AGAIN: Final = 2000


def counted(mask: Mask) -> int:
    """How many rows a mask has."""
    return int(np.bitwise_count(mask).sum())


class RowMasks:
    """The values of a snapshot's rows, and masks of those that pass. The first `size` rows are visible."""

    def __init__(self, links: Links, capacity: int = 1000) -> None:
        self.size = 0
        self.codes = Codes()
        self.row_of: dict[str, int] = {}
        self._links = links
        self._added = 0
        self._capacity = capacity
        self._columns = empty_columns(capacity)
        self._search = SearchIndex(capacity)
        self._kept: dict[Hashable, tuple[int, Mask]] = {}
        self._bytes = 0

    def arrays(self) -> dict[str, Numbers]:
        """What `restored` needs of the visible rows, beside `codes`. More may be added meanwhile."""
        columns = {f"{_COLUMN}{name}": values for name, values in self._columns.items()}
        return {**columns, **self._search.arrays(self.size)}

    @classmethod
    def restored(
        cls,
        links: Links,
        arrays: Mapping[str, Numbers],
        codes: Codes,
        names: Sequence[str],
        shown: NDArray[np.intp],
    ) -> RowMasks:
        """The values of rows with these names again, of `arrays`; `shown` are the rows that lists show."""
        made = cls(links, 0)
        made._columns = {name: arrays[f"{_COLUMN}{name}"] for name in made._columns}
        made._capacity = len(next(iter(made._columns.values())))
        made.size = made._added = len(names)
        made.codes, made._search = codes, SearchIndex.restored(arrays, made.size)
        for at in range(0, len(shown), _PART):
            rows = shown[at : at + _PART].tolist()
            made.row_of.update(zip(map(names.__getitem__, rows), rows, strict=True))
        return made

    def add(self, rows: Sequence[StoredRow]) -> None:
        """Add rows, not visible yet."""
        start, end = self._added, self._added + len(rows)
        if end > self._capacity:
            more = empty_columns(start // 8 + len(rows))
            self._columns = {name: np.concatenate([each, more[name]]) for name, each in self._columns.items()}
            self._capacity += start // 8 + len(rows)
        for name, column in self._columns.items():
            column[start:end] = column_numbers(name, rows, self.codes, self._links)
        self._search.add([row.search for row in rows])
        self._added = end

    def values(self, column: str, size: int | None = None) -> Numbers:
        """The values of the visible rows, or of the first `size`."""
        return self._columns[column][: self.size if size is None else size]

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
        return self._passing(
            column, (">=", bound), lambda values: (values >= bound) & (values != never(values))
        )

    def at_most(self, column: str, bound: int, *, unknown: bool = False) -> Mask:
        """Known values up to `bound`; with `unknown` those that are not known, too."""
        if unknown:
            return self._passing(
                column, ("<=?", bound), lambda values: (values <= bound) | (values == never(values))
            )
        return self._passing(
            column, ("<=", bound), lambda values: (values <= bound) & (values != never(values))
        )

    def known(self, column: str) -> Mask:
        """Known values."""
        return self._passing(column, ("known",), lambda values: values != never(values))

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

    def words_in(self, column: str, rows: Rows) -> dict[str, int]:
        """How many of these rows have each word of a column, the commonest first."""
        counts = np.bincount(self.values(column)[rows]).tolist()
        known = list(self.codes.known(column))
        found = {word: count for word, count in zip(known, counts, strict=False) if word and count}
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def of(self, rows: Sequence[int]) -> Mask:
        """Exactly these rows."""
        found = np.zeros(self.size, dtype=np.bool_)
        found[list(rows)] = True
        return packed(found)

    def named(self, names: Iterable[str]) -> Mask:
        """The rows of these names."""
        return self.of([row for name in names if (row := self.row_of.get(name)) is not None])

    # A whole list

    def listed(self, selection: ListSelection, among: Mask) -> Mask:
        """Those rows of `among` that a list has for its viewer, with its filters."""
        now, rows = int(selection.at.now.timestamp()), among
        rows = rows & (
            self.over("until", now) if selection.at.which == "live" else self.at_most("until", now)
        )
        if selection.at.which == "live" and not selection.at.pro:
            rows = rows & self.equal("open", 1)
        if selection.at.which == "available":
            rows = rows & self.equal("free_pro" if selection.at.pro else "free", 1)
        for criterion, bound in selection.wanted.criteria():
            column = criterion.column.in_memory(selection.at)
            rows = rows & criterion.test.mask(self, column, bound, rows, selection.at)
        return rows

    def containing(self, q: str, mask: Mask) -> Mask:
        """Those rows of a mask whose text contains `q`."""
        likely, sure = self._search.likely(q, mask, self.size)
        if sure:
            return likely
        if counted(likely) <= _READ_AGAIN and ("search", q) not in self._kept:
            return self._search.read(q, likely, self.size)
        # A word that many texts have is looked for in all of them, once.
        return likely & self._mask(("search", q), lambda first: self._texts_with(q, first))

    def with_affix(self, part: str, mask: Mask, *, at_end: bool) -> Mask:
        """Those rows of a mask whose label starts with a part, or ends with it."""
        return self._search.with_affix(part, mask, self.size, at_end=at_end)

    def _texts_with(self, q: str, first: int) -> Rows:
        rows = np.ones(self.size, dtype=np.bool_)
        rows[:first] = False
        likely, _ = self._search.likely(q, packed(rows), self.size)
        return unpacked(self._search.read(q, likely, self.size), self.size)[first:]
