"""The converters: what each accepts and what it refuses."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from afterdrop.feeds.converters import converter, printed_currency

NEW_YORK = ZoneInfo("America/New_York")


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]  # a date spelled by its numbers


@pytest.mark.parametrize(
    ("name", "raw", "wanted"),
    [
        ("money", "€.50", Decimal("0.50")),
        ("money", 12, Decimal("12")),
        ("money", 1.5, Decimal("1.5")),
        ("money", "0.125", Decimal("0.125")),
        ("money", 1.234, Decimal("1.234")),
        ("int", "1,234", 1234),
        ("int", 7, 7),
        ("int", 7.0, 7),
        ("number", "1.25", 1.25),
        ("number", 3, 3.0),
        ("bool", "True", True),
        ("bool", False, False),
        ("bool", " no ", False),
        ("epoch_s", "1791449229", at(2026, 10, 8, 8, 47, 9)),
        ("epoch_s", 1791449229, at(2026, 10, 8, 8, 47, 9)),
        ("epoch_ms", "1791782224112", at(2026, 10, 12, 5, 17, 4)),
        ("iso", "2026-10-05T16:00:00Z", at(2026, 10, 5, 16)),
        ("iso", "2026-10-05T16:00:00.250+02:00", at(2026, 10, 5, 14)),
        ("iso", "2026-10-05 16:00:00", at(2026, 10, 5, 20)),
        ("iso", "2026-10-05t16:00:00.5-04:00", at(2026, 10, 5, 20)),
        ("time:%Y-%m-%dT%H:%M:%S%z", "2026-10-05t16:00:00z", at(2026, 10, 5, 16)),
        ("us_datetime", "01/02/2026 10:00 AM (PST)", at(2026, 1, 2, 15)),
        ("us_datetime", "01/02/2026 12:05:09 am", at(2026, 1, 2, 5, 5, 9)),
        ("us_datetime", "07/02/2026 13:30 EDT", at(2026, 7, 2, 17, 30)),
        ("time:%Y-%d-%m %H:%M|%d.%m.%Y %H:%M", "2026-07-10 11:00", at(2026, 10, 7, 15)),
        ("time:%Y-%d-%m %H:%M|%d.%m.%Y %H:%M", "07.10.2026 11:00", at(2026, 10, 7, 15)),
        ("date_only", "2026-08-23", date(2026, 8, 23)),
        ("date_only:%m/%d/%Y", "08/23/2026", date(2026, 8, 23)),
        (r"regex:(\d+)(?:[?#].*)?$", "https://x.example/a-728418303?isc=b", "728418303"),
        (r"regex:^(\S+)[A-Z]+(\S+)", "2026-07-10EDT11:00", "2026-07-10ED 11:00"),
        (r"regex:(a)|(b)", "b", "b"),
        (r"regex:(\d+)", "none", None),
        ("list", "a.com, b.com,,", ["a.com", "b.com"]),
        ("list:;", "a;b", ["a", "b"]),
        ("dash_is_null", "--", None),
        ("dash_is_null", " N/A ", None),
        ("dash_is_null", "12", "12"),
        ("dash_is_null", 0, 0),
        ("negative_is_null", "-1", None),
        ("negative_is_null", 4, 4),
        ("lower", "ABC", "abc"),
        ("upper", "usd", "USD"),
    ],
)
def test_converts(name: str, raw: Any, wanted: Any) -> None:
    assert converter(name)(raw, NEW_YORK) == wanted


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("money", "make offer"),
        ("money", "-5"),
        ("money", float("nan")),
        ("money", -3),
        ("int", "12.5"),
        ("int", 12.5),
        ("int", True),
        ("int", [1]),
        ("number", "nan"),
        ("number", "1e999"),
        ("number", True),
        ("number", None),
        ("bool", "perhaps"),
        ("epoch_s", "1791449229000"),
        ("epoch_s", "-5"),
        ("epoch_s", ["1791449229"]),
        ("epoch_ms", "1791449229"),
        ("iso", "2026-10-05"),
        ("iso", "yesterday at noon"),
        ("us_datetime", "2026-01-02"),
        ("us_datetime", "13/45/2026 10:00 AM"),
        ("us_datetime", "01/02/2026 13:00 AM"),
        ("time:%Y", "soon"),
        ("date_only", "2026-02-30"),
        ("negative_is_null", "x"),
    ],
)
def test_refuses(name: str, raw: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        converter(name)(raw, NEW_YORK)


EITHER = {
    "US$1,250.50": ("1250.50", "USD"),
    "$1,250.50 CAD": ("1250.50", "CAD"),
    "1\u202f250,50 €": ("1250.50", "EUR"),
    "1\xa0250,50 €": ("1250.50", "EUR"),
    "1 250 000 Ft": ("1250000", "HUF"),
    "CHF 1’250,50": ("1250.50", "CHF"),
    "SFr. 1'250.50": ("1250.50", "CHF"),
    "1.250,- €": ("1250", "EUR"),
    "€ 50,–": ("50", "EUR"),
    "50.-": ("50", None),
    "1250,50 zł": ("1250.50", "PLN"),
    "R$ 1.250,50": ("1250.50", "BRL"),
    "₹1,00,000.50": ("100000.50", "INR"),
    "1.250.000": ("1250000", None),
    "1,250,000": ("1250000", None),
    "12,50 kr.": ("12.50", "kr"),
    "USD$5": ("5", "USD"),
    ",50": ("0.50", None),
}


@pytest.mark.parametrize(("text", "wanted"), EITHER.items())
def test_prices_that_can_be_only_one_amount(text: str, wanted: tuple[str, str | None]) -> None:
    for name in ("money", "money_eu"):
        assert converter(name)(text, NEW_YORK) == Decimal(wanted[0])
    assert printed_currency(text) == wanted[1]


@pytest.mark.parametrize(
    ("text", "point", "comma"),
    [
        ("CA$1,250", "1250", None),
        ("€1.250", None, "1250"),
        ("1,250", "1250", None),
        ("0,125", None, "0.125"),
        ("12,5", None, "12.5"),
        ("1250.500", "1250.5", None),
        ("1.2500", "1.25", None),
        ("1,234,56", None, None),
        ("1,00,000,50", None, None),
    ],
)
def test_prices_that_may_be_two_amounts(text: str, point: str | None, comma: str | None) -> None:
    for name, wanted in (("money", point), ("money_eu", comma)):
        if wanted is None:
            with pytest.raises(ValueError, match="separator is unambiguous"):
                converter(name)(text, NEW_YORK)
        else:
            assert converter(name)(text, NEW_YORK) == Decimal(wanted)


@pytest.mark.parametrize(
    "text",
    [
        "1 25",
        "1 2500",
        "1.250 000",
        "5-",
        "$",
        "€ ,-",
        "",
        "5 €5",
        "12 months",
        "B$5",
        "1..5",
        "1e5",
        "$5/yr",
    ],
)
def test_what_is_no_price(text: str) -> None:
    for name in ("money", "money_eu"):
        with pytest.raises(ValueError, match="expected an amount such as"):
            converter(name)(text, NEW_YORK)


@pytest.mark.parametrize("name", ["rot13", "time", "time:", "regex", "regex:(", "regex:abc", "int:3"])
def test_unknown_and_malformed_converters_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"unknown converter|regular expression|no group"):
        converter(name)


@pytest.mark.parametrize(
    ("price", "wanted"),
    [
        ("¥500", "¥"),
        ("USD $5", "USD"),
        ("make OFFER", None),
        ("A$5", "AUD"),
        ("$US5", "USD"),
        ("C$5 CAD", "CAD"),
        ("krone", None),
    ],
)
def test_the_currency_printed_in_a_price(price: str, wanted: str | None) -> None:
    assert printed_currency(price) == wanted


@pytest.mark.parametrize(
    "price", ["€5 USD", "£5 €", "$5 ¥", "$5 EUR", "EUR 5 GBP", "EUR$5", "US$5 CAD", "5 kr EUR"]
)
def test_a_price_with_two_currencies_is_refused(price: str) -> None:
    with pytest.raises(ValueError, match="one currency"):
        printed_currency(price)


@pytest.mark.parametrize(
    ("name", "raw", "wanted"),
    [
        ("iso", "2026-12-24T24:00:00Z", at(2026, 12, 25)),
        ("iso", "2026-12-24T24:00", at(2026, 12, 25, 5)),
        ("iso", "2026-12-31 24:00:00.000+01:00", at(2026, 12, 31, 23)),
        ("iso", "20261231T240000Z", at(2027, 1, 1)),
        ("iso", "2036-12-31T23:59:60Z", at(2037, 1, 1)),
        ("iso", "2036-12-24T13:00:00−05:00", at(2036, 12, 24, 18)),
        ("iso", "2036-12-24T13:00:00-05:00[America/New_York]", at(2036, 12, 24, 18)),
        ("iso", "2036-12-24T18:00:00Z[UTC]", at(2036, 12, 24, 18)),
        ("us_datetime", "12/31/2026 24:00 EST", at(2027, 1, 1, 5)),
        ("time:%d.%m.%Y %H:%M", "28.02.2028 24:00", at(2028, 2, 29, 5)),
        # A year that stands for none.
        *(
            ("iso", f"{day}T{hour}{zone}", None)
            for day in ("9999-12-31", "0001-01-01", "1970-01-01", "2101-01-01", "0000-00-00")
            for hour in ("00:00:00", "23:59:59.999", "24:00:00")
            for zone in ("", "Z", "+14:00", "-12:00")
        ),
        ("iso", "1990-01-01T00:00:00Z", at(1990, 1, 1)),
        ("iso", "2100-12-31T23:00:00-02:00", at(2101, 1, 1, 1)),
        ("us_datetime", "12/31/9999 11:59 PM", None),
        ("time:%d.%m.%Y %H:%M", "01.01.0001 00:00", None),
        ("date_only", "9999-12-31", None),
        ("date_only", "0000-00-00", None),
        ("date_only:%d/%m/%Y", "01/01/1900", None),
    ],
)
def test_times_that_python_does_not_read_and_years_that_are_none(name: str, raw: str, wanted: Any) -> None:
    assert converter(name)(raw, NEW_YORK) == wanted


@pytest.mark.parametrize(
    "raw", ["2026-12-24T24:00:01Z", "2026-12-24T24:30Z", "2026-12-24T25:00:00Z", "2026-13-24T24:00:00Z"]
)
def test_an_hour_beyond_midnight_is_no_time(raw: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        converter("iso")(raw, NEW_YORK)
