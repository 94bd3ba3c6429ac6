"""A service answers from memory what it would answer from the database."""

from __future__ import annotations

import pytest

from tests.support.rows import DAY, NOW, row
from tests.support.service import Service


async def test_a_service_answers_its_lists_and_figures_from_memory(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.show(*(row(f"n{number}.com") for number in range(3)), row("old.com", ends_at=NOW - DAY))
    from_sql = [(await service.get(path)).content for path in ("/domains?page=1", "/stats")]
    service.context.snapshots.start()
    await service.context.snapshots.made(False)
    monkeypatch.setattr("afterdrop.catalogue.lists.list_page", None)
    monkeypatch.setattr("afterdrop.catalogue.store.live_figures", None)
    # The same bytes; another second, so that no response is kept.
    service.clock.move(seconds=1)
    assert [(await service.get(path)).content for path in ("/domains?page=1", "/stats")] == from_sql
    await service.context.snapshots.close()
