"""An attacker orders checks of names at which the archive or a registry fails: nobody else may notice.

Either host is well for everybody else. Today's ways to fail at one name: an error, a connection that ends, a broken
coding, a body that breaks off, a header too long to read (the archive repeats those of the old site), and silence.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from afterdrop.core import clock
from afterdrop.core.settings import Archive, HostPace, Pace, Settings
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.engine import Database
from afterdrop.http.circuit_breaker import outages
from afterdrop.http.client import open_fetcher
from afterdrop.sources.archive.wayback import Replay, WebArchive
from afterdrop.sources.lookups.sources import Sources, open_sources
from tests.support.registry import bootstrap_file, domain_object, rdap

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
AT = datetime(2013, 5, 6, 7, 8, 9, tzinfo=UTC)
MINE = [f"mine{number}.com" for number in range(10)]
MEMENTO = {"Memento-Datetime": "Mon, 06 May 2013 07:08:09 GMT", "Content-Type": "text/html"}
FAULTS = ["500", "503", "reset", "garbage", "cut", "coding", "header", "silent"]
# How long the outside is waited for: nobody else's answer takes that long on a busy machine.
PATIENCE = 5.0


@dataclass
class Outside:
    """An archive and a registry of .com that fail at the attacker's names, as `fault` says, and answer all others."""

    fault: str
    url: str = ""
    silence: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if any(name in request.path_qs for name in MINE):
            return await self._fail(request)
        if request.path == "/dns.json":
            return rdap(bootstrap_file(com=f"{self.url}/rdap/"))
        if request.path.startswith("/cdx"):
            name = request.query["url"].partition(".")[0]
            return web.Response(
                text=f"com,{name})/ 20130506070809 http://{name}.com/ text/html 200 DIGEST 900\n"
            )
        if request.path.startswith("/web/"):
            return web.Response(body=b"<title>Bread</title>", headers=MEMENTO)
        return rdap(domain_object(request.path.rpartition("/")[2]))

    async def _fail(self, request: web.Request) -> web.StreamResponse:
        archived = MEMENTO if request.path.startswith("/web/") else {}
        transport = request.transport
        assert transport is not None
        if self.fault == "silent":
            await self.silence.wait()
        if self.fault.isdigit():
            return web.Response(status=int(self.fault))
        if self.fault == "header":
            return web.Response(headers={**archived, "X-Archive-Orig-Long": "x" * 70_000})
        if self.fault == "coding":
            return web.Response(
                body=b"\x1f\x8b\x08" + b"\0" * 40, headers={**archived, "Content-Encoding": "gzip"}
            )
        if self.fault == "garbage":
            transport.write(b"no answer at all\r\n\r\n")
        if self.fault == "cut":
            response = web.StreamResponse(headers={**archived, "Content-Length": "1000"})
            await response.prepare(request)
            await response.write(b"half")
            transport.close()
            return response
        transport.abort()
        return web.Response()


@asynccontextmanager
async def outside(fault: str) -> AsyncIterator[Outside]:
    made = Outside(fault)
    async with RawTestServer(made.answer) as server:  # type: ignore[arg-type]  # a Request is what it passes
        made.url = str(server.make_url("")).rstrip("/")
        yield made
        made.silence.set()


@asynccontextmanager
async def deployment(
    there: Outside, database: Database, folder: Path
) -> AsyncIterator[tuple[WebArchive, Sources]]:
    """The archive's client and the look-ups of one process."""
    host = there.url.removeprefix("http://")
    quick = HostPace(per_second=2000, at_once=64)
    settings = Settings(
        data_dir=folder,
        trusted_origins=(there.url,),
        archive=Archive(
            cdx_url=f"{there.url}/cdx", replay_url=f"{there.url}/web", timeout_seconds=PATIENCE
        ),
        registry=RegistrySettings(bootstrap_url=f"{there.url}/dns.json", timeout_seconds=PATIENCE),
        pace=Pace(default=quick, hosts={host: quick, f"{host}/cdx": quick}),
    )  # fmt: skip
    async with open_fetcher(settings, database, clock.epoch, random.Random(1)) as fetcher:
        sources = open_sources(settings, database, fetcher)
        yield WebArchive(fetcher, settings.archive), sources


async def at_once(*questions: Coroutine[Any, Any, Any]) -> None:
    """Ask all of this side by side, whatever comes of it."""
    await asyncio.gather(*questions, return_exceptions=True)


async def of_the_archive(archive: WebArchive, name: str) -> None:
    """What a review of one of the attacker's names asks: the index, and pages of several of its hosts."""
    pages = [archive.capture(AT + timedelta(days=n), f"http://www{n}.{name}/") for n in range(5)]
    await at_once(archive.index(name, NOW), *pages)


async def left_alone(database: Database) -> list[str]:
    async with database.read() as conn:
        return [outage.host for outage in await outages(conn)]


@pytest.mark.parametrize("fault", FAULTS)
async def test_names_at_which_the_archive_fails_are_their_owners_trouble(
    database: Database, tmp_path: Path, fault: str
) -> None:
    async with outside(fault) as there, deployment(there, database, tmp_path) as (archive, _):
        for wave in range(1 if fault == "silent" else 4):
            attacking = asyncio.create_task(at_once(*(of_the_archive(archive, name) for name in MINE)))
            for moment in ("while they fail", "after they failed"):
                found = await archive.index(f"yours{wave}.com", NOW)
                assert found.index.captures == 1, moment
                page = await archive.capture(AT, f"http://yours{wave}.com/")
                assert isinstance(page, Replay) and b"Bread" in page.body, moment
                await attacking
        assert await left_alone(database) == []


@pytest.mark.parametrize("fault", FAULTS)
async def test_names_at_which_a_registry_fails_are_their_owners_trouble(
    database: Database, tmp_path: Path, fault: str
) -> None:
    async with outside(fault) as there, deployment(there, database, tmp_path) as (_, sources):
        for wave in range(1 if fault == "silent" else 4):
            attacking = asyncio.create_task(at_once(*(sources.registry.ask(name, NOW) for name in MINE)))
            for moment in ("while they fail", "after they failed"):
                answer = await sources.registry.ask(f"yours{wave}.com", NOW)
                assert answer.state == "registered", (moment, answer.notes)
                await attacking
        assert await left_alone(database) == []
