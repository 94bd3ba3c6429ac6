"""Every fault that an operator is told of, made in a deployment's database: the rows of operate.md's table.

`python -m tests.integration.worker.alarm_scenes KEY` makes one and prints what the operator is told. A scene leaves the
fault behind; time then passes, with a look every five minutes, until the alarm is there.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.core import clock
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Archive, Feed, HostPace, Mail, Pace, Provider, Settings
from afterdrop.core.settings_sections import Operator
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.delivery import deliveries, mails
from afterdrop.db.tables.feeds import candidates, provider_spend, scans, source_runs
from afterdrop.db.tables.queue import job_runs as job_run_rows
from afterdrop.db.tables.review import archived_pages
from afterdrop.delivery import events
from afterdrop.delivery.mail.worker import mail_queue
from afterdrop.http.client import REFUSED_IN_A_ROW, open_fetcher
from afterdrop.queue import job_runs
from afterdrop.queue.job_runs import JobRun
from afterdrop.queue.timetable import BACKUP
from afterdrop.sources.archive.wayback import WebArchive
from afterdrop.sources.metrics.provider_client import ProviderClient
from afterdrop.sources.metrics.provider_files import load_providers
from afterdrop.worker.operator_news import tell_operator
from tests.support import TEST_SECRET, receivers
from tests.support.ports import free_port
from tests.support.receivers import receiver
from tests.support.world import World

MINUTE: Final = timedelta(minutes=1)
Scene = Callable[[World], Awaitable[None]]


async def insert(world: World, table: sa.Table, **values: Any) -> None:
    """Insert one row."""
    async with world.database.write() as conn:
        await conn.execute(sa.insert(table).values(**values))


def choose(world: World, **changed: Any) -> None:
    """Change settings."""
    settings = world.context.settings.model_copy(update=changed)
    world.context = replace(world.context, settings=settings)


async def scan(world: World, begun: datetime, ended: datetime | None, **values: Any) -> None:
    """A scan that began then."""
    row = {"day": f"{begun:%Y-%m-%d}", "counts": {}, "deadline_at": begun + timedelta(hours=20), **values}
    await insert(world, scans, started_at=begun, finished_at=ended, **row)


async def candidate(world: World, name: str, **values: Any) -> None:
    """A candidate that waits for its review."""
    await insert(
        world, candidates, domain=name, state="due", first_seen_at=world.now, due_at=world.now, **values
    )


async def owed(world: World, endpoints: int, **values: Any) -> None:
    """A delivery of each of so many endpoints."""
    for number in range(endpoints):
        account = await world.account()
        await world.endpoint(account, last_delivered_at=world.now)
        async with world.database.write() as conn:
            draft = events.EventDraft(account, {}, f"{world.now}:{number}")
            await events.record(conn, events.CHECK_COMPLETED, draft, world.now)
            await conn.execute(sa.update(deliveries).values(**values) if values else sa.select(1))


async def mail(world: World, **values: Any) -> None:
    """A mail to a member."""
    row = {"recipient": "a@b.example", "kind": "digest", "subject": "s", "text": "t", "headers": {}}
    await insert(world, mails, **row, created_at=world.now, **{"status": "pending", **values})


async def disk(world: World) -> None:
    """A bound that no disk keeps stands for a full one."""
    choose(world, operator=world.context.settings.operator.model_copy(update={"disk_free_share": 1.0}))


async def keys(world: World) -> None:
    """A webhook secret that the settings' keys cannot decrypt."""
    sealed = SecretBox(["another key of another time"]).encrypt("whsec_test")
    await world.endpoint(await world.account(), secret=sealed)


async def schema(world: World, version: str) -> str:
    """As if another version had migrated the database; gives the version before."""
    async with world.database.write() as conn:
        before = await conn.scalar(sa.text("SELECT version_num FROM alembic_version"))
        await conn.execute(sa.text("UPDATE alembic_version SET version_num = :to"), {"to": version})
    return str(before)


async def scan_failed(world: World) -> None:
    """The scan's job ended with an error."""
    choose(world, feeds=(Feed(preset="x"),))
    await scan(world, world.now - MINUTE, world.now)
    run = JobRun("scan", world.now, "worker")
    async with world.database.write() as conn:
        await job_runs.take(conn, run, world.now, MINUTE)
        await job_runs.finish(conn, run, world.now, error="every feed failed")


async def scan_late(world: World) -> None:
    """Two hours ago a scan was due; the last is yesterday's."""
    choose(world, feeds=(Feed(preset="x"),))
    await scan(world, world.now - timedelta(days=1), world.now - timedelta(hours=20))


async def archive_away(world: World) -> None:
    """The archive refuses: each review fails and is put off, as the queue of candidates does it."""
    await scan(world, world.now, None)
    for number in range(3):
        await candidate(world, f"n{number}.com", error="web.archive.org: answered 503", attempts=1)


async def no_verdicts(world: World) -> None:
    """Candidates wait in a scan, and nobody takes them."""
    await scan(world, world.now, None)
    await candidate(world, "n.com")


async def feed_bad(world: World) -> None:
    """A feed failed in two scans."""
    for back in (2, 1):
        begun = world.now - timedelta(days=back)
        await scan(world, begun, begun + MINUTE)
        async with world.database.read() as conn:
            number = await conn.scalar(sa.select(sa.func.max(scans.c.id)))
        row = {"feed": "market", "source": "market", "state": "failed", "error": "answered 500"}
        await insert(world, source_runs, scan_id=number, counts={}, samples=[], finished_at=begun, **row)


async def provider_refuses(world: World) -> None:
    """A provider answers 402, as when a plan is used up."""
    async with receiver(receivers.says(b"HTTP/1.1 402 Pay\r\nContent-Length: 0\r\n\r\n")) as vendor:
        origin = vendor.url.removesuffix("/hook")
        choose(
            world, trusted_origins=(origin,), providers=(Provider(preset="open_pagerank", url=vendor.url),)
        )
        specs = load_providers(world.context.settings, {"OPEN_PAGERANK_API_KEY": "k" * 20})
        world.context = replace(world.context, providers=tuple(specs))
        async with fetcher_of(world) as fetcher:
            answer = await ProviderClient(fetcher, world.database, world.now).ask(specs[0], ["a.com"])
    assert answer.faults == ["1 name: answered 402: it wants to be paid, or its plan is used up"]


async def host_refuses(world: World) -> None:
    """A host answers every request with 403."""
    async with receiver(receivers.says(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")) as host:
        origin = host.url.removesuffix("/hook")
        name = origin.removeprefix("http://")
        pace = Pace(hosts={name: HostPace(per_second=1000, at_once=9)})
        choose(world, trusted_origins=(origin,), pace=pace)
        async with fetcher_of(world) as fetcher:
            for _ in range(REFUSED_IN_A_ROW):
                await fetcher.get(host.url)


async def archive_gone(world: World) -> None:
    """Nobody listens where the archive was."""
    origin = f"http://127.0.0.1:{free_port()}"
    choose(
        world, trusted_origins=(origin,), archive=Archive(cdx_url=f"{origin}/cdx", replay_url=f"{origin}/web")
    )
    async with fetcher_of(world) as fetcher:
        archive = WebArchive(fetcher, world.context.settings.archive)
        for _ in range(3):
            with suppress(UpstreamError):
                await archive.index("a.com", world.now)


def fetcher_of(world: World) -> Any:
    """An HTTP client by the world's clock, which goes on by itself: a pace waits for time to pass."""
    began = clock.monotonic()
    return open_fetcher(
        world.context.settings,
        world.database,
        lambda: world.now.timestamp() + clock.monotonic() - began,
        random.Random(1),
    )


async def mail_server_away(world: World) -> None:
    """Nobody listens where the mail server was; each retry pushes the due time ahead."""
    server = Mail(host="127.0.0.1", port=free_port(), security="none")
    choose(world, mail=server)
    await mail(world)


async def mails_fail(world: World) -> None:
    """The mail server refuses ten mails for good."""
    for _ in range(10):
        await mail(world, status="failed")


async def receivers_away(world: World) -> None:
    """Nobody's receiver can be reached, as when our own network is down."""
    await owed(world, 3, tries=1, attempts=1, due_at=world.now + timedelta(hours=6))


async def deliveries_fail(world: World) -> None:
    """Ten deliveries fail for good."""
    await owed(world, 10, status="failed", settled_at=world.now, due_at=None)


async def checks_wait(world: World) -> None:
    """An ordered check that nobody takes."""
    row = {"id": "chk_1", "domain": "a.com", "status": "queued", "created_at": world.now}
    await insert(world, checks, account_id=await world.account(), due_at=world.now, **row)


async def matching_waits(world: World) -> None:
    """A published domain that nobody matches."""
    await world.publish("a.com")


async def texts_wait(world: World) -> None:
    """An archived page whose text nobody makes, at the end of a scan's time."""
    row = {"domain": "a.com", "path": "/", "url": "http://a.com/", "captures": 1, "content_state": "wanted"}
    due_at = world.now - timedelta(hours=20)
    row |= {"era": 1, "overall": True}
    await insert(world, archived_pages, last_capture="2020-01-01", timestamp="2020", due_at=due_at, **row)


async def budget(world: World) -> None:
    """Four fifths of a provider's units of the day are spent."""
    choose(world, providers=(Provider(preset="open_pagerank", per_day=100),))
    specs = load_providers(world.context.settings, {})
    world.context = replace(world.context, providers=tuple(specs))
    row = {"provider": "open_pagerank", "period": f"{world.now:%Y-%m-%d}", "units": 80}
    await insert(world, provider_spend, **row)


async def no_backup(world: World) -> None:
    """The last backup was made a week ago."""
    made = world.now - timedelta(days=7)
    row = {"job": BACKUP, "moment": made, "started_at": made, "finished_at": made, "attempts": 1}
    await insert(world, job_run_rows, **row)


# By the alarm's key as the table has it; what follows a colon there names a feed, a provider or a host.
SCENES: Final[dict[str, Scene]] = {
    "backup": no_backup,
    "budget": budget,
    "disk": disk,
    "failing:deliveries": deliveries_fail,
    "failing:mails": mails_fail,
    "feed": feed_bad,
    "keys": keys,
    "outage": archive_gone,
    "provider": provider_refuses,
    "queue:candidates": no_verdicts,
    "queue:checks": checks_wait,
    "queue:deliveries": receivers_away,
    "queue:mails": mail_server_away,
    "queue:matching": matching_waits,
    "queue:page texts": texts_wait,
    "refused": host_refuses,
    "reviews": archive_away,
    "scan-failed": scan_failed,
    "scan-late": scan_late,
}


async def looked(world: World) -> dict[str, str]:
    """Let a worker look once, as its timetable does every five minutes; the alarms it told of so far, by key."""
    run = JobRun("watch", world.now, "worker")
    async with world.database.write() as conn:
        await job_runs.beat(conn, "worker", world.now)
        await job_runs.take(conn, run, world.now, MINUTE)
    result = await tell_operator(world.context)
    async with world.database.write() as conn:
        await job_runs.finish(conn, run, world.now, result=result)
    return {key: row["text"] for key, row in result.get("told", {}).items()}


async def made(world: World, key: str, at_most: int) -> tuple[int, str]:
    """Make the fault `key` and let time pass until it is told, for `at_most` minutes; how many it took, and the text.

    The deployment has worked for four hours by then.
    """
    choose(world, operator=Operator(mail="ops@drops.example", disk_free_share=0))
    for back in range(48, 0, -1):
        run = JobRun("watch", world.now - back * 5 * MINUTE, "worker")
        async with world.database.write() as conn:
            await job_runs.take(conn, run, run.moment, MINUTE)
            await job_runs.finish(conn, run, run.moment)
    if key == "queue:page texts":
        choose(world, scan=world.context.settings.scan.model_copy(update={"budget_hours": 2}))
    await SCENES[key](world)
    for minutes in range(5, at_most + 1, 5):
        world.move(minutes=5)
        if key == "queue:mails":
            await world.work(mail_queue(world.context))
        found = await looked(world)
        texts = [text for known, text in found.items() if known == key or known.startswith(f"{key}:")]
        if texts:
            return minutes, texts[0]
    raise AssertionError(f"{key} was not told within {at_most} minutes, but {found}")


async def _show(key: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite+aiosqlite:///{folder}/afterdrop.sqlite3"
        await asyncio.to_thread(migrate.upgrade, url)
        database = open_database(url)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(database.close)
            settings = Settings(data_dir=Path(folder), database_url=url, secret_keys=(TEST_SECRET,))
            world = World(Database(database.engine), settings)
            minutes, text = await made(world, key, 24 * 60)
            print(f"after {minutes} minutes: {text}")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or sorted(SCENES):
        asyncio.run(_show(chosen))
