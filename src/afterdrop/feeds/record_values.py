"""Getting one value of a listing from a record: its column, then converters and translation.

Pure. A record is a list (CSV, by position) or a dict (JSON, XML). A Getter returns None when the record has no value,
and raises one of WRONG when the value is not what the feed file says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from afterdrop.feeds.converters import MONEY, agreed_currency, chain, printed_currency
from afterdrop.feeds.spec import FieldSource
from afterdrop.metrics.model import Role, Value
from afterdrop.metrics.values import read_value

Getter = Callable[[Any], Any]
# What a converter may raise on a value it does not expect.
WRONG = (ValueError, OverflowError, TypeError, AttributeError, ArithmeticError)
MAX_PRICE = Decimal(10) ** 12
MAX_COUNT = 2**31
# How many results of one column are cached, and the longest text that is.
CACHED, SHORT = 5000, 40
# The text around an amount, without these characters, is the same in most rows.
DIGITS = "0123456789.,- "


def metric_value(
    role: Role, source: FieldSource, columns: Mapping[str, int] | None, zone: ZoneInfo
) -> Getter:
    """The getter of a link metric: a clean value of its role."""
    convert = _conversion(source, zone)

    def read(raw: Any) -> Value | None:
        value, wrong = read_value(role, convert(raw))
        if wrong:
            raise ValueError(wrong)
        return value

    return _cached(source, columns, read)


def field_value(source: FieldSource, columns: Mapping[str, int] | None, zone: ZoneInfo) -> Getter:
    """The getter of a value: its column, then converters and translation.

    It raises one of WRONG when the value is not what the feed file says.
    """
    if not source.from_:
        constant = source.const
        return lambda _record: constant
    if source.convert or source.map:
        return _cached(source, columns, _conversion(source, zone))
    return _raw(source, columns)


def amount_value(source: FieldSource, columns: Mapping[str, int] | None, zone: ZoneInfo) -> Getter:
    """The getter of a price: a Decimal from 0 to MAX_PRICE."""

    def amount(found: Any) -> Decimal:
        price = found if isinstance(found, Decimal) else Decimal(str(found))
        if not 0 <= price <= MAX_PRICE:
            raise ValueError("is not a price")
        return price

    return _checked(source, columns, zone, amount)


def count_value(source: FieldSource, columns: Mapping[str, int] | None, zone: ZoneInfo) -> Getter:
    """The getter of a number of bids: an integer below 2^31."""

    def count(found: Any) -> int:
        if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < MAX_COUNT:
            raise ValueError("is not a number of bids")
        return found

    return _checked(source, columns, zone, count)


def code_value(
    source: FieldSource, columns: Mapping[str, int] | None, zone: ZoneInfo, price: FieldSource | None
) -> Getter:
    """The getter of a price's currency in capitals: the one printed in its text, else the one that `source` gives."""
    told = _checked(source, columns, zone, lambda found: str(found).strip().upper())
    steps = price.convert if price is not None and price.from_ else ()
    place = next((place for place, step in enumerate(steps) if step in MONEY), None)
    if price is None or place is None:
        return told
    # A dash prints no currency. Without that step, most feeds have no step before the conversion.
    before = tuple(step for step in steps[:place] if step != "dash_is_null")
    get = _raw(price, columns)
    convert = _conversion(price.model_copy(update={"convert": before, "map": {}}), zone)

    def currency(record: Any) -> str:
        text = get(record)
        if before and text is not None:
            text = convert(text)
        mark = text.strip(DIGITS) if type(text) is str else ""
        code: str = told(record) or ""
        return agreed_currency(printed_currency(mark), code) if mark else code

    return currency


def _checked(
    source: FieldSource, columns: Mapping[str, int] | None, zone: ZoneInfo, check: Callable[[Any], Any]
) -> Getter:
    if not source.from_:
        constant = check(source.const)
        return lambda _record: constant
    convert = _conversion(source, zone)

    def checked(raw: Any) -> Any:
        value = convert(raw)
        return None if value is None else check(value)

    return _cached(source, columns, checked)


def _conversion(source: FieldSource, zone: ZoneInfo) -> Callable[[Any], Any]:
    steps, translation = chain(source.convert), source.map

    def convert(value: Any) -> Any:
        for step in steps:
            value = step(value, zone)
            if value is None or value == "":
                return None
        if not translation:
            return value
        if (word := str(value).strip()) in translation:
            return translation[word]
        raise ValueError("is not a value the feed file translates")

    return convert


def _cached(source: FieldSource, columns: Mapping[str, int] | None, convert: Callable[[Any], Any]) -> Getter:
    """The getter of a column with `convert`. Results for short texts and whole numbers are cached: columns repeat."""
    get = _raw(source, columns)
    known: dict[str | int, Any] = {}

    def convert_new(raw: Any) -> Any:
        value = raw.strip() if isinstance(raw, str) else raw
        found = None if value is None or value == "" else convert(value)
        if len(known) >= CACHED:
            known.clear()
        # True and 1.0 would be found under 1.
        if type(raw) is int or (type(raw) is str and len(raw) <= SHORT):
            known[raw] = found
        return found

    if columns is not None and len(source.from_) == 1 and (place := _places(source, columns)):
        (index,) = place

        def by_index(record: list[str]) -> Any:
            raw = record[index]
            return known[raw] if raw in known else convert_new(raw)

        return by_index

    def value_of(record: Any) -> Any:
        raw = get(record)
        if raw is None:
            return None
        if (type(raw) is str or type(raw) is int) and raw in known:
            return known[raw]
        return convert_new(raw)

    return value_of


def _raw(source: FieldSource, columns: Mapping[str, int] | None) -> Getter:
    getters = _getters(source, columns)
    return getters[0] if len(getters) == 1 else _first_filled(getters)


def _places(source: FieldSource, columns: Mapping[str, int]) -> list[int]:
    names = [name.strip().lower() for name in source.from_]
    return [columns[name] for name in names if name in columns]


def _getters(source: FieldSource, columns: Mapping[str, int] | None) -> list[Getter]:
    if columns is None:
        return [by_path(name) if "." in name else _by_key(name) for name in source.from_]
    return [_by_index(place) for place in _places(source, columns)]


def _first_filled(getters: Sequence[Getter]) -> Getter:
    def get(record: Any) -> Any:
        for getter in getters:
            value = getter(record)
            if value is not None:
                return value
        return None

    return get


def _by_index(index: int) -> Getter:
    def get(record: list[str]) -> str | None:
        return record[index].strip() or None

    return get


def _by_key(name: str) -> Getter:
    def get(record: dict[str, Any]) -> Any:
        value = record.get(name)
        if type(value) is str:
            return value.strip() or None
        return None if type(value) is dict else value

    return get


def by_path(name: str) -> Getter:
    parts = name.split(".")

    def get(record: dict[str, Any]) -> Any:
        value: Any = record.get(name, record)
        if value is record:
            for part in parts:
                value = value.get(part) if isinstance(value, dict) else None
        return _scalar(value)

    return get


def _scalar(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip() or None
    return None if isinstance(value, dict) else value
