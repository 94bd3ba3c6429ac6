"""A scan killed at any moment and started again ends like one that was left alone."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import scans
from afterdrop.db.tables.watching import to_match
from afterdrop.sandbox import start
from afterdrop.sandbox.running import RunningSandbox
from tests.support import ON_POSTGRES, ON_SQLITE
from tests.support.sandboxes import catalogue, emptied, environment, outcomes, write_settings

SIZE = 24
AT_ONCE = 8


async def _scan(settings: Path, database: Database, kill_at: int | None = None) -> bool:
    """Run `afterdrop scan`; False when it came as far as `kill_at` and was killed, True when it ended by itself."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afterdrop", "scan", env={**environment(), "AFTERDROP_SETTINGS": str(settings)},
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    ending = asyncio.create_task(process.communicate())
    while not ending.done() and kill_at is not None:
        if await _progress(database) >= kill_at:
            process.kill()
            await ending
            return False
        await asyncio.sleep(0.02)
    _, errors = await ending
    assert process.returncode == 0, errors.decode()[-2000:]
    return True


async def _progress(database: Database) -> int:
    """How far a scan is: candidates found and candidates settled. Half of the whole is intake, half are reviews."""
    fates = await outcomes(database)
    return len(fates) + sum(outcome is not None for outcome in fates.values())


def _index_questions(running: RunningSandbox) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in running.state.log:
        if "/cdx/" in row["path"]:
            domain = row["path"].partition("url=")[2].partition("&")[0]
            counts[domain] = counts.get(domain, 0) + 1
    return counts


async def _closed(database: Database) -> bool:
    async with database.read() as conn:
        return (
            await conn.execute(sa.select(scans.c.id).where(scans.c.finished_at.is_not(None)))
        ).first() is not None


async def _one_scan_and_no_doubles(database: Database) -> None:
    async with database.read() as conn:
        rows = (await conn.execute(sa.select(scans.c.id, scans.c.finished_at))).all()
        listed = (await conn.execute(sa.select(sa.func.count()).select_from(to_match))).scalar_one()
    assert len(rows) == 1
    assert rows[0].finished_at is not None
    assert listed == len(await catalogue(database))


async def _killed_again_and_again(
    database: Database, url: str, folder: Path, kills: int, rng: random.Random
) -> None:
    async with start(5, SIZE) as running:
        # A killed worker's rows are taken over when its lease ends: short here, so that the test is, yet long enough
        # for a busy machine to renew it in time, or the living would be reviewed twice as well.
        settings = write_settings(running, folder, url, worker_lease_seconds="3")
        assert await _scan(settings, database)
        undisturbed, fates = await catalogue(database), await outcomes(database)
        questions = _index_questions(running)
        assert undisturbed
        await emptied(database)
        running.state.log.clear()
        killed = 0
        # Every run goes on where the last was killed. One that is too quick for us is not killed.
        for moment in sorted(rng.sample(range(1, 2 * len(fates) - AT_ONCE), kills)):
            if await _scan(settings, database, moment):
                break
            killed += 1
        assert killed, "no run lived long enough to be killed"
        assert await _closed(database) or await _scan(settings, database)
        assert await catalogue(database) == undisturbed
        assert await outcomes(database) == fates
        again = _index_questions(running)
        # What was in flight at a kill is reviewed again, and a review may put more than one question.
        most = max(questions.values())
        assert sum(again.values()) <= sum(questions.values()) + killed * AT_ONCE * most
        await _one_scan_and_no_doubles(database)


@pytest.mark.long
@ON_SQLITE
async def test_a_scan_killed_twice_ends_like_one_left_alone(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    await _killed_again_and_again(database, database_url, tmp_path, 2, random.Random(7))


@pytest.mark.long
@ON_POSTGRES
async def test_a_scan_killed_ten_times_ends_like_one_left_alone(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    await _killed_again_and_again(database, database_url, tmp_path, 10, random.Random())
