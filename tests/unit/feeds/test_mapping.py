"""From one record to one listing: what makes the row unusable, and what only its own value."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from afterdrop.core.domain_names import registrable_domain
from afterdrop.feeds.mapping import BadRow, Row, sample
from tests.support.feed_inputs import one_row, spec


def mapped(record: dict[str, Any], metrics: dict[str, Any] | None = None, **fields: Any) -> Row | BadRow:
    feed = spec(
        format="json",
        fields={"domain": "name", "type": {"const": "auction"}, **fields},
        metrics=metrics or {},
        zone="America/New_York",
    )
    return one_row(feed, {"name": "a.com", **record}, 7)


def row(record: dict[str, Any], metrics: dict[str, Any] | None = None, **fields: Any) -> Row:
    found = mapped(record, metrics, **fields)
    assert isinstance(found, Row)
    return found


def reason(record: dict[str, Any], **fields: Any) -> str:
    found = mapped(record, **fields)
    assert isinstance(found, BadRow)
    assert found.line == 7
    return found.reason


@pytest.mark.parametrize(
    ("raw", "domain", "notes"),
    [
        ("Example.ORG", "example.org", ()),
        (" bücher.de. ", "xn--bcher-kva.de", ()),
        ("www.shop.a.co.uk", "a.co.uk", ("reduced",)),
        ("WWW.Bücher.de", "xn--bcher-kva.de", ("reduced",)),
        ("XN--N3H.NET", "xn--n3h.net", ()),
        ("www.xn--i-7iq.ws", "xn--i-7iq.ws", ("reduced",)),
    ],
)
def test_the_domain_is_normalised_and_reduced(raw: str, domain: str, notes: tuple[str, ...]) -> None:
    found = row({"name": raw})
    assert (found.domain, found.notes) == (domain, notes)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (None, "empty"),
        ("", "empty"),
        ({"a": 1}, "empty"),
        ("localhost", "single_label"),
        ("co.uk", "suffix"),
        ("1.2.3.4", "address"),
        ("a b.com", "characters"),
        ("x.test", "special_use"),
        (12.5, "address"),
        (["a.com"], "characters"),
        ("☃.net", "idna"),
        ("xn---n3h.net", "idna"),
    ],
)
def test_names_that_are_not_domains_are_counted_by_reason(raw: Any, why: str) -> None:
    assert reason({"name": raw}) == f"domain_{why}"


@pytest.mark.parametrize("raw", ["shop.uk.com", "WWW.Shop.UK.com.", "bücher.uk.com", "me.github.io"])
def test_a_name_in_a_zone_that_the_operator_has_not_listed_is_left_out(raw: str) -> None:
    assert reason({"name": raw}) == "unlisted_zone"


def test_type_by_column() -> None:
    kind = {"from": "kind", "map": {"Bid": "bid", "BuyNow": "buy_now"}}
    assert row({"kind": " BuyNow "}, type=kind).type == "buy_now"
    assert reason({"kind": "Offer"}, type=kind) == "type"
    assert reason({}, type=kind) == "type"
    assert reason({"kind": ""}, type=kind) == "type"


def test_the_first_filled_column_counts_and_paths_are_followed() -> None:
    address = {"from": ["a.b.c", "link"]}
    assert row({"a": {"b": {"c": "https://x.com/1"}}}, url=address).url == "https://x.com/1"
    assert row({"a.b.c": "https://x.com/2"}, url=address).url == "https://x.com/2"
    assert row({"a": {"b": 5}, "link": "https://x.com/3"}, url=address).url == "https://x.com/3"
    assert row({}, url=address).url is None


def test_the_key_is_the_id_or_the_url_or_the_domain() -> None:
    fields: dict[str, Any] = {"external_id": "id", "url": "link"}
    assert row({"id": 7, "link": "https://x.com/1"}, **fields).key == "7"
    assert row({"link": "https://x.com/1"}, **fields).key == "https://x.com/1"
    assert row({}, **fields).key == "a.com"
    assert reason({"id": "x" * 501}, **fields) == "external_id"
    assert reason({}, external_id={"from": "id", "required": True}) == "external_id"


@pytest.mark.parametrize(
    "raw",
    [
        "javascript:alert(1)",
        "https://x.com/a b",
        'https://x.com/"onload',
        "https://x.com/<b>",
        "https://x.com/\nb",
        "https://x.com/\u202e",
        "https://x.com/" + "a" * 2000,
        "//x.com",
        7,
    ],
)
def test_a_hostile_address_is_left_out(raw: Any) -> None:
    found = row({"link": raw}, url="link")
    assert (found.url, found.notes) == (None, ("url",))


def test_an_address_by_template() -> None:
    url = {"template": "https://shop.example.com/{domain}"}
    assert row({}, url=url).url == "https://shop.example.com/a.com"


def test_prices() -> None:
    money = {"from": "price", "convert": ["money"]}
    assert row({"price": "$1,234.50"}, price=money).price == Decimal("1234.50")
    assert row({"price": 12}, price="price").price == Decimal(12)
    assert row({}, price=money).price is None
    assert row({"price": "-"}, price={"from": "price", "convert": ["dash_is_null", "money"]}).price is None
    assert row({}, price={"const": 9}).price == 9
    for text in ("make offer", "9" * 20):
        found = row({"price": text}, price=money)
        assert (found.price, found.notes) == (None, ("price",))
    for wrong in (-1, True, "ten"):
        assert row({"price": wrong}, price="price").notes == ("price",)
    assert row({"price": "5"}, price=money, type={"const": "pending_delete"}).price is None


def test_currency_and_bids() -> None:
    assert row({"cur": "eur"}, currency="cur").currency == "EUR"
    assert row({}, currency="cur").currency == ""
    assert row({}).currency == "USD"
    bids = {"from": "bids", "convert": ["int"]}
    assert row({"bids": "3"}, bids=bids).bids == 3
    assert row({"bids": 3}, bids={"from": "bids", "convert": ["dash_is_null"]}).bids == 3
    for wrong in (-3, 2**40, "many"):
        found = row({"bids": wrong}, bids=bids)
        assert (found.bids, found.notes) == (0, ("bids",))
    assert row({"bids": True}, bids="bids").notes == ("bids",)
    assert row({"bids": ""}, bids="bids").bids == 0
    assert reason({"bids": "many"}, bids={**bids, "required": True}) == "bids"


@pytest.mark.parametrize(
    ("text", "price", "currency", "notes"),
    [
        ("$1,000", 1000, "USD", ()),
        ("£1,000", 1000, "GBP", ()),
        ("JPY 12,000", 12000, "JPY", ()),
        ("1.234 €", None, "EUR", ("price",)),
        ("¥500", 500, "", ("currency",)),
        ("€5 USD", 5, "", ("currency",)),
        ("make offer", None, "USD", ("price",)),
        ("", None, "USD", ()),
    ],
)
def test_a_currency_printed_in_the_price(
    text: str, price: int | None, currency: str, notes: tuple[str, ...]
) -> None:
    found = row({"p": text}, price={"from": "p", "convert": ["dash_is_null", "money"]})
    assert (found.price, found.currency, found.notes) == (price, currency, notes)
    cut = row({"p": text}, price={"from": "p", "convert": [r"regex:([\d.,]+)", "money"]})
    assert cut.currency == "USD"


def test_a_printed_currency_beside_the_column_of_currencies() -> None:
    fields: dict[str, Any] = {"price": {"from": "p", "convert": ["money"]}, "currency": "cur"}
    for price, told, wanted in [
        ("€5", "USD", "EUR"),
        ("€5", None, "EUR"),
        ("$5", "cad", "CAD"),
        ("$5", None, ""),
        ("5", "GBP", "GBP"),
        ("¥5", "JPY", "JPY"),
        ("¥5", "USD", ""),
        ("$5", "EUR", ""),
    ]:
        assert row({"p": price, "cur": told}, **fields).currency == wanted
    cut = {"from": "p", "convert": [r"regex:([A-Z]*\s?\d+)", "money"]}
    for text in (5, "5", "soon", None):
        assert row({"p": text}, price=cut).currency == "USD"
    assert row({"p": "now EUR 5"}, price=cut).currency == "EUR"
    assert row({"cur": "EUR"}, price={"const": 9}, currency="cur").currency == "EUR"


def test_ends() -> None:
    iso = {"from": "end", "convert": ["iso"]}
    assert row({"end": "2026-12-01 11:00:00"}, ends_at=iso).ends_at == datetime(2026, 12, 1, 16, tzinfo=UTC)
    assert row({}, ends_at=iso, type={"const": "buy_now"}).ends_at is None
    assert reason({"end": "yesterday"}, ends_at=iso) == "ends_at"
    assert reason({}, ends_at={**iso, "required": True}) == "ends_at"
    day = {"from": "end", "convert": ["date_only"]}
    assert row({"end": "2026-12-01"}, ends_at=day).ends_at == datetime(2026, 12, 1, 21, tzinfo=UTC)
    assert reason({"end": "2026-12-01"}, ends_at="end") == "ends_at"
    assert isinstance(date(2026, 12, 1), date)


def test_a_running_auction_has_an_end_where_the_feed_names_one() -> None:
    iso = {"from": "end", "convert": ["iso"]}
    for kind in ("bid", "auction"):
        assert reason({"end": ""}, ends_at=iso, type={"const": kind}) == "ends_at"
        assert row({}, type={"const": kind}).ends_at is None
        assert row({}, ends_at={**iso, "optional": True}, type={"const": kind}).ends_at is None
    for kind in ("buy_now", "pending_delete"):
        assert row({"end": None}, ends_at=iso, type={"const": kind}).ends_at is None


@pytest.mark.parametrize("end", ["2026-05-21T16:00:00Z", "2026-12-24T16:00:00Z", "tomorrow", "", None])
def test_a_type_without_an_end_takes_none_from_the_column(end: str | None) -> None:
    kinds = {"from": "t", "map": {"Bid": "bid", "BuyNow": "buy_now"}}
    ends = {"from": "e", "convert": ["iso"]}
    described = spec(
        format="json", endless=["buy_now"], fields={"domain": "d", "type": kinds, "ends_at": ends}
    )
    sold = one_row(described, {"d": "a.com", "t": "BuyNow", "e": end})
    assert isinstance(sold, Row)
    assert (sold.type, sold.ends_at, sold.notes) == ("buy_now", None, ())
    running = one_row(described, {"d": "a.com", "t": "Bid", "e": end})
    assert isinstance(running, Row if end and end.endswith("Z") else BadRow)


def test_metrics_are_clean_values_or_notes() -> None:
    metrics = {
        "trust_flow": "tf",
        "domain_rating": {"from": "dr", "convert": ["dash_is_null"]},
        "referring_domains": {"from": ["rd", "rd2"], "convert": ["lower"]},
        "top_referring_domains": "top",
    }
    found = row({"tf": 7, "dr": "12.5", "rd2": "1,200", "top": "B.com, b.com, c.org"}, metrics)
    assert found.metrics == {
        "trust_flow": 7,
        "domain_rating": 13,
        "referring_domains": 1200,
        "top_referring_domains": ["b.com", "c.org"],
    }
    found = row({"tf": 700, "dr": "-", "rd": "many"}, metrics)
    assert (found.metrics, found.notes) == ({}, ("trust_flow", "referring_domains"))
    assert row({"tf": True}, metrics).notes == ("trust_flow",)


def test_a_sample_is_short_and_printable() -> None:
    assert sample("a\x1b[31m\n" + "x" * 500) == "a·[31m·" + "x" * 193
    assert sample(["a", "b"]) == "['a', 'b']"


NAMES = [
    "müller.de",
    "são.com.br",
    "avó.com",
    "viên.vn",
    "cú.hu",
    "привет.com",
    "日本.jp",
    "île-à-vache.fr",
    "čšž.cz",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize("times", [0, 1, 2])
def test_utf_8_that_was_read_as_another_encoding_is_read_again(name: str, encoding: str, times: int) -> None:
    feed = spec(format="json")
    wanted = one_row(feed, {"name": name})
    text = name
    for _ in range(times):
        # As programs read it: the bytes that Windows-1252 has nothing for stay as they are.
        text = "".join(bytes([byte]).decode(encoding, "ignore") or chr(byte) for byte in text.encode())
    assert isinstance(wanted, Row) and one_row(feed, {"name": text}) == wanted


@pytest.mark.parametrize(
    "name", ["mã¼ller.de", "avã³.com", "viãªn.vn", "ð¿ñ€ð¸ð²ðµñ‚.com", "müller-avÃ³.com"]
)
def test_what_cannot_be_read_again_is_no_name(name: str) -> None:
    found = one_row(spec(format="json"), {"name": name})
    assert isinstance(found, BadRow) and found.reason == "domain_encoding"


@pytest.mark.parametrize(
    "name", ["vášeň.cz", "páš.cz", "col·legi.cat", "façade.fr", "straße.de", "ôže.sk", "þórš.is"]
)
def test_honest_names_are_what_they_are(name: str) -> None:
    found = one_row(spec(format="json"), {"name": name})
    assert isinstance(found, Row) and found.domain == registrable_domain(name)
