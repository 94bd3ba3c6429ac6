"""A worker that is killed between the look-up of a followed name and its notice: another tells of it, once."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from afterdrop.core.settings_file import load
from afterdrop.db.engine import Database
from afterdrop.db.tables.review import registry_changes
from afterdrop.sandbox import start
from tests.support.sandboxes import environment, write_settings
from tests.support.world import World

ROOT = Path(__file__).resolve().parents[2]
BEGIN = datetime(2026, 10, 1, 12, tzinfo=UTC)
# One name whose registry has RDAP, and one whose registry has WHOIS; both are below the authority filter.
NAMES = ["rosenberga-hembygd.se", "wrenbournegallery.com"]
WORKER = """
import asyncio, os, sys
from datetime import datetime
from pathlib import Path
from afterdrop.catalogue.availability.recheck import recheck
from afterdrop.core.settings_file import load
from afterdrop.db.engine import database_url, open_database
from afterdrop.watching.registry_news import tell_of_registries
from afterdrop.worker_context import open_context

async def main(file, now, then):
    settings = load(file=Path(file))
    database = open_database(database_url(settings))
    moment = datetime.fromisoformat(now)
    async with open_context(settings, database, worker=str(os.getpid()), now=lambda: moment) as context:
        await recheck(context)
        if then == "die":
            os.kill(os.getpid(), 9)
        await tell_of_registries(context)
    await database.close()

asyncio.run(main(*sys.argv[1:]))
"""


async def worker(file: Path, now: datetime, then: str) -> int | None:
    """A worker process that asks about followed names, and then tells their followers or dies; its exit code."""
    env = {**environment(), "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    arguments = (sys.executable, "-c", WORKER, str(file), now.isoformat(), then)
    process = await asyncio.create_subprocess_exec(*arguments, env=env)
    return await process.wait()


@pytest.mark.long
async def test_killed_between_look_up_and_notice(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with start(1, 160, day=date(2026, 11, 20)) as running:
        file = write_settings(running, tmp_path, database_url)
        world = World(database, load(file=file), BEGIN)
        account = await world.account()
        for name in NAMES:
            await world.watch(account, name)
        running.clock.put(BEGIN)
        assert await worker(file, BEGIN, "tell") == 0
        later = datetime(2026, 10, 26, 12, tzinfo=UTC)
        running.clock.put(later)
        assert await worker(file, later, "die") == -9
        assert [(each["domain"], each["told_at"]) for each in await world.rows(registry_changes)] == [
            (name, None) for name in NAMES
        ]
        assert await world.events() == []
        for minutes in (1, 2):
            assert await worker(file, later + timedelta(minutes=minutes), "tell") == 0
    told = sorted((event["json"]["data"]["domain"], event["type"]) for event in await world.events())
    assert told == [(name, "registration.redemption") for name in NAMES]
    assert sorted(mail["subject"] for mail in await world.mails()) == [
        f"{name} is in redemption" for name in NAMES
    ]
