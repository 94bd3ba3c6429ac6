"""From one record of a feed file to one listing, by the feed's field map.

Pure. A record is a list (CSV, by position) or a dict (JSON, XML). What spoils a row as a whole makes it a BadRow with
a short counted reason; what spoils one optional value makes that value unknown and leaves a note.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from afterdrop.errors import BadName
from afterdrop.feeds.convert import Converter, chain
from afterdrop.feeds.dropday import drop_end
from afterdrop.feeds.spec import FeedSpec, Source
from afterdrop.link_metrics import Role, Value
from afterdrop.metric_values import read_value
from afterdrop.names import host_name, registrable_domain, tld

Getter = Callable[[Any], Any]

MAX_PRICE = Decimal(10) ** 12
SAMPLE = 200


class Row(NamedTuple):
    """One listing as the feed gives it. `domain` is registrable; `key` is unique within the feed's source.

    `notes` are short words for values that could not be used (price, url, metric names) and `reduced` where
    the feed named a host below the domain.
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


class BadRow(NamedTuple):
    """A row that cannot be used: why (a short word), where, and how it began."""

    reason: str
    line: int
    sample: str


class _Spoiled(Exception):
    """The row as a whole cannot be used."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Mapped:
    """One mapped value: how to get it from a record, then its converters and its translation."""

    __slots__ = ("_convert", "_getters", "_zone", "const", "source")

    def __init__(self, source: Source, getters: Sequence[Getter], zone: ZoneInfo) -> None:
        self.source = source
        self.const = source.const
        self._getters = tuple(getters)
        self._convert: tuple[Converter, ...] = chain(source.convert)
        self._zone = zone

    def of(self, record: Any) -> Any:
        """The value, None when the record has none. ValueError when it is not what the feed file says."""
        value = self.const
        for getter in self._getters:
            value = getter(record)
            if value is not None and value != "":
                break
        for convert in self._convert:
            if value is None or value == "":
                return None
            value = convert(value, self._zone)
        if self.source.map and value is not None:
            value = self.source.map.get(str(value).strip())
            if value is None:
                raise ValueError("is not a value the feed file translates")
        return None if value == "" else value


def getters(source: Source, columns: Mapping[str, int] | None) -> list[Getter]:
    """How to read a source's columns: by position where `columns` (lower case name → index) is given."""
    if columns is None:
        return [_by_path(name) for name in source.from_]
    return [
        _by_index(columns[name.strip().lower()]) for name in source.from_ if name.strip().lower() in columns
    ]


def _by_index(index: int) -> Getter:
    def get(record: list[str]) -> str:
        return record[index].strip()

    return get


def _by_path(name: str) -> Getter:
    parts = name.split(".")

    def get(record: dict[str, Any]) -> Any:
        value = record.get(name)
        if value is None and len(parts) > 1:
            value = record
            for part in parts:
                value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, str):
            return value.strip()
        return None if isinstance(value, (dict, list)) else value

    return get


class Mapper:
    """Turns records into rows. `columns` is the header of a CSV (lower case name → index), else None."""

    def __init__(self, spec: FeedSpec, columns: Mapping[str, int] | None, zones: tuple[str, ...]) -> None:
        zone = ZoneInfo(spec.zone)
        self._zones = zones
        self._fields = {
            name: Mapped(source, getters(source, columns), zone)
            for name in type(spec.fields).model_fields
            if (source := getattr(spec.fields, name)) is not None
        }
        self._metrics = [(role, Mapped(s, getters(s, columns), zone)) for role, s in spec.metrics.items()]

    def row(self, line: int, record: Any) -> Row | BadRow:
        """One record as a Row, or a BadRow."""
        try:
            return self._row(line, record)
        except _Spoiled as spoiled:
            return BadRow(spoiled.reason, line, sample(record))

    def _row(self, line: int, record: Any) -> Row:
        notes: list[str] = []
        domain = self._domain(record, notes)
        kind = self._needed("type", record)
        if kind is None:
            raise _Spoiled("type")
        ends = _end(self._needed("ends_at", record), domain)
        url = _web_address(self._soft("url", record, notes), domain, self._fields.get("url"), notes)
        external = self._needed("external_id", record)
        key = str(external) if external is not None else (url or domain)
        if len(key) > 500:
            raise _Spoiled("external_id")
        price = self._soft("price", record, notes)
        if price is not None and not (isinstance(price, (Decimal, int, float)) and 0 <= price <= MAX_PRICE):
            notes.append("price")
            price = None
        currency = self._soft("currency", record, notes)
        bids = self._soft("bids", record, notes)
        if bids is None or not 0 <= bids < 2**31:
            bids = 0
        return Row(
            line=line,
            domain=domain,
            key=key,
            url=url,
            type=kind,
            price=None if price is None or kind == "pending_delete" else Decimal(price),
            currency="" if currency is None else str(currency).strip().upper(),
            bids=bids,
            ends_at=ends,
            metrics=self._known_metrics(record, notes),
            notes=tuple(notes),
        )

    def _domain(self, record: Any, notes: list[str]) -> str:
        raw = self._needed("domain", record)
        if raw is None:
            raise _Spoiled("domain_empty")
        text = str(raw)
        try:
            domain = registrable_domain(text, self._zones)
            if len(domain) != len(text) and host_name(text) != domain:
                notes.append("reduced")
        except BadName as bad:
            raise _Spoiled(f"domain_{bad.reason}") from None
        return domain

    def _needed(self, name: str, record: Any) -> Any:
        """A field that may be missing but not wrong; wrong, or missing though required, spoils the row."""
        value = self._fields.get(name)
        if value is None:
            return None
        try:
            found = value.of(record)
        except (ValueError, OverflowError, TypeError, AttributeError, IndexError):
            raise _Spoiled(name) from None
        if found is None and value.source.required:
            raise _Spoiled(name)
        return found

    def _soft(self, name: str, record: Any, notes: list[str]) -> Any:
        """A field whose wrong value is no more than unknown."""
        value = self._fields.get(name)
        return None if value is None else _noted(value, name, record, notes)

    def _known_metrics(self, record: Any, notes: list[str]) -> dict[Role, Value]:
        known: dict[Role, Value] = {}
        for role, mapped in self._metrics:
            found = _noted(mapped, role, record, notes)
            if found is None:
                continue
            value, wrong = read_value(role, found)
            if value is not None:
                known[role] = value
            elif wrong:
                notes.append(role)
        return known


def _noted(value: Mapped, name: str, record: Any, notes: list[str]) -> Any:
    try:
        found = value.of(record)
    except (ValueError, OverflowError, TypeError, AttributeError, IndexError):
        found = None
        notes.append(name)
    if found is None and value.source.required:
        raise _Spoiled(name)
    return found


def _end(value: Any, domain: str) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return drop_end(value, tld(domain))
    raise _Spoiled("ends_at")


def _web_address(found: Any, domain: str, value: Mapped | None, notes: list[str]) -> str | None:
    if value is not None and value.source.template is not None:
        return value.source.template.replace("{domain}", domain)
    if found is None:
        return None
    text = str(found)
    if (
        len(text) > 2000
        or not text.lower().startswith(("https://", "http://"))
        or not text.isprintable()
        or any(mark in text for mark in ' "<>\\')
    ):
        notes.append("url")
        return None
    return text


def sample(record: Any) -> str:
    """How a record began, for a person to look at: at most 200 printable characters."""
    text = record if isinstance(record, str) else repr(record)
    return "".join(mark if mark.isprintable() else "·" for mark in text[:SAMPLE])
