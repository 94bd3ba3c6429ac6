"""What was rejected, and why, for whoever may see reports: page, search, the name's own page and the API."""

from __future__ import annotations

import pytest

from afterdrop.catalogue import operator_actions
from tests.support.browser import Browser, words
from tests.support.published import reject
from tests.support.service import NOW, Service

NAME = "harbour-lights.com"


@pytest.fixture
async def rejected(service: Service) -> Service:
    """One name that everybody with Pro may be told about, and two that only operators may."""
    await reject(service.database, NAME)
    await reject(service.database, "reserved-listing.com", gated_listing=True)
    await reject(service.database, "reserved-figures.com", gated_figures=True)
    return service


async def test_the_page_says_why_with_the_capture(rejected: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    assert 'href="/domains/rejected"' in (await browser.get("/desk")).text, "one action away"
    page = await browser.get("/domains/rejected")
    text = words(page)
    assert NAME in text
    assert "reserved-listing.com" not in text
    assert "Gambling spam in 2022." in text
    assert "See the capture" in text
    assert 'href="https://a.test/2021-03/' in page.text, "the capture"
    assert "29" in text.split()
    figures = words(await browser.get("/domains/rejected?q=reserved-figures"))
    assert "reserved-figures.com" in figures
    assert "29" not in figures.split(), "its licence keeps the figure back"
    assert "Nothing matches." in words(await browser.get("/domains/rejected?tld=org"))
    assert NAME in words(await browser.get("/domains/rejected?q=harbour&tld=.com&spam=true"))


async def test_the_search_and_the_names_own_page_tell_it(rejected: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    searched = words(await browser.get(f"/domains?q={NAME}"))
    assert f"{NAME} was rejected on 20 Nov 2026." in searched
    assert "Gambling spam in 2022." in searched
    own = await browser.get(f"/domains/{NAME}")
    assert own.status_code == 404
    assert "Rejected on 20 Nov 2026. Gambling spam in 2022." in words(own)
    for other in ("reserved-listing.com", "never-seen.com"):
        assert "Rejected on" not in words(await browser.get(f"/domains/{other}"))
        assert "was rejected" not in words(await browser.get(f"/domains?q={other}"))


async def test_a_free_account_reads_that_it_is_part_of_pro(rejected: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    text = words(await browser.get("/domains/rejected"))
    assert "is part of Pro" in text
    assert NAME not in text
    assert "Rejected on" not in words(await browser.get(f"/domains/{NAME}"))


async def test_operators_see_the_names_of_their_own_feeds(rejected: Service, browser: Browser) -> None:
    await browser.sign_in("operator")
    text = words(await browser.get("/domains/rejected"))
    assert all(name in text for name in (NAME, "reserved-listing.com", "reserved-figures.com"))


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
    assert answer["meta"] == {"total": 2, "page": 1, "per_page": 25, "pages": 1}
    by_name = {row["domain"]: row for row in answer["data"]}
    row = by_name[NAME]
    assert (row["spam"], row["reasons"], row["trust_flow"]) == (True, ["Gambling spam in 2022."], 29)
    assert row["evidence"]["url"].startswith("https://a.test/2021-03/")
    assert by_name["reserved-figures.com"]["trust_flow"] is None
    assert (await rejected.get("/domains/rejected?tld=org", "pro")).json()["data"] == []
    refused = await rejected.get("/domains/rejected", "free")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "plan_required")
