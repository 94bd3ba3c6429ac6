"""What every door of a running service shares: settings, database, secrets, the way out, counters, the clock."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime

from afterdrop.accounts.key_cache import KeyCache
from afterdrop.accounts.rate_limit_store import RateLimitStore
from afterdrop.accounts.secret_box import SecretBox, open_secret_box
from afterdrop.accounts.versions import Versions
from afterdrop.catalogue.lists import ListTotals
from afterdrop.catalogue.summary import Links
from afterdrop.core import clock
from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.http.client import Fetcher, open_fetcher
from afterdrop.lookups.sources import Sources, open_sources
from afterdrop.metrics.provider_files import load_providers
from afterdrop.metrics.provider_spec import ProviderSpec
from afterdrop.web.api.list_cache import ListCache
from afterdrop.web.session_limits import SessionLimits


@dataclass
class Outbound:
    """The ways out to the web, open while the service runs."""

    fetcher: Fetcher | None = None
    sources: Sources | None = None


@dataclass(frozen=True)
class Environment:
    """One process's service. Build with `make_environment`; `running` opens and closes what needs it."""

    settings: Settings
    database: Database
    secret_box: SecretBox
    keys: KeyCache
    lists: ListCache
    sessions: SessionLimits
    usage: RateLimitStore
    totals: ListTotals
    links: Links
    now: Callable[[], datetime]
    providers: tuple[ProviderSpec, ...]
    _outbound: Outbound = field(default_factory=Outbound)

    @property
    def sources(self) -> Sources:
        """Whom look-ups ask; only while `running`."""
        if self._outbound.sources is None:
            raise SettingsError("environment", "look-ups can be asked only while the service runs")
        return self._outbound.sources

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open the way out where the caller gave none, and save the counters in the background, also at the end."""
        async with AsyncExitStack() as stack:
            fetcher = self._outbound.fetcher
            if fetcher is None:
                fetcher = await stack.enter_async_context(
                    open_fetcher(self.settings, self.database, clock.epoch, clock.rng())
                )
            self._outbound.sources = open_sources(self.settings, self.database, fetcher, self.providers)
            stack.callback(setattr, self._outbound, "sources", None)
            saving = asyncio.create_task(self.usage.keep_saving(self.now))
            try:
                yield
            finally:
                saving.cancel()
                with suppress(asyncio.CancelledError):
                    await saving
                await self.usage.save(self.now())


def make_environment(
    settings: Settings,
    database: Database,
    *,
    now: Callable[[], datetime] = clock.now,
    fetcher: Fetcher | None = None,
    providers: Sequence[ProviderSpec] | None = None,
    monotonic: Callable[[], float] = clock.monotonic,
) -> Environment:
    """The environment of a service over an open, migrated database.

    `providers` answer Domain Ratings; None: those the settings name. Raises SettingsError for a wrong provider file.
    """
    versions = Versions(database, monotonic)
    return Environment(
        settings=settings,
        database=database,
        secret_box=open_secret_box(settings),
        keys=KeyCache(database, versions),
        lists=ListCache(versions),
        sessions=SessionLimits(settings.site),
        usage=RateLimitStore(database),
        totals=ListTotals(),
        links=Links.of(settings),
        now=now,
        providers=tuple(load_providers(settings, os.environ) if providers is None else providers),
        _outbound=Outbound(fetcher),
    )
