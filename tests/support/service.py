"""A service in process, with a clock that tests move, accounts on both plans and a small catalogue."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts import members
from afterdrop.accounts.account import Account
from afterdrop.accounts.api_keys import Scope
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.web.app import create_app
from afterdrop.web.context import WebContext, make_web_context
from tests.support.rows import NOW, put, row

SITE = "http://127.0.0.1:8000"
BASE = f"{SITE}/api/v1"
_numbers = itertools.count(1)


@dataclass
class Clock:
    """The service's time. `seconds` is a monotonic clock that always runs ahead of what caches keep."""

    now: datetime = NOW
    seconds: float = 0.0

    def read(self) -> datetime:
        """The time now."""
        return self.now

    def monotonic(self) -> float:
        """Later at every call, so that nothing is answered from a cache that may be half a second old."""
        self.seconds += 10
        return self.seconds

    def move(self, **by: float) -> None:
        """Let time pass."""
        self.now += timedelta(**by)


@dataclass
class Service:
    """A running service and ways to ask it. `keys` by the name of their account: free, pro, other, unverified."""

    context: WebContext
    app: FastAPI
    clock: Clock
    http: httpx2.AsyncClient
    accounts: dict[str, Account] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    @property
    def database(self) -> Database:
        """The service's database."""
        return self.context.database

    async def account(self, name: str, *, pro: bool = False, verified: bool = True, **more: Any) -> Account:
        """Make an account and a key of it."""
        async with self.database.write() as conn:
            account = self.accounts[name] = await members.create_account(
                conn,
                members.NewAccount(
                    f"{name}@members.example",
                    verified=verified,
                    plan_until=self.clock.now + timedelta(days=3650) if pro else None,
                    **more,
                ),
                now=self.clock.now,
                welcome=self.context.settings.plans.welcome_checks,
            )
            self.keys[name] = await self._issue(conn, name)
        return account

    async def key(self, name: str) -> str:
        """One more key of an account."""
        async with self.database.write() as conn:
            return await self._issue(conn, name)

    async def _issue(self, conn: AsyncConnection, name: str) -> str:
        issued = await members.issue_key(
            conn,
            self.accounts[name].id,
            f"key {next(_numbers)}",
            entropy=secrets.token_bytes(32),
            now=self.clock.now,
        )
        return issued.key.text

    async def scoped(self, name: str, scope: Scope, of: str = "pro") -> None:
        """One more key of an account, under a name of its own, that may do less."""
        account = self.accounts[name] = self.accounts[of]
        self.keys[name] = await self.key(name)
        async with self.database.write() as conn:
            (*_, last) = await members.list_keys(conn, account.id)
            await members.set_key_scope(conn, account.id, last["id"], scope)

    async def plan(self, name: str, until: datetime | None) -> None:
        """Up- or downgrade an account."""
        async with self.database.write() as conn:
            await members.set_plan(conn, self.accounts[name].id, until)

    async def show(self, *rows: dict[str, Any]) -> None:
        """Put rows into the catalogue."""
        async with self.database.write() as conn:
            await put(conn, *rows)

    async def ask(self, method: str, path: str, who: str = "pro", **more: Any) -> httpx2.Response:
        """One request as `who` (empty: without a key), relative to the base address."""
        headers = {**more.pop("headers", {})}
        if who:
            headers.setdefault("Authorization", f"Bearer {self.keys[who]}")
        url = path if path.startswith("http") else BASE + path
        return await self.http.request(method, url, headers=headers, **more)

    async def get(self, path: str, who: str = "pro", **more: Any) -> httpx2.Response:
        """GET."""
        return await self.ask("GET", path, who, **more)

    async def names(self, path: str, who: str = "pro") -> list[str]:
        """The domains of a list, in its order."""
        answer = await self.get(path, who)
        assert answer.status_code == 200, answer.text
        return [item["domain"] for item in answer.json()["data"]]


def fields(answer: httpx2.Response) -> dict[str, list[str]]:
    """The `fields` of a 422, after checking that it is one."""
    assert answer.status_code == 422, answer.text
    error = answer.json()["error"]
    assert error["code"] == "validation_failed"
    found: dict[str, list[str]] = error["fields"]
    assert all(messages and all(isinstance(m, str) for m in messages) for messages in found.values())
    return found


def code(answer: httpx2.Response) -> tuple[int, str]:
    """Status and error code."""
    return answer.status_code, answer.json()["error"]["code"]


@pytest.fixture
def clock() -> Clock:
    """The time of the service under test."""
    return Clock()


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """Settings a module of tests changes."""
    return {}


@pytest.fixture
async def service(
    database: Database,
    settings: Settings,
    clock: Clock,
    more_settings: dict[str, Any],
) -> AsyncIterator[Service]:
    """A service over an empty database with four accounts."""
    changed = settings.model_copy(update=more_settings)
    context = make_web_context(changed, database, now=clock.read, monotonic=clock.monotonic)
    app = create_app(context)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport) as http:
        made = Service(context, app, clock, http)
        await made.account("free")
        await made.account("pro", pro=True)
        await made.account("other", pro=True)
        await made.account("unverified", verified=False)
        yield made
        await context.snapshots.close()


OPEN = {"open_now": True, "last_open_on": "2026-11-20"}
ENDED = {"ends_at": NOW - timedelta(days=1), "live_until": NOW - timedelta(days=1)}
FREED = {**ENDED, "announced": True, "availability": "available"}

__all__ = ["BASE", "ENDED", "FREED", "NOW", "OPEN", "SITE", "Clock", "Service", "code", "fields", "row"]
