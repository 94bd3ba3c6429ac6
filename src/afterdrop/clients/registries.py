"""IANA's bootstrap file kept current: fetched when its HTTP validity ends, with the last good copy kept on disk."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from afterdrop.clients.bootstrap import Bootstrap, fresh_until, read_bootstrap, shipped_bootstrap
from afterdrop.clients.http import Fetched, Fetcher
from afterdrop.errors import UpstreamError

IANA = "https://data.iana.org/rdap/dns.json"
_AGAIN = timedelta(minutes=15)
_MAX_BYTES = 5_000_000
_log = logging.getLogger(__name__)


@dataclass
class Registries:
    """Which RDAP server answers for a name. `url` '' means: the shipped copy only, nothing is fetched."""

    fetcher: Fetcher
    url: str
    path: Path
    current: Bootstrap | None = None
    fresh_until: datetime | None = None
    etag: str | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def base(self, domain: str, now: datetime) -> str | None:
        """The RDAP base address for `domain` (lowercase A-labels), None when IANA lists none for its extension."""
        if self.current is None or (self.fresh_until is not None and now >= self.fresh_until):
            async with self._lock:
                await self._refresh(now)
        return self.current.base(domain) if self.current else None

    async def _refresh(self, now: datetime) -> None:
        if self.current is None:
            self.current = shipped_bootstrap()
            if not self.url:
                return
            await asyncio.to_thread(self._read_copy)
        if self.fresh_until is not None and now < self.fresh_until:
            return
        try:
            await self._fetch(now)
        except UpstreamError as error:
            self.fresh_until = now + _AGAIN
            _log.warning("bootstrap not renewed, the copy of %s stays: %s", self.current.publication, error)

    async def _fetch(self, now: datetime) -> None:
        headers = {"Accept": "application/json"} | ({"If-None-Match": self.etag} if self.etag else {})
        got = await self.fetcher.get(self.url, headers=headers, max_bytes=_MAX_BYTES, patience=10)
        if got.status == 200:
            # A file that lost half its extensions is more likely broken than true.
            known = self.current if self.etag or self.url == IANA else None
            fewest = len(known.bases) // 2 if known else 1
            self.current = read_bootstrap(got.body, self.url, fewest=max(fewest, 1))
            self.etag = got.headers.get("ETag")
        elif got.status != 304 or self.etag is None:
            raise UpstreamError(self.url, "status", f"HTTP {got.status}", http_status=got.status)
        self.fresh_until = fresh_until(got.headers, now)
        await asyncio.to_thread(self._keep_copy, got)

    def _read_copy(self) -> None:
        """Take up the copy of an earlier run, if it is of the same address and still reads."""
        try:
            kept: dict[str, Any] = orjson.loads(self.path.read_bytes())
            if kept["url"] != self.url:
                return
            self.current = read_bootstrap(orjson.dumps(kept["document"]), str(self.path))
            self.fresh_until = datetime.fromisoformat(kept["fresh_until"])
            self.etag = kept["etag"]
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, UpstreamError) as error:
            _log.warning("the kept bootstrap copy cannot be used: %s", error)

    def _keep_copy(self, got: Fetched) -> None:
        """Write the copy beside its final name first: a crash must not leave half a file."""
        document = orjson.loads(got.body) if got.status == 200 else self._kept_document()
        kept = {
            "url": self.url,
            "fresh_until": self.fresh_until.isoformat() if self.fresh_until else "",
            "etag": self.etag,
            "document": document,
        }
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name)
            with os.fdopen(handle, "wb") as file:
                file.write(orjson.dumps(kept))
            Path(name).replace(self.path)
        except OSError as error:
            _log.warning("the bootstrap copy cannot be kept: %s", error)

    def _kept_document(self) -> Any:
        try:
            return orjson.loads(self.path.read_bytes())["document"]
        except (OSError, ValueError, KeyError, TypeError):
            return {
                "services": [
                    [[suffix], [base]] for suffix, base in (self.current or shipped_bootstrap()).bases.items()
                ]
            }
