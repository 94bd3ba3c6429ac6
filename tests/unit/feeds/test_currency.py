"""Prices in other currencies as whole dollars, half up."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from afterdrop.feeds.currency import Rates, usd

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


def test_without_rates_only_dollars_have_a_price() -> None:
    assert usd(Decimal(3), "EUR") is None and usd(Decimal(3), "USD") == 3
