"""The list that a scan prints at its end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from afterdrop.cli.scan import show_list
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from tests.support.rows import NOW, put, row


async def test_marketplaces_have_their_names(
    database: Database, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    async with database.write() as conn:
        await put(conn, row("named.com"), row("unnamed.com", source_title=None))
    context = SimpleNamespace(settings=Settings(), database=database, now=lambda: NOW)
    await show_list(cast(Any, context))
    lines = {line.split()[1]: line for line in capsys.readouterr().out.splitlines() if ".com" in line}
    assert "Harbour Auctions" in lines["named.com"]
    assert "market.example" in lines["unnamed.com"]
