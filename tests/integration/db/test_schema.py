"""Migrations and the schema definition agree on both databases, forwards and back."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db import migrate


def test_migrations_give_exactly_the_defined_schema(database_url: str) -> None:
    assert migrate.is_current(database_url)
    migrate.differences(database_url)


def test_an_upgrade_can_be_taken_back_and_made_again(database_url: str) -> None:
    migrate.downgrade(database_url, "base")
    assert not migrate.is_current(database_url)
    engine = sa.create_engine(database_url.replace("+aiosqlite", ""), poolclass=sa.NullPool)
    left = set(sa.inspect(engine).get_table_names()) - {"alembic_version"}
    engine.dispose()
    migrate.upgrade(database_url)
    assert left == set()
    assert migrate.is_current(database_url)
