"""One published domain against many alert rules: CPU of matching and writing, and how much that delays the API.

Run: `python -m bench.matching [--rules 10000] [--hits 100] [--url postgresql://…]` (default: a new SQLite file). Rules
belong to accounts with ten each and a webhook endpoint; a known number of them matches. Meanwhile a second process
writes over the API (PATCH of an alert rule) as fast as it is answered; its latencies while a domain is being matched
are printed. The CPU counted is the worker's own, its database threads included.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import resource
import secrets
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx2
import sqlalchemy as sa
from tests.support.rows import put, row
from tests.support.world import slim_context

from afterdrop.accounts import members
from afterdrop.accounts.secret_box import open_secret_box
from afterdrop.catalogue.publish import queue_matching
from afterdrop.core import clock
from afterdrop.core.plan_limits import Plan, Plans
from afterdrop.core.settings import Settings
from afterdrop.db import migrate
from afterdrop.db.engine import Database, database_url, open_database
from afterdrop.db.tables.delivery import deliveries, events, webhook_endpoints
from afterdrop.db.tables.watching import alert_matches, alert_rules
from afterdrop.queue.loop import QueueRunner
from afterdrop.watching.worker import matching_queue
from afterdrop.web.app import create_app
from afterdrop.web.context import make_web_context

PROMISE_MS = 200
PER_ACCOUNT = 10
KEY = "a bench's own key, of enough characters"
# What the rules that miss ask for, in turn; each kind is as long as people write them.
MISSES: tuple[dict[str, Any], ...] = (
    {"min_score": 90, "tlds": ["com", "net", "org"]},
    {"keywords": ["casino", "shop", "travel", "garden", "pixel"], "max_price": 500},
    {"min_dr": 40, "min_tf": 30, "langs": ["en", "de"]},
    {"topics": ["Sports", "Health"], "listing_types": ["bid", "auction"], "clean_only": True},
    {"min_archive_years": 20, "min_ref_domains": 2000, "tlds": ["com"]},
)
HIT = {"min_score": 50, "min_dr": 10, "keywords": ["hut"], "langs": ["en"], "clean_only": True}


def settings_of(url: str, folder: str) -> Settings:
    """Settings whose Pro plan has no limit on requests."""
    without_end = Plan(
        requests_per_minute=10**9, requests_per_day=10**9, lookup_domains_per_hour=600,
        availability_domains=50, rating_domains=25, alert_rules=10, webhook_endpoints=3,
    )  # fmt: skip
    return Settings(database_url=url, secret_keys=(KEY,), data_dir=Path(folder), plans=Plans(pro=without_end))


async def member(database: Database, name: str) -> int:
    """A Pro account; its id."""
    async with database.write() as conn:
        now = clock.now()
        made = await members.create_account(
            conn,
            members.NewAccount(f"{name}@bench.example", verified=True, plan_until=now + timedelta(days=9)),
            now=now,
            welcome=0,
        )
    return made.id


async def fill(database: Database, settings: Settings, rules: int, hits: int) -> None:
    """Make Pro accounts with ten rules and an endpoint each; `hits` rules, spread evenly, match."""
    now, every, secret_box = clock.now(), max(rules // hits, 1), open_secret_box(settings)
    for start in range(0, rules, PER_ACCOUNT):
        account = await member(database, f"b{start}")
        mine = [
            {
                "account_id": account, "name": f"rule {n}", "active": True, "frequency": "instant", "created_at": now,
                "criteria": HIT if n % every == 0 and n // every < hits else MISSES[n % len(MISSES)],
            }
            for n in range(start, min(start + PER_ACCOUNT, rules))
        ]  # fmt: skip
        hook = {
            "account_id": account, "url": "https://hooks.example.org/", "created_at": now, "active": True,
            "events": ["alert.matched"], "secret": secret_box.encrypt("whsec_x"),
        }  # fmt: skip
        async with database.write() as conn:
            await conn.execute(sa.insert(alert_rules), mine)
            await conn.execute(sa.insert(webhook_endpoints).values(**hook))


def write_over_the_api(url: str, folder: str, answers: Connection) -> None:
    """A process that changes a rule over the API until told to stop; sends back (start, seconds) of each write."""

    async def writes() -> list[tuple[float, float]]:
        settings = settings_of(url, folder)
        database = open_database(database_url(settings))
        account, now = await member(database, "writer"), clock.now()
        async with database.write() as conn:
            entropy = secrets.token_bytes(32)
            issued = await members.issue_key(conn, account, "bench", entropy=entropy, now=now)
        environment = make_web_context(settings, database, now=clock.now, monotonic=time.monotonic)
        transport = httpx2.ASGITransport(app=create_app(environment))
        headers = {"Authorization": f"Bearer {issued.key.text}"}
        base = f"{settings.site_url}/api/v1"
        took: list[tuple[float, float]] = []
        async with httpx2.AsyncClient(transport=transport, headers=headers, base_url=base) as http:
            made = await http.post("/alerts", json={"name": "mine", "active": False})
            path = f"/alerts/{made.raise_for_status().json()['data']['id']}"
            answers.send("writing")
            while not answers.poll():
                started = time.perf_counter()
                (await http.patch(path, json={"min_score": len(took) % 100})).raise_for_status()
                took.append((started, time.perf_counter() - started))
        await database.close()
        return took

    answers.send(asyncio.run(writes()))


@contextlib.contextmanager
def api_writes(url: str, folder: str, took: list[tuple[float, float]]) -> Iterator[None]:
    """Write over the API from another process during the block; `took` has the times afterwards."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=write_over_the_api, args=(url, folder, theirs), daemon=True
    )
    process.start()
    theirs.close()
    ours.recv()
    yield
    ours.send("stop")
    took.extend(ours.recv())
    process.join()


def cpu() -> float:
    """CPU seconds of this process, its database threads included."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def publish(database: Database, name: str) -> None:
    """Publish one domain."""
    now = clock.now()
    ends = now + timedelta(days=2)
    async with database.write() as conn:
        values = row(name, found_at=now, ends_at=ends, live_until=ends, score=66)
        await put(conn, values)
        await queue_matching(conn, name, "listed", now)


@dataclass(frozen=True)
class Round:
    """Match one domain; returns CPU seconds, start and end by the monotonic clock."""

    spent: float
    started: float
    ended: float


async def rounds(database: Database, settings: Settings, count: int) -> list[Round]:
    """Publish and match one domain after the other; the first only warms up and is left out."""
    context = slim_context(database, settings, clock.now)
    done = []
    for number in range(count + 1):
        await publish(database, f"alpine-hut-{number}.com")
        started, before = time.perf_counter(), cpu()
        await QueueRunner(matching_queue(context), context).run(until_empty=True)
        done.append(Round(cpu() - before, started, time.perf_counter()))
        if number:
            print(
                f"round {number}: {done[-1].spent * 1000:.0f} ms of CPU, "
                f"{(done[-1].ended - started) * 1000:.0f} ms in all"
            )
        await asyncio.sleep(0.2)
    return done[1:]


async def written(database: Database, per: int) -> int:
    """The number of matches a round. Fails unless every match has its event and its delivery."""
    async with database.read() as conn:
        counts = [
            int(await conn.scalar(sa.select(sa.func.count()).select_from(table)) or 0)
            for table in (alert_matches, events, deliveries)
        ]
    if len(set(counts)) != 1 or counts[0] % per:
        raise SystemExit(f"matches, events and deliveries differ: {counts}")
    return counts[0] // per


def show_writes(took: list[tuple[float, float]], done: list[Round]) -> None:
    """Latencies of API writes that overlapped with a round, beside those that did not."""
    during: list[float] = []
    alone: list[float] = []
    for started, seconds in took:
        busy = any(started < one.ended and started + seconds > one.started for one in done)
        (during if busy else alone).append(seconds * 1000)
    for name, found in (("while a domain is matched", during), ("otherwise", alone)):
        ordered = sorted(found)
        if ordered:
            p99 = ordered[min(int(len(ordered) * 0.99), len(ordered) - 1)]
            print(
                f"API writes {name}: {len(ordered)}, median {statistics.median(ordered):.1f} ms, "
                f"p99 {p99:.1f} ms, longest {ordered[-1]:.1f} ms"
            )


async def measure(options: argparse.Namespace, settings: Settings, folder: str) -> tuple[float, int]:
    """Median CPU seconds of a round, and matches written a round."""
    database = open_database(database_url(settings))
    await fill(database, settings, options.rules, options.hits)
    took: list[tuple[float, float]] = []
    with api_writes(settings.database_url, folder, took):
        done = await rounds(database, settings, options.rounds)
    show_writes(took, done)
    matches = await written(database, options.rounds + 1)
    await database.close()
    return statistics.median(one.spent for one in done), matches


def main() -> None:
    """Measure, and fail when the promise is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rules", type=int, default=10_000)
    parser.add_argument("--hits", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--url", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_of(options.url or f"sqlite:///{Path(folder) / 'bench.sqlite3'}", folder)
        migrate.upgrade(database_url(settings))
        spent, matches = asyncio.run(measure(options, settings, folder))
    print(
        f"{options.rules:,} rules, {matches} matches with event and delivery: {spent * 1000:.0f} ms of CPU"
        f" (promise: {PROMISE_MS} at most)"
    )
    if spent * 1000 > PROMISE_MS or matches != options.hits:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
