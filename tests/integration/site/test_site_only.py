"""What only the site has: previews of rules, notes on domains, deliveries sent again."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.delivery import deliveries, events
from tests.support.browser import Browser, words
from tests.support.service import NOW, OPEN, Service, row
from tests.support.site_world import fill

MONTH = timedelta(days=30)


async def test_notes_are_kept_and_shown_to_their_owner_alone(
    service: Service, browser: Browser, second: Browser
) -> None:
    await service.show(row("open.com", **OPEN), row("other.com", **OPEN))
    for each, name in ((browser, "pro"), (second, "free")):
        await each.sign_in(name)
        await each.send("/domains/open.com/watch", {}, page="/domains/open.com")
    note = "Ask <b>Anna</b>\nabout it"
    await browser.send("/domains/open.com/note", {"note": note}, page="/domains/open.com")
    for path in ("/domains/open.com", "/account/watchlist"):
        assert "Ask &lt;b&gt;Anna&lt;/b&gt; about it" in (await browser.get(path)).text
        assert "Anna" not in (await second.get(path)).text
    on_report = await browser.send("/domains/open.com/note", {"note": "y" * 501}, page="/domains/open.com")
    assert on_report.status_code == 422
    assert "y" * 501 in on_report.text
    assert "a note can have at most 500 characters" in words(on_report)
    await browser.send("/domains/open.com/note", {"note": " "}, page="/domains/open.com")
    assert "Anna" not in (await browser.get("/account/watchlist")).text
    # a note needs no following
    await browser.send("/domains/other.com/note", {"note": "for later"}, page="/domains/other.com")
    assert 'value="for later"' in (await browser.get("/domains/other.com")).text


async def test_a_finished_delivery_is_sent_again_and_never_twice_at_once(
    service: Service, browser: Browser, second: Browser
) -> None:
    made = await fill(service.context, service.accounts["pro"])
    here = f"/account/webhooks/{made['hook']}"
    await browser.sign_in("pro")
    async with service.database.write() as conn:
        event = await conn.scalar(sa.select(deliveries.c.event_id))
        await conn.execute(sa.update(deliveries).values(status="failed", settled_at=NOW, due_at=None))
    page = await browser.get(here)
    assert page.text.count(">Send again<") == 1
    again = await browser.send(here, {"do": "again", "delivery": str(event)})
    assert "Queued" in words(again)
    assert "waiting 1 On their way" in words(again)
    twice = await browser.send(here, {"do": "again", "delivery": str(event)})
    assert twice.status_code == 409
    assert "still being sent" in words(twice)
    assert (await browser.send(here, {"do": "again", "delivery": "evt_none"})).status_code == 404
    await second.sign_in("operator")
    theirs = await second.send(here, {"do": "again", "delivery": str(event)}, page="/account/webhooks")
    assert theirs.status_code == 404


async def test_short_addresses_of_mails_lead_on(browser: Browser) -> None:
    await browser.sign_in("pro")
    for short, long in (("alerts", "filters"), ("webhooks", "webhooks"), ("watchlist", "watchlist")):
        page = await browser.get(f"/{short}")
        assert str(page.url).endswith(f"/account/{long}")


async def test_operators_see_failures_reasons_and_freshness(service: Service, browser: Browser) -> None:
    await fill(service.context, service.accounts["pro"])
    async with service.database.write() as conn:
        await conn.execute(
            sa.update(deliveries).values(status="failed", error="connection refused", settled_at=NOW)
        )
        await conn.execute(sa.update(domains).values(updated_at=NOW))
    await browser.sign_in("operator")
    said = words(await browser.get("/admin"))
    for part in ("Scans", "Feeds", "Queues", "Providers", "Workers", "connection refused"):
        assert part in said
    accounts = words(await browser.get("/admin/accounts"))
    assert "pro@members.example" in accounts


async def test_an_endpoint_is_changed_and_wrong_addresses_are_named(
    service: Service, browser: Browser
) -> None:
    made = await fill(service.context, service.accounts["pro"])
    here = f"/account/webhooks/{made['hook']}"
    await browser.sign_in("pro")
    bad = await browser.send(here, {"do": "change", "url": "https://127.0.0.1/"})
    assert bad.status_code == 422
    assert 'value="https://127.0.0.1/"' in bad.text
    assert "choose at least one" in words(bad)
    new = {"do": "change", "url": "https://hooks.example.com/new", "events": ["ping", "check.completed"]}
    assert "hooks.example.com/new" in words(await browser.send(here, new))
    [hook] = (await service.get("/webhooks")).json()["data"]
    assert (hook["url"], hook["events"]) == ("https://hooks.example.com/new", ["check.completed"])


async def test_deliveries_are_told_apart_read_and_dropped(service: Service, browser: Browser) -> None:
    made = await fill(service.context, service.accounts["pro"])
    here = f"/account/webhooks/{made['hook']}"
    await browser.sign_in("pro")
    async with service.database.write() as conn:
        event = await conn.scalar(sa.select(deliveries.c.event_id))
        failed = {"status": "failed", "error": "answered 500", "settled_at": NOW, "due_at": None}
        await conn.execute(sa.update(deliveries).values(**failed))
        hostile = b'{"id":"evt_1","data":{"title":"</pre><script>alert(1)</script>"}}'
        await conn.execute(sa.update(events).values(body=hostile))
    page = await browser.get(here)
    assert "failed 1 Tried as often as we try" in words(page)
    assert "Send all again" in words(page)
    body = await browser.get(f"{here}/{event}")
    assert "&lt;/pre&gt;&lt;script&gt;alert(1)" in body.text and "<script>alert(1)" not in body.text
    assert f"one line of {len(hostile)} bytes" in words(body)
    assert (await browser.get(f"{here}/evt_none")).status_code == 404
    again = await browser.send(here, {"do": "all again"})
    assert "Queued" in words(again) and "waiting 1 On their way" in words(again)
    twice = await browser.send(here, {"do": "all again"})
    assert twice.status_code == 409 and "wait a minute" in words(twice)
    paused = await browser.send(here, {"do": "off"})
    assert "It holds 1 event" not in words(paused), "a test event does not wait for the endpoint"
    async with service.database.write() as conn:
        await conn.execute(sa.update(deliveries).values(event="alert.matched"))
    held = await browser.get(here)
    assert "held 1 Wait until the endpoint is on" in words(held)
    assert "It holds 1 delivery, and sends it once it is on." in words(held)
    asked = await browser.send(here, {"do": "drop", "state": "held"})
    assert "Drop all held deliveries?" in words(asked)
    dropped = await browser.send(here, {"do": "drop", "state": "held", "sure": "1"})
    assert "Nothing sent yet" in words(dropped)
    for state in ("delivered", "pending", ""):
        assert (await browser.send(here, {"do": "drop", "state": state, "sure": "1"})).status_code == 404


async def test_the_form_for_another_endpoint_is_empty_once_one_was_added(browser: Browser) -> None:
    await browser.sign_in("pro")
    sent = {"url": "https://hooks.example.com/mine", "events": "alert.matched"}
    added = await browser.send("/account/webhooks", sent)
    assert "The endpoint has been added" in words(added)
    assert 'value="https://hooks.example.com/mine"' not in added.text
