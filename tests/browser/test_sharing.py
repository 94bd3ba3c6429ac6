"""Sharing stays where one is: the link stands in the panel, and the list around it is as it was."""

from __future__ import annotations

from playwright.async_api import Browser, expect

from tests.browser.conftest import IN_CHROMIUM, Site, picture
from tests.browser.test_hunting import names, opened

pytestmark = IN_CHROMIUM


async def test_a_link_is_made_in_the_panel(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    first = await names(page).first.inner_text()
    await names(page).first.click()
    await expect(page.locator(".short h2")).to_have_text(first)
    here, title = page.url, await page.title()
    await page.locator("#panel").get_by_role("button", name="Share").click()
    link = page.locator("#panel #link")
    await expect(link).to_contain_text(f"{hunt.url}/s/")
    assert (page.url, await page.title()) == (here, title)
    await expect(names(page).first).to_have_text(first)
    await picture(page, "shared-in-the-panel")
    other = await chromium.new_page()
    await other.goto(await link.inner_text())
    await expect(other.locator("h1")).to_have_text(first)
