"""Prices in whole US dollars.

Pure. Rates are the reference rates in use: units of a currency for one US dollar.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from afterdrop.metrics.currency import Rates, usd

_SPELLINGS = {"$": "USD", "US$": "USD", "$US": "USD", "€": "EUR", "£": "GBP"}


def in_usd(price: Decimal | None, currency: str, rates: Mapping[str, float]) -> tuple[int | None, str | None]:
    """A price in whole US dollars, halves up, and None; or None and the sentence that says why there is none."""
    if price is None:
        return None, None
    code = _SPELLINGS.get(currency, currency)
    if not code:
        return None, f"the feed names {price} without a currency"
    known = {code: Decimal(str(rates[code]))} if code in rates else {}
    dollars = usd(price, code, Rates(date.min, known))
    if dollars is None:
        return None, f"no exchange rate for {code[:20]} ({price} {code[:20]})"
    return dollars, None
