"""Hosts of strangers that answer without end, in bombs or drop by drop: each is left within bounds."""

from __future__ import annotations

import asyncio
import re
import sys
import zlib
from pathlib import Path

import pytest
from aiohttp import web

from afterdrop.core import clock
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.sources.live import pages as live
from tests.support.live_hosts import Handler, visitor


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
    async with visitor(settings, database, answers(web.Response(text="x"), robots)) as (pages, _):
        async with asyncio.timeout(60):
            assert (await pages.read(f"http://name.com/{'a' * 1_900}")).body == b"x"
