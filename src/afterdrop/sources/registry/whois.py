"""The WHOIS client (RFC 3912): asks a server of the table one question, politely, and returns a registration state.

Only the table's hosts are asked, on port 43, at addresses that the guard lets pass. No referral is followed, and
nothing of an answer is logged or kept but what `whois_answer` reads from it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from socket import AF_UNSPEC
from typing import Final, Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import HostPace
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.core.time_zones import midnight
from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.review import whois_days
from afterdrop.http.circuit_breaker import KnownGood
from afterdrop.http.client import Fetcher, trusted_addresses
from afterdrop.http.ssrf_guard import PublicResolver, RefusedAddress
from afterdrop.sources.registry.rdap_answer import RegistryAnswer, unknown
from afterdrop.sources.registry.whois_answer import MAX_BYTES, parse_whois
from afterdrop.sources.registry.whois_servers import WhoisServer, whois_table

PORT = 43
# Between two questions to one server; the table names servers that want more.
_LEAST_SECONDS: Final = 2.0
# The share of the day's questions that look-ups leave to the re-check.
RECHECK_SHARE: Final = 0.5
# Who asks: the registry re-check, a person who waits, or the look-ups of followed names.
Asker = Literal["recheck", "person", "following"]
# Of the questions that are not the re-check's, people find so many left when followed names were asked about.
_FOLLOWING_SHARE: Final = 0.5
# How long a server is left alone after it asked us to wait, or refused us.
WAIT_SECONDS: Final = {"rate_limited": 3600.0, "refused": 900.0}
# Answers about a name that tell no state of it, from a server that answers.
_UNDERSTOOD: Final = frozenset({"reserved", "bad_name"})


@dataclass(frozen=True)
class WhoisClient:
    """Asks the table's servers live, one question at a time, spaced, and so many a day. The fetcher keeps the pace.

    A server is left alone once it has refused two names in a row: what it says of one name, whoever asks can choose.
    """

    fetcher: Fetcher
    settings: RegistrySettings
    # The name that a server of the table refused last, unless it has answered since.
    _refused: dict[str, str] = field(default_factory=dict)

    async def ask(
        self,
        server: WhoisServer,
        domain: str,
        now: datetime,
        *,
        asker: Asker,
        patience: float = 60,
        known: str | None = None,
    ) -> RegistryAnswer:
        """The answer of `server` about `domain`. Every failure is `unknown`.

        `asker` may use only its share of the day's questions: `RECHECK_SHARE` is kept for re-checks. `known` is a
        name that the server can surely answer about: it is asked before the server is left alone for failing at others.
        """
        question = server.question(domain)
        if question is None:
            return _unknown(domain, "bad_name", "not a name that WHOIS is asked about")
        key = key_of(server)
        spaced = HostPace(per_second=1 / max(server.seconds, _LEAST_SECONDS), at_once=1)
        allowed = self.fetcher.settings.pace.hosts.get(key, spaced)
        good = self._known_good(server, known, 1 / allowed.per_second, patience) if known else None
        try:
            await self.fetcher.breaker.check(key, domain, good)
            async with self.fetcher.slot(key, domain, patience, allowed):
                if not await self._take(server, now, asker):
                    return _unknown(
                        domain, "rate_limited", f"the day's questions to {server.host} are used up"
                    )
                async with self.fetcher.breaker.guard(key, domain, self.settings.timeout_seconds, good):
                    body = await self._exchange(server, question, domain)
        except UpstreamError as error:
            reason = "rate_limited" if error.kind == "rate_limited" else "unreachable"
            return _unknown(domain, reason, str(error))
        answer = parse_whois(body, domain, server.dialect)
        await self._note(key, domain, answer)
        return replace(answer, raw=body)

    def _known_good(
        self, server: WhoisServer, known: str, interval: float, patience: float
    ) -> KnownGood | None:
        """The question by which the server is tried, at its pace, in a place that is held already."""
        if (question := server.question(known)) is None:
            return None

        async def ask() -> None:
            await self.fetcher.slots.wait(key_of(server), known, interval, patience)
            await self._exchange(server, question, known)

        return KnownGood(ask, self.settings.timeout_seconds)

    async def _note(self, key: str, domain: str, answer: RegistryAnswer) -> None:
        """Leave a server alone that refuses this name and refused another one just before."""
        if (seconds := WAIT_SECONDS.get(answer.reason)) is None:
            if answer.state != "unknown" or answer.reason in _UNDERSTOOD:
                self._refused.pop(key, None)
        elif self._refused.setdefault(key, domain) != domain:
            del self._refused[key]
            until = self.fetcher.epoch() + seconds
            await self.fetcher.slots.block([key], until, f"WHOIS: {answer.reason}")

    async def _take(self, server: WhoisServer, now: datetime, asker: Asker) -> bool:
        most = float(self.settings.whois_per_day)
        if asker != "recheck":
            most *= 1 - RECHECK_SHARE
        if asker == "following":
            most *= _FOLLOWING_SHARE
        async with self.fetcher.database.write() as conn:
            return await take_question(conn, server.host, now, int(most))

    async def _exchange(self, server: WhoisServer, question: bytes, domain: str) -> bytes:
        """The answer, also one that broke off after a registration: some servers reset what they have sent."""
        host, port = _address(self.settings, server)
        body = bytearray()
        try:
            async with asyncio.timeout(self.settings.timeout_seconds):
                await self._talk(host, port, question, body)
        except TimeoutError:
            raise UpstreamError(server.host, "timeout", "did not answer in time") from None
        except RefusedAddress as error:
            raise UpstreamError(server.host, "refused_address", str(error)) from None
        except OSError as error:
            if parse_whois(bytes(body), domain, server.dialect).state not in ("registered", "dropping"):
                raise UpstreamError(server.host, "truncated", f"{type(error).__name__}: {error}") from None
        return bytes(body[: MAX_BYTES + 1])

    async def _talk(self, host: str, port: int, question: bytes, body: bytearray) -> None:
        """Send the question, and add to `body` what comes."""
        resolver = PublicResolver(trusted_addresses(self.fetcher.settings))
        try:
            found = await resolver.resolve(host, port, AF_UNSPEC)
        finally:
            await resolver.close()
        # The addresses that were checked are those that are connected to.
        reader, writer = await self._connected(host, port, [entry["host"] for entry in found])
        try:
            writer.write(question)
            await writer.drain()
            while len(body) <= MAX_BYTES and (chunk := await reader.read(16_384)):
                body += chunk
        finally:
            writer.close()

    async def _connected(
        self, host: str, port: int, addresses: Sequence[str]
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the first of a host's addresses that takes one; each has its share of the time."""
        share = self.settings.timeout_seconds / len(addresses)
        for address in addresses:
            try:
                async with asyncio.timeout(share):
                    return await asyncio.open_connection(address, port)
            except OSError as error:  # TimeoutError is one
                failure = f"{type(error).__name__}: {error}"
        raise UpstreamError(host, "connect", failure)


def server_for(domain: str, settings: RegistrySettings) -> WhoisServer | None:
    """The server that is asked about `domain`; None without one, or where the operator switched WHOIS off."""
    chosen = settings.whois_extensions.get(domain.rpartition(".")[2], settings.whois)
    return whois_table().server(domain) if chosen else None


def key_of(server: WhoisServer) -> str:
    """The server's name in the tables of pace and of re-checks."""
    return f"{server.host}:{PORT}"


def _address(settings: RegistrySettings, server: WhoisServer) -> tuple[str, int]:
    if not settings.whois_relay:
        return server.host, PORT
    host, _, port = settings.whois_relay.rpartition(":")
    return host, int(port)


def _unknown(domain: str, reason: str, note: str) -> RegistryAnswer:
    return replace(unknown(domain, reason, note), source="whois")


async def take_question(conn: AsyncConnection, host: str, now: datetime, most: int) -> bool:
    """Count one question to `host` on the UTC day of `now`; False when `most` were asked already."""
    table, day = whois_days, midnight(now)
    await insert_once(conn, table, {"host": host, "day": day, "asked": 0}, ["host", "day"])
    taken = await conn.execute(
        sa.update(table)
        .where(table.c.host == host, table.c.day == day, table.c.asked < most)
        .values(asked=table.c.asked + 1)
    )
    return taken.rowcount == 1
