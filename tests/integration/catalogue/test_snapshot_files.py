"""The lists' file: the next start uses it, with all that changed since, and never where it would be wrong."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.accounts.versions import Versions
from afterdrop.catalogue import operator_actions, publish
from afterdrop.catalogue.lists import snapshot_files, snapshot_store, snapshots
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.snapshots import Snapshots
from afterdrop.catalogue.summary import Links
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains, versions
from tests.support.rows import LINKS, NOW, PRO, put, row

NAMES = [f"n{number:03}.com" for number in range(70)]
# Taken off the lists before the files are written.
GONE = "n-gone.com"


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few rows are worth a file."""
    monkeypatch.setattr(snapshots, "_MANY", 10)


@asynccontextmanager
async def started(database: Database, folder: Path | None, links: Links = LINKS) -> AsyncIterator[Snapshots]:
    """The snapshot of a process; its file is written when it ends."""
    made = Snapshots(database, Versions(database), links, folder=folder)
    await made.made()
    yield made
    await written(made)
    await made.close()


async def written(made: Snapshots) -> None:
    """Wait for the file that is being written."""
    if made._writing is not None:
        await made._writing


async def listed(held: Snapshots, **wanted: Any) -> list[Any]:
    """All rows of the live list."""
    snapshot = await held.current()
    assert snapshot is not None
    selection = ListSelection(ListContext("live", PRO, NOW, LINKS.fees), ListFilter.of(**wanted))
    return snapshot.summaries(snapshot.page(selection, 1, 1000).rows, selection.at)


@pytest.fixture
async def kept(database: Database, tmp_path: Path) -> Path:
    """The folder of a process that has ended."""
    async with database.write() as conn:
        for number, name in enumerate(NAMES):
            title = f"Gärten {number}" if number % 3 else None
            topic = ("Arts", None)[number % 2]
            await put(conn, row(name, score=40 + number % 50, title=title, topic=topic))
        await put(conn, row(GONE, score=88))
    async with started(database, tmp_path) as held:
        await written(held)
        async with database.write() as conn:
            await publish.unlist(conn, GONE, "spam", NOW)
            await publish.bump_catalogue(conn, [GONE])
        held._versions._read_at = float("-inf")
        await listed(held)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lists"]
    return tmp_path


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often all rows were read from the database."""
    asked: list[str] = []
    real = snapshot_store.all_rows

    def all_rows(conn: Any) -> Any:
        asked.append("all")
        return real(conn)

    monkeypatch.setattr(snapshot_store, "all_rows", all_rows)
    return asked


async def test_the_next_start_uses_the_file_with_what_changed_since(
    database: Database, kept: Path, reads: list[str]
) -> None:
    async with database.write() as conn:
        await put(conn, row("fresh.com", score=77, title="Neu"))
        await operator_actions.relist(conn, GONE)
        await publish.unlist(conn, NAMES[1], "spam", NOW)
        await conn.execute(sa.update(domains).where(domains.c.domain == NAMES[2]).values(score=91))
        await publish.bump_catalogue(conn, [GONE, *NAMES[1:3]])
    async with started(database, kept) as held:
        assert reads == []
        fast = [
            await listed(held),
            await listed(held, q="gärten 1"),
            await listed(held, q="ä", topic=["Arts"]),
        ]
        async with database.write() as conn:
            await put(conn, *(row(f"later{number}.com", title="Gärten 1") for number in range(40)))
        held._versions._read_at = float("-inf")
        fast += [await listed(held), await listed(held, q="gärten 1"), await listed(held, q="ga")]
    async with started(database, None) as held:
        assert reads == ["all"]
        slow = [await listed(held), await listed(held, q="gärten 1"), await listed(held, q="ga")]
    assert fast[3:] == slow
    assert {each["domain"]: each["score"] for each in fast[0]}[NAMES[2]] == 91
    assert NAMES[1] not in {each["domain"] for each in fast[0]}


async def test_a_file_is_written_again_and_serves_again(
    database: Database, kept: Path, reads: list[str]
) -> None:
    before = {path.name: path.read_bytes() for path in kept.iterdir()}
    async with database.write() as conn:
        await put(conn, *(row(f"more{number}.com") for number in range(20)))
    for _ in range(3):
        async with started(database, kept) as held:
            assert len(await listed(held)) == len(NAMES) + 20
    assert reads == []
    assert all(path.read_bytes() != before[path.name] for path in kept.iterdir())


async def forget(database: Database) -> None:
    """As a restored backup, or another database: it does not know of the files."""
    async with database.write() as conn:
        await conn.execute(sa.delete(versions).where(versions.c.name.startswith("lists ")))


async def come_later(database: Database) -> None:
    """The version that the files were written of has not come yet."""
    async with database.write() as conn:
        await conn.execute(sa.update(versions).where(versions.c.name.startswith("lists ")).values(value=1))


@pytest.mark.parametrize("changed", [forget, come_later])
async def test_a_file_of_another_past_is_not_used(
    database: Database, kept: Path, reads: list[str], changed: Any
) -> None:
    await changed(database)
    async with started(database, kept) as held:
        assert reads == ["all"]
        assert len(await listed(held)) == len(NAMES)


async def test_a_file_for_other_fees_or_of_other_code_is_not_used(
    database: Database, kept: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started(database, kept, replace(LINKS, fees={"com": 99})):
        assert reads == ["all"]
    monkeypatch.setattr(snapshot_files, "_code", lambda: "other")
    async with started(database, kept):
        assert reads == ["all", "all"]


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", None])
async def test_a_damaged_file_is_told_and_not_used(
    database: Database, kept: Path, reads: list[str], damage: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    for path in kept.iterdir():
        path.write_bytes(path.read_bytes()[:2000] if damage is None else damage)
    with caplog.at_level(logging.WARNING):
        async with started(database, kept) as held:
            assert len(await listed(held)) == len(NAMES)
    assert reads == ["all"]
    assert [record.message.partition(" cannot")[0] for record in caplog.records] == [str(kept / "lists")]


@pytest.mark.parametrize(("changes", "read"), [(13, []), (30, ["all"])])
async def test_more_changes_than_fit_at_once_are_taken_in_turns_and_too_many_are_not(
    database: Database,
    kept: Path,
    reads: list[str],
    monkeypatch: pytest.MonkeyPatch,
    changes: int,
    read: list[str],
) -> None:
    monkeypatch.setattr(snapshots, "_MOST_CHANGES", 5)
    async with database.write() as conn:
        await put(conn, *(row(f"more{number}.com") for number in range(changes)))
    async with started(database, kept) as held:
        assert len(await listed(held)) == len(NAMES) + changes
    assert reads == read


async def test_a_folder_that_cannot_be_written_is_told_and_the_lists_are_there(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with database.write() as conn:
        await put(conn, *(row(name) for name in NAMES))
    (tmp_path / "lists").write_text("a file where a folder should be")
    with caplog.at_level(logging.WARNING):
        async with started(database, tmp_path / "lists") as held:
            assert len(await listed(held)) == len(NAMES)
    assert {"could not be written" in record.message for record in caplog.records} == {True}


async def test_what_a_killed_process_left_is_removed_and_what_another_writes_is_not(
    database: Database, kept: Path
) -> None:
    for name, age in (("old", 4000), ("new", 10)):
        draft = kept / f"lists.{name}.part"
        draft.write_bytes(b"x")
        now = (kept / "lists").stat().st_mtime
        os.utime(draft, (now - age, now - age))
    await forget(database)
    async with started(database, kept):
        pass
    assert sorted(path.name for path in kept.iterdir()) == ["lists", "lists.new.part"]


async def test_only_the_newest_files_are_remembered(
    database: Database, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_files, "_MOST_STORED", 3)
    async with database.write() as conn:
        for version in range(100, 106):
            await snapshot_files.store(conn, f"file{version}", version)
    async with database.read() as conn:
        found = await conn.scalars(sa.select(versions.c.value).where(versions.c.name.startswith("lists ")))
        assert sorted(found) == [103, 104, 105]
