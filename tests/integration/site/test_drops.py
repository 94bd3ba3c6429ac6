"""The pending-delete desk: days, windows, catchers, reminders, and nothing that a free account may not see."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from selectolax.lexbor import LexborHTMLParser

from afterdrop.db.tables.accounts import accounts
from afterdrop.sources.registry.release_hours import drop_end
from tests.support.browser import Browser, words
from tests.support.service import NOW, OPEN, Service, row


def dropping(domain: str, days: int = 0, **more: Any) -> dict[str, Any]:
    """A pending delete, whose list names the day but no hour."""
    ends_at = drop_end((NOW + timedelta(days=days)).date(), domain)
    values = {"type": "pending_delete", "price_usd": None, "url": None, "source_title": None}
    return row(domain, **{**values, "ends_at": ends_at, "live_until": ends_at, **more})


def windows(text: str) -> list[tuple[str, list[str]]]:
    """The heading of each window and its names."""
    found = []
    for each in LexborHTMLParser(text).css("section.card"):
        head = each.css_first(".win")
        assert head is not None
        names = [name.text() for name in each.css("td.name a")]
        found.append((" ".join(head.text(separator=" ").split()), names))
    return found


async def test_names_stand_by_window_with_catchers_and_countdown(service: Service, browser: Browser) -> None:
    await service.show(
        dropping("low.com", score=60),
        dropping("high.net", score=90),
        dropping("some.org"),
        dropping("later.com", 1),
        dropping("far.com", 20),
        row("auction.com"),
    )
    await browser.sign_in("pro")
    page = await browser.get("/drops")
    (known, names), (unknown, others) = windows(page.text)
    assert (names, others) == (["high.net", "low.com"], ["some.org"])
    assert ".com and .net Fri 20 Nov, from 19:00" in known
    assert "opens in 01:00:00" in known
    assert ".org during 20 Nov 2026" in unknown
    assert "hour not published" in unknown
    assert "Backorder at DropCatch" in words(page)
    assert "SnapNames" in words(page)
    days = [" ".join(each.text().split()) for each in LexborHTMLParser(page.text).css(".sub a")]
    assert days == ["Today 3", "Tomorrow 1", "Followed 0"]
    assert [names for _, names in windows((await browser.get("/drops?day=2026-11-21")).text)] == [
        ["later.com"]
    ]
    service.clock.move(hours=1, minutes=5)
    assert "open; its end is not published" in words(await browser.get("/drops"))


async def test_what_only_may_drop_is_called_that_without_a_countdown(
    service: Service, browser: Browser
) -> None:
    opens = drop_end((NOW + timedelta(days=3)).date(), "may.se") - timedelta(hours=2)
    await service.show(dropping("may.se", 3, certain_from=opens), dropping("will.com", 3))
    await browser.sign_in("pro")
    (head, _), _ = windows((await browser.get(f"/drops?day={opens.date()}")).text)
    assert (
        head.startswith(".se Mon 23 Nov, from 04:00 These names may still be renewed or taken")
        and "opens in" not in head
    )
    page = await browser.get("/domains")
    assert "may.se may drop" in words(page)
    listed = LexborHTMLParser(page.text)
    assert len(listed.css(".hunt .c-ends time")) == 2
    assert len(listed.css(".hunt .c-ends time[data-countdown]")) == 1
    assert [tag.text() for tag in listed.css(".hunt .tag")] == ["may drop"]
    report = await browser.get("/domains/may.se")
    assert "May drop from 23 Nov 2026, 04:00 UTC" in words(report)
    assert "It may drop from 23 Nov 2026, 04:00 UTC on" in words(report)
    assert "data-countdown" not in report.text
    service.clock.move(days=2, hours=10)
    (head, _), _ = windows((await browser.get(f"/drops?day={opens.date()}")).text)
    assert "open; its end is not published" in head
    assert "may drop" not in words(await browser.get("/domains/may.se")).lower()


SAID = ("Sat 21 Nov, from 04:00", "during 20 Nov 2026", "during 21 Nov 2026")


async def test_days_are_the_readers(service: Service, browser: Browser) -> None:
    async with service.database.write() as conn:
        await conn.execute(sa.update(accounts).values(zone="Asia/Tokyo"))
    await service.show(dropping("one.com"), dropping("two.org"), dropping("three.org", 1))
    await browser.sign_in("pro")
    # in Tokyo it is three in the morning of the 21st, .com drops at four, and the registry's 20th is not over
    found = windows((await browser.get("/drops")).text)
    assert {names[0]: next(said for said in SAID if said in text) for text, names in found} == {
        "one.com": "Sat 21 Nov, from 04:00",
        "two.org": "during 20 Nov 2026",
        "three.org": "during 21 Nov 2026",
    }


async def test_a_reminder_follows_the_domain_and_comes_back_to_the_page(
    service: Service, browser: Browser
) -> None:
    await service.show(dropping("one.com"))
    await browser.sign_in("pro")
    back = {"back": "/drops?day=2026-11-20"}
    page = await browser.send("/domains/one.com/watch", back, page="/drops")
    assert str(page.url).endswith("/drops?day=2026-11-20")
    assert "Reminder set" in words(page)
    assert [names for _, names in windows((await browser.get("/drops?day=followed")).text)] == [["one.com"]]
    page = await browser.send("/domains/one.com/unwatch", back, page="/drops")
    assert "Remind me" in words(page)


async def test_a_window_goes_into_a_calendar(service: Service, browser: Browser) -> None:
    await service.show(dropping("one.com"), dropping("two.net"), dropping("some.org"))
    await browser.sign_in("pro")
    page = LexborHTMLParser((await browser.get("/drops")).text)
    known, unknown = [each.attributes["href"] or "" for each in page.css(".win a")]
    file = await browser.get(known)
    assert file.headers["content-type"].startswith("text/calendar")
    for line in (
        "DTSTART:20261120T190000Z",
        "SUMMARY:.com and .net: 2 names drop",
        "DESCRIPTION:one.com\\, two.net",
    ):
        assert f"\r\n{line}\r\n" in file.text
    assert "DTEND" not in file.text, "no registry publishes when the release of .com is over"
    whole = (await browser.get(unknown)).text
    assert "\r\nDTSTART;VALUE=DATE:20261120\r\n" in whole
    for wrong in ("1", "x", "9" * 18):
        assert (await browser.get(f"/drops/{wrong}.ics")).status_code == 404


async def test_a_free_account_sees_open_domains_only_and_no_count_of_others(
    service: Service, browser: Browser
) -> None:
    await service.show(dropping("locked.com"), dropping("open.com", 0, **OPEN))
    await browser.sign_in("free")
    page = await browser.get("/drops")
    assert [names for _, names in windows(page.text)] == [["open.com"]]
    assert "Today 1 " in words(page)
    assert "locked.com" not in page.text
    end = LexborHTMLParser(page.text).css_first(".win a")
    assert end is not None
    assert "locked.com" not in (await browser.get(end.attributes["href"] or "")).text
    await browser.get("/drops")
    assert (await browser.post("/domains/locked.com/watch", {})).status_code == 403


async def test_odd_days_show_today(service: Service, browser: Browser) -> None:
    await service.show(dropping("one.com"))
    await browser.sign_in("pro")
    for day in ("", "x", "9999-12-31", "0001-01-01", "2026-13-01", "%00"):
        page = await browser.get(f"/drops?day={day}")
        assert (page.status_code, [names for _, names in windows(page.text)]) == (200, [["one.com"]])
