"""The operator's page: the verdict first, feeds by title, what waits and why, buttons that do what they say."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.core.settings import Feed, Provider
from afterdrop.core.settings_sections import Operator
from afterdrop.db.tables.delivery import deliveries, mails, webhook_endpoints
from afterdrop.db.tables.feeds import candidates, host_outages, provider_spend, scans, source_runs
from afterdrop.db.tables.queue import job_runs
from afterdrop.delivery import events
from afterdrop.delivery.webhooks import endpoint_store
from afterdrop.delivery.webhooks.store import EXPIRED
from afterdrop.http import pace
from afterdrop.http.circuit_breaker import outages
from afterdrop.queue.job_runs import beat
from afterdrop.queue.timetable import BACKUP
from afterdrop.worker.alarms import ADVICE
from tests.support.browser import Browser, words
from tests.support.rows import NOW
from tests.support.service import Service

HOUR = timedelta(hours=1)
FEED = """
name = "market_g"
title = "Northgate Auctions"
source = "market_b"
url = "https://feeds.example.com/list.csv"
format = "csv"
complete = true
evidence = "own"
licence = "open"
[fields]
domain = "name"
type = {const = "bid"}
"""


@pytest.fixture
def more_settings(tmp_path: Path) -> dict[str, Any]:
    """One feed with a title, a disk that is never full, and somebody who is told."""
    file = tmp_path / "market_g.toml"
    file.write_text(FEED, encoding="utf-8")
    return {
        "feeds": (Feed(preset=str(file)),),
        "providers": (Provider(preset="open_pagerank", per_day=100),),
        "operator": Operator(disk_free_share=0, mail="ops@members.example"),
    }


async def put(service: Service, table: sa.Table, *rows: dict[str, Any]) -> None:
    """Insert rows."""
    async with service.database.write() as conn:
        await conn.execute(sa.insert(table), list(rows))


async def scanned(service: Service, *runs: tuple[str, str | None]) -> None:
    """A worker is alive, there is a backup, and each scan read the feed so: its state and why; the last 1 h ago."""
    async with service.database.write() as conn:
        await beat(conn, "a:1:b", NOW)
    await put(
        service,
        job_runs,
        {"job": BACKUP, "moment": NOW, "started_at": NOW, "finished_at": NOW - HOUR, "attempts": 1},
    )
    for number, (state, error) in enumerate(runs, 1):
        at = NOW - HOUR - (len(runs) - number) * timedelta(days=1)
        scan = {"id": number, "day": f"{at:%Y-%m-%d}", "started_at": at, "deadline_at": at + 20 * HOUR}
        await put(
            service, scans, {**scan, "intake_done_at": at, "finished_at": at, "scanned": 7, "counts": {}}
        )
        run = {"scan_id": number, "feed": "market_g", "source": "market_b", "state": state, "error": error}
        await put(service, source_runs, {**run, "finished_at": at, "good": 1234, "counts": {}, "samples": []})


async def endpoint(service: Service, count: int) -> int:
    """An endpoint of `pro` with so many pending deliveries, due now; it is then the only one that is on."""
    account = service.accounts["pro"].id
    new = endpoint_store.NewEndpoint(
        url="https://hooks.example.com/secret-path", events=["check.completed"], active=True, secret="s" * 40
    )
    async with service.database.write() as conn:
        box = service.context.secret_box
        made = await endpoint_store.create_endpoint(conn, box, account, new, limit=9, now=NOW)
        await conn.execute(sa.update(webhook_endpoints).values(active=webhook_endpoints.c.id == made["id"]))
        for number in range(count):
            draft = events.EventDraft(account, {}, f"{made['id']}:{number}")
            await events.record(conn, events.CHECK_COMPLETED, draft, NOW)
    return made["id"]


async def page(browser: Browser) -> str:
    """What the operator's page says."""
    answer = await browser.get("/admin")
    assert answer.status_code == 200
    return words(answer)


async def test_a_healthy_service_says_that_all_is_well(service: Service, browser: Browser) -> None:
    await scanned(service, ("done", None))
    await browser.sign_in("operator")
    said = await page(browser)
    assert "All is well There is no alarm. Nothing failed in the last two days." in said
    assert "need you" not in said
    assert "Northgate Auctions market_g read 1 h 0 min ago 1,234" in said
    assert "Nothing waits in any queue: names to review, checks," in said


async def test_all_is_not_well_without_a_backup_and_with_nobody_told(
    service: Service, browser: Browser
) -> None:
    await scanned(service, ("done", None))
    async with service.database.write() as conn:
        await conn.execute(sa.delete(job_runs))
    await browser.sign_in("operator")
    said = await page(browser)
    assert "All is well" not in said
    assert (
        "One thing needs you No backup has been made yet; afterdrop backup makes one. Set backup.dir" in said
    )
    assert "Last backup none yet" in said
    tell(service, Operator(disk_free_share=0))
    said = await page(browser)
    assert "2 things need you, the worst first No backup" in said
    assert "No alarm is sent to anybody. Set operator.mail or operator.webhook" in said
    # An operator who keeps his own backups is not asked for ours.
    tell(service, Operator(disk_free_share=0, backup_days=0, webhook="https://hooks.example.com/ops"))
    assert "All is well" in await page(browser)


def tell(service: Service, operator: Operator) -> None:
    """Change whom alarms are sent to, and what they are about."""
    settings = service.context.settings.model_copy(update={"operator": operator})
    object.__setattr__(service.context, "settings", settings)


async def test_the_same_failure_is_one_line_with_its_number(service: Service, browser: Browser) -> None:
    _off, on = await endpoint(service, 7), await endpoint(service, 2)
    async with service.database.write() as conn:
        failed = {"status": "failed", "due_at": None, "settled_at": NOW - HOUR, "error": "answered 500"}
        await conn.execute(sa.update(deliveries).values(**failed))
    row = {"recipient": "a@b.example", "subject": "s", "text": "t", "headers": {}, "status": "failed"}
    for number, error in enumerate(["no such box"] * 6 + ["full"]):
        at = NOW - HOUR - timedelta(minutes=number)
        await put(service, mails, {**row, "kind": "digest", "created_at": at, "error": error})
    await browser.sign_in("operator")
    said = await page(browser)
    assert said.count("A mail: digest") == 2
    assert "A mail: digest 1 h 0 min ago (6 times) no such box" in said
    assert "A mail: digest 1 h 6 min ago full" in said
    assert "(7 times) answered 500 Nothing now: its endpoint is off" in said
    assert f"(2 times) answered 500 Send again all that failed at endpoint {on}" in said
    assert "Newest failures, two days 16 " in said


async def test_what_is_wrong_comes_first_and_the_worst_before_the_rest(
    service: Service, browser: Browser
) -> None:
    await scanned(service, ("failed", "answered 503"), ("failed", "answered 503"))
    service.clock.move(minutes=10)
    await browser.sign_in("operator")
    said = await page(browser)
    assert "2 things need you, the worst first No worker is alive" in said
    assert said.index("No worker is alive") < said.index("Start afterdrop worker")
    assert said.index("Start afterdrop worker") < said.index(
        "Feed Northgate Auctions could not be read twice"
    )


async def test_a_failing_feed_is_named_by_its_title_with_what_to_do(
    service: Service, browser: Browser
) -> None:
    await scanned(service, ("done", None), ("failed", "the server answered 404"))
    await browser.sign_in("operator")
    said = await page(browser)
    assert "All is well" in said, "once is no alarm"
    assert "Work that failed once and is tried again by itself" in said
    assert (
        "Northgate Auctions market_g could not be read 25 h 0 min ago 1,234 0 the server answered 404 It is tried again"
        in said
    )
    async with service.database.write() as conn:
        await conn.execute(sa.update(source_runs).values(state="suspect", error="half of the names are gone"))
    said = await page(browser)
    assert "One thing needs you Feed Northgate Auctions sent a list that looks wrong twice in a row" in said
    assert (
        "half of the names are gone Nothing of it was taken. If the list is right: afterdrop scan --accept market_b"
        in (said)
    )


async def test_held_deliveries_are_told_apart_from_due_and_later_ones(
    service: Service, browser: Browser
) -> None:
    await scanned(service, ("done", None))
    off, on = await endpoint(service, 9), await endpoint(service, 5)
    async with service.database.write() as conn:
        hook = webhook_endpoints
        await conn.execute(sa.update(hook).where(hook.c.id == off).values(disabled_at=NOW - HOUR))
        mine = sa.select(deliveries.c.id).where(deliveries.c.endpoint_id == on).order_by(deliveries.c.id)
        ids = list(await conn.scalars(mine))
        change = sa.update(deliveries)
        await conn.execute(change.where(deliveries.c.id == ids[0]).values(due_at=NOW + HOUR, tries=1))
        failed = {"status": "failed", "due_at": None, "settled_at": NOW - 3 * 24 * HOUR}
        await conn.execute(change.where(deliveries.c.id == ids[1]).values(**failed, error=EXPIRED))
    await browser.sign_in("operator")
    said = await page(browser)
    assert "Webhook deliveries 13 3 are due now. 1 waits for its next try, due in 1 h 0 min." in said
    assert "9 deliveries wait: their endpoints are switched off, or their owners have no Pro plan." in said
    assert (
        f"endpoint {off} of pro@members.example switched off 9 0 0 We switched it off 1 h 0 min ago" in said
    )
    assert f"endpoint {on} of pro@members.example on 0 0 1" in said
    assert "Waiting for us; 9 more are held 4 " in said
    assert "secret-path" not in said


async def test_failed_deliveries_are_sent_again(service: Service, browser: Browser) -> None:
    made = await endpoint(service, 3)
    async with service.database.write() as conn:
        failed = {"status": "failed", "due_at": None, "settled_at": NOW - HOUR, "error": "answered 500"}
        await conn.execute(sa.update(deliveries).values(**failed))
    await browser.sign_in("operator")
    assert "A delivery: check.completed 1 h 0 min ago (3 times) answered 500 Send again" in await page(
        browser
    )
    answer = await browser.send("/admin", {"do": "replay", "endpoint": str(made)})
    assert "3 deliveries are sent again." in words(answer)
    async with service.database.read() as conn:
        assert set(await conn.scalars(sa.select(deliveries.c.status))) == {"pending"}
        assert set(await conn.scalars(sa.select(deliveries.c.due_at))) == {NOW}
    none = await browser.send("/admin", {"do": "replay"})
    assert "No delivery could be sent again" in words(none)


async def test_a_failed_review_is_repeated(service: Service, browser: Browser) -> None:
    row = {"domain": "mill.com", "state": "settled", "outcome": "failed", "error": "the archive answered 503"}
    await put(service, candidates, {**row, "first_seen_at": NOW, "settled_at": NOW - HOUR})
    await browser.sign_in("operator")
    assert "The review of mill.com 1 h 0 min ago the archive answered 503 Review again" in await page(browser)
    answer = await browser.send("/admin", {"do": "review", "domain": "mill.com"})
    assert "reviewed again, ahead of others" in words(answer)
    async with service.database.read() as conn:
        found = (await conn.execute(sa.select(candidates.c.state, candidates.c.error))).one()
    assert tuple(found) == ("due", None)
    unknown = await browser.send("/admin", {"do": "review", "domain": "never-seen.com"})
    assert unknown.status_code == 404


async def test_a_host_that_is_left_alone_is_asked_again(service: Service, browser: Browser) -> None:
    await scanned(service, ("done", None))
    away = {"host": "web.archive.org/cdx", "since": (NOW - HOUR).timestamp(), "note": "no answer in time"}
    await put(service, host_outages, {**away, "next_try_at": (NOW + HOUR / 6).timestamp()})
    async with service.database.write() as conn:
        await pace.note_refusal(conn, "rdap.example", NOW.timestamp(), "answered 403")
    await browser.sign_in("operator")
    said = await page(browser)
    assert "2 things need you, the worst first" in said
    assert said.index("web.archive.org/cdx has not answered since") < said.index("rdap.example refuses us")
    for host in ("web.archive.org/cdx", "rdap.example"):
        assert "asked again" in words(await browser.send("/admin", {"do": "ask", "host": host}))
    assert "All is well" in await page(browser)
    async with service.database.read() as conn:
        assert (await outages(conn), await pace.host_states(conn)) == ([], [])
    for fields in ({"do": "ask", "host": "rdap.example"}, {"do": "provider", "provider": "x"}, {"do": "?"}):
        assert (await browser.send("/admin", fields)).status_code == 404


async def test_budgets_are_in_view(service: Service, browser: Browser) -> None:
    await scanned(service, ("done", None))
    for period in ("2026-11-20", "2026-11"):
        await put(service, provider_spend, {"provider": "open_pagerank", "period": period, "units": 85})
    async with service.database.write() as conn:
        await pace.lease_slot(conn, "web.archive.org/cdx", 3, NOW.timestamp(), 0, 3)
    await browser.sign_in("operator")
    said = await page(browser)
    assert "One thing needs you" in said
    assert "has used 85 of 100 units of this day (85%). Raise per_day or per_month" in said
    assert "open_pagerank 85 of 100 85% 85 " in said
    assert "Reviews in the web archive 0 of 2,000 0% – – " in said
    assert "archive web.archive.org/cdx 3 of 28,512 0% – At most 0.33 a second." in said
    assert "archive web.archive.org 0 of 691,200 0% – At most 8 a second." in said
    assert "data.commoncrawl.org" not in said  # switched off
    assert "Mails, last hour 0 sent, 0 failed" in said
    assert "No mail server is set, so mails are kept" in said
    assert "Last backup 1 h 0 min ago" in said


async def test_members_see_nothing_and_change_nothing(service: Service, browser: Browser) -> None:
    await endpoint(service, 1)
    async with service.database.write() as conn:
        await conn.execute(sa.update(deliveries).values(status="failed", due_at=None, settled_at=NOW))
    await browser.sign_in("pro")
    assert (await browser.get("/admin")).status_code == 404
    answer = await browser.send("/admin", {"do": "replay"}, page="/account")
    assert answer.status_code == 404
    async with service.database.read() as conn:
        assert list(await conn.scalars(sa.select(deliveries.c.status))) == ["failed"]


async def test_an_operator_no_more_sees_no_page_of_theirs(service: Service, browser: Browser) -> None:
    await browser.sign_in("operator")
    pages = ("/admin", "/admin/accounts", "/admin/rejections", "/admin/takeovers")
    for status in (200, 404):
        assert [(await browser.get(page)).status_code for page in pages] == [status] * len(pages)
        async with service.database.write() as conn:
            await members.set_operator(conn, service.accounts["operator"].id, False)


def test_every_alarm_of_the_handbook_has_its_advice() -> None:
    handbook = Path(__file__).parents[3] / "docs" / "operate" / "operate.md"
    told = re.findall(r"^\|[^|]+\| `([a-z-]+)(?::[^`]*)?` \|", handbook.read_text(encoding="utf-8"), re.M)
    assert {*told, "lists", "unheard"} == set(ADVICE)
