"""PostgreSQL's own tools: dump a schema, put a dump into an empty one, and create a database that is missing."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

import sqlalchemy as sa
from psycopg.conninfo import make_conninfo

from afterdrop.core.errors import AfterdropError
from afterdrop.db.outages import outage_text
from afterdrop.db.schema_version import plain_engine

_MISSING = "3D000"


def dump(url: str, file: Path, schema: str, snapshot: str) -> None:
    """Dump a schema as the exported snapshot sees it. Raises AfterdropError."""
    _dump(url, schema, "--format=custom", f"--snapshot={snapshot}", f"--file={file}")


def try_dump(url: str) -> None:
    """Dump what a backup dumps, without rows and to nowhere. Raises AfterdropError where no backup can be made."""
    with plain_engine(url).connect() as connection:
        schema = str(connection.dialect.default_schema_name)
    _dump(url, schema, "--schema-only", "--file=/dev/null")


def _dump(url: str, schema: str, *words: str) -> None:
    address, environ = _address(url)
    # Quoted, a name is no pattern. Other schemas belong to others, and some may not be read.
    done = subprocess.run(
        [_found("pg_dump"), f"--schema={_quoted(schema)}", *words, f"--dbname={address}"],
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise AfterdropError("pg_dump", _said(done.stderr, done.returncode))


@dataclass(frozen=True)
class Dump:
    """A dump's file, the schema that it was made of, and the rows of each table."""

    file: Path
    schema: str
    rows: Mapping[str, int]


def restore(url: str, dumped: Dump, last: str, scratch: str | None = None) -> None:
    """Put a dump into the current schema, which is empty, then run the statement `last`, in one transaction.

    Nothing is kept unless each table has its number of rows, and nothing in any case where the schema is a `scratch`
    one, which is made for it. The transaction is ended from here, so it is rolled back also when this process is
    killed. Raises AfterdropError.
    """
    with plain_engine(url).connect() as connection:
        schema = scratch or str(connection.dialect.default_schema_name)
    address, environ = _address(url)
    psql = [_found("psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--dbname={address}"]
    # The schema itself is no part of what is restored, nor are those of others in a dump by an earlier version.
    words = ["--no-owner", "--no-privileges", "--exit-on-error", f"--schema={dumped.schema}", "--file=-"]
    with (
        TemporaryFile() as told,
        subprocess.Popen(
            psql,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, **environ},
        ) as writing,
    ):
        assert writing.stdin is not None and writing.stderr is not None
        fault: AfterdropError | None = None
        with suppress(BrokenPipeError):  # psql says why it stopped
            made = f"CREATE SCHEMA {_quoted(schema)};\n" if scratch else ""
            writing.stdin.write(f"BEGIN;\n{made}".encode())
            with subprocess.Popen(
                [_found("pg_restore"), *words, str(dumped.file)], stdout=subprocess.PIPE, stderr=told
            ) as reading:
                assert reading.stdout is not None
                for line in _moved(reading.stdout, dumped.schema, schema):
                    writing.stdin.write(line)
            if reading.returncode:
                told.seek(0)
                fault = AfterdropError("pg_restore", _said(told.read(), reading.returncode))
            else:
                # A dump leaves no schema to look for tables in.
                checked = f"SET search_path TO {_quoted(schema)};\n{_compared(dumped.rows)}\n{last};\n"
                writing.stdin.write(f"{checked}{'ROLLBACK' if scratch else 'COMMIT'};\n".encode())
        with suppress(BrokenPipeError):
            writing.stdin.close()
        said = writing.stderr.read()
    if writing.returncode:
        raise AfterdropError("psql", _said(said, writing.returncode))
    if fault is not None:
        raise fault


def _moved(lines: Iterable[bytes], old: str, new: str) -> Iterator[bytes]:
    """A dump as SQL, its tables in another schema. pg_dump writes the name before each of them; rows are left alone."""
    names = "|".join(map(re.escape, (old, _quoted(old))))
    before, put = re.compile(rf'(?<![\w$".])(?:{names})\.'.encode()), f"{_quoted(new)}.".encode()
    rows = False
    for line in lines:
        if rows:
            rows = line != b"\\.\n"
        else:
            rows = line.startswith(b"COPY ") and line.endswith(b" FROM stdin;\n")
            line = before.sub(lambda _: put, line)
        yield line


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _compared(rows: Mapping[str, int]) -> str:
    """A statement that fails unless each table has its number of rows."""
    each = "".join(
        f'SELECT count(*) INTO found FROM "{name}"; IF found <> {number} THEN RAISE EXCEPTION '
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
    """The address for the driver, as libpq reads it, and the password for the environment, where `ps` has it not."""
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


def _said(text: bytes, code: int) -> str:
    """The words of a tool before it failed."""
    return " ".join(text.decode(errors="replace").split())[:400] or (
        f"was stopped by {signal.Signals(-code).name}" if code < 0 else f"failed with code {code}"
    )
