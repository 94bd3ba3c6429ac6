"""A sandbox in this process, and a worker's context over it that is made from a settings file, as an operator's is."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.core.settings_file import load
from afterdrop.db.engine import Database
from afterdrop.db.tables import metadata
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import candidates
from afterdrop.sandbox import settings_toml
from afterdrop.sandbox.running import RunningSandbox
from afterdrop.sandbox.vendor_server import KEYS
from afterdrop.worker_context import WorkerContext, open_context
from tests.support import TEST_SECRET
from tests.support.pages import PagesHere


def write_settings(running: RunningSandbox, folder: Path, url: str, **more: str) -> Path:
    """The sandbox's settings file with this test's folder and database."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "afterdrop.toml"
    own = {
        "data_dir": f'"{folder.as_posix()}"',
        "database_url": f'"{url}"',
        "secret_keys": f'["{TEST_SECRET}"]',
        **more,
    }
    lines = "".join(f"{key} = {value}\n" for key, value in own.items())
    file.write_text(lines + settings_toml(running), encoding="utf-8")
    return file


def environment() -> dict[str, str]:
    """This process's environment with the sandbox vendors' keys. One process reads pages: each takes 2 s to start."""
    return {**os.environ, **KEYS, "AFTERDROP_SCAN__PAGE_PROCESSES": "1"}


@asynccontextmanager
async def context_for(
    running: RunningSandbox,
    database: Database,
    folder: Path,
    url: str,
    now: Callable[[], datetime] = clock.now,
    change: Callable[[Settings], Settings] = lambda settings: settings,
    pages_here: bool = True,
) -> AsyncIterator[WorkerContext]:
    """A worker's context over `database`, talking to the sandbox. `pages_here`: pages are read in this process."""
    settings = change(load(file=write_settings(running, folder, url)))
    async with open_context(settings, database, worker="test", now=now, environ=environment()) as context:
        yield replace(context, pages=PagesHere()) if pages_here else context


async def catalogue(database: Database) -> dict[str, tuple[Any, ...]]:
    """What a scan published, by domain: it must not depend on how often the scan was interrupted."""
    columns = [
        domains.c[name]
        for name in ("domain", "round", "score", "verdict", "language", "topic", "title", "type")
    ]
    async with database.read() as conn:
        return {row.domain: tuple(row) for row in await conn.execute(sa.select(*columns))}


async def outcomes(database: Database) -> dict[str, str | None]:
    """Every candidate's outcome."""
    async with database.read() as conn:
        rows = await conn.execute(sa.select(candidates.c.domain, candidates.c.outcome))
        return {domain: outcome for domain, outcome in rows}


async def emptied(database: Database) -> None:
    """Delete every row, so that another scan finds nothing of the last one."""
    async with database.write() as conn:
        for table in reversed(metadata.sorted_tables):
            await conn.execute(table.delete())
