"""One value of a listing from its cells in the file: the filled cell, then converters and translation.

Pure. A Reading gets the cells of the columns that its value comes from, in the feed file's order. It returns None when
they hold nothing, and raises one of WRONG when the value is not what the feed file says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TypeAlias
from zoneinfo import ZoneInfo

from afterdrop.core.json_values import Json, JsonObject
from afterdrop.feeds.converters import MONEY, FeedValue, agreed_currency, chain, printed_currency
from afterdrop.feeds.spec import FieldSource
from afterdrop.sources.metrics.model import Role
from afterdrop.sources.metrics.values import read_value

Reading = Callable[[Sequence[Json]], FeedValue]


class Wrong:
    """Stands for a value that is not what the feed file says, and has the reason."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


ColumnValue: TypeAlias = "FeedValue | Wrong"
# What a converter may raise on a value it does not expect.
WRONG = (ValueError, OverflowError, TypeError, AttributeError, ArithmeticError)
MAX_PRICE = Decimal(10) ** 12
MAX_COUNT = 2**31
_EXACT = 2**53
# The bytes 128 to 159 that Windows-1252 has letters and signs for.
_WINDOWS = {
    ord(sign): byte for byte in range(0x80, 0xA0) if (sign := bytes([byte]).decode("cp1252", "ignore"))
}
# The first byte of a letter in UTF-8 and one behind it. No name has the latter, except for the dot of Catalan.
_READ_TWICE = re.compile("[\u00c2-\u00f4][\u0080-\u00b6\u00b8-\u00bf]")
# The text around an amount, without these characters, is the same in most rows.
DIGITS = "0123456789.,- '’–—\xa0\u2009\u202f"


def read_once(text: str) -> str:
    """A text whose UTF-8 somebody read as Windows-1252 or Latin-1, as it was: mÃ¼ller is müller, and avÃ³ no av3.

    Raises ValueError where that is to be seen, but cannot be undone: the letters were made small since.
    """
    while not text.isascii():
        try:
            text = text.translate(_WINDOWS).encode("latin-1").decode("utf-8")
        except UnicodeError:
            break
    if _READ_TWICE.search(text):
        raise ValueError("its UTF-8 was read as another encoding")
    return text


def filled(cells: Sequence[Json]) -> Json:
    """The first cell that holds something, a text without the blanks around it. A table is no value."""
    for cell in cells:
        if isinstance(cell, str):
            if text := cell.strip():
                return text
        elif cell is not None and not isinstance(cell, dict):
            return cell
    return None


def metric_value(role: Role, source: FieldSource, zone: ZoneInfo) -> Reading:
    """A link metric: a clean value of its role."""

    def metric(found: FeedValue) -> FeedValue:
        value, wrong = read_value(role, found)
        if wrong:
            raise ValueError(wrong)
        return value

    convert = _conversion(source, zone)

    def read(cells: Sequence[Json]) -> FeedValue:
        raw = filled(cells)
        return None if raw is None else metric(convert(raw))

    return read


def field_value(source: FieldSource, zone: ZoneInfo) -> Reading:
    """A value as it is printed, or as converters and translation make it."""
    if not source.from_:
        constant = _constant(source, zone)
        return lambda _cells: constant
    return _checked(source, zone, lambda found: found) if source.convert or source.map else filled


def _constant(source: FieldSource, zone: ZoneInfo) -> FeedValue:
    """The value of every row, as converters make it."""
    return _conversion(source, zone)(source.const) if source.convert and source.const else source.const


def identifier_value(source: FieldSource, zone: ZoneInfo) -> Reading:
    """An id, as it is printed or as converters make it: as it is printed where a number would lose digits of it."""
    convert = field_value(source, zone)

    def read(cells: Sequence[Json]) -> FeedValue:
        value = convert(cells)
        return str(filled(cells)) if loses_digits(value) else value

    return read if "number" in source.convert else convert


def loses_digits(value: object) -> bool:
    """Whether a number may not have all digits of the file: a float that is not whole, or is from 2^53 on."""
    return type(value) is float and not (value.is_integer() and abs(value) < _EXACT)


def amount_value(source: FieldSource, zone: ZoneInfo) -> Reading:
    """A price: a Decimal from 0 to MAX_PRICE."""

    def amount(found: FeedValue) -> Decimal:
        price = found if isinstance(found, Decimal) else Decimal(str(found))
        if not 0 <= price <= MAX_PRICE:
            raise ValueError("is not a price")
        return price

    return _checked(source, zone, amount)


def count_value(source: FieldSource, zone: ZoneInfo) -> Reading:
    """A number of bids: an integer below 2^31."""

    def count(found: FeedValue) -> int:
        if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < MAX_COUNT:
            raise ValueError("is not a number of bids")
        return found

    return _checked(source, zone, count)


def code_value(source: FieldSource, zone: ZoneInfo) -> Reading:
    """A currency in capitals, as a column or the feed file names it."""
    return _checked(source, zone, lambda found: str(found).strip().upper())


def priced_code_value(source: FieldSource, zone: ZoneInfo, own: int, price: FieldSource) -> Reading | None:
    """The currency of a price: the one printed in its text, else the one that the first `own` cells give.

    The other cells are the price's. None when the price is not read from a text.
    """
    place = next((place for place, step in enumerate(price.convert) if step in MONEY), None)
    if not price.from_ or place is None:
        return None
    told = code_value(source, zone)
    # A dash prints no currency. Without that step, most feeds have no step before the conversion.
    before = tuple(step for step in price.convert[:place] if step != "dash_is_null")
    convert = _conversion(price.model_copy(update={"convert": before, "map": {}}), zone)

    def currency(cells: Sequence[Json]) -> str:
        text: FeedValue = filled(cells[own:])
        if before and text is not None:
            text = convert(text)
        mark = text.strip(DIGITS) if isinstance(text, str) else ""
        code = str(told(cells[:own]) or "")
        return agreed_currency(printed_currency(mark), code) if mark else code

    return currency


def _checked(source: FieldSource, zone: ZoneInfo, check: Callable[[FeedValue], FeedValue]) -> Reading:
    if not source.from_:
        constant = check(_constant(source, zone))
        return lambda _cells: constant
    convert = _conversion(source, zone)

    def read(cells: Sequence[Json]) -> FeedValue:
        raw = filled(cells)
        value = None if raw is None else convert(raw)
        return None if value is None else check(value)

    return read


def _conversion(source: FieldSource, zone: ZoneInfo) -> Callable[[FeedValue], FeedValue]:
    steps, translation = chain(source.convert), source.map

    def convert(value: FeedValue) -> FeedValue:
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


def at_path(record: JsonObject, name: str) -> Json:
    """The member of a record by its name, else by the names joined by dots that lead to it."""
    if name in record:
        return record[name]
    value: Json = record
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value
