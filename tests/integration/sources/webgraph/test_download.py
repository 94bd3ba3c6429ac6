"""Downloading from a real server that breaks off, changes its file, is busy, or lies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from afterdrop.core import clock
from afterdrop.sources.webgraph.download import Publisher, download
from afterdrop.sources.webgraph.errors import RanksError

RELEASE = "cc-main-2026-apr-may-jun"
BODY = bytes(range(256)) * 4096
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def ranged(
    request: web.Request, body: bytes = BODY, etag: str = '"one"'
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an honest server."""
    asked = request.headers.get("Range")
    if not asked or request.headers.get("If-Range", etag) != etag:
        return 200, {"ETag": etag}, body
    start = int(asked.removeprefix("bytes=").partition("-")[0])
    if start >= len(body):
        return 416, {"Content-Range": f"bytes */{len(body)}", "ETag": etag}, b""
    span = f"bytes {start}-{len(body) - 1}/{len(body)}"
    return 206, {"Content-Range": span, "ETag": etag}, body[start:]


async def honest(request: web.Request) -> web.StreamResponse:
    status, headers, body = ranged(request)
    return web.Response(status=status, headers=headers, body=body)


def breaking(after: int, etag: str = '"one"', body: bytes = BODY) -> Answer:
    """A server that sends `after` bytes of what it announces and hangs up."""

    async def answer(request: web.Request) -> web.StreamResponse:
        status, headers, rest = ranged(request, body, etag)
        response = web.StreamResponse(status=status, headers={**headers, "Content-Length": str(len(rest))})
        await response.prepare(request)
        await response.write(rest[:after])
        # The client drops what it has not read yet when a connection ends: give it time to read.
        await asyncio.sleep(0.1)
        if len(rest) > after and request.transport is not None:
            request.transport.close()
        return response

    return answer


class Server:
    """Answers each request with the next of `answers`; the last one repeats."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[web.Request] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        return await (self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])(request)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_get("/{path:.*}", self.answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/graph"
        finally:
            await runner.cleanup()


async def fetch(
    server: Server, folder: Path, pauses: tuple[float, ...] = (0, 0), *, links: bool = False
) -> Path:
    seen: list[tuple[str, int, int]] = []
    async with server.running() as url, aiohttp.ClientSession() as session:
        sources = await download(
            Publisher(session, url, pauses=pauses),
            RELEASE,
            folder,
            lambda *step: seen.append(step),
            links=links,
        )
    assert all(done <= total for _, done, total in seen)
    return sources.ranks


async def test_the_files_come_from_their_published_places(tmp_path: Path) -> None:
    server = Server(honest)
    ranks = await fetch(server, tmp_path / "new", links=True)
    assert ranks.read_bytes() == BODY
    assert [request.path for request in server.asked] == [
        f"/graph/{RELEASE}/domain/{RELEASE}-domain-{part}.txt.gz" for part in ("ranks", "vertices", "edges")
    ]
    assert len(list((tmp_path / "new").iterdir())) == 3
    # What is there is not asked for again.
    await fetch(server, tmp_path / "new")
    assert len(server.asked) == 3


async def test_a_broken_download_is_resumed(tmp_path: Path) -> None:
    server = Server(breaking(300_000), breaking(300_000), honest)
    assert (await fetch(server, tmp_path)).read_bytes() == BODY
    ranges = [request.headers.get("Range") for request in server.asked]
    assert ranges[0] is None
    starts = [int((asked or "").removeprefix("bytes=").removesuffix("-")) for asked in ranges[1:]]
    assert 0 < starts[0] < starts[1]


async def test_the_next_command_resumes_an_interrupted_download(tmp_path: Path) -> None:
    with pytest.raises(RanksError, match=r"cannot be downloaded: .*what came is kept"):
        await fetch(Server(breaking(500_000), breaking(0)), tmp_path)
    server = Server(honest)
    assert (await fetch(server, tmp_path)).read_bytes() == BODY
    assert server.asked[0].headers.get("Range", "").startswith("bytes=")
    assert [file.name for file in tmp_path.iterdir()] == [f"{RELEASE}-domain-ranks.txt.gz"]


async def test_a_file_that_changed_meanwhile_begins_anew(tmp_path: Path) -> None:
    other = BODY[::-1]

    async def changed(request: web.Request) -> web.StreamResponse:
        status, headers, body = ranged(request, other, '"two"')
        return web.Response(status=status, headers=headers, body=body)

    server = Server(breaking(500_000), changed)
    assert (await fetch(server, tmp_path)).read_bytes() == other


@pytest.mark.parametrize("etag", ['W/"weak"', ""])
async def test_without_a_strong_validator_no_download_is_resumed(tmp_path: Path, etag: str) -> None:
    server = Server(breaking(500_000, etag), honest)
    assert (await fetch(server, tmp_path)).read_bytes() == BODY
    assert "Range" not in server.asked[1].headers


async def test_a_busy_server_is_asked_again(tmp_path: Path) -> None:
    async def busy(request: web.Request) -> web.StreamResponse:
        return web.Response(status=503)

    assert (await fetch(Server(busy, busy, honest), tmp_path)).read_bytes() == BODY
    with pytest.raises(RanksError, match="status 503"):
        await fetch(Server(busy), tmp_path / "never")


async def test_a_busy_server_is_asked_again_when_it_says(tmp_path: Path) -> None:
    asked: list[float] = []

    async def busy(request: web.Request) -> web.StreamResponse:
        asked.append(clock.monotonic())
        if len(asked) > 1:
            return await honest(request)
        return web.Response(status=429, headers={"Retry-After": "1"})

    assert (await fetch(Server(busy), tmp_path)).read_bytes() == BODY
    assert asked[1] - asked[0] >= 1


async def test_a_complete_part_is_recognised(tmp_path: Path) -> None:
    file = tmp_path / f"{RELEASE}-domain-ranks.txt.gz"
    file.with_name(file.name + ".download").write_bytes(BODY)
    file.with_name(file.name + ".download.json").write_text('{"etag": "\\"one\\""}')
    assert (await fetch(Server(honest), tmp_path)).read_bytes() == BODY
    file.unlink()
    file.with_name(file.name + ".download").write_bytes(BODY + b"more")
    file.with_name(file.name + ".download.json").write_text('{"etag": "\\"one\\""}')
    assert (await fetch(Server(honest), tmp_path)).read_bytes() == BODY


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        (404, {}, "is this the name of a published release"),
        (403, {}, "status 403"),
        (302, {"Location": "http://127.0.0.1:1/"}, "status 302"),
        (206, {"Content-Range": "bytes 7-9/10"}, "status 206"),
    ],
)
async def test_an_answer_that_is_not_the_file_is_an_error(
    tmp_path: Path, status: int, headers: dict[str, str], message: str
) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, headers=headers, body=b"x")

    with pytest.raises(RanksError, match=message) as caught:
        await fetch(Server(answer), tmp_path)
    assert "ranks.txt.gz" in str(caught.value)


async def test_a_file_of_unknown_length_is_refused(tmp_path: Path) -> None:
    async def chunked(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        await response.write(BODY)
        return response

    with pytest.raises(RanksError, match="has no length"):
        await fetch(Server(chunked), tmp_path)
