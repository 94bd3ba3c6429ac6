"""From one record of a feed file to one listing, by the feed's field map.

Pure. A record is a list (CSV, by position) or a dict (JSON, XML). What spoils a row as a whole makes it a BadRow with
a short counted reason; what spoils one optional value makes that value unknown and leaves a note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from afterdrop.errors import BadName
from afterdrop.feeds.dropday import drop_end
from afterdrop.feeds.spec import FeedSpec
from afterdrop.feeds.values import WRONG, Getter, field_value, metric_value
from afterdrop.link_metrics import Role, Value
from afterdrop.names import host_name, registrable_domain, tld

MAX_PRICE = Decimal(10) ** 12
MAX_BIDS = 2**31
MAX_KEY = 500
SAMPLE = 200
# Only the web's schemes, and nothing that could break out of an attribute or a line.
_ADDRESS = re.compile(r"""https?://[^\s"'<>\\^`{|}]{1,1990}""", re.IGNORECASE)


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


class Mapper:
    """Turns records into rows. `columns` is the header of a CSV (lower case name → index), else None."""

    def __init__(self, spec: FeedSpec, columns: Mapping[str, int] | None, zones: tuple[str, ...]) -> None:
        zone = ZoneInfo(spec.zone)
        self._zones = zones
        self._template = spec.fields.url.template if spec.fields.url else None
        of = {
            name: field_value(source, columns, zone)
            for name in type(spec.fields).model_fields
            if (source := getattr(spec.fields, name)) is not None
        }
        self._required = frozenset(name for name in of if getattr(spec.fields, name).required)
        self._raw_domain, self._type, self._currency = of["domain"], of["type"], of["currency"]
        self._external_id, self._url = of.get("external_id", _nothing), of.get("url", _nothing)
        self._price, self._bids = of.get("price", _nothing), of.get("bids", _nothing)
        self._ends_at = of.get("ends_at", _nothing)
        self._metrics = [(role, metric_value(role, s, columns, zone)) for role, s in spec.metrics.items()]

    def row(self, line: int, record: Any) -> Row | BadRow:
        """One record as a Row, or a BadRow."""
        try:
            return self._row(line, record)
        except _Spoiled as spoiled:
            return BadRow(spoiled.reason, line, sample(record))

    def _row(self, line: int, record: Any) -> Row:
        notes: list[str] = []
        domain = self._domain(record, notes)
        kind = self._needed("type", self._type, record)
        if kind is None:
            raise _Spoiled("type")
        ends = _end(self._needed("ends_at", self._ends_at, record), domain)
        url = self._address(record, domain, notes)
        external = self._needed("external_id", self._external_id, record)
        key = str(external) if external is not None else (url or domain)
        if len(key) > MAX_KEY:
            raise _Spoiled("external_id")
        price = self._amount(record, notes)
        bids = self._soft("bids", self._bids, record, notes)
        return Row(
            line,
            domain,
            key,
            url,
            kind,
            None if kind == "pending_delete" else price,
            str(self._soft("currency", self._currency, record, notes) or "").upper(),
            bids if isinstance(bids, int) and 0 <= bids < MAX_BIDS else 0,
            ends,
            self._known_metrics(record, notes),
            tuple(notes),
        )

    def _domain(self, record: Any, notes: list[str]) -> str:
        raw = self._needed("domain", self._raw_domain, record)
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

    def _needed(self, name: str, value_of: Getter, record: Any) -> Any:
        """A field that may be missing but not wrong; wrong, or missing though required, spoils the row."""
        try:
            found = value_of(record)
        except WRONG:
            raise _Spoiled(name) from None
        if found is None and name in self._required:
            raise _Spoiled(name)
        return found

    def _soft(self, name: str, value_of: Getter, record: Any, notes: list[str]) -> Any:
        """A field whose wrong value is no more than unknown."""
        try:
            found = value_of(record)
        except WRONG:
            found = None
            notes.append(name)
        if found is None and name in self._required:
            raise _Spoiled(name)
        return found

    def _amount(self, record: Any, notes: list[str]) -> Decimal | None:
        found = self._soft("price", self._price, record, notes)
        if found is None:
            return None
        try:
            amount = found if isinstance(found, Decimal) else Decimal(str(found))
            if 0 <= amount <= MAX_PRICE:
                return amount
        except InvalidOperation:
            pass  # noted below, like every other amount that cannot be
        notes.append("price")
        return None

    def _address(self, record: Any, domain: str, notes: list[str]) -> str | None:
        if self._template is not None:
            return self._template.replace("{domain}", domain)
        found = self._soft("url", self._url, record, notes)
        if found is None:
            return None
        text = str(found)
        if _ADDRESS.fullmatch(text) and text.isprintable():
            return text
        notes.append("url")
        return None

    def _known_metrics(self, record: Any, notes: list[str]) -> dict[Role, Value]:
        known: dict[Role, Value] = {}
        for role, metric_of in self._metrics:
            try:
                found = metric_of(record)
            except WRONG:
                notes.append(role)
                continue
            if found is not None:
                known[role] = found
        return known


def _nothing(_record: Any) -> None:
    return None


def _end(value: Any, domain: str) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return drop_end(value, tld(domain))
    raise _Spoiled("ends_at")


def sample(record: Any) -> str:
    """How a record began, for a person to look at: at most 200 printable characters."""
    text = record if isinstance(record, str) else repr(record)
    return "".join(mark if mark.isprintable() else "·" for mark in text[:SAMPLE])
