"""The context of the API, MCP and the site in one process: settings, database, secrets, caches, counters, the clock."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.key_cache import KeyCache
from afterdrop.accounts.rate_limit_store import RateLimitStore
from afterdrop.accounts.secret_box import SecretBox, open_secret_box
from afterdrop.accounts.versions import Versions
from afterdrop.catalogue.lists.pages import Lists
from afterdrop.catalogue.lists.snapshots import Snapshots
from afterdrop.catalogue.summary import Links
from afterdrop.core import clock
from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.feeds.preset_files import all_configured
from afterdrop.http.client import Fetcher, open_fetcher
from afterdrop.sources.lookups.sources import Sources, open_sources
from afterdrop.sources.metrics.provider_files import load_providers
from afterdrop.sources.metrics.provider_spec import ProviderSpec
from afterdrop.sources.registry.bootstrap import shipped_bootstrap
from afterdrop.sources.registry.client import Confirmation, confirmation
from afterdrop.web.responses import ListCache
from afterdrop.web.session_limits import SessionLimits


@dataclass
class Outbound:
    """The HTTP client and the sources of look-ups, open while the service runs."""

    fetcher: Fetcher | None = None
    sources: Sources | None = None


@dataclass(frozen=True)
class WebContext:
    """The web side of one process. `make_web_context` makes it; `running` opens and closes what needs it.

    `legal` holds the operator's texts by name: `terms`, `privacy`.
    """

    settings: Settings
    database: Database
    secret_box: SecretBox
    keys: KeyCache
    list_cache: ListCache
    session_limits: SessionLimits
    rate_limits: RateLimitStore
    lists: Lists
    links: Links
    snapshots: Snapshots
    now: Callable[[], datetime]
    providers: tuple[ProviderSpec, ...]
    legal: Mapping[str, str] = field(default_factory=dict)
    _outbound: Outbound = field(default_factory=Outbound)

    @property
    def sources(self) -> Sources:
        """The registries, resolvers and providers that look-ups ask; only while `running`."""
        if self._outbound.sources is None:
            raise SettingsError("environment", "look-ups can be asked only while the service runs")
        return self._outbound.sources

    async def confirmation(self, conn: AsyncConnection, domain: str) -> Confirmation:
        """How a registrable domain is confirmed free. IANA's list counts as it was last read; nobody is asked."""
        sources = self._outbound.sources
        bootstrap = await sources.registry.rdap.registries.kept() if sources else shipped_bootstrap()
        return await confirmation(conn, domain, bootstrap, self.settings.registry)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open an HTTP client where the caller gave none, and save the counters in the background and at the end."""
        async with AsyncExitStack() as stack:
            fetcher = self._outbound.fetcher
            if fetcher is None:
                fetcher = await stack.enter_async_context(
                    open_fetcher(self.settings, self.database, clock.epoch, clock.rng())
                )
            self._outbound.sources = open_sources(self.settings, self.database, fetcher, self.providers)
            stack.callback(setattr, self._outbound, "sources", None)
            stack.push_async_callback(self.snapshots.close)
            self.snapshots.start()
            saving = asyncio.create_task(self.rate_limits.keep_saving(self.now))
            try:
                yield
            finally:
                saving.cancel()
                with suppress(asyncio.CancelledError):
                    await saving
                await self.rate_limits.save(self.now())


def make_web_context(
    settings: Settings,
    database: Database,
    *,
    now: Callable[[], datetime] = clock.now,
    fetcher: Fetcher | None = None,
    providers: Sequence[ProviderSpec] | None = None,
    monotonic: Callable[[], float] = clock.monotonic,
) -> WebContext:
    """The context of a service over an open, migrated database.

    `providers` answer Domain Ratings; without them those that the settings name do. Raises SettingsError for a wrong
    feed or provider file, or one that the audience may not see, and for terms that cannot be read.
    """
    # A node without a worker reads no feed, and refuses one that its audience may not see all the same.
    all_configured(settings)
    versions = Versions(database, monotonic)
    links = Links.of(settings)
    snapshots = Snapshots(database, versions, links, monotonic, now, settings.data_dir / "lists")
    return WebContext(
        settings=settings,
        database=database,
        secret_box=open_secret_box(settings),
        keys=KeyCache(database, versions),
        list_cache=ListCache(versions),
        session_limits=SessionLimits(settings.site),
        rate_limits=RateLimitStore(database),
        lists=Lists(snapshots),
        links=links,
        snapshots=snapshots,
        now=now,
        providers=tuple(load_providers(settings, os.environ) if providers is None else providers),
        legal=_legal_texts(settings),
        _outbound=Outbound(fetcher),
    )


def _legal_texts(settings: Settings) -> dict[str, str]:
    """The operator's terms and privacy policy, where the settings name files."""
    files = {"terms": settings.site.terms, "privacy": settings.site.privacy}
    texts: dict[str, str] = {}
    for name, file in files.items():
        try:
            if file is not None:
                texts[name] = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"site.{name}", f"{file} cannot be read ({error})") from None
    return texts
