"""The site in a real browser: with the keyboard alone, without scripts, and the size of a list page."""

from __future__ import annotations

import re

from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import IN_CHROMIUM, Site, open_page

pytestmark = IN_CHROMIUM


async def focused(page: Page) -> str:
    """The name or the text of the element that has the focus."""
    found: str = await page.evaluate(
        "document.activeElement.name || document.activeElement.textContent.trim().slice(0, 40)"
    )
    return found


async def test_keyboard_alone_reaches_a_domain_filters_and_a_key(chromium: Browser, site: Site) -> None:
    page = await open_page(chromium, site)
    await site.sign_in(page, "pro")
    await page.goto(f"{site.url}/domains")
    await page.keyboard.press("Tab")
    assert await focused(page) == "Skip to the first domain"
    await page.keyboard.press("Enter")
    assert await focused(page) == "hostile.com"
    await page.keyboard.press("/")
    assert await focused(page) == "q"
    await page.keyboard.type("hut-2")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/domains?q=hut-2*")
    assert "alpine-hut-29.co.uk" in await page.inner_text("tbody")
    assert "hostile.com" not in await page.inner_text("tbody")
    assert "Parked (minor)" in await page.locator(".c-flags").all_text_contents()
    await page.keyboard.press("j")
    # when exactly it ends is told without covering the next row
    assert "2026" in await page.evaluate("document.querySelector('tr:focus-within time').title")
    await page.goto(f"{site.url}/account/keys")
    for _ in range(40):
        await page.keyboard.press("Tab")
        if await focused(page) == "name":
            break
    await page.keyboard.type("from the keyboard")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("#key")
    assert (await page.inner_text("#key")).startswith("ad_live_")
    assert site.complaints == []


async def test_filters_narrow_a_list_and_can_be_removed(chromium: Browser, site: Site) -> None:
    page = await open_page(chromium, site)
    await site.sign_in(page, "pro")
    await page.goto(f"{site.url}/domains")
    rows = page.locator(".hunt tbody tr")
    await page.locator("summary", has_text="Filter").first.click()
    for group in ("Past", "Name"):
        await page.locator(".group > summary", has_text=group).click()
    await page.check("input[name=topic][value=Arts]")
    await page.check("input[name=clean]")
    await page.fill("#f-tld", ".com, ORG")
    await page.get_by_role("button", name="Show", exact=True).click()
    await page.wait_for_url("**/domains?*topic=Arts*")
    narrowed = await rows.count()
    assert 0 < narrowed < 25
    assert await page.locator("tbody .flag").count() == 0
    await page.get_by_label("Remove filter: Topic: Arts").click()
    await page.wait_for_url(lambda url: "topic" not in url)
    assert await rows.count() > narrowed
    for order, direction in (("up", 1), ("down", -1)):
        await page.locator("thead a", has_text="Price").click()
        await page.wait_for_url(f"**sort=price-{order}*")
        shown = await page.locator(".c-price b").all_inner_texts()
        prices = [int(text[1:].replace(",", "")) for text in shown]
        assert prices == sorted(prices, key=lambda price: price * direction)
    await page.locator("thead a", has_text="Score").click(modifiers=["Shift"])
    await page.wait_for_url(lambda url: "sort=price-down%2Cscore-down" in url.replace(",", "%2C"))
    assert await page.locator("thead sup").all_inner_texts() == ["2"]
    await page.locator("summary", has_text="Filter").first.click()
    await page.click("text=Clear all")
    await page.wait_for_url(f"{site.url}/domains")
    assert site.complaints == []


async def test_everything_that_matters_works_without_scripts(chromium: Browser, site: Site) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    page = await context.new_page()
    await site.sign_in(page, "pro")
    await page.goto(f"{site.url}/domains")
    await page.locator("summary", has_text="Save filter").click()
    await page.select_option("#f-telling", "daily")
    await page.get_by_role("button", name="Save", exact=True).first.click()
    await page.goto(f"{site.url}/account/filters")
    mine = page.locator("tbody tr", has_text="Everything")
    await mine.locator("select").select_option("webhook")
    await mine.get_by_role("button", name="Set").click()
    await expect(mine.locator("select")).to_have_value("webhook")
    await page.goto(f"{site.url}/domains/open-today.com")
    await page.fill("#f-note", "ask the owner")
    await page.click("text=Save note")
    await page.goto(f"{site.url}/account/watchlist")
    followed = page.locator("tbody tr", has_text="open-today.com")
    await expect(followed).to_contain_text("ask the owner")
    await followed.locator(".star").click()
    await expect(page.locator("tbody tr", has_text="open-today.com")).to_have_count(0)
    await page.goto(f"{site.url}/domains")
    assert re.match(r"\d+ [dhm]", await page.locator("time[data-countdown]").first.inner_text())
    assert await page.locator("noscript meta").count() == 0
    await page.goto(f"{site.url}/checks/{site.made['waiting']}")
    assert 'http-equiv="refresh"' in await page.content()


async def test_a_list_page_is_light_on_the_first_visit(chromium: Browser, site: Site) -> None:
    page = await open_page(chromium, site)
    await site.sign_in(page, "pro")
    await page.context.new_cdp_session(page)
    fresh = await page.context.new_page()
    session = await page.context.new_cdp_session(fresh)
    await session.send("Network.enable")
    await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    received: list[int] = []
    session.on("Network.loadingFinished", lambda event: received.append(int(event["encodedDataLength"])))
    await fresh.goto(f"{site.url}/domains?per_page=25")
    await fresh.wait_for_load_state("networkidle")
    assert len(received) >= 3
    print(f"list page: {sum(received):,} bytes in {len(received)} answers")
    assert sum(received) <= 100_000


async def test_a_caption_on_a_phone_stands_in_lines_not_in_words(chromium: Browser, site: Site) -> None:
    page = await open_page(chromium, site, width=360)
    await site.sign_in(page, "pro")
    await page.goto(f"{site.url}/domains/hostile.com")
    caption = await page.locator("#links table caption").first.bounding_box()
    assert caption is not None
    assert caption["width"] > 200


async def test_a_report_opened_from_the_watchlist_leads_back_to_it(chromium: Browser, site: Site) -> None:
    page = await open_page(chromium, site)
    await site.sign_in(page, "pro")
    await page.goto(f"{site.url}/account/watchlist")
    await page.locator(".hunt a.name", has_text="alpine-hut-1.com").click()
    await expect(page.locator(".trail")).to_contain_text("2 of 5")
    await page.get_by_role("link", name="Watchlist", exact=True).first.click()
    await expect(page.locator(".tabs h1")).to_have_text("Watchlist")
    assert site.complaints == []
