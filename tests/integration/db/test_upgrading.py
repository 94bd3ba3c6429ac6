"""A released version's database is upgraded with its rows, and what was released stays as it was."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from afterdrop.db import migrate
from afterdrop.db.schema_version import plain_engine, schema_state
from tests.integration.db import kept_releases

VERSIONS = sorted(path.name.removesuffix(".json.xz") for path in kept_releases.FOLDER.glob("*.json.xz"))


def test_released_migrations_are_unchanged() -> None:
    """Databases in use have run them."""
    assert kept_releases.released()["migrations"].items() <= kept_releases.migrations().items()


def test_released_weights_are_unchanged() -> None:
    """A review's points are explained by the weights it was scored with: a change is a new version and a new file."""
    assert kept_releases.released()["weights"].items() <= kept_releases.weights_by_version().items()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_release_has_rows_of_every_table(version: str) -> None:
    _, rows = kept_releases.kept(version)
    assert [name for name, found in rows.items() if not found] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_released_database_is_upgraded_with_its_rows(version: str, database_url: str) -> None:
    revision, rows = kept_releases.kept(version)
    migrate.downgrade(database_url, revision)
    with plain_engine(database_url).begin() as connection:
        assert schema_state(connection) in ("current", "older")
        kept_releases.insert(connection, rows)
    migrate.upgrade(database_url)
    with plain_engine(database_url).connect() as connection:
        assert schema_state(connection) == "current"
        for table in kept_releases.described(connection).sorted_tables:
            found = [dict(row) for row in connection.execute(sa.select(table)).mappings()]
            for row in rows.get(table.name, []):
                still = row.keys() & set(table.columns.keys())
                assert {name: row[name] for name in still} in [
                    {name: each[name] for name in still} for each in found
                ], table.name
