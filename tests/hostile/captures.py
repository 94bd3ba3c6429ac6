"""Capture files made to choke whoever undoes their codings or resolves their revisits; as a module, it reads each."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import brotli
import zstandard

from afterdrop.sources.archive.capture_file import CaptureFileError, open_captures
from afterdrop.sources.archive.wayback import MissingCapture
from tests.hostile.bounded import run
from tests.support.warc import http, record

MB = 1 << 20
NOW = datetime(2026, 1, 1, tzinfo=UTC)
# A frame's head: no content size, one byte for the window, of 2 to the power of 10 and more (RFC 8878, 3.1.1.1.2).
_FRAME = b"\x28\xb5\x2f\xfd\0"
_SMALL_WINDOW, _WINDOW_OF_2_GB = bytes([13 << 3]), bytes([21 << 3])
_LAST, _RLE = 1, 2
_EMPTY_FRAME = b"\x28\xb5\x2f\xfd\x20\0\x01\0\0"
Cases = Iterator[tuple[str, bytes]]


def _zeros(size: int, last: bool = True) -> bytes:
    """Blocks of zstd that repeat a zero, 128 KiB each: four bytes a block."""
    block = (128 << 10 << 3 | _RLE).to_bytes(3, "little") + b"\0"
    end = (128 << 10 << 3 | _RLE | _LAST).to_bytes(3, "little") + b"\0"
    return block * (size // (128 << 10) - 1) + (end if last else block)


def _answer(coding: str, body: bytes) -> bytes:
    return record(http(body, "Content-Type: text/html", f"Content-Encoding: {coding}"))


def _times(coded: Callable[[bytes], bytes], body: bytes, count: int) -> bytes:
    for _ in range(count):
        body = coded(body)
    return body


def codings() -> Cases:
    """Bodies of two megabytes at most that become far more, or take long to be undone."""
    zipped = partial(gzip.compress, compresslevel=6, mtime=0)
    page = b"<p>" + b"a" * 100
    yield "zstd: 60 GB of zeros", _answer("zstd", _FRAME + _SMALL_WINDOW + _zeros(60_000 * MB))
    yield "zstd: without an end", _answer("zstd", _FRAME + _SMALL_WINDOW + _zeros(1_000 * MB, last=False))
    yield "zstd: a window of 2 GB", _answer("zstd", _FRAME + _WINDOW_OF_2_GB + _zeros(4 * MB))
    yield "zstd: 200,000 empty frames", _answer("zstd", _EMPTY_FRAME * 200_000)
    yield (
        "zstd: a size that is a lie",
        _answer("zstd", b"\x28\xb5\x2f\xfd\xe0" + b"\xff" * 8 + _zeros(4 * MB)),
    )
    yield "br: 300 MB of zeros", _answer("br", brotli.compress(bytes(300 * MB), quality=1))
    yield "br: a window beyond RFC 7932", _answer("br", b"\x11\x1e" + b"\xff" * 1_000)
    yield "br: nothing but noise", _answer("br", bytes(range(256)) * 4_000)
    yield "gzip: 300 MB of zeros", _answer("gzip", zipped(bytes(300 * MB)))
    yield "gzip: 100,000 empty members", _answer("gzip", zipped(b"") * 100_000)
    yield "deflate: 300 MB of zeros", _answer("deflate", zlib.compress(bytes(300 * MB)))
    bomb = zipped(zipped(bytes(300 * MB)))
    yield "nested: four codings around a bomb", _answer("gzip, gzip, zstd, br", brotli.compress(_zstd(bomb)))
    yield (
        "nested: four codings around a page",
        _answer("br, zstd, gzip, deflate", zlib.compress(zipped(_zstd(brotli.compress(page))))),
    )
    yield "nested: five codings", _answer("gzip, gzip, gzip, gzip, gzip", _times(zipped, page, 5))
    yield "nested: ten thousand codings", _answer(", ".join(["gzip"] * 10_000), page)
    yield (
        "nested: five that no header tells",
        record(http(_times(zipped, page, 5), "Content-Type: text/html")),
    )


def _zstd(body: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(body)


def revisits() -> Cases:
    """Revisits that lead nowhere, or in circles."""
    here = "http://example.com/"

    def revisit(url: str, to: str, digest: str = "") -> bytes:
        return record(
            b"", "revisit", WARC_Target_URI=url, WARC_Refers_To_Target_URI=to, WARC_Payload_Digest=digest
        )

    yield "of itself", revisit(here, here, "sha1:A") * 2
    yield "of each other", revisit(here, here + "b") + revisit(here + "b", here)
    yield "in a chain of 20,000", b"".join(revisit(f"{here}{n}", f"{here}{n + 1}") for n in range(20_000))
    yield "of one page, 20,000 times", record(http()) + revisit(here, here) * 20_000
    yield "of no address", revisit(here, "http://[", "sha1:" + "f" * 40)
    yield "with a block of noise", record(bytes(range(256)) * 4_000, "revisit")


def bombs() -> Cases:
    """Files of at most two megabytes that unpack to hundreds: what is kept of each record adds up."""
    page, here = b"<p>" + b"a" * 100, "http://example.com/"
    text, long = "Content-Type: text/html", "a" * 60_000

    def file(count: int, each: Callable[[int], bytes]) -> bytes:
        packing = zlib.compressobj(9, zlib.DEFLATED, 31)
        return b"".join([*(packing.compress(each(n)) for n in range(count)), packing.flush()])

    def answers(count: int, *headers: str, path: str = "", **fields: str) -> bytes:
        made = http(page, *(headers or (text,)))
        return file(count, lambda n: record(made, WARC_Target_URI=f"{here}{n}/{path}", **fields))

    yield "a header of 4 MB, 100 times", answers(100, text, "X: " + "a" * 3_900_000)
    yield "an address to go to of 4 MB, 100 times", answers(100, text, "Location: /" + "a" * 3_900_000)
    yield "480 headers of 8 kB, 100 times", answers(100, text, *(f"X-{n}: {'a' * 7_900}" for n in range(480)))
    yield "a type of 60 kB, 6,000 times", answers(6_000, f"{text}{long}")
    yield "a digest of 60 kB, 6,000 times", answers(6_000, WARC_Payload_Digest=long)
    yield "an address of 60 kB, 6,000 times", answers(6_000, path=long)
    yield "wide characters, 6,000 times", answers(6_000, path="\U0001f600" * 15_000)
    yield "an address of 480 lines, 20 times", answers(20, path=f"{long}\r\n " * 480)
    yield "200,000 captures", answers(200_000)
    yield (
        "150,000 domains",
        file(150_000, lambda n: record(http(page, text), WARC_Target_URI=f"http://a{n}.com/")),
    )
    yield (
        "6,000 revisits of a long address",
        file(
            6_000,
            lambda n: record(
                b"", "revisit", WARC_Target_URI=f"{here}{n}", WARC_Refers_To_Target_URI=f"{here}{long}"
            ),
        ),
    )
    yield (
        "6,000 long addresses of the older format",
        file(6_000, lambda n: f"{here}{n}/{long} 1.2.3.4 20130506070809 text/html 5\n".encode() + b"<html\n"),
    )
    yield "a line of 400 MB", file(400, lambda _: b"a" * 1_000_000)
    yield (
        "200 bodies of 2 MB",
        file(200, lambda n: record(http(page * 19_000, text), WARC_Target_URI=f"{here}{n}")),
    )
    yield (
        "chunks of a byte",
        file(10, lambda n: record(http(b"1\r\n<\r\n" * 600_000, text, "Transfer-Encoding: chunked"))),
    )
    yield (
        "a chunk's size with 4 MB of extensions",
        file(20, lambda n: record(http(b";" * 3_900_000 + b"\n", text, "Transfer-Encoding: chunked"))),
    )


CLASSES = {"codings": codings, "revisits": revisits, "bombs": bombs}


def cases() -> Cases:
    """Every case as `class: what it is`."""
    for name, made in CLASSES.items():
        for case, data in made():
            yield f"{name}: {case}", data


def read(_: str, path: Path) -> str:
    """What the file's home page is: its size and faults, or the error's line."""
    try:
        found = open_captures(path, "https://web.archive.org/web")
    except CaptureFileError as error:
        return f"refused: {error}"
    home = asyncio.run(found.capture(NOW, "http://example.com/"))
    told = home.reason if isinstance(home, MissingCapture) else f"{len(home.body)} bytes"
    return f"read: {told}, {dict(found.faults)}"


if __name__ == "__main__":
    run(cases(), read)
