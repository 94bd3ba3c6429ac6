"""A feed that fails in the daily scan, or sends what is no list, is read later in the day, without anybody's doing."""

from __future__ import annotations

from collections import Counter
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
from afterdrop.scan.run import retry_feeds, run_scan
from tests.support.sandboxes import context_for


async def test_a_failed_feed_is_read_an_hour_later_and_its_scan_is_closed(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    later = timedelta()

    def now() -> datetime:
        return clock.now() + later

    def scan_hour_is_now(settings: Settings) -> Settings:
        hour = settings.scan.model_copy(update={"hour": clock.now().time()})
        return settings.model_copy(update={"scan": hour})

    async with (
        start(3, 20) as running,
        context_for(running, database, tmp_path, database_url, now, scan_hour_is_now) as context,
    ):
        names = {"godaddy_auctions", "sedo_auctions", "dns_pl", "iis_se"}
        context = replace(context, feeds=tuple(spec for spec in context.feeds if spec.name in names))
        running.state.faults.put(["error_page"])
        first = await run_scan(context)
        assert {run["feed"]: (run["state"], run["error"]) for run in first["feeds"]} == {
            "godaddy_auctions": (
                "failed", "godaddy_auctions: has no member matching *.json among 0 in the zip file",
            ),
            "sedo_auctions": ("failed", "sedo_auctions: none of its 1 rows can be used (1 domain_characters)"),
            "dns_pl": (
                "failed", "dns_pl: has no @day in its first lines; it begins with 'Resource load error.'",
            ),
            "iis_se": ("failed", "iis_se: is an HTML page, not a list"),
        }  # fmt: skip
        assert await retry_feeds(context) == {}  # not before a quarter of an hour has passed
        later = timedelta(minutes=61)
        assert await retry_feeds(context) == dict.fromkeys(names, "failed")
        running.state.faults.put([])
        later *= 4
        # Two of these registries list nothing in a world so small: that is suspect, and tried again, too.
        lists = {
            "godaddy_auctions": "done",
            "sedo_auctions": "done",
            "dns_pl": "suspect",
            "iis_se": "suspect",
        }
        assert await retry_feeds(context) == lists
        assert await retry_feeds(context) == {}
        await QueueRunner(candidate_queue(context), context).run(until_empty=True)
        assert await retry_feeds(context) == {}
    async with database.read() as conn:
        runs = Counter((await conn.scalars(sa.select(source_runs.c.state))).all())
        unfinished = await conn.scalar(sa.select(sa.func.count()).where(scans.c.finished_at.is_(None)))
        listed = await conn.scalar(sa.select(sa.func.count()).select_from(domains))
    assert (runs, unfinished) == ({"failed": 8, "done": 2, "suspect": 2}, 0)
    assert listed
