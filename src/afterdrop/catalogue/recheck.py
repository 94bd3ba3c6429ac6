"""Asking the registries again about domains whose listings have ended."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from afterdrop.catalogue import recheck_store
from afterdrop.catalogue.publish import advance_listings
from afterdrop.catalogue.recheck_rules import Change, Doubt, Followed, Waits, decide
from afterdrop.core.domain_names import tld
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.engine import Database
from afterdrop.registry.rdap_answer import RegistryAnswer

log = logging.getLogger(__name__)

_AT_ONCE = 50
_HOSTS_AT_ONCE = 8
_LEASE = timedelta(minutes=15)


class Registry(Protocol):
    """Whom to ask (`clients.rdap.RdapClient`): never from a cache, and a failure is an answer."""

    async def ask(self, domain: str, now: datetime) -> RegistryAnswer:
        """What the registry says now."""

    async def host(self, domain: str, now: datetime) -> str | None:
        """The host that answers for the name, None without RDAP."""


@dataclass
class Pass:
    """One pass over the ended domains that are due. `delegated` asks the parent zone (None: could not be told)."""

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
        """Look at everything due; counts asked, announced, caught, withheld, lost. Hosts are asked side by side."""
        while rows := await self._claim():
            self._canaries.clear()
            by_host: dict[str | None, list[dict[str, Any]]] = defaultdict(list)
            for row in rows:
                by_host[await self.registry.host(row["domain"], self.clock())].append(row)
            slots = asyncio.Semaphore(_HOSTS_AT_ONCE)
            async with asyncio.TaskGroup() as group:
                for host, mine in by_host.items():
                    group.create_task(self._host(host, mine, slots))
        return self.counts

    async def _claim(self) -> list[dict[str, Any]]:
        now = self.clock()
        async with self.database.read() as conn:
            names = await recheck_store.due_names(conn, now, _AT_ONCE)
        if not names:
            return []
        async with self.database.write() as conn:
            return await recheck_store.claim(conn, names, self.worker, now, _LEASE)

    async def _host(self, host: str | None, rows: list[dict[str, Any]], slots: asyncio.Semaphore) -> None:
        async with slots:
            # First looks first: what they find is part of the picture the confirmations are held against.
            for row in sorted(rows, key=lambda row: row["first_free_at"] is not None):
                await self._look(host, row)

    async def _look(self, host: str | None, row: dict[str, Any]) -> None:
        known = Followed.of(row)
        confirming = known.confirming(self.clock(), self.waits.gap)
        canary = confirming and host is not None and await self._canary(host, row["domain"])
        answer = await self.registry.ask(row["domain"], self.clock())
        now = self.clock()
        delegated = await self.delegated(row["domain"]) if answer.state == "available" else None
        async with self.database.write() as conn:
            mass = confirming and await self._mass(conn, host, known, now)
            change = decide(known, answer, Doubt(delegated, canary, mass), now, self.waits)
            slot = recheck_store.slot_of(now, self.waits.often)
            kept = await recheck_store.settle(conn, row, change, host, slot, now)
        self._note(host, row["domain"], change, kept=kept)

    async def _mass(self, conn: Any, host: str | None, known: Followed, now: datetime) -> bool:
        if host is None or known.first_free_at is None:
            return False
        often = self.waits.often
        slots = [recheck_store.slot_of(moment, often) for moment in (known.first_free_at, now)]
        return await recheck_store.mass_in(conn, host, slots, now, self.settings.mass_404_share)

    async def _canary(self, host: str, domain: str) -> bool:
        """Whether a name known to be registered at this host answers as registered, asked once a batch."""
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
        # Registries keep this name for themselves; where one does not, it proves nothing and nothing is announced.
        return [*([known] if known else []), f"nic.{extension}"]

    def _note(self, host: str | None, domain: str, change: Change, *, kept: bool) -> None:
        self.counts["asked"] += 1
        if not kept:
            self.counts["lost"] += 1
            return
        for name in ("turned", "announce", "withheld"):
            self.counts[name] += int(getattr(change, name))
        if change.values.get("caught_after_drop"):
            self.counts["caught"] += 1
        if change.withheld:
            log.warning("%s says %s is not registered; not believed: see the registry passes", host, domain)


async def recheck_pass(
    database: Database,
    registry: Registry,
    delegated: Callable[[str], Awaitable[bool | None]],
    clock: Callable[[], datetime],
    worker: str,
    settings: RegistrySettings,
) -> Counter[str]:
    """Look at every ended domain that is due, and at those that become due meanwhile; listings turn before.

    `clock` gives the time: looks take time, and the gap between two counts from the answers. Gives counts: asked,
    turned, announce, withheld, caught, lost.
    """
    async with database.write() as conn:
        await advance_listings(conn, clock())
    return await Pass(database, registry, delegated, clock, worker, settings).run()
