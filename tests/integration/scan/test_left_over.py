"""Candidates that a scan leaves over: the next scan waits for them, and counts those whose listing ends unreviewed."""

from __future__ import annotations

from datetime import datetime

import pytest
import sqlalchemy as sa

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import candidates, scans
from afterdrop.db.tables.review import reviews
from afterdrop.scan import feed_intake, run, store
from afterdrop.scan.feed_intake import take_feeds_in
from afterdrop.scan.run import run_scan
from afterdrop.worker_context import WorkerContext
from tests.support.desk import DAY, NOON, Desk, feed, offer
from tests.support.world import slim_context


def _context(database: Database, settings: Settings, now: datetime) -> WorkerContext:
    limits = settings.scan.model_copy(update={"reviews_per_day": 0})
    return slim_context(database, settings.model_copy(update={"scan": limits}), lambda: now)


@pytest.fixture(autouse=True)
def no_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(_: WorkerContext) -> dict[str, float]:
        return {}

    monkeypatch.setattr(feed_intake, "_rates", none)


async def test_what_is_left_over_is_counted_by_the_scan_that_drops_it(
    database: Database, settings: Settings
) -> None:
    desk = Desk(database)
    first = await desk.scan(NOON)
    ends = [offer(f"n{number}.com") for number in range(4)]
    await desk.take([*ends, offer("later.com", e="2026-12-20T00:00:00Z")], NOON, scan=first)
    assert (await run_scan(_context(database, settings, NOON), reviews_here=False))["counts"][
        "left_over"
    ] == 5
    result = await run_scan(_context(database, settings, NOON + 4 * DAY), reviews_here=False)
    assert result["id"] != first
    assert result["counts"] == {"not_reviewed_in_time": 4, "left_over": 1}
    kept = {row["id"]: row["counts"] for row in await desk.rows(scans)}
    assert kept[first]["left_over"] == 5, "a closed scan's figures stand"


async def test_a_scan_waits_for_what_the_last_one_left_over(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_intake, "BATCH", 3)
    monkeypatch.setattr(run, "BATCH", 3)
    desk = Desk(database)
    old = await desk.scan(NOON)
    await desk.take([offer(f"n{number}.com") for number in range(8)], NOON, scan=old)
    await desk.settle("rejected", NOON, "n0.com")
    async with database.write() as conn:
        assert await store.close_scan(conn, old, NOON)
    context = _context(database, settings, NOON + DAY)
    new = await run.begin(context)
    assert await take_feeds_in(context, new) == []
    async with database.read() as conn:
        assert (await store.count_waiting(conn, old), await store.count_waiting(conn, new.id)) == (0, 7)
    assert (await desk.candidates())["n0.com"]["scan_id"] == old


async def test_a_name_rejected_before_keeps_its_reasons_when_its_new_listing_ends_unreviewed(
    database: Database, settings: Settings
) -> None:
    desk = Desk(database)
    first = await desk.scan(NOON)
    await desk.take([offer("spam.com"), offer("new.com")], NOON, scan=first)
    await desk.settle("rejected", NOON, "spam.com")
    async with database.write() as conn:
        told = sa.update(candidates).where(candidates.c.domain == "spam.com")
        await conn.execute(told.values(reasons=["Adult content in 2019."], score=12))
        assert await store.close_scan(conn, first, NOON)
    later = NOON + 40 * DAY  # its review is over, so that the listing below asks for a new one
    end = f"{later + DAY:%Y-%m-%dT%H:%M:%SZ}"
    second = await desk.scan(later)
    await desk.take([offer("spam.com", id="again", e=end)], later, scan=second)
    assert (await desk.candidates())["spam.com"]["state"] == "due"
    result = await run_scan(_context(database, settings, later + 2 * DAY), reviews_here=False)
    assert result["counts"] == {"not_reviewed_in_time": 1, "rejected": 1}
    found = (await desk.candidates())["spam.com"]
    assert (found["outcome"], found["reasons"], found["score"]) == (
        "rejected",
        ["Adult content in 2019."],
        12,
    )
    third = await desk.scan(later + 3 * DAY)
    await desk.take(
        [offer("spam.com", id="third", e=f"{later + 9 * DAY:%Y-%m-%dT%H:%M:%SZ}")], later, scan=third
    )
    assert (await desk.candidates())["spam.com"]["state"] == "due", "nobody has reviewed it for forty days"


async def test_ended_candidates_are_dropped_in_portions_and_what_could_be_published_is_not(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_intake, "BATCH", 3)
    monkeypatch.setattr(run, "BATCH", 3)
    desk = Desk(database)
    number = await desk.scan(NOON)
    names = [f"n{number}.com" for number in range(8)]
    await desk.take([offer(name) for name in [*names, "reviewed.com", "held.com"]], NOON, scan=number)
    await desk.take(
        [offer("live.com", e="2026-12-20T00:00:00Z")], NOON, scan=number, spec=feed(name="more", source="m")
    )
    over = NOON + 4 * DAY
    row = {
        "domain": "reviewed.com",
        "reviewed_at": NOON,
        "valid_until": over + DAY,
        "spam": False,
        "history": {},
    }
    async with database.write() as conn:
        await conn.execute(sa.insert(reviews).values(row))
        held = sa.update(candidates).where(candidates.c.domain == "held.com")
        await conn.execute(held.values(claimed_by="other", lease_until=over + DAY))
    context = _context(database, settings, over)
    await run.settle_ended(context, await run.begin(_context(database, settings, NOON)))
    states = {name: (row["state"], row["outcome"]) for name, row in (await desk.candidates()).items()}
    assert {states[name] for name in names} == {("settled", "not_reviewed_in_time")}
    assert {states[name] for name in ("reviewed.com", "held.com", "live.com")} == {("due", None)}
