"""PostgreSQL's own tools: dump a database, put a dump into an empty one, and create one that is missing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from psycopg.conninfo import make_conninfo

from afterdrop.core.errors import AfterdropError
from afterdrop.db.outages import outage_text
from afterdrop.db.schema_version import plain_engine

_MISSING = "3D000"


def dump(url: str, file: Path, snapshot: str) -> None:
    """Dump a database as the exported snapshot sees it. Raises AfterdropError."""
    address, environ = _address(url)
    _run(
        "pg_dump",
        "--format=custom",
        f"--snapshot={snapshot}",
        f"--file={file}",
        f"--dbname={address}",
        environ=environ,
    )


def restore(url: str, file: Path, rows: Mapping[str, int], last: str) -> None:
    """Put a dump into an empty database, then run the statement `last`, in one transaction.

    Nothing is kept unless each table of `rows` has that many. The transaction is ended from here, so it is rolled back
    also when this process is killed. Raises AfterdropError.
    """
    address, environ = _address(url)
    psql = [_found("psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--dbname={address}"]
    with subprocess.Popen(
        psql,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, **environ},
    ) as writing:
        assert writing.stdin is not None and writing.stderr is not None
        fault: AfterdropError | None = None
        with suppress(BrokenPipeError):  # psql says why it stopped
            try:
                writing.stdin.write(b"BEGIN;\n")
                writing.stdin.flush()
                words = ["--no-owner", "--no-privileges", "--exit-on-error", "--file=-", str(file)]
                _run("pg_restore", *words, output=writing.stdin.fileno())
                # A dump leaves no schema to look for tables in.
                checked = f"SET search_path TO public;\n{_compared(rows)}\n{last};\nCOMMIT;\n"
                writing.stdin.write(checked.encode())
            except AfterdropError as error:
                fault = error
            writing.stdin.close()
        said = writing.stderr.read().decode(errors="replace")
    if writing.returncode:
        raise AfterdropError("psql", _said(said, writing.returncode))
    if fault is not None:
        raise fault


def _compared(rows: Mapping[str, int]) -> str:
    """A statement that fails unless each table has its number of rows."""
    each = "".join(
        f'SELECT count(*) INTO found FROM public."{name}"; IF found <> {number} THEN RAISE EXCEPTION '
        f"'the counts differ: {name} has % rows instead of {number}', found; END IF;\n"
        for name, number in rows.items()
    )
    return f"DO $$ DECLARE found bigint; BEGIN\n{each}END $$;"


@contextmanager
def made_if_missing(url: str) -> Iterator[None]:
    """Create the database of `url` if the server has none of this name; it is dropped again if the block fails."""
    made = _make_if_missing(url)
    try:
        yield
    except BaseException:
        if made:
            _on_server(url, "DROP DATABASE IF EXISTS {}")
        raise


def _make_if_missing(url: str) -> bool:
    try:
        with plain_engine(url).connect():
            return False
    except sa.exc.OperationalError as error:
        if not is_missing(error):
            raise
    try:
        _on_server(url, "CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0")
    except sa.exc.SQLAlchemyError as error:
        parsed = sa.make_url(url)
        raise AfterdropError(
            f"database {parsed.database}",
            f"does not exist, and {parsed.username} cannot create it ({outage_text(error)}): "
            f"`sudo -u postgres createdb --owner {parsed.username} {parsed.database}`",
        ) from error
    return True


def is_missing(error: sa.exc.DBAPIError) -> bool:
    """Whether the server has no database of the name. A refused connection carries no code, only the text."""
    text = str(error.orig)
    return getattr(error.orig, "sqlstate", None) == _MISSING or (
        "database" in text and "does not exist" in text
    )


def _on_server(url: str, statement: str) -> None:
    parsed = sa.make_url(url)
    engine = plain_engine(parsed.set(database="postgres").render_as_string(hide_password=False))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        name = connection.dialect.identifier_preparer.quote_identifier(parsed.database or "")
        connection.exec_driver_sql(statement.format(name.replace("%", "%%")))


# What the driver's `connect` takes beside the parameters of libpq.
_OF_THE_DRIVER: Final = frozenset(
    {"autocommit", "prepare_threshold", "context", "row_factory", "cursor_factory"}
)


def _address(url: str) -> tuple[str, dict[str, str]]:
    """What the driver connects with, as libpq reads it, and the password for the environment, where `ps` has it not."""
    parsed = sa.make_url(url)
    _, given = parsed.get_dialect()().create_connect_args(parsed)
    password = given.pop("password", None)
    address = make_conninfo(**{name: value for name, value in given.items() if name not in _OF_THE_DRIVER})
    return address, {"PGPASSWORD": str(password)} if password else {}


def _found(command: str) -> str:
    path = shutil.which(command)
    if path is None:
        raise AfterdropError(
            command, "is not installed; it comes with PostgreSQL's client (postgresql-client)"
        )
    return path


def _run(
    command: str, *words: str, output: int = subprocess.DEVNULL, environ: Mapping[str, str] | None = None
) -> None:
    done = subprocess.run(
        [_found(command), *words],
        env={**os.environ, **(environ or {})},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise AfterdropError(command, _said(done.stderr.decode(errors="replace"), done.returncode))


def _said(text: str, code: int) -> str:
    """What a tool said before it failed."""
    return " ".join(text.split())[:400] or (
        f"was stopped by {signal.Signals(-code).name}" if code < 0 else f"failed with code {code}"
    )
