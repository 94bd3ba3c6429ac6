"""What a scan leaves over is the next one's: waited for there, and counted there when its listing ends unreviewed."""

from __future__ import annotations

from datetime import datetime

import pytest

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import scans
from afterdrop.scan import run, store
from afterdrop.scan.worker import run_scan
from afterdrop.worker.context import WorkerContext
from tests.integration.alerts.world import slim_gear
from tests.integration.feeds.conftest import DAY, NOON, Desk, offer


def _gear(database: Database, settings: Settings, now: datetime) -> WorkerContext:
    limits = settings.scan.model_copy(update={"reviews_per_day": 0})
    return slim_gear(database, settings.model_copy(update={"scan": limits}), lambda: now)


@pytest.fixture(autouse=True)
def no_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(_: WorkerContext) -> dict[str, float]:
        return {}

    monkeypatch.setattr(run, "_rates", none)


async def test_what_is_left_over_is_counted_by_the_scan_that_drops_it(
    database: Database, settings: Settings
) -> None:
    desk = Desk(database)
    first = await desk.scan(NOON)
    ends = [offer(f"n{number}.com") for number in range(4)]
    await desk.take([*ends, offer("later.com", e="2026-12-20T00:00:00Z")], NOON, scan=first)
    assert (await run_scan(_gear(database, settings, NOON), reviews_here=False))["counts"]["left_over"] == 5
    result = await run_scan(_gear(database, settings, NOON + 4 * DAY), reviews_here=False)
    assert result["id"] != first
    assert result["counts"] == {"not_reviewed_in_time": 4, "left_over": 1}
    kept = {row["id"]: row["counts"] for row in await desk.rows(scans)}
    assert kept[first]["left_over"] == 5, "a closed scan's figures stand"


async def test_a_scan_waits_for_what_the_last_one_left_over(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH", 3)
    desk = Desk(database)
    old = await desk.scan(NOON)
    await desk.take([offer(f"n{number}.com") for number in range(8)], NOON, scan=old)
    await desk.settle("rejected", NOON, "n0.com")
    async with database.write() as conn:
        assert await store.finish(conn, old, NOON)
    context = _gear(database, settings, NOON + DAY)
    new = await run.begin(context)
    assert await run.take_feeds_in(context, new) == []
    async with database.read() as conn:
        assert (await store.waiting(conn, old), await store.waiting(conn, new.id)) == (0, 7)
    assert (await desk.candidates())["n0.com"]["scan_id"] == old
