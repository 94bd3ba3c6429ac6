"""IANA's bootstrap file kept current: fetched when its HTTP freshness ends; the last good copy is kept on disk."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

from afterdrop.core.errors import UpstreamError
from afterdrop.http.client import Fetcher
from afterdrop.sources.registry.bootstrap import Bootstrap, fresh_until, read_bootstrap, shipped_bootstrap

IANA = "https://data.iana.org/rdap/dns.json"
_RETRY_AFTER = timedelta(minutes=15)
_MAX_BYTES = 5_000_000
_log = logging.getLogger(__name__)


@dataclass
class BootstrapFile:
    """Tells which RDAP server answers for a name. With an empty `url` nothing is fetched: the shipped copy is used."""

    fetcher: Fetcher
    url: str
    path: Path
    current: Bootstrap | None = None
    fresh_until: datetime | None = None
    etag: str | None = None
    document: bytes = b""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def base(self, domain: str, now: datetime) -> str | None:
        """The RDAP base URL for `domain` (lowercase A-labels); None when IANA lists none for its extension."""
        return (await self.newest(now)).base(domain)

    async def newest(self, now: datetime) -> Bootstrap:
        """The file, fetched anew when it is no longer fresh."""
        if not self._fresh(now):
            async with self._lock:
                await self._refresh(now)
        return await self.kept()

    async def kept(self) -> Bootstrap:
        """The file as it was last read. Nothing is fetched."""
        if self.current is None:
            self.current = shipped_bootstrap()
            if not self.url:
                self.fresh_until = datetime.max.replace(tzinfo=UTC)
            else:
                await asyncio.to_thread(self._read_copy)
        return self.current

    def _fresh(self, now: datetime) -> bool:
        return self.fresh_until is not None and now < self.fresh_until

    async def _refresh(self, now: datetime) -> None:
        kept = await self.kept()
        if self._fresh(now):
            return
        try:
            headers = {"Accept": "application/json"} | ({"If-None-Match": self.etag} if self.etag else {})
            got = await self.fetcher.get(self.url, headers=headers, max_bytes=_MAX_BYTES, patience=10)
            if got.status == 200:
                # A file that lost half its extensions is more likely broken than true.
                known = self.current if self.etag or self.url == IANA else None
                fewest = len(known.bases) // 2 if known else 1
                self.current = read_bootstrap(got.body, self.url, fewest=max(fewest, 1))
                self.document, self.etag = got.body, got.headers.get("ETag")
            elif got.status != 304 or self.etag is None:
                raise UpstreamError(self.url, "status", f"HTTP {got.status}", http_status=got.status)
            self.fresh_until = fresh_until(got.headers, now)
            await asyncio.to_thread(self._keep_copy)
        except UpstreamError as error:
            self.fresh_until = now + _RETRY_AFTER
            _log.warning("bootstrap not renewed, the copy of %s stays: %s", kept.publication, error)

    def _read_copy(self) -> None:
        """Load the copy that an earlier run kept, if it is of the same URL and can be read."""
        try:
            kept: dict[str, str] = orjson.loads(self.path.read_bytes())
            if kept["url"] != self.url:
                return
            document = kept["document"].encode()
            self.current, self.document = read_bootstrap(document, str(self.path)), document
            self.fresh_until = datetime.fromisoformat(kept["fresh_until"])
            self.etag = kept["etag"]
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError, UpstreamError) as error:
            _log.warning("the kept bootstrap copy cannot be used: %s", error)

    def _keep_copy(self) -> None:
        """Write the copy under another name first: a crash must not leave half a file."""
        kept = {
            "url": self.url,
            "fresh_until": self.fresh_until.isoformat() if self.fresh_until else "",
            "etag": self.etag,
            "document": self.document.decode("utf-8", "replace"),
        }
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name)
            with os.fdopen(handle, "wb") as file:
                file.write(orjson.dumps(kept))
            Path(name).replace(self.path)
        except OSError as error:
            _log.warning("the bootstrap copy cannot be kept: %s", error)
