"""Hunting in a real browser: how much a screen shows, how few actions a job takes, how quick and steady the list is."""

from __future__ import annotations

import re
from functools import partial

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.conftest import IN_CHROMIUM, Site, open_page, picture
from tests.browser.test_every_page import WATCH_SHIFTS, faults
from tests.support.rows import NOW

pytestmark = IN_CHROMIUM


async def opened(
    chromium: Browser,
    hunt: Site,
    size: tuple[int, int] = (1280, 900),
    *,
    dark: bool = False,
    own_clock: bool = False,
) -> Page:
    """The default list, signed in on Pro. With a clock of its own the browser knows how it came to a page."""
    page = await open_page(chromium, hunt, width=size[0], dark=dark)
    await page.set_viewport_size({"width": size[0], "height": size[1]})
    await page.add_init_script(WATCH_SHIFTS)
    if not own_clock:
        await page.clock.set_fixed_time(NOW)
    await hunt.sign_in(page, "pro")
    return page


def names(page: Page) -> Locator:
    """The names of the list's rows."""
    return page.locator(".hunt tbody .name")


WHOLE = """[...document.querySelectorAll('.hunt tbody tr')].filter(row => {
  const box = row.getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight;
}).length"""


@pytest.mark.parametrize(
    ("size", "least"), [((1280, 900), 18), ((1920, 1080), 24), ((360, 740), 6), ((390, 844), 6)]
)
async def test_a_screen_shows_many_domains_with_the_filters(
    chromium: Browser, hunt: Site, size: tuple[int, int], least: int
) -> None:
    page = await opened(chromium, hunt, size)
    await expect(page.locator("#f-q")).to_be_in_viewport()
    shown = await page.evaluate(WHOLE)
    print(f"{size[0]} x {size[1]}: {shown} whole domains")
    await picture(page, f"hunt-{size[0]}")
    assert shown >= least
    heights = await page.evaluate(
        "[...document.querySelectorAll('.hunt tbody tr')].map(row => row.offsetHeight)"
    )
    usual = 33 if size[0] > 700 else 82
    # a name as long as names come wraps, and nothing else does
    taller = [each for each in heights if each > usual]
    assert len(taller) <= 3 and len(heights) == 50


async def test_a_domains_name_has_room_at_every_width(chromium: Browser, hunt: Site) -> None:
    """The name's column is what the others leave; between a phone and a wide screen that was once nothing."""
    narrow = []
    for width in (740, 860, 981, 1181, 1280):
        page = await opened(chromium, hunt, (width, 900))
        for which in ("", "/available", "/archive"):
            await page.goto(f"{hunt.url}/domains{which}")
            column = page.locator(".hunt tbody th").first
            room = [await _width(column)]
            await page.goto(f"{hunt.url}{await names(page).first.get_attribute('href')}")
            room.append(await _width(column))
            narrow += [(width, which, room)] if min(room) < 100 else []
        await page.context.close()
    assert narrow == []


async def _width(shown: Locator) -> float:
    box = await shown.bounding_box()
    return box["width"] if box else 0


async def test_the_first_domain_is_within_three_tabs(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(names(page).first).to_be_focused()


async def test_who_caught_it_stands_in_the_list(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    await page.goto(f"{hunt.url}/domains/archive")
    row_ = page.locator(".hunt tbody tr", has_text="caught.com")
    await expect(row_.locator(".c-outcome")).to_have_text("Caught by Gandi SAS after 2 d")


async def test_the_short_report_stands_beside_the_list_and_back_works(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    await names(page).nth(1).click()
    await expect(page.locator(".short h2").first).to_have_text("bakery-1.com")
    assert "open=bakery-1.com" in page.url
    assert await names(page).count() == 50
    await page.keyboard.press("j")
    await expect(page.locator(".short h2").first).to_have_text("bakery-2.com")
    await expect(page.locator("tr.is-open .name")).to_have_text("bakery-2.com")
    await page.go_back()
    await expect(page.locator(".short h2").first).to_have_text("bakery-1.com")
    await page.reload()
    await expect(page.locator(".short h2").first).to_have_text("bakery-1.com")
    await page.keyboard.press("Escape")
    await expect(page.locator(".short")).to_have_count(0)
    assert "open=" not in page.url
    await names(page).nth(3).click()
    await page.locator(".short").wait_for()
    await page.keyboard.press("o")
    await page.wait_for_url("**/domains/bakery-3.com")


async def test_keys_move_select_follow_and_search(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    for key in ("j", "j", "x"):
        await page.keyboard.press(key)
    second = page.locator(".hunt tbody tr").nth(1)
    await expect(second.locator(".c-sel input")).to_be_checked()
    await page.keyboard.press("x")
    await page.keyboard.press("k")
    await page.keyboard.press("w")
    first = page.locator(".hunt tbody tr").nth(0)
    await expect(first.locator(".star")).to_have_attribute("aria-pressed", "true")
    await page.keyboard.press("Shift+?")
    await expect(page.locator("#keys")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator("#keys")).to_be_hidden()
    await page.keyboard.press("/")
    await page.keyboard.type("jxw bakery")
    await expect(page.locator("#f-q")).to_have_value("jxw bakery")
    await expect(page.locator("#count")).to_contain_text("0")
    await page.fill("#f-q", "bakery-")
    await expect(page.locator("#count")).to_contain_text("8")


async def test_an_empty_list_says_what_to_widen(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    await page.goto(f"{hunt.url}/domains?q=bakery&ending_within_hours=24")
    await page.get_by_role("link", name="Ends within 48 h: 68").click()
    await expect(names(page)).to_have_count(50)


async def test_columns_are_kept_as_arranged(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    await page.click("summary >> text=Columns")
    await page.uncheck(".arrange [value=cf]")
    await page.fill(".arrange [name=at-flags]", "1")
    await page.fill(".arrange [name=at-life]", "99")
    await page.get_by_role("button", name="Save", exact=True).click()
    heads = page.locator(".hunt thead th")
    await expect(heads.nth(3)).to_have_text("Flags")
    assert (await heads.all_inner_texts())[3:5] == ["Flags", "Score"]
    await page.reload()
    assert "CF" not in await heads.all_inner_texts()
    await page.click("summary >> text=Columns")
    await page.get_by_role("button", name="Reset", exact=True).click()
    await expect(heads.nth(3)).to_have_text("Life")


async def test_the_list_follows_while_filters_are_chosen(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    await page.locator("summary", has_text="Filter").first.click()
    # typing finds a filter, Enter goes to it
    await page.fill("#find-filter", "trust from")
    groups = page.locator(".group:visible")
    await expect(groups).to_have_count(1)
    await page.press("#find-filter", "Enter")
    assert await page.evaluate("document.activeElement.name") in ("min_tf", "min_trust_ratio")
    await page.fill("#find-filter", "price up")
    await page.press("#find-filter", "Enter")
    await page.keyboard.type("100")
    await expect(page.locator("#count")).to_contain_text("30")
    await expect(names(page)).to_have_count(30)
    await expect(page.locator("#chips .on")).to_have_text("Up to $100, or no price yet")
    await expect(page).to_have_url(f"{hunt.url}/domains?max_price=100")
    button = page.locator(".filter-pop").get_by_role("button", name="Show")
    await expect(button).to_be_in_viewport(ratio=1)
    # what is typed into the search box is asked for, too, and the box of filters stays as it is
    await page.fill("#f-q", "bakery-3")
    await expect(names(page)).to_have_text(["bakery-3.com"])
    # a value that no filter takes is said, and the rest is asked for
    await page.fill("#f-q", "dr>300 bakery-3")
    await expect(page.locator("#pick .notice")).to_contain_text("DR takes a number from 0 to 100")
    await expect(names(page)).to_have_text(["bakery-3.com"])
    # more than can be searched for is said, and the list is not shown as if it had been asked for
    await page.fill("#f-q", "x" * 61)
    await expect(page.locator("#count")).to_have_text("?")
    await expect(names(page)).to_have_count(0)
    await page.fill("#f-q", "")
    await expect(names(page)).to_have_count(30)
    hunt.complaints[:] = [each for each in hunt.complaints if "422" not in each]


async def test_a_chip_goes_by_keyboard_and_by_touch(chromium: Browser, hunt: Site) -> None:
    for width in (360, 768, 1024, 1280, 1920):
        page = await opened(chromium, hunt, (width, 900))
        await page.goto(
            f"{hunt.url}/domains?lang=en,de,pl,cs&min_tf=20&max_price=1000&min_dr=10&q=bakery&min_bids=1"
        )
        chips = page.locator("#chips .on")
        await expect(chips).to_have_count(5)
        for chip in await chips.all():
            await expect(chip).to_be_in_viewport(ratio=1)
        await page.get_by_role("link", name="Remove filter: TF").focus()
        await page.keyboard.press("Enter")
        await expect(chips).to_have_count(4)
        assert "min_tf" not in page.url
        await page.get_by_role("link", name="Remove filter: English").click()
        await expect(chips).to_have_count(3)
        await page.context.close()


async def test_a_report_leads_back_to_its_place_in_the_list(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    await page.goto(f"{hunt.url}/domains?max_price=100&q=bakery")
    await names(page).nth(1).click()
    await page.locator(".short").wait_for()
    await page.keyboard.press("o")
    await page.wait_for_url("**/domains/bakery-1.com")
    await expect(page.locator(".trail")).to_contain_text("2 of 8")
    await page.keyboard.press("j")
    await page.wait_for_url("**/domains/bakery-2.com")
    await expect(page.locator(".trail")).to_contain_text("3 of 8")
    await page.get_by_role("link", name="Previous in the list").click()
    await page.wait_for_url("**/domains/bakery-1.com")
    await page.locator(".crumb").get_by_role("link", name="Live list").click()
    await expect(page).to_have_url(f"{hunt.url}/domains?max_price=100&q=bakery&open=bakery-1.com")
    await expect(page.locator("tr.is-open .name")).to_have_text("bakery-1.com")
    # a report that no list led to has no place in one
    await page.goto(f"{hunt.url}/domains/open-today.com")
    await expect(page.locator(".trail")).to_have_text("")


async def test_what_was_done_can_be_undone(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt, own_clock=True)
    star, told = page.locator(".hunt .star").first, page.locator(".toast.told")
    await page.keyboard.press("j")
    await page.keyboard.press("w")
    await expect(told).to_contain_text("You follow bakery-0.com.")
    await told.get_by_role("button", name="Undo").click()
    await expect(told).to_contain_text("You no longer follow bakery-0.com.")
    await expect(star).to_have_attribute("aria-pressed", "false")
    boxes = page.locator(".hunt tbody .c-sel input")
    for tag in ("rejected", "of mine"):
        await boxes.nth(0).check()
        await boxes.nth(1).check()
        await page.fill("#tag", tag)
        await page.locator(".tagging button").click()
        await expect(told).to_contain_text(f"2 domains: tagged “{tag}”.")
        await told.get_by_role("button", name="Undo").click()
        await expect(told).to_contain_text(f"“{tag}” is off 2 domains.")
        await page.goto(f"{hunt.url}/domains?tag={tag.replace(' ', '+')}")
        await expect(names(page)).to_have_count(0)
        # said once, where it was done
        await expect(told).to_have_count(0)
        await page.goto(f"{hunt.url}/domains")
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.keyboard.press("w")
    await expect(told).to_contain_text("You follow 2 domains.")
    await told.get_by_role("button", name="Undo").click()
    await expect(page.locator(".hunt .star[aria-pressed=true]", has=page.locator("svg"))).to_have_count(2)
    await page.goto(f"{hunt.url}/domains/bakery-3.com")
    await page.get_by_role("button", name="Follow", exact=True).click()
    await told.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("button", name="Follow", exact=True)).to_be_visible()


async def test_what_could_not_be_saved_says_so_and_is_tried_again(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt, own_clock=True)
    star, told = page.locator(".hunt .star").first, page.locator(".toast.told")
    await page.context.set_offline(True)
    await star.click()
    await expect(told).to_contain_text("Not saved: there is no connection.")
    await expect(star).to_have_attribute("aria-pressed", "false")
    await page.locator(".hunt tbody .c-sel input").first.check()
    await page.fill("#tag", "later")
    await page.locator(".tagging button").click()
    await expect(told).to_contain_text("Not saved: there is no connection.")
    await page.context.set_offline(False)
    await told.get_by_role("button", name="Try again").click()
    await expect(told).to_contain_text("bakery-0.com: tagged “later”.")
    hunt.complaints[:] = [each for each in hunt.complaints if not re.search("DISCONNECTED|htmx:", each)]


async def test_the_time_zone_is_asked_for_once(chromium: Browser, hunt: Site) -> None:
    context = await chromium.new_context(timezone_id="America/Argentina/Buenos_Aires")
    page = await context.new_page()
    await hunt.sign_in(page, "free")
    asked = page.locator("#zone")
    await expect(asked).to_contain_text("Times are in UTC. Show Buenos Aires time")
    await page.get_by_role("button", name="Keep UTC").click()
    await page.goto(f"{hunt.url}/desk")
    await expect(asked).to_be_hidden()
    await page.evaluate("localStorage.clear()")
    await page.reload()
    await page.get_by_role("button", name="Show Buenos Aires time").click()
    await page.wait_for_url("**/desk")
    await expect(page.locator(".lead-line")).to_contain_text("(Buenos Aires)")
    await expect(asked).to_have_count(0)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [(1280, 900), (1920, 1080), (1000, 800), (360, 740)])
async def test_every_state_of_the_list_is_accessible_and_still(
    chromium: Browser, hunt: Site, size: tuple[int, int], dark: bool
) -> None:
    page = await opened(chromium, hunt, size, dark=dark)
    look = f"{size[0]}-{'dark' if dark else 'light'}"
    states = {
        "open": "/domains?open=bakery-1.com",
        "filters": "/domains?lang=en&min_tf=20&max_price=1000&ending_within_hours=120&clean=true",
        "archive": "/domains/archive",
        "empty": "/domains?q=bakery&ending_within_hours=24",
    }
    wrong = {}

    async def show(state: str) -> None:
        await page.goto(hunt.url + states[state])
        if state == "filters":
            await page.locator(".hunt tbody .c-sel input").first.check()
            await page.locator("summary", has_text="Filter").first.click()

    for state in states:
        await show(state)
        found = await faults(page, partial(show, state))
        if found:
            wrong[state] = found
        await picture(page, f"hunt-{look}-{state}")
    assert wrong == {}


async def test_a_page_of_fifty_rows_is_light(chromium: Browser, hunt: Site) -> None:
    page = await opened(chromium, hunt)
    session = await page.context.new_cdp_session(page)
    await session.send("Network.enable")
    await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: dict[str, int] = {}
    asked: dict[str, str] = {}
    session.on(
        "Network.responseReceived", lambda event: asked.update({event["requestId"]: event["response"]["url"]})
    )
    session.on(
        "Network.loadingFinished",
        lambda event: sizes.update({asked.get(event["requestId"], "?"): int(event["encodedDataLength"])}),
    )
    await page.goto(f"{hunt.url}/domains")
    await page.wait_for_load_state("networkidle")
    assert await names(page).count() == 50
    print("\n".join(f"{size:7,} {url.partition('?')[0]}" for url, size in sizes.items()))
    assert sizes[f"{hunt.url}/domains"] <= 40_000


async def test_the_jobs_work_without_scripts(chromium: Browser, hunt: Site) -> None:
    context = await chromium.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    await hunt.sign_in(page, "pro")
    for suggested in ("English", "No serious risk", "TF ≥ 20", "≤ $100", "48 h"):
        await page.locator(".set a", has_text=suggested).click()
    await expect(names(page)).to_have_count(8)
    await names(page).nth(2).click()
    await expect(page.locator(".short")).to_contain_text("bakery-2.com")
    boxes = page.locator(".hunt tbody .c-sel input")
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.get_by_role("button", name="Compare").click()
    await expect(page.locator("thead .name")).to_have_count(2)
    await page.goto(f"{hunt.url}/domains")
    await page.locator(".hunt .star").first.click()
    await expect(page.locator(".hunt .star").first).to_have_attribute("aria-pressed", "true")
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.fill("#tag", "two of mine")
    await page.locator(".tagging button").click()
    await page.goto(f"{hunt.url}/domains?tag=two+of+mine")
    await expect(names(page)).to_have_count(2)
    await boxes.nth(1).check()
    await page.get_by_role("button", name="Copy names").click()
    await expect(page.locator("body")).to_contain_text("bakery-1.com")
    await page.go_back()
    await boxes.nth(0).check()
    await page.get_by_role("button", name="Share").click()
    await expect(page.locator("main")).to_contain_text("/s/")
    await page.goto(f"{hunt.url}/domains?tag=two+of+mine")
    await boxes.nth(0).check()
    await page.get_by_role("button", name="Check…").click()
    await page.wait_for_url("**/checks/bulk*")
    await expect(page.locator("main")).to_contain_text("bakery-0.com")
    await page.goto(f"{hunt.url}/domains?q=bakery&ending_within_hours=24")
    await page.get_by_role("link", name="Ends within 48 h: 68").click()
    await page.click("summary >> text=Save filter")
    await page.get_by_role("button", name="Save", exact=True).first.click()
    await expect(page.locator(".tab", has_text="“bakery”")).to_have_count(1)
