"""D: the domain summary."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from tests.support.service import ENDED, FREED, NOW, OPEN, Service, row

KEYS = {
    *("domain", "tld", "status", "score", "verdict", "flags", "topic", "language", "title"),
    *("metrics", "listing", "purchase", "found_at", "open", "detail", "report_url", "conclusion"),
}
METRICS = {"domain_rating", "referring_domains", "archive_years", "archive_first_year", "archive_last_year"}
LISTING = {
    "source",
    "source_title",
    "type",
    "price_usd",
    "bids",
    "ends_at",
    "opens_at",
    "day",
    "certain",
    "url",
}


def ends(**after: float) -> dict[str, Any]:
    return {"ends_at": NOW + timedelta(**after), "live_until": NOW + timedelta(**after)}


async def summary(service: Service, domain: str, who: str = "pro") -> dict[str, Any]:
    """The summary of a domain wherever it is listed."""
    for path in ("/domains", "/domains/archive"):
        for item in (await service.get(f"{path}?per_page=100", who)).json()["data"]:
            if item["domain"] == domain:
                found: dict[str, Any] = item
                return found
    raise AssertionError(f"{domain} is on no list of {who}")


async def test_d_01_the_documented_keys(service: Service) -> None:
    await service.show(row("a.com"))
    found = await summary(service, "a.com")
    assert set(found) == KEYS | {"facts", "last_owner_links", "live_links", "flag_levels"}
    assert set(found["metrics"]) == METRICS | {"trust_flow", "citation_flow"}
    assert set(found["listing"]) == LISTING


async def test_d_02_one_shape_in_lists_and_watchlist(service: Service) -> None:
    await service.show(row("a.com"))
    listed = await summary(service, "a.com")
    watched = (await service.ask("PUT", "/watchlist/a.com")).json()["data"]
    assert watched == listed
    assert (await service.get("/watchlist")).json()["data"] == [listed]


async def test_d_03_d_04_names_are_a_labels_and_extensions_may_have_several(service: Service) -> None:
    await service.show(row("xn--bcher-kva.de"), row("x.co.uk"))
    assert (await summary(service, "xn--bcher-kva.de"))["tld"] == "de"
    assert (await summary(service, "x.co.uk"))["tld"] == "co.uk"


STATUSES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"type": "auction", **ends(hours=24)}, "listed"),
    ({"type": "auction", **ends(hours=23, minutes=59, seconds=59)}, "ending_soon"),
    ({"type": "pending_delete", **ends(hours=1)}, "pending_delete"),
    ({"type": "pending_delete", **ends(days=3)}, "pending_delete"),
    ({"type": "buy_now", "ends_at": None, "live_until": None}, "listed"),
    ({"type": "bid", **ends(seconds=1)}, "ending_soon"),
    ({"type": "bid", **ends(seconds=0)}, "ended"),
    ({**FREED}, "available"),
    ({**ENDED, "availability": "registered"}, "ended"),
    ({**ENDED, "availability": "dropping"}, "ended"),
    ({**ENDED, "availability": "unknown"}, "ended"),
)


@pytest.mark.parametrize(("values", "status"), STATUSES)
async def test_d_05_to_d_10_status(service: Service, values: dict[str, Any], status: str) -> None:
    await service.show(row("a.com", **values))
    assert (await summary(service, "a.com"))["status"] == status


async def test_d_11_status_changes_with_the_clock_alone(service: Service) -> None:
    await service.show(row("a.com", **ends(hours=25)))
    seen = []
    for hours in (0, 2, 24):
        service.clock.move(hours=hours)
        seen.append((await summary(service, "a.com"))["status"])
    assert seen == ["listed", "ending_soon", "ended"]


async def test_d_19_open_is_the_draw_on_every_plan(service: Service) -> None:
    await service.show(row("a.com", **OPEN), row("b.com", last_open_on="2026-11-01"))
    for who in ("free", "pro"):
        assert (await summary(service, "a.com", who))["open"] is True
    assert (await summary(service, "b.com"))["open"] is False


async def test_d_20_d_24_detail_and_the_keys_it_brings(service: Service) -> None:
    await service.show(row("a.com", **OPEN), row("b.com", **ENDED))
    for domain, who, detail in (
        ("a.com", "free", "full"),
        ("a.com", "pro", "full"),
        ("b.com", "pro", "full"),
        ("b.com", "free", "basic"),
    ):
        found = await summary(service, domain, who)
        assert found["detail"] == detail
        assert ({"trust_flow", "citation_flow"} <= set(found["metrics"])) == (detail == "full")


async def test_d_25_with_full_and_no_link_vendor_trust_is_null(service: Service) -> None:
    await service.show(row("a.com", trust_flow=None, citation_flow=None))
    metrics = (await summary(service, "a.com"))["metrics"]
    assert (metrics["trust_flow"], metrics["citation_flow"]) == (None, None)


async def test_d_21_report_url_is_on_the_site(service: Service) -> None:
    await service.show(row("a.com"))
    found = await summary(service, "a.com")
    assert found["report_url"] == "http://127.0.0.1:8000/domains/a.com"


async def test_d_26_source_identifiers(service: Service) -> None:
    await service.show(row("a.com"))
    listing = (await summary(service, "a.com"))["listing"]
    assert re.fullmatch(r"[a-z][a-z0-9_]*", listing["source"])
    assert listing["source_title"] == "Harbour Auctions", "beside it the name that people read"


async def test_d_30_d_33_an_available_domain_leads_to_a_registrar(service: Service) -> None:
    await service.show(row("a.com", **FREED, price_usd=500, bids=4))
    listing = (await summary(service, "a.com"))["listing"]
    assert (listing["price_usd"], listing["bids"]) == (None, 0)
    assert not listing["url"].startswith("https://market.example")


RATHER: dict[str, dict[str, Any]] = {
    "a.com": {"score": 45, "verdict": "ok", "flags": [], "topic": None, "language": None, "title": None},
    "b.com": {
        "score": 100,
        "verdict": "risky",
        "flags": ["parked", "gap"],
        "topic": "Arts",
        "language": "en",
    },
}


async def test_d_12_to_d_17_d_22_kinds_of_values(service: Service) -> None:
    await service.show(*(row(name, **values) for name, values in RATHER.items()))
    for name, values in RATHER.items():
        found = await summary(service, name)
        assert {key: found[key] for key in values} == values
        assert all(value is None or isinstance(value, int) for value in found["metrics"].values())


@pytest.mark.parametrize("kind", ["bid", "buy_now", "auction", "pending_delete"])
async def test_d_28_d_29_d_31_types_prices_and_bids(service: Service, kind: str) -> None:
    await service.show(row("a.com", type=kind, price_usd=None, bids=0))
    listing = (await summary(service, "a.com"))["listing"]
    assert (listing["type"], listing["price_usd"], listing["bids"]) == (kind, None, 0)


async def test_d_32_a_listing_without_an_end(service: Service) -> None:
    await service.show(row("a.com", type="buy_now", ends_at=None, live_until=None))
    assert (await summary(service, "a.com"))["listing"]["ends_at"] is None
