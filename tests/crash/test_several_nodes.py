"""Two API nodes and three workers over PostgreSQL, killed, restarted, and their database restarted under them.

They come to the same end as one process that nobody disturbed, and a rolling restart fails no request.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.core import clock
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.tables.accounts import credit_ledger
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.delivery import deliveries, events
from afterdrop.db.tables.feeds import candidates, scans
from afterdrop.db.tables.watching import alert_matches, to_match
from afterdrop.sandbox import start
from afterdrop.sandbox.running import RunningSandbox
from tests.crash.deployment import Nodes, nginx
from tests.support import postgres
from tests.support.ports import free_port
from tests.support.sandboxes import catalogue, environment, outcomes, write_settings

SIZE = 16
KILLS = 4
ORDERED = [f"ordered-{number}.com" for number in range(6)]


@dataclass
class Life:
    """What a deployment came to: it must not depend on what happened to its processes."""

    published: dict[str, Any] = field(default_factory=dict)
    outcomes: dict[str, str | None] = field(default_factory=dict)
    credits: Counter[Any] = field(default_factory=Counter)
    matches: Counter[Any] = field(default_factory=Counter)
    delivered: Counter[Any] = field(default_factory=Counter)
    received: Counter[Any] = field(default_factory=Counter)
    checks: dict[str, Any] = field(default_factory=dict)


@dataclass
class Reader:
    """A client that asks one request after the other and counts what does not succeed."""

    site: str
    key: str
    asked: int = 0
    failed: list[str] = field(default_factory=list)

    async def go_on(self, stop: asyncio.Event) -> None:
        """Ask until `stop`."""
        paths = ("/domains", "/stats", "/domains?sort=score&per_page=5", "/me", "/checks", "/alerts")
        while not stop.is_set():
            await self.ask("GET", paths[self.asked % len(paths)])
            await asyncio.sleep(0.05)  # the machine has more to do than to answer us

    async def ask(self, method: str, path: str, **more: Any) -> httpx2.Response | None:
        """One request on a connection of its own."""
        self.asked += 1
        try:
            async with httpx2.AsyncClient(verify=False, timeout=200) as http:
                answer = await http.request(
                    method,
                    f"{self.site}/api/v1{path}",
                    headers={"Authorization": f"Bearer {self.key}"},
                    **more,
                )
        except httpx2.HTTPError as error:
            self.failed.append(f"{method} {path}: {error!r}")
            return None
        if answer.status_code >= 400:
            self.failed.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
            return None
        return answer

    async def surely(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """One request, repeated until it succeeds, as a client repeats it that was cut off."""
        async with asyncio.timeout(600):
            while (answer := await self.ask(method, path, **more)) is None:
                await asyncio.sleep(0.2)
        return answer


def configured(running: RunningSandbox, folder: Path, url: str, site: str) -> dict[str, str]:
    """The environment of a deployment's processes."""
    own = {"site_url": f'"{site}"', "worker_lease_seconds": "20"}
    if site.startswith("https"):
        own["trusted_proxies"] = '["127.0.0.1"]'
    settings = write_settings(running, folder, url, **own)
    return {
        **environment(),
        "AFTERDROP_SETTINGS": str(settings),
        "AFTERDROP_SCAN__HOUR": str(clock.now().hour),
        "AFTERDROP_SCAN__PAGE_PROCESSES": "1",
        "AFTERDROP_SCAN__REVIEW_RETRY_SECONDS": "2",
        "AFTERDROP_WEBHOOK__ALLOW_LOOPBACK": "1",
        "AFTERDROP_WEBHOOK__LEASE_SECONDS": "10",
        "AFTERDROP_WEBHOOK__RETRY_WAITS": "1,1,2,2,4",
        "AFTERDROP_PLANS__PRO__REQUESTS_PER_MINUTE": "1000000",
        "AFTERDROP_PLANS__PRO__REQUESTS_PER_DAY": "1000000",
    }


@asynccontextmanager
async def member(url: str) -> AsyncIterator[tuple[Database, str]]:
    """The database with a Pro account, and a key of it."""
    await asyncio.to_thread(migrate.upgrade, url)
    database, now = open_database(url, connections=13), clock.now()
    async with database.write() as conn:
        new = members.NewAccount("a@nodes.example", verified=True, plan_until=now + timedelta(days=9))
        account = await members.create_account(conn, new, now=now, welcome=1)
        issued = await members.issue_key(conn, account.id, "k", entropy=b"n" * 32, now=now)
    yield database, issued.key.text
    await database.close()


async def prepare(reader: Reader, running: RunningSandbox, hook: str) -> None:
    """A rule that matches everything, and a webhook for it and for checks."""
    await reader.surely("POST", "/alerts", json={"name": "everything", "frequency": "instant"})
    hooks = {"url": f"{running.url}/_sandbox/hooks/{hook}", "events": ["alert.matched", "check.completed"]}
    await reader.surely("POST", "/webhooks", json=hooks)


async def order(reader: Reader, names: list[str]) -> None:
    """Order a check of each name. Ordered again, a check costs nothing more."""
    for name in names:
        await reader.surely("POST", "/checks", json={"domain": name})


async def settled(database: Database, *queues: str, seconds: float = 600) -> None:
    """Wait until the scan is over and no queue holds a row, or only `queues`."""
    waiting = {
        "scan": sa.select(sa.literal(1)).where(~sa.exists().where(scans.c.finished_at.is_not(None))),
        "candidates": sa.select(candidates.c.domain).where(candidates.c.state != "settled"),
        "checks": sa.select(checks.c.id).where(checks.c.status.in_(("queued", "running"))),
        "matching": sa.select(to_match.c.domain),
        "deliveries": sa.select(deliveries.c.id).where(deliveries.c.status == "pending"),
    }
    waiting = {name: rows for name, rows in waiting.items() if not queues or name in queues}
    end, left = clock.monotonic() + seconds, [""]
    while left:
        assert clock.monotonic() < end, f"still waiting for {left}"
        await asyncio.sleep(0.5)
        try:
            async with database.read() as conn:
                left = [name for name, rows in waiting.items() if (await conn.execute(rows.limit(1))).first()]
        except sa.exc.DBAPIError:  # it restarts
            left = ["database"]


def _about(body: bytes | str) -> tuple[str, str]:
    """The type of an event and the domain that it is about."""
    event = json.loads(body)
    data = event["data"]
    subject = data.get("check") or data.get("domain") or data.get("match") or data
    return event["type"], str(subject.get("domain", subject) if isinstance(subject, dict) else subject)


async def looked_at(database: Database, running: RunningSandbox, hook: str) -> Life:
    """The deployment's state."""
    life = Life(await catalogue(database), await outcomes(database))
    async with database.read() as conn:
        ledger = sa.select(credit_ledger.c.bucket, credit_ledger.c.delta, credit_ledger.c.reason)
        life.credits.update(tuple(row) for row in await conn.execute(ledger))
        matched = sa.select(alert_matches.c.domain, alert_matches.c.round)
        life.matches.update(tuple(row) for row in await conn.execute(matched))
        sent = sa.select(deliveries.c.status, events.c.body).join(
            events, events.c.id == deliveries.c.event_id
        )
        life.delivered.update((status, *_about(body)) for status, body in await conn.execute(sent))
        done = sa.select(checks.c.domain, checks.c.status, checks.c.score, checks.c.verdict)
        life.checks = {row.domain: tuple(row) for row in await conn.execute(done)}
    once = {json.loads(each["body"])["id"]: _about(each["body"]) for each in running.state.hooks[hook]}
    life.received.update(once.values())
    return life


async def undisturbed(running: RunningSandbox, folder: Path, url: str) -> Life:
    """One process does everything, and nobody disturbs it."""
    port = free_port()
    site = f"http://127.0.0.1:{port}"
    async with member(url) as (database, key):
        nodes = Nodes(folder, configured(running, folder, url, site), {"all": port})
        reader = Reader(site, key)
        nodes.start_all()
        try:
            await nodes.healthy("all")
            await prepare(reader, running, "calm")
            await order(reader, ORDERED)
            await settled(database)
        finally:
            codes = nodes.stop()
        assert reader.failed == []
        assert codes == {"all": 0}, nodes.log("all")
        return await looked_at(database, running, "calm")


@dataclass
class Disturbance:
    """What is done to a deployment, and what its clients noticed."""

    nodes: Nodes
    cluster: postgres.Cluster
    rng: random.Random
    answers: dict[str, Any] = field(default_factory=dict)

    async def kill_at_random(self, names: Sequence[str], times: int) -> None:
        """Kill one of these processes after the other."""
        for _ in range(times):
            await asyncio.sleep(self.rng.uniform(0.5, 2.5))
            await asyncio.to_thread(self.nodes.kill, self.rng.choice(names))

    async def restart_database(self) -> None:
        """Restart PostgreSQL; every connection is lost."""
        command = [
            *self.cluster.command,
            str(self.cluster.binaries / "pg_ctl"),
            "-D",
            f"{self.cluster.folder}/data",
        ]
        again = [*command, "-w", "-m", "fast", "-l", f"{self.cluster.folder}/log", "restart"]
        done = await asyncio.to_thread(subprocess.run, again, cwd=self.cluster.folder, capture_output=True)
        assert done.returncode == 0, done.stderr

    async def roll(self, reader: Reader) -> None:
        """Restart every process in turn while clients go on asking."""
        for name in self.nodes.ports:
            await self.nodes.healthy(name)
        stop = asyncio.Event()
        asking = [asyncio.create_task(reader.go_on(stop)) for _ in range(3)]
        for name in (*self.nodes.ports, *self.nodes.workers):
            await self.nodes.replace(name)
            await reader.ask("POST", "/checks", json={"domain": ORDERED[0]})
        stop.set()
        await asyncio.gather(*asking)


async def disturbed(
    running: RunningSandbox, folder: Path, url: str, cluster: postgres.Cluster
) -> tuple[Life, dict[str, int]]:
    """Two API nodes and three workers, killed at random, then without their database, then restarted in turn."""
    ports = {"api-0": free_port(), "api-1": free_port()}
    with nginx(folder, list(ports.values())) as proxy:
        site = proxy.site
        async with member(url) as (database, key):
            workers = ("worker-0", "worker-1", "worker-2")
            nodes = Nodes(folder, configured(running, folder, url, site), ports, workers)
            trouble = Disturbance(nodes, cluster, random.Random(3))
            nodes.start_all()
            try:
                for name in ports:
                    await nodes.healthy(name)
                client, rolling = Reader(site, key), Reader(site, key)
                await prepare(client, running, "wild")
                await trouble.kill_at_random([*ports, *workers], KILLS)
                # A check fails when three workers were lost over it, and these shall not.
                await asyncio.gather(
                    trouble.kill_at_random(list(ports), 2),
                    trouble.kill_at_random(workers, 2),
                    order(client, ORDERED[:4]),
                )
                # On a slow machine a check could be under way still, and lose a third worker with the database.
                await settled(database, "checks")
                await asyncio.gather(trouble.restart_database(), order(client, ORDERED[4:]))
                await trouble.roll(rolling)
                await settled(database)
            finally:
                codes = nodes.stop()
            assert rolling.failed == [], "a request failed during the rolling restart"
            # The last to be replaced may be asked to leave before it has got as far as to notice.
            assert set(codes.values()) <= {0, -signal.SIGTERM}, codes
            figures = {
                "kills": nodes.kills, "asked while rolling": rolling.asked,
                "repeated by the client while nodes were killed": len(client.failed),
            }  # fmt: skip
            return await looked_at(database, running, "wild"), figures


@pytest.mark.long
@pytest.mark.timeout(1800)
async def test_many_disturbed_nodes_come_to_the_same_end_as_one_left_alone(tmp_path: Path) -> None:
    binaries = postgres.binaries()
    if binaries is None:
        pytest.skip("PostgreSQL's server binaries are not on this machine (apt-get install postgresql)")
    cluster = postgres.start(binaries)
    try:
        async with start(5, SIZE) as running:
            running.clock.put(clock.now())
            lives = []
            with psycopg.connect(cluster.url("postgres").replace("+psycopg", ""), autocommit=True) as conn:
                for name in ("calm", "wild"):
                    conn.execute(f"CREATE DATABASE {name}".encode())
            # The archive takes its time, so that processes die in the middle of reviews.
            running.state.faults.put([{"server": "archive", "kind": "slow", "seconds": 0.1}])
            lives.append(await undisturbed(running, tmp_path / "calm", cluster.url("calm")))
            wild, figures = await disturbed(running, tmp_path / "wild", cluster.url("wild"), cluster)
            lives.append(wild)
    finally:
        cluster.stop()
    calm = lives[0]
    print(f"{figures}; {len(calm.published)} published, {sum(calm.delivered.values())} deliveries")
    assert len(calm.published) > 1
    assert sum(calm.matches.values()) > 1
    for part in Life.__annotations__:
        assert getattr(wild, part) == getattr(calm, part), part
