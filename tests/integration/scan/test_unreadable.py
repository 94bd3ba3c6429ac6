"""Captures that nobody can read: a name behind them is left out and counted, and never clean."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import candidates, scans
from afterdrop.queue.loop import QueueRunner
from afterdrop.sandbox import start
from afterdrop.scan.candidates import candidate_queue
from afterdrop.scan.run import run_scan
from afterdrop.worker_context import WorkerContext
from tests.support.pages import PagesHere
from tests.support.sandboxes import context_for

REPLAYS = {"server": "archive", "path": "/web/"}


@pytest.fixture(autouse=True)
def _pages_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afterdrop.worker_context.PagePool", PagesHere)


async def scanned(context: WorkerContext) -> None:
    """Run a scan and all of its reviews."""
    await run_scan(context)
    line = candidate_queue(context)
    await QueueRunner(line, context).run(until_empty=True)


def tried_at_once(settings: Settings) -> Settings:
    """A candidate's review is tried again at once."""
    scan = settings.scan.model_copy(update={"review_retry_seconds": 0})
    return settings.model_copy(update={"scan": scan})


async def test_a_name_of_which_nothing_can_be_read_is_tried_again_left_out_and_counted(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterdrop.scan.candidates._REVIEW_ATTEMPTS", 2)
    async with (
        start(3, 20) as running,
        context_for(running, database, tmp_path, database_url, clock.now, tried_at_once) as context,
    ):
        running.state.faults.put([{**REPLAYS, "kind": "dcz"}])
        await scanned(context)
    async with database.read() as conn:
        columns = (candidates.c.outcome, candidates.c.reasons, candidates.c.attempts, candidates.c.error)
        found = (await conn.execute(sa.select(*columns))).all()
        counts = (await conn.scalars(sa.select(scans.c.counts))).one()
        listed = await conn.scalar(sa.select(sa.func.count()).select_from(domains))
    unreadable = [row for row in found if row.outcome == "unreadable"]
    assert unreadable
    assert (listed, counts["unreadable"]) == (0, len(unreadable))
    assert {row.attempts for row in unreadable} == {2}
    assert {row.reasons[0] for row in unreadable} == {"No archived page of it could be read."}


async def test_pages_in_a_coding_that_was_not_asked_for_are_read(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with start(3, 20) as running, context_for(running, database, tmp_path, database_url) as context:
        running.state.faults.put([{**REPLAYS, "kind": "zstd"}])
        await scanned(context)
    async with database.read() as conn:
        outcomes = set((await conn.scalars(sa.select(candidates.c.outcome))).all())
        listed = await conn.scalar(sa.select(sa.func.count()).select_from(domains))
    assert listed
    assert "unreadable" not in outcomes
