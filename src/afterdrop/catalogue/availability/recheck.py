"""The registry re-check: ask the registries again about domains whose listings have ended."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.availability import following_store
from afterdrop.catalogue.availability import store as recheck_store
from afterdrop.catalogue.availability.rules import Change, Doubt, EndedDomain, Waits, decide
from afterdrop.catalogue.publish import advance_listings
from afterdrop.catalogue.rows import DomainRow
from afterdrop.core.domain_names import tld
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.engine import Database
from afterdrop.queue.loop import QueueContext
from afterdrop.sources.lookups.sources import Sources
from afterdrop.sources.registry.client import registered_name
from afterdrop.sources.registry.rdap_answer import RegistryAnswer

log = logging.getLogger(__name__)

AT_ONCE: Final = 50
# The contract's two hours, for ended names and followed ones that are pending delete.
_OFTEN: Final = timedelta(hours=2)
# One that stays unresolved for long, or a followed one that may change soon.
_SLOWLY: Final = timedelta(days=1)
# A registry of which so many names turn "not found" at once is in trouble.
_MASS_404_SHARE: Final = 0.2
LEASE: Final = timedelta(minutes=15)
_HOSTS_AT_ONCE: Final = 8
# A row with a domain, and when the registry first did not find it.
RowT = TypeVar("RowT", bound=Mapping[str, object])


class Registry(Protocol):
    """The registry client (`sources.registry.client.RegistryClient`). It has no cache, and a failure is an answer."""

    async def ask(self, domain: str, now: datetime) -> RegistryAnswer:
        """What the registry says now."""

    async def host(self, domain: str, now: datetime) -> str | None:
        """The host that answers for the name, None where nothing can be asked."""


class RecheckContext(QueueContext, Protocol):
    """What the registry re-check needs."""

    @property
    def sources(self) -> Sources:
        """Registries and resolvers."""
        ...


@dataclass
class Inquiry:
    """Asks registries, and gathers what speaks against a "not found".

    `delegated` asks the parent zone (None: it did not say).
    """

    database: Database
    registry: Registry
    delegated: Callable[[str], Awaitable[bool | None]]
    clock: Callable[[], datetime]
    settings: RegistrySettings
    _canaries: dict[str, bool] = field(default_factory=dict)

    @property
    def waits(self) -> Waits:
        """How long each kind of name waits for its next question."""
        return Waits(_OFTEN, _SLOWLY, timedelta(seconds=self.settings.announce_gap_seconds))

    async def batch(self, rows: Sequence[RowT], ask: Callable[[str | None, RowT], Awaitable[None]]) -> None:
        """Ask about the domains of these rows, hosts side by side, each canary anew.

        Names not asked about before go first: the confirmations are judged by what they find, too.
        """
        self._canaries.clear()
        by_host: dict[str | None, list[RowT]] = defaultdict(list)
        for row in sorted(rows, key=lambda row: row["first_free_at"] is not None):
            by_host[await self.registry.host(str(row["domain"]), self.clock())].append(row)
        side_by_side = asyncio.Semaphore(_HOSTS_AT_ONCE)

        async def ask_host(host: str | None, mine: Sequence[RowT]) -> None:
            async with side_by_side:
                for row in mine:
                    await ask(host, row)

        async with asyncio.TaskGroup() as group:
            for host, mine in by_host.items():
                group.create_task(ask_host(host, mine))

    async def ask(self, host: str | None, domain: str, *, confirming: bool) -> tuple[RegistryAnswer, Doubt]:
        """The answer, and the doubts that can be had from outside; `mass` is asked in the transaction that decides."""
        canary = confirming and host is not None and await self._canary(host, domain)
        answer = await self.registry.ask(domain, self.clock())
        delegated = await self.delegated(domain) if answer.state == "available" else None
        return answer, Doubt(delegated, canary)

    async def mass(
        self, conn: AsyncConnection, host: str | None, first_free_at: datetime | None, now: datetime
    ) -> bool:
        """Whether too many of the host's names turned "not found" when this one did, or do now."""
        if host is None or first_free_at is None:
            return False
        passes = [recheck_store.pass_start(moment, _OFTEN) for moment in (first_free_at, now)]
        return await recheck_store.mass_not_found(conn, host, passes, now, _MASS_404_SHARE)

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
        # Many registries keep nic.<tld> for themselves. Elsewhere the name that servers are tried with stands in.
        return [*([known] if known else []), f"nic.{extension}", registered_name(extension, self.settings)]


@dataclass
class RecheckPass:
    """One pass over the ended domains that are due."""

    inquiry: Inquiry
    worker: str
    counts: Counter[str] = field(default_factory=Counter)

    async def run(self) -> Counter[str]:
        """Re-check every domain that is due, hosts side by side; gives counts (see `recheck`)."""
        while rows := await self._claim():
            await self.inquiry.batch(rows, self._recheck)
        return self.counts

    async def _claim(self) -> list[DomainRow]:
        now = self.inquiry.clock()
        async with self.inquiry.database.read() as conn:
            names = await recheck_store.due_names(conn, now, AT_ONCE)
        if not names:
            return []
        async with self.inquiry.database.write() as conn:
            return await recheck_store.claim(conn, names, self.worker, now, LEASE)

    async def _recheck(self, host: str | None, row: DomainRow) -> None:
        inquiry, known = self.inquiry, EndedDomain.of(row)
        waits = inquiry.waits.of(row["domain"], known.first_free_at, known.expires_at)
        confirming = known.confirming(inquiry.clock(), waits.gap)
        answer, doubt = await inquiry.ask(host, row["domain"], confirming=confirming)
        now = inquiry.clock()
        async with inquiry.database.write() as conn:
            mass = confirming and await inquiry.mass(conn, host, known.first_free_at, now)
            change = decide(known, answer, replace(doubt, mass=mass), now, waits)
            pass_at = recheck_store.pass_start(now, waits.often)
            written = await recheck_store.settle(conn, row, change, host, pass_at, now)
            if written:
                await following_store.note_recheck(conn, row["domain"], answer, now, free=change.announce)
        self._note(host, row["domain"], change, written=written)

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
    inquiry = Inquiry(
        context.database,
        sources.registry.for_rechecks(),
        sources.dns.delegated,
        context.now,
        context.settings.registry,
    )
    return await RecheckPass(inquiry, context.worker).run()
