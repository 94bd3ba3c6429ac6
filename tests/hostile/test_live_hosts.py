"""Hosts of strangers that answer without end, in bombs or drop by drop: each is left within bounds."""

from __future__ import annotations

import asyncio
import itertools
import re
import sys
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from dnslib import RR, DNSRecord

from afterdrop.core import clock
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.review.page.pool import PagePool
from afterdrop.sources.live import pages as live
from afterdrop.sources.live.pages import LivePage, LivePages
from tests.support.live_hosts import Handler, visitor
from tests.support.nameserver import Zone


def _packed(megabytes: int) -> bytes:
    """A page of so many megabytes as gzip, which never is in memory as a whole."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    pieces = [packer.compress(b"<p>"), *(packer.compress(b"a" * 1_000_000) for _ in range(megabytes))]
    return b"".join([*pieces, packer.flush()])


BOMB = _packed(300)


@pytest.fixture
def database_url(sqlite_empty: str) -> str:
    """What is tested here does not depend on the kind of database."""
    return sqlite_empty


def answers(page: web.StreamResponse | None, robots: web.StreamResponse | None = None) -> Handler:
    """A host that answers so; None: 404."""

    def answer(request: web.Request) -> web.StreamResponse:
        chosen = robots if request.path == "/robots.txt" else page
        return chosen or web.Response(status=404)

    return answer


class Dripping(web.StreamResponse):
    """A body of which a byte comes every tenth of a second, without end."""

    async def prepare(self, request: web.BaseRequest) -> object:  # type: ignore[override]
        """Send the head, then bytes until the other side has gone."""
        await super().prepare(request)
        while True:
            await self.write(b"a")
            await asyncio.sleep(0.1)


def bomb() -> web.Response:
    return web.Response(body=BOMB, headers={"Content-Encoding": "gzip", "Content-Type": "text/html"})


def _peak() -> int:
    """The most memory that this process held since the peak was last forgotten, in kB."""
    told = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    assert told is not None
    return int(told[1])


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="a process's peak of memory is told by /proc")
async def test_bombs_are_undone_to_the_bound_and_no_further(settings: Settings, database: Database) -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _peak()
    async with visitor(settings, database, answers(bomb(), bomb())) as (pages, _):
        page = await pages.read("http://name.com/a")
    assert len(page.body) == 2_000_000
    assert _peak() - before < 60_000


@pytest.mark.long
@pytest.mark.parametrize("where", ["page", "robots.txt"])
async def test_bodies_that_drip_are_left(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(live, "_SECONDS", 1.0)
    handler = answers(Dripping()) if where == "page" else answers(web.Response(text="x"), Dripping())
    started = clock.monotonic()
    async with visitor(settings, database, handler) as (pages, _):
        with pytest.raises(UpstreamError) as left:
            await pages.read("http://name.com/a")
    assert left.value.kind == ("timeout" if where == "page" else "forbidden")
    assert clock.monotonic() - started < 60


@pytest.mark.long
async def test_a_robots_txt_of_many_names_and_rules_is_read_at_once(
    settings: Settings, database: Database
) -> None:
    names = "".join(f"User-agent: bot{number}\n" for number in range(14_000))
    rules = "".join(f"Disallow: /*{number}*a*b*c*$\n" for number in range(8_000))
    robots = web.Response(text=f"{names}User-agent: *\n{rules}")
    handler = answers(web.Response(text="x"), robots)
    async with (
        PagePool(1) as processes,
        visitor(settings, database, handler, run=processes.run) as (pages, _),
    ):
        async with asyncio.timeout(60):
            assert (await pages.read(f"http://name.com/{'a' * 1_900}")).body == b"x"


@dataclass
class Wildcard(Zone):
    """A zone in which every name exists, in networks of the stranger's choice."""

    networks: int = 1

    def resolve(self, request: DNSRecord, handler: Any) -> DNSRecord:
        """An address for whatever is asked."""
        number = zlib.crc32(str(request.q.qname).encode())
        reply = request.reply()
        address = f"93.184.{number % self.networks}.{number % 250 + 1}"
        reply.add_answer(*RR.fromZone(f"{request.q.qname} 60 IN A {address}"))
        return reply


# As much as is read of a file, all of it meant for us.
RULES = "User-agent: *\n" + "".join(f"Disallow: /{number:060}\n" for number in range(7_000))


async def read_all(pages: LivePages, urls: list[str]) -> Counter[str]:
    """Read them, as many at a time as a worker does; the kinds of what went wrong, and how many were read."""
    gate = asyncio.Semaphore(20)

    async def read(url: str) -> LivePage:
        async with gate:
            return await pages.read(url)

    found = await asyncio.gather(*map(read, urls), return_exceptions=True)
    return Counter(each.kind if isinstance(each, UpstreamError) else type(each).__name__ for each in found)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="a process's peak of memory is told by /proc")
async def test_a_zone_of_as_many_hosts_as_it_likes_fills_no_memory(
    settings: Settings, database: Database
) -> None:
    def full(request: web.Request) -> web.StreamResponse:
        return web.Response(text=RULES if request.path == "/robots.txt" else "x")

    zone = Wildcard(networks=250)
    async with (
        PagePool(1) as processes,
        visitor(settings, database, full, zone=zone, run=processes.run) as (pages, _),
    ):
        await read_all(pages, [f"http://h{number}.zone.com/" for number in range(5)])
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        before = _peak()
        told = await read_all(pages, [f"http://h{number}.zone.com/" for number in range(5, 65)])
        assert told == {"LivePage": 60}
        assert _peak() - before < 80_000
        assert pages._robots.currsize <= 16_000_000
        assert len(pages._robots) < 40, "65 such files take more than that"


async def test_a_zone_in_one_network_gets_its_requests_of_the_day_and_no_more(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "NETWORK_REQUESTS", 30)
    async with visitor(settings, database, answers(web.Response(text="x")), zone=Wildcard()) as (
        pages,
        asked,
    ):
        told = await read_all(pages, [f"http://h{number}.zone.com/" for number in range(40)])
    assert len(asked) == 30
    assert told["spared"] >= 25


async def test_redirects_cannot_aim_us_at_somebody(settings: Settings, database: Database) -> None:
    """The victim is one host by any name, at any port, in any letters, and has 20 requests a day."""
    spelled = itertools.cycle(
        ["victim.com", "victim.com:80", "VICTIM.com.", "victim.com:080", "victim.com:8080", "ｖictim.com"]
    )

    def aimed(request: web.Request) -> web.StreamResponse:
        if "victim" in request.host or request.path == "/robots.txt":
            return web.Response(text="")
        return web.Response(status=302, headers={"Location": f"http://{next(spelled)}{request.path}"})

    zone = Wildcard(networks=200)
    async with visitor(settings, database, aimed, zone=zone) as (pages, asked):
        await read_all(pages, [f"http://h{number}.zone.com/{number}" for number in range(60)])
    assert sum(host.startswith("victim.com") for host, _ in asked) == live.HOST_REQUESTS
    assert {host for host, _ in asked if "victim" in host.lower()} <= {"victim.com", "victim.com."}
