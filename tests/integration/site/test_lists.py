"""The lists as people see them."""

from __future__ import annotations

import csv
import io
import re

import pytest

from afterdrop.web.list_csv import cell
from afterdrop.web.site.downloads import CSV_COLUMNS
from tests.support.browser import Browser, words
from tests.support.service import ENDED, FREED, OPEN, SITE, Service, row

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7*7 }} {% include 'x' %} </textarea><svg onload=alert(1)>",
    "javascript:alert(1)",
    "‮gpj.exe‬ \x1b[31m",
)


async def test_visitors_are_asked_to_sign_in_and_come_back(service: Service, browser: Browser) -> None:
    await service.show(row("alpha.com"))
    page = await browser.get("/domains?min_score=10")
    assert "You need an account for this page" in words(page)
    assert "alpha.com" not in page.text
    assert 'name="next" value="/domains?min_score=10"' in page.text


async def test_filters_are_the_apis(service: Service, browser: Browser) -> None:
    await service.show(
        row("alpha.com", score=80), row("beta.net", score=50), row("gamma.org", flags=["parked"])
    )
    await browser.sign_in("pro")
    page = await browser.get("/domains?q=&min_score=&tld=com%2C+org&type=auction&type=bid&topic=Arts")
    assert str(page.url).endswith("/domains?tld=com,org&type=auction,bid&topic=Arts")
    said = words(page)
    assert "alpha.com" in said
    assert "gamma.org" in said
    assert "beta.net" not in said
    assert "Parked" in said
    assert 'title="Parked (minor)"' in page.text
    assert 'value="bid" checked' in page.text


async def test_wrong_filters_are_named_beside_the_field_and_kept(browser: Browser) -> None:
    await browser.sign_in("pro")
    page = await browser.get("/domains?min_score=101&since=yesterday&tld=%3Cb%3E")
    assert page.status_code == 422
    assert 'value="101"' in page.text
    assert 'value="yesterday"' in page.text
    assert 'id="f-min_score-fault"' in page.text
    assert 'id="f-since-fault"' in page.text
    assert "<b>" not in page.text


@pytest.mark.parametrize("query", ["foo=1", "page=0", "sort=bogus", "per_page=500", "clean=maybe"])
async def test_wrong_parameters_without_a_field_are_named_above(browser: Browser, query: str) -> None:
    await browser.sign_in("pro")
    page = await browser.get(f"/domains?{query}")
    assert page.status_code == 422
    notice = page.text.partition('role="alert"')[2].partition("</div>")[0]
    assert f"<strong>{query.partition('=')[0]}</strong>: " in notice
    assert "marked fields" not in notice
    both = await browser.get(f"/domains?{query}&min_score=101")
    assert 'id="f-min_score-fault"' in both.text


async def test_free_plan_sees_open_ones_and_how_many_more(service: Service, browser: Browser) -> None:
    await service.show(row("open.com", **OPEN), row("closed.com"), row("old.com", **ENDED))
    await browser.sign_in("free")
    said = words(await browser.get("/domains"))
    assert "open.com" in said
    assert "closed.com" not in said
    assert "1 more matching domain on the Pro list." in said
    assert "old.com" in words(await browser.get("/domains/archive"))
    assert (await browser.get("/domains/available")).status_code == 200


async def test_hostile_titles_stay_text(service: Service, browser: Browser) -> None:
    await service.show(*(row(f"h{n}.com", title=title) for n, title in enumerate(HOSTILE)))
    await browser.sign_in("pro")
    page = await browser.get("/domains")
    assert "<script>alert" not in page.text
    assert "<img" not in page.text
    assert "<svg onload" not in page.text
    assert "{{ 7*7 }}" in page.text
    assert "\x1b" not in page.text
    assert "‮" not in page.text
    assert 'href="javascript:' not in page.text


async def test_head_tells_what_get_tells_and_counts_as_a_page(service: Service, browser: Browser) -> None:
    await service.show(row("alpha.com"))
    await browser.sign_in("pro")
    for path in (
        "/domains",
        "/domains/alpha.com",
        "/domains/ALPHA.com",
        "/csv/live",
        "/watchlist",
        "/account",
    ):
        got, head = await browser.http.get(SITE + path), await browser.http.head(SITE + path)
        assert (head.status_code, head.content) == (got.status_code, b""), path
        assert head.headers.get("location") == got.headers.get("location"), path
    while (answer := await browser.http.head(SITE + "/pricing")).status_code == 200:
        continue
    assert answer.status_code == 429


async def test_people_read_the_marketplaces_name(service: Service, browser: Browser) -> None:
    await service.show(
        row("named.com", **OPEN),
        row("unnamed.com", source_title=None),
        row("hostile.com", source_title="<b>Bold & Sons</b>"),
        row("free.com", **FREED),
    )
    await browser.sign_in("pro")
    await browser.send("/domains/named.com/watch", {}, page="/domains/named.com")
    for path in ("/domains", "/domains/named.com", "/account/watchlist"):
        page = (await browser.get(path)).text
        assert "Harbour Auctions" in page, path
        assert path == "/domains" or "market_a" not in page, path
    assert "Bid at Harbour Auctions" in (await browser.get("/domains/named.com")).text
    assert "Bid at market.example" in (await browser.get("/domains/unnamed.com")).text
    hostile = (await browser.get("/domains/hostile.com")).text
    assert "&lt;b&gt;Bold &amp; Sons&lt;/b&gt;" in hostile and "<b>Bold" not in hostile
    free = (await browser.get("/domains/free.com")).text
    assert "Harbour Auctions" not in free and "Register at porkbun.com" in free
    lines = csv.DictReader(io.StringIO((await browser.get("/csv/live")).content.decode("utf-8-sig")))
    assert {line["domain"]: (line["source"], line["source_title"]) for line in lines} == {
        "named.com": ("market_a", "Harbour Auctions"),
        "unnamed.com": ("market_a", ""),
        "hostile.com": ("market_a", "<b>Bold & Sons</b>"),
    }


def links_of(page: str, label: str) -> list[str]:
    """The whole opening tags of the links that say `label`."""
    return re.findall(rf"<a [^>]*>(?={label})", page)


async def test_the_purchase_page_is_one_click_from_list_and_report(
    service: Service, browser: Browser
) -> None:
    drop = {"type": "pending_delete", "url": None, "source_title": "The registry"}
    await service.show(
        row("bids.com"),
        row("drop.uk", **drop),
        row("drop.se", **drop),
        row("gone.com", **ENDED),
        row("evil.com", url="javascript:alert(1)"),
    )
    await browser.sign_in("pro")
    pages = {path: (await browser.get(path)).text for path in ("/domains", "/domains?list=archive")}
    for domain, label in (
        ("bids.com", "Bid at "),
        ("drop.uk", "Backorder at "),
        ("drop.se", "Backorder at "),
    ):
        pages[domain] = (await browser.get(f"/domains/{domain}")).text
        titled = re.findall(rf'<a [^>]*title="{label}[^>]*>', pages["/domains"])
        for found in (titled, links_of(pages[domain], label)):
            assert found, domain
            assert all('href="https://' in link and "noopener noreferrer nofollow" in link for link in found)
    assert "Backorder at Dropped.uk" in pages["drop.uk"] and "Backorder at UK Backorder" in pages["drop.uk"]
    for domain in ("gone.com", "evil.com"):
        page = (await browser.get(f"/domains/{domain}")).text
        assert not links_of(page, "(?:Bid|Buy|Backorder|Register) at "), domain
        assert "javascript:" not in page


async def test_csv_is_the_view_and_runs_nothing(service: Service, browser: Browser) -> None:
    await service.show(row("alpha.com", title="=HYPERLINK(1)"), row("beta.net", score=90, title='@x, "y"\nz'))
    await browser.sign_in("pro")
    answer = await browser.get("/csv/live?sort=score&min_score=&tld=com,net")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.content.startswith(b"\xef\xbb\xbf"), "spreadsheets take the file for UTF-8"
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [line["domain"] for line in rows] == ["beta.net", "alpha.com"]
    assert list(rows[0]) == list(CSV_COLUMNS)
    assert rows[1]["title"] == "'=HYPERLINK(1)"
    assert rows[0]["title"].startswith("'@x")
    assert [cell(text) for text in ("+1", "-1", "\tx", "\rx", "x=1", None)] == [
        "'+1",
        "'-1",
        "'\tx",
        "'\rx",
        "x=1",
        "",
    ]
    assert (await browser.get("/csv/else")).status_code == 404


async def test_paging_keeps_the_filters(service: Service, browser: Browser) -> None:
    await service.show(*(row(f"n{n}.com") for n in range(60)))
    await browser.sign_in("pro")
    page = await browser.get("/domains?tld=com")
    assert 'rel="next" href="/domains?tld=com&amp;page=2"' in page.text
    page = await browser.get("/domains?tld=com&page=2")
    assert 'rel="prev" href="/domains?tld=com"' in page.text
    assert "Nothing on this page" in words(await browser.get("/domains?tld=com&page=9"))


async def test_a_free_list_shows_masked_rows_of_the_pro_list(service: Service, browser: Browser) -> None:
    hidden = [
        row(f"secret-{n}.org", score=91 - n, domain_rating=33, title="A secret bakery") for n in range(7)
    ]
    await service.show(row("open.com", **OPEN), *hidden)
    await browser.sign_in("free")
    page = await browser.get("/domains")
    said = words(page)
    assert "The best of 7 more on the Pro list" in said
    assert said.count("••••••••.org") == 5
    assert "secret" not in page.text and "bakery" not in page.text
    # a search could ask for a certain name: then nothing is told of what is hidden
    assert "•" not in (await browser.get("/domains?q=secret-1")).text
    # filters narrow what is told, too, and Trust Flow is not used
    assert "The best of 7 more" in words(await browser.get("/domains?min_tf=99&tld=org"))
    assert "•" not in (await browser.get("/domains?tld=net")).text
    await browser.sign_in("pro")
    assert "•" not in (await browser.get("/domains")).text
