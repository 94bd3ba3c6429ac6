"""The schema of a database, and what is told of one that has another."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

from afterdrop.accounts import members
from afterdrop.accounts.store import delete_account
from afterdrop.cli import bootstrap
from afterdrop.core import clock
from afterdrop.core.errors import DatabaseUnusable
from afterdrop.core.settings import Settings
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.schema_version import plain_engine, revisions, stored_state
from afterdrop.db.tables.watching import alert_rules
from afterdrop.web.probes import readiness
from afterdrop.worker.alarms import alarms
from afterdrop.worker.observation import Deployment, observe
from tests.support import postgres

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_migrations_give_exactly_the_defined_schema(database_url: str) -> None:
    assert stored_state(database_url) == "current"
    migrate.differences(database_url)


def test_the_newest_migration_is_the_one_that_alembic_ends_with() -> None:
    scripts = ScriptDirectory(str(Path(migrate.__file__).with_name("migrations")))
    assert revisions()[-1] == scripts.get_current_head()


async def test_the_id_of_a_deleted_account_or_rule_is_never_reused(database: Database) -> None:
    """A signed link or a receiver may still have it."""

    async def made(number: int) -> tuple[int, int]:
        email = f"a{number}@members.example"
        account = await members.create_account(
            conn, members.NewAccount(email, verified=True), now=NOW, welcome=0
        )
        rule = {"account_id": account.id, "name": "x", "active": True, "frequency": "instant"}
        inserted = (
            sa.insert(alert_rules).values(**rule, criteria={}, created_at=NOW).returning(alert_rules.c.id)
        )
        return account.id, int(await conn.scalar(inserted) or 0)

    async with database.write() as conn:
        account, rule = await made(1)
        await delete_account(conn, account)
        assert (await made(2)) == (account + 1, rule + 1)


CHANGES = [
    (("ALTER TABLE domain_notes RENAME COLUMN note TO old_note",), "column domain_notes.note is missing"),
    (("DROP TABLE domain_notes",), "table domain_notes is missing"),
    (("DROP INDEX ix_events_created_at",), "index ix_events_created_at is missing"),
    (
        (
            "DROP TABLE versions",
            "CREATE TABLE versions (name VARCHAR(60), value BIGINT NOT NULL, more INTEGER NOT NULL)",
        ),
        r"column versions.name must not be nullable, column versions.more is not of this version and needs a value, "
        r"versions: \(name\) is not unique",
    ),
]


@pytest.fixture
def own_url(database_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """A migrated database whose tables a test may change."""
    if database_url.startswith("sqlite"):
        shutil.copyfile(request.getfixturevalue("sqlite_template"), tmp_path / "own.sqlite3")
        yield f"sqlite+aiosqlite:///{tmp_path}/own.sqlite3"
        return
    server, template = os.environ["TEST_DATABASE_URL"], os.environ["TEST_DATABASE_TEMPLATE"]
    with postgres.migrated(server, template, f"t_changed_{os.getpid()}") as url:
        yield url


@pytest.mark.parametrize(("changes", "told"), CHANGES)
async def test_a_database_between_two_versions_is_told(
    own_url: str, settings: Settings, changes: tuple[str, ...], told: str
) -> None:
    """It has this version's number and other tables: everything would fail that asks for them."""
    with plain_engine(own_url).begin() as conn:
        conn.exec_driver_sql("CREATE INDEX ix_own ON events (type)")
        conn.exec_driver_sql("ALTER TABLE events ADD COLUMN own INTEGER")
    mine = settings.model_copy(update={"database_url": own_url})
    assert not bootstrap.migrate_database(mine)  # what an operator adds is no fault
    with plain_engine(own_url).begin() as conn:
        for change in changes:
            conn.exec_driver_sql(change)
    with pytest.raises(DatabaseUnusable, match=told):
        bootstrap.migrate_database(mine)
    with pytest.raises(DatabaseUnusable, match=told):  # as `afterdrop doctor` and the other commands open it
        async with bootstrap.open_existing(mine):
            pass
    database = open_database(own_url)
    deployment = Deployment(mine, database, (), clock.now)
    seen = await observe(deployment)
    assert (seen.schema, readiness(seen, deployment)["ready"]) == ("different", False)
    assert alarms(seen, mine)[0].key == "schema"
    await database.close()
