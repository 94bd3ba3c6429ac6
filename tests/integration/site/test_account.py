"""What members do with their account on the site; the API shows each change at once."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import httpx2
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.db.tables.accounts import accounts
from afterdrop.delivery.mail.store import unsubscribe_token
from afterdrop.watching.store import insert_watches
from tests.support.browser import PASSWORD, Browser, mailed_link, words
from tests.support.rows import DAY
from tests.support.service import ENDED, FREED, NOW, OPEN, SITE, Service, row
from tests.support.site_world import fill


async def test_sign_up_to_first_key_to_first_answer(service: Service, browser: Browser) -> None:
    await service.show(row("open.com", **OPEN))
    new = {"email": "first@members.example", "password": "a good long password", "next": "/account/keys"}
    await browser.send("/sign-up", new)
    async with service.database.write() as conn:
        account = await members.find_account(conn, "first@members.example")
        await members.verify_account(conn, account.id, NOW)
    await browser.send("/sign-in", new)
    page = await browser.send("/account/keys", {"name": "first <key>"})
    [key] = re.findall(r"ad_live_\w{38}", page.text)
    assert "first &lt;key&gt;" in page.text
    answer = await browser.http.get(f"{SITE}/api/v1/domains", headers={"Authorization": f"Bearer {key}"})
    assert [item["domain"] for item in answer.json()["data"]] == ["open.com"]
    assert key not in (await browser.get("/account/keys")).text
    assert (await browser.send("/account/keys", {"name": " "})).status_code == 422


async def test_a_key_is_made_for_what_it_may_do(service: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    made = await browser.send("/account/keys", {"name": "agent", "scope": "no_spending"})
    [key] = re.findall(r"ad_live_\w{38}", made.text)
    assert "everything except spending credits" in words(made)
    service.keys["agent"] = key
    assert (await service.get("/me", "agent")).json()["data"]["key"]["scope"] == "no_spending"
    refused = await browser.send("/account/keys", {"name": "agent", "scope": "all"})
    assert refused.status_code == 422
    assert "must be one of those offered" in words(refused)


async def test_keys_are_deleted_limited_and_their_owners_alone(service: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    for n in range(4):
        assert (await browser.send("/account/keys", {"name": f"k{n}"})).status_code == 200
    page = await browser.send("/account/keys", {"name": "k9"})
    assert page.status_code == 409
    assert "at most 5 keys" in words(page)
    async with service.database.read() as conn:
        theirs = (await members.list_keys(conn, service.accounts["pro"].id))[0]["id"]
        mine = (await members.list_keys(conn, service.accounts["free"].id))[0]["id"]
    assert (await browser.send("/account/keys", {"delete": str(theirs), "sure": "1"})).status_code == 404
    assert (await browser.send("/account/keys", {"delete": str(mine), "sure": "1"})).status_code == 200
    assert (await service.get("/me", "free")).status_code == 401
    assert (await service.get("/me", "pro")).status_code == 200


async def test_pro_pages_are_refused_on_free(service: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    page = await browser.send("/account/filters", {"list": "live", "query": "q=x", "frequency": "daily"})
    assert page.status_code == 403
    assert "/pricing" in page.text
    hook = {"url": "https://hooks.example.com/x", "events": "alert.matched"}
    assert (await browser.send("/account/webhooks", hook)).status_code == 403
    await service.show(row("closed.com"))
    assert (await browser.get("/domains/closed.com")).status_code == 403
    assert (await browser.get("/domains/closed.com/kit.zip")).status_code == 403


async def test_endpoints_are_added_tested_switched_and_deleted(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    bad = await browser.send("/account/webhooks", {"url": "http://10.0.0.1/x"})
    assert bad.status_code == 422
    assert 'value="http://10.0.0.1/x"' in bad.text
    assert "choose at least one" in words(bad)
    page = await browser.send(
        "/account/webhooks", {"url": "https://hooks.example.com/x", "events": "alert.matched"}
    )
    assert "whsec_" in page.text
    assert "whsec_" not in (await browser.get("/account/webhooks")).text
    [hook] = (await service.get("/webhooks")).json()["data"]
    here = f"/account/webhooks/{hook['id']}"
    assert "ping" in words(await browser.send(here, {"do": "test"}))
    assert "It is paused" in words(await browser.send(here, {"do": "off"}))
    assert "It is on" in words(await browser.send(here, {"do": "on"}))
    await browser.send(here, {"do": "delete", "sure": "1"})
    assert (await service.get("/webhooks")).json()["data"] == []
    assert (await browser.get(here)).status_code == 404


async def test_checks_are_ordered_once_and_followed(service: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    assert (await browser.send("/checks", {"domain": "no domain"})).status_code == 422
    page = await browser.send("/checks", {"domain": "https://www.some-name.com/x"})
    assert "Check of some-name.com" in words(page)
    assert 'http-equiv="refresh"' in page.text
    again = await browser.send("/checks", {"domain": "some-name.com"})
    assert again.url == page.url
    none_left = await browser.send("/checks", {"domain": "other-name.com"})
    assert none_left.status_code == 402
    assert 'value="other-name.com"' in none_left.text


async def test_notifications_are_saved_and_wrong_ones_named(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    bad = await browser.send(
        "/account/settings", {"zone": "Mars/Base", "digest_hour": "24", "reminder_hours": "5"}
    )
    assert bad.status_code == 422
    for name in ("zone", "digest_hour", "reminder_hours"):
        assert f'id="f-{name}-fault"' in bad.text
    fields: dict[str, Any] = {"zone": "Europe/Berlin", "digest_hour": "7", "reminder_hours": ["6", "48"]}
    saved = await browser.send("/account/settings", {**fields, "mail_watches": "1"})
    assert "Saved" in words(saved)
    async with service.database.read() as conn:
        kept = (
            await conn.execute(sa.select(accounts).where(accounts.c.email == "pro@members.example"))
        ).one()
    assert (kept.zone, kept.digest_hour, kept.reminder_hours) == ("Europe/Berlin", 7, [48, 6])
    assert (kept.mail_alerts, kept.mail_watches, kept.mail_rule_reminders) == (False, True, False)


async def test_following_and_the_watchlist(service: Service, browser: Browser) -> None:
    await service.show(row("open.com", **OPEN))
    await browser.sign_in("free")
    await browser.send("/domains/open.com/watch", {}, page="/domains/open.com")
    assert "open.com" in words(await browser.get("/account/watchlist"))
    await browser.send("/domains/open.com/unwatch", {"from": "watchlist"}, page="/account/watchlist")
    assert (await service.get("/watchlist", "free")).json()["data"] == []


async def test_the_watchlist_tells_what_became_of_domains_and_filters_by_it(
    service: Service, browser: Browser
) -> None:
    caught = {**ENDED, "caught_after_drop": True, "registrar": "Gandi <b>", "available_since": NOW - 2 * DAY}
    caught["registered_at"] = NOW - DAY
    await service.show(
        row("running.com"),
        row("was-free.com", **FREED),
        row("known.com", **{**FREED, **OPEN}),
        row("back.com", **caught),
    )
    shown = {}
    for plan in ("pro", "free"):
        for name in ("running.com", "was-free.com", "known.com", "back.com"):
            async with service.database.write() as conn:
                await insert_watches(conn, service.accounts[plan].id, [name], NOW)
        await browser.sign_in(plan)
        page = await browser.get("/account/watchlist")
        assert ("Caught by Gandi <b> after 1 d" in words(page)) == (plan == "pro")
        assert ("part of Pro" in page.text.partition("<tbody>")[2].partition("</tbody>")[0]) == (
            plan == "free"
        )
        free = words(await browser.get("/account/watchlist?outcome=free"))
        assert "known.com" in free
        assert "back.com" not in free
        counts = re.findall(r'outcome=(\w+)".*?class="count">(\d+)<', page.text)
        shown[plan] = (dict(counts), free)
        assert (await browser.get("/account/watchlist?outcome=lost")).status_code == 422
        await browser.send("/sign-out", {}, page="/account/watchlist")
    assert shown["pro"][0] == {"caught": "1", "free": "2"}
    assert "was-free.com" in shown["pro"][1]
    # What became of domains that were never open is part of Pro.
    assert shown["free"][0] == {"free": "1"}
    assert "was-free.com" not in shown["free"][1]


async def test_the_kit_is_a_zip_with_entry_names_of_ours(service: Service, browser: Browser) -> None:
    await fill(service.context, service.accounts["pro"])
    await browser.sign_in("pro")
    answer = await browser.get("/domains/hostile.com/kit.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as kit:
        assert kit.namelist() == ["huts-0.md", "index.md"]
        assert "# Huts" in kit.read("huts-0.md").decode()


async def test_tools_count_in_the_apis_quota(service: Service, browser: Browser) -> None:
    await browser.sign_in("free")
    bad = await browser.send("/tools", {"tool": "availability", "domains": "good.com\nnot a name"})
    assert bad.status_code == 422
    assert "good.com\nnot a name</textarea>" in bad.text
    many = "\n".join(f"https://www.n{n}.com:8443/path?q={n}#x" for n in range(21))
    assert "at most 20 domains" in words(
        await browser.send("/tools", {"tool": "availability", "domains": many})
    )
    meter = await service.context.rate_limits.limiter(service.accounts["free"].id, service.clock.now)
    meter.take_lookups(service.context.settings.plans.free, 200, int(service.clock.now.timestamp()))
    spent = await browser.send("/tools", {"tool": "whois", "domain": "good.com"})
    assert spent.status_code == 429
    assert int(spent.headers["retry-after"]) > 0
    assert 'value="good.com"' in spent.text
    assert "200 of 200 domains" in words(spent)


async def test_mails_end_with_one_click(service: Service, browser: Browser) -> None:
    token = unsubscribe_token(service.context.secret_box, service.accounts["pro"].id, "alerts", NOW)
    path = f"/unsubscribe/{token}"
    assert "Stop them" in words(await browser.get(path))
    answer = await browser.post(path, {"List-Unsubscribe": "One-Click"}, token=False)
    assert answer.status_code == 200
    async with service.database.read() as conn:
        shown = sa.select(accounts.c.mail_alerts).where(accounts.c.email == "pro@members.example")
        assert await conn.scalar(shown) is False
    assert (await browser.get("/unsubscribe/forged")).status_code == 410


async def test_the_account_is_exported_and_deleted(service: Service, browser: Browser) -> None:
    await fill(service.context, service.accounts["pro"])
    await browser.sign_in("pro")
    copy: httpx2.Response = await browser.get("/account/data.json")
    content = copy.json()
    assert content["account"]["email"] == "pro@members.example"
    assert "open-today.com" in [each["domain"] for each in content["watches"]]
    assert [each["tag"] for each in content["domain_tags"]].count("shortlist") == 2
    assert [each["domain"] for each in content["domain_notes"]] == ["open-today.com"]
    assert content["saved_filters"][0]["query"] == "q=hut&min_score=60"
    assert content["share_links"][0]["domains"][0] == "open-today.com"
    assert "hash" not in copy.text
    assert "whsec_" not in copy.text
    wrong = await browser.send("/account/delete", {"password": "nope"}, page="/account/data")
    assert wrong.status_code == 422
    gone = await browser.send("/account/delete", {"password": PASSWORD}, page="/account/data")
    assert "has been deleted" in words(gone)
    assert (await service.get("/me", "pro")).status_code == 401
    assert "Sign out" not in words(await browser.get("/"))


async def test_an_account_of_one_keyboard_is_entered_and_deleted_with_another(
    service: Service, browser: Browser, second: Browser
) -> None:
    apart, composed = "mo\u0302t de passe e\u0301te\u0301", "m\xf4t de passe \xe9t\xe9"
    mail = "new@members.example"
    await browser.send("/sign-up", {"email": mail, "password": apart})
    await browser.send(await mailed_link(service, mail), {})
    assert "Sign out" in words(await second.send("/sign-in", {"email": mail, "password": composed}))
    plain = await second.send("/account/delete", {"password": "mot de passe ete"}, page="/account/data")
    assert plain.status_code == 422
    gone = await second.send("/account/delete", {"password": composed}, page="/account/data")
    assert "has been deleted" in words(gone)


async def test_an_unverified_account_is_told_so(browser: Browser) -> None:
    page = await browser.sign_in("unverified")
    assert "Confirm your address first" in words(page)
    assert "Check your inbox" in words(await browser.send("/resend", {}, page="/account"))
    assert (await browser.get("/account/data.json")).status_code == 200
