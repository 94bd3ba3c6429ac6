"""Answers whose headers have no end, made to fill the memory of whoever asks; as a module, it asks for each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import aiohttp

from afterdrop.http.answers import open_session
from tests.hostile.bounded import run

_OK, _LENGTH = "HTTP/1.1 200 OK\r\n", "Content-Length: 2\r\n\r\nok"
_CHUNKED = f"{_OK}Transfer-Encoding: chunked\r\n\r\n"
_FIELD = f"X-Long: {'a' * 64_000}\r\n"
MB = 1 << 20


def answers() -> Iterator[tuple[str, list[str | int]]]:
    """What is sent of each: its beginning, what comes then, how often, and its end."""
    yield "a field of 60 MB", [f"{_OK}X-Long: ", "a" * MB, 60, f"\r\n{_LENGTH}"]
    yield "900 fields of 64 kB", [_OK, _FIELD, 900, _LENGTH]
    yield "60,000 fields of a kilobyte", [_OK, f"X-Long: {'a' * 1_000}\r\n", 60_000, _LENGTH]
    yield "900 fields that end in line feeds only", [_OK, _FIELD.replace("\r", ""), 900, _LENGTH]
    yield "the name of a field of 60 MB", [_OK, "a" * MB, 60, f": a\r\n{_LENGTH}"]
    yield "a reason of 60 MB", ["HTTP/1.1 200 ", "a" * MB, 60, f"\r\n{_LENGTH}"]
    yield "60 MB of line feeds before it", ["", "\r\n" * (MB // 2), 60, f"{_OK}{_LENGTH}"]
    yield (
        "60 MB of interim answers",
        ["", f"HTTP/1.1 103 Early Hints\r\n{_FIELD}\r\n", 900, f"{_OK}{_LENGTH}"],
    )
    yield "trailers of 60 MB", [f"{_CHUNKED}2\r\nok\r\n0\r\n", _FIELD, 900, "\r\n"]
    yield "chunks described in 60 MB", [f"{_CHUNKED}2;a=", "a" * MB, 60, "\r\nok\r\n0\r\n\r\n"]
    yield "no HTTP, but 60 MB", ["", "a" * MB, 60, ""]
    yield "eight fields of 64 kB", [_OK, _FIELD, 8, _LENGTH]
    yield "four fields of 64 kB", [_OK, _FIELD, 4, _LENGTH]
    yield "900 short fields", [_OK, "Set-Cookie: c=1\r\n", 900, _LENGTH]
    yield "a body of 60 MB in chunks", [_CHUNKED, f"400;a=b\r\n{'a' * 1_024}\r\n", 60_000, "0\r\n\r\n"]


def read(_case: str, path: Path) -> str:
    """What is told of an answer."""
    return asyncio.run(_ask(*json.loads(path.read_bytes())))


async def _ask(begin: str, middle: str, times: int, end: str) -> str:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        try:
            for part in (begin, *[middle] * times, end):
                writer.write(part.encode())
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            writer.transport.abort()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    limits = aiohttp.ClientTimeout(total=15)
    async with server, open_session(aiohttp.TCPConnector(), limits) as session:
        try:
            async with session.get(address) as response:
                size = 0
                async for chunk in response.content.iter_chunked(65_536):
                    size += len(chunk)
                return f"read: {response.status}, {size} bytes"
        except aiohttp.ClientError as error:
            return f"refused: {type(error).__name__}"


if __name__ == "__main__":
    run(((case, json.dumps(sent).encode()) for case, sent in answers()), read)
