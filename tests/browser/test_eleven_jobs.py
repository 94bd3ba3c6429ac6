"""A buyer's eleven jobs in a real browser, each in as few actions: clicks, keys, and fields filled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.conftest import IN_CHROMIUM, Site
from tests.browser.test_hunting import names, opened

pytestmark = IN_CHROMIUM


@dataclass
class Hand:
    """A hand that counts its clicks, keys and filled fields."""

    page: Page
    actions: int = 0

    async def click(self, what: str | Locator, **more: Any) -> None:
        """Click once."""
        self.actions += 1
        await (self.page.locator(what) if isinstance(what, str) else what).click(**more)

    async def press(self, key: str) -> None:
        """Press a key."""
        self.actions += 1
        await self.page.keyboard.press(key)

    async def fill(self, what: str, text: str) -> None:
        """Fill in a field, or paste into it."""
        self.actions += 1
        await self.page.fill(what, text)

    async def choose(self, what: str, value: str) -> None:
        """Choose from a menu."""
        self.actions += 1
        await self.page.select_option(what, value)

    def took(self, job: str, most: int) -> None:
        """The job is done."""
        print(f"{job}: {self.actions} actions (at most {most})")
        assert self.actions <= most, job


async def test_choose_five(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    hand = Hand(page)
    await hand.press("/")
    await hand.fill("#f-q", "dr>10 tf>=20 <=$100 lang:en,de first<2015 is:no_serious_risk")
    await hand.press("Enter")
    await expect(page.locator("#chips .on")).to_have_count(6)
    await expect(names(page)).to_have_count(9)
    assert (await names(page).all_inner_texts())[:5] == [f"bakery-{n}.com" for n in range(5)]
    hand.took("five clean names by strength, price, language and age", 5)


async def test_choose_five_with_the_mouse_alone(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    hand = Hand(page)
    for suggested in ("English", "No serious risk", "TF ≥ 20", "≤ $100", "48 h"):
        await hand.click(page.locator(".set a", has_text=suggested))
        await page.wait_for_load_state()
    await expect(page.locator("#count")).to_contain_text("8")
    hand.took("the same with the mouse", 5)


async def test_why_and_what_was_there(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    hand = Hand(page)
    await hand.click(page.locator(".hunt .name", has_text="open-today.com"))
    await expect(page.locator(".short")).to_contain_text("points")
    await hand.press("o")
    await page.wait_for_url("**/domains/open-today.com")
    for part in ("life", "risks", "why", "links"):
        await expect(page.locator(f"#{part}")).to_be_visible()
    hand.took("why, its past, its owners and its links", 5)


async def test_compare_three(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    hand = Hand(page)
    boxes = page.locator(".hunt tbody .c-sel input")
    await hand.click(boxes.nth(1))
    await hand.click(boxes.nth(3), modifiers=["Shift"])
    await hand.press("c")
    await page.wait_for_url("**/compare?**")
    assert await page.locator("thead .name").all_inner_texts() == [f"bakery-{n}.com" for n in (1, 2, 3)]
    hand.took("compare three", 3)
    await page.go_back()
    best = Hand(page)
    await page.goto(f"{hunt.url}/domains?q=bakery")
    await best.press("c")
    await page.wait_for_url("**/compare?**")
    assert await page.locator("thead .name").all_inner_texts() == [f"bakery-{n}.com" for n in (0, 1, 2)]
    best.took("compare the best three", 1)


async def test_check_ten_own_names(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    hand = Hand(page)
    await hand.click(page.get_by_role("link", name="Checks", exact=True))
    await hand.fill("textarea[name=names]", "\n".join(f"own-{n}.com" for n in range(10)))
    await hand.click(page.get_by_role("button", name="Check 10 names for 10 credits"))
    await page.wait_for_url("**/checks/batch/**")
    await expect(page.locator("tbody tr")).to_have_count(10)
    hand.took("check ten own names", 3)


async def test_follow_a_drop(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    hand = Hand(page)
    await hand.click(page.get_by_role("link", name="Drops tomorrow"))
    row = page.locator(".hunt tbody tr", has_text="dropping.uk")
    await expect(row.locator(".c-market")).to_contain_text("Dropped.uk")
    await hand.click(row.locator(".name"))
    await expect(page.locator(".short")).to_contain_text("Backorder at")
    await hand.press("w")
    await expect(row.locator(".star")).to_have_attribute("aria-pressed", "true")
    hand.took("find a drop and its catcher, and follow it", 3)


async def test_save_a_search_with_a_daily_mail(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    await page.goto(f"{hunt.url}/domains?q=bakery&min_tf=20")
    hand = Hand(page)
    await hand.click("summary >> text=Save filter")
    await hand.choose("#f-telling", "daily")
    await hand.click(page.get_by_role("button", name="Save", exact=True).first)
    await expect(page.locator(".tab[aria-current]")).to_contain_text("bakery")
    assert page.url == f"{hunt.url}/domains?q=bakery&min_tf=20"
    hand.took("save a search with its daily mail, on the list", 3)
    await page.goto(f"{hunt.url}/account/filters")
    await expect(page.locator("tbody tr", has_text="bakery").locator("select")).to_have_value("daily")


async def test_share_ten(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    hand = Hand(page)
    boxes = page.locator(".hunt tbody .c-sel input")
    await hand.click(boxes.nth(0))
    await hand.click(boxes.nth(9), modifiers=["Shift"])
    here = page.url
    await hand.click(page.get_by_role("button", name="Share"))
    await expect(page.locator("#link")).to_contain_text(f"{hunt.url}/s/")
    await expect(page.locator("#made")).to_contain_text("10 domains, until")
    assert page.url == here
    hand.took("share ten", 3)


async def test_add_a_webhook_and_try_it(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    hand = Hand(page)
    await hand.click(page.get_by_role("link", name="Account", exact=True))
    await hand.click(page.get_by_role("link", name="Webhooks and keys", exact=True))
    await hand.fill("#f-url", "https://hooks.example.com/mine")
    await hand.click(page.get_by_role("button", name="Add", exact=True))
    await page.locator("#secret").wait_for()
    await hand.click("td.name a >> nth=0")
    await hand.click("text=Send a test event")
    await expect(page.locator("tbody").last).to_contain_text("ping")
    hand.took("add a webhook and send it a test", 7)


async def test_make_an_api_key(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    hand = Hand(page)
    await hand.click(page.get_by_role("link", name="Account", exact=True))
    await hand.click(page.get_by_role("link", name="Webhooks and keys", exact=True))
    await hand.click(page.get_by_role("link", name="API keys", exact=True))
    await hand.fill("#f-name", "first")
    await hand.click(page.get_by_role("button", name="Create key"))
    await page.locator("#key").wait_for()
    hand.took("make a key for the API", 5)


async def test_what_was_rejected_and_why(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    hand = Hand(page)
    await hand.press("/")
    await hand.fill("#f-q", "harbour-lights.com")
    await expect(page.locator("#pick")).to_contain_text("was rejected on")
    hand.took("what was rejected, and why", 3)


async def test_choose_and_follow_on_a_phone(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt, (390, 844))
    hand = Hand(page)
    await hand.click(page.locator(".tab", has_text="Under $100"))
    await expect(page.locator("#count")).to_contain_text("17")
    await hand.click(page.locator(".hunt .star").first)
    await expect(page.locator(".hunt .star").first).to_have_attribute("aria-pressed", "true")
    hand.took("choose and follow on a phone", 3)


async def test_follow_thirty_names_with_a_typo(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    await page.goto(f"{hunt.url}/account/watchlist")
    hand = Hand(page)
    await hand.fill("#f-names", "\n".join([*(f"own-{n}.com" for n in range(29)), "bad name here"]))
    await hand.click(page.get_by_role("button", name="Follow", exact=True))
    await expect(page.locator("#f-names-fault")).to_contain_text("“bad name here”")
    await hand.click(page.get_by_role("button", name="Follow the other 29"))
    await expect(page.locator("main")).to_contain_text("29 names are followed now.")
    hand.took("follow thirty names with one typo", 4)
    # the form was refused on purpose, which the browser notes
    hunt.complaints[:] = [each for each in hunt.complaints if "422" not in each]
