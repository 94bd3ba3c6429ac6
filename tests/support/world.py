"""A worker of matching and mails over a test's database: accounts, rules, watches, domains and a clock to move."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, cast

import orjson
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.accounts.secret_box import SecretBox, open_secret_box
from afterdrop.catalogue.publish import queue_matching
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.delivery import deliveries, events, mails, webhook_endpoints
from afterdrop.db.tables.watching import alert_matches, alert_rules, to_match, watches
from afterdrop.delivery.webhooks.send import Sender
from afterdrop.queue.loop import Queue, QueueRunner
from afterdrop.watching.worker import matching_queue
from afterdrop.worker_context import WorkerContext
from tests.support.rows import NOW, put, row

ALL = ["alert.matched", "domain.available", "domain.ending_soon", "check.completed"]
_numbers = itertools.count(1)


def slim_context(
    database: Database, settings: Settings, now: Any, sender: Sender | None = None
) -> WorkerContext:
    """A worker's context with what matching, delivery and mails need, and nothing that uses the network."""
    nothing = cast(Any, None)
    return WorkerContext(
        settings=settings, database=database, worker="worker", now=now, fetcher=nothing, archives=nothing,
        live=nothing, pages=nothing, sources=nothing, feeds=(), providers=(), sender=cast(Sender, sender),
        secret_box=open_secret_box(settings),
    )  # fmt: skip


@dataclass
class World:
    """A deployment's database, and the clock of its worker."""

    database: Database
    settings: Settings
    now: datetime = NOW
    context: WorkerContext = field(init=False)

    def __post_init__(self) -> None:
        """Give the worker our clock."""
        self.context = slim_context(self.database, self.settings, lambda: self.now)

    @property
    def secret_box(self) -> SecretBox:
        """The deployment's secret keys."""
        return self.context.secret_box

    def move(self, **by: float) -> None:
        """Move the clock."""
        self.now += timedelta(**by)

    async def account(self, *, pro: bool = True, verified: bool = True, **columns: Any) -> int:
        """An account; its id."""
        async with self.database.write() as conn:
            new = members.NewAccount(
                f"a{next(_numbers)}@members.example",
                verified=verified,
                plan_until=self.now + timedelta(days=3650) if pro else None,
                operator=columns.pop("operator", False),
            )
            made = await members.create_account(conn, new, now=self.now, welcome=0)
            if columns:
                await conn.execute(sa.update(accounts).where(accounts.c.id == made.id).values(**columns))
        return made.id

    async def change(self, account: int, **columns: Any) -> None:
        """Change an account."""
        async with self.database.write() as conn:
            await conn.execute(sa.update(accounts).where(accounts.c.id == account).values(**columns))

    async def rule(
        self,
        account: int,
        name: str = "rule",
        frequency: str = "instant",
        *,
        active: bool = True,
        mail: bool = True,
        **criteria: Any,
    ) -> int:
        """An alert rule; its id."""
        values = {"account_id": account, "name": name, "active": active, "frequency": frequency, "mail": mail}
        async with self.database.write() as conn:
            made = await conn.scalar(
                sa.insert(alert_rules)
                .values(**values, criteria=criteria, created_at=self.now)
                .returning(alert_rules.c.id)
            )
        return int(made or 0)

    async def watch(self, account: int, domain: str) -> None:
        """Follow a domain from now on."""
        async with self.database.write() as conn:
            values = {"account_id": account, "domain": domain, "created_at": self.now}
            await conn.execute(sa.insert(watches).values(**values))

    async def endpoint(self, account: int, url: str = "https://hooks.example.org/", **columns: Any) -> int:
        """A webhook endpoint; its id."""
        values = {
            "account_id": account, "url": url, "events": ALL, "active": True, "created_at": self.now,
            "secret": self.secret_box.encrypt("whsec_test"), **columns,
        }  # fmt: skip
        async with self.database.write() as conn:
            made = await conn.scalar(
                sa.insert(webhook_endpoints).values(**values).returning(webhook_endpoints.c.id)
            )
        return int(made or 0)

    async def publish(
        self, name: str, kind: Literal["listed", "available"] = "listed", **values: Any
    ) -> None:
        """A domain enters the list (or dropped), as publishing leaves it."""
        async with self.database.write() as conn:
            await put(conn, row(name, **{"found_at": self.now, **values}))
            await queue_matching(conn, name, kind, self.now)

    async def update(self, name: str, **values: Any) -> None:
        """Change a domain's row."""
        async with self.database.write() as conn:
            await conn.execute(sa.update(domains).where(domains.c.domain == name).values(**values))

    async def leave(self, name: str, kind: Literal["listed", "available"] = "listed") -> None:
        """Queue a domain for matching."""
        async with self.database.write() as conn:
            await queue_matching(conn, name, kind, self.now)

    async def match(self) -> None:
        """Match until the queue is empty."""
        await self.work(matching_queue(self.context))

    async def work(self, queue: Queue[Any]) -> int:
        """Work a queue until nothing is due; gives the number of rows worked."""
        return await QueueRunner(queue, self.context).run(until_empty=True)

    async def rows(self, table: sa.Table, *order: sa.ColumnElement[Any]) -> list[dict[str, Any]]:
        """All rows of a table."""
        async with self.database.read() as conn:
            found = await conn.execute(sa.select(table).order_by(*(order or table.primary_key.columns)))
            return [dict(each) for each in found.mappings()]

    async def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        """Recorded events with their decoded body as `json`, oldest first."""
        found = [{**each, "json": orjson.loads(each["body"])} for each in await self.rows(events)]
        return [each for each in found if kind in (None, each["type"])]

    async def mails(self) -> list[dict[str, Any]]:
        """Written mails."""
        return await self.rows(mails)

    async def deliveries(self) -> list[dict[str, Any]]:
        """Delivery rows."""
        return await self.rows(deliveries)

    async def matches(self) -> list[tuple[int, str, int]]:
        """(rule, domain, round) of every match."""
        found = await self.rows(alert_matches, alert_matches.c.rule_id, alert_matches.c.domain)
        return [(each["rule_id"], each["domain"], each["round"]) for each in found]

    async def left(self) -> list[dict[str, Any]]:
        """The rows that are still to be matched."""
        return await self.rows(to_match)
