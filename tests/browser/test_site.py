"""The site in a real browser: keyboard, small screens, no complaints, axe-core finds nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.browser.conftest import SHOTS, Site, open_page

pytestmark = [pytest.mark.long, pytest.mark.browser]

OPEN_PAGES = (
    "/",
    "/sign-up",
    "/forgotten",
    "/pricing",
    "/docs",
    "/docs/errors",
    "/docs/webhooks",
    "/docs/api",
)
MEMBER_PAGES = (
    *(
        "/domains",
        "/domains?min_score=300",
        "/domains/archive",
        "/domains/open-today.com",
        "/checks",
        "/tools",
    ),
    *("/account", "/account/keys", "/account/settings", "/account/watchlist", "/account/rules"),
    *("/account/rules/new", "/account/webhooks", "/account/webhooks/1", "/account/data"),
)
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
RUN_AXE = """axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})
  .then(found => found.violations.map(each => each.id + ' ' + each.nodes[0].html))"""


@pytest.mark.parametrize("width", [360, 1280])
async def test_pages_fit_and_nothing_complains(chromium: Browser, site: Site, width: int) -> None:
    page = await open_page(chromium, site, width=width, dark=width == 360)
    SHOTS.mkdir(parents=True, exist_ok=True)
    for path in OPEN_PAGES:
        await page.goto(site.url + path)
    await site.sign_in(page, "pro")
    for path in MEMBER_PAGES:
        await page.goto(site.url + path)
        room = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(room) <= 0, path
        name = re.sub(r"\W+", "-", path).strip("-") or "home"
        await page.screenshot(path=SHOTS / f"{width}-{name}.png", full_page=True)
    # the page with a wrong filter answers 422, which the browser notes
    assert [each for each in site.complaints if "422" not in each] == []


@pytest.mark.parametrize("dark", [False, True])
async def test_axe_finds_nothing(chromium: Browser, site: Site, dark: bool) -> None:
    page = await open_page(chromium, site, dark=dark, bypass_csp=True)
    script = AXE.read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}

    async def look(path: str) -> None:
        await page.goto(site.url + path)
        await page.evaluate(script)
        found[path] = await page.evaluate(RUN_AXE)

    for path in OPEN_PAGES:
        await look(path)
    await site.sign_in(page, "operator")
    await look("/admin")
    await page.context.clear_cookies()
    await site.sign_in(page, "pro")
    for path in MEMBER_PAGES:
        await look(path)
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


async def test_keyboard_alone_reaches_content_filter_and_key(chromium: Browser, site: Site) -> None:
    page = await open_page(chromium, site)
    await site.sign_in(page, "pro")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.textContent") == "Skip to content"
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.tagName") == "SUMMARY"
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.type("hut-2")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/domains?q=hut-2*")
    assert "alpine-hut-29.co.uk" in await page.inner_text("tbody")
    assert "hostile.com" not in await page.inner_text("tbody")
    await page.goto(f"{site.url}/account/keys")
    await page.fill("#f-name", "from the keyboard")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("#key")
    assert (await page.inner_text("#key")).startswith("ad_live_")
    assert site.complaints == []


async def test_everything_that_matters_works_without_scripts(chromium: Browser, site: Site) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    page = await context.new_page()
    await site.sign_in(page, "pro")
    await page.click("text=Tell me about new domains like these")
    await page.wait_for_url("**/account/rules")
    assert "Every new domain" in await page.inner_text("main")
    await page.goto(f"{site.url}/domains/open-today.com")
    await page.click("text=Stop following")
    await page.wait_for_selector("text=Follow")
    assert re.search(r"in \d+", await page.inner_text("time[data-countdown]"))


async def test_a_list_page_is_light(chromium: Browser, site: Site) -> None:
    page = await open_page(chromium, site)
    await site.sign_in(page, "pro")
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", "0"))))
    await page.goto(f"{site.url}/domains?per_page=25")
    await page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes) <= 100 * 1024
