"""Files of a crawl made to choke whoever reads them: tables, blocks, records; as a module, it reads each."""

from __future__ import annotations

import asyncio
import json
import random
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Archive
from afterdrop.http.client import Fetched
from afterdrop.sources.archive.common_crawl import CommonCrawl
from afterdrop.sources.archive.wayback import MissingCapture
from afterdrop.sources.archive.zipnum import Place
from tests.hostile.bounded import run
from tests.support.warc import http, record

MB = 1 << 20
NOW = datetime(2026, 11, 20, tzinfo=UTC)
ONE = "CC-MAIN-2026-42"
FILE = f"crawl-data/{ONE}/segments/1.3/warc/{ONE}-00000.warc.gz"
HOME = "https://example.com/"
Cases = Iterator[tuple[str, bytes]]


def clusters() -> Cases:
    """Lists of blocks that are none, up to the size of real ones."""
    good = b"com,a)/ 20261010000000\tcdx-00000.gz\t0\t9\t1\n"
    yield "noise", random.Random(1).randbytes(60 * MB)
    yield "nothing but zeros", bytes(90 * MB)
    yield "nothing but line ends", b"\n" * (30 * MB)
    yield "a line without an end", b"com,a)/" + b"a" * (90 * MB)
    yield "a line of tabs", b"com,a)/ 20261010000000" + b"\t" * (90 * MB)
    yield "a page", b"<html>" + b"<p>Please enable JavaScript</p>" * 1_000_000
    yield "a bomb", _gzip([bytes(MB)] * 300)
    yield "garbage behind a million lines", good * 1_000_000 + b"garbage\n"
    yield "a million lines of one host", good * 1_000_000
    yield (
        "half a million hosts",
        b"".join(b"com,a%06d)/" % at + good.removeprefix(b"com,a)/") for at in range(500_000)),
    )
    yield "a place that no file has", good.replace(b"\t0\t", b"\t" + b"9" * 15_000 + b"\t")


def blocks() -> Cases:
    """Blocks of two megabytes at most that become far more, or whose rows do."""
    yield "300 MB of zeros", _gzip([bytes(MB)] * 300)
    yield "200,000 empty members", _gzip([]) * 100_000
    yield "15 million line ends", _gzip([b"\n" * MB] * 15)
    yield "rows without end", _gzip([_row()] * 60_000)
    yield "a row of 15 MB", _gzip([_row(url=HOME + "a" * 15_000_000)])
    yield "a million keys", _gzip([_row(**{f"k{at}": "" for at in range(1_000_000)})])
    yield "deep lists", _gzip([b"com,example)/ 20261010000000 " + b'{"url":' + b"[" * 10_000_000 + b"\n"])
    yield "numbers without end", _gzip([_row(length="9" * 1_000_000, offset="9" * 1_000_000)] * 7)
    yield "blanks to be encoded", _gzip([_row(url=HOME + " " * 7_000)] * 2_000)
    yield "foreign files", _gzip([_row(filename="crawl-data/../../etc/passwd")] * 50_000)


def records() -> Cases:
    """Records that become far more, or that name codings which were undone."""
    page = b"<p>" + b"a" * 100
    yield "1 GB of zeros", _gzip([record(http(b""), Content_Length=str(1_000 * MB)), *[bytes(MB)] * 1_000])
    yield "300 MB of a page", _gzip([record(http(page * 3_000_000), WARC_Target_URI=HOME)])
    yield "a bomb in a record", _gzip([record(http(_gzip([bytes(MB)] * 300), "Content-Encoding: gzip"))])
    yield "a length of 10 EB", _gzip([record(http(page), WARC_Target_URI=HOME, Content_Length="9" * 19)])
    yield "headers without end", _gzip([record(http(page, *["X: " + "a" * 8_000] * 10_000))])
    yield "nothing but zeros", bytes(20 * MB)
    yield "a page", b"<html>" + page * 10_000


def _gzip(parts: Iterable[bytes]) -> bytes:
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*map(packing.compress, parts), packing.flush()])


def _row(**fields: str) -> bytes:
    known = {
        "url": HOME,
        "mime": "text/html",
        "status": "200",
        "length": "9",
        "offset": "0",
        "filename": FILE,
    }
    return f"com,example)/ 20261010000000 {json.dumps(known | fields)}\n".encode()


CLASSES: dict[str, Callable[[], Cases]] = {"cluster": clusters, "block": blocks, "record": records}


def cases() -> Cases:
    """Every case as `class: what it is`."""
    for name, made in CLASSES.items():
        for case, data in made():
            yield f"{name}: {case}", data


@dataclass
class _Host:
    """A file host whose every file is the case's."""

    path: Path

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None, **_options: object) -> Fetched:
        """The range of the file, or the list of crawls."""
        if headers is None:
            return Fetched(200, {}, json.dumps([{"id": ONE}]).encode(), url)
        first, last = map(int, headers["Range"].removeprefix("bytes=").split("-"))
        size = self.path.stat().st_size
        with self.path.open("rb") as opened:
            opened.seek(first)
            body = opened.read(last + 1 - first)
        return Fetched(206, {"Content-Range": f"bytes {first}-{first + len(body) - 1}/{size}"}, body, url)


def read(case: str, path: Path) -> str:
    """What the product makes of a case, or the error's line."""
    crawl = CommonCrawl(_Host(path), Archive(), path.parent / "crawls")
    try:
        return asyncio.run(_read(crawl, case.partition(":")[0], path.stat().st_size))
    except UpstreamError as error:
        return f"refused: {error}"


async def _read(crawl: CommonCrawl, kind: str, size: int) -> str:
    table = crawl.folder / f"{ONE}.blocks"
    if kind == "cluster":
        await crawl.fetch_tables(NOW)
        return f"read: a table of {table.stat().st_size} bytes"
    if kind == "block":
        crawl.folder.mkdir()
        table.write_bytes(b"com,example) 0 0 %x\n" % size)
        return f"read: {len((await crawl.index('example.com')).lines.splitlines())} rows"
    replay = await crawl.capture(Place(FILE, 0, size), NOW, HOME)
    return f"read: {replay.reason if isinstance(replay, MissingCapture) else f'{len(replay.body)} bytes'}"


if __name__ == "__main__":
    run(cases(), read)
