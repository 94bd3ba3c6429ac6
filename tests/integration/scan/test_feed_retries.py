"""A feed that fails in the daily scan is read later in the day, without anybody's doing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import scans, source_runs
from afterdrop.queue.loop import QueueRunner
from afterdrop.sandbox import start
from afterdrop.scan.candidates import candidate_queue
from afterdrop.scan.feed_retries import retry_feeds
from afterdrop.scan.run import run_scan
from tests.support.sandboxes import context_for


async def test_a_failed_feed_is_read_an_hour_later_and_its_scan_is_closed(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    later = timedelta()

    def now() -> datetime:
        return clock.now() + later

    def scan_hour_is_now(settings: Settings) -> Settings:
        hour = settings.scan.model_copy(update={"hour": clock.now().hour})
        return settings.model_copy(update={"scan": hour})

    async with (
        start(3, 20) as running,
        context_for(running, database, tmp_path, database_url, now, scan_hour_is_now) as context,
    ):
        context = replace(context, feeds=context.feeds[:1])
        [name] = [spec.name for spec in context.feeds]
        running.state.faults.put([{"server": "main", "kind": "status", "status": 404}])
        first = await run_scan(context)
        assert [run["state"] for run in first["feeds"]] == ["failed"]
        assert await retry_feeds(context) == {}  # not before a quarter of an hour has passed
        later = timedelta(minutes=61)
        assert await retry_feeds(context) == {name: "failed"}
        running.state.faults.put([])
        later *= 4
        assert await retry_feeds(context) == {name: "done"}
        assert await retry_feeds(context) == {}
        await QueueRunner(candidate_queue(context), database, now, asyncio.Event(), asyncio.Event()).run(
            until_empty=True
        )
        assert await retry_feeds(context) == {}
    async with database.read() as conn:
        runs = (await conn.execute(sa.select(source_runs.c.state))).scalars().all()
        unfinished = await conn.scalar(sa.select(sa.func.count()).where(scans.c.finished_at.is_(None)))
        listed = await conn.scalar(sa.select(sa.func.count()).select_from(domains))
    assert (runs, unfinished) == (["failed", "failed", "done"], 0)
    assert listed
