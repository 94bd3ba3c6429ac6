"""How long a check takes, from order to report, at the pace settings of a real deployment.

    python -m bench.checks [--checks 8]

Checks domains of the sandbox one after another in one worker, each of them new to it. The sandbox's archive is asked at
the real archive's pace; all its other servers are one host, asked once a second, where real registries and vendors are
several. Prints seconds a check beside what that pace alone would need, from the sandbox's own log.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from afterdrop.accounts import members
from afterdrop.checks.order import order_check
from afterdrop.checks.worker import check_queue
from afterdrop.core import clock
from afterdrop.core.settings import HostPace, Pace, Settings
from afterdrop.core.settings_file import load
from afterdrop.db.engine import open_database
from afterdrop.db.migrate import upgrade
from afterdrop.queue.loop import QueueRunner
from afterdrop.sandbox import settings_toml, start
from afterdrop.sandbox.state import LoggedRequest
from afterdrop.worker_context import WorkerContext, open_context

REAL = Settings(database_url="", secret_keys=()).pace.hosts
INDEX, REPLAY = REAL["web.archive.org/cdx"], REAL["web.archive.org"]


async def _checked(context: WorkerContext, account: int, domain: str) -> float:
    """Seconds from order to end."""
    began = clock.monotonic()
    async with context.database.write() as conn:
        await order_check(conn, account, domain, allowance=0, now=clock.now())
    await QueueRunner(check_queue(context), context).run(until_empty=True)
    return clock.monotonic() - began


def _paced(log: list[LoggedRequest]) -> float:
    """Seconds that these requests need at the pace alone, one lane after another."""
    archive = [row["path"] for row in log if row["server"] == "archive"]
    indexes = sum("/cdx/" in path for path in archive)
    return (
        indexes / INDEX.per_second
        + (len(archive) - indexes) / REPLAY.per_second
        + (len(log) - len(archive)) / HostPace().per_second
    )


async def measure(count: int, folder: Path) -> None:
    """Check `count` domains and print a line each."""
    url = f"sqlite+aiosqlite:///{folder}/bench.sqlite3"
    await asyncio.to_thread(upgrade, url)
    async with start(1, max(count, 50)) as running:
        file = folder / "bench.toml"
        file.write_text(settings_toml(running), encoding="utf-8")
        host = urlsplit(running.origins["archive"]).netloc
        pace = Pace(default=HostPace(), hosts={host: REPLAY, f"{host}/cdx": INDEX})
        settings = load({}, file).model_copy(update={"pace": pace})
        database, log, spent = open_database(url), running.state.log, []
        async with database.write() as conn:
            account = await members.create_account(
                conn, members.NewAccount("bench@example.com", verified=True), now=clock.now(), welcome=count
            )
        async with open_context(settings, database, worker="bench") as context:
            for domain in sorted(running.world.by_domain)[:count]:
                before = len(log)
                spent.append(await _checked(context, account.id, domain))
                asked = list(log)[before:]
                print(
                    f"{spent[-1]:5.1f} s  {_paced(asked):5.1f} s of pace  {len(asked):3} requests  {domain}"
                )
        await database.close()
    print(f"median {statistics.median(spent):.1f} s, longest {max(spent):.1f} s")


def main() -> None:
    """Print every check and the median."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--checks", type=int, default=8)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(options.parse_args().checks, Path(folder)))


if __name__ == "__main__":
    main()
