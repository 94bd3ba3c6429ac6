"""Every page in Chromium for each kind of visitor: it fits, does not shift, is accessible, and has no errors."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from afterdrop.accounts import tokens
from afterdrop.delivery.mail.store import unsubscribe_token
from afterdrop.web.site.doc_pages import GUIDES
from afterdrop.web.site.routes import site_routes
from tests.browser.conftest import IN_CHROMIUM, SHOTS, Site, open_page, picture
from tests.browser.cut import WIDTHS, cut_at
from tests.support.rows import NOW

pytestmark = IN_CHROMIUM

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
RUN_AXE = """axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})
  .then(found => found.violations.map(each => each.id + ' ' + each.nodes[0].html))"""
WATCH_SHIFTS = """window.shifted = 0; window.moved = []; new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) {
    window.shifted += entry.value;
    for (const {node} of entry.sources) window.moved.push(node?.className || node?.nodeName);
  }
}).observe({type: 'layout-shift', buffered: true});"""
# What a visitor may notice. The web calls .1 good; this is a twentieth of it: half of the screen moves by 1 % of its
# height, which is less than half a line of text. The site itself aims at none: see `test_slow_line.py`.
SHIFT_NOTICED = 0.005
ROOM = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

OPEN = (
    "/",
    "/sign-in",
    "/sign-up",
    "/forgotten",
    "/pricing",
    "/sample",
    "/terms",
    "/privacy",
    "/docs",
    *(f"/docs/{name}" for name in GUIDES),
)
LISTS = ("/domains", "/domains?q=hut&min_dr=10&type=auction,bid", "/domains?q=nothing-like-it")
MEMBER = (
    *LISTS,
    *("/domains/available", "/domains/archive", "/domains/open-today.com", "/checks", "/tools"),
    *("/account", "/account/keys", "/account/settings", "/account/watchlist"),
    *(
        "/account/webhooks",
        "/account/data",
        "/checks/bulk",
        "/checks/bulk?names=open-today.com,done.com,new.com",
    ),
    *(
        "/desk",
        "/drops",
        "/drops?day=followed",
        "/account/notes",
        "/domains/rejected",
    ),
    *("/account/filters", "/account/shares", "/s/unknown"),
)
PRO = (
    *(
        "/domains/hostile.com",
        "/domains/freed.net",
        "/domains?q=hut&saved=Huts",
        "/domains/ended.org/takeover",
    ),
    *(
        "/compare",
        "/compare?d=open-today.com,alpine-hut-9.org,alpine-hut-20.co.uk",
        "/compare?d=nothing.invalid",
    ),
    *("/domains?lang=cs", "/domains?max_price=0&since=2026-01-01", "/domains?page=0&min_score=101"),
)
OPERATOR = (
    *("/admin", "/admin/accounts", "/admin/rejections", "/admin/takeovers"),
    "/domains/ended.org/takeover",
)
# downloads and addresses that only lead on, not pages
FILES = (
    *(
        "/checks/batch/{id}/table.csv",
        "/domains/{domain}/end.ics",
        "/domains/{domain}/kit.zip",
        "/domains/{domain}/takeover/{record}",
        "/domains/{domain}/registration",
        "/account/data.json",
        "/account/notes.csv",
        "/account/watchlist.csv",
        "/drops/{end}.ics",
        "/csv/{which:list}",
        "/static/{name:path}",
        "/robots.txt",
        "/sitemap.xml",
    ),
    *("/alerts", "/webhooks", "/watchlist", "/once/{token}"),
)


def _with_links(site: Site) -> list[str]:
    secret_box, account = site.environment.secret_box, site.accounts["free"]
    return [
        f"/verify/{tokens.make_token(secret_box, 'verify', account, NOW)}",
        f"/reset/{tokens.make_token(secret_box, 'reset', account, NOW)}",
        f"/unsubscribe/{unsubscribe_token(secret_box, account.id, 'alerts', NOW)}",
        "/verify/forged",
        f"/check-one/{site.made['visitor']}",
        f"/check-one/{'w' * 32}",
    ]


def _lent(site: Site) -> str:
    return f"/s/{site.made['share']}/open-today.com"


def paths_of(site: Site, who: str) -> list[str]:
    """The pages that this kind of visitor walks through."""
    if who == "visitor":
        return [
            *OPEN,
            *_with_links(site),
            "/domains",
            "/sample/open-today.com",
            f"/s/{site.made['share']}",
            _lent(site),
            f"/s/{site.made['share']}/ended.org/takeover",
            "/no-such-page",
        ]
    if who == "operator":
        return list(OPERATOR)
    if who == "free":
        return [*MEMBER, "/domains/alpine-hut-1.com", "/domains/ended.org"]
    made = site.made
    own = [f"/checks/{made[name]}" for name in ("waiting", "done", "steady", "casino", "nothing")]
    own.append(f"/checks/batch/{made['batch']}")
    return [
        *MEMBER,
        *PRO,
        *own,
        f"/s/{site.made['share']}",
        _lent(site),
        f"/account/webhooks/{made['hook']}",
        f"/account/webhooks/{made['hook']}/{made['delivery']}",
    ]


@pytest.mark.parametrize(
    ("who", "width", "dark"),
    [
        ("visitor", 1280, False),
        ("visitor", 360, True),
        ("free", 360, False),
        ("free", 1280, True),
        ("pro", 1280, True),
        ("pro", 1920, False),
        ("pro", 360, False),
        ("operator", 1280, True),
        ("operator", 360, False),
    ],
)
async def test_pages(chromium: Browser, site: Site, who: str, width: int, dark: bool) -> None:
    page = await open_page(chromium, site, width=width, dark=dark)
    await page.add_init_script(WATCH_SHIFTS)
    # the server's clock, so that countdowns say the same in both
    await page.clock.set_fixed_time(NOW)
    if who != "visitor":
        await site.sign_in(page, who)
    wrong: dict[str, object] = {}
    for path in paths_of(site, who):
        await page.goto(site.url + path)
        found = await faults(page)
        found += await cut_at(page, *(WIDTHS if width == 1280 else (width,)))
        if found:
            wrong[path] = found
    assert wrong == {}
    # pages that answer 403, 404, 410 or 422 on purpose are noted by the browser
    assert [each for each in site.complaints if not re.search(r"status of 4(03|04|10|22)", each)] == []


# Links to pages that a team shows to its members alone.
LINKS_OUT = """[...document.querySelectorAll('a')].map(a => a.getAttribute('href') || '')
  .filter(to => /^\\/(domains|docs|pricing|sample|s\\/|account|checks|tools)/.test(to))"""
# A page that anybody may open, of those that the walk of a public service opens.
WAY_IN = re.compile(
    r"/(sign-in|sign-up|forgotten|terms|privacy|verify/.*|reset/.*|unsubscribe/.*|no-such-page)"
)


@pytest.mark.parametrize("site", ["team"], indirect=True)
async def test_strangers_of_a_team_see_the_way_in_alone(chromium: Browser, site: Site) -> None:
    page = await open_page(chromium, site)
    await page.add_init_script(WATCH_SHIFTS)
    walked = {path for who in ("visitor", "free", "pro", "operator") for path in paths_of(site, who)}
    wrong: dict[str, object] = {}
    for path in sorted(walked):
        await page.goto(site.url + path)
        found = (
            []
            if WAY_IN.fullmatch(path) or await page.title() == "Sign in · Afterdrop"
            else [await page.title()]
        )
        found += await page.evaluate(LINKS_OUT)
        if path in ("/", "/domains", "/sign-in"):
            found += await faults(page)
        if found:
            wrong[path] = found
    assert wrong == {}
    # pages that are refused on purpose are noted by the browser
    assert [each for each in site.complaints if not re.search(r"status of 4\d\d", each)] == []
    await site.sign_in(page, "free")
    assert await page.locator(".hunt tbody tr").count()


async def faults(page: Page, again: Callable[[], Awaitable[object]] | None = None) -> list[str]:
    """What is wrong with the page that is shown.

    A shift counts when it comes again in a second load: on a busy machine Chromium may paint half of a page once.
    `again` loads the page and brings it to the same state; without it, the page is reloaded.
    """
    over = await page.evaluate(ROOM)
    found = [f"{over} px too wide"] if over > 0 else []
    await page.evaluate(AXE)
    found += await page.evaluate(RUN_AXE)
    shifts = [await shift(page)]
    if shifts[0][0] > SHIFT_NOTICED:
        await (again or page.reload)()
        await page.evaluate(AXE)
        await page.evaluate(RUN_AXE)  # takes a moment, in which late parts of the page may come
        shifts.append(await shift(page))
    return found + ([f"shifts by {shifts}"] if shifts[-1][0] > SHIFT_NOTICED else [])


async def shift(page: Page) -> tuple[float, list[str]]:
    """By how much the page's parts moved since it was loaded (Cumulative Layout Shift), and which."""
    shifted, moved = await page.evaluate("[window.shifted, window.moved]")
    return shifted, moved


CUT_HERE = """<main><style>.narrow { width: 60px } .hidden { overflow: hidden } button { white-space: nowrap }
  .room { width: 900px } .scroll { overflow-x: auto }</style>
<div class="card narrow">%s</div></main>"""


@pytest.mark.parametrize(
    ("inside", "wide", "phone"),
    [
        ("<button>Bid</button><h2>Ab</h2>", None, None),
        (
            "<div class=hidden><button>Bid at an auction</button></div>",
            "beyond div.hidden",
            "beyond div.hidden",
        ),
        ("<button>Bid at an auction</button>", "beyond div.card narrow", "beyond div.card narrow"),
        ("<h2 class=hidden>Auctioneers</h2>", "px of its text", "px of its text"),
        (
            "<p class=hidden><a>a-long-name.example</a></p>",
            "cuts “a-long-name.example”",
            "cuts “a-long-name.example”",
        ),
        ("<p class=hidden><b class=chip>Unwrappable</b></p>", "cuts “Unwrappable”", "cuts “Unwrappable”"),
        ("<table><tr><td>Overhanging</table>", "cuts “Overhanging”", "cuts “Overhanging”"),
        ("<p class=hidden><a>a.io</a> <i class=t>Untitledness</i></p>", None, None),
        ("<div class=scroll><table><tr><td><p class=room>a<td>b</table></div>", "scrolls", None),
        (
            "<div class=scroll><div class=room align=right><a class=button>Bid</a></div></div>",
            "beyond div.scroll",
            None,
        ),
    ],
)
async def test_what_is_cut_is_found(
    chromium: Browser, inside: str, wide: str | None, phone: str | None
) -> None:
    page = await chromium.new_page()
    await page.set_content(CUT_HERE % inside)
    for width, expected in ((1280, wide), (360, phone)):
        found = " ".join(await cut_at(page, width))
        assert expected in found if expected else found == "", (width, found)


# What a sheet of A4 has between its margins, in pixels of CSS.
PAPER = 688
# The captures that a printed page leads to, each with what is printed behind its link.
EVIDENCE = """[...document.querySelectorAll('.eras a, .risks a')].filter(a => a.checkVisibility())
  .map(a => [a.getAttribute('href'), getComputedStyle(a, '::after').content])"""


@pytest.mark.parametrize("name", ["open-today", "casino", "nothing", "compare", "checks"])
async def test_what_is_printed(chromium: Browser, site: Site, name: str) -> None:
    page = await open_page(chromium, site, width=800)
    await page.clock.set_fixed_time(NOW)
    await site.sign_in(page, "pro")
    await page.emulate_media(media="print")
    paths = {
        "open-today": "/domains/open-today.com",
        "compare": "/compare?d=open-today.com,alpine-hut-9.org",
        "checks": "/checks",
    }
    await page.goto(site.url + (paths.get(name) or f"/checks/{site.made[name]}"))
    assert await page.evaluate(ROOM) <= 0
    assert await cut_at(page, PAPER) == []
    SHOTS.mkdir(parents=True, exist_ok=True)
    assert (await page.pdf(path=SHOTS / f"print-{name}.pdf", format="A4")).startswith(b"%PDF")
    for hidden in (".top", "form", "button"):
        assert not await page.locator(hidden).filter(visible=True).count(), hidden
    addresses = await page.evaluate(EVIDENCE)
    assert all(href in printed or "attr(href)" in printed for href, printed in addresses)
    assert bool(addresses) == (name in ("open-today", "casino"))
    await picture(page, f"print-{name}", whole=True)
    assert site.complaints == []


async def test_no_page_is_left_out(site: Site) -> None:
    paths = {who: paths_of(site, who) for who in ("visitor", "free", "pro", "operator")}
    walked = [path.partition("?")[0] for each in paths.values() for path in each]
    for route in site_routes():
        if "GET" in (route.methods or {"GET"}) and route.path not in FILES:
            assert any(route.path_regex.match(path) for path in walked), route.path


@pytest.mark.parametrize("width", [360, 1280])
async def test_refused_forms_and_new_secrets_are_accessible_too(
    chromium: Browser, site: Site, width: int
) -> None:
    page = await open_page(chromium, site, width=width)
    await page.add_init_script(WATCH_SHIFTS)
    wrong: dict[str, object] = {}

    async def sent(path: str, fields: dict[str, str], button: str) -> None:
        await page.goto(site.url + path)
        await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        for name, value in fields.items():
            await page.fill(f"#f-{name}", value)
        await page.evaluate("for (const form of document.forms) form.noValidate = true")
        await page.get_by_role("button", name=button, exact=True).first.click()
        await page.wait_for_load_state()
        found = await faults(page)
        for name, value in fields.items():
            if name != "password" and await page.input_value(f"#f-{name}") != value:
                found.append(f"{name} was not kept")
        if found:
            wrong[path] = found
        shot = re.sub(r"\W+", "-", path).strip("-")
        await picture(page, f"refused-{width}-{shot}", whole=True)

    await sent("/sign-up", {"email": "no address", "password": "short"}, "Create account")
    await sent("/sign-in", {"email": "nobody@members.example", "password": "wrong"}, "Sign in")
    await site.sign_in(page, "pro")
    await sent("/domains", {"min_score": "300", "tld": "c"}, "Show")
    await sent("/checks", {"domain": "no domain"}, "Order check")
    await sent("/tools", {"domain": "co.uk"}, "Ask the registry")
    await sent("/account/webhooks", {"url": "http://10.0.0.1/"}, "Add")
    await sent("/account/settings", {"digest_hour": "25"}, "Save")
    await page.goto(f"{site.url}/account/keys")
    await page.fill("#f-name", "a key")
    await page.get_by_role("button", name="Create key").click()
    assert await faults(page) == []
    assert wrong == {}
