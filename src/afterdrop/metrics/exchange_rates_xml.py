"""Read the European Central Bank's daily reference rates (eurofxref-daily.xml). Pure.

The document is `Envelope / Cube / Cube[@time] / Cube[@currency, @rate]`, rates being units for one euro. A document
type declaration, and with it any entity, is refused before it can do anything.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from xml.parsers import expat

from afterdrop.metrics.currency import Rates

_CODE = re.compile(r"[A-Z]{3}", re.ASCII)
_RATE = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_DIGITS = Decimal("1e-12")


class BadRates(ValueError):
    """The document is not the bank's; the message says what is wrong."""


def read_rates(body: bytes) -> Rates:
    """The rates in units for one US dollar, the euro included. Raises BadRates."""
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
            if len(days) == 1:  # a history document goes on with older days
                per_euro[_checked(code)] = _rate(code, rate)

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


def _checked(code: str) -> str:
    if not _CODE.fullmatch(code):
        raise BadRates(f"has {code[:20]!r} where a currency code belongs")
    return code


def _rate(code: str, text: str) -> Decimal:
    rate = Decimal(text) if _RATE.fullmatch(text) else Decimal(0)
    if rate <= 0:
        raise BadRates(f"has {text[:20]!r} where the rate of {code} belongs")
    return rate
