"""The registry re-check: ask registries about names whose listings have ended, and about followed names."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.availability import store as recheck_store
from afterdrop.catalogue.availability.following_rules import FollowedName
from afterdrop.catalogue.availability.registry_state import KnownName, Step, decide
from afterdrop.catalogue.availability.rules import Doubt, EndedDomain, RecheckIntervals
from afterdrop.catalogue.availability.store import AskedName
from afterdrop.catalogue.publish import advance_listings
from afterdrop.core.domain_names import tld
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.engine import Database
from afterdrop.db.leases import Claim, LeaseLost
from afterdrop.sources.registry.client import nobodys_name, registered_name
from afterdrop.sources.registry.rdap_answer import RegistryAnswer
from afterdrop.worker_context import WorkerContext

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


class Registry(Protocol):
    """The registry client (`sources.registry.client.RegistryClient`). It has no cache, and a failure is an answer."""

    async def ask(self, domain: str, now: datetime) -> RegistryAnswer:
        """The registry's answer now."""

    async def host(self, domain: str, now: datetime) -> str | None:
        """The host that answers for the name, None where nothing can be asked."""


@dataclass
class Inquiry:
    """Asks registries, and gathers what speaks against a "not found".

    `delegated` asks the DNS about a name, beside one of the same extension that nobody has (None: it did not say).
    """

    database: Database
    registry: Registry
    delegated: Callable[[str, str], Awaitable[bool | None]]
    clock: Callable[[], datetime]
    settings: RegistrySettings
    _canaries: dict[str, bool] = field(default_factory=dict)

    @property
    def waits(self) -> RecheckIntervals:
        """How long each kind of name waits for its next question."""
        return RecheckIntervals(_OFTEN, _SLOWLY, timedelta(seconds=self.settings.announce_gap_seconds))

    async def batch(
        self, names: Sequence[AskedName], ask: Callable[[str | None, AskedName], Awaitable[None]]
    ) -> None:
        """Ask about these names, hosts side by side, each canary anew.

        Names not asked about before go first: the confirmations are judged by what they find, too.
        """
        self._canaries.clear()
        by_host: dict[str | None, list[AskedName]] = defaultdict(list)
        for due in sorted(names, key=lambda due: due.state["first_free_at"] is not None):
            by_host[await self.registry.host(due.state["domain"], self.clock())].append(due)
        side_by_side = asyncio.Semaphore(_HOSTS_AT_ONCE)

        async def ask_host(host: str | None, mine: Sequence[AskedName]) -> None:
            async with side_by_side:
                for due in mine:
                    await ask(host, due)

        async with asyncio.TaskGroup() as group:
            for host, mine in by_host.items():
                group.create_task(ask_host(host, mine))

    async def ask(self, host: str | None, domain: str, *, confirming: bool) -> tuple[RegistryAnswer, Doubt]:
        """The answer, and the doubts that can be had from outside; `mass` is asked in the transaction that decides."""
        canary = confirming and host is not None and await self._canary(host, domain)
        answer = await self.registry.ask(domain, self.clock())
        delegated = None
        if answer.state == "available":
            unused = nobodys_name(tld(domain), self.clock())
            delegated = await self.delegated(domain, unused)
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
    """One pass over the names that are due.

    Followed names that the lists want no answer for are asked about by `following`: of a day's WHOIS questions to one
    server they use at most half of what the others leave to look-ups.
    """

    inquiry: Inquiry
    following: Inquiry
    worker: str
    counts: Counter[str] = field(default_factory=Counter)

    async def run(self) -> Counter[str]:
        """Ask about every name that is due, hosts side by side; gives counts (see `recheck`)."""
        database, clock = self.inquiry.database, self.inquiry.clock
        async with database.read() as conn:
            followed = await recheck_store.newly_followed(conn)
        async with database.write() as conn:
            self.counts["new"] = await recheck_store.take_in(conn, dict.fromkeys(followed, clock()))
        while True:
            async with database.write() as conn:
                names = await recheck_store.claim(conn, Claim(self.worker, clock(), LEASE, AT_ONCE))
            if not names and not await self._begin():
                return self.counts
            listed = [due for due in names if due.listing is not None]
            await self.inquiry.batch(listed, self._ask)
            await self.following.batch([due for due in names if due.listing is None], self._ask)

    async def _begin(self) -> int:
        """Begin to ask about names whose listings have ended since; gives how many."""
        inquiry = self.inquiry
        async with inquiry.database.read() as conn:
            ends = await recheck_store.newly_ended(conn, inquiry.clock())
        if ends:
            async with inquiry.database.write() as conn:
                await recheck_store.begin(conn, ends, inquiry.clock())
        return len(ends)

    async def _ask(self, host: str | None, due: AskedName) -> None:
        inquiry = self.inquiry if due.listing is not None else self.following
        domain, known = due.state["domain"], _known(due)
        waits = known.waits(domain, inquiry.waits)
        confirming = known.confirming(inquiry.clock(), waits)
        answer, doubt = await inquiry.ask(host, domain, confirming=confirming)
        now = inquiry.clock()
        try:
            async with inquiry.database.write() as conn:
                mass = confirming and await inquiry.mass(conn, host, known.first_free_at, now)
                step = decide(known, answer, replace(doubt, mass=mass), now, waits)
                pass_at = recheck_store.pass_start(now, waits.often)
                written = await recheck_store.settle(conn, due, step, host, pass_at, now)
        except LeaseLost:
            written = False
        self.counts["asked"] += 1
        self._note(host, due, answer, step, written=written)

    def _note(
        self, host: str | None, due: AskedName, answer: RegistryAnswer, step: Step, *, written: bool
    ) -> None:
        listed = due.listing is not None
        self.counts["lost"] += int(listed and not written)
        self.counts["unknown"] += int(not listed and answer.state == "unknown")
        self.counts["changed"] += int(not listed and written and step.change is not None)
        if not listed or not written:
            return
        self.counts["turned"] += int(step.not_found == "first")
        self.counts["announce"] += int(step.announce)
        self.counts["caught"] += int(bool(step.listed.get("caught_after_drop")))
        if step.not_found == "withheld":
            self.counts["withheld"] += 1
            domain = due.state["domain"]
            log.warning(
                "%s says %s is not registered; not trusted yet; see the registry passes", host, domain
            )


def _known(due: AskedName) -> KnownName:
    stage, listing = FollowedName.of(due.state), due.listing
    if listing is None:
        return KnownName(stage)
    return KnownName(stage, EndedDomain.of(listing, stage.first_free_at))


async def recheck(context: WorkerContext) -> Counter[str]:
    """Ask about every name that is due; gives counts: new, asked, turned, announce, withheld, caught, lost, and of
    names on no list unknown and changed.

    Names that become due meanwhile are asked about, too. The context's clock gives the time of every answer: the gap
    between two "not found" counts from the answers. Listings that are due are advanced first.
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
    following = replace(inquiry, registry=sources.registry.for_following())
    return await RecheckPass(inquiry, following, context.worker).run()
