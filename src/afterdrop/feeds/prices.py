"""Prices in whole US dollars.

Pure. Rates are the reference rates in use: units of a currency for one US dollar.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal

_SPELLINGS = {"$": "USD", "US$": "USD", "$US": "USD", "€": "EUR", "£": "GBP"}


def in_usd(price: Decimal | None, currency: str, rates: Mapping[str, float]) -> tuple[int | None, str | None]:
    """A price in whole US dollars, halves up, and None; or None and the sentence that says why there is none."""
    if price is None:
        return None, None
    code = _SPELLINGS.get(currency, currency)
    if code == "USD":
        return int(price.quantize(Decimal(1), ROUND_HALF_UP)), None
    if not code:
        return None, f"the feed names {price} without a currency"
    rate = rates.get(code)
    if not rate or rate <= 0:
        return None, f"no exchange rate for {code[:20]} ({price} {code[:20]})"
    return int((price / Decimal(str(rate))).quantize(Decimal(1), ROUND_HALF_UP)), None
