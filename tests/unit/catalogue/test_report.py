"""What a viewer sees of a domain: access, summary, report, registration."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

import pytest

from afterdrop.catalogue.attribution import credits_owed, named_inputs
from afterdrop.catalogue.report import CheckedColumns, check_report, registration, report
from afterdrop.catalogue.rows import DomainRow
from afterdrop.catalogue.shapes import ReportRegistration, ScoreInputJson
from afterdrop.catalogue.summary import Links, access, sees_availability, summary
from afterdrop.core.settings import Settings
from afterdrop.sources.metrics.provider_files import load_file, preset_names
from tests.support.rows import DAY, FREE, LINKS, NOW, PRO, REPORT, row

KEYS = {
    *("domain", "tld", "status", "score", "verdict", "flags", "topic", "language", "title", "metrics"),
    *("listing", "purchase", "found_at", "open", "detail", "report_url", "conclusion", "flag_levels"),
}
ENDED: dict[str, Any] = {"ends_at": NOW - DAY, "live_until": NOW - DAY}
OPEN: dict[str, Any] = {"open_now": True, "last_open_on": "2026-11-20"}


def full(domain: str = "a.com", **values: Any) -> DomainRow:
    """A row with every column a reader needs."""
    registry = dict.fromkeys(
        ("availability", "checked_at", "available_since", "registrar", "registered_at", "expires_at")
    )
    flags = dict.fromkeys(("announced", "caught_after_drop", "open_now"), False)
    return cast(
        DomainRow, row(domain, **{**registry, **flags, "last_open_on": None, "removed_at": None, **values})
    )


@pytest.mark.parametrize(
    ("values", "free", "pro"),
    [
        ({}, "locked", "full"),
        ({"live_until": None, "ends_at": None}, "locked", "full"),
        (OPEN, "full", "full"),
        (ENDED, "basic", "full"),
        ({**ENDED, **OPEN}, "full", "full"),
        ({**ENDED, "announced": True}, "basic", "full"),
        ({"removed_at": NOW, **OPEN}, "hidden", "hidden"),
    ],
)
def test_access(values: dict[str, Any], free: str, pro: str) -> None:
    assert access(full(**values), FREE, NOW) == free
    assert access(full(**values), PRO, NOW) == pro


def test_availability_is_a_pro_fact_but_of_once_open_domains() -> None:
    assert sees_availability(full(), PRO)
    assert not sees_availability(full(), FREE)
    assert sees_availability(full(last_open_on="2026-01-01"), FREE)


def test_a_summary_has_its_keys_and_hides_trust_flow_with_basic() -> None:
    pro, free = summary(full(), PRO, NOW, LINKS), summary(full(**ENDED), FREE, NOW, LINKS)
    assert set(pro) == KEYS | {"facts", "last_owner_links", "live_links"} and set(free) == KEYS
    assert pro["facts"]["cost_per_click_usd"] == 1.25
    assert (pro["detail"], free["detail"]) == ("full", "basic")
    assert set(pro["metrics"]) - set(free["metrics"]) == {"trust_flow", "citation_flow"}
    assert pro["found_at"] == "2026-11-19T18:00:00Z"
    assert pro["report_url"] == "http://site.example/domains/a.com"
    assert pro["listing"] == {
        "source": "market_a",
        "source_title": "Harbour Auctions",
        "type": "auction",
        "price_usd": 50,
        "bids": 3,
        "opens_at": None,
        "day": None,
        "ends_at": "2026-11-22T18:00:00Z",
        "certain": True,
        "url": "https://market.example/a.com",
    }


def test_an_available_domain_leads_to_a_registrar_at_its_fee() -> None:
    freed = full("a.com", **ENDED, announced=True)
    shown = summary(freed, PRO, NOW, LINKS)
    assert shown["status"] == "available"
    assert shown["listing"]["url"] == "https://registrar.example/?d=a.com"
    assert (shown["listing"]["price_usd"], shown["listing"]["bids"]) == (12, 0)
    assert summary(full("a.net", **ENDED, announced=True), PRO, NOW, LINKS)["listing"]["price_usd"] is None
    free = summary(freed, FREE, NOW, LINKS)
    assert (free["status"], free["listing"]["price_usd"], free["listing"]["bids"]) == ("ended", 50, 3)


def test_a_listing_without_an_end_ends_when_it_is_gone() -> None:
    running = summary(full(ends_at=None, live_until=NOW + DAY), PRO, NOW, LINKS)
    gone = summary(full(ends_at=None, live_until=NOW - DAY), PRO, NOW, LINKS)
    assert (running["status"], running["listing"]["ends_at"]) == ("listed", None)
    assert (gone["status"], gone["listing"]["ends_at"]) == ("ended", "2026-11-19T18:00:00Z")


@pytest.mark.parametrize(
    ("values", "certain"),
    [
        ({"certain_from": None}, True),
        ({"certain_from": NOW + timedelta(seconds=1)}, False),
        ({"certain_from": NOW}, True),
        # withdrawn before it was certain: nothing may happen any more
        ({"certain_from": NOW + DAY, **ENDED}, True),
    ],
)
def test_a_drop_becomes_certain_by_the_clock_alone(values: dict[str, Any], certain: bool) -> None:
    shown = summary(full(type="pending_delete", **values), PRO, NOW, LINKS)
    assert shown["listing"]["certain"] is certain
    assert (shown["status"] == "pending_delete") == ("live_until" not in values)


def test_links_quote_what_an_archived_address_may_hold() -> None:
    links = Links("s", "b", "https://archive.example/web", "https://r.example/{tld}/{domain}")
    assert links.register("a.co.uk") == "https://r.example/co.uk/a.co.uk"
    assert links.fee("com") is None
    assert links.capture("2019", 'http://a.com/x y?"<é>') == (
        "https://archive.example/web/2019/http://a.com/x%20y?%22%3C%C3%A9%3E"
    )


def test_the_links_of_a_deployment_come_from_its_settings() -> None:
    links = Links.of(Settings(site_url="https://names.example"))
    assert links.report("a.com") == "https://names.example/domains/a.com"
    assert links.archive("a.com").endswith("/*/a.com") and "//*" not in links.archive("a.com")


def test_flags_are_as_grave_as_the_report_says_or_what_was_read_out_of_it() -> None:
    listed: Any = {**full(flags=["parked", "gap"]), "varying_severity": None}
    checks = [{"flag": "parked", "label": "", "result": "found", "severity": "risk", "note": ""}]
    whole: Any = {**listed, "report": {**listed["report"], "risk_checks": checks}}
    del listed["report"]
    risky: Any = {**listed, "varying_severity": "risk"}
    words = [summary(each, PRO, NOW, LINKS)["flag_levels"] for each in (listed, risky, whole)]
    assert words == [{"parked": word, "gap": "minor"} for word in ("minor", "caution", "caution")]


def test_a_report_adds_to_the_summary_and_with_basic_nothing() -> None:
    assert set(report(full(**ENDED), FREE, NOW, LINKS)) == KEYS
    shown = report(full(rank_on_hunt_day=3), PRO, NOW, LINKS)
    assert shown["detail"] == "full"
    stored = set(REPORT) - {"metrics", "revival_pages", "revival_eras"}
    assert set(shown) - KEYS - {"facts", "last_owner_links", "live_links"} - stored == {
        *("webarchive_url", "registration", "rank_on_hunt_day", "revival_kit"),
    }
    assert stored < set(shown)
    assert shown["metrics"]["backlinks"] == 7
    assert shown["metrics"]["trust_flow"] == 15
    assert shown["rank_on_hunt_day"] == 3
    assert shown["registration"] is None
    assert shown["webarchive_url"] == "https://archive.example/web/*/a.com"
    assert shown["revival_kit"] == {
        "pages": 0,
        "url": "http://site.example/api/v1/domains/a.com/pages",
        "eras": [],
    }


@pytest.mark.parametrize(
    ("availability", "announced", "shown"),
    [
        (None, False, "unknown"),
        ("unknown", False, "unknown"),
        ("available", False, "unknown"),
        ("registered", False, "registered"),
        ("dropping", False, "dropping"),
        ("available", True, "available"),
    ],
)
def test_registration(availability: str | None, announced: bool, shown: str) -> None:
    facts: dict[str, Any] = {"registrar": "R", "registered_at": NOW, "expires_at": NOW, "checked_at": NOW}
    found = registration(full(**ENDED, availability=availability, announced=announced, **facts), NOW, LINKS)
    assert found is not None
    assert found["availability"] == shown
    assert (found["register_url"] is not None) is announced
    assert (found["registrar"], found["registered_at"]) == (
        (None, None) if announced else ("R", "2026-11-20T18:00:00Z")
    )


ASKED: ReportRegistration = {
    "availability": "registered",
    "checked_at": "x",
    "available_since": None,
    "register_url": None,
    "registrar": None,
    "registered_at": None,
    "expires_at": None,
    "caught_after_drop": False,
}
VETTED = {"domain": "a.com", "tld": "com", "report": {**REPORT, "revival_pages": 4}}


def vetted() -> CheckedColumns:
    listing = (
        "source",
        "source_title",
        "type",
        "price_usd",
        "bids",
        "ends_at",
        "certain_from",
        "url",
        "live_until",
        "next_listing_at",
        "next_listings",
    )
    names = ("round", "found_at", "hunt_day", "rank_on_hunt_day", "updated_at", *listing)
    made = row("a.com", score=70, report=VETTED["report"])
    return cast(CheckedColumns, {name: value for name, value in made.items() if name not in names})


def test_the_check_of_an_unlisted_domain_has_every_key() -> None:
    shown = check_report(vetted(), None, ASKED, FREE, NOW, LINKS)
    assert set(shown) == set(report(full(), PRO, NOW, LINKS))
    assert (shown["detail"], shown["status"], shown["open"], shown["found_at"]) == (
        "full",
        "ended",
        False,
        None,
    )
    assert shown["listing"] == {
        **dict.fromkeys(("source", "source_title", "type", "price_usd", "ends_at", "opens_at", "day", "url")),
        "bids": 0,
        "certain": True,
    }
    assert shown["registration"] == ASKED
    assert shown["revival_kit"] == {"pages": 4, "url": None, "eras": []}
    free = check_report(vetted(), None, {**ASKED, "availability": "available"}, FREE, NOW, LINKS)
    assert free["status"] == "available"
    assert free["listing"]["price_usd"] is None


def test_the_check_of_a_listed_domain_keeps_its_listing() -> None:
    listed = full(rank_on_hunt_day=2, score=50)
    shown = check_report(vetted(), listed, ASKED, FREE, NOW, LINKS)
    assert (shown["score"], shown["status"], shown["listing"]["source"]) == (70, "listed", "market_a")
    assert (shown["rank_on_hunt_day"], shown["registration"], shown["detail"]) == (None, None, "full")
    assert shown["revival_kit"]["url"] == LINKS.pages("a.com")
    over = full(**ENDED, checked_at=NOW - timedelta(hours=1), availability="dropping")
    told = check_report(vetted(), over, ASKED, FREE, NOW, LINKS)["registration"]
    assert told is not None and told["availability"] == "dropping"


def test_credits_are_owed_once() -> None:
    values = [{"text": "B", "url": "https://b.example"}, {"text": "A", "url": ""}]
    assert credits_owed(values, [None, {}, {"text": "A"}, {"text": "B", "url": "https://b.example"}]) == [
        {"text": "A", "url": None},
        {"text": "B", "url": "https://b.example"},
    ]


def test_json_names_no_vendor_or_marketplace_as_the_source_of_a_figure() -> None:
    vendors = {"ahrefs_free": "vendor_c", "semrush": "vendor_a", "moz_links": "vendor_b"}
    given: dict[str, ScoreInputJson] = {
        **{name: {"value": 1, "source": name, "at": "t"} for name in (*vendors, "feed:sedo_auctions")},
        "own": {"value": 2, "source": "my_index"},
        "own_feed": {"value": 3, "source": "feed:my_list"},
        "history": {"value": 4, "of": 5},
        "price": {"value": 6},
    }
    named = named_inputs(given)
    assert {name: named[name]["source"] for name in vendors} == vendors
    assert all(each["source_title"] for each in (named["ahrefs_free"], named["feed:sedo_auctions"]))
    assert named["feed:sedo_auctions"]["source"] == "market_e"
    assert named["own"] == {"value": 2, "source": "my_index"}
    assert (named["own_feed"]["source"], named["own_feed"]["value"]) == ("my_list", 3)
    assert named["history"] == {"value": 4, "of": 5, "source": "archive", "source_title": "Web archive"}
    assert named["price"] == {"value": 6}
    assert named_inputs(named) == named


def test_every_shipped_provider_has_a_neutral_source() -> None:
    for name in preset_names():
        assert (load_file(name).source or "").startswith("vendor_"), name
