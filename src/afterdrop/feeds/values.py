"""How to get one value of a listing out of a record: its column, then converters and translation.

Pure. A record is a list (CSV, by position) or a dict (JSON, XML). A Getter gives None when the record has no value and
raises one of WRONG when it has one that is not what the feed file says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from afterdrop.feeds.convert import chain
from afterdrop.feeds.spec import Source
from afterdrop.link_metrics import Role, Value
from afterdrop.metric_values import read_value

Getter = Callable[[Any], Any]
# What a converter may raise on a value it does not expect.
WRONG = (ValueError, OverflowError, TypeError, AttributeError)
# How many results of one column are remembered, and up to which length of text.
REMEMBERED, SHORT = 5000, 40


def metric_value(role: Role, source: Source, columns: Mapping[str, int] | None, zone: ZoneInfo) -> Getter:
    """How to get a link metric from a record, as a clean value of its role."""
    convert = _conversion(source, zone)

    def read(raw: Any) -> Value | None:
        value, wrong = read_value(role, convert(raw))
        if wrong:
            raise ValueError(wrong)
        return value

    getters = _getters(source, columns)
    return _remembering(getters[0] if len(getters) == 1 else _first_filled(getters), read)


def field_value(source: Source, columns: Mapping[str, int] | None, zone: ZoneInfo) -> Getter:
    """How to get a value from a record: its column, converters, translation; None = the record has none.

    What it returns raises ValueError (or a near relative) when the value is not what the feed file says.
    """
    if not source.from_:
        constant = source.const
        return lambda _record: constant
    getters = _getters(source, columns)
    get = getters[0] if len(getters) == 1 else _first_filled(getters)
    if not source.convert and not source.map:
        return get
    return _remembering(get, _conversion(source, zone))


def _conversion(source: Source, zone: ZoneInfo) -> Callable[[Any], Any]:
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


def _remembering(get: Getter, convert: Callable[[Any], Any]) -> Getter:
    """`convert` after `get`; what it made of short texts and whole numbers is remembered, for columns repeat."""
    known: dict[str | int, Any] = {}

    def value_of(record: Any) -> Any:
        raw = get(record)
        if raw is None:
            return None
        kind = type(raw)
        if kind is not int and (kind is not str or len(raw) > SHORT):
            return convert(raw)
        try:
            return known[raw]
        except KeyError:
            if len(known) >= REMEMBERED:
                known.clear()
            found = known[raw] = convert(raw)
            return found

    return value_of


def _getters(source: Source, columns: Mapping[str, int] | None) -> list[Getter]:
    if columns is None:
        return [_by_path(name) if "." in name else _by_key(name) for name in source.from_]
    names = [name.strip().lower() for name in source.from_]
    return [_by_index(columns[name]) for name in names if name in columns]


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
        return _scalar(record.get(name))

    return get


def _by_path(name: str) -> Getter:
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
