"""Webhook deliveries: rate and CPU of one worker, and whether dead receivers hold up healthy ones.

Run: `python -m bench.deliveries [--events 3000] [--endpoints 100] [--url postgresql://…]` (default: a new SQLite file).
Receivers are a process of their own on loopback. First every endpoint answers at once; then the same load with a
fifth of the endpoints hanging for 8 s, which is also the answer limit. The healthy ones keep at least 90 % of their
rate, or the bench fails.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import multiprocessing
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from aiohttp import web
from tests.support.world import slim_context

from afterdrop.accounts import members
from afterdrop.accounts.secret_box import SecretBox
from afterdrop.core import clock
from afterdrop.core.settings import Settings, Webhook
from afterdrop.db import migrate
from afterdrop.db.engine import Database, database_url, open_database
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import deliveries, webhook_endpoints
from afterdrop.delivery import events
from afterdrop.delivery.webhooks.send import open_sender
from afterdrop.delivery.webhooks.worker import delivery_queue, delivery_worker
from afterdrop.queue.loop import QueueRunner

PROMISE = 0.9
PER_ACCOUNT = 3


def receive(answers: Connection) -> None:
    """A process that receives webhooks: `/ok` answers at once, `/hang` after 8 seconds."""

    async def ok(request: web.Request) -> web.Response:
        await request.read()
        return web.Response()

    async def hang(request: web.Request) -> web.Response:
        await request.read()
        await asyncio.sleep(8)
        return web.Response()

    async def serve() -> None:
        app = web.Application()
        app.add_routes([web.post("/ok", ok), web.post("/hang", hang)])
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=2000)
        await site.start()
        answers.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())


@contextlib.contextmanager
def receiver() -> Iterator[int]:
    """The receivers' port."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=receive, args=(theirs,), daemon=True)
    process.start()
    yield ours.recv()
    process.terminate()
    process.join()


@dataclass
class Load:
    """Endpoints with pending deliveries. `hanging` of them answer after 8 s."""

    database: Database
    secret_box: SecretBox
    port: int
    endpoints: int
    hanging: int
    each: int

    async def make(self) -> None:
        """Empty the tables and write deliveries of all endpoints in mixed order."""
        now = clock.now()
        async with self.database.write() as conn:
            for table in (deliveries, webhook_endpoints, accounts):
                await conn.execute(sa.delete(table))
        for number in range(self.endpoints):
            async with self.database.write() as conn:
                path = "hang" if number < self.hanging else "ok"
                account = await members.create_account(
                    conn,
                    members.NewAccount(f"a{number}@bench.example", plan_until=now + timedelta(days=1)),
                    now=now,
                    welcome=0,
                )
                await conn.execute(
                    sa.insert(webhook_endpoints).values(
                        account_id=account.id, url=f"http://127.0.0.1:{self.port}/{path}", created_at=now,
                        events=[events.ALERT_MATCHED], active=True, secret=self.secret_box.encrypt(f"whsec_{number}"),
                    )
                )  # fmt: skip
        async with self.database.read() as conn:
            ids = list(await conn.scalars(sa.select(accounts.c.id)))
        drafts = [
            events.EventDraft(account, {"padding": "x" * 1000}, f"{account}:{number}")
            for number in range(self.each)
            for account in ids
        ]
        random.Random(1).shuffle(drafts)
        for start in range(0, len(drafts), 500):
            async with self.database.write() as conn:
                await events.record_all(conn, events.ALERT_MATCHED, drafts[start : start + 500], now)

    async def healthy_left(self) -> int:
        """The number of deliveries to healthy endpoints that are still pending."""
        healthy = sa.select(webhook_endpoints.c.id).where(webhook_endpoints.c.url.endswith("/ok"))
        waiting = sa.select(sa.func.count()).select_from(deliveries)
        async with self.database.read() as conn:
            return int(
                await conn.scalar(
                    waiting.where(deliveries.c.status == "pending", deliveries.c.endpoint_id.in_(healthy))
                )
                or 0
            )


def cpu() -> float:
    """CPU seconds of this process, its database threads included."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def run(load: Load, settings: Webhook) -> tuple[float, float]:
    """Work until the healthy endpoints have everything; returns deliveries a second and CPU seconds a delivery."""
    await load.make()
    todo = await load.healthy_left()
    async with open_sender(settings, clock.epoch) as sender:
        slim = slim_context(load.database, Settings(webhook=settings), clock.now, sender)
        context = replace(slim, secret_box=load.secret_box)
        line = QueueRunner(delivery_queue(delivery_worker(context)), context)
        started, spent = time.perf_counter(), cpu()
        working = asyncio.create_task(line.run())
        while await load.healthy_left():
            await asyncio.sleep(0.05)
            if working.done():
                working.result()
        seconds, spent = time.perf_counter() - started, cpu() - spent
        line.stop.set()
        await working
    return todo / seconds, spent / todo


async def measure(options: Any, port: int, url: str) -> float:
    """Both loads `--rounds` times, in alternating order, because other work on the machine comes and goes.

    Gives the share of their rate that healthy endpoints keep, median against median. On a busy machine one and the
    same load differs by half from round to round: the CPU a delivery takes, which is printed beside it, does not.
    """
    settings = Webhook(allow_loopback=True)
    gc.freeze()  # as every command does once its database is open
    database = open_database(url)
    each = options.events // options.endpoints
    healthy = options.endpoints * 4 // 5
    loads = {"all answer at once": 0, "a fifth more hangs": options.endpoints - healthy}
    rates: dict[str, list[float]] = {name: [] for name in loads}
    costs: dict[str, list[float]] = {name: [] for name in loads}
    for number in range(options.rounds):
        for name in sorted(loads, reverse=number % 2 == 0):
            load = Load(database, SecretBox(["k" * 32]), port, healthy + loads[name], loads[name], each)
            rate, cost = await run(load, settings)
            rates[name].append(rate)
            costs[name].append(cost * 1000)
            print(f"round {number + 1}: {rate:6.0f} deliveries/s, {cost * 1000:.2f} ms of CPU each, {name}")
    await database.close()
    for name in loads:
        rate, cost = statistics.median(rates[name]), statistics.median(costs[name])
        print(f"median: {rate:.0f} deliveries/s, {cost:.2f} ms of CPU each, {name}")
    calm, troubled = (statistics.median(rates[name]) for name in loads)
    return troubled / calm


def main() -> None:
    """Measure, and fail when the promise is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--events", type=int, default=3000)
    parser.add_argument("--endpoints", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--url", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, receiver() as port:
        chosen = options.url or f"sqlite:///{Path(folder) / 'bench.sqlite3'}"
        url = database_url(Settings(database_url=chosen, secret_keys=("k" * 32,)))
        migrate.upgrade(url)
        share = asyncio.run(measure(options, port, url))
    print(f"healthy endpoints keep {share:.0%} of their rate (promise: {PROMISE:.0%} at least)")
    if share < PROMISE:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
