"""Migrations and the schema definition agree on both databases, upwards and downwards."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from alembic.script import ScriptDirectory

from afterdrop.accounts import members
from afterdrop.accounts.store import delete_account
from afterdrop.alerts import store as alerts
from afterdrop.db import migrate
from afterdrop.db.engine import Database
from afterdrop.db.schema_version import revisions, stored_state
from afterdrop.db.tables.alerts import alert_rules
from afterdrop.db.tables.catalogue import domains, open_domains, open_draws, reserved_views
from afterdrop.db.tables.desk import domain_notes
from afterdrop.desk import store as desk
from tests.support.rows import put, put_reserved, row

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_migrations_give_exactly_the_defined_schema(database_url: str) -> None:
    assert stored_state(database_url) == "current"
    migrate.differences(database_url)


def test_an_upgrade_can_be_reversed_and_repeated(database_url: str) -> None:
    migrate.downgrade(database_url, "base")
    assert stored_state(database_url) != "current"
    engine = sa.create_engine(database_url.replace("+aiosqlite", ""), poolclass=sa.NullPool)
    left = set(sa.inspect(engine).get_table_names()) - {"alembic_version"}
    engine.dispose()
    migrate.upgrade(database_url)
    assert left == set()
    assert stored_state(database_url) == "current"


def test_the_newest_migration_is_the_one_that_alembic_ends_with() -> None:
    scripts = ScriptDirectory(str(Path(migrate.__file__).with_name("migrations")))
    assert revisions()[-1] == scripts.get_current_head()


async def test_an_upgrade_keeps_published_domains_and_what_hangs_on_them(
    database: Database, database_url: str
) -> None:
    async with database.write() as conn:
        await put(conn, row("a.com", source_title=None))
        await put_reserved(conn, row("a.com", score=80, source_title=None))
    await database.close()
    migrate.downgrade(database_url, "0001")
    migrate.upgrade(database_url)
    migrate.differences(database_url)
    engine = sa.create_engine(database_url.replace("+aiosqlite", ""), poolclass=sa.NullPool)
    with engine.connect() as conn:
        kept = conn.execute(sa.select(domains.c.domain, domains.c.score, domains.c.source_title)).all()
        reserved = conn.execute(sa.select(reserved_views.c.domain, reserved_views.c.score)).all()
    engine.dispose()
    assert (kept, reserved) == ([("a.com", 60, None)], [("a.com", 80)])


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


def test_what_was_open_and_ranked_before_holds_for_both_audiences(database_url: str) -> None:
    migrate.downgrade(database_url, "0001")
    engine = sa.create_engine(database_url.replace("+aiosqlite", ""), poolclass=sa.NullPool)
    days = ("2026-11-19", "2026-11-20")
    with engine.begin() as conn:
        opened = row("a.com", rank_on_hunt_day=3, last_open_on=days[0], open_now=True)
        del opened["source_title"]  # a later migration's column
        conn.execute(sa.insert(domains).values(**opened))
        conn.execute(sa.text(f"INSERT INTO open_draws (day, drawn_at) VALUES ('{days[0]}', 7)"))
        conn.execute(sa.text(f"INSERT INTO open_domains (domain, day) VALUES ('a.com', '{days[0]}')"))
    migrate.upgrade(database_url)
    with engine.begin() as conn:
        found = conn.execute(sa.select(domains)).mappings().one()
        conn.execute(sa.insert(open_draws).values(audience="public", day=days[1], drawn_at=NOW))
        conn.execute(sa.insert(open_domains).values(audience="public", day=days[1], domain="a.com"))
        draws = set(conn.execute(sa.select(open_draws.c.audience, open_draws.c.day)))
        opens = set(conn.execute(sa.select(open_domains)))
    assert (found["operators_rank_on_hunt_day"], found["operators_last_open_on"]) == (3, days[0])
    assert (found["operators_open_now"], found["report"]) == (True, opened["report"])
    assert draws == {("public", days[0]), ("operators", days[0]), ("public", days[1])}
    assert opens == {(audience, day, "a.com") for audience, day in draws}
    migrate.downgrade(database_url, "0001")
    with engine.begin() as conn:
        assert list(conn.execute(sa.text("SELECT domain, day FROM open_domains"))) == [("a.com", days[1])]
        assert conn.execute(sa.text("SELECT count(*) FROM open_draws")).scalar_one() == 2
    engine.dispose()
    migrate.upgrade(database_url)


async def test_an_upgrade_keeps_the_notes_on_watched_domains(database: Database, database_url: str) -> None:
    async with database.write() as conn:
        account = await members.create_account(
            conn, members.NewAccount("a@members.example", verified=True), now=NOW, welcome=0
        )
        await alerts.insert_watch(conn, account.id, "a.com", NOW)
        await desk.write_note(conn, account.id, "a.com", "ask Anna", NOW)
        await desk.write_note(conn, account.id, "unwatched.com", "lost by a downgrade", NOW)
    await database.close()
    migrate.downgrade(database_url, "0005")
    migrate.upgrade(database_url)
    migrate.differences(database_url)
    engine = sa.create_engine(database_url.replace("+aiosqlite", ""), poolclass=sa.NullPool)
    with engine.connect() as conn:
        kept = conn.execute(sa.select(domain_notes.c.domain, domain_notes.c.note)).all()
    engine.dispose()
    assert kept == [("a.com", "ask Anna")]
