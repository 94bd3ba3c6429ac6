"""A service answers its lists from memory, and says so where it cannot yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.api_keys import Scope
from afterdrop.catalogue.lists import snapshot_store
from afterdrop.catalogue.lists.columns import Row
from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.lists.pages import SITE_ROWS, Lists
from afterdrop.catalogue.lists.sort_orders import Order
from afterdrop.core.plan_limits import Plan
from afterdrop.web.actions.lists import selection, wider_lists
from afterdrop.web.context import WebContext
from afterdrop.worker.alarms import Alarm, alarms
from afterdrop.worker.observation import Deployment, observe
from tests.support.rows import DAY, FREE, NOW, PRO, row
from tests.support.service import OPEN, Service


async def test_lists_that_cannot_be_read_are_refused_and_told_of_until_they_can(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await service.show(row("a.com"))
    with monkeypatch.context() as broken:
        broken.setattr("afterdrop.catalogue.lists.snapshot.Table.add", None)
        for path in ("/domains", "/domains?min_score=1", "/stats", "/exports/live"):
            answer = await service.get(path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "server_error"), path
            assert 1 <= int(answer.headers["retry-after"]) <= 60
            await service.context.snapshots.made()
        assert [each.key for each in await alarms_of(service)] == ["lists"]
        assert service.context.snapshots.state() == "failing"
        await service.context.snapshots.made()
    told = [each.message for each in caplog.records if "lists cannot be read" in each.message]
    assert told and "503" in told[0]
    assert await service.names("/domains?page=1") == ["a.com"]
    assert service.context.snapshots.state() == "in memory"
    assert await alarms_of(service) == []


async def alarms_of(service: Service) -> list[Alarm]:
    """What `status` and the operator's mails would tell of the lists."""
    deployment = Deployment(service.context.settings, service.database, (), lambda: service.clock.now)
    return [each for each in alarms(await observe(deployment), deployment.settings) if each.key == "lists"]


async def test_changes_that_cannot_be_read_are_never_hidden(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(row("a.com"))
    assert await service.names("/domains") == ["a.com"]
    await service.show(row("b.com"))
    with monkeypatch.context() as broken:
        broken.setattr("afterdrop.catalogue.lists.snapshot_store.rows_of", None)
        answer = await service.get("/domains?page=1")
        assert answer.status_code == 503
        assert "newest changes" in answer.json()["error"]["message"]
    # A node that is not ready is asked by probes alone.
    assert service.context.snapshots.state() == "failing"
    await service.context.snapshots.made()
    assert service.context.snapshots.state() == "in memory"
    assert sorted(await service.names("/domains?page=1")) == ["a.com", "b.com"]


async def test_who_asks_while_the_lists_are_read_hears_when_to_ask_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(*(row(f"n{number}.com") for number in range(3)))
    go_on, every = asyncio.Event(), snapshot_store.all_rows

    async def slowly(conn: AsyncConnection) -> AsyncGenerator[list[Row]]:
        async for rows in every(conn):
            await go_on.wait()
            yield rows

    monkeypatch.setattr(snapshot_store, "all_rows", slowly)
    monkeypatch.setattr(Lists, "patience", 0.01)
    for path in ("/domains?min_score=1", "/domains/available", "/stats", "/exports/live"):
        answer = await service.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "server_error"), path
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        assert "still reading its lists" in answer.json()["error"]["message"]
    go_on.set()
    await service.context.snapshots.made()
    assert len(await service.names("/domains?page=1")) == 3


async def test_the_first_to_ask_waits_for_a_small_catalogue(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(row("a.com"), row("b.com"))
    every = snapshot_store.all_rows

    async def on_a_busy_machine(conn: AsyncConnection) -> AsyncGenerator[list[Row]]:
        await asyncio.sleep(0.3)
        async for rows in every(conn):
            yield rows

    monkeypatch.setattr(snapshot_store, "all_rows", on_a_busy_machine)
    assert len(await service.names("/domains")) == 2


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


async def test_totals_hints_and_previews(service: Service) -> None:
    await service.show(
        row("soon.com", ends_at=NOW + DAY / 2, price_usd=300),
        row("later.com", ends_at=NOW + 4 * DAY, price_usd=80, **OPEN),
        row("free.com", ends_at=NOW - DAY, announced=True, availability="available"),
        row("caught.com", ends_at=NOW - DAY, caught_after_drop=True, registrar="Some Registrar"),
    )
    told = []
    for viewer in (PRO, FREE):
        request = Asking(service.context, viewer)
        empty = selection(request, "live", ListFilter.of(max_price=100, ending_within_hours=24))
        asked = [
            empty,
            selection(request, "live"),
            selection(request, "available"),
            selection(request, "archive", ListFilter.of(outcome=["free"])),
            selection(request, "archive", ListFilter.of(outcome=["unknown"])),
            selection(request, "archive", ListFilter.of(tag=["caught.com", "soon.com"])),
        ]
        by_name = selection(request, "archive", sort=Order("name", descending=True))
        page = await service.context.lists.page(by_name, 1, 10, SITE_ROWS)
        hints = [(way.name, way.value, total) for way, total in await wider_lists(request, empty)]
        told.append((await service.context.lists.totals(asked), page, hints))
    (pro, pro_page, pro_hints), (free, free_page, free_hints) = told
    assert pro == [0, 2, 1, 1, 0, 1]
    assert free == [0, 1, 0, 0, 0, 1]
    assert [each["outcome"] and each["outcome"]["became"] for each in pro_page.rows] == ["free", "caught"]
    assert [each["outcome"] for each in free_page.rows] == [None, None]
    assert pro_hints[0] == ("ending_within_hours", 120, 1)
    assert ("max_price", 500, 1) in pro_hints
    assert ("max_price", 500, 1) not in free_hints
