"""The lists in memory follow the database, and where they cannot, the database answers."""

from __future__ import annotations

import asyncio
import gc
import itertools
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.accounts.versions import Versions
from afterdrop.catalogue import operator_actions, publish
from afterdrop.catalogue.lists import snapshot_store, snapshots
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.snapshots import Snapshots
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from tests.support.rows import LINKS, NOW, PRO, put, row


@pytest.fixture
async def held(database: Database) -> AsyncIterator[Snapshots]:
    """The snapshots of a process that looks for changes with every question."""
    seconds = itertools.count(step=10.0)
    made = Snapshots(database, Versions(database, lambda: next(seconds)), LINKS, lambda: next(seconds))
    made.start()
    yield made
    await made.close()


async def names(held: Snapshots, **wanted: Any) -> list[str] | None:
    snapshot = await held.current()
    if snapshot is None:
        return None
    selection = ListSelection(ListContext("live", PRO, NOW, LINKS.fees), ListFilter.of(**wanted))
    return [
        each["domain"] for each in snapshot.summaries(snapshot.page(selection, 1, 100).rows, selection.at)
    ]


async def test_a_change_of_another_process_is_seen_with_the_next_question(
    database: Database, held: Snapshots
) -> None:
    async with database.write() as conn:
        await put(conn, row("a.com", score=50), row("b.com", score=70))
    await held.made()
    assert await names(held) == ["b.com", "a.com"]
    async with database.write() as conn:
        await put(conn, row("c.com", score=60, title="Übermut"))
        await publish.unlist(conn, "b.com", "spam", NOW)
        await publish.bump_catalogue(conn, ["b.com"])
    assert await names(held) == ["c.com", "a.com"]
    assert await names(held, q="ü") == ["c.com"]
    async with database.write() as conn:
        await operator_actions.relist(conn, "b.com")
        await publish.bump_catalogue(conn, ["b.com"])
    assert await names(held) == ["b.com", "c.com", "a.com"]


async def test_without_a_refresh_there_is_no_snapshot_and_one_line_in_the_log(
    database: Database, held: Snapshots, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with database.write() as conn:
        await put(conn, row("a.com"))
    await held.made()
    with monkeypatch.context() as broken, caplog.at_level(logging.WARNING):
        broken.setattr(snapshot_store, "changed_since", None)
        async with database.write() as conn:
            await put(conn, row("b.com", score=99))
        assert await names(held) is None
    assert len(caplog.records) == 1
    assert await names(held) == ["b.com", "a.com"]


async def test_one_that_cannot_be_made_is_one_line_in_the_log(
    database: Database, held: Snapshots, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as broken, caplog.at_level(logging.WARNING):
        broken.setattr(snapshots, "_RETRY_SECONDS", 1000.0)
        broken.setattr(snapshot_store, "all_rows", None)
        async with database.write() as conn:
            await put(conn, row("a.com"))
        await held.made()
        # Asked again at once, nothing is tried, and nothing more is said.
        assert [await names(held) for _ in range(3)] == [None, None, None]
    assert len(caplog.records) == 1
    await held.made()
    assert await names(held) == ["a.com"]


async def test_more_changes_than_can_be_sorted_in_make_a_new_snapshot(
    database: Database, held: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "_MOST_CHANGES", 2)
    async with database.write() as conn:
        await put(conn, row("a.com"))
    await held.made()
    async with database.write() as conn:
        await put(conn, *(row(f"n{number}.com") for number in range(3)))
    assert await names(held) is None
    await held.made()
    assert await names(held) == ["a.com", "n0.com", "n1.com", "n2.com"]


async def test_rows_that_no_list_shows_any_more_are_given_up(
    database: Database, held: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "_LEAST_WASTED", 3)
    async with database.write() as conn:
        await put(conn, row("a.com"))
    await held.made()
    for bids in range(5):
        async with database.write() as conn:
            await conn.execute(sa.update(domains).values(bids=bids))
            await publish.bump_catalogue(conn, ["a.com"])
        assert await names(held) == ["a.com"]
    await held.made()
    snapshot = await held.current()
    assert snapshot is not None and snapshot.wasted < 3


async def test_one_made_of_an_earlier_state_is_brought_up_to_date_at_once(
    database: Database, held: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with database.write() as conn:
        await put(conn, row("a.com"))
    await held.made()
    made_meanwhile = Snapshots(database, Versions(database), LINKS)
    made_meanwhile.start()
    await made_meanwhile.made()
    refresh = held._refresh

    async def and_replaced(version: int) -> bool:
        done = await refresh(version)
        held._held = made_meanwhile._held
        monkeypatch.undo()
        return done

    monkeypatch.setattr(held, "_refresh", and_replaced)
    async with database.write() as conn:
        await put(conn, row("b.com", score=1))
    assert await names(held) == ["a.com", "b.com"]


async def test_whoever_leaves_while_rows_are_read_breaks_no_statement_off_and_leaves_no_cursor_open(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_store, "AT_ONCE", 1)
    async with database.write() as conn:
        await put(conn, *(row(f"{name}.com") for name in "abc"))
    asked, select = asyncio.Event(), snapshot_store._select

    def noticed() -> Any:
        asked.set()
        return select()

    monkeypatch.setattr(snapshot_store, "_select", noticed)
    leaving = Snapshots(database, Versions(database), LINKS)
    leaving.start()
    making = leaving._making
    assert making is not None
    await asked.wait()
    await leaving.close()
    assert not making.cancelled() and leaving.state() == "loading"
    del making, leaving
    gc.collect()  # an open cursor that is found now is a warning, and that an error
