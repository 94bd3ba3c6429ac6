"""What Common Crawl knows of names, and what asking for them costs: crawls, captures, requests, bytes, seconds.

    python -m bench.common_crawl [--names FILE --settings FILE] [--tables N]

Without arguments the names are a sandbox's. With a file of names, one a line, the real files are asked at the pace of
the settings: the tables of the newest N crawls are fetched first, some 100 MB each. This tells, before
`archive.common_crawl` is switched on, how many of the names in a list that archive knows.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any
from urllib.parse import urlsplit

from afterdrop.core import clock
from afterdrop.core.settings import Archive, HostPace, Pace, Settings
from afterdrop.core.settings_file import load
from afterdrop.db import migrate
from afterdrop.db.engine import database_url, open_database
from afterdrop.http.client import Fetched, Fetcher, open_fetcher
from afterdrop.sandbox import start
from afterdrop.sandbox.crawl_server import LIST_PATH
from afterdrop.sources.archive.common_crawl import CommonCrawl


@dataclass
class Counted:
    """A client that counts what it is answered."""

    web: Fetcher
    requests: int = 0
    size: int = 0

    async def get(self, url: str, **options: Any) -> Fetched:
        answer = await self.web.get(url, **options)
        self.requests += 1
        self.size += len(answer.body)
        return answer


async def measure(settings: Settings, names: list[str], tables: int | None) -> None:
    """Ask about every name and print what that came to."""
    url = database_url(settings)
    migrate.upgrade(url)
    database = open_database(url)
    try:
        async with open_fetcher(settings, database, clock.epoch, random.Random(1)) as fetcher:
            web = Counted(fetcher)
            crawl = CommonCrawl(web, settings.archive, settings.data_dir / "crawls")
            await crawl.fetch_tables(clock.now(), tables)
            disk = sum(file.stat().st_size for file in crawl.folder.glob("*.blocks"))
            print(
                f"{len(crawl.tables())} tables: {web.requests} requests, {web.size:,} bytes, {disk:,} on disk"
            )
            known = await _ask(crawl, web, names)
    finally:
        await database.close()
    print(
        f"{len(names)} names, of which {len(known)} are known; captures of each, in the mean: {mean(known or [0]):.1f}"
    )


async def _ask(crawl: CommonCrawl, web: Counted, names: list[str]) -> list[int]:
    web.requests = web.size = 0
    began = clock.monotonic()
    answers = [await crawl.index(name) for name in names]
    seconds = clock.monotonic() - began
    of_each = f"{web.requests / len(names):.1f} requests, {web.size / len(names):,.0f} bytes"
    print(f"a name: {of_each}, {seconds / len(names):.2f} s")
    return [len(answer.places) for answer in answers if answer.places]


async def in_sandbox(tables: int | None) -> None:
    """The same of a sandbox's names, at no pace to speak of."""
    with tempfile.TemporaryDirectory() as folder:
        async with start(1, 250) as running:
            origin = running.origins["crawl"]
            settings = Settings(
                data_dir=Path(folder),
                trusted_origins=(origin,),
                archive=Archive(crawl_url=origin, crawls_url=f"{origin}{LIST_PATH}", common_crawl=True),
                pace=Pace(hosts={urlsplit(origin).netloc: HostPace(per_second=2000, at_once=1)}),
            )
            await measure(settings, [story.domain for story in running.world.stories], tables)


def main() -> None:
    """Print what is known, and what that cost."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--names", type=Path)
    parser.add_argument("--settings", type=Path)
    parser.add_argument("--tables", type=int)
    chosen = parser.parse_args()
    if chosen.names is None:
        asyncio.run(in_sandbox(chosen.tables))
    else:
        names = chosen.names.read_text(encoding="utf-8").split()
        asyncio.run(measure(load(file=chosen.settings), names, chosen.tables))


if __name__ == "__main__":
    main()
