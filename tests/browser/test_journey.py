"""The way of a new user in a real browser against a running service; only the internet is invented."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
from playwright.async_api import Browser, Page, expect

from afterdrop.delivery.webhooks.signing import verify
from tests.browser.conftest import IN_CHROMIUM, Site, open_page, picture
from tests.support.living import Living, living

pytestmark = IN_CHROMIUM

EMAIL, SECRET = "newcomer@members.example", "a good long password"


async def test_from_sign_up_to_the_first_match(chromium: Browser, tmp_path: Path) -> None:
    async with living(tmp_path, 60) as service:
        site = Site(service.url)
        page = await open_page(chromium, site)
        await _sign_up(page, service)
        key = await _first_key(page, service)
        await service.run("account", "plan", EMAIL, "--days", "30")
        await _tools(page, service)
        await _webhook(page, service)
        await _check(page, service)
        await _rule_and_match(page, service, key)
        await page.goto(f"{service.url}/account/keys")
        assert "never" not in await page.inner_text("tbody")
        # one form was refused on purpose, which the browser notes
        assert [each for each in site.complaints if "422" not in each] == []


async def _sign_up(page: Page, service: Living) -> None:
    await page.goto(f"{service.url}/")
    await page.click("text=Sign up for free")
    await page.fill("#f-email", EMAIL)
    await page.fill("#f-password", SECRET)
    await page.keyboard.press("Enter")
    await page.wait_for_selector("text=Check your inbox")
    links = re.findall(rf"{re.escape(service.url)}/verify/\S+", await service.mail_to(EMAIL))
    assert links
    await page.goto(links[0])
    await page.click("main button")
    # confirmed where somebody signed up: nobody signs in a second time
    await page.wait_for_selector("h1:has-text('Live')")
    await page.goto(f"{service.url}/domains")
    await expect(page.locator(".hunt tbody tr")).to_have_count(5)


async def _first_key(page: Page, service: Living) -> str:
    await page.goto(f"{service.url}/account/keys")
    await page.fill("#f-name", "first")
    await page.click("text=Create key")
    key = await page.inner_text("#key")
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{service.url}/api/v1/domains", headers=headers) as answer,
    ):
        assert answer.status == 200
        assert len((await answer.json())["data"]) == 5
    return key


async def _tools(page: Page, service: Living) -> None:
    await page.goto(f"{service.url}/domains?sort=score")
    name = await page.locator(".hunt .name", has_text=re.compile(r"\.(com|org)$")).first.inner_text()
    await page.goto(f"{service.url}/tools?domain={name}")
    await page.click("text=Ask the registry")
    await expect(page.locator("#answer h2")).to_contain_text(name)
    await expect(page.locator("#answer")).to_contain_text("Registrar")
    await page.fill("#f-domains", f"{name}\nnobody-has-this-name-until-now.com")
    await page.click("text=Look them up")
    await expect(page.locator("#answer tbody tr")).to_have_count(2)
    await expect(page.locator("#answer tbody")).to_contain_text("Available")
    await page.fill("#f-rated", name)
    await page.click("text=Show ratings")
    await expect(page.locator("#answer tbody td.n")).to_have_text(re.compile(r"^\d+$"))
    # The best name may be one that is about to drop, which has no records any more.
    truth = (await service.ask("GET", "truth"))["domains"]
    held = next(
        domain
        for domain, told in truth.items()
        if {phase["state"] for phase in told["registry"]} <= {"active", "auto_renew"}
    )
    await page.fill("#f-host", held)
    await page.click("text=Show records")
    await expect(page.locator("#answer tbody")).to_contain_text("NS")
    await picture(page, "journey-tools", whole=True)


async def _webhook(page: Page, service: Living) -> None:
    await page.goto(f"{service.url}/account/webhooks")
    await page.fill("#f-url", "https://10.0.0.1/inside")
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.locator("#f-url-fault")).to_be_visible()
    assert await page.input_value("#f-url") == "https://10.0.0.1/inside"
    await page.fill("#f-url", f"{service.sandbox}/_sandbox/hooks/mine")
    await page.get_by_role("button", name="Add", exact=True).click()
    secret = await page.inner_text("#secret")
    await page.click("td.name a")
    await page.click("text=Send a test event")
    await _until_delivered(page)
    await page.click("text=Send again")
    await _until_delivered(page)
    got = await service.ask("GET", "hooks/mine")
    assert [each["headers"]["Service-Event"] for each in got] == ["ping", "ping"]
    assert got[0]["body"] == got[1]["body"]
    for each in got:
        header = each["headers"]["Service-Signature"]
        assert verify(secret, header, each["body"].encode(), int(each["at"]) // 1000)
    await picture(page, "journey-webhook", whole=True)


async def _until_delivered(page: Page) -> None:
    for _ in range(200):
        if await page.locator("tbody .tag.ok", has_text="delivered").count():
            return
        await page.wait_for_timeout(500)
        await page.click("text=Look again")
    raise AssertionError(await page.inner_text("tbody"))


async def _check(page: Page, service: Living) -> None:
    truth = await service.ask("GET", "truth")
    name = next(name for name, told in truth["domains"].items() if told["role"].startswith("spam"))
    await page.goto(f"{service.url}/checks")
    await page.fill("#f-domain", f"https://www.{name}/some/page")
    await page.click("text=Order check")
    await page.wait_for_url("**/checks/chk_*")
    await expect(page.locator("h1")).to_contain_text(name)
    # no reload: the page follows the check by itself
    await expect(page.locator("#check")).to_contain_text("REJECTED", timeout=90_000)
    await expect(page.locator("#check")).to_contain_text("We never list it")
    await expect(page.locator("svg.strip.full")).to_be_visible()
    await picture(page, "journey-check", whole=True)


async def _rule_and_match(page: Page, service: Living, key: str) -> None:
    await page.goto(f"{service.url}/domains?min_score=40")
    await page.locator("summary", has_text="Save filter").click()
    await page.fill("#f-name", "Anything decent")
    await page.select_option("#f-telling", "instant")
    await page.get_by_role("button", name="Save", exact=True).first.click()
    await page.goto(f"{service.url}/account/filters")
    mine = page.locator("tbody tr", has_text="Anything decent")
    assert "last" not in await mine.inner_text()
    for days in (1, 2, 3):
        at = datetime.now(UTC) + timedelta(days=days)
        await service.ask("PUT", "now", {"now": at.strftime("%Y-%m-%dT%H:%M:%SZ")})
        await service.run("scan")
        for _ in range(60):
            await page.reload()
            if "last" in await mine.inner_text():
                break
            await page.wait_for_timeout(300)
        else:
            continue
        break
    await expect(mine).to_contain_text("last")
    await picture(page, "journey-match", whole=True)
    await mine.locator("a").first.click()
    await expect(page.locator("h1")).not_to_be_empty()
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{service.url}/api/v1/alerts/matches", headers=headers) as answer,
    ):
        assert (await answer.json())["data"][0]["alert"]["name"] == "Anything decent"
