"""The context of a worker: the open database, HTTP client, page readers, and the configured feeds and providers."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from afterdrop.accounts.secret_box import SecretBox, open_secret_box
from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.delivery.webhooks.send import Sender, open_sender
from afterdrop.feeds.preset_files import all_configured
from afterdrop.feeds.spec import FeedSpec
from afterdrop.http.client import Fetcher, open_fetcher
from afterdrop.review.page.pool import PagePool
from afterdrop.sources.archive.archives import Archives, open_archives
from afterdrop.sources.live.pages import LivePages, open_live_pages
from afterdrop.sources.lookups.sources import Sources, open_sources
from afterdrop.sources.metrics.lookup import LocalRanks
from afterdrop.sources.metrics.provider_files import load_providers
from afterdrop.sources.metrics.provider_spec import ProviderSpec
from afterdrop.sources.webgraph.table import LinkRanks
from afterdrop.sources.webgraph.table_dir import open_table_dir


@dataclass(frozen=True)
class WorkerContext:
    """Open it with `open_context`. `now` is the worker's clock; demos and tests may set another day."""

    settings: Settings
    database: Database
    worker: str
    now: Callable[[], datetime]
    fetcher: Fetcher
    archives: Archives
    live: LivePages
    pages: PagePool
    sources: Sources
    feeds: tuple[FeedSpec, ...]
    providers: tuple[ProviderSpec, ...]
    sender: Sender
    secret_box: SecretBox
    local: tuple[LocalRanks, ...] = ()

    @property
    def lease(self) -> timedelta:
        """How long a claimed row is held before others may claim it; it is renewed while the row is worked on."""
        return timedelta(seconds=self.settings.worker_lease_seconds)

    def with_priority(self) -> WorkerContext:
        """The same context for checks: they go before the scan at every paced host and in the page pool."""
        fetcher = self.fetcher.with_priority()
        return replace(
            self, fetcher=fetcher, archives=self._archives(fetcher), pages=self.pages.with_priority()
        )

    def behind_the_scan(self) -> WorkerContext:
        """The same context for visitors' checks: a host is asked only while nobody else asks it."""
        fetcher = self.fetcher.behind_the_scan()
        return replace(self, fetcher=fetcher, archives=self._archives(fetcher))

    def _archives(self, fetcher: Fetcher) -> Archives:
        return open_archives(fetcher, self.settings.archive, self.settings.data_dir)

    def at(self, now: Callable[[], datetime]) -> WorkerContext:
        """The same context with another clock."""
        return replace(self, now=now)


@asynccontextmanager
async def open_context(
    settings: Settings,
    database: Database,
    *,
    worker: str,
    now: Callable[[], datetime] = clock.now,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[WorkerContext]:
    """Open the context and close it at the end. Raises SettingsError for a wrong feed or provider file."""
    feeds = tuple(all_configured(settings))
    providers = tuple(load_providers(settings, os.environ if environ is None else environ))
    async with (
        open_fetcher(settings, database, clock.epoch, clock.rng()) as fetcher,
        PagePool(settings.scan.page_processes) as pages,
        open_sender(settings.webhook, clock.epoch) as sender,
        open_live_pages(settings, database, clock.epoch, pages.run) as live,
        LinkRanks(open_table_dir(settings)) as ranks,
    ):
        yield WorkerContext(
            settings=settings,
            database=database,
            worker=worker,
            now=now,
            fetcher=fetcher,
            archives=open_archives(fetcher, settings.archive, settings.data_dir),
            live=live,
            pages=pages,
            sources=open_sources(settings, database, fetcher),
            feeds=feeds,
            providers=providers,
            sender=sender,
            secret_box=open_secret_box(settings),
            local=(ranks,),
        )
