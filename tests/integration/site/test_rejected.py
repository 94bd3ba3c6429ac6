"""What was rejected, and why, for whoever may see reports: page, search, the name's own page and the API."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from afterdrop.catalogue import operator_actions
from tests.support.browser import Browser, words
from tests.support.published import reject
from tests.support.service import NOW, Service

NAME = "harbour-lights.com"


@pytest.fixture
async def rejected(service: Service) -> Service:
    """A name that was rejected."""
    await reject(service.database, NAME)
    return service


async def test_the_page_says_why_with_the_capture(rejected: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    assert 'href="/domains/rejected"' in (await browser.get("/desk")).text, "one action away"
    page = await browser.get("/domains/rejected")
    text = words(page)
    assert NAME in text
    assert "Gambling spam in 2022." in text
    assert "See the capture" in text
    assert 'href="https://a.test/2021-03/' in page.text, "the capture"
    assert "29" in text.split()
    [name] = LexborHTMLParser(page.text).css("td.name")
    assert name.css_first(".tag.bad") is not None, "why, at a glance"
    assert "<title>" in page.text and 'class="strip"' in page.text, "what stood there, as the lists draw it"
    assert "Nothing matches." in words(await browser.get("/domains/rejected?tld=org"))
    assert NAME in words(await browser.get("/domains/rejected?q=harbour&tld=.com&spam=true"))


async def test_the_search_and_the_names_own_page_tell_it(rejected: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    searched = words(await browser.get(f"/domains?q={NAME}"))
    assert f"{NAME} was rejected on 20 Nov 2026." in searched
    assert "Gambling spam in 2022." in searched
    half = words(await browser.get(f"/domains?q={NAME.partition('.')[0][2:]}"))
    assert f"{NAME} was rejected on 20 Nov 2026." in half
    own = await browser.get(f"/domains/{NAME}")
    assert own.status_code == 404
    assert "Rejected on 20 Nov 2026. Gambling spam in 2022." in words(own)
    assert "Rejected on" not in words(await browser.get("/domains/never-seen.com"))
    assert "was rejected" not in words(await browser.get("/domains?q=never-seen.com"))


async def test_a_free_account_reads_that_it_is_part_of_pro(rejected: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    text = words(await browser.get("/domains/rejected"))
    assert "is part of Pro" in text
    assert NAME not in text
    assert "Rejected on" not in words(await browser.get(f"/domains/{NAME}"))


async def test_a_withdrawn_name_is_told_to_nobody(rejected: Service, browser: Browser) -> None:
    async with rejected.database.write() as conn:
        await operator_actions.withdraw(conn, NAME, "op@a.example", "asked for", NOW)
    await browser.sign_in("operator")
    assert NAME not in words(await browser.get("/domains/rejected"))
    assert "Rejected on" not in words(await browser.get(f"/domains/{NAME}"))
    assert "was rejected" not in words(await browser.get(f"/domains?q={NAME}"))


async def test_the_operator_can_switch_it_off(rejected: Service, browser: Browser) -> None:
    site = rejected.context.settings.site.model_copy(update={"rejected_names": False})
    settings = rejected.context.settings.model_copy(update={"site": site})
    object.__setattr__(rejected.context, "settings", settings)
    await browser.sign_in("pro")
    assert (await browser.get("/domains/rejected")).status_code == 404
    assert "Rejected on" not in words(await browser.get(f"/domains/{NAME}"))
    assert 'href="/domains/rejected"' not in (await browser.get("/desk")).text
    assert (await rejected.get("/domains/rejected", "pro")).status_code == 404


async def test_the_api_gives_the_same(rejected: Service) -> None:
    answer = (await rejected.get("/domains/rejected", "pro")).json()
    assert answer["meta"] == {"total": 1, "page": 1, "per_page": 25, "pages": 1}
    [row] = answer["data"]
    assert row["domain"] == NAME
    assert (row["spam"], row["reasons"], row["trust_flow"]) == (True, ["Gambling spam in 2022."], 29)
    assert row["evidence"]["url"].startswith("https://a.test/2021-03/")
    assert (await rejected.get("/domains/rejected?tld=org", "pro")).json()["data"] == []
    refused = await rejected.get("/domains/rejected", "free")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "plan_required")
