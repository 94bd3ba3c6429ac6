"""Downloading a feed's file to disk: within bounds, and only if it changed. A local path is used as it is."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import aiohttp
import jmespath
import orjson

from afterdrop.core.errors import FeedError, SettingsError, UpstreamError
from afterdrop.core.json_values import Json, JsonObject
from afterdrop.feeds.containers import MAX_FEED_BYTES, without_coding
from afterdrop.feeds.pages import PagedFile, save_pages
from afterdrop.feeds.spec import FeedSpec
from afterdrop.http.client import Fetcher, asks_to_wait, host_of, origin
from afterdrop.http.content_codings import MOST_CODINGS, codings_of
from afterdrop.http.exact_url import exact_url

# A feed of 200 MB from a slow server may take long, but silence is a failure.
TOTAL_SECONDS, SILENT_SECONDS = 3600.0, 60.0
REDIRECTS = 3
INDIRECTION_BYTES = 1_000_000
CHUNK = 1 << 18
_VARIABLE = re.compile(r"\$\{([A-Z][A-Z0-9_]*)\}")
_VALIDATORS = (("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since"))


@dataclass(frozen=True, slots=True)
class Spool:
    """The folder of downloaded feed files, and how large one may be."""

    folder: Path
    max_bytes: int = MAX_FEED_BYTES


@dataclass(frozen=True, slots=True)
class Spooled:
    """A feed's file on disk. `changed` is False when the server said that our copy is current.

    `whole` is False when it may be only the first pages of a longer list.
    """

    path: Path
    changed: bool = True
    whole: bool = True


def missing_variables(spec: FeedSpec, environ: Mapping[str, str] | None = None) -> list[str]:
    """The environment variables that the feed's URL or headers need and that are not set, each once."""
    given = os.environ if environ is None else environ
    texts = [spec.url, *spec.headers.values()] if spec.path is None else []
    named = dict.fromkeys(name for text in texts for name in _VARIABLE.findall(text or ""))
    return [name for name in named if not given.get(name)]


class _Secrets:
    """Fills in `${NAME}` from the environment, and redacts the values from every message."""

    def __init__(self, feed: str, environ: Mapping[str, str]) -> None:
        self._feed = feed
        self._environ = environ
        self._used: list[str] = []

    def fill(self, text: str) -> str:
        def value(found: re.Match[str]) -> str:
            secret = self._environ.get(found[1])
            if not secret:
                raise SettingsError(f"feeds: {self._feed}", f"needs the environment variable {found[1]}")
            self._used.append(secret)
            return secret

        return _VARIABLE.sub(value, text)

    def hide(self, text: str) -> str:
        for secret in self._used:
            text = text.replace(secret, "***")
        return re.sub(
            r"([?&](?:X-Amz-[\w-]+|Signature|token|key|api_?key)=)[^&\s]+", r"\1***", text, flags=re.I
        )


async def fetch(
    spec: FeedSpec,
    fetcher: Fetcher | None,
    spool: Spool,
    *,
    fresh_since: datetime | None = None,
    now: datetime,
    environ: Mapping[str, str] | None = None,
) -> Spooled:
    """The feed's file: its local path, or its URL downloaded into the spool.

    A file downloaded at or after `fresh_since` is used again (a killed scan goes on with the file it had). An older
    one is used only if the server answers 304 to its validators. Raises FeedError, with secrets redacted, when there
    is no usable answer, and SettingsError when a variable of the URL is not set.
    """
    if spec.path is not None:
        return Spooled(await asyncio.to_thread(_local, spec))
    if fetcher is None or spec.url is None:
        raise FeedError(spec.name, "has no way out to the network")
    secrets = _Secrets(spec.name, os.environ if environ is None else environ)
    kept = _Kept(spool.folder / f"{spec.name}.feed", spool.folder / f"{spec.name}.json")
    # What the feed file says, without the values of its variables: a key is kept nowhere.
    asked = hashlib.sha256(spec.url.encode()).hexdigest()
    memory = await asyncio.to_thread(kept.memory, asked)
    kept_at = (memory or {}).get("at", 0)
    if memory and fresh_since and isinstance(kept_at, int | float) and kept_at >= fresh_since.timestamp():
        return Spooled(kept.file, changed=False, whole=memory.get("whole") is not False)
    headers = {name: secrets.fill(value) for name, value in spec.headers.items()}
    try:
        url = await _address(spec, secrets.fill(spec.url), fetcher, headers)
        if spec.paging is not None:
            into = PagedFile(kept.begin, kept.complete, spool.max_bytes)
            before = (memory or {}).get("pages")
            walk = await save_pages(
                spec, url, headers, fetcher, into, now, before if isinstance(before, int) else 0
            )
            note: JsonObject = {
                "asked": asked,
                "at": now.timestamp(),
                "whole": walk.whole,
                "pages": walk.pages,
            }
            await asyncio.to_thread(kept.remember, note)
            return Spooled(kept.file, whole=walk.whole)
        answer = await _Download(fetcher, spec.name, spool.max_bytes, origin(spec.url)).save(
            url, headers, kept, memory
        )
    except (UpstreamError, FeedError) as error:
        raise FeedError(spec.name, secrets.hide(f"cannot be fetched: {error.message}")) from None
    except ValueError as error:
        raise FeedError(
            spec.name, secrets.hide(f"cannot be fetched: it led to no usable URL ({error})")
        ) from None
    changed = answer is not None
    # A new file has no validators of the one before.
    of_file = answer if answer is not None else memory or {}
    await asyncio.to_thread(kept.remember, {**of_file, "asked": asked, "at": now.timestamp()})
    return Spooled(kept.file, changed)


def forget(spec: FeedSpec, spool: Spool) -> None:
    """Let the next download of the feed begin anew: the file in the spool turned out to be no list.

    How many pages the list had is kept: the next walk is measured by it.
    """
    note = spool.folder / f"{spec.name}.json"
    try:
        found = orjson.loads(note.read_bytes())
        note.write_bytes(orjson.dumps({name: found[name] for name in ("asked", "pages")}))
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        note.unlink(missing_ok=True)


def _local(spec: FeedSpec) -> Path:
    path = Path(spec.path or "").expanduser()
    if not path.is_file():
        raise FeedError(spec.name, f"there is no file {path}")
    return path


async def _address(spec: FeedSpec, url: str, fetcher: Fetcher, headers: Mapping[str, str]) -> str:
    if spec.indirection is None:
        return url
    answer = await fetcher.get(url, headers=headers, max_bytes=INDIRECTION_BYTES, timeout=60)
    if answer.status != 200:
        raise FeedError(spec.name, f"the address of the file is refused with status {answer.status}")
    try:
        found = jmespath.search(spec.indirection.url, orjson.loads(answer.body))
    except orjson.JSONDecodeError:
        raise FeedError(spec.name, "the answer that should hold the file's address is not JSON") from None
    if not isinstance(found, str) or urlsplit(found).scheme not in ("https", "http"):
        raise FeedError(spec.name, f"the answer holds no address at {spec.indirection.url}")
    return fetcher.redirected(url, found)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A downloaded file and the note with its validators."""

    file: Path
    note: Path

    def memory(self, asked: str) -> JsonObject | None:
        """The note, if it is of the address `asked` and the file is there."""
        try:
            found = orjson.loads(self.note.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return None
        known = isinstance(found, dict) and found.get("asked") == asked and self.file.is_file()
        return found if known else None

    def remember(self, found: Mapping[str, Json]) -> None:
        part = self.note.with_suffix(".json.part")
        part.write_bytes(orjson.dumps(found))
        part.replace(self.note)

    def begin(self) -> BinaryIO:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        return self.file.with_suffix(".part").open("wb")

    def undo(self, codings: tuple[str, ...], most: int, subject: str) -> None:
        """Undo content codings of what was written, the last first. FeedError for more than `most` bytes, or damage."""
        if len(codings) > MOST_CODINGS:
            raise FeedError(subject, f"the file has {len(codings)} content codings in a row")
        part, undone = self.file.with_suffix(".part"), self.file.with_suffix(".undone")
        for coding in reversed(codings):
            try:
                if _write_undone(part, coding, undone, most, subject):
                    undone.replace(part)
            except (zlib.error, EOFError, ValueError) as error:
                raise FeedError(
                    subject, f"the file cannot be undone of its {coding} coding ({error})"
                ) from None
            finally:
                undone.unlink(missing_ok=True)

    def complete(self) -> None:
        # The note is removed first: a file must never have the validators of another file.
        self.note.unlink(missing_ok=True)
        self.file.with_suffix(".part").replace(self.file)


def _write_undone(packed: Path, coding: str, into: Path, most: int, subject: str) -> bool:
    """Write a file without a coding; False where it has no such coding."""
    with packed.open("rb") as file:
        pieces = without_coding(file, coding)
        if pieces is None:
            return False
        with into.open("wb") as undone:
            for piece in pieces:
                undone.write(piece)
                if undone.tell() > most:
                    raise FeedError(subject, f"the file unpacks to more than {most} bytes")
    return True


@dataclass(frozen=True, slots=True)
class _Download:
    """One download. The headers of the feed file may hold a key: they are sent only to `home`, the feed's origin."""

    fetcher: Fetcher
    name: str
    max_bytes: int
    home: str

    async def save(
        self, url: str, headers: Mapping[str, str], kept: _Kept, memory: Mapping[str, Json] | None
    ) -> dict[str, str] | None:
        """Save the answer of `url`. Returns its validators, or None when the server says that our file is current."""
        asked = {"User-Agent": self.fetcher.settings.user_agent, "Accept-Encoding": "identity"}
        for _hop in range(REDIRECTS + 1):
            address = f"{origin(url)}{urlsplit(url).path}"  # without what may be a key
            kept_one = memory if memory and memory.get("address") == address else {}
            conditions = {
                name: value for key, name in _VALIDATORS if isinstance(value := kept_one.get(key), str)
            }
            try:
                private = headers if origin(url) == self.home else {}
                answer = await self._once(url, {**asked, **conditions, **private}, kept)
            except TimeoutError:
                raise FeedError(self.name, "the server did not answer in time") from None
            except aiohttp.ClientPayloadError as error:
                raise FeedError(self.name, f"the download broke off ({error})") from None
            except (aiohttp.ClientError, OSError, ValueError) as error:
                raise FeedError(self.name, str(error.__cause__ or error) or type(error).__name__) from None
            if isinstance(answer, str):
                url = self.fetcher.redirected(url, answer)
                continue
            if answer is None and not conditions:
                raise FeedError(
                    self.name, "the server answers 304 (not modified) to a request without a condition"
                )
            return None if answer is None else {"address": address, **answer}
        raise FeedError(self.name, f"redirects more than {REDIRECTS} times")

    async def _once(self, url: str, headers: Mapping[str, str], kept: _Kept) -> dict[str, str] | str | None:
        limits = aiohttp.ClientTimeout(total=TOTAL_SECONDS, connect=20, sock_read=SILENT_SECONDS)
        fetcher = self.fetcher
        async with (
            fetcher.slot(host_of(url), url, 600),
            fetcher.session.get(
                exact_url(url), headers=headers, allow_redirects=False, timeout=limits
            ) as response,
        ):
            if asks_to_wait(response.status, response.headers):
                await fetcher.wait_as_told(host_of(url), url, response.status, response.headers)
            if response.status in (301, 302, 303, 307, 308) and response.headers.get("Location"):
                return response.headers["Location"]
            if response.status == 304:
                return None
            if response.status != 200:
                raise FeedError(self.name, f"the server answers with status {response.status}")
            await self._spool(response, kept)
            return {key: response.headers[key] for key, _ in _VALIDATORS if key in response.headers}

    async def _spool(self, response: aiohttp.ClientResponse, kept: _Kept) -> None:
        total = 0
        file = await asyncio.to_thread(kept.begin)
        try:
            async for chunk in response.content.iter_chunked(CHUNK):
                total += len(chunk)
                if total > self.max_bytes:
                    raise FeedError(self.name, f"the file is larger than {self.max_bytes} bytes")
                await asyncio.to_thread(file.write, chunk)
        finally:
            await asyncio.to_thread(file.close)
        codings = codings_of(response.headers.get("Content-Encoding"))
        await asyncio.to_thread(kept.undo, codings, self.max_bytes, self.name)
        await asyncio.to_thread(kept.complete)
