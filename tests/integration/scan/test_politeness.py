"""Ten workers are as polite as one: one pace towards a host, and nobody asks before its Retry-After ends."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from afterdrop.core.settings_file import load
from afterdrop.db import migrate
from afterdrop.db.engine import database_url as url_of
from afterdrop.sandbox import start
from afterdrop.sandbox.state import LoggedRequest
from tests.support.sandboxes import environment, write_settings

PER_SECOND, INDEX_PER_SECOND = 20.0, 5.0
RETRY_AFTER = 3
WORKERS, AT_ONCE = 3, 2
# A second after a 429 it is in the database. By then every worker may have this many questions under way, in both
# lanes; how late those arrive is up to the machine.
LEEWAY_MS = 1000
UNDER_WAY = WORKERS * AT_ONCE * 2


async def _workers(settings: Path, count: int) -> None:
    """Several processes that work on one scan, until it is closed."""
    migrate.upgrade(url_of(load(environ=environment(), file=settings)))
    scans = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "afterdrop", "scan", env={**environment(), "AFTERDROP_SETTINGS": str(settings)},
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )
        for _ in range(count)
    ]  # fmt: skip
    for process in scans:
        _, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()[-2000:]


@pytest.mark.long
async def test_three_workers_keep_one_pace_and_every_retry_after(database_url: str, tmp_path: Path) -> None:
    async with start(2, 24) as running:
        host = urlsplit(running.origins["archive"]).netloc
        settings = write_settings(running, tmp_path, database_url)
        text = settings.read_text(encoding="utf-8")
        fast = "{ per_second = 2000, at_once = 16 }"
        for lane, pace in ((f'"{host}"', PER_SECOND), (f'"{host}/cdx"', INDEX_PER_SECOND)):
            assert f"{lane} = {fast}" in text
            text = text.replace(
                f"{lane} = {fast}", f"{lane} = {{ per_second = {pace}, at_once = {AT_ONCE} }}"
            )
        retry = "[scan]\nreview_retry_seconds = 1\n"
        settings.write_text(text + retry, encoding="utf-8")
        running.state.faults.put(
            [{"server": "archive", "kind": "429", "retry_after": str(RETRY_AFTER), "share": 0.05}]
        )
        await _workers(settings, WORKERS)
        log = [row for row in running.state.log if row["server"] == "archive"]
    _pace_was_kept([row for row in log if "/cdx/" not in row["path"]], PER_SECOND)
    _pace_was_kept([row for row in log if "/cdx/" in row["path"]], INDEX_PER_SECOND)
    refused = [row["at"] for row in log if row["status"] == 429]
    assert len(refused) >= 2, "the faults must have struck"
    for moment in refused:
        early = [row for row in log if moment + LEEWAY_MS < row["at"] < moment + RETRY_AFTER * 1000]
        assert len(early) <= UNDER_WAY, "nobody heeds the 429: at their pace it would be fifty"
    assert all("operator@" in row["agent"] for row in log)


def _pace_was_kept(log: list[LoggedRequest], per_second: float) -> None:
    """Three paces instead of one would make it a third of the time; a busy machine may shorten it a little, as it
    serves the first of a window late."""
    times = sorted(row["at"] for row in log)
    window = 8
    assert len(times) > window
    for first, last in zip(times, times[window:], strict=False):
        assert last - first >= window / per_second * 1000 / 2
