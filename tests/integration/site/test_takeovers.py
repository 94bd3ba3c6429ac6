"""What became of a name: the page with its evidence, who may open it, its share link, and the operators' counts."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from afterdrop.db.tables.review import visits
from afterdrop.sources.live.warc_record import evidence_dir, keep_record
from afterdrop.watching import store
from afterdrop.web.site.templates import day
from tests.support.browser import Browser, made_link, words
from tests.support.rows import DAY
from tests.support.service import ENDED, NOW, Service, row
from tests.support.site_world import report

PAGE = "/domains/gone.com/takeover"
HOSTILE = "</blockquote><script>alert(1)</script>\u202e <img src=http://evil.example/x>"


async def visited(service: Service, domain: str = "gone.com", **more: Any) -> None:
    """A visit of a name that was registered anew."""
    made: dict[str, Any] = {
        "domain": domain,
        "began_at": NOW - 10 * DAY,
        "day": 0,
        "visited_at": NOW - 2 * DAY,
    }
    made |= {"registrar": "X Inc.", "registered_at": NOW - 10 * DAY, "dropped_at": NOW - 19 * DAY}
    made |= {"kind": "spam", "category": "gambling", "title": HOSTILE, "quotes": [HOSTILE]}
    made |= {"url": f"http://{domain}/", "attempts": 1, "after_account": 0, "ours": "published"}
    async with service.database.write() as conn:
        await conn.execute(sa.insert(visits).values(**made | more))


async def follows(service: Service, who: str, domain: str = "gone.com") -> None:
    async with service.database.write() as conn:
        await store.insert_watches(conn, service.accounts[who].id, [domain], NOW - 20 * DAY)


async def test_followers_read_what_became_of_it(service: Service, browser: Browser) -> None:
    await visited(service)
    await browser.sign_in("pro")
    assert (await browser.get(PAGE)).status_code == 404, "nobody but followers"
    await follows(service, "pro")
    page = await browser.get(PAGE)
    said = words(page)
    assert "9 days after it dropped." in said
    assert "spam (gambling)" in said
    assert "<script>alert" not in page.text and "<img src=http" not in page.text
    assert "The verdict is" not in said and "Before" not in said
    assert "gone.com" in words(await browser.get("/desk"))
    assert f'href="{PAGE}"' in (await browser.get("/account/watchlist")).text
    answer = await browser.send(PAGE, {"began": "1", "day": "0", "label": "right"}, page=PAGE)
    assert answer.status_code == 404, "labels are the operators'"


async def test_it_is_part_of_pro(service: Service, browser: Browser) -> None:
    await visited(service)
    await follows(service, "free")
    await browser.sign_in("free")
    page = await browser.get(PAGE)
    assert page.status_code == 403
    assert "gambling" not in page.text


async def test_the_old_and_the_new_site_stand_side_by_side(service: Service, browser: Browser) -> None:
    await service.show(row("gone.com", report=report("Alpine huts and walks"), **ENDED))
    await visited(service, kind="parked", category=None, title="Lander", began_at=NOW - 9 * DAY)
    offer: dict[str, Any] = {
        "kind": "for_sale",
        "category": None,
        "price": "USD 900",
        "title": "Buy gone.com",
        "quotes": [],
    }
    await visited(service, day=30, visited_at=NOW - DAY, began_at=NOW - 9 * DAY, evidence="ab" * 32, **offer)
    await follows(service, "pro")
    await browser.sign_in("pro")
    page = await browser.get(PAGE)
    said = words(page)
    registered = day(NOW - 10 * DAY)
    assert f"Registered again on {registered} at X Inc, 9 days after it dropped." in said
    assert "Before “Alpine huts and walks” 2004–" in said
    assert f"Now For sale Since {day(NOW - DAY)}: for sale at USD 900. “Buy gone.com”" in said
    assert f"In between Since {registered}: a parking page." in said
    for ours in ("SHA-256", "WARC", "Evidence", "ab" * 32):
        assert ours not in page.text


async def test_the_page_that_was_read_can_be_downloaded(service: Service, browser: Browser) -> None:
    folder = evidence_dir(service.context.settings)
    name = keep_record(folder, b"\x1f\x8b a record")
    await visited(service, evidence=name)
    await follows(service, "pro")
    await browser.sign_in("pro")
    assert name not in (await browser.get(PAGE)).text
    assert (await browser.get(f"{PAGE}/{name}")).status_code == 200, "events name it"
    await browser.send("/sign-out", {}, page="/account")
    await browser.sign_in("operator")
    assert f"{PAGE}/{name}" in (await browser.get(PAGE)).text
    answer = await browser.get(f"{PAGE}/{name}")
    assert answer.content == b"\x1f\x8b a record"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    for wrong in ("0" * 64, "..%2F..%2Fsettings", "x"):
        assert (await browser.get(f"{PAGE}/{wrong}")).status_code == 404
    (folder / name[:2] / f"{name}.warc.gz").unlink()
    assert (await browser.get(f"{PAGE}/{name}")).status_code == 404


async def test_a_link_shows_it_to_strangers_without_the_download(
    service: Service, browser: Browser, second: Browser
) -> None:
    await visited(service, evidence="ab" * 32)
    await follows(service, "pro")
    await browser.sign_in("pro")
    link = await made_link(browser, "gone.com", "unknown.com")
    listed = await second.get(link)
    assert f"{link}/gone.com/takeover" in listed.text
    assert "unknown.com/takeover" not in listed.text
    page = await second.get(f"{link}/gone.com/takeover")
    assert page.status_code == 200
    assert "spam (gambling)" in words(page)
    assert "<script>alert" not in page.text and "WARC" not in page.text and "ab" * 32 not in page.text
    assert page.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert (await second.get(f"{link}/unknown.com/takeover")).status_code == 404
    assert (await second.get("/s/wrong/gone.com/takeover")).status_code == 404
    async with service.database.write() as conn:
        await store.delete_watch(conn, service.accounts["pro"].id, "gone.com")
    assert (await second.get(f"{link}/gone.com/takeover")).status_code == 404


async def test_operators_count_and_say_which_verdicts_are_right(service: Service, browser: Browser) -> None:
    await visited(service)
    await visited(service, "bad.com", ours="rejected", kind="other", title="A shop", category=None)
    await visited(service, "bad.com", ours="rejected", kind="spam", day=30, visited_at=NOW - DAY)
    await browser.sign_in("operator")
    counts = words(await browser.get("/admin/takeovers"))
    assert "Listed" in counts and "Rejected" in counts and "bad.com" in counts
    chosen = words(await browser.get("/admin/takeovers?ours=rejected&kind=spam"))
    assert "bad.com" in chosen and "gone.com" not in chosen
    assert (await browser.get("/admin/takeovers?kind=%00&ours=" + "x" * 99)).status_code == 200
    began = str(int((NOW - 10 * DAY).timestamp()))
    for label, kept in (("wrong", "wrong"), ("", None)):
        fields = {"began": began, "day": "0", "label": label}
        assert (await browser.send(PAGE, fields, page=PAGE)).status_code == 200
        async with service.database.read() as conn:
            found = await conn.scalar(sa.select(visits.c.label).where(visits.c.domain == "gone.com"))
        assert found == kept
    refused = await browser.send(PAGE, {"began": began, "day": "0", "label": "maybe"}, page=PAGE)
    assert refused.status_code == 422
    none = await browser.send(PAGE, {"began": began, "day": "7", "label": "right"}, page=PAGE)
    assert none.status_code == 404


async def test_nothing_is_known_before_the_first_visit(service: Service, browser: Browser) -> None:
    await follows(service, "pro", "fresh.com")
    await browser.sign_in("pro")
    assert "Nothing is known yet" in words(await browser.get("/domains/fresh.com/takeover"))
