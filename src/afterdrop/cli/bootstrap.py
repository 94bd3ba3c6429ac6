"""What most commands need at their start: settings, a migrated database, and a worker's context."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import secrets
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterdrop.cli.logs import set_up_logs
from afterdrop.cli.private_files import restrict_modes
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings
from afterdrop.core.settings_file import load

if TYPE_CHECKING:
    from sqlalchemy.exc import DatabaseError

    from afterdrop.db.engine import Database
    from afterdrop.db.schema_version import SchemaState
    from afterdrop.worker.context import WorkerContext


log = logging.getLogger("afterdrop.keys")


@dataclass
class _Chosen:
    """What stands before the command's name: `afterdrop --settings FILE status`."""

    settings: Path | None = None


chosen = _Chosen()


def load_settings(file: Path | None = None, *, service: bool = False) -> Settings:
    """Load the settings of this command and set up its log; `service`: as the settings say."""
    settings = load(file=file or chosen.settings)
    set_up_logs(settings.log, service=service)
    return settings


def run_service(main: Coroutine[Any, Any, None]) -> None:
    """Run a service's coroutine to its end, under uvloop where that is installed."""
    from uvicorn.loops.auto import auto_loop_factory

    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        runner.run(main)


@asynccontextmanager
async def open_migrated(settings: Settings) -> AsyncIterator[Database]:
    """Migrate the database of `settings` to the newest schema, making it where there is none, then open it.

    Only commands that run or set up the service do this.
    """
    from afterdrop.db.engine import database_url

    url = database_url(settings)
    await asyncio.to_thread(migrate_database, url)
    async with _opened(settings, url) as database:
        yield database


@asynccontextmanager
async def open_existing(settings: Settings, *, temporary: bool = False) -> AsyncIterator[Database]:
    """Open the database of `settings` as it is. Raises DatabaseUnusable when it has not this version's schema.

    `temporary`: where there is none yet, use an empty one that is gone afterwards. A command that asks other hosts
    keeps their pace in it.
    """
    from afterdrop.db.engine import database_url

    url = database_url(settings)
    state = await asyncio.to_thread(_state, url)
    if state is None and temporary:
        with tempfile.TemporaryDirectory(prefix="afterdrop-") as folder:
            own = settings.model_copy(update={"data_dir": Path(folder), "database_url": ""})
            async with open_migrated(own) as database:
                yield database
        return
    if state is None:
        raise DatabaseUnusable(
            _shown(url), "does not exist yet; `afterdrop serve` or `afterdrop migrate` creates it"
        )
    if state == "older":
        raise DatabaseUnusable(
            _shown(url), "has an older schema, or none; `afterdrop migrate` brings it up to date"
        )
    _refuse_newer(url, state)
    async with _opened(settings, url) as database:
        yield database


@asynccontextmanager
async def _opened(settings: Settings, url: str) -> AsyncIterator[Database]:
    from afterdrop.db.engine import open_database

    file = Path(url.partition("///")[2]) if url.startswith("sqlite") else None
    # Its schema has shown that the database is ours, and with it the folder.
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

    Raises DatabaseUnusable when it does not answer, is no database of this service, or is a newer version's.
    """
    from sqlalchemy.exc import DatabaseError

    state = _state(url)
    if state == "current":
        return False
    _refuse_newer(url, state)
    from afterdrop.db.migrate import upgrade

    try:
        upgrade(url)
    except DatabaseError as error:
        raise _unusable(url, error) from error
    return True


def _state(url: str) -> SchemaState | None:
    from sqlalchemy.exc import DatabaseError

    from afterdrop.db.schema_version import stored_state

    try:
        return stored_state(url)
    except DatabaseError as error:
        raise _unusable(url, error) from error


def _refuse_newer(url: str, state: SchemaState | None) -> None:
    if state == "newer":
        raise DatabaseUnusable(_shown(url), "was migrated by a newer version of Afterdrop; use that version")


def _unusable(url: str, error: DatabaseError) -> DatabaseUnusable:
    return DatabaseUnusable(_shown(url), f"cannot be used: {' '.join(str(error.orig).split())}")


def _shown(url: str) -> str:
    """The database's address without its password."""
    from sqlalchemy import make_url

    return make_url(url).render_as_string()


class DatabaseUnusable(AfterdropError):
    """The database does not answer, refuses the connection, or is not a database."""


@asynccontextmanager
async def worker_context(
    settings: Settings, now: Callable[[], datetime] = clock.now, *, create: bool = True
) -> AsyncIterator[WorkerContext]:
    """Open the database and a worker's context over it. `create` False: see `open_existing`, temporary."""
    from afterdrop.delivery.webhooks.endpoint_store import sealed_secrets
    from afterdrop.queue.worker import worker_name
    from afterdrop.worker.context import open_context

    opening = open_migrated(settings) if create else open_existing(settings, temporary=True)
    async with opening as database:
        name = worker_name(socket.gethostname(), os.getpid(), secrets.token_hex(3))
        async with open_context(settings, database, worker=name, now=now) as context:
            async with database.read() as conn:
                if sealed := await sealed_secrets(conn, context.secret_box):
                    log.error(
                        "the secret keys cannot decrypt the secrets of %s webhook endpoints: are old keys missing?",
                        sealed,
                    )
            yield context


def stop_on_signals(stop: asyncio.Event) -> None:
    """Set `stop` on SIGTERM and SIGINT, so that a worker ends in an orderly way."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
