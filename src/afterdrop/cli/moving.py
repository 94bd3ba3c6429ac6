"""`afterdrop backup`, `restore`, `copy-database` and `secrets rotate`: keep, move and re-key a deployment."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer

from afterdrop import __version__
from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError, SettingsError
from afterdrop.core.settings import Settings

secrets_app = typer.Typer(no_args_is_help=True, help="Keys for encryption and signatures: rotate.")

_NOTE: Final = "backup.json"
_KEYS: Final = "secret_keys"
_SETTINGS: Final = "afterdrop.toml"
_SQLITE: Final = "afterdrop.sqlite3"
_DUMP: Final = "afterdrop.pgdump"


def backup(
    folder: Annotated[
        Path, typer.Argument(help="A new or empty folder. It will contain the secret keys, so keep it safe.")
    ],
) -> None:
    """Back up the database, the secret keys and the settings file while the service runs, and check the copy."""
    from afterdrop.accounts.secret_box import configured_keys

    settings = load_settings()
    url = _url(settings)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise AfterdropError(str(folder), "is not empty; every backup needs a folder of its own")
    counts = _counts(url)
    if url.startswith("sqlite"):
        from afterdrop.db.copy import copy_sqlite

        copy_sqlite(_file(url), folder / _SQLITE)
        counts = _counts(f"sqlite+aiosqlite:///{(folder / _SQLITE).absolute()}")
    else:
        _run_postgres("pg_dump", url, "--format=custom", f"--file={folder / _DUMP}")
        _run("pg_restore", "--list", str(folder / _DUMP))
    (folder / _KEYS).write_text("".join(f"{key}\n" for key in configured_keys(settings)), encoding="ascii")
    if settings.file:
        shutil.copyfile(settings.file, folder / _SETTINGS)
    # Written last: a folder without it is no backup.
    note = {"version": __version__, "made_at": f"{clock.now():%Y-%m-%dT%H:%M:%SZ}", "rows": counts}
    (folder / _NOTE).write_bytes(orjson.dumps(note, option=orjson.OPT_INDENT_2))
    console.line(
        f"{folder}: {sum(counts.values()):,} rows, the secret keys{' and the settings' if settings.file else ''}"
    )


def restore(folder: Annotated[Path, typer.Argument(help="A folder that `afterdrop backup` made.")]) -> None:
    """Restore a backup into a database that does not exist yet or is empty, and compare the row counts."""
    settings = load_settings()
    url = _url(settings)
    try:
        note: dict[str, Any] = orjson.loads((folder / _NOTE).read_bytes())
    except (OSError, ValueError):
        raise AfterdropError(str(folder), f"is not a backup: it has no readable {_NOTE}") from None
    _restore_keys(settings, folder)
    if url.startswith("sqlite"):
        if not (folder / _SQLITE).is_file():
            raise AfterdropError(
                str(folder), "is a backup of PostgreSQL; restore it there, then run `copy-database`"
            )
        if _file(url).exists():
            raise AfterdropError(str(_file(url)), "already exists; move it away first")
        from afterdrop.db.copy import copy_sqlite

        _file(url).parent.mkdir(parents=True, exist_ok=True)
        copy_sqlite(folder / _SQLITE, _file(url))
    else:
        if not (folder / _DUMP).is_file():
            raise AfterdropError(
                str(folder), "is a backup of SQLite; restore it there, then run `copy-database`"
            )
        _run_postgres(
            "pg_restore", url, "--no-owner", "--single-transaction", "--exit-on-error", str(folder / _DUMP)
        )
    _compare(note, _counts(url))


def _compare(note: dict[str, Any], found: dict[str, int]) -> None:
    wrong = [name for name, number in note["rows"].items() if found.get(name) != number]
    if wrong:
        console.note(
            f"row counts differ from those of the backup, which was made while the service ran: {', '.join(wrong)}"
        )
    console.line(f"{sum(found.values()):,} rows of version {note['version']}, backed up at {note['made_at']}")
    console.line("the settings file is not changed; the backup has its own copy")


def _restore_keys(settings: Settings, folder: Path) -> None:
    """Put the keys where the service finds them, unless the settings give keys; never replace others."""
    kept = (folder / _KEYS).read_text(encoding="ascii")
    if settings.secret_keys:
        if not set(kept.split()) <= set(settings.secret_keys):
            raise SettingsError(
                "secret_keys", f"do not include all keys of the backup; add those in {folder / _KEYS}"
            )
        return
    place = settings.data_dir / _KEYS
    if place.exists() and place.read_text(encoding="ascii").split() != kept.split():
        raise AfterdropError(str(place), "contains other keys than the backup; move it away first")
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    place.write_text(kept, encoding="ascii")


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
    first, restart the service, then run this. docs/OPERATING.md says when the old ones may go.
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


def _file(url: str) -> Path:
    return Path(url.partition("///")[2])


def _counts(url: str) -> dict[str, int]:
    from afterdrop.db.copy import table_counts
    from afterdrop.db.schema_version import plain_engine, stored_state

    if stored_state(url) is None:
        raise AfterdropError(str(_file(url)), "does not exist")
    with plain_engine(url).connect() as connection:
        return table_counts(connection)


def _run_postgres(command: str, url: str, *words: str) -> None:
    """Run one of PostgreSQL's tools; the password goes through the environment, where `ps` does not show it."""
    from sqlalchemy import make_url

    parsed = make_url(url)
    shown = parsed.set(drivername="postgresql", password=None).render_as_string()
    password = {"PGPASSWORD": str(parsed.password)} if parsed.password else {}
    _run(command, *words, f"--dbname={shown}", **password)


def _run(command: str, *words: str, **environ: str) -> None:
    if shutil.which(command) is None:
        raise AfterdropError(
            command, "is not installed; it comes with PostgreSQL's client (postgresql-client)"
        )
    done = subprocess.run(
        [command, *words], env={**os.environ, **environ}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise AfterdropError(
            command, " ".join(done.stderr.split())[:400] or f"failed with code {done.returncode}"
        )
