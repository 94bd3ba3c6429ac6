"""The daily backup: the timetable runs it where a folder is set, keeps the newest files, and its result is recorded."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings
from afterdrop.core.settings_sections import Backup
from afterdrop.db.engine import Database
from afterdrop.queue.job_runs import last_result
from afterdrop.worker.backup import back_up_daily
from afterdrop.worker.wiring import make_worker
from afterdrop.worker_context import open_context
from tests.support.world import slim_context

NOW = datetime(2026, 11, 22, 3, 0, 1, tzinfo=UTC)


async def test_each_day_makes_a_file_and_the_oldest_go(
    database: Database, settings: Settings, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "notes.tar.gz").touch()  # not one of ours
    chosen = settings.model_copy(update={"backup": Backup(dir=kept, keep=2)})
    context = slim_context(database, chosen, None)
    for day in range(4):
        made = await back_up_daily(replace(context, now=partial(NOW.__add__, timedelta(days=day))))
    assert sorted(path.name for path in kept.iterdir()) == [
        "afterdrop-20261124T030001Z.tar.gz",
        "afterdrop-20261125T030001Z.tar.gz",
        "notes.tar.gz",
    ]
    assert made["bytes"] == (kept / "afterdrop-20261125T030001Z.tar.gz").stat().st_size
    # A failed day leaves the earlier ones.
    with pytest.raises(AfterdropError, match="already exists"):
        await back_up_daily(replace(context, now=lambda: NOW + timedelta(days=3)))
    assert len(list(kept.iterdir())) == 3


async def test_the_timetable_makes_it_at_its_hour(
    database: Database, settings: Settings, tmp_path: Path
) -> None:
    chosen = settings.model_copy(update={"backup": Backup(dir=tmp_path / "kept")})
    stop = asyncio.Event()
    async with open_context(chosen, database, worker="w", now=lambda: NOW) as context:
        without = make_worker(replace(context, settings=settings), stop)
        assert not [job for job in without.table if job.name == "backup"]
        working = make_worker(context, stop)
        only = replace(working, queues=(), tasks={"backup": working.tasks["backup"]})
        running = asyncio.create_task(only.run())
        try:
            result = await _recorded(database)
        finally:
            stop.set()
            await running
    assert [str(path) for path in (tmp_path / "kept").iterdir()] == [result["file"]]
    assert result["file"].endswith("/afterdrop-20261122T030001Z.tar.gz")


async def _recorded(database: Database) -> dict[str, Any]:
    """The result of the first run that succeeded."""
    async with asyncio.timeout(180):
        while True:
            async with database.read() as conn:
                if result := await last_result(conn, "backup", NOW):
                    return dict(result)
            await asyncio.sleep(0.05)
