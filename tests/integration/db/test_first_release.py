"""A database that the first release made and lived with: this version migrates it, however many start at once.

`first_release/` holds dumps of both kinds. The first release's own code made them: its demo of 14 domains, with a
rule, a watch, a webhook and two checks, cut down to four published names.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.accounts.secret_box import SecretBox
from afterdrop.core.settings import Settings
from afterdrop.db import migrate
from afterdrop.db.engine import open_database
from afterdrop.db.schema_version import plain_engine, revisions, stored_state
from afterdrop.db.tables.alerts import alert_rules, watches
from afterdrop.db.tables.delivery import webhook_endpoints
from afterdrop.web.app import create_app
from afterdrop.web.context import make_web_context
from tests.integration.db.test_moving import own_database
from tests.support.commands import run_afterdrop

DUMPS = Path(__file__).with_name("first_release")
SECRET = "the-key-of-the-first-release"
# A moment after the dumps were made.
NOW = datetime(2026, 11, 22, 10, 30, tzinfo=UTC)
PRO = 2
# Both kinds of database number their rows alike.
COUNTS = {"accounts": 3, "domains": 4, "listings": 4, "checks": 2, "credit_ledger": 5, "candidates": 12}


@pytest.fixture(params=["sqlite", "postgresql"])
def first_release(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database that the first release left."""
    if request.param == "sqlite":
        with closing(sqlite3.connect(tmp_path / "first.sqlite3")) as conn:
            conn.executescript((DUMPS / "sqlite.sql").read_text(encoding="utf-8"))
        yield f"sqlite+aiosqlite:///{tmp_path}/first.sqlite3"
        return
    name = f"t_first_{os.getpid()}"
    with own_database(request.getfixturevalue("postgres_url"), name) as url:
        with closing(_psycopg(url)) as conn:
            conn.execute((DUMPS / "postgresql.sql").read_bytes())
        yield url


def _psycopg(url: str) -> psycopg.Connection[Any]:
    plain = sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(plain, autocommit=True)


def _listed(url: str) -> set[str]:
    """The names on the live list, as the first release would have told them."""
    row = sa.table("domains", sa.column("domain"), sa.column("live_until"))
    live = sa.or_(row.c.live_until.is_(None), row.c.live_until > int(NOW.timestamp()))
    with plain_engine(url).connect() as conn:
        return set(conn.execute(sa.select(row.c.domain).where(live)).scalars())


def _counts(url: str) -> dict[str, int]:
    with plain_engine(url).connect() as conn:
        return {
            name: conn.execute(sa.select(sa.func.count()).select_from(sa.table(name))).scalar_one()
            for name in COUNTS
        }


async def test_this_version_goes_on_with_what_the_first_release_left(
    first_release: str, tmp_path: Path
) -> None:
    assert stored_state(first_release) == "older"
    assert _counts(first_release) == COUNTS
    listed = _listed(first_release)
    assert len(listed) >= 2
    await asyncio.to_thread(migrate.upgrade, first_release)
    migrate.differences(first_release)
    assert _counts(first_release) == COUNTS
    settings = Settings(data_dir=tmp_path, database_url=first_release, secret_keys=(SECRET,))
    database = open_database(first_release)
    app = create_app(make_web_context(settings, database, now=lambda: NOW))
    async with database.write() as conn:
        key = (await members.issue_key(conn, PRO, "k", entropy=b"x" * 32, now=NOW, limit=9)).key.text
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url=settings.base_url) as http:
        http.headers["Authorization"] = f"Bearer {key}"

        async def data(path: str) -> Any:
            answer = await http.get(settings.base_url + path)
            assert answer.status_code == 200, answer.text
            return answer.json()["data"]

        assert {item["domain"] for item in await data("/domains")} == listed
        for name in listed:
            report = await data(f"/domains/{name}")
            assert report["score"] is not None
            assert report["listing"]["url"]
        assert [item["domain"] for item in await data("/watchlist")] == ["nursery-stokeridge.io"]
        assert [rule["name"] for rule in await data("/alerts")] == ["All good names"]
        assert {check["domain"]: check["score"] for check in await data("/checks")} == {
            "thornworth-physiotherapy.com": 77,
            "some-other-name.com": None,
        }
        assert (await data("/me"))["plan"] == "pro"
        added = await http.post(f"{settings.base_url}/alerts", json={"name": "b", "frequency": "daily"})
        assert added.status_code == 201, added.text
    async with database.read() as conn:
        [sealed] = (await conn.scalars(sa.select(webhook_endpoints.c.secret))).all()
        assert sorted(await conn.scalars(sa.select(alert_rules.c.id))) == [1, 2]
        assert (await conn.scalar(sa.select(watches.c.account_id))) == PRO
    assert SecretBox([SECRET]).decrypt(sealed).startswith("whsec_")
    await database.close()


@contextmanager
def _held(url: str) -> Iterator[sqlite3.Connection | psycopg.Connection[Any]]:
    """Hold what a migration waits for."""
    with ExitStack() as stack:
        if url.startswith("sqlite"):
            file = sqlite3.connect(url.partition("///")[2], isolation_level=None)
            stack.callback(file.close)
            file.execute("BEGIN IMMEDIATE")
            yield file
        else:
            server = _psycopg(url)
            stack.callback(server.close)
            server.execute("SELECT pg_advisory_lock(727001)")
            yield server


def _waiting(url: str, held: sqlite3.Connection | psycopg.Connection[Any]) -> int:
    """How many processes are about to migrate: they wait for the lock, or have the file open."""
    if isinstance(held, psycopg.Connection):
        asked = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        return int(held.execute(asked).fetchone()[0])  # type: ignore[index]
    file = url.partition("///")[2]
    others = [path for path in Path("/proc").glob("[0-9]*") if path.name != str(os.getpid())]
    return sum(any(_is(fd, file) for fd in _descriptors(process)) for process in others)


def _descriptors(process: Path) -> list[Path]:
    try:
        return list((process / "fd").iterdir())
    except OSError:
        return []


def _is(descriptor: Path, file: str) -> bool:
    try:
        return str(descriptor.readlink()) == file
    except OSError:
        return False


@pytest.mark.long
async def test_two_that_start_at_once_migrate_once(first_release: str, tmp_path: Path) -> None:
    """The second waits, however long the first takes, and finds the work done."""
    environment = {"AFTERDROP_DATABASE_URL": first_release, "AFTERDROP_SECRET_KEYS": SECRET}
    with _held(first_release) as held:
        starting = [asyncio.create_task(run_afterdrop(tmp_path, "migrate", **environment)) for _ in range(2)]
        async with asyncio.timeout(60):
            while _waiting(first_release, held) < 2 and not any(task.done() for task in starting):
                await asyncio.sleep(0.2)
    ended = await asyncio.gather(*starting)
    assert [code for code, _ in ended] == [0, 0], ended
    assert stored_state(first_release) == "current"
    migrate.differences(first_release)
    assert _counts(first_release) == COUNTS
    with plain_engine(first_release).connect() as conn:
        assert conn.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all() == [
            revisions()[-1]
        ]
