"""Checks as workers do them, against a sandbox: done, failed, lost, taken over, and what their reports say."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, cast

import orjson
import pytest
import sqlalchemy as sa
from pydantic import TypeAdapter

from afterdrop.accounts.store import delete_account
from afterdrop.catalogue.shapes import CheckReport
from afterdrop.checks import store
from afterdrop.checks.order import CheckDetail, check_detail, check_json
from afterdrop.checks.worker import check_queue
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings
from afterdrop.db.leases import Claim
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.feeds import metric_values, provider_answers
from afterdrop.db.tables.review import reviews
from afterdrop.queue.loop import QueueRunner
from afterdrop.review.flags.risk_flags import FLAGS
from afterdrop.scan.run import run_scan
from afterdrop.web.responses import json_bytes
from afterdrop.worker_context import WorkerContext, open_context
from tests.integration.checks.conftest import Bench
from tests.support import POSTGRES_IS_LONG
from tests.support.rows import REPORTED

CHECK_DETAIL = TypeAdapter(CheckDetail)


@asynccontextmanager
async def worker_context(bench: Bench, settings: Settings | None = None) -> AsyncIterator[WorkerContext]:
    async with open_context(
        settings or bench.settings, bench.database, worker="w", environ=bench.environ
    ) as context:
        yield context


async def work(context: WorkerContext, *, until_empty: bool = True) -> None:
    """Work until the queue of checks is empty."""
    await QueueRunner(check_queue(context), context).run(until_empty=until_empty)


async def test_a_check_of_a_name_of_symbols(bench: Bench) -> None:
    ordered = (await bench.order("xn--n3h.net")).check["id"]
    async with worker_context(bench) as context:
        await work(context)
    found = await bench.row(ordered)
    assert (found["status"], found["domain"]) == ("done", "xn--n3h.net")
    # The sandbox's registry knows no name of the real world.
    assert found["registration"]["state"] == "unknown"
    assert found["report"]["domain"] == "xn--n3h.net"


async def test_t_03_ev_14_ck_10_to_ck_13_done(bench: Bench) -> None:
    names = {role: bench.named(role) for role in ("live_bid", "spam_casino", "dropped_free")}
    ordered = {role: (await bench.order(name)).check["id"] for role, name in names.items()}
    async with worker_context(bench) as context:
        await work(context)
    rows = {role: await bench.row(check_id) for role, check_id in ordered.items()}
    for role, row in rows.items():
        assert (row["status"], row["domain"]) == ("done", names[role])
        detail = orjson.loads(json_bytes(check_detail(row, bench.settings.site_url)))
        CHECK_DETAIL.validate_python(detail)
        assert detail["would_list"] is (not detail["reject_reasons"])
        assert all(reason.endswith(".") for reason in detail["reject_reasons"])
        found = detail["report"]
        assert (found["detail"], found["open"], found["rank_on_hunt_day"]) == ("full", False, None)
        assert (found["found_at"], found["revival_kit"]["url"]) == (None, None)
        assert found["listing"] == dict.fromkeys(
            ("source", "source_title", "type", "price_usd", "ends_at", "opens_at", "day", "url")
        ) | {"bids": 0, "certain": True}
        assert [check["flag"] for check in found["risk_checks"]] == list(FLAGS)
        assert set(detail["registration"]) == {
            *("state", "registrar", "registered_at", "expires_at", "statuses")
        }
    assert rows["live_bid"]["would_list"] is True
    assert rows["spam_casino"]["would_list"] is False
    free = rows["dropped_free"]
    assert (free["registration"]["state"], free["report"]["status"]) == ("available", "available")
    assert rows["live_bid"]["report"]["status"] == "ended"
    assert await bench.credits() == 0, "a finished check keeps its credit"
    events = {event["data"]["check"]["id"]: event for event in await bench.recorded()}
    assert set(events) == set(ordered.values())
    for role, check_id in ordered.items():
        assert events[check_id]["type"] == "check.completed"
        told = events[check_id]["data"]["check"]
        assert set(told) == set(check_json(rows[role], ""))
        assert (told["status"], told["score"]) == ("done", rows[role]["score"])


async def test_c_06_a_registry_that_does_not_answer_leaves_nulls(bench: Bench) -> None:
    ordered = (await bench.order(bench.named("live_bid"))).check["id"]
    bench.running.state.faults.put([{"path": "/domain/[^/?]+$", "kind": "status", "status": 503}])
    async with worker_context(bench) as context:
        await work(context)
    row = await bench.row(ordered)
    members = ("registrar", "registered_at", "expires_at", "statuses")
    assert row["registration"] == {"state": "unknown", **dict.fromkeys(members)}
    CHECK_DETAIL.validate_python(orjson.loads(json_bytes(check_detail(row, bench.settings.site_url))))


async def test_t_04_t_05_ev_14_failed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "RETRY_AFTER", timedelta(0))
    name = bench.named("live_bid")
    first = (await bench.order(name)).check["id"]
    assert await bench.credits() == 2
    path = f"url={re.escape(name)}&"
    bench.running.state.faults.put([{"server": "archive", "path": path, "kind": "status", "status": 503}])
    async with worker_context(bench) as context:
        await work(context)
        row = await bench.row(first)
        assert (row["status"], row["attempts"], row["score"], row["slot"]) == ("failed", 3, None, None)
        assert await bench.credits() == 3
        (event,) = await bench.recorded()
        assert (event["data"]["check"]["status"], event["data"]["check"]["verdict"]) == ("failed", None)
        bench.running.state.faults.put([])
        again = (await bench.order(name)).check["id"]
        assert again != first
        await work(context)
    assert ((await bench.row(again))["status"], await bench.credits()) == ("done", 2)


@pytest.mark.parametrize("kind", ["reset", "status"])
async def test_a_check_waits_while_the_archive_is_away(bench: Bench, kind: str) -> None:
    """Whether it cannot be reached or fails for everybody: that is no attempt, and the check says what it waits for."""
    check_id = (await bench.order(bench.named("live_bid"))).check["id"]
    bench.running.state.faults.put([{"server": "archive", "path": ".", "kind": kind}])
    async with worker_context(bench) as context:
        await work(context)
    row = await bench.row(check_id)
    assert (row["status"], row["attempts"], row["error"]) == ("queued", 0, None)
    assert row["progress"] == "waiting for the web archive, which does not answer"
    assert row["due_at"] > clock.now()


UNHEARD = "never-heard-of-it-7.com"


async def test_a_check_that_learned_nothing_is_done_without_a_score(bench: Bench) -> None:
    check_id = (await bench.order(UNHEARD)).check["id"]
    async with worker_context(bench) as context:
        await work(context)
    row = await bench.row(check_id)
    assert (row["status"], row["score"], row["verdict"], row["would_list"]) == ("done", None, None, False)
    assert row["reject_reasons"] == ["The web archive has no capture.", "No link figure is known."]
    assert await bench.credits() == 2, "all were asked and answered"
    detail = orjson.loads(json_bytes(check_detail(row, bench.settings.site_url)))
    CHECK_DETAIL.validate_python(detail)
    found = detail["report"]
    assert (found["score"], found["verdict"]) == (None, None)
    assert found["report_url"] == detail["report_url"] == f"{bench.settings.site_url}/checks/{check_id}"
    assert {part: value for part, value in found["score_breakdown"].items() if value is not None} == {
        "penalty": 0
    }
    (event,) = await bench.recorded()
    assert (event["data"]["check"]["status"], event["data"]["check"]["score"]) == ("done", None)


@pytest.mark.parametrize(
    ("server", "path"), [("main", "."), (".", "domain/never")], ids=["vendors", "registry"]
)
async def test_a_check_that_learned_nothing_fails_where_a_source_did_not_answer(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, server: str, path: str
) -> None:
    monkeypatch.setattr(store, "RETRY_AFTER", timedelta(0))
    check_id = (await bench.order(UNHEARD)).check["id"]
    bench.running.state.faults.put([{"server": server, "path": path, "kind": "html"}])
    async with worker_context(bench) as context:
        await work(context)
    row = await bench.row(check_id)
    assert (row["status"], row["attempts"], row["score"], row["verdict"]) == ("failed", 3, None, None)
    assert "did not answer" in row["error"]
    assert await bench.credits() == 3
    detail = check_detail(row, bench.settings.site_url)
    assert (detail["would_list"], detail["report"]) == (False, None)
    assert detail["reject_reasons"] == ["The web archive has no capture.", "No link figure is known."]
    (event,) = await bench.recorded()
    assert (event["data"]["check"]["status"], event["data"]["check"]["score"]) == ("failed", None)


@POSTGRES_IS_LONG
async def test_the_report_of_a_check_leads_to_a_page_that_exists(bench: Bench) -> None:
    """A published domain's own page; else the check's, for the site has no page of an unpublished domain."""
    async with worker_context(bench) as context:
        await run_scan(context)
        async with bench.database.read() as conn:
            listed = str(await conn.scalar(sa.select(domains.c.domain).limit(1)))
        ordered = {
            name: (await bench.order(name)).check["id"] for name in (listed, bench.named("spam_casino"))
        }
        await work(context)
    told = {name: (await bench.row(check_id))["report"]["report_url"] for name, check_id in ordered.items()}
    site = bench.settings.site_url
    assert told == {
        listed: f"{site}/domains/{listed}",
        bench.named("spam_casino"): f"{site}/checks/{ordered[bench.named('spam_casino')]}",
    }


async def lost(bench: Bench, check_id: str, **values: Any) -> None:
    """A check as a worker that died leaves it."""
    async with bench.database.write() as conn:
        await conn.execute(
            sa.update(checks)
            .where(checks.c.id == check_id)
            .values(status="running", claimed_by="dead", **values)
        )


async def test_t_06_a_crash_puts_it_back_and_another_worker_does_it(bench: Bench) -> None:
    check_id = (await bench.order(bench.named("live_bid"))).check["id"]
    now = clock.now()
    await lost(bench, check_id, attempts=1, started_at=now, lease_until=now - timedelta(seconds=1))
    async with bench.database.write() as conn:
        assert await store.requeue_lost(conn, now) == []
    assert (await bench.row(check_id))["status"] == "queued"
    async with worker_context(bench) as context:
        await work(context)
    row = await bench.row(check_id)
    assert (row["status"], row["attempts"], await bench.credits()) == ("done", 2, 2)


async def test_t_06_a_worker_that_stops_in_good_order_gives_it_back(bench: Bench) -> None:
    """A check that was given back has no lease and no worker: it is queued again, not stuck."""
    check_id = (await bench.order("a.com")).check["id"]
    await lost(bench, check_id, attempts=0, started_at=clock.now(), lease_until=None)
    async with bench.database.write() as conn:
        assert await store.requeue_lost(conn, clock.now()) == []
        (row,) = await store.claim(conn, Claim("next", clock.now(), timedelta(seconds=9), 5))
    assert (row["id"], row["attempts"]) == (check_id, 1)


async def test_t_07_three_lost_attempts_or_half_an_hour_and_the_credit_returns(bench: Bench) -> None:
    now = clock.now()
    thrice, late, live = [(await bench.order(name)).check["id"] for name in ("a.com", "b.com", "c.com")]
    gone, held = now - timedelta(seconds=1), now + timedelta(seconds=60)
    await lost(bench, thrice, attempts=3, started_at=now, lease_until=gone)
    await lost(bench, late, attempts=1, started_at=now - timedelta(minutes=30), lease_until=gone)
    await lost(bench, live, attempts=3, started_at=now, lease_until=held)
    assert await bench.credits() == 0
    async with worker_context(bench) as context, bench.database.write() as conn:
        assert await check_queue(context).claim(conn, Claim("w", now, context.lease, 5)) == []
    assert [(await bench.row(each))["status"] for each in (thrice, late, live)] == [
        "failed",
        "failed",
        "running",
    ]
    assert await bench.credits() == 2
    assert {event["data"]["check"]["id"] for event in await bench.recorded()} == {thrice, late}


async def test_t_07_half_an_hour_with_a_live_worker_ends_it_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_id = (await bench.order(bench.named("live_bid"))).check["id"]
    bench.running.state.faults.put([{"server": "archive", "path": ".", "kind": "slow", "seconds": 60}])
    monkeypatch.setattr(store, "NO_RESULT_AFTER", timedelta(seconds=2))
    async with worker_context(bench) as context:
        await asyncio.wait_for(work(context), 50)
    row = await bench.row(check_id)
    assert (row["status"], await bench.credits()) == ("failed", 3)
    assert "no result" in row["error"]
    assert [event["data"]["check"]["status"] for event in await bench.recorded()] == ["failed"]


async def test_t_07_one_that_nobody_claimed_for_half_an_hour_is_failed(bench: Bench) -> None:
    old, fresh = [(await bench.order(name)).check["id"] for name in ("a.com", "b.com")]
    now = clock.now()
    async with bench.database.write() as conn:
        ago = now - timedelta(minutes=30)
        await conn.execute(sa.update(checks).where(checks.c.id == old).values(created_at=ago, due_at=ago))
    async with worker_context(bench) as context, bench.database.write() as conn:
        taken = await check_queue(context).claim(conn, Claim("w", now, context.lease, 5))
    assert [row["id"] for row in taken] == [fresh]
    assert ((await bench.row(old))["status"], await bench.credits()) == ("failed", 2)


async def test_a_worker_that_lost_its_lease_changes_nothing(bench: Bench) -> None:
    """Its check was failed meanwhile: the credit is returned once, and no result is written."""
    check_id = (await bench.order("a.com")).check["id"]
    async with bench.database.write() as conn:
        (row,) = await store.claim(conn, Claim("slow", clock.now(), timedelta(seconds=1), 1))
        assert await store.fail(conn, row, "gone", clock.now()) is not None
        assert await store.fail(conn, row, "gone", clock.now()) is None
    report, registration = cast(CheckReport, {}), cast(store.CheckRegistration, {})
    result = store.CheckResult(90, "ok", True, [], report, registration)
    async with bench.database.write() as conn:
        with pytest.raises(AfterdropError, match="lease was lost"):
            await store.finish(conn, row, result, clock.now())
    assert ((await bench.row(check_id))["status"], await bench.credits()) == ("failed", 3)


async def test_an_account_deleted_meanwhile_takes_its_check_with_it(bench: Bench) -> None:
    await bench.order(bench.named("live_bid"))
    slow = {"server": "archive", "path": "/web/", "kind": "slow", "seconds": 1}
    bench.running.state.faults.put([slow])
    async with worker_context(bench) as context:
        working = asyncio.create_task(work(context))
        await asyncio.sleep(0.7)
        async with bench.database.write() as conn:
            await delete_account(conn, bench.account)
        await working
    async with bench.database.read() as conn:
        assert await conn.scalar(sa.select(sa.func.count()).select_from(checks)) == 0
    assert await bench.recorded() == []


@POSTGRES_IS_LONG
async def test_ck_15_a_check_scores_as_the_scan_did(bench: Bench) -> None:
    async with worker_context(bench) as context:
        await run_scan(context)
        async with bench.database.read() as conn:
            listed = {
                row.domain: row for row in await conn.execute(REPORTED.order_by(domains.c.domain).limit(3))
            }
        ordered = [(await bench.order(name)).check["id"] for name in listed]
        asked = len([row for row in bench.running.state.log if row["server"] == "archive"])
        await work(context)
        assert len([row for row in bench.running.state.log if row["server"] == "archive"]) == asked
    for check_id in ordered:
        row = await bench.row(check_id)
        assert (row["score"], row["verdict"]) == (listed[row["domain"]].score, listed[row["domain"]].verdict)
        assert row["would_list"] is True
        assert row["report"]["score_breakdown"] == listed[row["domain"]].report["score_breakdown"]


async def test_ck_16_the_pace_of_the_real_archive_allows_it_within_seconds(bench: Bench) -> None:
    """What the archive is asked at its real pace, everybody else once a second, one after another. How long it then
    takes, reading included, depends on the machine: `python -m bench.checks` prints that."""
    check_id = (await bench.order(bench.named("honest_redesign"))).check["id"]
    async with worker_context(bench) as context:
        await work(context)
    assert (await bench.row(check_id))["status"] == "done"
    real = Settings(database_url="", secret_keys=()).pace
    archive = [row["path"] for row in bench.running.state.log if row["server"] == "archive"]
    asked = {
        real.hosts["web.archive.org/cdx"]: sum("/cdx/" in path for path in archive),
        real.hosts["web.archive.org"]: sum("/cdx/" not in path for path in archive),
        # Linking sites are asked side by side, within the seconds that the settings allow them.
        real.default: sum(
            row["server"] not in ("archive", "links", "dns") for row in bench.running.state.log
        ),
    }
    assert all(asked.values()), "each of them was asked"
    assert sum(count / pace.per_second for pace, count in asked.items()) < 20


@POSTGRES_IS_LONG
async def test_a_check_of_a_name_on_no_list_does_not_tell_who_read_it_before(bench: Bench) -> None:
    """Neither another account's check nor a scan: its times are its own."""
    async with worker_context(bench) as context:
        await run_scan(context)
        earlier = clock.now() - timedelta(days=3)
        async with bench.database.write() as conn:
            named = sa.select(metric_values.c.domain).join(
                domains, domains.c.domain == metric_values.c.domain
            )
            [name] = await conn.scalars(named.where(metric_values.c.provider != "link_ranks").limit(1))
            await conn.execute(sa.delete(domains).where(domains.c.domain == name))
            for column in (metric_values.c.fetched_at, provider_answers.c.asked_at):
                await conn.execute(sa.update(column.table).values({column: earlier}))
            read = await conn.scalar(sa.select(reviews.c.history).where(reviews.c.domain == name))
            assert read is not None
            history = {**read, "reviewed_at": f"{earlier:%Y-%m-%dT%H:%M:%SZ}"}
            await conn.execute(sa.update(reviews).where(reviews.c.domain == name).values(history=history))
        check_id = (await bench.order(name)).check["id"]
        await work(context)
    row = await bench.row(check_id)
    found, ended = row["report"], f"{row['finished_at']:%Y-%m-%dT%H:%M:%SZ}"
    assert found["history"]["reviewed_at"] == ended
    assert ended in {given.get("at") for given in found["score_inputs"].values()}
    assert f"{earlier:%Y-%m-%dT%H:%M:%SZ}" not in str(found)


async def test_a_past_that_nobody_can_read_has_no_score_and_would_not_list(bench: Bench) -> None:
    bench.running.state.faults.put([{"server": "archive", "path": "/web/", "kind": "dcz"}])
    order = await bench.order(bench.named("live_bid"))
    async with worker_context(bench) as context:
        await work(context)
    row = await bench.row(order.check["id"])
    detail = orjson.loads(json_bytes(check_detail(row, bench.settings.site_url)))
    CHECK_DETAIL.validate_python(detail)
    assert (detail["status"], detail["score"], detail["verdict"]) == ("done", None, None)
    assert detail["would_list"] is False
    assert detail["reject_reasons"][0] == "No archived page of it could be read."
    assert (detail["report"]["score"], detail["report"]["conclusion"]) == (None, "unread")
    of_history = {"parked", "topic_change", "lang_change", "gap"}
    told = {each["flag"]: each["result"] for each in detail["report"]["risk_checks"]}
    assert {told[flag] for flag in of_history} == {"unknown"}
