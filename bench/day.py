"""A day of operation in fifteen minutes: does memory, handles or the log grow?

    python -m bench.day [--minutes 15] [--names 250] [--reads 20]

One process serves and works over SQLite, by a clock that runs as fast as is asked; beside it runs the sandbox. The
day has its timetable, a scan every three hours, reads all the time, and deliveries: matches, checks, test events. Every
line of the table is the end of an eighth of the day. The last lines compare the day's halves.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx2
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.core import clock
from afterdrop.core.settings_file import load
from afterdrop.db import migrate
from afterdrop.db.engine import Database, database_url, open_database
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.delivery import deliveries
from afterdrop.db.tables.feeds import scans
from afterdrop.db.tables.review import reviews
from afterdrop.sandbox import settings_toml, start
from afterdrop.sandbox.running import RunningSandbox

DAY: Final = timedelta(days=1)
PARTS: Final = 8
MB: Final = 1_000_000


@dataclass(frozen=True)
class FastClock:
    """A clock that shows `day` at the second `began` since 1970 and runs `speed` times as fast."""

    day: datetime
    began: float
    speed: float

    def now(self) -> datetime:
        """The time of the day."""
        passed = timedelta(seconds=(clock.epoch() - self.began) * self.speed)
        return (self.day + passed).replace(microsecond=0)

    @property
    def words(self) -> list[str]:
        """As the measured process is told."""
        return [self.day.isoformat(), repr(self.began), repr(self.speed)]


async def serve(settings_file: Path, port: int, time: FastClock) -> None:
    """The measured process: site, API and a worker, and a scan every eighth of the day."""
    from afterdrop.cli.console import set_up_logs
    from afterdrop.cli.http_server import run_server, server_config
    from afterdrop.cli.sockets import bind_socket
    from afterdrop.scan.run import run_scan
    from afterdrop.web.app import create_app
    from afterdrop.web.context import make_web_context
    from afterdrop.worker.context import open_context
    from afterdrop.worker.wiring import make_worker

    settings, stop = load(file=settings_file), asyncio.Event()
    set_up_logs(settings.log, service=True)
    database = open_database(database_url(settings))
    async with open_context(settings, database, worker="day", now=time.now) as context:

        async def scan_on() -> None:
            for part in itertools.count():
                while time.now() < time.day + part * DAY / PARTS:
                    await asyncio.sleep(0.5)
                await run_scan(context, reviews_here=False)

        app = create_app(make_web_context(settings, database, now=time.now), worker_inside=True)
        working = [asyncio.create_task(make_worker(context, stop).run()), asyncio.create_task(scan_on())]
        await run_server(server_config(app, settings), bind_socket("127.0.0.1", port), stop)
        stop.set()
        working[1].cancel()
        await asyncio.gather(*working, return_exceptions=True)
    await database.close()


@dataclass
class Use:
    """What clients do all day, and how it was answered."""

    http: httpx2.AsyncClient
    rate: float
    statuses: Counter[str] = field(default_factory=Counter)
    names: list[str] = field(default_factory=lambda: ["x.com"])

    async def ask(self, method: str, path: str, **more: Any) -> httpx2.Response | None:
        """One request."""
        try:
            answer = await self.http.request(method, path, **more)
        except httpx2.HTTPError as error:
            self.statuses[type(error).__name__] += 1
            return None
        self.statuses[f"{answer.status_code // 100}xx"] += 1
        return answer

    async def read(self) -> None:
        """Lists, reports, pages: `rate` a second."""
        paths = (
            *("/api/v1/domains?page={n}", "/", "/api/v1/domains?min_score={n}&sort=ending", "/api/v1/stats"),
            *("/api/v1/domains/{name}", "/domains/{name}", "/api/v1/domains/archive?q=a{n}", "/api/v1/me"),
        )
        for number in itertools.count():
            name = self.names[number % len(self.names)]
            answer = await self.ask("GET", paths[number % len(paths)].format(n=number % 40 + 1, name=name))
            if answer is not None and number % len(paths) == 0 and answer.status_code == 200:
                self.names = [item["domain"] for item in answer.json()["data"]] or self.names
            await asyncio.sleep(1 / self.rate)

    async def cause_deliveries(self, hooks: list[int]) -> None:
        """A test event and now and then a check, which is delivered as well."""
        for number in itertools.count():
            await self.ask("POST", f"/api/v1/webhooks/{hooks[number % len(hooks)]}/test")
            if number % 10 == 0:
                await self.ask("POST", "/api/v1/checks", json={"domain": f"ordered-{number % 500}.com"})
            await asyncio.sleep(1)


@dataclass(frozen=True)
class Figures:
    """The measured process at a moment, and what has been done since the day began."""

    memory: float
    handles: int
    threads: int
    children: int
    log: int
    database: int
    done: tuple[int, ...]
    asked: int

    @classmethod
    async def take(cls, process: int, folder: Path, database: Database, asked: int) -> Figures:
        """Look at the process and its database."""
        proc = Path(f"/proc/{process}")
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        files = [folder / f"afterdrop.sqlite3{ending}" for ending in ("", "-wal")]
        counts = [
            sa.select(sa.func.count()).select_from(table) for table in (scans, reviews, domains, deliveries)
        ]
        async with database.read() as conn:
            done = tuple([int((await conn.execute(count)).scalar_one()) for count in counts])
        return cls(
            int(status["VmRSS"].split()[0]) / 1024, len(list((proc / "fd").iterdir())), int(status["Threads"]),
            len((proc / "task" / str(process) / "children").read_text().split()),
            (folder / "log").stat().st_size, sum(file.stat().st_size for file in files if file.exists()), done, asked,
        )  # fmt: skip

    def row(self, hour: float) -> str:
        """A line of the table."""
        counts = " ".join(f"{count:7}" for count in self.done)
        return (
            f"{hour:5.0f} {self.memory:8.0f} {self.handles:7} {self.threads:7} {self.children:8} {self.log / 1000:8.0f}"
            f" {self.database / MB:8.1f} {self.asked:8} {counts}"
        )


async def prepared(
    database: Database, running: RunningSandbox, http: httpx2.AsyncClient, now: datetime
) -> list[int]:
    """A member with a key, a rule that matches everything, and two receivers; the receivers' ids."""
    async with database.write() as conn:
        new = members.NewAccount("day@bench.example", verified=True, plan_until=now + 9 * DAY)
        account = await members.create_account(conn, new, now=now, welcome=10**6)
        issued = await members.issue_key(conn, account.id, "k", entropy=b"d" * 32, now=now)
    http.headers["Authorization"] = f"Bearer {issued.key.text}"
    await http.post("/api/v1/alerts", json={"name": "everything", "frequency": "instant"})
    kinds = ["alert.matched", "check.completed", "domain.available", "domain.ending_soon"]
    made = []
    for number in range(2):
        hook = {"url": f"{running.url}/_sandbox/hooks/{number}", "events": kinds}
        made.append((await http.post("/api/v1/webhooks", json=hook)).json()["data"]["id"])
    return made


def _settings(running: RunningSandbox, folder: Path, port: int, speed: float) -> Path:
    file = folder / "afterdrop.toml"
    own = {
        "site_url": f'"http://127.0.0.1:{port}"', "data_dir": f'"{folder}"', "worker_lease_seconds": 120 * speed,
        "webhook.lease_seconds": 60 * speed, "webhook.allow_loopback": "true", "scan.budget_hours": 4,
        "plans.pro.requests_per_minute": 10**9, "plans.pro.requests_per_day": 10**9, "log.access": "true",
        "site.pages_per_minute": 10**9,
    }  # fmt: skip
    lines = "".join(f"{key} = {value}\n" for key, value in own.items())
    file.write_text(lines + settings_toml(running), encoding="utf-8")
    return file


async def day(minutes: float, names: int, reads: float, folder: Path) -> list[Figures]:
    """Live through a day; its figures, part by part."""
    began = clock.epoch() + 20
    midnight = clock.now().replace(hour=0, minute=0, second=0)
    time = FastClock(midnight, began, DAY.total_seconds() / (minutes * 60))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    async with start(3, names, day=midnight.date(), now=time.now) as running:
        file = _settings(running, folder, port, time.speed)
        migrate.upgrade(database_url(load(file=file)))
        database = open_database(database_url(load(file=file)))
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "bench.day", "--serve", str(file), str(port), *time.words],
                env={**os.environ, **running.environment}, stdout=log, stderr=log,
            )  # fmt: skip
        http = httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60)
        use = Use(http, reads)
        try:
            return await _lived(process, folder, database, use, running, time)
        finally:
            process.terminate()
            process.wait(60)
            await http.aclose()
            await database.close()
            print(f"answers: {dict(use.statuses)}")


async def _lived(
    process: subprocess.Popen[bytes], folder: Path, database: Database, use: Use, running: RunningSandbox,
    time: FastClock,
) -> list[Figures]:  # fmt: skip
    while True:
        with contextlib.suppress(httpx2.TransportError):
            if (await use.http.get("/healthz")).status_code == 200:
                break
        if process.poll() is not None:
            raise RuntimeError((folder / "log").read_text()[-3000:])
        await asyncio.sleep(0.2)
    hooks = await prepared(database, running, use.http, time.now())
    tasks = [asyncio.create_task(each) for each in (use.read(), use.cause_deliveries(hooks))]
    found: list[Figures] = []
    for part in range(1, PARTS + 1):
        while time.now() < time.day + part * DAY / PARTS:
            await asyncio.sleep(0.2)
            for task in tasks:
                if task.done():
                    task.result()
        found.append(await Figures.take(process.pid, folder, database, use.statuses.total()))
        print(found[-1].row(part * 24 / PARTS), flush=True)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return found


def judged(found: list[Figures]) -> list[str]:
    """How the day's end compares with its middle."""
    middle, end = found[len(found) // 2 - 1], found[-1]
    logged = [later.log - earlier.log for earlier, later in itertools.pairwise(found)]
    return [
        f"memory from noon to midnight: {100 * (end.memory / middle.memory - 1):+.1f} %",
        f"handles from noon to midnight: {end.handles - middle.handles:+}",
        f"log an eighth of the day, least and most: {min(logged) / 1000:.0f} and {max(logged) / 1000:.0f} kB",
    ]


def main() -> None:
    """Measure, or be what is measured."""
    if sys.argv[1:2] == ["--serve"]:
        file, port, midnight, began, speed = sys.argv[2:]
        time = FastClock(datetime.fromisoformat(midnight).astimezone(UTC), float(began), float(speed))
        asyncio.run(serve(Path(file), int(port), time))
        return
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--minutes", type=float, default=15)
    given.add_argument("--names", type=int, default=250)
    given.add_argument("--reads", type=float, default=20, help="a second")
    asked = given.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}; a day in {asked.minutes:g} minutes,", end=" ")
    print(f"{asked.names} names, {asked.reads:g} reads a second")
    print(
        " hour  memory/MB handles threads children  log/kB  data/MB requests   scans reviews published deliveries"
    )
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(day(asked.minutes, asked.names, asked.reads, Path(folder)))
    print("\n".join(judged(found)))


if __name__ == "__main__":
    main()
