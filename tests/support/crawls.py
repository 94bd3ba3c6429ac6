"""A client of a Common Crawl that answers here."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

from afterdrop.core import clock
from afterdrop.core.settings import Archive, HostPace, Pace, Settings
from afterdrop.db.engine import Database
from afterdrop.http.client import open_fetcher
from afterdrop.sandbox.crawl_server import LIST_PATH
from afterdrop.sources.archive.common_crawl import CommonCrawl


@asynccontextmanager
async def client(origin: str, database: Database, folder: Path) -> AsyncIterator[CommonCrawl]:
    """A client of the Common Crawl at `origin`."""
    archive = Archive(crawl_url=origin, crawls_url=f"{origin}{LIST_PATH}", timeout_seconds=20)
    pace = Pace(hosts={urlsplit(origin).netloc: HostPace(per_second=2000, at_once=1)})
    settings = Settings(trusted_origins=(origin,), archive=archive, pace=pace)
    async with open_fetcher(settings, database, clock.epoch, random.Random(1)) as fetcher:
        yield CommonCrawl(fetcher, archive, folder)
