"""A stranger asks about names whose words are those of refusals: nobody else is answered the worse for it."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import idna
import pytest

from afterdrop.core import clock
from afterdrop.core.settings import HostPace, Pace, Settings
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.engine import Database
from afterdrop.http import pace
from afterdrop.http.client import open_fetcher
from afterdrop.sources.lookups.registry import availability
from afterdrop.sources.lookups.sources import Sources, open_sources
from afterdrop.sources.registry.whois_answer import parse_whois
from afterdrop.sources.registry.whois_servers import WhoisServer, whois_table

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
# First labels that anybody may put before an extension.
LABELS = (
    "limit-exceeded", "quota-exceeded-reached", "rate-limit-reached", "too-many-requests", "try-again", "slow-down",
    "blacklist", "blacklisted", "timeout", "malformed", "access-denied", "is-banned", "been-denied", "not-permitted",
    "invalid-query", "internal-error", "unable-to", "connection-refused", "permission-denied", "server-too-busy",
    "reserved-name", "not-available", "premium", "unavailable", "globalblock", "dpml", "blocked", "error", "invalid",
    "pending-delete", "redemption", "quarantine", "registered", "active", "55000000010", "-1", "440-request-denied",
    "exceeded-the-maximum-number-of-queries", idna.encode("blacklist-ü").decode(),
    idna.encode("limit-überschritten-exceeded").decode(),
)  # fmt: skip
# How servers repeat a question beside their answer.
ECHOES = (
    "{free}",
    "% Query: {query}\n\n{free}",
    "Domain: {name}\n{free}",
    "Domain Name: {NAME}.\n\n{free}",
    "Domain: {label}\nTLD: {top}\n{free}",
    '[Querying about "{label}"]\n\n{free}',
    "% Asked for {shown} <https://registry.example/domain/{name}>\n\n{free}",
)


def echoes(server: WhoisServer, label: str) -> Iterator[tuple[str, str]]:
    """A name, and what a server of the table may answer about it where it is free."""
    name = f"{label.removeprefix('-')}.{server.extensions[0]}"
    first, _, top = name.partition(".")
    for free in server.free:
        for echo in ECHOES:
            yield (
                name,
                echo.format(
                    free=free.replace("{domain}", name),
                    query=server.query.format(domain=name),
                    name=name,
                    NAME=name.upper(),
                    label=first,
                    top=top,
                    shown=idna.decode(name),
                ),
            )


def test_no_server_refuses_because_of_a_name() -> None:
    asked = [server for server in whois_table().by_host.values() if server.extensions]
    wrong: Counter[str] = Counter()
    for server in asked:
        for label in LABELS:
            for name, text in echoes(server, label):
                answer = parse_whois(text.encode(), name, server.dialect)
                if (answer.state, answer.reason) != ("available", "not_found"):
                    wrong[server.host] += 1
                    print(server.host, (answer.state, answer.reason), repr(text))
    assert len(asked) > 90 and wrong == {}


class Server:
    """A WHOIS server that repeats the question, and refuses the names of `refused`."""

    def __init__(self, refused: tuple[str, ...] = ()) -> None:
        self.refused = refused
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = (await reader.readline()).decode().strip()
        name = question.split()[-1]
        if name in self.refused:
            text = "% Error: 55000000002 Connection refused; access control limit reached."
        elif name.startswith(("google.", "honest")):
            text = f"Domain: {name}\nStatus: connect\n"
        else:
            text = f"% Query: {question}\nDomain: {name}\nStatus: free\n"
        with suppress(OSError):
            writer.write(text.encode())
            await writer.drain()
        writer.close()


@asynccontextmanager
async def asking(server: Server, folder: Path, database: Database) -> AsyncIterator[Sources]:
    """The look-ups of a service whose WHOIS servers are all `server`."""
    async with await asyncio.start_server(server.serve, "127.0.0.1", 0) as listening:
        relay = f"127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        fast = HostPace(per_second=2000, at_once=1)
        settings = Settings(
            data_dir=folder,
            trusted_origins=(f"http://{relay}",),
            registry=RegistrySettings(
                bootstrap_url=f"http://{relay}/none",
                whois=True,
                whois_relay=relay,
                shipped_rdap_servers=False,
            ),
            pace=Pace(default=fast, hosts={"whois.denic.de:43": fast}),
        )
        async with open_fetcher(settings, database, clock.epoch, random.Random(1)) as fetcher:
            yield open_sources(settings, database, fetcher)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_stranger_cannot_close_a_server_to_the_others(tmp_path: Path, database: Database) -> None:
    """By names that read like refusals, and by one that the server does refuse, asked again and again."""
    odd = tuple(f"{label.removeprefix('-')}.de" for label in LABELS)
    async with asking(Server(refused=("nobody-may.de",)), tmp_path, database) as sources:
        assert [answer.state for answer in await availability(sources, ["honest.de"], NOW)] == ["registered"]
        told = await availability(sources, odd, NOW)
        assert {answer.state for answer in told} == {"available"}
        for _ in range(5):
            [refused] = await availability(sources, ["nobody-may.de"], NOW)
            assert (refused.state, refused.reason) == ("unknown", "rate_limited")
        [honest] = await availability(sources, ["honest2.de"], NOW)
        assert honest.state == "registered"
        async with database.read() as conn:
            blocked = [row.host for row in await pace.host_states(conn) if row.blocked_until > 0]
        assert blocked == []
