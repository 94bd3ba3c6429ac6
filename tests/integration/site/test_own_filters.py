"""Filters of an account's own: saved from a list, told of as alert rules, changed and deleted on one page.

A rule never tells of more than the list that it was made from.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.support.browser import Browser, words
from tests.support.service import Service, row

HUTS = {"list": "live", "query": "q=hut&min_score=85&page=2", "name": "Huts", "back": "/domains?q=hut"}


async def rules(service: Service) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await service.get("/alerts")).json()["data"]
    return found


async def save(browser: Browser, **fields: str) -> Any:
    """Send the form of a list, whose page was opened before."""
    return await browser.post("/account/filters", {**HUTS, **fields})


def keys_of(text: str) -> dict[str, str]:
    """The filters on the page by name, and what their forms call them."""
    rows = [each for each in LexborHTMLParser(text).css("tbody tr") if each.css("td")]
    return {
        each.css(".name > *")[0].text(): each.css("[name=delete]")[0].attributes["value"] or ""
        for each in rows
    }


async def test_a_list_of_free_names_becomes_no_rule_for_every_name(
    service: Service, browser: Browser
) -> None:
    await service.show(row("free-name.com", price_usd=0), row("dear-name.com", price_usd=90))
    await browser.sign_in("pro")
    said = words(await browser.get("/domains?max_price=0"))
    assert "dear-name.com" not in said
    assert "alert rules cannot ask for up to $0" in said
    page = await save(browser, query="max_price=0&min_score=0", frequency="daily")
    assert page.status_code == 422
    assert "Alert rules cannot ask for: up to $0." in words(page)
    assert await rules(service) == []


@pytest.mark.parametrize(
    ("query", "unkept"),
    [
        ("since=2026-11-20T08:00:00%2B02:00", "found since 2026-11-20 06:00 UTC"),
        ("ending_within_hours=48&tag=mine", "ends within 48 h, tagged mine"),
        ("lang=cs,en", "language cs, en"),
        ("any=a,b", "one of a, b"),
        ("min_age=3&unseen=true", "3+ years old, not seen before"),
    ],
)
async def test_what_a_rule_cannot_ask_for_is_refused(
    service: Service, browser: Browser, query: str, unkept: str
) -> None:
    await browser.sign_in("pro")
    page = await browser.get(f"/domains?q=hut&{query}")
    assert f"alert rules cannot ask for {unkept}" in words(page).replace("“", "").replace("”", "")
    assert 'name="frequency"' not in page.text
    page = await save(browser, query=f"q=hut&{query}", frequency="daily")
    assert (page.status_code, "Alert rules cannot ask for:" in words(page)) == (422, True)
    assert await rules(service) == [] and "No filters yet" in words(await browser.get("/account/filters"))
    assert (await save(browser, query=f"q=hut&{query}")).status_code == 303


async def test_other_lists_tell_nobody(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    assert 'name="frequency"' not in (await browser.get("/domains/archive?q=hut")).text
    page = await save(browser, list="archive", query="q=hut", frequency="daily")
    assert page.status_code == 422 and "on the live list alone" in words(page)
    assert await rules(service) == []


async def test_a_filter_is_saved_with_its_mails_in_one_form(
    service: Service, browser: Browser, second: Browser
) -> None:
    await service.show(row("hut-a.com", score=80), row("hut-b.com", score=90), row("other.com"))
    await browser.sign_in("pro")
    await browser.get("/domains")
    answer = await save(browser, query="q=hut&min_score=85&no_serious_risk=true&page=2", frequency="daily")
    assert (answer.status_code, answer.headers.get("location")) == (303, "/domains?q=hut"), words(answer)
    [rule] = await rules(service)
    assert (rule["name"], rule["keywords"], rule["min_score"]) == ("Huts", ["hut"], 85)
    assert (rule["frequency"], rule["no_serious_risk"]) == ("daily", True)
    # what it asks for, what it matches now, and what it told so far
    page = LexborHTMLParser((await browser.get("/account/filters")).text)
    assert page.css("td[data-label='Matches now']")[0].text().split() == ["1", "told", "0"]
    assert "“hut”, score from 85, no serious risk" in page.css("tbody")[0].text()
    # one that asks for the same tells every match twice
    twin = await save(
        browser, query="no_serious_risk=1&min_score=85&q=HUT", name="Again", frequency="instant"
    )
    assert twin.status_code == 422 and "“Huts” asks for the same" in words(twin)
    assert (await save(browser, name="Quiet")).status_code == 303
    assert [*keys_of((await browser.get("/account/filters")).text)] == ["Huts", "Quiet"]
    assert len(await rules(service)) == 1
    await second.sign_in("free")
    await second.get("/domains")
    assert (await save(second, frequency="daily")).status_code == 403
    assert (await save(second)).status_code == 303


async def test_a_filter_is_edited_on_the_list_and_saved_under_its_name(
    service: Service, browser: Browser
) -> None:
    await browser.sign_in("pro")
    await browser.get("/domains")
    await save(browser, name="Huts & inns", frequency="webhook")
    page = LexborHTMLParser((await browser.get("/account/filters")).text)
    [edit] = [each for each in page.css("a") if "Edit on the list" in each.text()]
    opened = LexborHTMLParser((await browser.get(edit.attributes["href"] or "")).text)
    assert opened.css("#f-name")[0].attributes["value"] == "Huts & inns"
    assert opened.css("#f-telling option[selected]")[0].text() == "by webhook only"
    assert [each.attributes["value"] for each in opened.css("[type=hidden][name=saved]")] == ["Huts & inns"]
    tab = opened.css(".tab[aria-current]")[0]
    assert "Huts & inns" in tab.text() and tab.attributes["href"] == edit.attributes["href"]
    await save(browser, query="q=inn", name="Huts & inns", frequency="instant")
    [rule] = await rules(service)
    assert (rule["keywords"], rule["min_score"], rule["frequency"], "mail" in rule) == (
        ["inn"],
        None,
        "instant",
        False,
    )
    # Saved without alerts it is kept and tells nobody; a saved filter with alerts becomes a rule.
    await save(browser, query="q=inn", name="Huts & inns")
    [paused] = await rules(service)
    assert (paused["id"], paused["active"]) == (rule["id"], False)
    await save(browser, query="q=barn&sort=dr", name="Barns")
    await save(browser, query="q=barn&min_dr=5", name="Barns", frequency="daily")
    assert [each["name"] for each in await rules(service)] == ["Huts & inns", "Barns"]
    assert len(keys_of((await browser.get("/account/filters")).text)) == 2


async def test_how_matches_are_told_is_changed_on_the_page(
    service: Service, browser: Browser, second: Browser
) -> None:
    await browser.sign_in("pro")
    await browser.get("/domains")
    await save(browser)
    seen = []
    for chosen in ("daily", "webhook", "instant", ""):
        key = keys_of((await browser.get("/account/filters")).text)["Huts"]
        await browser.send("/account/filters", {"key": key, "frequency": chosen})
        [rule] = await rules(service)
        seen.append((rule["active"], rule["frequency"], rule.get("mail", True)))
        page = LexborHTMLParser((await browser.get("/account/filters")).text)
        assert [each.attributes["value"] for each in page.css("td option[selected]")] == [chosen]
    assert seen == [
        (True, "daily", True),
        (True, "instant", False),
        (True, "instant", True),
        (False, "instant", True),
    ]
    refused = await browser.send("/account/filters", {"key": key, "frequency": "hourly"})
    assert refused.status_code == 422
    assert (await rules(service))[0]["frequency"] == "instant"
    await second.sign_in("free")
    for form in (
        {"key": key, "frequency": "daily"},
        {"delete": key, "sure": "1"},
        {"delete": "f1", "sure": "1"},
    ):
        assert (await second.send("/account/filters", form)).status_code == 404
    asked = await browser.send("/account/filters", {"delete": key})
    assert "Its matches are deleted too" in words(asked) and len(await rules(service)) == 1
    await browser.send("/account/filters", {"delete": key, "sure": "1"})
    assert await rules(service) == []


async def test_rules_of_the_api_stand_among_the_filters(service: Service, browser: Browser) -> None:
    await service.show(row("chess-club.com", score=70), row("verein.org", score=80), row("a, b.com"))
    clubs = {"name": "Clubs", "keywords": ["club", "verein"], "min_score": 60}
    odd = {"name": "Odd", "keywords": ["Kurse, Termine", "a <b>"]}
    for made in (
        clubs,
        odd,
        {**clubs, "name": "Twice", "min_score": 61},
        {**clubs, "name": "Twice", "min_score": 62},
    ):
        await service.ask("POST", "/alerts", "pro", json=made)
    await browser.sign_in("pro")
    page = await browser.get("/account/filters")
    tabs = {each.text(): each.attributes["href"] for each in LexborHTMLParser(page.text).css("td.name > a")}
    assert tabs["Clubs"] == "/domains?any=club,verein&min_score=60&saved=Clubs"
    assert "Odd" not in tabs and "one of “Kurse, Termine, a <b>”" in words(
        page
    )  # no address holds such words
    listed = await browser.get(tabs["Clubs"] or "")
    assert re.findall(r'href="/domains\?[^"]*open=([^"]+)"', listed.text)[:1] == ["verein.org"]
    [tab] = LexborHTMLParser(listed.text).css(".tab[aria-current]")
    assert tab.text().split() == ["Clubs", "2"]
    assert "chess-club.com" in words(listed)
    page = await save(browser, query="q=x", name="Twice", frequency="daily")
    assert page.status_code == 422 and "more than one of your alert rules" in words(page)
    page = await save(browser, query="any=verein,club&min_score=60", name="Clubs", frequency="daily")
    assert (page.status_code, (await rules(service))[0]["frequency"]) == (303, "daily")
    assert (await rules(service))[0]["keywords"] == ["verein", "club"]


async def test_rules_are_kept_without_pro_and_tell_nobody(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    await browser.get("/domains")
    await save(browser, frequency="daily")
    service.clock.move(days=4000)
    await browser.sign_in("pro")
    page = await browser.get("/account/filters")
    assert "Your alert rules are kept, but paused." in words(page) and 'name="frequency"' not in page.text
    key = keys_of(page.text)["Huts"]
    assert (await browser.send("/account/filters", {"key": key, "frequency": "instant"})).status_code == 403
    assert (await browser.send("/account/filters", {"delete": key, "sure": "1"})).status_code == 200
