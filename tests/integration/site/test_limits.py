"""Limits on what a browser can cost: no format strings of strangers, limits of a session, pages rendered once."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote

import pytest

from afterdrop.accounts import sessions, store
from afterdrop.core.settings_sections import Site
from afterdrop.web.site import doc_pages
from tests.support.browser import Browser
from tests.support.service import NOW, Service


async def test_the_name_of_a_filter_is_no_format_string(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    for name in ("{:>1500000000}", "{", "{0.__init__.__globals__}"):
        answer = await browser.get(f"/domains?{quote(name)}=1")
        assert answer.status_code == 422
        assert name.replace("<", "&lt;").replace(">", "&gt;") in answer.text
        assert len(answer.content) < 100_000


@pytest.mark.parametrize("more_settings", [{"site": Site(pages_per_minute=5, forms_per_minute=3)}])
async def test_a_session_has_limits_of_its_own(service: Service, browser: Browser, second: Browser) -> None:
    await browser.sign_in("pro")
    await second.sign_in("pro")
    statuses = [(await browser.get("/pricing")).status_code for _ in range(6)]
    assert statuses[:4] == [200] * 4 and statuses[-1] == 429
    assert browser.last is not None and browser.last.headers["Retry-After"] == "60"
    assert (await second.get("/pricing")).status_code == 200
    page = second.token
    sent = [
        (await second.post("/account/filters", {"list": "live", "csrf": page}, token=False)).status_code
        for _ in range(5)
    ]
    assert (sent.count(429), sent[-1]) == (2, 429)
    # The API's counters are not touched by it.
    me = (await service.get("/me")).json()["data"]["limits"]
    assert me["requests_today"] == 1
    service.clock.move(minutes=1)
    assert (await browser.get("/pricing")).status_code == 200


@pytest.mark.parametrize("more_settings", [{"site": Site(pages_per_minute=50, forms_per_minute=3)}])
@pytest.mark.parametrize("path", ["/csv/live", "/account/notes.csv", "/account/watchlist.csv"])
async def test_a_file_counts_like_a_form(service: Service, browser: Browser, path: str) -> None:
    await browser.sign_in("pro")
    service.clock.move(minutes=1)
    assert [(await browser.get(path)).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert (await browser.get("/pricing")).status_code == 200


async def test_tools_of_the_site_are_no_requests_of_the_api(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    for _ in range(3):
        await browser.send("/tools", {"tool": "whois", "domain": "not a name"})
    answer = await service.get("/me")
    assert answer.headers["X-RateLimit-Remaining"] == "119"
    assert answer.json()["data"]["limits"]["requests_today"] == 1


async def test_an_account_has_at_most_twenty_sessions(service: Service, browser: Browser) -> None:
    async with service.database.write() as conn:
        me = await store.account_by_id(conn, service.accounts["pro"].id)
        assert me is not None
        for number in range(25):
            await sessions.begin(conn, f"token {number}", me, NOW + timedelta(seconds=number))
        at = NOW + timedelta(minutes=1)
        alive = [n for n in range(25) if await sessions.account_of(conn, f"token {n}", at)]
    assert alive == list(range(5, 25))


async def test_the_reference_is_rendered_once(browser: Browser) -> None:
    first = (await browser.get("/docs/api")).text
    before = doc_pages._rendered.cache_info()
    assert (await browser.get("/docs/api")).text == first
    after = doc_pages._rendered.cache_info()
    assert (after.hits, after.misses) == (before.hits + 1, before.misses)
