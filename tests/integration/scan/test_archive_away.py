"""The archive blocks our address for two hours in the middle of a scan: nothing fails, and the operator hears of it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import candidates
from afterdrop.http.client import open_fetcher
from afterdrop.queue.loop import QueueRunner
from afterdrop.sandbox import start
from afterdrop.sandbox.state import SCENES
from afterdrop.scan.candidates import candidate_queue
from afterdrop.scan.feed_intake import take_feeds_in
from afterdrop.scan.run import begin
from afterdrop.sources.archive.archives import Archives
from afterdrop.sources.archive.wayback import WebArchive
from afterdrop.worker.alarms import Alarm, alarms
from afterdrop.worker.observation import Deployment, observe
from afterdrop.worker_context import WorkerContext
from tests.support import ON_SQLITE
from tests.support.sandboxes import context_for, outcomes


def _two_at_once(settings: Settings) -> Settings:
    """So few reviews at once that some have ended when the block begins."""
    return settings.model_copy(update={"scan": settings.scan.model_copy(update={"reviews_at_once": 2})})


async def outages(context: WorkerContext) -> list[Alarm]:
    deployment = Deployment(context.settings, context.database, context.providers, context.now)
    found = alarms(await observe(deployment), context.settings)
    return [alarm for alarm in found if alarm.key.startswith("outage:")]


async def _reviewed(context: WorkerContext) -> None:
    """Review what can be reviewed now."""
    await QueueRunner(candidate_queue(context), context).run(until_empty=True)


async def _waiting(database: Database) -> list[tuple[int, str | None]]:
    async with database.read() as conn:
        c = candidates.c
        return [
            (row.attempts, row.error)
            for row in await conn.execute(sa.select(c.attempts, c.error).where(c.state == "due"))
        ]


@pytest.mark.long
@ON_SQLITE
async def test_two_hours_without_the_archive(database: Database, database_url: str, tmp_path: Path) -> None:
    moved = timedelta(0)

    def now() -> datetime:
        return clock.now() + moved

    async with (
        start(5, 20) as running,
        context_for(running, database, tmp_path, database_url, now, _two_at_once) as opened,
        open_fetcher(
            opened.settings, database, lambda: clock.epoch() + moved.total_seconds(), random.Random(1)
        ) as fetcher,
    ):
        context = replace(
            opened, fetcher=fetcher, archives=Archives(WebArchive(fetcher, opened.settings.archive), None)
        )
        await take_feeds_in(context, await begin(context))
        running.state.faults.put([{**SCENES["archive_blocked"], "after": 30, "lasts": 7200}])
        await _reviewed(context)
        before = Counter((await outcomes(database)).values())
        assert 0 < before[None] < sum(before.values()), "the block began in the middle"

        asked, told = len(running.state.log), 0
        for minute in range(5, 121, 5):
            moved += timedelta(minutes=5)
            running.state.clock.offset = moved
            await _reviewed(context)
            waiting = await _waiting(database)
            assert len(waiting) == before[None]
            assert set(waiting) == {(0, None)}, "nothing was attempted"
            told = told or (minute if await outages(context) else 0)
        tries = [row for row in list(running.state.log)[asked:] if row["server"] == "archive"]
        print(
            f"told after {told} minutes; {len(tries)} requests in two hours; {before[None]} candidates waited"
        )
        assert 0 < told <= 10
        # Two were under way, and then one tried each time; aiohttp sends a GET twice whose connection is reset.
        assert len(tries) <= 2 * (2 + 8)

        for minutes in (31, 2):  # who came while one tried comes again soon
            moved += timedelta(minutes=minutes)
            running.state.clock.offset = moved
            await _reviewed(context)
        assert await _waiting(database) == []
        assert not {None, "failed"} & set((await outcomes(database)).values())
        async with database.read() as conn:
            assert set(await conn.scalars(sa.select(candidates.c.attempts))) == {1}, "each needed one attempt"
        assert not await outages(context)
