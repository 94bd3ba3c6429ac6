"""Every link of every page and API response opens, every page opens for its audience, and nothing hostile runs."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from afterdrop.web.problems import CODES
from afterdrop.web.site.templates import STATIC
from tests.support import ON_POSTGRES
from tests.support.browser import Browser, words
from tests.support.service import BASE, SITE, Service
from tests.support.site_world import EVIL, fill

MOST_PAGES = 150


def faults_of(text: str, url: str) -> list[str]:
    """What is wrong with a page's markup."""
    tree = LexborHTMLParser(text)
    found = []
    for node in tree.css("*"):
        for name in node.attributes:
            if name == "style" or name.startswith("on"):
                found.append(f"{url}: {node.tag} has {name}")
        address = node.attributes.get("href") or node.attributes.get("src") or ""
        if address.lower().startswith(("javascript:", "data:", "vbscript:")):
            found.append(f"{url}: {address}")
    scripts = [node.attributes.get("src") or "inline" for node in tree.css("script")]
    if any(not source.startswith("/static/") for source in scripts):
        found.append(f"{url}: script {scripts}")
    ids = [node.attributes["id"] for node in tree.css("[id]")]
    found += [f"{url}: id {each} twice" for each in set(ids) if ids.count(each) > 1]
    labelled = {node.attributes.get("for") for node in tree.css("label[for]")}
    for node in tree.css("input, select, textarea"):
        kind = node.attributes.get("type")
        inside = node.parent is not None and node.parent.tag == "label"
        named = inside or node.attributes.get("aria-label") or node.attributes.get("id") in labelled
        if kind != "hidden" and not named:
            found.append(f"{url}: {node.attributes.get('name')} has no label")
    if len(tree.css("h1")) != 1:
        found.append(f"{url}: {len(tree.css('h1'))} h1")
    return found


def links_of(text: str, url: str) -> set[str]:
    """The addresses of ours that a page links to."""
    tree = LexborHTMLParser(text)
    found = {
        urljoin(SITE + url, node.attributes.get("href") or "") for node in tree.css("a[href], link[href]")
    }
    found |= {urljoin(SITE + url, node.attributes.get("src") or "") for node in tree.css("[src]")}
    return {link.removeprefix(SITE) or "/" for link in found if link.startswith(SITE)}


async def crawl(browser: Browser, starts: list[str]) -> dict[str, str]:
    """Every page reached from `starts`. Each must open, and its anchors must exist."""
    seen: dict[str, str] = {}
    todo = list(starts)
    anchors: set[tuple[str, str]] = set()
    while todo and len(seen) < MOST_PAGES:
        path, anchor = urldefrag(todo.pop(0))
        anchors.add((path, anchor))
        if path in seen:
            continue
        answer = await browser.get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        if not answer.headers["content-type"].startswith("text/html"):
            seen[path] = ""
            continue
        seen[path] = answer.text
        assert faults_of(answer.text, path) == []
        todo += sorted(links_of(answer.text, path))
    for path, anchor in anchors:
        if anchor and seen.get(path):
            assert f'id="{anchor}"' in seen[path], (path, anchor)
    return seen


@ON_POSTGRES  # which no other test asks for most of these pages
@pytest.mark.long
@pytest.mark.parametrize("who", ["", "free", "pro", "operator"])
async def test_every_link_of_every_page_opens(service: Service, browser: Browser, who: str) -> None:
    made = await fill(service.context, service.accounts["pro"])
    starts = ["/", "/docs", "/pricing"]
    if who:
        await browser.sign_in(who)
        starts += ["/account", "/tools", "/checks", "/domains/open-today.com", "/domains/archive"]
    if who == "pro":
        starts += ["/domains/hostile.com", f"/checks/{made['waiting']}", f"/checks/{made['done']}"]
        starts += ["/account/filters", f"/account/webhooks/{made['hook']}"]
    if who == "operator":
        starts += ["/admin"]
    seen = await crawl(browser, starts)
    assert len(seen) > (10 if not who else 25)
    if who != "operator":
        status = (await browser.get("/admin")).status_code
        assert status == (200 if not who else 404)


async def test_hostile_texts_stay_text(service: Service, browser: Browser) -> None:
    made = await fill(service.context, service.accounts["pro"])
    await browser.sign_in("pro")
    pages = ["/domains?q=hostile", "/domains/hostile.com", f"/checks/{made['done']}", "/account/filters"]
    for path in pages:
        page = await browser.get(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img" not in page.text
        assert "{{ 7*7 }}" in page.text or "&#34;&gt;&lt;script" in page.text
        assert faults_of(page.text, path) == []
    assert EVIL[:20] in words(await browser.get("/domains/hostile.com"))


def addresses(value: Any) -> set[str]:
    """Every address of ours in an API response."""
    if isinstance(value, dict):
        return set().union(*(addresses(each) for each in value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*(addresses(each) for each in value)) if value else set()
    return {value} if isinstance(value, str) and value.startswith(SITE) else set()


async def test_every_address_in_api_answers_opens(service: Service, browser: Browser) -> None:
    made = await fill(service.context, service.accounts["pro"])
    await browser.sign_in("pro")
    paths = ["/domains", "/domains/available", "/domains/archive", "/domains/open-today.com", "/watchlist"]
    paths += [
        "/alerts/matches",
        "/checks",
        f"/checks/{made['done']}",
        "/nothing",
        "/domains?min_score=x",
        "/me",
    ]
    found: set[str] = set()
    for path in paths:
        for who in ("pro", "free", ""):
            found |= addresses((await service.get(path, who)).json())
    found |= {f"{SITE}/docs/errors#{code}" for code in CODES}
    assert f"{SITE}/pricing" in found
    for address in sorted(found):
        page, anchor = urldefrag(address)
        if page.startswith(BASE):
            answer = await service.get(page.removeprefix(BASE))
        else:
            answer = await browser.get(page.removeprefix(SITE))
        assert answer.status_code == 200, address
        assert not anchor or f'id="{anchor}"' in answer.text


def test_nothing_comes_from_other_hosts() -> None:
    static = [path for path in STATIC.rglob("*") if path.is_file() and path.suffix not in (".png", ".webp")]
    for path in [*static, *STATIC.parent.joinpath("templates").rglob("*.html")]:
        text = re.sub(r"<pre.*?</pre>", "", path.read_text(encoding="utf-8"), flags=re.S)
        sources = re.findall(r"""(?:src|href|url\()\s*=?\s*["']?(https?:[^"')\s]+)""", text)
        assert [each for each in sources if urlsplit(each).hostname] == []
