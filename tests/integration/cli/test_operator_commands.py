"""Commands for an operator in trouble: the alarm's path, missing workers, blocked hosts, deliveries, backups."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import typer
from bench import commands, takeovers
from typer.testing import CliRunner, Result

from afterdrop.cli.commands import app
from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.delivery import deliveries
from afterdrop.db.tables.review import visits
from afterdrop.delivery import events
from afterdrop.http import pace
from afterdrop.queue import job_runs
from afterdrop.sources.live.warc_record import evidence_dir, keep_record
from tests.support import TEST_SECRET, receivers
from tests.support.mailserver import mailserver
from tests.support.receivers import receiver
from tests.support.world import World

MINUTE = timedelta(minutes=1)


@pytest.fixture
def world(database: Database, settings: Settings) -> World:
    """The deployment that the commands find, now."""
    made = World(database, settings)
    made.now = clock.now()
    return made


async def run(world: World, *words: str, **environ: str) -> Result:
    """A command over the world's database."""
    return await run_tool(world, app, *words, **environ)


async def run_tool(world: World, tool: typer.Typer, *words: str, **environ: str) -> Result:
    """A command, or a tool of `bench`, over the world's database."""
    given = {
        "AFTERDROP_DATABASE_URL": world.settings.database_url,
        "AFTERDROP_DATA_DIR": str(world.settings.data_dir),
        "AFTERDROP_SECRET_KEYS": TEST_SECRET,
        **environ,
    }
    return await asyncio.to_thread(lambda: CliRunner(env=given).invoke(tool, list(words)))


async def test_a_test_alarm_says_what_happened_on_each_way(world: World) -> None:
    nothing = await run(world, "alarm", "test", "--json")
    assert nothing.exit_code == 1
    assert [row["state"] for row in json.loads(nothing.stdout)] == ["off", "off", "off"]
    refusing = receivers.says(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
    async with mailserver() as server, receiver(receivers.OK) as hook, receiver(refusing) as beat:
        chosen = {
            "AFTERDROP_OPERATOR__MAIL": "ops@drops.example",
            "AFTERDROP_MAIL__HOST": "127.0.0.1",
            "AFTERDROP_MAIL__PORT": str(server.port),
            "AFTERDROP_MAIL__SECURITY": "none",
            "AFTERDROP_OPERATOR__WEBHOOK": hook.url,
            "AFTERDROP_TRUSTED_ORIGINS": ",".join(url.url.removesuffix("/hook") for url in (hook, beat)),
        }
        good = await run(world, "alarm", "test", **chosen)
        bad = await run(world, "alarm", "test", "--json", AFTERDROP_OPERATOR__HEARTBEAT=beat.url, **chosen)
    assert (good.exit_code, bad.exit_code) == (0, 1), good.output
    assert "mail\tok\tthe mail server took a mail to ops@drops.example\n" in good.stdout
    states = {row["way"]: (row["state"], row["remark"]) for row in json.loads(bad.stdout)}
    assert states["heartbeat"] == ("fails", "status 500")
    assert "test alarm" in server.taken[0].mail["Subject"]
    assert [row["alarm"] for row in json.loads(hook.posts[0].body)["raised"]] == ["test"]


async def test_status_check_fails_without_a_worker(world: World) -> None:
    lost = await run(world, "status", "--check", AFTERDROP_OPERATOR__DISK_FREE_SHARE="0")
    assert (lost.exit_code, lost.stdout.splitlines()[0][:30]) == (1, "ALARM no worker is alive: noth")
    async with world.database.write() as conn:
        await job_runs.beat(conn, "w", clock.now())
    alive = await run(world, "status", "--check", AFTERDROP_OPERATOR__DISK_FREE_SHARE="0")
    assert alive.exit_code == 0, alive.stdout


async def test_hosts_are_listed_and_cleared(world: World) -> None:
    soon = clock.epoch() + 600
    async with world.database.write() as conn:
        await pace.block(conn, "rdap.example", soon, "429 from rdap.example")
        await pace.block(conn, "wrong.example", soon + 400 * 86400, "429 from wrong.example")
    rows = (await run(world, "pace", "list")).stdout.splitlines()
    assert [row.split("\t")[:2] for row in rows[1:]] == [
        ["rdap.example", "blocked"],
        ["wrong.example", "a wrong clock wrote it; ignored"],
    ]
    assert (await run(world, "pace", "clear", "rdap.example")).exit_code == 0
    [left] = (await run(world, "pace", "list", "--json")).stdout.splitlines()
    assert json.loads(left)["host"] == "wrong.example"
    assert (await run(world, "pace", "clear", "rdap.example")).exit_code != 0


async def test_deliveries_since_a_time_are_sent_again_once(world: World) -> None:
    ids: list[int] = []
    account = await world.account()
    for active in (True, True, False):
        ids.append(await world.endpoint(account, active=active))
    async with world.database.write() as conn:
        for number, age in enumerate((1, 90)):
            draft = events.EventDraft(account, {}, f"{number}")
            await events.record(conn, events.CHECK_COMPLETED, draft, world.now - age * MINUTE)
        # An inactive endpoint gets no new deliveries: these were written while it was on.
        settled: dict[str, Any] = {"status": "failed", "error": "answered 500", "settled_at": world.now}
        await conn.execute(sa.update(deliveries).values(due_at=None, tries=6, attempts=6, **settled))
        second = deliveries.c.endpoint_id == ids[1]
        await conn.execute(sa.update(deliveries).where(second).values(status="delivered"))
    since = f"{world.now - 60 * MINUTE:%Y-%m-%dT%H:%M:%SZ}"
    asked = [
        await run(world, "deliveries", "replay", "--since", since, *more)
        for more in ((), (), ("--endpoint", str(ids[1]), "--delivered"))
    ]
    assert [each.stdout.split()[0] for each in asked] == ["1", "0", "1"], [each.output for each in asked]
    pending = [row for row in await world.deliveries() if row["status"] == "pending"]
    assert [(row["endpoint_id"], row["error"]) for row in pending] == [(ids[0], None), (ids[1], None)]
    assert all(row["redelivery_requested_at"] and row["due_at"] for row in pending)
    assert (await run(world, "deliveries", "replay", "--since", "yesterday")).exit_code != 0


async def test_a_backup_notes_that_it_was_made(world: World, tmp_path: Path) -> None:
    await world.account()
    made = await run(world, "backup", str(tmp_path / "kept"))
    assert made.exit_code == 0, made.output
    again = await run(world, "backup", str(tmp_path / "kept2"))
    assert again.exit_code == 0, again.output
    [row] = [row for row in json.loads((await run(world, "status", "--json")).stdout)["jobs"]]
    assert (row["job"], row["error"]) == ("backup", None)
    assert row["result"]["rows"] > 0


async def test_the_timetable_does_not_wait_for_a_wrong_clock(world: World) -> None:
    for moment in (world.now, world.now + timedelta(days=400)):
        async with world.database.write() as conn:
            await job_runs.take(conn, job_runs.JobRun("prune", moment, "w"), moment, MINUTE)
    async with world.database.read() as conn:
        assert await job_runs.newest_moments(conn, world.now) == {"prune": world.now}


async def test_what_became_of_names_is_counted_and_exported(world: World, tmp_path: Path) -> None:
    assert "No name has been visited yet." in (await run(world, "takeovers", "counts")).stdout
    kept = keep_record(evidence_dir(world.settings), b"a record")
    began = world.now - timedelta(days=40)
    row: dict[str, Any] = {"began_at": began, "day": 0, "visited_at": began, "attempts": 1}
    row |= {"ours": "rejected", "kind": "other", "title": "Zeile\n“2”", "quotes": ["q"], "after_account": 0}
    async with world.database.write() as conn:
        await conn.execute(sa.insert(visits).values(**row, domain="a.com", evidence=kept, label="wrong"))
        await conn.execute(sa.insert(visits).values(**row, domain="b.com", evidence="ab" * 32))
        planned = {**row, "visited_at": None, "kind": None, "day": 30}
        await conn.execute(sa.insert(visits).values(**planned, domain="a.com"))
    counted = await run(world, "takeovers", "counts", "--json")
    assert json.loads(counted.stdout) == {"ours": "rejected", "kind": "other", "names": 2}
    labels = commands.tool(takeovers.export)
    exported = [json.loads(line) for line in (await run_tool(world, labels)).stdout.splitlines()]
    assert [(each["domain"], each["label"]) for each in exported] == [("a.com", "wrong"), ("b.com", None)]
    assert Path(exported[0]["evidence"]).read_bytes() == b"a record"
    assert exported[1]["evidence"] is None
    file = tmp_path / "labels.jsonl"
    labelled = await run_tool(world, labels, "--labelled", "--out", str(file))
    assert labelled.stdout.startswith("1 visit written to")
    assert json.loads(file.read_text(encoding="utf-8"))["title"] == "Zeile\n“2”"
