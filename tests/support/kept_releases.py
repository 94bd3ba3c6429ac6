"""Tables and rows of each released version, kept so that later versions are tested on them.

    python -m tests.support.kept_releases DATABASE_URL VERSION

takes a few rows of every table of a database (`afterdrop demo` leaves one) with all rows that they refer to, makes one
up for each empty table, and keeps them in `releases/VERSION.json.xz` with the schema and its revision. The hashes of
the migrations and weights that are released with it go to `releases/released.json`. Rows are read and written with the
tables as the database itself describes them: this version's definition may have moved on.
"""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
import sys
import tomllib
from pathlib import Path
from typing import Any, Final, cast

import sqlalchemy as sa

from afterdrop.db import migrate
from afterdrop.db.schema_version import plain_engine, stored_revision
from afterdrop.db.tables import metadata
from afterdrop.scoring import weights

FOLDER: Final = Path(__file__).with_name("releases")
_MOST_ROWS: Final = 3
_BYTES: Final = "base64:"
Row = dict[str, object]
Rows = dict[str, list[Row]]


def kept(version: str) -> Rows:
    """A release's rows by table."""
    return {table: [_opened(row) for row in found] for table, found in _content(version)["rows"].items()}


def begin(url: str, version: str, rows: Rows) -> None:
    """Make the tables of a release in an empty database, with these rows in them."""
    content = _content(version)
    with plain_engine(url).begin() as connection:
        for statement in content["schema"][connection.dialect.name].split(";"):
            if statement.strip():
                connection.exec_driver_sql(statement)
        connection.exec_driver_sql(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"
        )
        connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{content['revision']}')")
        insert(connection, rows)


def _content(version: str) -> Any:
    return json.loads(lzma.decompress((FOLDER / f"{version}.json.xz").read_bytes()))


def _opened(row: Row) -> Row:
    return {
        name: base64.b64decode(value[len(_BYTES) :])
        if isinstance(value, str) and value.startswith(_BYTES)
        else value
        for name, value in row.items()
    }


def described(connection: sa.Connection) -> sa.MetaData:
    """The tables as the database describes them, without alembic's own."""
    found = sa.MetaData()
    found.reflect(connection)
    if "alembic_version" in found.tables:
        found.remove(found.tables["alembic_version"])
    return found


def insert(connection: sa.Connection, rows: Rows) -> None:
    """Insert rows, those that others refer to first."""
    for table in described(connection).sorted_tables:
        if rows.get(table.name):
            connection.execute(sa.insert(table), rows[table.name])


def chosen(connection: sa.Connection) -> Rows:
    """Up to three rows of each table and whatever they refer to."""
    tables = described(connection)
    found: dict[str, dict[tuple[object, ...], Row]] = {name: {} for name in tables.tables}

    def take(table: sa.Table, row: Row) -> None:
        key = tuple(row[column.name] for column in table.primary_key.columns)
        if key in found[table.name]:
            return
        found[table.name][key] = row
        for constraint in table.foreign_key_constraints:
            pairs = [(each.column, row[each.parent.name]) for each in constraint.elements]
            if all(value is not None for _, value in pairs):
                other = constraint.referred_table
                where = [column == value for column, value in pairs]
                take(other, dict(connection.execute(sa.select(other).where(*where)).mappings().one()))

    for table in tables.sorted_tables:
        for row in connection.execute(sa.select(table).limit(_MOST_ROWS)).mappings():
            take(table, dict(row))
    rows: Rows = {name: list(each.values()) for name, each in found.items()}
    for table in tables.sorted_tables:
        rows[table.name] = rows[table.name] or [_made_up(table, rows)]
    return rows


def _made_up(table: sa.Table, rows: Rows) -> Row:
    """A row that refers to kept ones; the others' values only have the right type."""
    made: Row = {column.name: _made_up_value(column.type) for column in table.columns}
    for constraint in table.foreign_key_constraints:
        for each in constraint.elements:
            made[each.parent.name] = rows[constraint.referred_table.name][0][each.column.name]
    return made


def _made_up_value(kind: sa.types.TypeEngine[object]) -> object:
    if isinstance(kind, sa.LargeBinary):
        return b"made up"
    if isinstance(kind, sa.JSON):
        return {}
    if isinstance(kind, sa.Boolean):
        return True
    return (
        1
        if isinstance(kind, sa.Integer | sa.Numeric | sa.Float)
        else "made-up.example"[: getattr(kind, "length", None)]
    )


def content_hash(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def migrations() -> dict[str, str]:
    """The hashes of the migrations by file."""
    folder = Path(migrate.__file__).with_name("migrations") / "versions"
    return {path.name: content_hash(path) for path in sorted(folder.glob("[0-9]*.py"))}


def weights_by_version() -> dict[str, str]:
    """The hashes of the files of weights by their version."""
    files = (Path(weights.__file__).parent / "data").glob("weights*.toml")
    return {tomllib.loads(path.read_text(encoding="utf-8"))["version"]: content_hash(path) for path in files}


def released() -> dict[str, dict[str, str]]:
    """What was released: the hashes of migrations and of weights."""
    return cast(dict[str, dict[str, str]], json.loads((FOLDER / "released.json").read_text(encoding="utf-8")))


def schema() -> dict[str, str]:
    """This version's tables as statements, by dialect."""
    told: dict[str, str] = {}
    for name in ("sqlite", "postgresql"):
        statements: list[Any] = []
        engine = sa.create_mock_engine(f"{name}://", lambda each, *_, into=statements: into.append(each))
        metadata.create_all(engine, checkfirst=False)
        told[name] = ";".join(str(each.compile(dialect=engine.dialect)) for each in statements)
    return told


def keep(url: str, version: str) -> Rows:
    """Write a release's files."""
    with plain_engine(url).connect() as connection:
        rows = chosen(connection)
        content = {"revision": stored_revision(connection), "rows": rows, "schema": schema()}
    text = json.dumps(content, default=lambda raw: _BYTES + base64.b64encode(raw).decode(), sort_keys=True)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{version}.json.xz").write_bytes(lzma.compress(text.encode(), preset=9))
    now = {"migrations": migrations(), "weights": weights_by_version()}
    (FOLDER / "released.json").write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return rows


if __name__ == "__main__":
    for name, rows in keep(sys.argv[1], sys.argv[2]).items():
        print(f"{name}: {len(rows)}")
