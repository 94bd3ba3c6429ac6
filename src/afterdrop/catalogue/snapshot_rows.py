"""A row of the catalogue as the snapshot keeps it: numbers to filter and sort by, and bytes to show it from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast

import orjson

from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.status import ENDING_SOON, became
from afterdrop.catalogue.store import SUMMARY_COLUMNS

# No value, and no end: behind every number in either direction.
NEVER: Final = 2**62
INSTANTS: Final = (
    *("found_at", "ends_at", "live_until", "next_listing_at", "removed_at"),
    *("available_since", "registered_at", "resolved_at"),
)
_WORDS: Final = ("tld", "type", "topic", "language", "source", "marketplace", "outcome")
# What rows are filtered and sorted by, each as a number. `_pro`: as Pro sees it, where that is not what all see;
# prices and bids of live rows are alike for all, of others `_pro` and `_free`.
COLUMNS: Final = (
    *("score", "dr", "tf", "tf_pro", "cf", "cf_pro", "refs", "years", "first_year", "found"),
    *("ends", "until", "next", "price", "price_pro", "price_free", "bids", "bids_pro", "bids_free"),
    *("tld", "type", "topic", "language", "source", "marketplace", "outcome", "outcome_pro"),
    *("clean", "free", "free_pro", "opened", "open"),
)
COLUMN: Final[Mapping[str, int]] = {name: place for place, name in enumerate(COLUMNS)}


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row as it was read: `SUMMARY_COLUMNS` in order (times as seconds since 1970), and what only lists use."""

    summary: Mapping[str, Any]
    search: str
    flag_count: int


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
        return self._known[column.removesuffix("_pro")]

    def ranks(self, column: str) -> list[int]:
        """The place of each of a column's words in their order, by number."""
        words = self.known(column)
        places = {word: place for place, word in enumerate(sorted(word or "" for word in list(words)))}
        return [places[word or ""] for word in list(words)[: len(places)]]


def numbers(row: StoredRow, codes: Codes, fees: Mapping[str, int]) -> tuple[int, ...]:
    """The row's values in the order of `COLUMNS`."""
    have = cast(SummaryRow, row.summary)
    price, fee, bids = _or_never(have["price_usd"]), _or_never(fees.get(have["tld"])), have["bids"]
    free_pro, opened, open_ = (
        bool(have["announced"]),
        have["last_open_on"] is not None,
        bool(have["open_now"]),
    )
    free = free_pro and opened
    tf, cf = _or_never(have["trust_flow"]), _or_never(have["citation_flow"])
    return (
        have["score"],
        _or_never(have["domain_rating"]),
        *(tf if open_ else NEVER, tf, cf if open_ else NEVER, cf),
        *(
            _or_never(row.summary[name])
            for name in (
                *("referring_domains", "archive_years", "archive_first_year", "found_at"),
                *("ends_at", "live_until", "next_listing_at"),
            )
        ),
        *(price, fee if free_pro else price, fee if free else price),
        *(bids, 0 if free_pro else bids, 0 if free else bids),
        *(codes.number(name, row.summary[name]) for name in _WORDS[:5]),
        codes.number("marketplace", have["source_title"] or have["source"]),
        codes.number("outcome", became(have) if opened else None),
        codes.number("outcome", became(have)),
        have["verdict"] == "ok" and row.flag_count == 0,
        *(free, free_pro, opened, open_),
    )


def _or_never(value: int | None) -> int:
    return NEVER if value is None else value


def pack(row: StoredRow) -> bytes:
    """The columns of a summary as bytes."""
    return lasting(orjson.dumps(list(row.summary.values())))


def lasting(made: bytes) -> bytes:
    """JSON that is to be kept: orjson leaves its bytes in a buffer that may be ten times their size."""
    return bytes(bytearray(made))


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
    if row["live_until"] is not None:
        moments.append(int(row["live_until"].timestamp()))
    return min(moment for moment in moments if moment > now)
