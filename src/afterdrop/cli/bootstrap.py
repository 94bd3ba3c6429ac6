"""What most commands need at their start: settings, a migrated database, and a worker's context."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterdrop.cli.private_files import restrict_modes
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings
from afterdrop.core.settings_file import load

if TYPE_CHECKING:
    from afterdrop.db.engine import Database
    from afterdrop.worker.context import WorkerContext


def load_settings(file: Path | None = None) -> Settings:
    """Load the settings of this command and set up logging."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    return load(file=file)


def run_service(main: Coroutine[Any, Any, None]) -> None:
    """Run a service's coroutine to its end, under uvloop where that is installed."""
    from uvicorn.loops.auto import auto_loop_factory

    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        runner.run(main)


@asynccontextmanager
async def open_migrated(settings: Settings) -> AsyncIterator[Database]:
    """Migrate the database of `settings` to the newest schema, then open it."""
    from afterdrop.db.engine import database_url, open_database

    url = database_url(settings)
    file = Path(url.partition("///")[2]) if url.startswith("sqlite") else None
    await asyncio.to_thread(migrate_database, url)
    # The migration has shown that the database is ours, and with it the folder.
    await asyncio.to_thread(restrict_modes, settings.data_dir, file)
    database = open_database(url)
    # Imported modules stay in memory: collecting over them again and again would delay write transactions by 50 ms.
    gc.freeze()
    try:
        yield database
    finally:
        gc.unfreeze()  # objects that are frozen at the end of the process would be reported as leaked
        await database.close()


def migrate_database(url: str) -> bool:
    """Bring the database at `url` to the newest schema. Returns False when it had that schema already.

    Raises DatabaseUnusable when it does not answer or is no database of this service.
    """
    from sqlalchemy import make_url
    from sqlalchemy.exc import DatabaseError

    from afterdrop.db.schema_version import is_current

    try:
        if is_current(url):
            return False
        from afterdrop.db.migrate import upgrade

        upgrade(url)
    except DatabaseError as error:
        reason = " ".join(str(error.orig).split())
        raise DatabaseUnusable(make_url(url).render_as_string(), f"cannot be used: {reason}") from error
    return True


class DatabaseUnusable(AfterdropError):
    """The database does not answer, refuses the connection, or is not a database."""


@asynccontextmanager
async def worker_context(
    settings: Settings, now: Callable[[], datetime] = clock.now
) -> AsyncIterator[WorkerContext]:
    """Open the database and a worker's context over it."""
    from afterdrop.queue.worker import worker_name
    from afterdrop.worker.context import open_context

    async with open_migrated(settings) as database:
        name = worker_name(socket.gethostname(), os.getpid(), secrets.token_hex(3))
        async with open_context(settings, database, worker=name, now=now) as context:
            yield context


def stop_on_signals(stop: asyncio.Event) -> None:
    """Set `stop` on SIGTERM and SIGINT, so that a worker ends in an orderly way."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
