"""A whole day with two archives: how often the Wayback Machine is asked, and the day when it does not answer."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.http.client import open_fetcher
from afterdrop.queue.loop import Queue, QueueRunner
from afterdrop.sandbox import start
from afterdrop.scan.candidates import candidate_queue
from afterdrop.scan.feed_intake import take_feeds_in
from afterdrop.scan.page_texts import text_queue
from afterdrop.scan.run import begin, run_scan
from afterdrop.sources.archive.archives import open_archives
from afterdrop.worker_context import WorkerContext
from tests.support import ON_SQLITE
from tests.support.sandboxes import context_for, emptied, outcomes


def with_archives(common_crawl: bool) -> Callable[[Settings], Settings]:
    def change(settings: Settings) -> Settings:
        archive = settings.archive.model_copy(update={"common_crawl": common_crawl})
        return settings.model_copy(update={"archive": archive})

    return change


async def run_out(context: WorkerContext, queue: Queue[Any]) -> None:
    """Do what can be done now."""
    runner = QueueRunner(queue, context)
    await runner.run(until_empty=True)


@pytest.mark.long
@ON_SQLITE
async def test_the_wayback_machine_is_asked_half_as_often(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    requests: list[Counter[str]] = []
    verdicts: list[dict[str, str | None]] = []
    async with start(5, 60) as running:
        for common_crawl in (False, True):
            await emptied(database)
            folder = tmp_path / str(common_crawl)
            change = with_archives(common_crawl)
            async with context_for(running, database, folder, database_url, change=change) as context:
                if context.archives.crawl is not None:
                    await context.archives.crawl.fetch_tables(context.now())
                running.state.log.clear()
                await run_scan(context)
                await run_out(context, text_queue(context))
            requests.append(Counter(row["server"] for row in running.state.log))
            verdicts.append(await outcomes(database))
    print(f"{len(verdicts[0])} names; requests with one archive {requests[0]}, with two {requests[1]}")
    assert verdicts[0] == verdicts[1]
    assert 0 < requests[1]["archive"] * 2 <= requests[0]["archive"]


@pytest.mark.long
@ON_SQLITE
async def test_a_day_without_the_wayback_machine(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    moved = timedelta(0)
    change = with_archives(common_crawl=True)
    async with (
        start(5, 40) as running,
        context_for(running, database, tmp_path, database_url, lambda: clock.now() + moved, change) as opened,
        open_fetcher(
            opened.settings, database, lambda: clock.epoch() + moved.total_seconds(), random.Random(1)
        ) as fetcher,
    ):
        archives = open_archives(fetcher, opened.settings.archive, opened.settings.data_dir)
        context = replace(opened, fetcher=fetcher, archives=archives)
        assert archives.crawl is not None
        await archives.crawl.fetch_tables(context.now())
        running.state.faults.put([{"server": "archive", "kind": "status", "status": 503}])
        await take_feeds_in(context, await begin(context))
        for _ in range(24):
            await run_out(context, candidate_queue(context))
            moved += timedelta(hours=1)
            running.state.clock.offset = moved
        ended = await outcomes(database)
        known = {name for name in ended if (await archives.crawl.index(name)).lines}
    print(f"{len(ended)} candidates, of which Common Crawl knows {len(known)}")
    assert known
    assert {name: outcome for name, outcome in ended.items() if name in known and outcome is None} == {}
    assert "failed" not in {ended[name] for name in known}
