"""The rows that lists show: the columns of summaries as compressed JSON, and the latest summaries made."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final, cast

import numpy as np
import orjson
from cachetools import FIFOCache

from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.columns import Row
from afterdrop.catalogue.lists.table import Arrays
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.status import ENDING_SOON
from afterdrop.catalogue.store import SUMMARY_COLUMNS
from afterdrop.catalogue.summary import Links, summary

INSTANTS: Final = (
    "found_at", "ends_at", "certain_from", "live_until", "next_listing_at", "removed_at",
    "available_since", "registered_at", "resolved_at",
)  # fmt: skip
_NEVER: Final = 2**62
# So many rows are compressed together: they take a fourth of the bytes.
_TOGETHER: Final = 8
# Bytes of ready rows, and what an entry takes beside its body.
_MOST_BYTES: Final = 32 * 1024 * 1024
_ENTRY: Final = 200


def lasting(made: bytes) -> bytes:
    """JSON that is to be kept: orjson leaves its bytes in a buffer that may be ten times their size."""
    return bytes(bytearray(made))


class CompressedRows:
    """The columns of summaries as JSON, some rows compressed together. Rows are only ever added."""

    def __init__(self) -> None:
        self._full: list[bytes] = []
        self._last: list[bytes] = []

    def arrays(self) -> Arrays:
        """The arrays that `restored` needs."""
        return {
            "rows": np.frombuffer(b"".join(self._full), dtype=np.uint8),
            "row_sizes": np.array([len(each) for each in self._full], dtype=np.int64),
            "last_rows": np.frombuffer(b"\n".join(self._last), dtype=np.uint8),
        }

    @classmethod
    def restored(cls, arrays: Arrays) -> CompressedRows:
        """The rows again of `arrays`."""
        made, rows = cls(), arrays["rows"].data
        ends = np.cumsum(arrays["row_sizes"]).tolist()
        made._full = [bytes(rows[start:end]) for start, end in pairwise([0, *ends])]
        made._last = arrays["last_rows"].tobytes().splitlines()
        return made

    def add(self, rows: Iterable[bytes]) -> None:
        """Add rows that `to_bytes` made."""
        for row in rows:
            self._last.append(row)
            if len(self._last) == _TOGETHER:
                self._full.append(zlib.compress(b"\n".join(self._last), 1))
                self._last = []

    def __getitem__(self, row: int) -> SummaryRow:
        block, place = divmod(row, _TOGETHER)
        # A thread may add rows meanwhile: what is read of those that are not compressed has been there before.
        last = self._last
        rows = zlib.decompress(self._full[block]).split(b"\n") if block < len(self._full) else last
        values: dict[str, Any] = dict(zip(SUMMARY_COLUMNS, orjson.loads(rows[place]), strict=True))
        for name in INSTANTS:
            if values[name] is not None:
                values[name] = datetime.fromtimestamp(values[name], UTC)
        return cast(SummaryRow, values)


def to_bytes(row: Row) -> bytes:
    """The columns of a row's summary."""
    return orjson.dumps([row[name] for name in SUMMARY_COLUMNS])


def next_change(row: SummaryRow, now: int) -> int:
    """When, after `now`, the clock may change what is shown of the row; seconds since 1970."""
    if row["live_until"] is not None and row["live_until"].timestamp() <= now:
        return _NEVER
    moments = [_NEVER]
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

    def json(self, row: int, rows: CompressedRows, at: ListContext, now: int) -> orjson.Fragment:
        """The summary of a row at `now`, which is its time in seconds since 1970."""
        key = (row, at.viewer.plan)
        kept = self._kept.get(key)
        if kept is None or not kept[0] <= now < kept[1]:
            kept = self._make(rows[row], at, now)
            self._kept[key] = kept
        return orjson.Fragment(kept[2])

    def _make(self, stored: SummaryRow, at: ListContext, now: int) -> _Ready:
        shown = lasting(orjson.dumps(summary(stored, at.viewer, at.now, self._links)))
        return now, next_change(stored, now), shown
