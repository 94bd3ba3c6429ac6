"""From one record of a feed file to one listing, by the feed's field map.

Pure. A record is a list (CSV, by position) or a dict (JSON, XML). A row that is unusable as a whole becomes a BadRow
with a short reason, which is counted. An optional value that is wrong becomes unknown and leaves a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from afterdrop.core.domain_names import host_name, registrable_domain, unlisted_zone
from afterdrop.core.errors import BadName
from afterdrop.feeds.columns import left_out
from afterdrop.feeds.record_values import (
    WRONG,
    Getter,
    amount_value,
    code_value,
    count_value,
    field_value,
    metric_value,
)
from afterdrop.feeds.spec import FeedSpec, FieldSource
from afterdrop.metrics.model import Role, Value
from afterdrop.registry.release_hours import drop_end

Reader = Callable[[FieldSource, Mapping[str, int] | None, ZoneInfo], Getter]

# Why a row below a private suffix is left out that the operator has not listed among the sale zones.
UNLISTED_ZONE = "unlisted_zone"
MAX_KEY = 500
SAMPLE = 200
# In the order in which a row is put together. A wrong value of an ESSENTIAL field makes the row unusable.
FIELDS = ("domain", "type", "external_id", "url", "price", "currency", "bids", "ends_at")
ESSENTIAL = frozenset({"domain", "type", "external_id", "ends_at"})
# A running auction has an end: where the feed names a column for it, a row without an end is a gap, not an offer.
RUNNING = frozenset({"bid", "auction"})
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


def mapped_values(spec: FeedSpec) -> list[tuple[FieldSource | None, Reader]]:
    """Where each of FIELDS and then each metric comes from, None for nowhere, and what makes its getter."""
    currency = partial(code_value, price=spec.fields.price)
    readers: tuple[Reader, ...] = (
        *(field_value,) * 4, amount_value, currency, count_value, field_value,
    )  # fmt: skip
    fields = [(getattr(spec.fields, name), reader) for name, reader in zip(FIELDS, readers, strict=True)]
    return [*fields, *((source, partial(metric_value, role)) for role, source in spec.metrics.items())]


class Mapper:
    """Turns records into rows. `columns` is the header of a CSV (lower case name → index), else None."""

    def __init__(self, spec: FeedSpec, columns: Mapping[str, int] | None, zones: tuple[str, ...]) -> None:
        zone = ZoneInfo(spec.zone)
        ends = spec.fields.ends_at
        self._sale_zones = zones
        self.needs_end = ends is not None and not ends.optional
        self.missing = () if columns is None else left_out(spec, columns)
        self.template = spec.fields.url.template if spec.fields.url else None
        self.roles = tuple(spec.metrics)
        self.names = (*FIELDS, *self.roles)
        mapped = mapped_values(spec)
        self._getters = [
            _nothing if source is None else reader(source, columns, zone) for source, reader in mapped
        ]
        self.required = [
            number
            for number, (source, _) in enumerate(mapped)
            if source is not None and (source.required or number == FIELDS.index("type"))
        ]

    def row(self, line: int, record: Any) -> Row | BadRow:
        """One record as a Row, or a BadRow."""
        notes = list(self.missing)
        left_out: list[LeftOut] = []
        try:
            try:
                values = [get(record) for get in self._getters]
            except WRONG:
                values = self._one_by_one(record, left_out)
                notes += [each.name for each in left_out]
            row = self.finish(line, values, notes)
            return row._replace(left_out=tuple(left_out)) if left_out else row
        except UnusableRow as unusable:
            return BadRow(unusable.reason, line, sample(record))

    def _one_by_one(self, record: Any, left_out: list[LeftOut]) -> list[Any]:
        """The values of a record with at least one wrong value, which makes the row unusable or is merely unknown."""
        values: list[Any] = []
        for name, get in zip(self.names, self._getters, strict=True):
            try:
                values.append(get(record))
            except WRONG as error:
                if name in ESSENTIAL:
                    raise UnusableRow(name) from None
                left_out.append(LeftOut(name, sample(str(error)), sample(record)))
                values.append(None)
        return values

    def finish(self, line: int, values: list[Any], notes: list[str]) -> Row:
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
        return Row(
            line,
            domain,
            key,
            url,
            kind,
            None if kind == "pending_delete" else price,
            currency or "",
            bids or 0,
            _end(ends, domain) if ends is not None else None,
            {role: value for role, value in zip(self.roles, metrics, strict=True) if value is not None},
            tuple(notes),
        )

    def _domain(self, raw: Any, notes: list[str]) -> str:
        if raw is None:
            raise UnusableRow("domain_empty")
        text = str(raw)
        try:
            domain = registrable_domain(text, self._sale_zones)
            if len(domain) != len(text) and (host := host_name(text)) != domain:
                if unlisted_zone(host, self._sale_zones):
                    raise UnusableRow(UNLISTED_ZONE)
                notes.append("reduced")
        except BadName as bad:
            raise UnusableRow(f"domain_{bad.reason}") from None
        return domain

    def _address(self, found: Any, domain: str, notes: list[str]) -> str | None:
        if self.template is not None:
            return self.template.replace("{domain}", domain)
        if found is None:
            return None
        text = str(found)
        if _ADDRESS.fullmatch(text) and text.isprintable():
            return text
        notes.append("url")
        return None


def _nothing(_record: Any) -> None:
    return None


def _end(value: Any, domain: str) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return drop_end(value, domain)
    raise UnusableRow("ends_at")


def sample(record: Any) -> str:
    """The beginning of a record for a person to look at: at most 200 printable characters."""
    text = record if isinstance(record, str) else repr(record)
    return "".join(mark if mark.isprintable() else "·" for mark in text[:SAMPLE])
