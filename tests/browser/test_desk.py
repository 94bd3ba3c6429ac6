"""Drops in Chromium: countdowns run by the second and say what the server says."""

from __future__ import annotations

from datetime import timedelta

from playwright.async_api import Browser

from tests.browser.conftest import IN_CHROMIUM, Site, open_page
from tests.support.rows import NOW

pytestmark = IN_CHROMIUM


async def test_a_countdown_runs_by_the_second(chromium: Browser, site: Site) -> None:
    page = await open_page(chromium, site)
    await site.sign_in(page, "pro")
    await page.clock.install(time=NOW)
    await page.goto(f"{site.url}/drops")
    mark = page.locator("time[data-opens]").first
    for after, said in (
        (timedelta(minutes=5), "opens in 00:55:00"),
        (timedelta(hours=1, minutes=5), "open; its end is not published"),
        (timedelta(hours=3), "open; its end is not published"),
    ):
        # the clock stands still from then on, so that the text cannot run on
        await page.clock.pause_at(NOW + after - timedelta(seconds=1))
        await page.clock.run_for(1000)
        assert await mark.inner_text() == said
    assert site.complaints == []
