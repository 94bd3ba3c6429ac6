"""From the values of one record of a feed file to one listing, and whether the file has the columns that are mapped.

Pure. A row that is unusable as a whole becomes a BadRow with a short reason, which is counted. An optional value that
is wrong becomes unknown and leaves a note.

A missing column must not be read as a column of empty cells: a renamed price or end would leave every offer of the
feed without a price or an end. A file that lacks a column that an offer needs is refused before its first row. Other
missing columns are noted on every row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import NamedTuple, cast
from zoneinfo import ZoneInfo

from afterdrop.core.domain_names import registrable_domain, unlisted_zone, web_host
from afterdrop.core.errors import BadName, FeedError
from afterdrop.core.json_values import Json, JsonObject
from afterdrop.feeds.record_values import (
    ColumnValue,
    Reading,
    amount_value,
    code_value,
    count_value,
    field_value,
    identifier_value,
    metric_value,
    read_once,
)
from afterdrop.feeds.spec import RUNNING, FeedSpec, FieldSource
from afterdrop.sources.metrics.model import Role, Value
from afterdrop.sources.registry.release_hours import drop_end

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


def check_records(spec: FeedSpec, records: Iterable[JsonObject]) -> None:
    """FeedError when none of the records has a member that the feed maps.

    Reads only until each member was seen once. An empty file lacks nothing.
    """
    lacking = _wanted(spec, OFFER)
    members: dict[str, None] = {}
    for record in filter(None, records):
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


def _has(record: JsonObject, path: str) -> bool:
    if path in record:
        return True
    inner: Json = record
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


Reader = Callable[[FieldSource, ZoneInfo], Reading]

# Why a row below a private suffix is left out that the operator has not listed among the sale zones.
UNLISTED_ZONE = "unlisted_zone"
# Why a row of a registry's list is unusable whose name is of another registry: it is cut off, or no name at all.
OTHER_EXTENSION = "other_extension"
MAX_KEY = 500
SAMPLE = 200
# In the order in which a row is put together. A wrong value of an ESSENTIAL field makes the row unusable.
FIELDS = ("domain", "type", "external_id", "url", "price", "currency", "bids", "ends_at")
ESSENTIAL = frozenset({"domain", "type", "external_id", "ends_at"})
# Only the web's schemes, and nothing that could break out of an attribute or a line.
_ADDRESS = re.compile(r"""https?://[^\s"'<>\\^`{|}]{1,1990}""", re.IGNORECASE)


class LeftOut(NamedTuple):
    """A value that could not be used: its name, why, and how its record begins."""

    name: str
    reason: str
    sample: str


class Row(NamedTuple):
    """One listing as the feed gives it. `domain` is registrable; `key` is unique within the feed's source.

    `notes` are short words: the name of each value that could not be used (price, url, a metric), `no_…` for a value
    whose column the file lacks, and `reduced` where the feed named a host below the domain.
    """

    line: int
    domain: str
    key: str
    url: str | None
    type: str
    price: Decimal | None
    currency: str
    bids: int
    ends_at: datetime | None
    metrics: dict[Role, Value]
    notes: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()


class BadRow(NamedTuple):
    """A row that cannot be used: why (a short word), where, and how it began."""

    reason: str
    line: int
    sample: str


class UnusableRow(Exception):
    """The row as a whole cannot be used."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def key_with_name(key: str, domain: str) -> str:
    """The key of a listing whose own `key` another name has already, at most MAX_KEY characters."""
    return f"{key[: MAX_KEY - len(domain) - 1]} {domain}"


def mapped_values(spec: FeedSpec) -> list[tuple[FieldSource | None, Reader]]:
    """Where each of FIELDS and then each metric comes from, None for nowhere, and what makes its reading."""
    readers: tuple[Reader, ...] = (
        field_value, field_value, identifier_value, field_value, amount_value, code_value, count_value, field_value,
    )  # fmt: skip
    fields = [(getattr(spec.fields, name), reader) for name, reader in zip(FIELDS, readers, strict=True)]
    return [*fields, *((source, partial(metric_value, role)) for role, source in spec.metrics.items())]


class Mapper:
    """Makes rows of values. `columns` is the header of a CSV (lower case name → index), else None."""

    def __init__(self, spec: FeedSpec, columns: Mapping[str, int] | None, zones: tuple[str, ...]) -> None:
        ends = spec.fields.ends_at
        self._sale_zones = zones
        own = spec.extensions if spec.registry else ()
        self.own_endings = tuple(f".{extension}" for extension in own)
        self.needs_end = ends is not None and not ends.optional
        self.endless: frozenset[ColumnValue] = frozenset(spec.endless)
        self.missing = () if columns is None else left_out(spec, columns)
        self.template = spec.fields.url.template if spec.fields.url else None
        self.roles = tuple(spec.metrics)
        self.names = (*FIELDS, *self.roles)
        self.required = [
            number
            for number, (source, _) in enumerate(mapped_values(spec))
            if source is not None and (source.required or number == FIELDS.index("type"))
        ]

    def finish(self, line: int, values: Sequence[ColumnValue], notes: list[str]) -> Row:
        """The row of the values of all fields and metrics; `UnusableRow` says why there is none."""
        raw, kind, external, address, price, currency, bids, ends, *metrics = values
        domain = self._domain(raw, notes)
        for number in self.required:
            if values[number] is None:
                raise UnusableRow(self.names[number])
        if ends is None and self.needs_end and kind in RUNNING:
            raise UnusableRow("ends_at")
        url = self._address(address, domain, notes)
        key = str(external) if external is not None else (url or domain)
        if len(key) > MAX_KEY:
            raise UnusableRow("external_id")
        figures = {role: value for role, value in zip(self.roles, metrics, strict=True) if value is not None}
        return Row(
            line=line,
            domain=domain,
            key=key,
            url=url,
            type=str(kind),
            price=price if isinstance(price, Decimal) and kind != "pending_delete" else None,
            currency=currency if isinstance(currency, str) else "",
            bids=bids if isinstance(bids, int) else 0,
            ends_at=_end(ends, domain) if ends is not None else None,
            metrics=cast("dict[Role, Value]", figures),  # as `metric_value` reads them
            notes=tuple(notes),
        )

    def _domain(self, raw: ColumnValue, notes: list[str]) -> str:
        if raw is None:
            raise UnusableRow("domain_empty")
        try:
            text = read_once(str(raw))
        except ValueError:
            raise UnusableRow("domain_encoding") from None
        try:
            domain = registrable_domain(text, self._sale_zones)
            if len(domain) != len(text) and (host := web_host(text, self._sale_zones)) != domain:
                if unlisted_zone(host, self._sale_zones):
                    raise UnusableRow(UNLISTED_ZONE)
                notes.append("reduced")
        except BadName as bad:
            raise UnusableRow(f"domain_{bad.reason}") from None
        if self.own_endings and not domain.endswith(self.own_endings):
            raise UnusableRow(OTHER_EXTENSION)
        return domain

    def _address(self, found: ColumnValue, domain: str, notes: list[str]) -> str | None:
        if self.template is not None:
            return self.template.replace("{domain}", domain)
        if found is None:
            return None
        text = str(found)
        if _ADDRESS.fullmatch(text) and text.isprintable():
            return text
        notes.append("url")
        return None


def _end(value: ColumnValue, domain: str) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return drop_end(value, domain)
    raise UnusableRow("ends_at")


def sample(record: str | Sequence[str] | JsonObject) -> str:
    """The beginning of a record for a person to look at: at most 200 printable characters."""
    text = record if isinstance(record, str) else repr(record)
    return "".join(mark if mark.isprintable() else "·" for mark in text[:SAMPLE])
