"""A sandbox, a worker's context over it, an account that orders, and a receiver's view of what was recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.accounts.store import credit_balance
from afterdrop.checks import store
from afterdrop.checks.order import CheckOrder, order_check
from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.core.settings_file import load
from afterdrop.db.engine import Database
from afterdrop.db.tables.delivery import events
from afterdrop.sandbox import RunningSandbox, start
from tests.support.pages import PagesHere
from tests.support.sandboxes import environment, write_settings


@dataclass(frozen=True)
class Bench:
    """A deployment that reaches a sandbox; `file` is its settings file, `account` may order `credits` checks."""

    running: RunningSandbox
    database: Database
    settings: Settings
    file: Path
    account: int
    email: str = "me@members.example"

    async def order(self, domain: str) -> CheckOrder:
        """Order a check."""
        async with self.database.write() as conn:
            return await order_check(conn, self.account, domain, allowance=0, now=clock.now())

    async def row(self, check_id: str) -> Any:
        """The check as it stands: a row whose report tests may index without looking for null."""
        async with self.database.read() as conn:
            row = await store.check_row(conn, self.account, check_id)
        assert row is not None
        return row

    async def credits(self) -> int:
        """The account's check credits."""
        async with self.database.read() as conn:
            return (await credit_balance(conn, self.account, allowance=0, now=clock.now())).available

    async def recorded(self) -> list[dict[str, Any]]:
        """Envelopes of every event recorded."""
        async with self.database.read() as conn:
            return [orjson.loads(body) for body in await conn.scalars(sa.select(events.c.body))]

    def named(self, role: str) -> str:
        """A domain of the sandbox with that role."""
        return next(story.domain for story in self.running.world.stories if story.scenario == role)

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a command of this deployment."""
        return {**environment(), "AFTERDROP_SETTINGS": str(self.file)}


@pytest.fixture
async def bench(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Bench]:
    """A sandbox of sixty domains and an account with three credits."""
    monkeypatch.setattr("afterdrop.worker_context.PagePool", PagesHere)
    async with start(3, 60) as running:
        file = write_settings(running, tmp_path / "data", database_url)
        async with database.write() as conn:
            account = await members.create_account(
                conn, members.NewAccount(Bench.email, verified=True), now=clock.now(), welcome=3
            )
        yield Bench(running, database, load(file=file), file, account.id)
