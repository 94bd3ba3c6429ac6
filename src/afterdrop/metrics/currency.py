"""Prices in other currencies as whole US dollars, half up, by the European Central Bank's reference rates. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Final

_WHOLE: Final = Decimal(1)
# Rates are stored as floats: what they cost in the sixteenth digit must not decide which way a half goes.
_NOISE: Final = Decimal("0.000001")
_MOST: Final = Decimal(10) ** 12


@dataclass(frozen=True, slots=True)
class Rates:
    """Units of a currency for one US dollar, by ISO 4217 code, as of the bank's `day`."""

    day: date
    per_usd: Mapping[str, Decimal]


NO_RATES: Final = Rates(date.min, {})


def usd(amount: Decimal, currency: str, rates: Rates = NO_RATES) -> int | None:
    """`amount` in whole US dollars, half up; None when the currency has no rate or the amount is not a price.

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


def price_note(currency: str, rates: Rates = NO_RATES) -> str:
    """Why a price stayed unknown, in one sentence."""
    code = currency.strip().upper()[:8]
    shown = code if code.isascii() and code.isalpha() else "this currency"
    if not rates.per_usd:
        return f"No exchange rate for {shown}: the European Central Bank's rates have not been read yet."
    return f"The European Central Bank publishes no reference rate for {shown} ({rates.day.isoformat()})."
