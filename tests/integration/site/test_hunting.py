"""What people do with a list by forms alone: choosing rows, columns, the short report, and the parts htmx asks for."""

from __future__ import annotations

import csv
import io
import re
from typing import Any
from urllib.parse import quote

import pytest
from selectolax.lexbor import LexborHTMLParser

from afterdrop.catalogue.purchase import shipped_catchers
from afterdrop.watching import desk_store as desk
from afterdrop.watching.store import published_watches
from tests.support.browser import Browser, words
from tests.support.rows import NOW
from tests.support.service import ENDED, FREED, OPEN, SITE, Service, row
from tests.support.site_world import report


def names_in(text: str) -> list[str]:
    """The names of a list's rows in order."""
    return [node.text(deep=False) for node in LexborHTMLParser(text).css(".hunt .name")]


async def picked(browser: Browser, **fields: object) -> object:
    """Send the form around the rows; gives where it leads."""
    await browser.get("/domains")
    answer = await browser.post("/domains/pick", dict(fields))
    return answer.headers.get("location") or answer


async def test_chosen_rows_are_followed_compared_and_checked(service: Service, browser: Browser) -> None:
    await service.show(row("alpha.com"), row("beta.net"), row("gamma.org"))
    await browser.sign_in("pro")
    both = ["alpha.com", "beta.net"]
    assert await picked(browser, d=both, do="compare") == "/compare?d=alpha.com,beta.net"
    assert await picked(browser, d=both, do="check") == "/checks/bulk?names=alpha.com,beta.net"
    assert await picked(browser, d=both, do="follow", back="/domains?tld=com") == "/domains?tld=com"
    for back in ("https://evil.example/", "//evil.example", "\\\\evil", ""):
        assert await picked(browser, unfollow="beta.net", back=back) == "/domains"
    page = await browser.get("/domains")
    stars = LexborHTMLParser(page.text).css(".star")
    pressed = {star.attributes["value"]: star.attributes["aria-pressed"] for star in stars}
    assert pressed == {"alpha.com": "true", "beta.net": "false", "gamma.org": "false"}


async def test_names_and_figures_of_chosen_rows_are_files(service: Service, browser: Browser) -> None:
    await service.show(row("open.com", **OPEN), row("locked.com"))
    await browser.sign_in("free")
    await browser.get("/domains")
    chosen = {"d": ["open.com", "locked.com", "<b>"]}
    listed = await browser.post("/domains/pick", {**chosen, "do": "names"})
    assert listed.headers["content-type"].startswith("text/plain")
    assert listed.text.split() == ["open.com", "locked.com"]
    file = await browser.post("/domains/pick", {**chosen, "do": "csv"})
    rows = list(csv.DictReader(io.StringIO(file.content.decode("utf-8-sig"))))
    # a name that is part of Pro shows no figure, however it was chosen
    assert [line["domain"] for line in rows] == ["open.com"]


async def test_a_star_of_a_locked_name_follows_nothing(service: Service, browser: Browser) -> None:
    await service.show(row("open.com", **OPEN), row("locked.com"))
    await browser.sign_in("free")
    await browser.get("/domains")
    assert (await browser.post("/domains/pick", {"follow": "locked.com"})).status_code == 403
    assert "locked.com" not in words(await browser.get("/account/watchlist"))


async def test_chosen_rows_are_followed_in_one_transaction_or_not_at_all(
    service: Service, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"n{n}.com" for n in range(4)]
    await service.show(*(row(name, **OPEN) for name in names), row("locked.com"))
    await browser.sign_in("free")
    await browser.get("/domains")
    writes = []

    def counted(database: Any, real: Any = type(service.database).write) -> Any:
        writes.append(1)
        return real(database)

    async def follow(*chosen: str) -> tuple[int, str, int]:
        writes.clear()
        answer = await browser.post("/domains/pick", {"d": [*chosen], "do": "follow"})
        return answer.status_code, words(answer), len(writes)

    async def followed() -> set[str]:
        async with service.database.read() as conn:
            return set(await published_watches(conn, service.accounts["free"].id))

    monkeypatch.setattr(type(service.database), "write", counted)
    status, said, _ = await follow(*names)
    assert (status, await followed()) == (409, set())
    assert (
        "allows 3 followed domains and you follow 0; 4 more do not fit, so none of them was followed." in said
    )
    status, said, _ = await follow(*(f"m{n}.com" for n in range(101)))
    assert (status, await followed()) == (422, set())
    assert "follow at most 100 domains at once" in said
    # a name that left the list meanwhile or is part of Pro keeps nobody from following the others, and tells nothing
    status, _, written = await follow(*names[:3], "gone.com", "locked.com")
    assert (status, written, await followed()) == (303, 1, set(names[:3]))
    assert (await follow(*names[:3]))[0] == 303


async def test_columns_are_the_accounts_own(service: Service, browser: Browser) -> None:
    await service.show(row("alpha.com"))
    await browser.sign_in("pro")
    heads = r'<th scope="col" class="c-(\w+)'
    usual = re.findall(heads, (await browser.get("/domains")).text)
    form = {"list": "live", "c": ["tf", "flags", "bogus"], "at-flags": "1", "at-tf": "x", "do": "keep"}
    page = await browser.send("/domains/columns", form, page="/domains")
    assert re.findall(heads, page.text)[2:] == ["flags", "tf"]
    assert re.findall(heads, (await browser.get("/domains/archive")).text)[2:] != ["flags", "tf"]
    facts = ["valuation", "searches", "cpc", "taken", "adult", "live"]
    page = await browser.send("/domains/columns", {**form, "c": facts}, page="/domains")
    cells = [cell.text() for cell in LexborHTMLParser(page.text).css("tbody td")]
    assert cells[-6:] == ["22", "$900", "400", "$1.25", "7", "no"]
    assert '"list_columns"' in (await browser.get("/account/data.json")).text
    page = await browser.send("/domains/columns", {"list": "live", "do": "reset"}, page="/domains")
    assert re.findall(heads, page.text) == usual


async def test_the_short_report_stands_beside_the_list(service: Service, browser: Browser) -> None:
    gone = dict.fromkeys(("removed", "page_gone", "domain_gone", "unread"), 5)
    told = {
        **report(),
        "links_today": {"looked_at": "2026-11-20", "pages": 40, "there": 15, "followed": 9, **gone},
        "fact_sources": {"valuation_usd": {"source": "feed:godaddy_auctions", "at": "2026-11-20T16:00:00Z"}},
    }
    await service.show(row("alpha.com", report=told), row("beta.net"), row("gone.com", **ENDED))
    await browser.sign_in("pro")
    page = await browser.get("/domains?open=alpha.com")
    short = LexborHTMLParser(page.text).css_first(".short")
    assert short is not None and "Alpine huts and walks" in short.text()
    assert "What marketplaces say" in short.text() and "GoDaddy Auctions" in short.text()
    assert "Strongest links: 15 of 40 still there" in short.text()
    assert set(names_in(page.text)) == {"alpha.com", "beta.net"}
    assert 'href="/domains?open=beta.net"' in page.text
    for missing in ("nothing.com", "co.uk", "%3Cscript%3E"):
        page = await browser.get(f"/domains?open={missing}")
        assert page.status_code == 200
        assert "<script>" not in page.text.partition("<body>")[2]


async def test_a_free_reader_sees_no_short_report_of_a_locked_name(
    service: Service, browser: Browser
) -> None:
    await service.show(row("open.com", **OPEN), row("locked.com", score=77, title="A secret bakery"))
    await browser.sign_in("free")
    page = await browser.get("/domains?open=locked.com")
    assert "Pro list" in words(page)
    assert "bakery" not in page.text and names_in(page.text) == ["open.com"]


async def test_the_short_report_alone_is_a_part(service: Service, browser: Browser) -> None:
    await service.show(row("alpha.com"), row("beta.net"))
    await browser.sign_in("pro")
    asked = {"HX-Request": "true", "HX-Target": "panel"}
    answer = await browser.http.get(f"{SITE}/domains?q=&open=alpha.com", headers=asked)
    assert answer.status_code == 200
    assert "alpha.com" in answer.text and "<table" not in answer.text and "<!doctype" not in answer.text
    refused = await browser.http.get(f"{SITE}/domains?min_score=x", headers=asked)
    assert refused.status_code == 200


async def test_what_flies_past_while_somebody_types_is_not_seen(service: Service, browser: Browser) -> None:
    await service.show(row("alpha.com"), row("beta.net"))
    await browser.sign_in("pro")
    asked = {"HX-Request": "true", "HX-Target": "pick"}
    answer = await browser.http.get(f"{SITE}/domains?q=tld:com&min_score=", headers=asked)
    # the answer's address is the tidy one, which the browser shows
    assert (answer.status_code, answer.headers["location"]) == (303, "/domains?tld=com")
    answer = await browser.http.get(f"{SITE}/domains?tld=com", headers=asked)
    assert names_in(answer.text) == ["alpha.com"]
    service.clock.move(hours=3)
    assert len(names_in((await browser.get("/domains?unseen=true")).text)) == 2


async def test_a_filter_offers_what_occurs_and_is_called_as_the_column_calls_it(
    service: Service, browser: Browser
) -> None:
    drop = {"type": "pending_delete", "url": None, "source": "registry", "source_title": "The registry"}
    await service.show(
        row("alpha.com", language="pl", topic="Arts", source_title="Harbour, Inc."),
        row("beta.net", language="pl", topic=None, source_title="Anchor"),
        row("gamma.co.uk", language="de", **drop),
        row("gone.com", language="cs", **ENDED),
    )
    await browser.sign_in("pro")
    page = LexborHTMLParser((await browser.get("/domains")).text)
    boxes: dict[str, list[tuple[str, str]]] = {}
    for node in page.css(".filter-pop fieldset .box"):
        [box] = node.css("input")
        name, value = str(box.attributes["name"]), str(box.attributes["value"])
        boxes.setdefault(name, []).append((value, node.text().strip()))
    assert boxes["lang"] == [("pl", "Polish (2)"), ("de", "German (1)")]
    catcher = shipped_catchers()["co.uk"][0].name
    assert {value for value, _ in boxes["marketplace"]} == {"Harbour Inc.", "Anchor", catcher}
    for value, text in boxes["marketplace"]:
        found = await browser.get(f"/domains?marketplace={quote(value)}")
        assert text == f"{value} ({len(names_in(found.text))})"
        cell = LexborHTMLParser(found.text).css_first("td.c-market")
        assert cell is not None and value.split()[0] in cell.text()
    # what a saved filter of 1.0 asks for
    assert names_in((await browser.get("/domains?source=registry")).text) == ["gamma.co.uk"]


async def test_no_serious_risk_is_less_strict_than_no_flags(service: Service, browser: Browser) -> None:
    await service.show(
        row("plain.com", flags=[]), row("noted.com", flags=["gap"]), row("brand.com", flags=["trademark"])
    )
    await browser.sign_in("pro")
    assert set(names_in((await browser.get("/domains?no_serious_risk=true")).text)) == {
        "plain.com",
        "noted.com",
    }
    assert names_in((await browser.get("/domains?clean=true")).text) == ["plain.com"]


async def test_tabs_count_what_they_lead_to(service: Service, browser: Browser) -> None:
    cheap = {"price_usd": 40}
    await service.show(
        row("a.com", **cheap),
        row("b.com", price_usd=None),
        row("c.com", price_usd=900),
        row("d.com", **ENDED),
    )
    await browser.sign_in("pro")
    saved = {"list": "live", "query": "max_price=1000", "name": "Mine"}
    page = await browser.send("/account/filters", {**saved, "back": "/domains"}, page="/domains")
    tabs = {
        node.text(deep=False).strip(): (node.attributes["href"], int(node.css(".count")[0].text()))
        for node in LexborHTMLParser(page.text).css(".tab")
    }
    assert {title: count for title, (_, count) in tabs.items()} == {
        **{"All": 3, "Ending today": 0, "Under $100": 1, "Drops tomorrow": 0, "Free now": 0, "Mine": 3},
    }
    for href, count in tabs.values():
        assert len(names_in((await browser.get(href or "")).text)) == count


async def test_a_filter_by_outcome_says_that_it_is_part_of_pro(service: Service, browser: Browser) -> None:
    await service.show(row("hidden.com", **FREED), row("known.com", **{**FREED, **OPEN}))
    for plan, names in (("pro", ["hidden.com", "known.com"]), ("free", ["known.com"])):
        await browser.sign_in(plan)
        page = await browser.get("/domains/archive?outcome=free")
        assert sorted(names_in(page.text)) == names
        assert ("Outcomes of ended domains are part of Pro" in words(page)) == (plan == "free")
        assert names_in((await browser.get("/domains/archive?outcome=unknown")).text) == []
        await browser.send("/sign-out", {}, page="/account")


async def test_many_saved_filters_cost_a_page_little(
    service: Service, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(row("a.com"))
    await browser.sign_in("pro")
    async with service.database.write() as conn:
        for n in range(15):
            query = f"unseen=true&unrejected=true&min_score={n}"
            await desk.save_filter(conn, service.accounts["pro"].id, f"Mine {n:02}", ("live", query), NOW)
    read = []
    for name in ("seen_before", "rejected"):

        async def counted(*given: Any, name: str = name, real: Any = getattr(desk, name)) -> Any:
            read.append(name)
            return await real(*given)

        monkeypatch.setattr(desk, name, counted)
    page = await browser.get("/domains?unseen=true&unrejected=true")
    assert sorted(read) == ["rejected", "seen_before"]
    own = [tab for tab in LexborHTMLParser(page.text).css(".tab") if "Mine" in tab.text()]
    assert [bool(tab.css(".count")) for tab in own] == [True] * 10 + [False] * 5


async def test_tags_seen_and_rejected_names_filter_the_list(service: Service, browser: Browser) -> None:
    await service.show(row("a.com"), row("b.com"), row("c.com"))
    await browser.sign_in("pro")
    await browser.send("/tags", {"d": "a.com", "tag": "rejected"}, page="/domains")
    await browser.send("/tags", {"d": "b.com", "tag": "Watch later"}, page="/domains")
    assert names_in((await browser.get("/domains?unrejected=true&sort=name-up")).text) == ["b.com", "c.com"]
    assert names_in((await browser.get("/domains?tag=watch+later,none")).text) == ["b.com"]
    assert len(names_in((await browser.get("/domains?unseen=true")).text)) == 3
    service.clock.move(hours=3)
    await service.show(row("new.com", found_at=NOW))
    page = await browser.get("/domains?unseen=true")
    assert names_in(page.text) == ["new.com"]
    page = await browser.get("/domains?sort=name-up")
    assert page.text.count('class="is-seen"') == 3
    assert "New since" in words(page)


async def test_what_is_no_filter_is_told_above_the_list_and_the_rest_works(
    service: Service, browser: Browser
) -> None:
    await service.show(row("old-mill.com"), row("old-garden.com"), row("other.com"))
    await browser.sign_in("pro")
    page = await browser.get("/domains?q=" + quote("mill foo>3 dr>abc"))
    assert page.status_code == 200 and names_in(page.text) == ["old-mill.com"]
    document = LexborHTMLParser(page.text)
    [told] = document.css("#pick > .notice")
    said = " ".join(told.text().split())
    assert "foo>3 is no filter. Did you mean dr>3?" in said
    assert "dr>abc: DR takes a number from 0 to 100. Did you mean dr>20?" in said
    [box] = document.css("#f-q")
    assert (box.attributes["value"] or "").strip() == "mill foo>3 dr>abc"
    mended = await browser.get(told.css("a")[0].attributes["href"] or "")
    assert str(mended.url) == f"{SITE}/domains?q=mill%20dr%3Eabc&min_dr=4"
    page = await browser.get("/domains?q=" + quote("$<b>x"))
    assert "<b>x" not in page.text and len(names_in(page.text)) == 3
    options = LexborHTMLParser(page.text).css(f"datalist#{box.attributes['list']} option")
    assert {"live>20", "ends<48", "is:clean"} <= {each.attributes["value"] for each in options}
