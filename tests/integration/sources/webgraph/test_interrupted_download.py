"""Downloads that are killed, meet a full disk or each other: the part is kept, and the next command resumes it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from afterdrop.sources.webgraph.download import Publisher, download
from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.table_dir import TableDir
from tests.integration.sources.webgraph.test_download import BODY, Server, fetch, honest, ranged
from tests.support.graphs import RELEASE, Graph, make, written

NAME = f"{RELEASE}-domain-ranks.txt.gz"


@pytest.fixture
def graph() -> Graph:
    return make(5000, 0)


@pytest.fixture
def body(tmp_path: Path, graph: Graph) -> bytes:
    return written(tmp_path / "published", graph, links=False).ranks.read_bytes()


async def start_import(folder: Path, url: str) -> Process:
    """`afterdrop ranks import --release`, as an operator's shell runs it."""
    settings = folder / "afterdrop.toml"
    origin = url.removesuffix("/graph")
    settings.write_text(
        f'data_dir = "{folder}"\ntrusted_origins = ["{origin}"]\n[ranks]\nurl = "{url}"\n', encoding="utf-8"
    )
    words = (sys.executable, "-m", "afterdrop", "ranks", "import", "--release", RELEASE, "--memory", "300MB")
    env = {**os.environ, "AFTERDROP_SETTINGS": str(settings)}
    return await create_subprocess_exec(*words, stdout=PIPE, stderr=PIPE, env=env)


async def test_a_download_killed_in_the_middle_goes_on_by_range(
    tmp_path: Path, graph: Graph, body: bytes
) -> None:
    half, kept = len(body) // 2, tmp_path / "ranks" / f"{NAME}.download"
    dead = asyncio.Event()

    async def stuck(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"ETag": '"one"', "Content-Length": str(len(body))})
        await response.prepare(request)
        await response.write(body[:half])
        await dead.wait()
        return response

    async def whole(request: web.Request) -> web.StreamResponse:
        status, headers, rest = ranged(request, body)
        return web.Response(status=status, headers=headers, body=rest)

    server = Server(stuck, whole)
    async with server.running() as url:
        killed = await start_import(tmp_path, url)
        async with asyncio.timeout(180):
            while not kept.is_file() or kept.stat().st_size < half // 2:
                await asyncio.sleep(0.02)
        killed.kill()
        assert await killed.wait() == -9
        dead.set()
        have = kept.stat().st_size
        assert 0 < have <= half
        again = await start_import(tmp_path, url)
        out, err = await again.communicate()
    assert again.returncode == 0, err
    assert b"5,000 domains, ranks only" in out
    assert [request.headers.get("Range") for request in server.asked] == [None, f"bytes={have}-"]
    table_dir = TableDir(tmp_path / "ranks")
    assert len(table_dir.tables()) == 1 and not table_dir.downloads() and not table_dir.unfinished()


async def test_a_published_file_that_is_damaged_is_named_with_the_way_out(
    tmp_path: Path, body: bytes
) -> None:
    async def damaged(request: web.Request) -> web.StreamResponse:
        return web.Response(headers={"ETag": '"one"'}, body=body[: len(body) // 2])

    async with Server(damaged).running() as url:
        ran = await start_import(tmp_path, url)
        _, err = await ran.communicate()
    assert ran.returncode == 2
    told = err.decode().strip().splitlines()[-1]
    assert told.startswith(f"afterdrop: {tmp_path / 'ranks' / NAME}: is cut off: it ends after line ")
    assert told.endswith("; remove it to download it anew")


async def test_two_downloads_do_not_write_one_file(tmp_path: Path, body: bytes) -> None:
    async with Server(honest).running() as url:
        with TableDir(tmp_path / "ranks").importing("download"):
            ran = await start_import(tmp_path, url)
            _, err = await ran.communicate()
    assert ran.returncode == 2
    assert b"another download is already running here" in err


async def test_a_disk_too_small_for_the_file_is_reported_before_a_byte_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": len(BODY) - 1}))
    with pytest.raises(RanksError, match=r"has \d+\.\d MB free; \d+\.\d MB are to come from http") as caught:
        await fetch(Server(honest), tmp_path)
    assert caught.value.subject == str(tmp_path)
    assert not (tmp_path / f"{NAME}.download").exists()


_FULL = """
import asyncio, resource, sys
from pathlib import Path
import aiohttp
from afterdrop.core.errors import AfterdropError
from afterdrop.sources.webgraph.download import Publisher, download
async def main():
    async with aiohttp.ClientSession() as session:
        await download(Publisher(session, sys.argv[1], pauses=()), sys.argv[2], Path(sys.argv[3]), lambda *step: None)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    asyncio.run(main())
except AfterdropError as error:
    print("REFUSED", error)
"""


async def test_a_disk_that_fills_while_downloading_keeps_the_part(tmp_path: Path) -> None:
    server = Server(honest)
    async with server.running() as url:
        words = [sys.executable, "-c", _FULL, url, RELEASE, str(tmp_path)]
        ran = await asyncio.to_thread(subprocess.run, words, capture_output=True, text=True, check=True)
        part = tmp_path / f"{NAME}.download"
        assert f"REFUSED {part}: cannot be written: File too large; what came is kept" in ran.stdout, ran
        have = part.stat().st_size
        assert 0 < have <= 400_000
        async with aiohttp.ClientSession() as session:
            await download(Publisher(session, url), RELEASE, tmp_path, lambda *step: None)
    assert server.asked[-1].headers["Range"] == f"bytes={have}-"
    assert (tmp_path / NAME).read_bytes() == BODY
