"""A service answers from memory what it would answer from the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.api_keys import Scope
from afterdrop.catalogue.lists import snapshot_store
from afterdrop.catalogue.lists.filters import ListFilter, Order
from afterdrop.catalogue.lists.snapshot_rows import StoredRow
from afterdrop.core.plan_limits import Plan
from afterdrop.web.actions.lists import Asked, list_totals, site_page, wider_lists
from afterdrop.web.actions.watching import rule_preview
from afterdrop.web.context import WebContext
from tests.support.rows import DAY, FREE, NOW, PRO, row
from tests.support.service import OPEN, Service


async def test_a_service_answers_its_lists_and_figures_from_memory(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(*(row(f"n{number}.com") for number in range(3)), row("old.com", ends_at=NOW - DAY))
    from_sql = [(await service.get(path)).content for path in ("/domains?page=1", "/stats")]
    service.context.snapshots.start()
    await service.context.snapshots.made(False)
    monkeypatch.setattr("afterdrop.catalogue.lists.pages.stored_page", None)
    monkeypatch.setattr("afterdrop.catalogue.store.live_figures", None)
    # The same bytes; another second, so that no response is kept.
    service.clock.move(seconds=1)
    assert [(await service.get(path)).content for path in ("/domains?page=1", "/stats")] == from_sql
    await service.context.snapshots.close()


async def test_without_memory_the_lists_are_answered_all_the_same(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(row("a.com"))
    monkeypatch.setattr("afterdrop.catalogue.lists.snapshot.RowMasks.add", None)
    monkeypatch.setattr("afterdrop.catalogue.lists.snapshots._RETRY_SECONDS", 1e9)
    service.context.snapshots.start()
    await service.context.snapshots.made(False)
    assert await service.names("/domains") == ["a.com"]
    assert (await service.get("/stats")).status_code == 200
    await service.context.snapshots.close()


async def test_who_asks_while_a_large_catalogue_is_read_hears_when_to_ask_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(*(row(f"n{number}.com") for number in range(3)))
    go_on, every = asyncio.Event(), snapshot_store.all_rows

    async def slowly(conn: AsyncConnection, operator: bool) -> AsyncGenerator[list[StoredRow]]:
        async for rows in every(conn, operator):
            await go_on.wait()
            yield rows

    async def endless(conn: AsyncConnection, *_: object) -> None:
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        await conn.execute(sa.text(numbers))

    monkeypatch.setattr(snapshot_store, "all_rows", slowly)
    monkeypatch.setattr("afterdrop.catalogue.lists.pages._FEW_ROWS", 2)
    service.context.snapshots.start()
    # The database of a small catalogue answers at once, if nobody else keeps the machine busy.
    with monkeypatch.context() as calm:
        calm.setattr("afterdrop.catalogue.lists.pages._PATIENCE_SECONDS", 30)
        assert len(await service.names("/domains")) == 3
    monkeypatch.setattr("afterdrop.catalogue.lists.pages.stored_page", endless)
    monkeypatch.setattr("afterdrop.catalogue.lists.pages.stored_figures", endless)
    for path in ("/domains?min_score=1", "/domains/available", "/stats", "/exports/live"):
        answer = await service.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "server_error"), path
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        assert "still reading its lists" in answer.json()["error"]["message"]
    # Of a very large one it is not even asked.
    monkeypatch.setattr("afterdrop.catalogue.lists.pages.stored_page", None)
    monkeypatch.setattr("afterdrop.catalogue.lists.pages._MOST_ANSWERED", 2)
    assert (await service.get("/domains?min_score=2")).status_code == 503
    go_on.set()
    monkeypatch.undo()
    await service.context.snapshots.made(False)
    assert len(await service.names("/domains?page=1")) == 3
    await service.context.snapshots.close()


async def test_the_first_operator_to_ask_waits_for_a_small_catalogue(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(row("a.com"), row("b.com"))
    service.context.snapshots.start()
    await service.context.snapshots.made(False)
    every = snapshot_store.all_rows

    async def on_a_busy_machine(conn: AsyncConnection, operator: bool) -> AsyncGenerator[list[StoredRow]]:
        await asyncio.sleep(0.3)
        async for rows in every(conn, operator):
            yield rows

    monkeypatch.setattr(snapshot_store, "all_rows", on_a_busy_machine)
    monkeypatch.setattr("afterdrop.catalogue.lists.pages._MOMENT_SECONDS", 60)
    monkeypatch.setattr("afterdrop.catalogue.lists.pages.stored_page", None)
    await service.account("watcher", pro=True, operator=True)
    assert len(await service.names("/domains", "watcher")) == 2
    await service.context.snapshots.close()


@dataclass
class Asking:
    """A request of an account, as actions know it."""

    context: WebContext
    viewer: Viewer
    now: datetime = NOW
    sale_zones: tuple[str, ...] = ()
    scope: Scope = "full"

    @property
    def limits(self) -> Plan:
        """The limits of the plan."""
        return self.context.settings.plans.free


async def test_totals_hints_and_previews_are_the_same_from_memory_and_from_the_database(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(
        row("soon.com", ends_at=NOW + DAY / 2, price_usd=300),
        row("later.com", ends_at=NOW + 4 * DAY, price_usd=80, **OPEN),
        row("free.com", ends_at=NOW - DAY, announced=True, availability="available"),
        row("caught.com", ends_at=NOW - DAY, caught_after_drop=True, registrar="Some Registrar"),
    )
    empty = Asked("live", ListFilter.of(max_price=100, ending_within_hours=24))
    asked = [
        empty,
        Asked("live", ListFilter()),
        Asked("available", ListFilter()),
        Asked("archive", ListFilter.of(outcome=["free"])),
        Asked("archive", ListFilter.of(outcome=["unknown"])),
        Asked("archive", ListFilter.of(tag=["caught.com", "soon.com"])),
    ]
    told = []
    for in_memory in (False, True):
        if in_memory:
            service.context.snapshots.start()
            await service.context.snapshots.made(False)
            monkeypatch.setattr("afterdrop.catalogue.lists.list_store.count_rows", None)
            monkeypatch.setattr("afterdrop.catalogue.lists.list_store.list_rows", None)
            monkeypatch.setattr("afterdrop.catalogue.store.found_since", None)
        for viewer in (PRO, FREE):
            request = Asking(service.context, viewer)
            page = await site_page(request, Asked("archive", ListFilter(), Order("name", True)), 1, 10)
            hints = [(way.name, way.value, total) for way, total in await wider_lists(request, empty)]
            found = await rule_preview(replace(request, viewer=PRO), {"max_price": 100})
            told.append((await list_totals(request, asked), page, hints, found))
    assert told[:2] == told[2:]
    (pro, pro_page, pro_hints, pro_preview), (free, free_page, free_hints, _) = told[:2]
    assert pro == [0, 2, 1, 1, 0, 1]
    assert free == [0, 1, 0, 0, 0, 1]
    assert [each["outcome"] and each["outcome"]["became"] for each in pro_page.rows] == ["free", "caught"]
    assert [each["outcome"] for each in free_page.rows] == [None, None]
    assert pro_hints[0] == ("ending_within_hours", 120, 1)
    assert ("max_price", 500, 1) in pro_hints
    assert ("max_price", 500, 1) not in free_hints
    assert pro_preview.count == 3
    await service.context.snapshots.close()
