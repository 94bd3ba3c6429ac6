"""A call that joins a scan under way has its feeds read, too: by hand, by the timetable, or vouched for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import scans
from afterdrop.feeds.spec import FeedSpec
from afterdrop.scan import feed_intake, store
from afterdrop.scan import run as scan
from afterdrop.scan.feed_intake import take_feeds_in
from afterdrop.scan.run import run_scan
from afterdrop.worker_context import WorkerContext
from tests.support.commands import run_afterdrop
from tests.support.desk import DAY, NOON, Desk, feed, lines, offer
from tests.support.world import slim_context

ENDS = "2026-12-24T00:00:00Z"


@dataclass
class _Shop:
    """A deployment whose feeds are local files, with names enough that a scan has something to wait for."""

    desk: Desk
    folder: Path
    context: WorkerContext

    def spec(self, name: str, source: str, *domains: str) -> FeedSpec:
        """A feed whose file holds these names."""
        file = self.folder / f"{name}.ndjson"
        file.write_bytes(lines([offer(domain, e=ENDS) for domain in domains]))
        return feed(name=name, source=source, url=None, path=str(file))

    async def states(self) -> dict[str, str]:
        return {row["feed"]: row["state"] for row in await self.desk.runs()}

    async def known(self, *, withdrawn: bool = False) -> set[str]:
        rows = (await self.desk.listings()).values()
        return {row["domain"] for row in rows if (row["withdrawn_at"] is not None) == withdrawn}

    async def begin(self, *feeds: FeedSpec, only: Sequence[FeedSpec] | None = None) -> store.Scan:
        """A scan in its review phase."""
        self.context = replace(self.context, feeds=feeds)
        under_way = await scan.begin(self.context)
        assert await take_feeds_in(self.context, under_way, feeds=only) is not None
        return under_way

    async def join(self, feeds: Sequence[FeedSpec] | None = None, accept: Collection[str] = ()) -> int:
        """Join or begin a scan, see what is waiting settled, and give the scan's number."""
        running = asyncio.create_task(run_scan(self.context, feeds=feeds, accept=accept, reviews_here=False))
        for _ in range(1000):
            for row in await self.desk.rows(scans):
                if row["intake_done_at"] is not None and row["lease_until"] is None:
                    due = [
                        name for name, row in (await self.desk.candidates()).items() if row["state"] == "due"
                    ]
                    await self.desk.settle("rejected", NOON, *due)
            if running.done():
                break
            await asyncio.sleep(0.02)
        return int((await running)["id"])


@pytest.fixture
async def shop(
    database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[_Shop]:
    async def no_rates(*_: Any) -> dict[str, float]:
        return {}

    monkeypatch.setattr(feed_intake, "_rates", no_rates)
    context = slim_context(database, settings, lambda: NOON)
    yield _Shop(Desk(database), tmp_path, context)


async def test_a_file_by_hand_is_read_into_the_scan_under_way(shop: _Shop) -> None:
    under_way = await shop.begin(shop.spec("daily", "market_a", "a.com"))
    assert await shop.join([shop.spec("mine", "market_b", "mine.com")]) == under_way.id
    assert await shop.known() == {"a.com", "mine.com"}
    [row] = await shop.desk.rows(scans)
    assert (row["scanned"], row["finished_at"]) == (2, NOON)


async def test_a_file_by_hand_of_a_feed_read_already_counts_instead(shop: _Shop) -> None:
    await shop.begin(shop.spec("daily", "market_a", "a.com", "b.com"))
    await shop.join([shop.spec("daily", "market_a", "b.com", "c.com")])
    assert (await shop.known(), await shop.known(withdrawn=True)) == ({"b.com", "c.com"}, {"a.com"})
    assert await shop.states() == {"daily": "done"}


async def test_the_daily_scan_reads_its_feeds_beside_a_file_by_hand(shop: _Shop) -> None:
    feeds = [shop.spec("one", "market_a", "a.com"), shop.spec("two", "market_a", "b.com")]
    under_way = await shop.begin(*feeds, only=[shop.spec("mine", "market_b", "mine.com")])
    assert await shop.known() == {"mine.com"}
    assert await shop.join() == under_way.id
    assert await shop.states() == {"mine": "done", "one": "done", "two": "done"}
    assert await shop.known() == {"a.com", "b.com", "mine.com"}


async def test_who_joins_repeats_neither_what_was_read_nor_what_failed(shop: _Shop) -> None:
    gone = shop.spec("gone", "market_a", "a.com")
    Path(str(gone.path)).unlink()
    await shop.begin(shop.spec("one", "market_a", "b.com"), gone)
    before = await shop.desk.runs()
    shop.spec("gone", "market_a", "a.com")
    await shop.join()
    assert await shop.desk.runs() == before
    assert await shop.states() == {"one": "done", "gone": "failed"}


async def test_a_suspect_file_vouched_for_in_the_scan_under_way_is_believed(shop: _Shop) -> None:
    names = [f"n{number}.com" for number in range(60)]
    await shop.desk.take([offer(name, e=ENDS) for name in names], NOON - DAY, spec=feed(name="daily"))
    async with shop.desk.database.write() as conn:
        await conn.execute(sa.update(scans).values(finished_at=NOON - DAY))
    await shop.begin(shop.spec("daily", "market_a", *names[:20]))
    assert await shop.states() != {"daily": "done"}
    assert (await shop.desk.runs())[-1]["state"] == "suspect"
    await shop.join(accept=["market_b"])
    assert (await shop.desk.runs())[-1]["state"] == "suspect"
    await shop.begin(shop.spec("daily", "market_a", *names[:30]))
    await shop.join(accept=["market_a"])
    run = (await shop.desk.runs())[-1]
    assert (run["state"], run["accepted"], run["counts"]["withdrawn"]) == ("done", True, 30)
    assert await shop.known(withdrawn=True) == set(names[30:])


async def test_a_source_nobody_has_cannot_be_vouched_for(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "list.csv").write_text("url,name,startDate,endDate,price\n")
    words = ("scan", "--feed", "list.csv", "--preset", "namecheap_market", "--accept", "typo")
    code, _ = await run_afterdrop(
        tmp_path, *words, AFTERDROP_DATABASE_URL=database_url, AFTERDROP_CONTACT="operator@example.org"
    )
    assert (code, await Desk(database).rows(scans)) == (2, [])


async def test_a_scan_is_not_closed_while_a_feed_is_taken_in(shop: _Shop) -> None:
    under_way = await shop.begin()
    assert await scan.is_settled(shop.context, under_way)
    async with shop.desk.database.write() as conn:
        assert await store.hold_intake(conn, under_way.id, "another", NOON, timedelta(minutes=2))
    assert not await scan.is_settled(shop.context, under_way)
    assert not await scan.close(shop.context, under_way)
    async with shop.desk.database.write() as conn:
        await store.release_intake(conn, under_way.id, "another")
    assert await scan.close(shop.context, under_way)
    async with shop.desk.database.write() as conn:
        assert not await store.hold_intake(conn, under_way.id, "another", NOON, timedelta(minutes=2))


async def test_a_scan_left_lying_beyond_its_time_is_closed_and_the_next_one_begins(shop: _Shop) -> None:
    old = await shop.begin(shop.spec("one", "market_a", "a.com"))
    later = datetime(2026, 11, 22, 3, tzinfo=UTC)
    shop.context = shop.context.at(lambda: later)
    new = await scan.begin(shop.context)
    assert (new.id > old.id, new.day) == (True, "2026-11-22")
    assert (await scan.reload(shop.context, old)).finished
