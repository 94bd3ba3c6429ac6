"""What feeds and providers really do, played by the sandbox's scenes, each switched on by its name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import listings, source_runs
from afterdrop.db.tables.watching import to_match
from afterdrop.feeds.preset_files import open_preset
from afterdrop.sandbox import start
from afterdrop.sandbox.feed_scenes import LONG_OVER
from afterdrop.sandbox.feed_server import NAMESILO_PATH
from afterdrop.sandbox.running import PERMISSION, RunningSandbox
from afterdrop.scan.run import run_scan
from afterdrop.sources.metrics.lookup import ask_domain
from afterdrop.sources.metrics.provider_client import ProviderClient
from afterdrop.worker_context import WorkerContext
from tests.support.sandboxes import context_for

DAY = timedelta(days=1)
# In this world an auction at GoDaddy ends at 15:10 on the 23rd, and nobody bids.
SEED, SIZE, TODAY = 2, 19, date(2026, 11, 20)
NAME = "hanakazeshatougei.com"


@asynccontextmanager
async def playing(
    database: Database, url: str, folder: Path, scene: str
) -> AsyncIterator[tuple[RunningSandbox, WorkerContext]]:
    async with start(SEED, SIZE, day=TODAY) as running:
        running.state.faults.put([scene])
        async with context_for(running, database, folder, url, running.clock.now) as context:
            yield running, context


@pytest.mark.long
async def test_a_closeout_is_listed_in_the_round_of_its_auction_and_its_price_followed(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    seen = []
    async with playing(database, database_url, tmp_path, "closeouts") as (running, context):
        context = replace(
            context, feeds=tuple(spec for spec in context.feeds if spec.name == "godaddy_auctions")
        )
        for day in (22, 23, 24, 28):
            now = datetime(2026, 11, day, 16, 30, tzinfo=UTC)
            running.clock.put(now)
            await run_scan(context)
            async with database.read() as conn:
                row = (
                    (await conn.execute(sa.select(domains).where(domains.c.domain == NAME))).mappings().one()
                )
                matched = sa.select(sa.func.count()).where(to_match.c.domain == NAME)
                assert await conn.scalar(matched) == 1
            seen.append((row["type"], row["price_usd"], row["ends_at"], row["live_until"], row["round"]))
            assert row["found_at"] == datetime(2026, 11, 22, 16, 30, tzinfo=UTC)
    end, gone = datetime(2026, 11, 23, 15, 10, tzinfo=UTC), datetime(2026, 11, 28, 16, 30, tzinfo=UTC)
    assert seen == [
        ("bid", 198, end, end, 1),
        ("buy_now", 50, None, None, 1),
        ("buy_now", 40, None, None, 1),
        ("buy_now", 40, gone, gone, 1),
    ]


async def test_all_pages_are_read_even_if_they_begin_with_what_is_over(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with playing(database, database_url, tmp_path, "oldest_first") as (running, context):
        running.clock.put(datetime(2026, 11, 20, 12, tzinfo=UTC))
        there = {story.domain for story in running.world.listed("dynadot_auctions", running.clock.now())}
        preset = open_preset("namesilo_auctions")
        address = f"{running.url}{NAMESILO_PATH}?pageSize=20&orderBy=auctionEndsOn&orderType=DESC"
        namesilo = preset.model_copy(update={"url": address, "permission": PERMISSION})
        await run_scan(replace(context, feeds=(namesilo,)))
        asked = [row["path"] for row in running.state.log if "listAuctions" in row["path"]]
        async with database.read() as conn:
            run = (await conn.execute(sa.select(source_runs))).mappings().one()
            listed = set(await conn.scalars(sa.select(listings.c.domain)))
    assert there
    assert (run["state"], run["rows"], run["error"]) == ("done", LONG_OVER + len(there), None)
    assert run["counts"]["ended"] == LONG_OVER
    assert listed and listed <= there
    assert len(asked) == 5


async def test_a_scan_lists_names_that_only_may_drop_and_lets_those_far_ahead_wait(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with start(1, 250, day=TODAY) as running:
        running.clock.put(datetime(2026, 11, 20, 12, tzinfo=UTC))
        running.state.faults.put(["may_drop"])
        async with context_for(running, database, tmp_path, database_url, running.clock.now) as context:
            uk = tuple(spec for spec in context.feeds if spec.name == "nominet_uk")
            [run] = (await run_scan(replace(context, feeds=uk)))["feeds"]
    assert (run["state"], run["counts"]["waits"]) == ("done", 3)
    async with database.read() as conn:
        [row] = (await conn.execute(sa.select(listings))).mappings()
    assert row["domain"] == "physiotherapy-stokewick.uk"
    assert row["ends_at"] - row["certain_from"] == 5 * DAY


async def test_a_provider_that_answers_about_www_is_read_as_about_the_name(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with playing(database, database_url, tmp_path, "provider_www") as (running, context):
        moz = tuple(spec for spec in context.providers if spec.name == "moz_links")
        # one request, and its answer names another host than was asked about
        client = ProviderClient(context.fetcher, database, running.clock.now())
        told = await ask_domain(client, moz, NAME)
        asked = [entry["path"] for entry in running.state.log if "seomoz" in entry["path"]]
    assert len(asked) == 1
    assert not told.faults and {metric.role for metric in told.metrics[NAME]} >= {"vendor_b_domain_authority"}
