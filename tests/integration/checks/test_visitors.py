"""Checks of people without an account: free sources, behind the scan, within limits, forgotten after a week."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import sqlalchemy as sa

from afterdrop.checks import visitors
from afterdrop.checks.visitors import KEPT, Quota, visitor_queue
from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.dialects import upsert
from afterdrop.db.engine import Database
from afterdrop.db.leases import Claim
from afterdrop.db.tables.checks import visitor_checks
from afterdrop.db.tables.feeds import candidates, metric_values, provider_answers
from afterdrop.queue.loop import QueueRunner
from afterdrop.worker_context import WorkerContext, open_context
from tests.integration.checks.conftest import Bench
from tests.support.rows import NOW
from tests.support.world import World

QUOTA = Quota(3, 2)


async def _order(database: Database, domain: str, *, network: str = "n", now: datetime = NOW) -> str | None:
    async with database.write() as conn:
        return await visitors.order(conn, f"hash of {domain}", domain, network, QUOTA, now)


async def _work(context: WorkerContext) -> None:
    await QueueRunner(visitor_queue(context.behind_the_scan()), context).run(until_empty=True)


async def test_a_visitors_check_reads_archive_and_registry_and_asks_no_provider(bench: Bench) -> None:
    names = [bench.named(role) for role in ("live_bid", "spam_casino")]
    for name in names:
        assert await _order(bench.database, name, now=clock.now()) is None
    async with open_context(bench.settings, bench.database, worker="w", environ=bench.environ) as context:
        await _work(context)
    found = []
    async with bench.database.read() as conn:
        for name in names:
            row = await visitors.check_by(conn, f"hash of {name}", clock.now())
            assert row is not None
            assert (row["status"], row["error"]) == ("done", None)
            found.append(row["report"])
        for table in (provider_answers, metric_values):
            assert await conn.scalar(sa.select(sa.func.count()).select_from(table)) == 0
    honest, casino = found
    assert honest is not None
    assert casino is not None
    assert honest["history"] is not None
    assert honest["history"]["captures"] > 0
    assert honest["registration"] is not None
    assert honest["listing"]["source"] is None
    assert casino["standing"] == "rejected"


async def test_the_days_limits_hold_for_all_and_for_one_network(database: Database) -> None:
    assert await _order(database, "a.com") is None
    assert await _order(database, "b.com") is None
    assert await _order(database, "c.com") == "network"
    assert await _order(database, "c.com", network="m") is None
    assert await _order(database, "d.com", network="o") == "day"
    assert await _order(database, "d.com", network="o", now=NOW + timedelta(days=1)) is None


async def test_simultaneous_orders_never_exceed_the_limit(database: Database) -> None:
    outcomes = await asyncio.gather(
        *(_order(database, f"n{each}.com", network=str(each)) for each in range(8))
    )
    assert outcomes.count(None) == QUOTA.a_day


async def test_none_is_taken_while_a_candidate_is_under_review(database: Database) -> None:
    await _order(database, "a.com")
    row = {"domain": "c.com", "state": "due", "first_seen_at": NOW, "due_at": NOW}
    minute = timedelta(minutes=1)
    async with database.write() as conn:
        await upsert(conn, candidates, [{**row, "lease_until": NOW + minute}], ["domain"])
        assert await visitors.claim(conn, Claim("w", NOW, minute, 5)) == []
        [taken] = await visitors.claim(conn, Claim("w", NOW + minute, minute, 5))
        assert taken["domain"] == "a.com"


async def test_a_check_fails_for_good_after_the_last_attempt_and_is_forgotten_after_a_week(
    database: Database, settings: Settings
) -> None:
    await _order(database, "a.com")
    world = World(database, settings)
    for attempt in (1, 2, 3):
        world.now += timedelta(hours=1)
        async with database.write() as conn:
            [row] = await visitors.claim(conn, Claim("w", world.now, timedelta(minutes=1), 5))
            assert row["attempts"] == attempt
        await visitor_queue(world.context).failed(row, "the archive is down")
    now = world.now + timedelta(hours=1)
    async with database.write() as conn:
        assert await visitors.claim(conn, Claim("w", now, timedelta(minutes=1), 5)) == []
        kept = await visitors.check_by(conn, "hash of a.com", now)
        assert kept is not None
        assert kept["status"] == "failed"
        assert await visitors.check_by(conn, "hash of a.com", NOW + KEPT) is None
        assert await visitors.forget(conn, NOW + KEPT - timedelta(seconds=1), 10) == 0
        assert await visitors.forget(conn, NOW + KEPT, 10) == 1
        assert await conn.scalar(sa.select(sa.func.count()).select_from(visitor_checks)) == 0
