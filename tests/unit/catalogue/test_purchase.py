"""How a domain can be bought in each of its states."""

from __future__ import annotations

from typing import Any, cast

import pytest
from pydantic import ValidationError

from afterdrop.catalogue.purchase import (
    MOST_WAYS,
    Offer,
    Placed,
    Places,
    Way,
    first_place,
    marketplace,
    shipped_catchers,
    ways,
)
from afterdrop.catalogue.status import Status
from afterdrop.core.domain_names import suffixes
from afterdrop.core.settings import Settings
from afterdrop.core.web_addresses import web_address

REGISTRAR = "https://registrar.example/?d=a.com"
OFFER: dict[str, Any] = {
    **{"source": "market_a", "source_title": "Northgate", "type": "auction"},
    **{"price_usd": 10, "bids": 1, "url": "https://northgate.example/lot/1?x=1"},
}


def settings(**purchase: Any) -> Settings:
    return Settings.model_validate({"purchase": purchase})


def bought(
    state: Status,
    domain: str = "a.com",
    places: Places = Places(),
    **offer: Any,  # it is frozen
) -> list[Way]:
    return ways(domain, state, cast(Offer, {**OFFER, **offer}), REGISTRAR, places)


@pytest.mark.parametrize(
    ("state", "type_", "kind", "label"),
    [
        ("listed", "auction", "bid", "Bid at Northgate"),
        ("ending_soon", "bid", "bid", "Bid at Northgate"),
        ("listed", "buy_now", "buy", "Buy at Northgate"),
        ("pending_delete", "pending_delete", "backorder", "Backorder at Northgate"),
    ],
)
def test_a_listing_is_acted_on_where_it_stands(state: Status, type_: str, kind: str, label: str) -> None:
    assert bought(state, type=type_) == [
        {"kind": kind, "place": "Northgate", "label": label, "url": OFFER["url"], "affiliate": False}
    ]


def test_what_has_ended_cannot_be_bought_and_what_is_free_is_registered() -> None:
    assert bought("ended") == []
    (way,) = bought("available")
    assert (way["kind"], way["label"], way["url"]) == ("register", "Register at registrar.example", REGISTRAR)


@pytest.mark.parametrize(
    ("domain", "first"),
    [
        ("a.uk", "Dropped.uk"),
        ("a.co.uk", "Dropped.uk"),
        ("a.se", "Catch.info"),
        ("a.nu", "Catched"),
        ("a.pl", "AfterMarket.pl"),
        ("a.com", "DropCatch"),
    ],
)
def test_a_registrys_drop_is_backordered_at_catchers_of_its_extension(domain: str, first: str) -> None:
    found = bought("pending_delete", domain, Places.of(Settings()), url=None, source_title="The registry")
    assert (found[0]["kind"], found[0]["label"]) == ("backorder", f"Backorder at {first}")
    assert all("{" not in way["url"] for way in found)


@pytest.mark.parametrize(
    ("domain", "offer"),
    [
        ("a.co.uk", {"type": "pending_delete", "url": None}),
        ("a.co.uk", {"type": "pending_delete"}),
        ("a.co.uk", {"type": "auction"}),
        ("a.nowhere", {"type": "pending_delete", "url": None}),
    ],
)
def test_the_first_place_is_where_the_first_button_leads(domain: str, offer: dict[str, Any]) -> None:
    places = Places.of(settings())
    placed = cast(Placed, {**OFFER, **offer, "tld": domain.partition(".")[2]})
    state: Status = "pending_delete" if offer["type"] == "pending_delete" else "listed"
    found = bought(state, domain, places, **offer)
    assert first_place(placed, places) == (found[0]["place"] if found else OFFER["source_title"])


def test_a_drop_at_a_marketplace_is_backordered_there_first_and_nowhere_twice() -> None:
    places = Places.of(Settings())
    at_snapnames = {"source_title": "SNAPNAMES", "url": "https://www.snapnames.com/x"}
    found = bought("pending_delete", "a.com", places, type="pending_delete", **at_snapnames)
    assert [way["place"] for way in found] == ["SNAPNAMES", "DropCatch", "Dynadot"]
    assert found[1]["url"] == "https://www.dropcatch.com/domain/a.com"
    assert bought("pending_delete", "a.zz", places, url=None) == [], "nobody is known to catch it"


def test_the_settings_replace_the_shipped_catchers_of_their_extensions() -> None:
    own = {"name": "Ours", "url": "https://ours.example/{domain}", "extensions": ["se", "zz"]}
    places = Places.of(settings(catchers=[own]))
    assert [way["url"] for way in bought("pending_delete", "a.se", places, url=None)] == [
        "https://ours.example/a.se"
    ]
    assert bought("pending_delete", "a.nu", places, url=None)[0]["place"] == "Catched"
    many = [{**own, "name": f"Catcher {number}"} for number in range(9)]
    assert len(bought("pending_delete", "a.zz", Places.of(settings(catchers=many)), url=None)) == MOST_WAYS


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://northgate.example", "https://northgate.example?aff=7&s=x"),
        ("https://www.northgate.example/?q=a#top", "https://www.northgate.example/?q=a&aff=7&s=x#top"),
        ("https://northgate.example/?aff=other&q=%20a", "https://northgate.example/?q=%20a&aff=7&s=x"),
    ],
)
def test_an_affiliate_parameter_is_added_and_said(url: str, expected: str) -> None:
    places = Places.of(settings(affiliate={"northgate.example": "aff=7&s=x"}))
    (way,) = bought("listed", places=places, url=url)
    assert (way["url"], way["affiliate"]) == (expected, True)


def test_other_hosts_get_no_affiliate_parameter() -> None:
    places = Places.of(settings(affiliate={"northgate.example": "aff=7"}))
    for url in ("https://evil-northgate.example/", "https://northgate.example.evil.example/"):
        assert bought("listed", places=places, url=url)[0] == {
            **bought("listed", url=url)[0], "url": url, "affiliate": False,
        }  # fmt: skip


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://northgate.example@evil.example/", "data:text/html,x", None]
)
def test_a_hostile_address_is_no_way_to_buy(url: str | None) -> None:
    assert bought("listed", url=url) == []


def test_an_unknown_marketplace_is_called_by_its_host() -> None:
    assert bought("listed", source_title=None)[0]["label"] == "Bid at northgate.example"
    for listing, name in (
        (OFFER, "Northgate"),
        ({**OFFER, "source_title": None}, "northgate.example"),
        ({**OFFER, "source_title": None, "url": None}, "market_a"),
        ({"source": "market_a", "url": None}, "market_a"),
        ({**OFFER, "source_title": None, "url": None, "source": None}, ""),
    ):
        assert marketplace({"status": "ended", "listing": cast(Offer, listing)}) == name
    assert marketplace({"status": "available", "listing": cast(Offer, OFFER)}) == "", (
        "nobody sells it any more"
    )


def test_shipped_catchers_lead_to_the_web_for_extensions_that_exist() -> None:
    for extension, catchers in shipped_catchers().items():
        assert suffixes().registrable(f"example.{extension}") == f"example.{extension}"
        for catcher in catchers:
            assert web_address(catcher.url.replace("{domain}", f"example.{extension}")) is not None


@pytest.mark.parametrize(
    "purchase",
    [
        {"catchers": [{"name": "x", "url": "javascript:alert(1)", "extensions": ["se"]}]},
        {"catchers": [{"name": "x", "url": "https://x.example/", "extensions": []}]},
        {"catchers": [{"name": "a\nb", "url": "https://x.example/", "extensions": ["se"]}]},
        {"catchers": [{"name": "x", "url": "https://x.example/", "extensions": [".se"]}]},
        {"affiliate": {"x.example": "aff"}},
        {"affiliate": {"x.example": "aff=1#x"}},
        {"affiliate": {"https://x.example": "aff=1"}},
    ],
)
def test_settings_that_cannot_work_are_refused(purchase: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        settings(**purchase)
