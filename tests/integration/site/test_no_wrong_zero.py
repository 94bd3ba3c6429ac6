"""What a plan does not show is part of Pro, never 0; what is 0 for everybody is 0 for a free account, too."""

from __future__ import annotations

from datetime import timedelta

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.support.browser import Browser, words
from tests.support.service import ENDED, FREED, NOW, OPEN, Service, row

SOON = {"type": "pending_delete", "ends_at": NOW + timedelta(hours=3), "live_until": NOW + timedelta(hours=3)}


async def tabs(browser: Browser, path: str) -> dict[str, str]:
    """The tabs of a list with what each counts."""
    page = LexborHTMLParser((await browser.get(path)).text)
    return {
        (each.text(deep=False) or "").strip(): counted.text()
        for each in page.css("nav.tabs a.tab")
        if (counted := each.css_first(".count"))
    }


async def fill(service: Service) -> None:
    """An archive with free names, a drop of today and a live name, of which a free account sees nothing in full."""
    await service.show(
        row("free.com", **FREED), row("gone.com", **ENDED), row("drops.com", **SOON), row("live.com"),
        row("seen.com", **{**FREED, "last_open_on": "2026-11-10"}),
    )  # fmt: skip


async def test_outcomes_are_counted_on_pro_only(service: Service, browser: Browser) -> None:
    await fill(service)
    await browser.sign_in("free")
    assert await tabs(browser, "/domains/archive") == {
        "All": "3", **dict.fromkeys(("Caught", "Renewed", "Sold", "Free"), "Pro"),
    }  # fmt: skip
    caught = words(await browser.get("/domains/archive?outcome=caught"))
    assert "Everything that matches these filters is part of Pro." in caught
    assert "0 found" not in caught
    free = words(await browser.get("/domains/archive?outcome=free"))
    assert "1 found" in free and "only domains that were open" in free


async def test_pro_reads_the_numbers(service: Service, browser: Browser) -> None:
    await fill(service)
    await browser.sign_in("pro")
    assert (await tabs(browser, "/domains/archive"))["Free"] == "2"
    assert (await tabs(browser, "/domains/archive"))["Sold"] == "0"
    assert "0 found" in words(await browser.get("/domains/archive?outcome=caught"))
    for path in ("/domains", "/desk", "/drops"):
        assert "part of Pro" not in words(await browser.get(path))


@pytest.mark.parametrize("text", ["/domains", "/domains?min_score=1", "/domains?min_tf=1"])
async def test_a_live_list_of_which_nothing_is_open(service: Service, browser: Browser, text: str) -> None:
    await fill(service)
    await browser.sign_in("free")
    said = words(await browser.get(text))
    assert "0 found" not in said
    assert "is part of Pro." in said
    found = await tabs(browser, "/domains")
    assert found["All"] == "Pro"
    assert found["Free now"] == "1"
    # Nobody has one of these.
    assert found["Drops tomorrow"] == "0"


async def test_a_search_for_a_name_tells_nothing_of_what_is_hidden(
    service: Service, browser: Browser
) -> None:
    await fill(service)
    await browser.sign_in("free")
    for name in ("live", "nobody"):
        said = words(await browser.get(f"/domains?q={name}"))
        assert "0 found" in said and "Nothing matches these filters" in said


async def test_a_list_that_is_empty_for_everybody_is_empty(service: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    said = words(await browser.get("/domains"))
    assert "0 found" in said and "Nothing here yet" in said
    assert set((await tabs(browser, "/domains")).values()) == {"0"}


async def test_desk_and_drops_of_a_free_account(service: Service, browser: Browser) -> None:
    await fill(service)
    await browser.sign_in("free")
    desk = words(await browser.get("/"))
    assert "New matches Pro" in desk and "Drops today Pro" in desk
    assert "Today’s drops are part of Pro." in desk
    assert "Today Pro" in words(await browser.get("/drops"))
    await service.show(row("open.com", **{**SOON, **OPEN}))
    desk = words(await browser.get("/"))
    assert "New matches 1" in desk and "Drops today 1" in desk
    assert "Today 1" in words(await browser.get("/drops"))


async def test_limits_of_what_is_no_part_of_the_plan(service: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    said = words(await browser.get("/account"))
    assert "Alert rules 0 part of Pro" in said and "Webhook endpoints 0 part of Pro" in said
    # The interface's members keep their meaning.
    assert (await service.get("/me", "free")).json()["data"]["alerts"]["limit"] == 0
