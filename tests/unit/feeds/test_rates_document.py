"""The European Central Bank's document, and documents that only look like it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.feeds.currency import BadRates, read_rates

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>{doctype}<gesmes:Envelope '
    'xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">'
    "<gesmes:subject>Reference rates</gesmes:subject><Cube>{days}</Cube></gesmes:Envelope>"
)


def document(*days: tuple[str, str], doctype: str = "") -> bytes:
    cubes = "".join(f"<Cube time='{day}'>{rates}</Cube>" for day, rates in days)
    return HEAD.format(days=cubes, doctype=doctype).encode()


GOOD = "<Cube currency='USD' rate='1.25'/><Cube currency='JPY' rate='180'/>"


def test_rates_are_turned_to_units_for_one_dollar() -> None:
    got = read_rates(document(("2026-11-20", GOOD)))
    assert got.day == date(2026, 11, 20)
    assert got.per_usd == {"USD": Decimal(1), "JPY": Decimal(144), "EUR": Decimal("0.8")}


def test_of_a_history_only_the_first_day_counts() -> None:
    older = ("2026-11-19", "<Cube currency='USD' rate='2'/><Cube currency='GBP' rate='2'/>")
    got = read_rates(document(("2026-11-20", GOOD), older))
    assert got.per_usd["EUR"] == Decimal("0.8") and "GBP" not in got.per_usd


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not well-formed"),
        (b"<html><body>busy</html>", "not well-formed"),
        (document(("2026-11-20", GOOD))[:-30], "not well-formed"),
        (b"<a/>", "names no day"),
        (document(), "names no day"),
        (document(("2026-11-20", "<Cube currency='JPY' rate='180'/>")), "no rate for USD"),
        (document(("20.11.2026", GOOD)), "'20.11.2026' where a day belongs"),
        (document(("2026-11-20", "<Cube currency='usd' rate='1'/>")), "'usd' where a currency code belongs"),
        (document(("2026-11-20", "<Cube currency='USD' rate='-1'/>")), "where the rate of USD belongs"),
        (document(("2026-11-20", "<Cube currency='USD' rate='0'/>")), "where the rate of USD belongs"),
        (document(("2026-11-20", "<Cube currency='USD' rate='NaN'/>")), "where the rate of USD belongs"),
        (document(("2026-11-20", "<Cube currency='USD'/>")), "where the rate of USD belongs"),
        (
            document(("2026-11-20", GOOD), doctype='<!DOCTYPE x [<!ENTITY a "aaaa">]>'),
            "document type declaration",
        ),
        (
            document(("2026-11-20", GOOD), doctype='<!DOCTYPE x SYSTEM "file:///etc/passwd">'),
            "document type declaration",
        ),
    ],
)
def test_anything_else_is_refused_in_words(body: bytes, said: str) -> None:
    with pytest.raises(BadRates, match=said):
        read_rates(body)


@given(st.binary(max_size=200))
def test_any_other_bytes_are_refused(body: bytes) -> None:
    with pytest.raises(BadRates):
        read_rates(body)
