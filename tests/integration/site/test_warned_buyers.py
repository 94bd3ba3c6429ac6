"""Beside a serious risk nothing urges to buy; and what a service is for can stand on each of its pages."""

from __future__ import annotations

from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from afterdrop.core.settings_sections import Site
from tests.support.browser import Browser, words
from tests.support.service import ENDED, FREED, Service, row

SERIOUS: dict[str, Any] = {
    "flags": ["trademark"],
    "verdict": "risky",
    "archive_years": 4,
    "life": "s200403201509",
}
HONEST: dict[str, Any] = {"archive_years": 4, "life": "s200403201509"}


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """A service that says what it is."""
    return {"site": Site(notice="A demo: every name here is <invented>.")}


def ways(page: str) -> list[tuple[str, str]]:
    """The links that lead to a buyer's deed, each with its class."""
    found = LexborHTMLParser(page).css('a[rel~="nofollow"]')
    deeds = ("Register", "Bid", "Backorder", "Buy")
    return [
        (each.text().split(" ")[0], each.attributes.get("class") or "")
        for each in found
        if each.text().startswith(deeds)
    ]


@pytest.mark.parametrize("path", ["/domains/{}", "/domains?open={}", "/compare?d={}"])
async def test_no_button_beside_a_serious_flag(service: Service, browser: Browser, path: str) -> None:
    await service.show(
        row("bad-bid.com", **SERIOUS), row("bad-free.com", **SERIOUS, **FREED),
        row("good-bid.com", **HONEST), row("good-free.com", **HONEST, **FREED),
    )  # fmt: skip
    await browser.sign_in("pro")
    shown = {
        name: ways((await browser.get(path.format(f"{name}.com"))).text)
        for name in ("bad-bid", "bad-free", "good-bid", "good-free")
    }
    assert {deed for deed, _ in shown["bad-bid"]} == {"Bid"}
    assert not any("button" in kind for _, kind in shown["bad-bid"])
    assert shown["bad-free"] == []
    assert "button" in dict(shown["good-bid"])["Bid"]
    assert "button" in dict(shown["good-free"])["Register"]


async def test_what_nobody_offers_is_compared_too(service: Service, browser: Browser) -> None:
    await service.show(row("gone.com", **ENDED), row("bad.com", **SERIOUS))
    await browser.sign_in("pro")
    page = await browser.get("/compare?d=gone.com,bad.com")
    assert page.status_code == 200
    assert {deed for deed, _ in ways(page.text)} == {"Bid"}


async def test_the_report_says_why_it_leads_to_no_registrar(service: Service, browser: Browser) -> None:
    await service.show(row("bad-free.com", **SERIOUS, **FREED))
    await browser.sign_in("pro")
    said = words(await browser.get("/domains/bad-free.com"))
    assert "Because of its serious risk, there is no link to a registrar here." in said


async def test_the_notice_stands_on_every_page(service: Service, browser: Browser) -> None:
    await service.show(row("a.com"))
    pages = ["/", "/pricing", "/docs/score", "/sign-in", "/no-such-page"]
    pages += ["/desk", "/domains", "/domains/a.com", "/checks", "/tools", "/account"]
    for path in pages:
        if path == "/desk":
            await browser.sign_in("pro")
        page = await browser.get(path)
        notes = [each.text() for each in LexborHTMLParser(page.text).css("p[role=note]")]
        assert notes == ["A demo: every name here is <invented>."], path
