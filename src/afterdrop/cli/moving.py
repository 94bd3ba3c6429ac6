"""`afterdrop backup`, `restore`, `copy-database` and `secrets rotate`: keep, move and re-key a deployment."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings

secrets_app = typer.Typer(no_args_is_help=True, help="Keys for encryption and signatures: rotate.")


def backup(
    to: Annotated[
        Path | None,
        typer.Argument(
            help="A new file NAME.tar.gz, or a folder for one named after the time. Default: `backup.dir`."
        ),
    ] = None,
) -> None:
    """Back up the database, the secret keys and the settings into one file while the service runs.

    The file contains the secret keys, so keep it as safe as the service.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from afterdrop.db.outages import outage_text
    from afterdrop.worker.backup import make_backup, note_backup

    settings, now = load_settings(), clock.now()
    if (place := to or settings.backup.dir) is None:
        raise AfterdropError("backup", "needs a file or folder, as an argument or in the setting backup.dir")
    made = make_backup(settings, place, now)
    try:
        note_backup(settings, made, now)
    except SQLAlchemyError as error:
        console.note(f"the backup is made but could not be noted in the database: {outage_text(error)}")
    console.line(
        f"{made.file}: {made.rows:,} rows, the secret keys{' and the settings' if settings.file else ''}"
    )


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `afterdrop backup` made.")],
    check: Annotated[
        bool,
        typer.Option("--check", help="Restore beside the database, compare the row counts and keep nothing."),
    ] = False,
) -> None:
    """Restore a backup into a database that does not exist yet or is empty, and compare the row counts."""
    from afterdrop.worker.backup import SETTINGS, restore_backup, try_backup

    done = (try_backup if check else restore_backup)(load_settings(), file, clock.now())
    console.line(
        f"{done.rows:,} rows of version {done.manifest['version']}, backed up at {done.manifest['made_at']}"
    )
    if check:
        console.line("this backup can be restored; nothing was kept")
        return
    console.line(f"your settings file is not changed; `tar -xzf {file} {SETTINGS}` unpacks the backup's")


def copy_database(
    to: Annotated[
        str, typer.Option("--to", help="postgresql://… or sqlite:///…; created if it does not exist.")
    ],
) -> None:
    """Copy the database to another one, of either kind, and compare the row counts. Stop the service first."""
    from afterdrop.db.copy import copy_database as copy

    settings = load_settings()
    keys = settings.secret_keys or ("x",)  # the target's keys are not asked for here
    target = _url(settings.model_copy(update={"database_url": to, "secret_keys": keys}))
    rows = copy(_url(settings), target, lambda table, number: console.note(f"{table}: {number:,}"))
    console.line(f"{sum(rows.values()):,} rows of {len(rows)} tables copied; set database_url to use them")


@secrets_app.command("rotate")
def rotate() -> None:
    """Encrypt all stored secrets with the first key; if the keys are in the data folder, a new one is made first.

    Older keys stay, because links in mails are signed with them. If your keys are in the settings, put a new one
    first, restart the service, then run this. docs/operate/backup.md says when the old ones may go.
    """
    from afterdrop.accounts.secret_box import add_key, open_secret_box
    from afterdrop.delivery.webhooks.endpoint_store import encrypt_anew

    settings = load_settings()
    if not settings.secret_keys:
        add_key(settings.data_dir)
        console.note("a new key was made; restart `serve` and `worker` to use it")

    async def run() -> int:
        async with open_existing(settings) as database, database.write() as conn:
            return await encrypt_anew(conn, open_secret_box(settings))

    console.line(f"{asyncio.run(run()):,} secrets are now encrypted with the first key")


def _url(settings: Settings) -> str:
    from afterdrop.db.engine import database_url

    return database_url(settings)
