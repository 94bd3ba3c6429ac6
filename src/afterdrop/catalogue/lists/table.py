"""The lists in memory as a table: an array a column with a value a row, the names, and the texts that are searched.

Rows are only ever added: a changed domain gets a new row, and its old one is shown no more. Rows a thread adds are not
visible before `show`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from afterdrop.catalogue.lists.columns import COLUMNS, Row, Value
from afterdrop.catalogue.lists.search_index import Rows, SearchIndex
from afterdrop.catalogue.summary import Links

Numbers = NDArray[Any]
# All that a file holds, by name.
Arrays = Mapping[str, NDArray[Any]]

_TYPES: Final[Mapping[str, type[np.generic]]] = {
    **{"number": np.int32, "word": np.int32, "time": np.int64, "letters": np.int64, "flag": np.uint8},
}
# Before the name of a column's array.
_COLUMN: Final = "column "
_NEVER: Final = np.iinfo(np.int64).max


def unknown(values: Numbers) -> int:
    """The number that stands for no value, and for no end: behind every number that such an array can hold."""
    return int(np.iinfo(values.dtype).max)


class Table:
    """All rows of the lists; `shown` are those of the visible ones that lists show."""

    def __init__(self, links: Links, capacity: int = 1000) -> None:
        self.names: list[str] = []
        self.row_of: dict[str, int] = {}
        self.shown: Rows = np.zeros(0, dtype=np.bool_)
        self.search = SearchIndex(capacity)
        self._links = links
        self._columns: dict[str, Numbers] = {
            name: np.zeros(capacity, dtype=_TYPES[kept.kind]) for name, kept in COLUMNS.items()
        }
        # Numbers for the words of each column of words; 0 is no word.
        self._words: dict[str, dict[Value, int]] = {
            name: {None: 0} for name, kept in COLUMNS.items() if kept.kind == "word"
        }

    def arrays(self) -> Arrays:
        """The arrays that `restored` needs. More rows may be added while it is written."""
        words = orjson.dumps({name: list(known) for name, known in self._words.items()})
        return {
            "names": np.frombuffer("\n".join(self.names).encode(), dtype=np.uint8),
            "words": np.frombuffer(words, dtype=np.uint8),
            "shown": self.shown,
            **{f"{_COLUMN}{name}": values for name, values in self._columns.items()},
            **self.search.arrays(),
        }

    @classmethod
    def restored(cls, links: Links, arrays: Arrays) -> Table:
        """The table again of its `arrays`."""
        made = cls(links, 0)
        made.names = arrays["names"].tobytes().decode().split()
        made.shown = arrays["shown"]
        made.row_of = {made.names[row]: row for row in np.flatnonzero(made.shown).tolist()}
        made._columns = {name: arrays[f"{_COLUMN}{name}"] for name in COLUMNS}
        for name, words in orjson.loads(arrays["words"].tobytes()).items():
            made._words[name] = {word: number for number, word in enumerate(words)}
        made.search = SearchIndex.restored(arrays, len(made.names))
        return made

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows, not visible yet."""
        start, end = len(self.names), len(self.names) + len(rows)
        room = len(self._columns["until"])
        if end > room:
            more = end + end // 8 - room
            self._columns = {
                name: np.concatenate([each, np.zeros(more, each.dtype)])
                for name, each in self._columns.items()
            }
        for name, column in self._columns.items():
            column[start:end] = self._numbers(name, rows, unknown(column))
        self.search.add([row["search"] for row in rows])
        self.names += [row["domain"] for row in rows]

    def _numbers(self, name: str, rows: Sequence[Row], most: int) -> list[int]:
        read, known = COLUMNS[name].read, self._words.get(name)
        values: list[Any] = [read(row, self._links) for row in rows]
        if known is not None:
            return [known.setdefault(value, len(known)) for value in values]
        return [most if value is None else min(value, most) for value in values]

    def show(self, changed: Iterable[str]) -> None:
        """Show all rows added so far, and no older ones of their names or of `changed` names."""
        visible = len(self.shown)
        shown = np.ones(len(self.names), dtype=np.bool_)
        shown[:visible] = self.shown
        for name in changed:
            if (old := self.row_of.pop(name, None)) is not None:
                shown[old] = False
        for row in range(visible, len(shown)):
            if (old := self.row_of.get(self.names[row])) is not None:
                shown[old] = False
            self.row_of[self.names[row]] = row
        self.shown = shown

    # The values of the visible rows

    def values(self, column: str) -> Numbers:
        """The values of a column."""
        return self._columns[column][: len(self.shown)]

    def known(self, column: str) -> Rows:
        """The rows with a known value."""
        values = self.values(column)
        found: Rows = values != unknown(values)
        return found

    def among(self, column: str, words: Iterable[str]) -> Rows:
        """The rows with one of these words."""
        known = self._words[column]
        chosen = np.zeros(len(known), dtype=np.bool_)
        chosen[[known[word] for word in words if word in known]] = True
        return chosen[self.values(column)]

    def named(self, names: Iterable[str]) -> Rows:
        """The rows of these names."""
        found = np.zeros(len(self.shown), dtype=np.bool_)
        found[[self.row_of[name] for name in names if name in self.row_of]] = True
        return found

    def word_counts(self, column: str, rows: Rows) -> dict[str, int]:
        """How many of these rows have each word of a column, the commonest first."""
        counts = np.bincount(self.values(column)[rows]).tolist()
        words = list(self._words[column])
        found = {str(word): count for word, count in zip(words, counts, strict=False) if word and count}
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def places(self, column: str, rows: NDArray[np.intp]) -> Numbers:
        """The values of some rows as numbers that are in their order: of words, their places among all words."""
        values = self.values(column)[rows]
        if column in self._words:
            words = list(self._words[column])
            place = {word: at for at, word in enumerate(sorted(map(str, words[1:])))}
            values = np.array([_NEVER, *(place[str(word)] for word in words[1:])])[values]
        wide = values.astype(np.int64)
        wide[values == unknown(values)] = _NEVER
        return wide
