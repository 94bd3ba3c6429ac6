"""Sharing stays where one is: in the panel, on the list and on a report."""

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


async def test_a_link_is_made_on_a_report(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    await page.goto(f"{hunt.url}/domains/bakery-0.com")
    await page.get_by_role("button", name="Share").click()
    await expect(page.locator("#made")).to_contain_text("1 domain, until")
    assert page.url == f"{hunt.url}/domains/bakery-0.com"
    await picture(page, "shared-on-a-report")


async def test_a_link_is_made_of_chosen_rows(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    for number in range(3):
        await page.locator(".hunt tbody .c-sel input").nth(number).click()
    await page.get_by_role("button", name="Share").click()
    await expect(page.locator("#made")).to_contain_text("3 domains, until")
    await expect(page.locator(".hunt tbody .c-sel input:checked")).to_have_count(3)
    await expect(page.locator("#made")).to_be_in_viewport(timeout=20_000)
    await picture(page, "shared-of-chosen-rows")
    old = await page.locator("#link").inner_text()
    await page.locator(".hunt tbody .c-sel input").nth(4).click()
    await page.get_by_role("button", name="Share").click()
    await expect(page.locator("#made")).to_contain_text("4 domains, until")
    assert await page.locator("#link").inner_text() != old
