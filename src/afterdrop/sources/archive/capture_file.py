"""A local WARC or ARC file with the interface of the web archive: the index of one domain, and its captures."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from multidict import CIMultiDict

from afterdrop.core.domain_names import suffixes
from afterdrop.core.errors import AfterdropError
from afterdrop.sources.archive.cdx import home_keys, may_be_page, read_index
from afterdrop.sources.archive.cdx_index import Index
from afterdrop.sources.archive.warc import WarcRecord, read_records
from afterdrop.sources.archive.wayback import IndexAnswer, MissingCapture, Replay, joined_url, replay_address

BODIES_BYTES = 200_000_000
# What is known of captures beside their bodies: room for some 70,000 with addresses of 100 characters. A short one
# takes 1.2 kB, of which 800 bytes are no text of its own (measured with 400,000 of one domain, and of 300,000 domains).
LISTED_BYTES = 100_000_000
_EACH = 800
# The headers that a review looks at.
_KEPT_HEADERS = ("content-type", "location", "refresh")
_A_DAY = timedelta(days=1)
# From http to https to www.
_SPELLINGS = 3


class CaptureFileError(AfterdropError):
    """The file is not a WARC or ARC file, or holds no page."""


@dataclass(frozen=True)
class CaptureFile:
    """The captures of one file.

    `domains` counts pages by registrable domain; `faults` counts damage by reason.
    """

    name: str
    public_url: str
    faults: Counter[str] = field(default_factory=Counter)
    domains: Counter[str] = field(default_factory=Counter)
    _rows: dict[str, list[bytes]] = field(default_factory=dict, repr=False)
    _answers: dict[str, list[tuple[WarcRecord, bytes | None]]] = field(default_factory=dict, repr=False)
    _by_digest: dict[str, tuple[WarcRecord, bytes]] = field(default_factory=dict, repr=False)
    _held: Counter[str] = field(default_factory=Counter, repr=False)

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        """The index of the file's captures of `domain`. Nothing of a file needs to be cached."""
        found = self._rows.get(domain)
        return IndexAnswer(read_index(b"\n".join(sorted(found)), domain) if found else Index(domain))

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        """The capture of `url` nearest to `at`. A revisit has the body of the capture that it repeats.

        A redirect to another spelling of the address is followed, as the web archive does.
        """
        found = self._capture(at, url)
        for _ in range(_SPELLINGS):
            to = found.redirected_to if isinstance(found, Replay) else None
            if to is None or surt(to) != surt(url):
                break
            found = self._capture(at, to)
        return found

    def _capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        answers = self._answers.get(surt(url), [])
        if not answers:
            return MissingCapture(at, url, "not_archived")

        def distance(answer: tuple[WarcRecord, bytes | None]) -> tuple[timedelta, bool, timedelta]:
            """Within a day the spelling decides: http is redirected to https a second before https is archived."""
            away = abs(answer[0].at - at)
            return max(away, _A_DAY), answer[0].url != url, away

        record, body = min(answers, key=distance)
        answer = record
        if record.status is None:
            repeated = self._repeated(record)
            if repeated is None:
                return MissingCapture(at, url, "not_archived")
            answer, body = repeated
        if body is None:
            return MissingCapture(at, url, "too_large")
        return self._replay(at, record, answer, zlib.decompress(body))

    def _replay(self, asked: datetime, record: WarcRecord, answer: WarcRecord, body: bytes) -> Replay:
        status = answer.status or 200
        location = answer.headers.get("location")
        return Replay(
            asked=asked,
            at=record.at,
            url=record.url,
            replay_url=replay_address(self.public_url, record.at, record.url),
            status=status,
            mimetype=answer.headers.get("content-type", "text/html").partition(";")[0].strip().lower(),
            body=body,
            headers=CIMultiDict(answer.headers),
            redirected_to=joined_url(record.url, location) if location and 300 <= status < 400 else None,
        )

    def _repeated(self, revisit: WarcRecord) -> tuple[WarcRecord, bytes | None] | None:
        """The answer that a revisit repeats: by its digest, else by the address and time it names, else by its own.

        Only whole answers are looked at, so that revisits which name each other end here. None: the file has none.
        """
        if revisit.digest in self._by_digest:
            return self._by_digest[revisit.digest]
        url, at = revisit.repeats or (revisit.url, None)
        for address, time in ((url, at or revisit.at), (revisit.url, revisit.at)):
            whole = [
                answer for answer in self._answers.get(surt(address), []) if answer[0].status is not None
            ]
            if whole:
                earlier = [answer for answer in whole if answer[0].at <= time]
                return min(earlier or whole, key=lambda answer: abs(answer[0].at - time))
        return None

    def add(self, record: WarcRecord) -> bool:
        """Index a record, if it is a page. False when there is no room for it, nor for any other."""
        domain, key = domain_of(record.url), surt(record.url)
        if domain is None:
            return True
        home = key.encode() in home_keys(domain)
        if record.status is not None and not may_be_page(record.mimetype, record.url, home=home):
            return True
        digest = record.digest
        if not digest and record.status is not None:
            digest = base64.b32encode(hashlib.sha1(record.body, usedforsecurity=False).digest()).decode()
        headers = {name: record.headers[name] for name in _KEPT_HEADERS if name in record.headers}
        kept = replace(record, digest=digest, headers=headers, body=b"")
        row = _row(key, kept)
        self._held["listed"] += _EACH + len(row) + sum(map(sys.getsizeof, (key, *_texts(kept))))
        if self._held["listed"] > LISTED_BYTES:
            self.faults["captures beyond what is held in memory, so that the rest was not read"] += 1
            return False
        packed: bytes | None = zlib.compress(record.body, 1)
        self._held["bodies"] += len(packed or b"")
        if self._held["bodies"] > BODIES_BYTES:
            self.faults["body beyond what is held in memory"] += 1
            packed = None
        elif record.status is not None and packed is not None:
            self._by_digest.setdefault(kept.digest, (kept, packed))
        self._answers.setdefault(key, []).append((kept, packed))
        self._rows.setdefault(domain, []).append(row)
        self.domains[domain] += record.status in (None, 200)
        return True


def open_captures(path: Path, public_url: str) -> CaptureFile:
    """Read a WARC or ARC file, plain or gzipped. Raises CaptureFileError when no page can be read from it.

    Bodies are held compressed, up to BODIES_BYTES; captures beyond that are listed but cannot be read. A file with more
    captures than LISTED_BYTES has room for is read up to there.
    """
    found = CaptureFile(path.name, public_url)
    try:
        with path.open("rb") as stream:
            for record in read_records(stream.read, found.faults):
                if not found.add(record):
                    break
    except OSError as error:
        raise CaptureFileError(str(path), f"cannot be read ({error.strerror})") from None
    if not found.domains:
        why = ", ".join(f"{reason}: {count}" for reason, count in found.faults.items())
        raise CaptureFileError(str(path), f"holds no archived page ({why or 'no archived answer in it'})")
    return found


def surt(url: str) -> str:
    """The index's key of a URL: labels reversed, www and port dropped, lower case.

    >>> surt("http://www.Example.com:80/A?b=1")
    'com,example)/a?b=1'
    """
    parts = _split(url)
    if parts is None:
        return url.lower()
    host, path = parts
    return f"{','.join(reversed(re.sub(r'^www[0-9]*[.]', '', host).split('.')))}){path.lower()}"


def domain_of(url: str) -> str | None:
    """The registrable domain of an archived URL, reserved test domains included; None without a host."""
    parts = _split(url)
    if parts is None:
        return None
    host = parts[0]
    return host if re.fullmatch(r"[0-9.:]+", host) else suffixes().registrable(host) or host


def _split(url: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").strip(".")
    except ValueError:
        return None
    if not host:
        return None
    return host, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _texts(record: WarcRecord) -> Iterator[str]:
    yield from (record.url, record.mimetype, record.digest, *record.headers.values())
    if record.repeats:
        yield record.repeats[0]


def _row(key: str, record: WarcRecord) -> bytes:
    mime = record.mimetype if record.status is None else "text/html"
    status = "-" if record.status is None else str(record.status)
    stamp = record.at.strftime("%Y%m%d%H%M%S")
    url = record.url.replace(" ", "%20")
    digest = record.digest or "-"
    return " ".join((key.replace(" ", "%20"), stamp, url, mime, status, digest, str(record.length))).encode(
        "utf-8", "replace"
    )
