"""The start of most commands: settings, a migrated database, and a worker's context."""

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
from typing import TYPE_CHECKING, Literal

from afterdrop.cli.console import set_up_logs
from afterdrop.cli.private_files import restrict_modes
from afterdrop.core import clock
from afterdrop.core.audience import STORED, UNSET
from afterdrop.core.errors import DatabaseUnusable, SettingsError
from afterdrop.core.settings import Settings
from afterdrop.core.settings_file import load

if TYPE_CHECKING:
    from sqlalchemy.exc import DatabaseError

    from afterdrop.db.engine import Database
    from afterdrop.db.schema_version import SchemaState
    from afterdrop.worker_context import WorkerContext


log = logging.getLogger("afterdrop.keys")


@dataclass
class _Chosen:
    """The option before the command's name: `afterdrop --settings FILE status`."""

    settings: Path | None = None


chosen = _Chosen()


def load_settings(*, service: bool = False, without_audience: bool = False) -> Settings:
    """Load the settings of this command and set up its log; `service`: as the settings say.

    Raises SettingsError where they do not say the deployment's audience, unless the command runs `without_audience`.

    The vendors' keys among them are put into the environment, where feed and provider files read keys. A value set
    there already wins, as for every setting.
    """
    fixed: list[str] = []
    settings = load(file=chosen.settings, warn=fixed.append)
    if "audience" not in settings.model_fields_set and not without_audience:
        raise SettingsError("audience", UNSET)
    set_up_logs(settings.log, service=service)
    for warning in fixed:
        logging.getLogger("afterdrop.settings").warning("%s", warning)
    for name, key in settings.keys.items():
        os.environ.setdefault(name, key.get_secret_value())
    return settings


def run_service(main: Coroutine[None, None, None]) -> None:
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

    await asyncio.to_thread(migrate_database, settings)
    async with _opened(settings, database_url(settings)) as database:
        yield database


@asynccontextmanager
async def open_existing(
    settings: Settings, *, temporary: bool = False, accounts: int | None = None
) -> AsyncIterator[Database]:
    """Open the database of `settings` as it is. Raises DatabaseUnusable when it has not this version's schema.

    `temporary`: where there is none yet, use an empty one that is gone afterwards. A command that asks other hosts
    keeps their pace in it. `accounts`: how many a team may take in.
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
            _shown(url),
            f"does not exist yet; `afterdrop serve` or `afterdrop migrate` creates it. {_settings_from(settings)}",
        )
    if state == "older":
        raise DatabaseUnusable(
            _shown(url), "has an older schema, or none; `afterdrop migrate` brings it up to date"
        )
    _refuse_other(url, state)
    async with _opened(settings, url, accounts) as database:
        yield database


@asynccontextmanager
async def _opened(settings: Settings, url: str, accounts: int | None = None) -> AsyncIterator[Database]:
    from afterdrop.db.engine import open_database
    from afterdrop.db.schema_version import sqlite_file

    file = sqlite_file(url)
    # Its schema has shown that the database is ours, and with it the folder.
    await asyncio.to_thread(restrict_modes, settings.data_dir, file)
    database = open_database(url, connections=settings.database_connections)
    # Imported modules stay in memory: collecting over them again and again would delay write transactions by 50 ms.
    gc.freeze()
    try:
        await _settle_audience(settings, database, accounts)
        yield database
    finally:
        gc.unfreeze()  # objects that are frozen at the end of the process would be reported as leaked
        await database.close()


async def _settle_audience(settings: Settings, database: Database, accounts: int | None) -> None:
    """Refuse a database that another audience has, and note whose a new one is. `accounts`: how many it may take in."""
    from afterdrop.accounts import store

    if "audience" not in settings.model_fields_set:
        return  # a command that runs without: it decides nothing
    async with database.read() as conn:
        stored = (await store.read_versions(conn)).get("audience")
    if stored != STORED[settings.audience]:
        async with database.write() as conn:
            await store.settle_audience(conn, settings.audience, clock.now(), expected=accounts)


def migrate_database(
    settings: Settings,
    *,
    accounts: int | None = None,
    forget_own_use: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> bool:
    """Bring the database of `settings` to the newest schema. Returns False when it had that schema already.

    Raises DatabaseUnusable when it does not answer, is no database of this service, or another version's, and
    SettingsError when it has what the audience may not see: see `afterdrop.db.migrate.upgrade`.
    """
    from sqlalchemy.exc import DatabaseError

    from afterdrop.db.engine import database_url

    url = database_url(settings)
    state = _state(url)
    if state == "current":
        return False
    _refuse_other(url, state)
    from afterdrop.db.migrate import upgrade

    try:
        upgrade(url, audience=settings.audience, accounts=accounts, forget_own_use=forget_own_use, tell=tell)
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


def _refuse_other(url: str, state: SchemaState | None) -> None:
    if state == "newer":
        raise DatabaseUnusable(_shown(url), "was migrated by a newer version of Afterdrop; use that version")
    if state == "unreleased":
        raise DatabaseUnusable(
            _shown(url),
            "was made before 1.0.0 was released; move it away, then `afterdrop migrate` makes a new one",
        )
    if state == "different":
        from afterdrop.db.schema_version import plain_engine, schema_faults

        with plain_engine(url).connect() as connection:
            faults = schema_faults(connection)
        more = f" and {len(faults) - 5} more" if len(faults) > 5 else ""
        raise DatabaseUnusable(
            _shown(url),
            f"does not have the tables of its version ({', '.join(faults[:5])}{more}): restore a backup, or"
            " move the rows into a new database with the version that made it",
        )


def _settings_from(settings: Settings) -> str:
    """A remark for a command that may have looked in the wrong place."""
    if settings.file:
        return f"The settings are from {settings.file}"
    return (
        f"There is no settings file in {Path.cwd()}: name your service's with --settings FILE; for systemd's units"
        " use `afterdrop-unit`"
    )


def _unusable(url: str, error: DatabaseError) -> DatabaseUnusable:
    from afterdrop.db.outages import remedy
    from afterdrop.db.schema_version import parsed

    setting = "data_dir or database_url" if url.startswith("sqlite") else "database_url"
    return DatabaseUnusable(setting, f"{_shown(url)}: {remedy(parsed(url), error)}")


def _shown(url: str) -> str:
    """The database's address without its password."""
    from afterdrop.db.schema_version import parsed

    return parsed(url).render_as_string()


@asynccontextmanager
async def worker_context(
    settings: Settings,
    now: Callable[[], datetime] = clock.now,
    *,
    missing: Literal["create", "refuse", "temporary"] = "create",
) -> AsyncIterator[WorkerContext]:
    """Open the database and a worker's context over it. `missing`: what to do where there is none yet.

    It is created, which also migrates an older one; refused; or replaced by one that is gone afterwards.
    """
    from afterdrop.accounts.secret_box import FILE as KEYS
    from afterdrop.delivery.webhooks.endpoint_store import sealed_secrets
    from afterdrop.queue.worker import worker_name
    from afterdrop.worker_context import open_context

    if missing == "create":
        opening = open_migrated(settings)
    else:
        opening = open_existing(settings, temporary=missing == "temporary")
    async with opening as database:
        if missing == "temporary" and not settings.secret_keys and not (settings.data_dir / KEYS).exists():
            # In a folder without a service no keys are made that would be in the way of a restore.
            settings = settings.model_copy(update={"secret_keys": (secrets.token_urlsafe(32),)})
        name = worker_name(socket.gethostname(), os.getpid(), secrets.token_hex(3))
        async with open_context(settings, database, worker=name, now=now) as context:
            async with database.read() as conn:
                if sealed := await sealed_secrets(conn, context.secret_box):
                    log.error(
                        "the secret keys cannot decrypt the secrets of %s webhook endpoints: are old keys missing?",
                        sealed,
                    )
            yield context


def stop_on_signals(stop: asyncio.Event, *, tell: bool = False) -> None:
    """Set `stop` on SIGTERM, SIGINT and SIGHUP, so that a worker ends in an orderly way; `tell`: and log it.

    A server logs it itself: it takes the signal first, and raises it again once it has closed.
    """
    loop = asyncio.get_running_loop()

    def stop_for(number: signal.Signals) -> None:
        if tell:
            logging.getLogger("afterdrop.server").info("%s received: stopping", number.name)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT, *hang_up()):
        loop.add_signal_handler(number, stop_for, number)


def hang_up() -> tuple[signal.Signals, ...]:
    """SIGHUP, which a closed terminal sends; nothing where `nohup` has it ignored."""
    return () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
