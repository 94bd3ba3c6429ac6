"""A report on paper: two sheets of A4 with what a buyer's client asks, and whole tables only where they are open."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from playwright.async_api import Browser, Page

from afterdrop.db.tables.review import archived_pages
from afterdrop.sources.lookups import registry, store
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer
from tests.browser.conftest import IN_CHROMIUM, Site, open_page
from tests.support.rows import DAY, NOW, put, row
from tests.support.site_world import era, report

pytestmark = IN_CHROMIUM

NAME = "wetherbourne-and-district-choral-society.com"
SAID = (
    "Concerts, rehearsals and tickets of the choral society of Wetherbourne and district since 1911: "
    "sacred music, folk songs of the valley, and every December the carols in the market hall"
)


def much(links: int) -> dict[str, Any]:
    """A report with as much of everything as real ones have."""
    found = report(SAID, SAID)
    one = found["links"][0]
    found["links"] = [
        {
            **one,
            "domain": f"the-very-long-name-of-linking-site-{n}.example",
            "page": f"https://www.linking-site-{n}.example/2012/09/societies-and-clubs-of-the-county/{n}/",
            "text": f"Linked {n}: {SAID}"[:120],
            "target": f"http://{NAME}/concerts/{2000 + n}/programme/index.php?page={n}",
            "rating": 90 - n,
            "today": one["today"] if n else None,
        }
        for n in range(links)
    ]
    found["links_today"] |= {
        "pages": links - 1,
        "there": links - 1,
        "removed": 0,
        "page_gone": 0,
        "domain_gone": 0,
    }
    found["history"]["eras"] = [
        era(
            "parked" if n % 3 == 2 else "site",
            f"{2004 + 2 * n}-03-01T00:00:00Z",
            f"{2005 + 2 * n}-12-01T00:00:00Z",
            language="en",
            title=SAID[:70],
            topic="Arts",
            excerpt=f"Quote {n}: {SAID}",
        )
        for n in range(8)
    ]
    found["history"]["findings"] *= 12
    for check in found["risk_checks"][:4]:
        check |= {"result": "found", "severity": "risk", "note": SAID}
    found["anchors"]["top"] = [{"text": SAID[:90], "referring_domains": 31, "era": 1} for _ in range(20)]
    found["top_referring_domains"] = [f"linking-site-{n}.example" for n in range(30)]
    return found


async def listed(site: Site, links: int) -> None:
    """The name is listed, with old pages and with what its registry says."""
    facts = Registration(NAME, "registered", registrar="Gandi SAS", registered_at=NOW - 900 * DAY)
    kept = registry.to_json(RegistryAnswer("registered", facts))
    async with site.environment.database.write() as conn:
        await put(conn, row(NAME, title=SAID, report=much(links), score=75))
        await store.cache_answers(conn, {f"facts:{NAME}": kept}, NOW, 999)
        for n in range(20):
            page = {"domain": NAME, "era": 1, "overall": True, "path": f"/{n}/", "url": f"http://{NAME}/{n}/"}
            page |= {"captures": 9, "last_capture": "2020-05-01", "timestamp": "20200501000000"}
            page |= {"title": SAID, "words": 620, "content_state": "stored", "content": SAID * 20}
            await conn.execute(sa.insert(archived_pages).values(**page))


async def printed(page: Page) -> int:
    """Press the button as a buyer does, and count the sheets of A4 that come out."""
    async with page.expect_console_message(lambda said: said.text == "printed"):
        await page.locator("[data-print]").click()
    return (await page.pdf(format="A4")).count(b"/Type /Page\n")


async def on_paper(page: Page) -> None:
    """Show the page as it is printed."""
    await page.emulate_media(media="print")
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")


async def opened(chromium: Browser, site: Site) -> Page:
    """The report, in a window whose printer only says that it was asked."""
    page = await open_page(chromium, site)
    await page.add_init_script("window.print = () => console.log('printed')")
    await page.clock.set_fixed_time(NOW)
    await site.sign_in(page, "pro")
    await page.goto(f"{site.url}/domains/{NAME}")
    return page


@pytest.mark.parametrize("links", [3, 60])
async def test_a_report_is_two_sheets(chromium: Browser, site: Site, links: int) -> None:
    await listed(site, links)
    page = await opened(chromium, site)
    assert await printed(page) == 2
    assert not await page.locator("details[open]").count(), "the screen is as it was"
    await on_paper(page)
    said = await page.inner_text("main")
    assert all(f"Linked {n}:" in said for n in range(min(links, 10)))
    assert "Linked 10:" not in said and (": the first ten" in await after(page)) == (links == 60)
    assert "not looked at" in said and "Gandi SAS" in said, (
        "what the registry says, though nobody scrolled to it"
    )
    assert "$50" in said and "still there" in said and "Inflated rating" in said
    assert await page.locator("blockquote").filter(visible=True).count() == 3
    for left_out in ("Revival kit", "What the columns", "Notes from the review", "Most used link texts"):
        assert left_out not in said
    assert site.complaints == []


async def after(page: Page) -> str:
    """What the style adds to the heading of the table of links."""
    heading = "getComputedStyle(linked.closest('details').querySelector('summary'), '::after').content"
    return str(await page.evaluate(heading))


# How many lines the rating of a link and the years of its owner take, each.
LINES = """[...document.querySelectorAll('#linked tbody td:is(.n, :last-child)')].map(cell => {
  const range = document.createRange();
  range.selectNodeContents([...cell.childNodes].find(node => node.textContent.trim()));
  return new Set([...range.getClientRects()].map(each => each.top)).size; })"""


async def test_a_table_that_is_open_is_printed_whole(chromium: Browser, site: Site) -> None:
    await listed(site, 60)
    page = await opened(chromium, site)
    await page.locator("details:has(#linked) > summary").click()
    assert 3 <= await printed(page) < 12
    assert await page.locator("details[open] #linked").count() == 1
    await on_paper(page)
    await page.set_viewport_size({"width": 794, "height": 1000})
    assert await page.locator("#linked tbody tr").filter(visible=True).count() == 60
    assert set(await page.evaluate(LINES)) == {1}


async def test_where_the_registry_cannot_be_reached_the_rest_is_printed(
    chromium: Browser, site: Site
) -> None:
    await listed(site, 3)
    page = await opened(chromium, site)
    await page.route("**/registration", lambda route: route.abort())
    assert await printed(page) == 2
