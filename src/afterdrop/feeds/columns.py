"""Checking that a feed file has the columns that its description names.

Pure. A missing column must not be read as a column of empty cells: a renamed price or end would leave every offer of
the feed without a price or an end. A file that lacks a column that an offer needs is refused before its first row.
Other missing columns are noted on every row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from afterdrop.core.errors import FeedError
from afterdrop.feeds.spec import FeedSpec, FieldSource

# What an offer needs, and its name for people. An offer does not need the number of bids or link metrics.
OFFER = {
    "domain": "domain",
    "type": "type",
    "external_id": "id",
    "url": "address",
    "price": "price",
    "currency": "currency",
    "ends_at": "end",
}
ALWAYS = ("domain", "type")


def check_header(spec: FeedSpec, header: Iterable[str], needed: Iterable[str] = tuple(OFFER)) -> None:
    """FeedError when a header (names as printed) lacks a column for one of the `needed` values that the feed maps."""
    columns = {name.lower(): name for name in header}
    lacking = {
        name: wanted for name, wanted in _wanted(spec, needed).items() if not _in_header(wanted, columns)
    }
    if lacking:
        raise _lacks(spec, lacking, columns.values())


def check_records(spec: FeedSpec, records: Iterable[Any]) -> None:
    """FeedError when none of the records (dicts; others are skipped) has a member that the feed maps.

    Reads only until each member was seen once. An empty file lacks nothing.
    """
    lacking = _wanted(spec, OFFER)
    members: dict[str, None] = {}
    for record in records:
        if not isinstance(record, dict):
            continue
        lacking = {
            name: wanted for name, wanted in lacking.items() if not any(_has(record, path) for path in wanted)
        }
        if not lacking:
            return
        if len(members) < 100:
            members.update((name, None) for name in record)
    if members:
        raise _lacks(spec, lacking, members)


def left_out(spec: FeedSpec, columns: Collection[str]) -> tuple[str, ...]:
    """A note `no_NAME` for the bids and each link metric whose column the header (names in lower case) lacks."""
    mapped: list[tuple[str, FieldSource | None]] = [("bids", spec.fields.bids), *spec.metrics.items()]
    return tuple(
        f"no_{name}"
        for name, source in mapped
        if source is not None and _needs(source) and not _in_header(source.from_, columns)
    )


def _wanted(spec: FeedSpec, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    mapped: dict[str, FieldSource | None] = {name: getattr(spec.fields, name) for name in names}
    return {name: source.from_ for name, source in mapped.items() if source is not None and _needs(source)}


def _needs(source: FieldSource) -> bool:
    return bool(source.from_) and not source.optional


def _in_header(wanted: Iterable[str], columns: Collection[str]) -> bool:
    return any(name.strip().lower() in columns for name in wanted)


def _has(record: dict[str, Any], path: str) -> bool:
    if path in record:
        return True
    inner: Any = record
    for part in path.split("."):
        if not isinstance(inner, dict) or part not in inner:
            return False
        inner = inner[part]
    return True


def _lacks(spec: FeedSpec, lacking: dict[str, tuple[str, ...]], there: Iterable[str]) -> FeedError:
    told = " and ".join(
        f"no column {' or '.join(wanted)} for the {OFFER[name]}" for name, wanted in lacking.items()
    )
    return FeedError(
        spec.name,
        f"has {told}; it has {', '.join(map(str, there))[:300]}. "
        "Name the new column in the feed file, or set optional = true if it may be missing",
    )
