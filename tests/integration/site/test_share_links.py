"""Share links that show reports, where the operator lets them: what a stranger may judge by, and when that ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from selectolax.lexbor import LexborHTMLParser

from afterdrop.accounts import members
from afterdrop.catalogue import operator_actions
from afterdrop.checks.order import order_check
from afterdrop.db.tables.checks import checks
from afterdrop.watching import desk_store
from afterdrop.watching.desk_rules import MOST_LINKS
from tests.support import told_reports
from tests.support.browser import Browser, made_link, words
from tests.support.service import ENDED, NOW, SITE, Service, row


@pytest.fixture
def lending(service: Service) -> Service:
    """The service with links that show reports."""
    site = service.context.settings.site.model_copy(update={"share_links": "reports"})
    settings = service.context.settings.model_copy(update={"site": site})
    object.__setattr__(service.context, "settings", settings)
    return service


def turned(name: str, **more: Any) -> dict[str, Any]:
    """A listed domain with a change of owner."""
    return row(name, **{**told_reports.row_values(told_reports.turned()), "price_usd": 222, **more})


async def checked(service: Service, who: str, name: str, made: Any, **more: Any) -> None:
    """A finished check of an account's."""
    async with service.database.write() as conn:
        ordered = await order_check(conn, service.accounts[who].id, name, allowance=20, now=NOW)
        values = {**told_reports.check_values(made, name), **more}
        await conn.execute(sa.update(checks).where(checks.c.id == ordered.check["id"]).values(**values))


async def test_a_stranger_reads_life_risks_and_figures(
    lending: Service, browser: Browser, second: Browser
) -> None:
    await lending.show(turned("turned.com"))
    await browser.sign_in("pro")
    await browser.send("/domains/turned.com/note", {"note": "my secret note"}, page="/domains/turned.com")
    await browser.send("/tags", {"d": "turned.com", "tag": "my-tag"}, page="/account/notes")
    page = await second.get(await made_link(browser, "turned.com"))
    said = words(page)
    assert page.status_code == 200
    assert "another owner’s site" in said
    assert "Change of subject" in said
    assert "$222" in said
    assert "web.archive.org" in page.text or "/web/" in page.text
    assert "secret" not in page.text
    assert "my-tag" not in page.text
    assert LexborHTMLParser(page.text).css("main form") == []
    assert (page.headers["x-robots-tag"], page.headers["referrer-policy"]) == (
        "noindex, nofollow",
        "no-referrer",
    )
    assert page.headers["cache-control"] == "private, no-store"
    # the setting alone lends: without it the same link names the name
    site = lending.context.settings.site.model_copy(update={"share_links": "names"})
    settings = lending.context.settings.model_copy(update={"site": site})
    object.__setattr__(lending.context, "settings", settings)
    path = await made_link(browser, "turned.com")
    bare = await second.get(path)
    assert ("turned.com" in bare.text, "Change of subject" in words(bare)) == (True, False)
    assert (await second.get(f"{path}/turned.com")).status_code == 404


async def test_a_link_to_one_name_is_its_report_to_whoever_may_read_that(
    service: Service, browser: Browser, second: Browser
) -> None:
    """Links give names alone here; a check of the maker's is lent to nobody."""
    await service.show(turned("turned.com"))
    await checked(service, "pro", "checked.org", told_reports.casino())
    await browser.sign_in("pro")
    listed, own = await made_link(browser, "turned.com"), await made_link(browser, "checked.org")
    for path, name in ((listed, "turned.com"), (own, "checked.org")):
        page = await second.get(path)
        document = LexborHTMLParser(page.text)
        assert (document.css("table"), "Ask the sender for the report" in words(page)) == ([], True)
        assert name in words(page)
        assert "Change of subject" not in words(page)
        assert (await second.get(f"{path}/{name}")).status_code == 404
    await second.sign_in("free")
    page = await second.get(listed)
    assert "Not among what your plan shows" in words(page)
    assert "Sign in" not in page.text
    assert LexborHTMLParser(page.text).css("table") == []
    await second.sign_in("operator")
    report = await second.get(listed)
    assert "Change of subject" in words(report)
    assert report.headers["referrer-policy"] == "no-referrer"
    assert "Sign in" not in report.text
    assert "Not on the lists checked.org" in words(await second.get(own))
    assert (await second.get(f"{own}/checked.org")).status_code == 404


async def test_a_new_link_says_until_when_and_what_it_shows(
    lending: Service, browser: Browser, second: Browser
) -> None:
    await browser.sign_in("pro")
    said = words(await browser.send("/account/shares", {"d": "a.com,b.com"}))
    until = f"{NOW + timedelta(days=30):%-d %b %Y}"
    assert f"2 domains, until {until}. Everybody who opens the link reads the reports. Copy it now" in said
    await lending.show(turned("turned.com"))
    several, one = await made_link(browser, "a.com", "b.com"), await made_link(browser, "turned.com")
    assert f"Until {until}" in words(await second.get(several))
    assert f"It can be read until {until}, or until it is revoked." in words(await second.get(one))


async def test_the_panel_is_given_a_link_or_what_is_wrong(lending: Service, browser: Browser) -> None:
    """The script puts in place what an answer has of these two; an answer that is no success changes nothing."""
    await lending.show(turned("turned.com"))
    await browser.sign_in("pro")
    panel = LexborHTMLParser((await browser.get("/domains?open=turned.com")).text)
    [place] = panel.css('form[action="/account/shares"][hx-post="/account/shares"]')
    assert place.attributes["hx-target"] == "this"
    async with lending.database.write() as conn:
        for number in range(MOST_LINKS - 1):
            await desk_store.share(conn, lending.accounts["pro"].id, f"t{number}", ["a.com"], NOW)
    for part in ('id="link"', f"you have {MOST_LINKS} links; revoke one first"):
        fields = {"csrf": browser.token, "d": "turned.com"}
        answer = await browser.http.post(
            SITE + "/account/shares", data=fields, headers={"hx-request": "true"}
        )
        [given] = LexborHTMLParser(answer.text).css(str(place.attributes["hx-select"]))
        assert (answer.status_code, part in str(given.html)) == (200, True)
    plain = await browser.send("/account/shares", {"d": "turned.com"})
    assert (plain.status_code, part in plain.text) == (409, True)


async def test_several_names_are_a_table_with_a_report_each(
    lending: Service, browser: Browser, second: Browser
) -> None:
    await lending.show(turned("turned.com"), row("ended.com", **ENDED))
    await checked(lending, "pro", "casino.com", told_reports.casino())
    await browser.sign_in("pro")
    path = await made_link(browser, "turned.com", "ended.com", "casino.com", "nowhere.org")
    page = await second.get(path)
    hrefs = [each.attributes["href"] for each in LexborHTMLParser(page.text).css("td.name a")]
    assert hrefs == [f"{path}/{name}" for name in ("turned.com", "ended.com", "casino.com")]
    assert "Nothing to show" in words(page)
    assert "Gambling spam" in words(await second.get(f"{path}/casino.com"))
    assert (await second.get(f"{path}/nowhere.org")).status_code == 404
    assert (await second.get(f"{path}/other.com")).status_code == 404


async def test_a_link_never_shows_more_than_its_maker_may_see(
    lending: Service, browser: Browser, second: Browser
) -> None:
    await lending.show(turned("locked.com"))
    await browser.sign_in("free")
    path = await made_link(browser, "locked.com", "nowhere.org")
    page = await second.get(path)
    assert ("$222" in page.text, "Nothing to show" in words(page)) == (False, True)
    await browser.sign_in("pro")
    path = await made_link(browser, "locked.com")
    assert "$222" in (await second.get(path)).text
    async with lending.database.write() as conn:
        await members.set_plan(conn, lending.accounts["pro"].id, None)
    assert "$222" not in (await second.get(path)).text, "the maker's Pro plan has ended"


async def test_a_withdrawn_name_closes_at_once(lending: Service, browser: Browser, second: Browser) -> None:
    await lending.show(turned("turned.com"))
    await checked(lending, "pro", "turned.com", told_reports.turned())
    await checked(lending, "pro", "banned.com", told_reports.turned())
    await browser.sign_in("pro")
    path, other = await made_link(browser, "turned.com"), await made_link(browser, "banned.com")
    for at in (path, other):
        assert "Change of subject" in words(await second.get(at))
    async with lending.database.write() as conn:
        await operator_actions.remove(conn, "turned.com", "test", "spam", lending.clock.now)
        await operator_actions.ban(conn, "banned.com", "test", "spam", lending.clock.now)
    for at in (path, other):
        assert "Change of subject" not in words(await second.get(at))


async def test_every_page_about_domains_shares_them_at_one_click(lending: Service, browser: Browser) -> None:
    await lending.show(turned("turned.com"), turned("second.com"))
    await checked(lending, "pro", "done.com", told_reports.steady())
    await browser.sign_in("pro")
    check = str((await lending.get("/checks", "pro")).json()["data"][0]["id"])
    for path, names in (
        ("/domains/turned.com", "turned.com"),
        ("/domains?open=turned.com", "turned.com"),
        ("/compare?d=turned.com,second.com", "turned.com,second.com"),
        (f"/checks/{check}", "done.com"),
    ):
        page = await browser.get(path)
        forms = LexborHTMLParser(page.text).css('form[action="/account/shares"] input[name=d]')
        assert [each.attributes["value"] for each in forms] == [names], path
