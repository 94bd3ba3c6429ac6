"""What `afterdrop status` shows: queues with their ages, workers, last runs, and failures."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa
from typer.testing import CliRunner, Result

from afterdrop.cli.commands import app
from afterdrop.core import clock
from afterdrop.db.leases import Claim
from afterdrop.db.tables.delivery import deliveries, mails
from afterdrop.db.tables.watching import to_match
from afterdrop.delivery import events
from afterdrop.delivery.webhooks import store
from afterdrop.queue import job_runs
from afterdrop.worker.health import health
from tests.support.world import World

MINUTE = timedelta(minutes=1)


async def seen(world: World) -> Any:
    """The deployment's health now."""
    async with world.database.read() as conn:
        return await health(conn, world.now, world.settings)


async def owed(world: World, count: int) -> None:
    """Deliveries of one endpoint, due now."""
    account = await world.account()
    await world.endpoint(account, last_delivered_at=world.now)
    for number in range(count):
        async with world.database.write() as conn:
            draft = events.EventDraft(account, {}, f"{world.now}:{number}")
            await events.record(conn, events.CHECK_COMPLETED, draft, world.now)


async def change(world: World, table: sa.Table, **values: Any) -> None:
    """Change every row of a table."""
    async with world.database.write() as conn:
        await conn.execute(sa.update(table).values(**values))


async def test_an_empty_deployment_is_healthy(world: World) -> None:
    found = await seen(world)
    assert [row["queue"] for row in found["queues"]] == [
        "candidates", "checks", "page texts", "matching", "deliveries", "mails"
    ]  # fmt: skip
    assert {
        (row["waiting"], row["in_hand"], row["due"], row["oldest_seconds"]) for row in found["queues"]
    } == {(0, 0, 0, None)}
    assert [found[key] for key in ("scans", "sources", "workers", "jobs", "failures")] == [[]] * 5


async def test_queues_show_waiting_due_and_claimed_rows_and_the_oldest_age(world: World) -> None:
    await owed(world, 6)
    world.move(minutes=3)
    await owed(world, 1)
    async with world.database.write() as conn:
        assert len(await store.claim_due(conn, Claim("w", world.now, MINUTE, 2))) == 2
        later = sa.select(deliveries.c.id).where(deliveries.c.lease_until.is_(None)).limit(1)
        await conn.execute(
            sa.update(deliveries).where(deliveries.c.id.in_(later)).values(due_at=world.now + MINUTE)
        )
    await world.publish("one.com")
    by_name = {row.pop("queue"): row for row in (await seen(world))["queues"]}
    assert by_name["deliveries"] == {
        "waiting": 7,
        "in_hand": 2,
        "due": 6,
        "held": 0,
        "later": 1,
        "next_at": world.now + MINUTE,
        "oldest_seconds": 180,
        "untried_seconds": 180,
    }
    assert by_name["matching"] == {
        "waiting": 1,
        "in_hand": 0,
        "due": 1,
        "held": 0,
        "later": 0,
        "next_at": None,
        "oldest_seconds": 0,
        "untried_seconds": 0,
    }
    assert by_name["mails"]["waiting"] == 0


async def test_workers_are_alive_lost_or_stopped(world: World) -> None:
    for name, beat in (("lost", world.now - 3 * MINUTE), ("stopped", world.now), ("alive", world.now)):
        async with world.database.write() as conn:
            await job_runs.beat(conn, name, beat)
    async with world.database.write() as conn:
        await job_runs.leave(conn, "stopped", world.now)
    assert {row["id"]: row["state"] for row in (await seen(world))["workers"]} == {
        "lost": "lost", "stopped": "stopped", "alive": "alive"
    }  # fmt: skip
    world.move(days=3)
    assert (await seen(world))["workers"] == []


async def test_jobs_show_their_newest_run_and_failures_their_text(world: World) -> None:
    for minutes, error in ((2, None), (1, "registry.example: answered 503")):
        moment = world.now - minutes * MINUTE
        run = job_runs.JobRun("recheck", moment, "w")
        async with world.database.write() as conn:
            await job_runs.take(conn, run, moment, MINUTE)
            await job_runs.finish(conn, run, moment, result={"asked": 3}, error=error)
    [job] = (await seen(world))["jobs"]
    assert (job["moment"], job["error"]) == (world.now - MINUTE, "registry.example: answered 503")

    await owed(world, 1)
    await change(world, deliveries, status="failed", error="answered 500", settled_at=world.now)
    await world.publish("two.com")
    await change(world, to_match, error="unexpected KeyError", due_at=world.now)
    async with world.database.write() as conn:
        await conn.execute(
            sa.insert(mails).values(
                recipient="a@b.example", kind="digest", subject="s", text="t", headers={}, status="failed",
                created_at=world.now, error="the mail server answered 550: no",
            )
        )  # fmt: skip
    failures = {row["what"]: (row["subject"], row["error"]) for row in (await seen(world))["failures"]}
    assert failures == {
        "delivery": ("check.completed", "answered 500"),
        "matching": ("two.com", "unexpected KeyError"),
        "mail": ("digest", "the mail server answered 550: no"),
    }
    world.move(days=3)
    assert (await seen(world))["failures"] == []


async def test_the_command_shows_it_as_lines_and_as_json(
    world: World, database_url: str, tmp_path: Path
) -> None:
    world.now = clock.now()
    await owed(world, 2)
    async with world.database.write() as conn:
        await job_runs.beat(conn, "host:1:ab", world.now)
        await job_runs.take(conn, job_runs.JobRun("prune", world.now, "host:1:ab"), world.now, MINUTE)
        first = sa.select(sa.func.min(deliveries.c.id)).scalar_subquery()
        await conn.execute(
            sa.update(deliveries)
            .where(deliveries.c.id == first)
            .values(status="failed", error="evil \x1b[2J words", settled_at=world.now)
        )
    environ = {
        "AFTERDROP_DATABASE_URL": database_url, "AFTERDROP_DATA_DIR": str(tmp_path),
        "AFTERDROP_SECRET_KEYS": "k" * 40,
    }  # fmt: skip

    def run(*arguments: str) -> Result:
        return CliRunner(env=environ).invoke(app, ["status", *arguments])

    lines, as_json = await asyncio.to_thread(lambda: (run(), run("--json")))
    assert (lines.exit_code, as_json.exit_code) == (0, 0), lines.output
    assert "deliveries\t1\t0\t1\t" in lines.stdout
    assert "host:1:ab\talive" in lines.stdout
    assert "prune" in lines.stdout
    assert "running" in lines.stdout
    assert "FAILED delivery check.completed" in lines.stdout
    assert "\x1b" not in lines.stdout
    told = orjson.loads(as_json.stdout)
    assert {row["queue"]: row["waiting"] for row in told["queues"]}["deliveries"] == 1
    assert told["failures"][0]["error"] == "evil \x1b[2J words"
