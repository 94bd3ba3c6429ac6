"""A row of the catalogue as the snapshot keeps it: numbers to filter and sort by, and bytes to show it from."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast

import numpy as np
import orjson
from cachetools import FIFOCache
from numpy.typing import NDArray

from afterdrop.catalogue.lists.asking import Asking
from afterdrop.catalogue.lists.columns import Kept, Row
from afterdrop.catalogue.lists.criteria import KEPT, READ_BESIDES
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.status import ENDING_SOON
from afterdrop.catalogue.store import SUMMARY_COLUMNS
from afterdrop.catalogue.summary import Links, summary

# No value, and no end: behind every number in either direction. Columns of smaller numbers have their own.
NEVER: Final = 2**62
_SMALL_NEVER: Final = 2**31 - 1
Numbers = NDArray[Any]
INSTANTS: Final = (
    *("found_at", "ends_at", "certain_from", "live_until", "next_listing_at", "removed_at"),
    *("available_since", "registered_at", "resolved_at"),
)
# What is read of a row of the catalogue.
READ: Final = (*SUMMARY_COLUMNS, *READ_BESIDES)
# What decides on which list a row is and for whom, beside what rows are filtered and sorted by.
_MEMBERSHIP: Final[Mapping[str, Kept]] = {
    "until": Kept("time", lambda row, _: row["live_until"]),
    "next": Kept("time", lambda row, _: row["next_listing_at"]),
    "free": Kept("flag", lambda row, _: bool(row["announced"]) and row["last_open_on"] is not None),
    "free_pro": Kept("flag", lambda row, _: row["announced"]),
    "opened": Kept("flag", lambda row, _: row["last_open_on"] is not None),
    "open": Kept("flag", lambda row, _: row["open_now"]),
}
# So many rows are compressed together where there are many: they take a fourth of the bytes, but a page of rows that
# nobody asked for lately costs a millisecond more.
_TOGETHER: Final = 16
_MANY: Final = 250_000
# Bytes of ready rows, and what an entry takes beside its body.
_MOST_BYTES: Final = 32 * 1024 * 1024
_ENTRY: Final = 200
COLUMNS: Final[Mapping[str, Kept]] = {**KEPT, **_MEMBERSHIP}
_TYPES: Final[Mapping[str, type[np.generic]]] = {
    **{"number": np.int32, "word": np.int32, "time": np.int64, "flag": np.uint8},
}
_WORDS: Final = tuple(name for name, kept in COLUMNS.items() if kept.kind == "word")


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row as it was read: the columns `READ` by name, with times as seconds since 1970."""

    values: Row

    @property
    def domain(self) -> str:
        """Its name."""
        return str(self.values["domain"])

    @property
    def search(self) -> str:
        """The text that is searched."""
        return str(self.values["search"])


class Codes:
    """Numbers for the words of each column of words; 0 is no word."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str | None, int]] = {name: {None: 0} for name in _WORDS}

    def number(self, column: str, word: str | None) -> int:
        """The number of a word, given now where it is new."""
        known = self._known[column]
        return known.setdefault(word, len(known))

    def known(self, column: str) -> Mapping[str | None, int]:
        """The numbers of a column's words."""
        return self._known[column]

    def words(self) -> dict[str, list[str]]:
        """The words of each column in the order of their numbers, from 1."""
        return {
            name: [word for word in list(known) if word is not None] for name, known in self._known.items()
        }

    @classmethod
    def restored(cls, words: Mapping[str, Sequence[str]]) -> Codes:
        """The numbers again of `words`."""
        made = cls()
        for name, each in words.items():
            made._known[name] |= {word: number for number, word in enumerate(each, 1)}
        return made

    def ranks(self, column: str) -> list[int]:
        """The place of each of a column's words in their order, by number."""
        words = self.known(column)
        places = {word: place for place, word in enumerate(sorted(word or "" for word in list(words)))}
        return [places[word or ""] for word in list(words)[: len(places)]]


def empty_columns(capacity: int) -> dict[str, Numbers]:
    """The columns of memory for so many rows, each with numbers no larger than it needs."""
    return {name: np.zeros(capacity, dtype=_TYPES[kept.kind]) for name, kept in COLUMNS.items()}


def never(values: Numbers) -> int:
    """What stands for no value in a column of numbers or times."""
    return NEVER if values.dtype == np.int64 else _SMALL_NEVER


def column_numbers(name: str, rows: Sequence[StoredRow], codes: Codes, links: Links) -> list[int]:
    """What a column of memory holds of these rows."""
    kept = COLUMNS[name]
    values = [kept.read(row.values, links) for row in rows]
    if kept.kind == "word":
        return [codes.number(name, None if value is None else str(value)) for value in values]
    most = NEVER if kept.kind == "time" else _SMALL_NEVER
    numbers = cast(Sequence[int | None], values)
    return [most if value is None else value if value < most else most for value in numbers]


def lasting(made: bytes) -> bytes:
    """JSON that is to be kept: orjson leaves its bytes in a buffer that may be ten times their size."""
    return bytes(bytearray(made))


class PackedRows:
    """The columns of summaries as bytes; of many rows some are compressed together. Rows are only ever added.

    The first blocks may stand one after another in one array, which a file may hold.
    """

    def __init__(self, capacity: int) -> None:
        self._together = _TOGETHER if capacity > _MANY else 1
        self._first: Numbers = np.zeros(0, dtype=np.uint8)
        self._ends: Numbers = np.zeros(1, dtype=np.int64)
        self._full: list[bytes] = []
        self._last: list[bytes] = []

    def arrays(self, size: int) -> dict[str, Numbers]:
        """What `restored` needs of the first `size` rows. More may be added meanwhile."""
        blocks = size // self._together
        more = self._full[: blocks - (len(self._ends) - 1)]
        ends = self._ends[-1] + np.cumsum([len(each) for each in more], dtype=np.int64)
        rest = b"\n".join(bytes(self[row]) for row in range(blocks * self._together, size))
        return {
            "rows": np.concatenate([self._first, np.frombuffer(b"".join(more), dtype=np.uint8)]),
            "row_ends": np.concatenate([self._ends, ends]),
            "last_rows": np.frombuffer(rest, dtype=np.uint8),
            "rows_together": np.array([self._together]),
        }

    @classmethod
    def restored(cls, arrays: Mapping[str, Numbers]) -> PackedRows:
        """The rows again of `arrays`."""
        made = cls(0)
        made._together = int(arrays["rows_together"][0])
        made._first, made._ends = arrays["rows"], arrays["row_ends"]
        made._last = arrays["last_rows"].tobytes().split(b"\n") if len(arrays["last_rows"]) else []
        return made

    def add(self, row: StoredRow) -> None:
        """Add a row."""
        self._last.append(orjson.dumps([row.values[name] for name in SUMMARY_COLUMNS]))
        if len(self._last) == self._together:
            block = b"\n".join(self._last)
            self._full.append(lasting(block) if self._together == 1 else zlib.compress(block, 1))
            self._last = []

    def __getitem__(self, row: int) -> bytes:
        block, place = divmod(row, self._together)
        # A thread may add rows meanwhile: what is read of a block that is not full has been there before.
        last = self._last
        first = len(self._ends) - 1
        if block >= first + len(self._full):
            return last[place]
        if block < first:
            full = self._first[self._ends[block] : self._ends[block + 1]].tobytes()
        else:
            full = self._full[block - first]
        return full if self._together == 1 else zlib.decompress(full).split(b"\n")[place]


def unpack(packed: bytes) -> SummaryRow:
    """The columns of a summary again."""
    values: dict[str, Any] = dict(zip(SUMMARY_COLUMNS, orjson.loads(packed), strict=True))
    for name in INSTANTS:
        if values[name] is not None:
            values[name] = datetime.fromtimestamp(values[name], UTC)
    return cast(SummaryRow, values)


def next_change(row: SummaryRow, now: int) -> int:
    """When, after `now`, the clock may change what is shown of the row; seconds since 1970."""
    if row["live_until"] is not None and row["live_until"].timestamp() <= now:
        return NEVER
    moments = [NEVER]
    if row["next_listing_at"] is not None:
        moments.append(int(row["next_listing_at"].timestamp()))
        moments += [item["shown_from"] for item in row["next_listings"] or ()]
    for end in (row["ends_at"], *(item["ends_at"] for item in row["next_listings"] or ())):
        if end is not None:
            at = end if isinstance(end, int) else int(end.timestamp())
            soon = at - int(ENDING_SOON.total_seconds())
            # A listing ends soon from the moment after that.
            moments += [soon, soon + 1]
    for certain in (row["certain_from"], *(item["certain_from"] for item in row["next_listings"] or ())):
        if certain is not None:
            moments.append(certain if isinstance(certain, int) else int(certain.timestamp()))
    if row["live_until"] is not None:
        moments.append(int(row["live_until"].timestamp()))
    return min(moment for moment in moments if moment > now)


# From when until when it is true, in seconds since 1970, and the JSON.
_Ready = tuple[int, int, bytes]


class ReadyRows:
    """The latest summaries made, as JSON by row and plan, kept until the clock changes something about them.

    They take no more than `most` bytes.
    """

    def __init__(self, links: Links, most: int = _MOST_BYTES) -> None:
        self._links = links
        self._kept: FIFOCache[tuple[int, str], _Ready] = FIFOCache(most, lambda kept: len(kept[2]) + _ENTRY)

    def json(self, row: int, packed: PackedRows, at: Asking, now: int) -> orjson.Fragment:
        """The summary of a row at `now`, which is its time in seconds since 1970."""
        key = (row, at.viewer.plan)
        kept = self._kept.get(key)
        if kept is None or not kept[0] <= now < kept[1]:
            kept = self._make(packed[row], at, now)
            self._kept[key] = kept
        return orjson.Fragment(kept[2])

    def _make(self, packed: bytes, at: Asking, now: int) -> _Ready:
        stored = unpack(packed)
        shown = lasting(orjson.dumps(summary(stored, at.viewer, at.now, self._links)))
        return now, next_change(stored, now), shown
