"""A rule made on the site never matches more than the list or the rule it was made from."""

from __future__ import annotations

from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.support.browser import Browser, words
from tests.support.service import Service, row


async def rules(service: Service) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await service.get("/alerts")).json()["data"]
    return found


async def test_a_list_of_free_names_becomes_no_rule_for_every_name(
    service: Service, browser: Browser
) -> None:
    await service.show(row("free-name.com", price_usd=0), row("dear-name.com", price_usd=90))
    await browser.sign_in("pro")
    said = words(await browser.get("/domains?max_price=0"))
    assert "dear-name.com" not in said
    assert "alert rules cannot ask for: up to $0" in said
    page = await browser.post("/account/rules/from-list", {"max_price": "0", "min_score": "0"})
    assert page.status_code == 422
    assert "Alert rules cannot ask for: up to $0." in words(page)
    assert 'value="Every new domain"' in page.text
    fields = {"name": "free", "max_price": "0"}
    for extra in ({}, {"do": "preview"}):
        page = await browser.send("/account/rules/new", {**fields, **extra})
        assert page.status_code == 422
        assert 'id="f-max_price-fault"' in page.text
    assert await rules(service) == []
    await browser.send("/account/rules/new", {"name": "cheap", "max_price": "9"})
    [rule] = await rules(service)
    page = await browser.send(f"/account/rules/{rule['id']}", fields)
    assert page.status_code == 422
    assert (await rules(service))[0]["max_price"] == 9


async def test_what_a_rule_cannot_ask_for_is_refused(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    path = "/domains?q=hut&since=2026-11-20T08:00:00%2B02:00&ending_within_hours=48"
    said = words(await browser.get(path))
    assert "alert rules cannot ask for: found since 2026-11-20 06:00 UTC, ends within 48 h" in said
    assert 'name="frequency"' in (await browser.get("/domains?q=hut&no_serious_risk=true&priced=true")).text
    form = {"list": "live", "query": "q=hut&ending_within_hours=48", "name": "Huts", "frequency": "daily"}
    page = await browser.post("/account/filters", form)
    assert page.status_code == 422
    assert "Alert rules cannot ask for: ends within 48 h." in words(page)
    assert await rules(service) == []
    page = await browser.post("/account/filters", {**form, "query": "q=hut&no_serious_risk=true&max_bids=3"})
    [rule] = await rules(service)
    assert (rule["no_serious_risk"], rule["max_bids"], rule["keywords"]) == (True, 3, ["hut"])


@pytest.mark.parametrize("langs", ["cs", "en,cs"])
async def test_a_language_that_rules_do_not_know_is_not_offered(browser: Browser, langs: str) -> None:
    await browser.sign_in("pro")
    page = await browser.get(f"/domains?lang={langs}")
    assert 'name="frequency"' not in page.text
    assert "rules cannot filter by the language cs" in words(page)
    assert 'name="frequency"' in (await browser.get("/domains?lang=de")).text


async def test_a_filter_is_saved_with_its_mails_in_one_form(service: Service, browser: Browser) -> None:
    await service.show(row("hut-a.com", score=80), row("hut-b.com", score=90), row("other.com"))
    await browser.sign_in("pro")
    form = {"list": "live", "query": "q=hut&min_score=85&page=2", "name": "Huts", "back": "/domains?q=hut"}
    await browser.get("/domains")
    answer = await browser.post("/account/filters", {**form, "frequency": "daily"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/domains?q=hut")
    [rule] = await rules(service)
    assert (rule["name"], rule["keywords"], rule["min_score"], rule["frequency"]) == (
        "Huts",
        ["hut"],
        85,
        "daily",
    )
    # what it matches now, and what it told so far
    cells = LexborHTMLParser((await browser.get("/account/rules")).text).css("tbody td.n")
    assert [cell.text() for cell in cells] == ["1", "0"]
    # one that asks for the same tells every match twice: neither the rule nor the filter is kept
    twin = await browser.post("/account/filters", {**form, "name": "Again", "frequency": "instant"})
    assert twin.status_code == 422 and "“Huts” asks for the same" in words(twin)
    page = await browser.get("/account/filters")
    assert "Huts" in words(page) and "Again" not in words(page)
    await browser.post("/account/filters", {**form, "name": "Quiet", "frequency": ""})
    assert len(await rules(service)) == 1 and "Quiet" in words(await browser.get("/account/filters"))
    await browser.send("/sign-out", {}, page="/account")
    await browser.sign_in("free")
    await browser.get("/domains")
    refused = await browser.post("/account/filters", {**form, "frequency": "daily"})
    assert refused.status_code == 403 and len(await rules(service)) == 1


async def test_keywords_with_commas_stay_whole(service: Service, browser: Browser) -> None:
    made = {"name": "Courses", "keywords": ["Kurse, Termine", "a <b>"]}
    await service.ask("POST", "/alerts", "pro", json=made)
    await browser.sign_in("pro")
    page = await browser.get("/domains?q=a,b")
    await browser.post("/account/rules/from-list", {"q": "a,b"})
    first, second = await rules(service)
    assert second["keywords"] == ["a,b"]
    for rule in (first, second):
        path = f"/account/rules/{rule['id']}"
        page = await browser.get(path)
        typed = page.text.partition('id="f-keywords"')[2].partition(">")[2].partition("</textarea>")[0]
        assert typed.splitlines() == [word.replace("<b>", "&lt;b&gt;") for word in rule["keywords"]]
        text = "\r\n".join([*rule["keywords"], "", ""])
        answer = await browser.post(path, {"name": rule["name"], "keywords": text})
        assert answer.status_code == 303
    assert await rules(service) == [first, second]


async def test_a_rule_tells_by_mail_or_by_webhook_only(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    made = {"instant": {}, "daily": {}, "webhook": {"mail": False}}
    for n, chosen in enumerate(made):
        await browser.send("/account/rules/new", {"name": chosen, "min_dr": str(n + 1), "frequency": chosen})
    for rule in await rules(service):
        told = {name: rule[name] for name in ("mail",) if name in rule}
        assert told == made[rule["name"]]
    page = await browser.get("/account/rules")
    assert "by webhook only" in words(page)
    silent = (await rules(service))[-1]
    editor = await browser.get(f"/account/rules/{silent['id']}")
    assert '<option value="webhook" selected>' in editor.text
    await browser.send(
        f"/account/rules/{silent['id']}", {"name": "webhook", "min_dr": "3", "frequency": "daily"}
    )
    changed = (await rules(service))[-1]
    assert (changed["frequency"], "mail" in changed) == ("daily", False)


async def test_a_twin_of_a_rule_is_refused(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    first = {"name": "Huts", "min_score": "60", "tlds": "org,com"}
    await browser.send("/account/rules/new", first)
    page = await browser.send("/account/rules/new", {**first, "name": "Again", "tlds": "com, org"})
    assert (page.status_code, "Your rule “Huts” asks for the same" in words(page)) == (422, True)
    [rule] = await rules(service)
    assert str((await browser.send(f"/account/rules/{rule['id']}", first)).url).endswith("/account/rules")
    await browser.send("/account/rules/new", {**first, "name": "Others", "min_score": "61"})
    other = (await rules(service))[-1]
    page = await browser.send(f"/account/rules/{other['id']}", {**first, "name": "Others"})
    assert (page.status_code, "asks for the same" in words(page)) == (422, True)
    assert len(await rules(service)) == 2


async def test_a_free_account_sees_before_the_form_that_rules_are_part_of_pro(browser: Browser) -> None:
    await browser.sign_in("free")
    page = await browser.get("/account/rules/new")
    assert "Alert rules are part of Pro." in words(page)
    assert 'name="min_score"' not in page.text
