"""Three workers deliver to receivers that answer at random while one worker after the other is killed with SIGKILL.

Every event is delivered or failed by its schedule. None is lost or stuck, and an event that arrives twice has one id.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa
from aiohttp import web

from afterdrop.accounts import members
from afterdrop.accounts.secret_box import SecretBox
from afterdrop.core import clock
from afterdrop.core.settings import Webhook
from afterdrop.db.engine import Database
from afterdrop.db.tables.delivery import deliveries, webhook_endpoints
from afterdrop.delivery import events
from afterdrop.delivery.webhooks.signing import verify
from tests.crash.worker import KEY
from tests.support import ON_POSTGRES

SETTINGS = Webhook(answer_seconds=0.5, retry_waits=(1, 1, 1, 1, 1), lease_seconds=2, allow_loopback=True)
SECRET = "whsec_crash"
ENDPOINTS = 10
ROOT = Path(__file__).resolve().parents[2]
_names = itertools.count(1)


@dataclass
class Receivers:
    """What arrived: per event id the answers given and the bodies seen."""

    rng: random.Random
    answers: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    bodies: dict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    forged: int = 0
    port: int = 0

    async def take(self, request: web.Request) -> web.StreamResponse:
        """Note the event, then answer 200 or 500, hang or hang up, at random."""
        body = await request.read()
        event_id = request.headers["Service-Delivery"]
        self.bodies[event_id].add(body)
        if orjson.loads(body)["id"] != event_id or not verify(
            SECRET, request.headers["Service-Signature"], body, int(clock.epoch())
        ):
            self.forged += 1
        answer = self.rng.choices(("200", "500", "hang", "reset"), (35, 25, 20, 20))[0]
        self.answers[event_id].append(answer)
        if answer == "hang":
            await asyncio.sleep(1.5)
        if answer == "reset" and request.transport is not None:
            request.transport.abort()
        return web.Response(status=500 if answer == "500" else 200)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Answer while the block runs."""
        app = web.Application()
        app.add_routes([web.post("/{name}", self.take)])
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=500).start()
        self.port = runner.addresses[0][1]
        yield
        await runner.cleanup()


@dataclass
class Crew:
    """Worker processes over one database."""

    url: str
    log: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    kills: int = 0

    def start(self) -> subprocess.Popen[bytes]:
        """One more worker."""
        command = [sys.executable, "-m", "tests.crash.worker", self.url, SETTINGS.model_dump_json()]
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*command, f"worker-{next(_names)}"], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT
            )

    def kill(self, rng: random.Random) -> None:
        """Kill one without warning and put another in its place."""
        victim = rng.randrange(len(self.processes))
        os.kill(self.processes[victim].pid, signal.SIGKILL)
        self.processes[victim].wait()
        self.processes[victim] = self.start()
        self.kills += 1

    def stop(self) -> list[int]:
        """Ask all to leave; their exit codes."""
        for process in self.processes:
            process.terminate()
        return [process.wait(timeout=180) for process in self.processes]


async def endpoints(database: Database, port: int) -> list[int]:
    """Accounts with an endpoint each; the accounts' ids."""
    now, ids = clock.now(), []
    for number in range(ENDPOINTS):
        async with database.write() as conn:
            account = await members.create_account(
                conn,
                members.NewAccount(f"crash{number}@members.example", plan_until=now + timedelta(days=1)),
                now=now,
                welcome=0,
            )
            await conn.execute(
                sa.insert(webhook_endpoints).values(
                    account_id=account.id, url=f"http://127.0.0.1:{port}/{number}", created_at=now,
                    events=[events.CHECK_COMPLETED], active=True, secret=SecretBox([KEY]).encrypt(SECRET),
                )
            )  # fmt: skip
            ids.append(account.id)
    return ids


async def feed(database: Database, accounts: list[int], count: int, seconds: float) -> set[str]:
    """Record `count` events spread over `seconds`; their ids."""
    made: set[str] = set()
    for number in range(count):
        async with database.write() as conn:
            account = accounts[number % len(accounts)]
            draft = events.EventDraft(account, {"check": {"n": number}}, f"crash:{number}")
            event_id = await events.record(conn, events.CHECK_COMPLETED, draft, clock.now())
        assert event_id is not None
        made.add(event_id)
        await asyncio.sleep(seconds / count * 0.5)
    return made


async def rows(database: Database) -> list[dict[str, Any]]:
    """Every delivery."""
    async with database.read() as conn:
        return [dict(row) for row in (await conn.execute(sa.select(deliveries))).mappings()]


async def drained(database: Database, within: float) -> list[dict[str, Any]]:
    """All deliveries, once none is pending or when the time is over."""
    ends = clock.monotonic() + within
    while clock.monotonic() < ends:
        found = await rows(database)
        if all(row["status"] != "pending" for row in found):
            break
        await asyncio.sleep(0.5)
    return found


async def crash(
    database: Database, url: str, log: Path, count: int, killing: float
) -> tuple[Receivers, set[str], list[dict[str, Any]], Crew]:
    """Record, deliver and kill for `killing` seconds, then drain the queue with the workers that are alive."""
    rng = random.Random(count)
    receivers, crew = Receivers(random.Random(count + 1)), Crew(url, log)
    async with receivers.listening():
        accounts = await endpoints(database, receivers.port)
        crew.processes = [crew.start() for _ in range(3)]
        try:
            feeding = asyncio.create_task(feed(database, accounts, count, killing))
            ends = clock.monotonic() + killing
            while clock.monotonic() < ends:
                await asyncio.sleep(2)
                crew.kill(rng)
            made = await feeding
            found = await drained(database, 90)
        finally:
            codes = await asyncio.to_thread(crew.stop)
        assert set(codes) <= {0, -signal.SIGTERM}, log.read_text()[-3000:]
    return receivers, made, found, crew


def check(receivers: Receivers, made: set[str], found: list[dict[str, Any]]) -> Counter[str]:
    """Compare what arrived with what was written; gives the figures."""
    by_id = {row["event_id"]: row for row in found}
    assert set(by_id) == made, "every event has its delivery"
    stuck = [row for row in found if row["status"] == "pending"]
    # Delivered though nobody took it, or given up before its schedule was over.
    lost = [
        row
        for row in found
        if (row["status"] == "delivered" and "200" not in receivers.answers[row["event_id"]])
        or (row["status"] == "failed" and row["tries"] != 6)
    ]
    assert (len(stuck), len(lost)) == (0, 0), (stuck[:3], lost[:3])
    assert receivers.forged == 0
    assert set(receivers.bodies) <= made, "nothing came that was not sent"
    assert all(len(bodies) == 1 for bodies in receivers.bodies.values()), "the same bytes at every attempt"
    for row in found:
        assert 1 <= row["tries"] <= 6
        assert row["due_at"] is None
        if row["status"] == "delivered":
            assert (row["response_code"], row["error"]) == (200, None)
        else:
            # Stored times are whole seconds, but an attempt waits until the second that is stored: none is lost.
            assert row["settled_at"] - row["created_at"] >= timedelta(seconds=sum(SETTINGS.retry_waits)), row
    figures = Counter(row["status"] for row in found)
    posts = {event_id: len(answers) for event_id, answers in receivers.answers.items()}
    figures["sent more often than counted"] = sum(
        max(posts.get(key, 0) - row["tries"], 0) for key, row in by_id.items()
    )
    figures["lost leases"] = sum(row["attempts"] - row["tries"] for row in found)
    return figures


@pytest.mark.long
async def test_killed_again_and_again_nothing_is_lost_or_stuck(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    receivers, made, found, crew = await crash(database, database_url, tmp_path / "log", 150, 24)
    figures = check(receivers, made, found)
    print(f"{crew.kills} kills: {dict(figures)}")
    assert crew.kills >= 8


@pytest.mark.long
@ON_POSTGRES
async def test_two_thousand_events_and_a_minute_of_killing(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    receivers, made, found, crew = await crash(database, database_url, tmp_path / "log", 2000, 60)
    figures = check(receivers, made, found)
    print(f"{crew.kills} kills: {dict(figures)}")
    assert crew.kills >= 20
