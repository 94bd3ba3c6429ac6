"""Prices in whole US dollars by the European Central Bank's reference rates, and reading the bank's document. Pure.

The document eurofxref-daily.xml is `Envelope / Cube / Cube[@time] / Cube[@currency, @rate]`; its rates are units for
one euro. A document type declaration, and any entity with it, is refused before it takes effect.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Final
from xml.parsers import expat

_WHOLE: Final = Decimal(1)
# Rates are stored as floats: their error in the sixteenth digit must not decide how a half is rounded.
_NOISE: Final = Decimal("0.000001")
_MOST: Final = Decimal(10) ** 12
_CODE = re.compile(r"[A-Z]{3}", re.ASCII)
_RATE = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_DIGITS = Decimal("1e-12")


@dataclass(frozen=True, slots=True)
class Rates:
    """Units of each currency (ISO 4217 code) for one US dollar, as of the bank's `day`."""

    day: date
    per_usd: Mapping[str, Decimal]


NO_RATES: Final = Rates(date.min, {})


def usd(amount: Decimal, currency: str, rates: Rates = NO_RATES) -> int | None:
    """`amount` in whole US dollars, halves rounded up; None when the currency has no rate or the amount is not a price.

    >>> usd(Decimal("10.50"), "EUR", Rates(date(2026, 11, 20), {"EUR": Decimal(1)}))
    11
    """
    if not amount.is_finite() or not 0 <= amount <= _MOST:
        return None
    code = currency.strip().upper()
    per_usd = Decimal(1) if code == "USD" else rates.per_usd.get(code)
    if per_usd is None or per_usd <= 0:
        return None
    dollars = (amount / per_usd).quantize(_NOISE, ROUND_HALF_EVEN)
    return int(dollars.quantize(_WHOLE, ROUND_HALF_UP))


class BadRates(ValueError):
    """The document is not one of the bank's rates; the message says what is wrong with it."""


def read_rates(body: bytes) -> Rates:
    """Read the bank's document: units of each currency for one US dollar, the euro included. Raises BadRates."""
    day, per_euro = _cubes(body)
    if day is None:
        raise BadRates("names no day")
    dollar = per_euro.get("USD")
    if dollar is None:
        raise BadRates("has no rate for USD")
    per_usd = {code: (rate / dollar).quantize(_DIGITS) for code, rate in per_euro.items()}
    per_usd["EUR"] = (1 / dollar).quantize(_DIGITS)
    return Rates(day, per_usd)


def _cubes(body: bytes) -> tuple[date | None, dict[str, Decimal]]:
    days: list[date] = []
    per_euro: dict[str, Decimal] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        if name.rpartition(":")[2] != "Cube":
            return
        if "time" in attributes:
            days.append(_day(attributes["time"]))
        if "currency" in attributes:
            code, rate = attributes["currency"], attributes.get("rate", "")
            if len(days) == 1:  # a history document continues with older days
                if not _CODE.fullmatch(code):
                    raise BadRates(f"has {code[:20]!r} where a currency code belongs")
                per_euro[code] = _rate(code, rate)

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(body, True)
    except expat.ExpatError as error:
        raise BadRates(f"is not well-formed XML ({error})") from None
    return (days[0] if days else None), per_euro


def _refuse(*_declared: object) -> None:
    raise BadRates("has a document type declaration, which is refused")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadRates(f"has {text[:20]!r} where a day belongs") from None


def _rate(code: str, text: str) -> Decimal:
    rate = Decimal(text) if _RATE.fullmatch(text) else Decimal(0)
    if rate <= 0:
        raise BadRates(f"has {text[:20]!r} where the rate of {code} belongs")
    return rate
