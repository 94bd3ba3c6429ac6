"""Prices in other currencies as whole dollars, half up."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from afterdrop.sources.metrics.currency import NO_RATES, Rates, price_note, usd

DAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("amount", "currency", "per_usd", "dollars"),
    [
        ("10.50", "EUR", "1.0", 11),
        ("10.49", "EUR", "1.0", 10),
        ("10.5", " eur ", "1.0", 11),
        ("0.5", "USD", None, 1),
        ("0.49", "USD", None, 0),
        ("0", "USD", None, 0),
        ("10", "EUR", repr(1 / 1.05), 11),  # 10.50 dollars but for float noise
        ("100", "JPY", "155.2", 1),
        ("-1", "USD", None, None),
        ("NaN", "USD", None, None),
        ("Infinity", "USD", None, None),
        ("1e13", "USD", None, None),
        ("10", "XYZ", None, None),
        ("10", "BAD", "0", None),
    ],
)
def test_conversion(amount: str, currency: str, per_usd: str | None, dollars: int | None) -> None:
    rates = Rates(DAY, {} if per_usd is None else {currency.strip().upper(): Decimal(per_usd)})
    assert usd(Decimal(amount), currency, rates) == dollars


def test_a_note_says_why_there_is_no_price() -> None:
    assert usd(Decimal(3), "EUR") is None and usd(Decimal(3), "USD") == 3
    assert price_note("eur", NO_RATES) == (
        "No exchange rate for EUR: the European Central Bank's rates have not been read yet."
    )
    assert price_note("XYZ", Rates(DAY, {"EUR": Decimal(1)})) == (
        "The European Central Bank publishes no reference rate for XYZ (2026-11-20)."
    )
    assert "this currency" in price_note("\u202e<b>")
