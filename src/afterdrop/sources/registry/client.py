"""Asks whichever service of a registry works: RDAP of the bootstrap, else RDAP outside of it, else WHOIS.

Where a server is away or refuses, the next way is tried. A server IANA does not vouch for is believed only while its
daily canary holds: a name known to be registered answers so, and a name that nobody can have registered is free.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, TypedDict
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.domain_names import tld
from afterdrop.core.json_shapes import instant
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.dialects import upsert
from afterdrop.db.engine import Database
from afterdrop.db.tables.review import registry_canaries
from afterdrop.sources.registry.bootstrap import Bootstrap, shipped_rdap_servers
from afterdrop.sources.registry.rdap import RdapClient, seller
from afterdrop.sources.registry.rdap_answer import (
    WORDS_AGAINST,
    RegistryAnswer,
    read_again,
    said_of_any,
    unknown,
)
from afterdrop.sources.registry.whois import WAIT_SECONDS, Asker, WhoisClient, key_of, server_for
from afterdrop.sources.registry.whois_servers import WhoisServer

# A verdict counts for a day; a server that did not answer is asked again soon.
_DAILY: Final = timedelta(days=1)
_AGAIN: Final = timedelta(minutes=15)
# How exactly we know when a server of the bootstrap was last right.
_HOUR: Final = timedelta(hours=1)
_REGISTERED: Final = ("registered", "dropping")
# Why a server told nothing that another way may tell.
_AWAY: Final = frozenset({"unreachable", "server_error", "rate_limited", "refused"})


@dataclass(frozen=True, slots=True)
class RegistryEndpoint:
    """One way to ask about a name: by RDAP at `base`, or by WHOIS. `from_iana`: IANA's bootstrap names it."""

    server: str
    base: str | None = None
    whois: WhoisServer | None = None
    from_iana: bool = False


class Canary(NamedTuple):
    """The result of a server's last canary for one extension; `right_at` is when it was last right.

    A server of the bootstrap has no canary: it was right when it last told us of a registration.
    """

    server: str
    extension: str
    checked_at: datetime
    next_at: datetime
    right_at: datetime | None
    holds: bool
    note: str


class Confirmation(TypedDict):
    """How names of an extension are confirmed: by `rdap` (the bootstrap's), `rdap_outside`, `whois` or `none`.

    `believed` is None where the canary was not asked yet; `right_at` is when it was last right, None if it never was
    since it is asked.
    """

    extension: str
    how: Literal["rdap", "rdap_outside", "whois", "none"]
    server: str | None
    believed: bool | None
    right_at: str | None
    note: str


@dataclass(frozen=True)
class RegistryClient:
    """Asks registries live. `asker` decides how many of a day's WHOIS questions it may use."""

    database: Database
    settings: RegistrySettings
    rdap: RdapClient
    whois: WhoisClient
    asker: Asker = "person"
    _locks: defaultdict[tuple[str, str], asyncio.Lock] = field(
        default_factory=lambda: defaultdict(asyncio.Lock)
    )
    _right: dict[tuple[str, str], datetime] = field(default_factory=dict)
    # By server and extension: what it says of any name, and until when that counts.
    _of_any: dict[tuple[str, str], tuple[datetime, Set[str]]] = field(default_factory=dict)

    def for_rechecks(self) -> RegistryClient:
        """The same client for the registry re-check."""
        return replace(self, asker="recheck")

    def for_following(self) -> RegistryClient:
        """The same client for the look-ups of followed names, which leave some of a day's questions to people."""
        return replace(self, asker="following")

    async def ask(self, domain: str, now: datetime) -> RegistryAnswer:
        """The registry's answer about `domain` (registrable, lowercase A-labels). Every failure is `unknown`."""
        doubt: RegistryAnswer | None = None
        for road in await self.roads(domain, now):
            if road.from_iana or (await self.canary(road, domain, now)).holds:
                answer = await self._send(road, domain, now)
                if road.from_iana and answer.state in _REGISTERED:
                    await self._was_right(road.server, _top(domain), now)
                if answer.reason not in _AWAY:
                    return answer
                doubt = answer
            doubt = doubt or unknown(domain, "not_believed", f"the canary of {road.server} does not hold")
        return doubt or await self.rdap.ask(domain, now)

    async def host(self, domain: str, now: datetime) -> str | None:
        """The host (with port) that answers for the name, None where nothing can be asked."""
        roads = await self.roads(domain, now)
        for road in roads:
            if road.from_iana or (await self.canary(road, domain, now)).holds:
                return road.server
        return roads[0].server if roads else None

    async def roads(self, domain: str, now: datetime) -> list[RegistryEndpoint]:
        """The ways to ask about `domain`, best first."""
        return roads_to(domain, await self.rdap.registries.newest(now), self.settings)

    async def confirmations(
        self, extensions: Iterable[str], *, and_asked: bool = False
    ) -> list[Confirmation]:
        """The ways to confirm names of these extensions, best first, as their last canaries left them. Asks nobody.

        With `and_asked` those of all extensions that were asked about come with them.
        """
        kept: defaultdict[str, dict[str, Canary]] = defaultdict(dict)
        async with self.database.read() as conn:
            for row in await kept_canaries(conn):
                kept[row.extension][row.server] = row
        bootstrap = await self.rdap.registries.kept()
        found: list[Confirmation] = []
        for extension in sorted({*extensions, *kept}) if and_asked else extensions:
            name = f"name.{extension}"
            found += _ways(name, roads_to(name, bootstrap, self.settings), kept.get(extension, {}))
        return found

    async def _was_right(self, server: str, extension: str, now: datetime) -> None:
        """Keep when a server of the bootstrap was last right, to the hour: look-ups need no write each."""
        if now - self._right.get((server, extension), now - _HOUR) < _HOUR:
            return
        self._right[server, extension] = now
        right = Canary(server, extension, checked_at=now, next_at=now, right_at=now, holds=True, note="")
        async with self.database.write() as conn:
            await upsert(conn, registry_canaries, [right._asdict()], ["server", "extension"])

    async def _send(self, road: RegistryEndpoint, domain: str, now: datetime) -> RegistryAnswer:
        if road.whois is not None:
            known = registered_name(_top(domain), self.settings)
            return await self.whois.ask(road.whois, domain, now, asker=self.asker, known=known)
        answer = await self._rdap(road, domain, now)
        if answer.reason not in WORDS_AGAINST:
            return answer
        return read_again(answer, await self._said_of_any(road, answer, domain, now))

    async def _rdap(self, road: RegistryEndpoint, domain: str, now: datetime) -> RegistryAnswer:
        base, known = None if road.from_iana else road.base, registered_name(_top(domain), self.settings)
        return await self.rdap.ask(domain, now, base=base, known=known)

    async def _said_of_any(
        self, road: RegistryEndpoint, answer: RegistryAnswer, domain: str, now: datetime
    ) -> Set[str]:
        """The words of a server about any name it does not know. It is asked about the day's unused name once a day."""
        extension = tld(domain)
        unused = nobodys_name(extension, now)
        # Not the extension's own lock: the canary holds that one while it asks.
        async with self._locks[road.server, f"*.{extension}"]:
            until, said = self._of_any.get((road.server, extension), (now, frozenset()))
            if until <= now:
                free = answer if domain == unused else await self._rdap(road, unused, now)
                said = said_of_any(free)
                until = now + (_AGAIN if free.reason in _AWAY else _DAILY)
                self._of_any[road.server, extension] = until, said
            return said

    async def canary(self, road: RegistryEndpoint, domain: str, now: datetime) -> Canary:
        """The day's verdict on a server; asks its two names when the last verdict is too old."""
        extension = _top(domain)
        async with self._locks[road.server, extension]:
            async with self.database.read() as conn:
                kept = await kept_canary(conn, road.server, extension)
            if kept is not None and now < kept.next_at:
                return kept
            found = await self._try(road, extension, kept, now)
            async with self.database.write() as conn:
                await upsert(conn, registry_canaries, [found._asdict()], ["server", "extension"])
            return found

    async def _try(
        self, road: RegistryEndpoint, extension: str, kept: Canary | None, now: datetime
    ) -> Canary:
        registered = registered_name(extension, self.settings)
        taken = await self._send(road, registered, now)
        unused = nobodys_name(extension, now)
        # A WHOIS server that refuses is asked about one more name: the second refusal says that it is left alone.
        further = taken.state in _REGISTERED or (road.whois is not None and taken.reason in WAIT_SECONDS)
        free = await self._send(road, unused, now) if further else unknown(unused, "not_asked")
        right = taken.state in _REGISTERED and free.state == "available"
        wrong = taken.state == "available" or free.state in _REGISTERED
        note = (
            ""
            if right
            else f"{registered}: {taken.state} {taken.reason}; an unused name: {free.state} {free.reason}"
        )
        return Canary(
            server=road.server,
            extension=extension,
            checked_at=now,
            next_at=now + (_DAILY if right or wrong else _AGAIN),
            right_at=now if right else kept.right_at if kept else None,
            holds=right,
            note=note,
        )


def roads_to(domain: str, bootstrap: Bootstrap, settings: RegistrySettings) -> list[RegistryEndpoint]:
    """The ways to ask about `domain` (registrable, lowercase A-labels), best first."""
    sold, base = seller(domain), bootstrap.base(domain)
    if base is not None:
        # A registry's "not found" says nothing of a name that is sold under one of its domains.
        own = sold == domain or base != bootstrap.base(sold)
        return [RegistryEndpoint(urlsplit(base).netloc, base, from_iana=True)] if own else []
    found: list[RegistryEndpoint] = []
    extra = settings.rdap_servers.get(_top(domain))
    if extra is None and settings.shipped_rdap_servers:
        extra = shipped_rdap_servers().get(_top(domain))
    if extra and sold == domain:
        found.append(RegistryEndpoint(urlsplit(extra).netloc, extra))
    if (row := server_for(domain, settings)) is not None:
        found.append(RegistryEndpoint(key_of(row), whois=row))
    return found


def _top(domain: str) -> str:
    """The registry's own extension: `uk` for `mill.co.uk`."""
    return domain.rpartition(".")[2]


async def confirmation(
    conn: AsyncConnection, domain: str, bootstrap: Bootstrap, settings: RegistrySettings
) -> Confirmation:
    """How `domain` is confirmed: by the best way that is believed, else by the best there is. Asks nobody."""
    kept = {row.server: row for row in await kept_canaries(conn, _top(domain))}
    ways = _ways(domain, roads_to(domain, bootstrap, settings), kept)
    return next((way for way in ways if way["believed"]), ways[0])


def _ways(domain: str, roads: Sequence[RegistryEndpoint], kept: Mapping[str, Canary]) -> list[Confirmation]:
    """At least one: without any road it says so. `kept`: the extension's canaries by server."""
    found = [_confirmation(_top(domain), road, kept.get(road.server)) for road in roads]
    return found or [_confirmation(_top(domain), None, None)]


def _confirmation(extension: str, road: RegistryEndpoint | None, canary: Canary | None) -> Confirmation:
    how: Literal["rdap", "rdap_outside", "whois", "none"]
    if road is None:
        how = "none"
    elif road.from_iana:
        how = "rdap"
    else:
        how = "whois" if road.whois else "rdap_outside"
    right_at = canary.right_at if canary else None
    return {
        "extension": extension,
        "how": how,
        "server": road.server if road else None,
        "believed": True if how == "rdap" else canary.holds if canary else None,
        "right_at": instant(right_at),
        "note": canary.note if canary else "",
    }


def registered_name(extension: str, settings: RegistrySettings) -> str:
    """A name that is certainly registered under the extension."""
    return settings.canaries.get(extension) or f"google.{extension}"


def nobodys_name(extension: str, now: datetime) -> str:
    """A name that nobody can have registered: 24 letters that nobody knows before the day."""
    digest = hashlib.sha256(f"{extension} {now.date()}".encode()).digest()
    return "".join(chr(ord("a") + byte % 26) for byte in digest[:24]) + f".{extension}"


async def kept_canary(conn: AsyncConnection, server: str, extension: str) -> Canary | None:
    """The last verdict on a server for an extension."""
    table = registry_canaries
    result = await conn.execute(
        sa.select(table).where(table.c.server == server, table.c.extension == extension)
    )
    row = result.one_or_none()
    return Canary(**row._mapping) if row else None


async def kept_canaries(conn: AsyncConnection, extension: str | None = None) -> Sequence[Canary]:
    """All verdicts, or those of one extension, by extension."""
    table = registry_canaries
    chosen = sa.select(table).order_by(table.c.extension, table.c.server)
    result = await conn.execute(chosen if extension is None else chosen.where(table.c.extension == extension))
    return [Canary(**row._mapping) for row in result]
