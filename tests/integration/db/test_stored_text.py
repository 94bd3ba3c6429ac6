"""Texts with what no database can store are stored and looked for with U+FFFD in its place, whatever the statement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from afterdrop.db import dialects, migrate
from afterdrop.db.copy import copy_database
from afterdrop.db.engine import Database, open_database
from afterdrop.db.schema_version import plain_engine
from afterdrop.db.stored_text import json_text
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.review import archived_pages, reviews
from tests.support.rows import NOW

BAD, KEPT = ["a\0b", "\0", "é\ud800x", "plain"], ["a\ufffdb", "\ufffd", "é\ufffdx", "plain"]


def page(title: str, **more: Any) -> dict[str, Any]:
    row = {
        "domain": "a.com", "era": 1, "path": "/", "overall": True, "url": "http://a.com/", "captures": 1,
        "last_capture": "2020-01-01", "timestamp": "20200101000000", "title": title, "content_state": "none",
    }  # fmt: skip
    return {**row, **more}


async def titles(database: Database) -> list[str]:
    async with database.read() as conn:
        found = await conn.scalars(sa.select(archived_pages.c.title).order_by(archived_pages.c.era))
        return list(found)


async def test_one_row_many_rows_and_rows_that_are_updated(database: Database) -> None:
    rows = [page(title, era=number) for number, title in enumerate(BAD, 1)]
    async with database.write() as conn:
        await conn.execute(sa.insert(archived_pages), rows[:1])
        await conn.execute(sa.insert(archived_pages), rows[1:])
    assert await titles(database) == KEPT
    async with database.write() as conn:
        await conn.execute(sa.update(archived_pages).values(title="x\0", error="\0 broke"))
        await dialects.upsert(conn, archived_pages, rows, ["domain", "era", "path"])
    assert await titles(database) == KEPT
    async with database.write() as conn:
        insert = sa.insert(archived_pages).values(page("single\0", era=9))
        assert await conn.scalar(insert.returning(archived_pages.c.title)) == "single\ufffd"
        values = sa.insert(archived_pages).values([page("t", era=era, path="/\0") for era in (10, 11)])
        assert set(await conn.scalars(values.returning(archived_pages.c.path))) == {"/\ufffd"}


async def test_many_rows_that_are_given_back(database: Database) -> None:
    rows = [page(title, era=number) for number, title in enumerate(BAD, 1)]
    async with database.write() as conn:
        given = [archived_pages.c.era, archived_pages.c.title]
        made = await dialects.insert_each_once(conn, archived_pages, rows, ["domain", "era", "path"], given)
    assert sorted(map(tuple, made)) == list(enumerate(KEPT, 1))
    async with database.write() as conn:
        again = [page("t", era=number, path="plain") for number in range(1, 4)]
        insert = sa.insert(archived_pages).returning(archived_pages.c.path)
        assert list(await conn.scalars(insert, again)) == ["plain"] * 3


async def test_what_is_looked_for_is_changed_alike(database: Database) -> None:
    async with database.write() as conn:
        await conn.execute(sa.insert(archived_pages), [page("t", path="/a\0b")])
    path = archived_pages.c.path
    looks: list[sa.ColumnElement[bool]] = [
        path == "/a\0b",
        path.in_(["/a\0b", "/c\ud800"]),
        path.like("%\0%"),
    ]
    async with database.read() as conn:
        for look in looks:
            assert await conn.scalar(sa.select(sa.func.count()).select_from(archived_pages).where(look)) == 1
        text = sa.text("SELECT count(*) FROM archived_pages WHERE path = :path")
        assert await conn.scalar(text, {"path": "/a\0b"}) == 1
        driver = "SELECT count(*) FROM archived_pages WHERE path = " + ("?" if database.sqlite else "%s")
        assert (await conn.exec_driver_sql(driver, ("/a\0b",))).scalar() == 1
    async with database.write() as conn:
        await dialects.lock_names(conn, ["a\0b"])


async def test_json_values_and_their_keys(database: Database) -> None:
    history = {"title\0": "a\0b", "lists": ["\ud800", {"\0": None}], "escaped": "\\u0000", "plain": "ü"}
    row = {"domain": "a.com", "reviewed_at": NOW, "valid_until": NOW, "spam": False, "history": history}
    async with database.write() as conn:
        await conn.execute(sa.insert(reviews), [row])
        await dialects.upsert(conn, reviews, [row], ["domain"])
    async with database.read() as conn:
        kept = await conn.scalar(sa.select(reviews.c.history))
    lists = ["\ufffd", {"\ufffd": None}]
    assert kept == {"title\ufffd": "a\ufffdb", "lists": lists, "escaped": "\\u0000", "plain": "ü"}


def test_json_that_can_be_stored_is_left_alone() -> None:
    values: list[object] = [None, [], {"a": 1.5}, "ü", "\\u0000", "\\ud800", "\U0001f469"]
    for value in values:
        assert json_text(value) == json.dumps(value)


async def test_lists_of_values(postgres_url: str) -> None:
    database = open_database(postgres_url)
    async with database.read() as conn:
        text = sa.bindparam("names", ["a\0b"], type_=sa.ARRAY(sa.Text))
        assert await conn.scalar(sa.select(text)) == ["a\ufffdb"]
    await database.close()


async def test_a_zero_character_of_an_older_version_moves_to_another_database(
    postgres_url: str, tmp_path: Path
) -> None:
    old = f"sqlite+aiosqlite:///{tmp_path}/old.sqlite3"
    migrate.upgrade(old)
    with plain_engine(old).begin() as conn:
        conn.exec_driver_sql(
            "INSERT INTO reviews VALUES ('a.com', 1, 1, 0, '{\"title\": \"\\u0000 \\ud800\"}')"
        )
        conn.exec_driver_sql("INSERT INTO versions VALUES ('x' || char(0), 1)")
    copied = copy_database(old, postgres_url, lambda name, number: None)
    assert (copied["reviews"], copied["versions"]) == (1, 1)
    database = open_database(postgres_url)
    async with database.read() as conn:
        assert await conn.scalar(sa.select(reviews.c.history)) == {"title": "\ufffd \ufffd"}
    await database.close()


async def test_nothing_else_is_changed(database: Database) -> None:
    """The types that a driver gets are those that it got before."""
    async with database.write() as conn:
        assert await conn.scalar(sa.select(sa.literal(b"\0\xff", sa.LargeBinary))) == b"\0\xff"
        assert await conn.scalar(sa.select(sa.func.count()).select_from(domains)) == 0
        assert await conn.scalar(sa.select(sa.literal("\x01\x1a\u202e"))) == "\x01\x1a\u202e"
