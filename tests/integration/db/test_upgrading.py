"""A released version's database is upgraded with its rows, and what was released stays as it was."""

from __future__ import annotations

import copy
import re
from datetime import timedelta

import pytest
import sqlalchemy as sa

from afterdrop.core import clock
from afterdrop.core.errors import SettingsError
from afterdrop.db import migrate
from afterdrop.db.schema_version import plain_engine, schema_state, stored_revision
from afterdrop.db.tables.catalogue import reports
from tests.support import kept_releases
from tests.support.kept_releases import Rows

VERSIONS = sorted(path.name.removesuffix(".json.xz") for path in kept_releases.FOLDER.glob("*.json.xz"))


def test_released_migrations_are_unchanged() -> None:
    """Databases in use have run them."""
    assert kept_releases.released()["migrations"].items() <= kept_releases.migrations().items()


def test_released_weights_are_unchanged() -> None:
    """A review's points are explained by the weights it was scored with: a change is a new version and a new file."""
    assert kept_releases.released()["weights"].items() <= kept_releases.weights_by_version().items()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_release_has_rows_of_every_table(version: str) -> None:
    assert [name for name, found in kept_releases.kept(version).items() if not found] == []


def own_use(rows: Rows) -> Rows:
    """The rows of an operator who had a feed and a vendor for their own use."""
    rows = copy.deepcopy(rows)
    [view], name = rows["reserved_views"], rows["domains"][0]["domain"]
    view |= {**{key: value for key, value in rows["domains"][0].items() if key in view}, "score": 77}
    rows["domains"][1]["gated"] = True
    for number, table in enumerate(("listings", "metric_values")):
        rows[table][0] |= {"domain": rows["domains"][1 - number]["domain"], "gated": True}
    rows["metric_values"][0] |= {"provider": "majestic", "role": "trust_flow"}
    rows["provider_answers"][0]["provider"] = "majestic"
    for table in ("events", "mails", "checks"):
        rows[table][0]["reserved"] = True
    rows["checks"][0] |= {"score": 50, "report": {"score": 50}}
    row = rows["open_draws"][0]
    rows["open_draws"] = [
        {**row, "audience": audience, "day": "2026-11-20"} for audience in ("public", "operators")
    ]
    rows["open_domains"] = [
        {"audience": "public", "day": "2026-11-20", "domain": "a.com"},
        {"audience": "operators", "day": "2026-11-20", "domain": name},
    ]
    return rows


def plain(rows: Rows) -> Rows:
    """The rows of a deployment with nothing for somebody's own use."""
    return {**rows, "reserved_views": []}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_released_database_is_upgraded_with_its_rows(version: str, empty_url: str) -> None:
    rows = plain(kept_releases.kept(version))
    kept_releases.begin(empty_url, version, rows)
    migrate.upgrade(empty_url)
    with plain_engine(empty_url).connect() as connection:
        assert schema_state(connection) == "current"
        packed = sa.select(reports.c.domain, reports.c.report)
        told = dict(map(tuple, connection.execute(packed)))
        assert told == {row["domain"]: row["report"] for row in rows["domains"]}
        for table in kept_releases.described(connection).sorted_tables:
            found = [dict(row) for row in connection.execute(sa.select(table)).mappings()]
            for row in rows.get(table.name, []):
                if row.get("audience") == "operators":
                    continue
                still = row.keys() & set(table.columns.keys())
                assert {name: row[name] for name in still} in [
                    {name: each[name] for name in still} for each in found
                ], table.name


def test_a_new_database_has_what_an_upgraded_one_has(empty_url: str, database_url: str) -> None:
    """Indexes and AUTOINCREMENT, which decides that ids are never used again, among them."""
    kept_releases.begin(empty_url, "1.0.0", plain(kept_releases.kept("1.0.0")))
    migrate.upgrade(empty_url)
    upgraded, new = (made(url) for url in (empty_url, database_url))
    assert upgraded == new


def made(url: str) -> tuple[object, object]:
    """Indexes with their conditions, and tables with their sequences."""
    with plain_engine(url).connect() as connection:
        if connection.dialect.name == "sqlite":
            indexes = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
            counted = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
        else:
            indexes = "SELECT indexname, indexdef FROM pg_indexes WHERE indexname LIKE 'ix%'"
            counted = "SELECT relname FROM pg_class WHERE relkind = 'S'"
        rows = connection.execute(sa.text(indexes)).all()
        told = [tuple(re.sub(r'["()\s]+', " ", part) for part in row) for row in rows]
        return sorted(told), sorted(map(str, connection.execute(sa.text(counted))))


def test_a_team_goes_on_with_what_operators_saw(empty_url: str) -> None:
    rows = own_use(kept_releases.kept("1.0.0"))
    kept_releases.begin(empty_url, "1.0.0", rows)
    others = sum(not account["operator"] for account in rows["accounts"])
    with pytest.raises(SettingsError, match=f"`afterdrop migrate --accounts {others}` says"):
        migrate.upgrade(empty_url, audience="team")
    migrate.upgrade(empty_url, audience="team", accounts=others)
    with plain_engine(empty_url).connect() as connection:
        assert schema_state(connection) == "current"
        scores = dict(map(tuple, connection.execute(sa.text("SELECT domain, score FROM domains"))))
        assert scores == {row["domain"]: row["score"] for row in rows["domains"]} | {
            rows["domains"][0]["domain"]: 77
        }
        assert list(connection.execute(sa.text("SELECT domain FROM open_domains"))) == [
            (rows["domains"][0]["domain"],)
        ]
        for table in ("listings", "metric_values", "events", "mails", "provider_answers"):
            assert count(connection, table) == len(rows[table]), table
        until = [
            row[0]
            for row in connection.execute(sa.text("SELECT plan_until FROM accounts WHERE NOT operator"))
        ]
        assert min(until) > (clock.now() + timedelta(days=3600)).timestamp()


def test_a_public_service_forgets_what_was_for_own_use_and_only_if_told(empty_url: str) -> None:
    rows = own_use(kept_releases.kept("1.0.0"))
    kept_releases.begin(empty_url, "1.0.0", rows)
    with pytest.raises(SettingsError, match=r"is for your own use \(.*1 events.*--forget-own-use"):
        migrate.upgrade(empty_url)
    with plain_engine(empty_url).connect() as connection:
        assert stored_revision(connection) == "1000" and count(connection, "reserved_views") == 1
    told: list[str] = []
    migrate.upgrade(empty_url, forget_own_use=True, tell=told.append)
    assert {"forgotten: 1 events", "forgotten: 1 domains", "forgotten: 1 vendors' answers"} <= set(told)
    with plain_engine(empty_url).connect() as connection:
        assert schema_state(connection) == "current"
        for table in ("domains", "listings", "metric_values", "events", "mails", "provider_answers"):
            assert count(connection, table) == len(rows[table]) - 1, table
        names = {row[0] for row in connection.execute(sa.text("SELECT domain FROM domains"))}
        assert names == {row["domain"] for row in rows["domains"]} - {rows["domains"][1]["domain"]}
        mine = sa.text("SELECT score, report FROM checks WHERE id = :id")
        assert connection.execute(mine, {"id": rows["checks"][0]["id"]}).one() == (None, None)
        assert count(connection, "deliveries") == sum(
            row["event_id"] != rows["events"][0]["id"] for row in rows["deliveries"]
        )


def count(connection: sa.Connection, table: str) -> int:
    return int(connection.execute(sa.text(f"SELECT count(*) FROM {table}")).scalar_one())
