"""Downloading a release's files: streamed to disk, resumed after a break, and used only when whole."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

import aiohttp
import orjson

from afterdrop.core import clock
from afterdrop.http.client import read_capped, retry_after_seconds
from afterdrop.http.exact_url import exact_url
from afterdrop.sources.webgraph.errors import RanksError, sized
from afterdrop.sources.webgraph.graph_files import GraphFiles
from afterdrop.sources.webgraph.release import Part, file_name, file_url, release_name

Progress = Callable[[str, int, int], None]

# A file of 13 GB takes long, but a minute of silence means a broken connection.
_LIMITS = aiohttp.ClientTimeout(total=None, connect=30, sock_read=60)
_LIST_LIMITS = aiohttp.ClientTimeout(total=60)
_LIST_BYTES = 4_000_000  # the list grows by a few hundred bytes a month
_CHUNK = 1 << 20
_PAUSES = (1.0, 5.0, 15.0, 60.0, 120.0)
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
# The server is busy or the network is broken, so that another try may help. Other statuses are answers.
_RETRIED = frozenset({408, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Publisher:
    """Where releases come from: the base URL, and how it is asked. `pauses` are the seconds before each retry."""

    session: aiohttp.ClientSession
    base: str
    user_agent: str = "afterdrop"
    pauses: tuple[float, ...] = _PAUSES


async def newest_release(publisher: Publisher, url: str) -> str:
    """The name of the newest release in the publisher's list at `url`: a JSON array, newest first, with an `id` each.

    Raises RanksError when the server does not answer with such a list, UpstreamError when that is too large.
    """
    headers = {"User-Agent": publisher.user_agent}
    try:
        async with publisher.session.get(
            exact_url(url), headers=headers, timeout=_LIST_LIMITS, allow_redirects=False
        ) as answer:
            if answer.status != 200:
                raise RanksError(url, f"cannot be read: the server answers with status {answer.status}")
            body = await read_capped(answer, _LIST_BYTES, url)
        return release_name(str(orjson.loads(body)[0]["id"]))
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise RanksError(url, f"cannot be read: {str(error) or type(error).__name__}") from None
    except (ValueError, LookupError, TypeError):
        raise RanksError(url, "is no list of releases; name one with --release") from None


async def download(
    publisher: Publisher, release: str, folder: Path, progress: Progress, *, links: bool = False
) -> GraphFiles:
    """Download the files of `release` into `folder`, unless they are there already.

    An interrupted download is resumed if the server still has the same file. Raises RanksError when the server does
    not have the file, answers wrongly, or keeps breaking off without a byte of progress.
    """
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    parts: tuple[Part, ...] = ("ranks", "vertices", "edges") if links else ("ranks",)
    files: dict[Part, Path] = {}
    for part in parts:
        url, file = file_url(publisher.base, release, part), folder / file_name(release, part)
        one = _Download(publisher.session, url, file, publisher.user_agent)
        await one.complete(partial(progress, f"downloading {part}"), publisher.pauses)
        files[part] = one.file
    return GraphFiles(files["ranks"], files.get("vertices"), files.get("edges"))


class _BrokenOff(Exception):
    """The connection broke off. The start is kept, and the rest is requested again after at least `wait` seconds."""

    def __init__(self, why: str, wait: float = 0) -> None:
        super().__init__(why)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class _Download:
    session: aiohttp.ClientSession
    url: str
    file: Path
    agent: str

    @property
    def part(self) -> Path:
        return self.file.with_name(self.file.name + ".download")

    @property
    def note(self) -> Path:
        return self.file.with_name(self.file.name + ".download.json")

    async def complete(self, progress: Callable[[int, int], None], pauses: tuple[float, ...]) -> None:
        """Download until the whole file is in place."""
        if self.file.is_file():
            return
        failures = 0
        while True:
            before = self._have()
            try:
                await self._try_once(progress)
                break
            except (_BrokenOff, aiohttp.ClientError, TimeoutError, ConnectionError) as error:
                failures = 0 if self._have() > before else failures + 1
                if failures > len(pauses):
                    why = str(error) or type(error).__name__
                    raise RanksError(self.url, f"cannot be downloaded: {why}; what came is kept") from None
                pause = pauses[max(failures - 1, 0)] if pauses else 0
                await asyncio.sleep(max(pause, getattr(error, "wait", 0)))
            except OSError as error:
                why = f"cannot be written: {error.strerror or error}; what came is kept"
                raise RanksError(str(self.part), why) from None
        await asyncio.to_thread(self.part.rename, self.file)
        self.note.unlink(missing_ok=True)

    def _have(self) -> int:
        return self.part.stat().st_size if self.part.is_file() else 0

    async def _try_once(self, progress: Callable[[int, int], None]) -> None:
        have, validator = await asyncio.to_thread(self._kept)
        headers = {"User-Agent": self.agent, "Accept-Encoding": "identity"}
        if have:
            headers |= {"Range": f"bytes={have}-", "If-Range": validator}
        async with self.session.get(
            exact_url(self.url), headers=headers, timeout=_LIMITS, allow_redirects=False
        ) as answer:
            start, total = self._place(answer, have)
            if start == 0:
                await asyncio.to_thread(self._remember, answer.headers.get("ETag"))
            if start != total:
                await self._save(answer, start, total, progress)

    def _place(self, answer: aiohttp.ClientResponse, have: int) -> tuple[int, int]:
        """The offset of the answer's bytes and the size of the file. RanksError when the answer is not part of it."""
        if answer.status in _RETRIED:
            header = answer.headers.get("Retry-After")
            wait = retry_after_seconds(header, clock.epoch()) if header else 0.0
            raise _BrokenOff(f"the server answers with status {answer.status}", wait)
        if answer.status == 404:
            raise RanksError(self.url, "is not there: is this the name of a published release?")
        if answer.status == 416:
            # There is nothing after our bytes: the file is complete, or our bytes are of another file.
            found = re.fullmatch(r"bytes \*/(\d+)", answer.headers.get("Content-Range", ""))
            if found and int(found[1]) == have:
                return have, have
            self.part.unlink(missing_ok=True)
            raise _BrokenOff("what was here is not part of the file: it begins anew")
        if answer.status == 200:
            if answer.content_length is None:
                raise RanksError(self.url, "has no length: whether it is whole could not be told")
            return 0, answer.content_length
        found = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if answer.status != 206 or found is None or int(found[1]) != have:
            raise RanksError(
                self.url, f"cannot be downloaded: the server answers with status {answer.status}"
            )
        return have, int(found[3])

    async def _save(
        self, answer: aiohttp.ClientResponse, start: int, total: int, progress: Callable[[int, int], None]
    ) -> None:
        done = start
        free = (await asyncio.to_thread(shutil.disk_usage, self.file.parent)).free
        if free < total - start:
            missing = f"{sized(free)} free; {sized(total - start)} are to come from {self.url}"
            raise RanksError(str(self.file.parent), f"has {missing}")
        file: BinaryIO = await asyncio.to_thread(self.part.open, "ab" if start else "wb")
        try:
            async for chunk in answer.content.iter_chunked(_CHUNK):
                done += len(chunk)
                if done > total:
                    raise RanksError(self.url, f"sends more than the {total:,} bytes it announced")
                await asyncio.to_thread(file.write, chunk)
                progress(done, total)
        finally:
            await asyncio.to_thread(file.close)
        if done < total:
            raise _BrokenOff(f"broke off after {done:,} of {total:,} bytes")

    def _kept(self) -> tuple[int, str]:
        """How many bytes are here, and the ETag of their file; 0 when that is not known."""
        try:
            validator = orjson.loads(self.note.read_bytes())["etag"]
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
            return 0, ""
        return (self._have(), validator) if isinstance(validator, str) else (0, "")

    def _remember(self, etag: str | None) -> None:
        # A weak validator promises no equal bytes: RFC 9110 §13.1.5 allows only strong ones here.
        kept = etag if etag and not etag.startswith("W/") else None
        self.part.unlink(missing_ok=True)
        self.note.write_bytes(orjson.dumps({"etag": kept}))
