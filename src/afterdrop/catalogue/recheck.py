"""The registry re-check: ask the registries again about domains whose listings have ended."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import recheck_store
from afterdrop.catalogue.publish import advance_listings
from afterdrop.catalogue.recheck_rules import Change, Doubt, EndedDomain, Waits, decide
from afterdrop.catalogue.rows import DomainRow
from afterdrop.core.domain_names import tld
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.engine import Database
from afterdrop.lookups.sources import Sources
from afterdrop.queue.context import QueueContext
from afterdrop.registry.rdap_answer import RegistryAnswer

log = logging.getLogger(__name__)

_AT_ONCE = 50
_HOSTS_AT_ONCE = 8
_LEASE = timedelta(minutes=15)


class Registry(Protocol):
    """The registry client (`registry.rdap.RdapClient`): it answers from no cache, and a failure is an answer."""

    async def ask(self, domain: str, now: datetime) -> RegistryAnswer:
        """What the registry says now."""

    async def host(self, domain: str, now: datetime) -> str | None:
        """The host that answers for the name, None without RDAP."""


class RecheckContext(QueueContext, Protocol):
    """What the registry re-check needs."""

    @property
    def sources(self) -> Sources:
        """Registries and resolvers."""
        ...


@dataclass
class RecheckPass:
    """One pass over the ended domains that are due. `delegated` asks the parent zone (None: it did not say)."""

    database: Database
    registry: Registry
    delegated: Callable[[str], Awaitable[bool | None]]
    clock: Callable[[], datetime]
    worker: str
    settings: RegistrySettings
    counts: Counter[str] = field(default_factory=Counter)
    _canaries: dict[str, bool] = field(default_factory=dict)

    @property
    def waits(self) -> Waits:
        """The settings' waits."""
        return Waits(
            often=timedelta(seconds=self.settings.recheck_seconds),
            slow=timedelta(seconds=self.settings.recheck_slow_seconds),
            gap=timedelta(seconds=self.settings.announce_gap_seconds),
        )

    async def run(self) -> Counter[str]:
        """Re-check every domain that is due, hosts side by side; gives counts (see `recheck`)."""
        while rows := await self._claim():
            self._canaries.clear()
            by_host: dict[str | None, list[DomainRow]] = defaultdict(list)
            for row in rows:
                by_host[await self.registry.host(row["domain"], self.clock())].append(row)
            side_by_side = asyncio.Semaphore(_HOSTS_AT_ONCE)
            async with asyncio.TaskGroup() as group:
                for host, mine in by_host.items():
                    group.create_task(self._recheck_host(host, mine, side_by_side))
        return self.counts

    async def _claim(self) -> list[DomainRow]:
        now = self.clock()
        async with self.database.read() as conn:
            names = await recheck_store.due_names(conn, now, _AT_ONCE)
        if not names:
            return []
        async with self.database.write() as conn:
            return await recheck_store.claim(conn, names, self.worker, now, _LEASE)

    async def _recheck_host(
        self, host: str | None, rows: list[DomainRow], side_by_side: asyncio.Semaphore
    ) -> None:
        async with side_by_side:
            # Names not asked about before go first: the confirmations are judged by what they find, too.
            for row in sorted(rows, key=lambda row: row["first_free_at"] is not None):
                await self._recheck(host, row)

    async def _recheck(self, host: str | None, row: DomainRow) -> None:
        known = EndedDomain.of(row)
        confirming = known.confirming(self.clock(), self.waits.gap)
        canary = confirming and host is not None and await self._canary(host, row["domain"])
        answer = await self.registry.ask(row["domain"], self.clock())
        now = self.clock()
        delegated = await self.delegated(row["domain"]) if answer.state == "available" else None
        async with self.database.write() as conn:
            mass = confirming and await self._mass(conn, host, known, now)
            change = decide(known, answer, Doubt(delegated, canary, mass), now, self.waits)
            pass_at = recheck_store.pass_start(now, self.waits.often)
            written = await recheck_store.settle(conn, row, change, host, pass_at, now)
        self._note(host, row["domain"], change, written=written)

    async def _mass(self, conn: AsyncConnection, host: str | None, known: EndedDomain, now: datetime) -> bool:
        if host is None or known.first_free_at is None:
            return False
        often = self.waits.often
        passes = [recheck_store.pass_start(moment, often) for moment in (known.first_free_at, now)]
        return await recheck_store.mass_not_found(conn, host, passes, now, self.settings.mass_404_share)

    async def _canary(self, host: str, domain: str) -> bool:
        """Whether a name known to be registered at this host answers as registered; asked once for each batch."""
        key = f"{host} {tld(domain)}"
        if key not in self._canaries:
            self._canaries[key] = False
            for name in await self._canary_names(host, domain):
                if (await self.registry.ask(name, self.clock())).state in ("registered", "dropping"):
                    self._canaries[key] = True
                    break
        return self._canaries[key]

    async def _canary_names(self, host: str, domain: str) -> list[str]:
        extension = tld(domain)
        canaries = self.settings.canaries
        chosen = canaries.get(extension) or canaries.get(host)
        if chosen:
            return [chosen]
        async with self.database.read() as conn:
            known = await recheck_store.known_registered(conn, host, domain)
        # Registries keep nic.<tld> for themselves. Where one does not, the canary fails and nothing is announced.
        return [*([known] if known else []), f"nic.{extension}"]

    def _note(self, host: str | None, domain: str, change: Change, *, written: bool) -> None:
        self.counts["asked"] += 1
        if not written:
            self.counts["lost"] += 1
            return
        for name in ("turned", "announce", "withheld"):
            self.counts[name] += int(getattr(change, name))
        if change.values.get("caught_after_drop"):
            self.counts["caught"] += 1
        if change.withheld:
            log.warning(
                "%s says %s is not registered; not trusted yet; see the registry passes", host, domain
            )


async def recheck(context: RecheckContext) -> Counter[str]:
    """Re-check every ended domain that is due; gives counts: asked, turned, announce, withheld, caught, lost.

    Domains that become due meanwhile are re-checked, too. The context's clock gives the time of every answer: the
    gap between two "not found" counts from the answers. Listings that are due are advanced first.
    """
    async with context.database.write() as conn:
        await advance_listings(conn, context.now())
    sources = context.sources
    return await RecheckPass(
        context.database,
        sources.rdap,
        sources.dns.delegated,
        context.now,
        context.worker,
        context.settings.registry,
    ).run()
