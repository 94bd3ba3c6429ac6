"""Reading records of WARC and ARC files, plain or gzipped, with tolerance for damage.

Pure over a byte stream. Sources: ISO 28500 (WARC 1.0/1.1), the Internet Archive's ARC 1 format. Damage is
skipped and counted: the reader looks for the next record, or the next gzip member.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from afterdrop.http.content_codings import codings_of, undo
from afterdrop.sources.archive.cdx_index import instant

BODY_BYTES = 2_000_000
_CHUNK = 1 << 16
_LINE = 64_000
_MAGIC = b"\x1f\x8b\x08"
_ARC_TIME = re.compile(rb"\d{8,14}")
_SIZE_DIGITS = 18
_STATUS = re.compile(rb"^HTTP/\d(?:\.\d)? +(\d{3})")


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One archived answer. A `status` of None is a revisit: an earlier record with this digest has its content.

    `headers` are those of the answer, with names in lower case. `body` is decoded from transfer and content coding and
    cut at BODY_BYTES. `length` is the record's size as stored in the file's text.
    """

    at: datetime
    url: str
    status: int | None
    mimetype: str
    digest: str
    length: int
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class _UnpackedStream:
    """The bytes of a file, its gzip members unpacked one after another; `faults` counts the broken ones."""

    def __init__(self, read: Callable[[int], bytes], faults: Counter[str]) -> None:
        self._read = read
        self._faults = faults
        self._raw = read(_CHUNK)
        self._gzipped = self._raw.startswith(_MAGIC[:2])
        self._member = zlib.decompressobj(31) if self._gzipped else None
        self._ready = b""
        self._at = 0

    def _more(self) -> bool:
        """Read more bytes; False at the end."""
        self._ready, self._at = self._ready[self._at :], 0
        while True:
            raw = self._raw or self._read(_CHUNK)
            self._raw = b""
            if not raw:
                return False
            data = raw if self._member is None else self._open(raw)
            if data:
                self._ready += data
                return True

    def _open(self, raw: bytes) -> bytes:
        assert self._member is not None
        try:
            data = self._member.decompress(raw, 1 << 20)
        except zlib.error:
            self._faults["broken gzip member"] += 1
            # The damaged member may begin with its own magic bytes: search from the second byte on.
            place = raw.find(_MAGIC, 1)
            self._raw = raw[place:] if place >= 0 else b""
            self._member = zlib.decompressobj(31)
            return b""
        if self._member.eof:
            self._raw = self._member.unused_data.lstrip(b"\0")
            self._member = zlib.decompressobj(31)
        else:
            self._raw = self._member.unconsumed_tail
        return data

    def line(self) -> bytes:
        """The next line with its line end; b"" at the end of the file. An overlong line is cut."""
        while True:
            end = self._ready.find(b"\n", self._at)
            if end >= 0:
                line = self._ready[self._at : end + 1]
                self._at = end + 1
                return line
            if len(self._ready) - self._at > _LINE or not self._more():
                line, self._ready, self._at = self._ready[self._at :], b"", 0
                return line

    def take(self, size: int, keep: int) -> bytes:
        """Skip `size` bytes and return the first `keep` of them; fewer where the file ends."""
        kept = bytearray()
        while size > 0:
            if self._at >= len(self._ready) and not self._more():
                break
            piece = self._ready[self._at : self._at + size]
            self._at += len(piece)
            size -= len(piece)
            if len(kept) < keep:
                kept += piece[: keep - len(kept)]
        return bytes(kept)


def read_records(read: Callable[[int], bytes], faults: Counter[str]) -> Iterator[WarcRecord]:
    """Every archived answer of a file, in the order of the file. `faults` counts by reason what cannot be read.

    `read` gives up to n bytes, b"" at the end (a file's own `read`).
    """
    source = _UnpackedStream(read, faults)
    lost = False
    while line := source.line():
        if line.startswith(b"WARC/"):
            lost = False
            yield from _warc(source, faults)
        elif found := _arc_head(line):
            lost = False
            yield from _arc(source, found, faults)
        elif line.strip() and not lost:
            lost = True
            faults["bytes between records"] += 1


def _warc(source: _UnpackedStream, faults: Counter[str]) -> Iterator[WarcRecord]:
    headers = _headers(source.line, faults)
    try:
        size = int(headers.get("content-length", ""))
    except ValueError:
        faults["record without a length"] += 1
        return
    kind = headers.get("warc-type", "")
    wanted = kind in ("response", "resource", "revisit")
    block = source.take(size, 2 * BODY_BYTES if wanted else 0)
    if not wanted:
        return
    if len(block) < min(size, 2 * BODY_BYTES):
        faults["record cut short"] += 1
    at = instant(re.sub(r"\D", "", headers.get("warc-date", ""))[:14])
    url = headers.get("warc-target-uri", "").strip("<>")
    if at is None or not url.lower().startswith(("http://", "https://")):
        faults["record without a time or a web address"] += 1
        return
    digest = headers.get("warc-payload-digest", "").rpartition(":")[2]
    if kind == "resource":
        mime = headers.get("content-type", "").partition(";")[0].strip().lower()
        yield WarcRecord(at, url, 200, mime, digest, size, {"content-type": mime}, block[:BODY_BYTES])
        return
    found = _answer(at, url, digest, size, block, faults)
    if found and kind == "revisit":
        yield WarcRecord(at, url, None, "warc/revisit", digest, size, found.headers, b"")
    elif found:
        yield found


def _arc_head(line: bytes) -> tuple[str, str, int] | None:
    """URL, time and size of an ARC record's first line `URL IP TIME TYPE … SIZE`; blanks may stand in the URL."""
    fields = line.rstrip(b"\r\n").split(b" ")
    if not fields[0] or not fields[-1].isdigit() or len(fields[-1]) > _SIZE_DIGITS:
        return None
    for at in range(2, len(fields) - 2):
        if fields[at - 1] and fields[at + 1] and _ARC_TIME.fullmatch(fields[at]):
            url = b" ".join(fields[: at - 1]).decode("utf-8", "replace")
            return url, fields[at].decode(), int(fields[-1])
    return None


def _arc(source: _UnpackedStream, head: tuple[str, str, int], faults: Counter[str]) -> Iterator[WarcRecord]:
    url, time, size = head
    block = source.take(size, 2 * BODY_BYTES)
    if url.startswith("filedesc:"):
        return
    if len(block) < min(size, 2 * BODY_BYTES):
        faults["record cut short"] += 1
    at = instant(time)
    if at is None or not url.lower().startswith(("http://", "https://")):
        faults["record without a time or a web address"] += 1
        return
    answer = _answer(at, url, "", size, block, faults)
    if answer:
        yield answer


def _answer(
    at: datetime, url: str, digest: str, size: int, block: bytes, faults: Counter[str]
) -> WarcRecord | None:
    """The record of an archived HTTP answer: its status line, headers and body."""
    status = _STATUS.match(block)
    if status is None:
        faults["record without an HTTP answer"] += 1
        return None
    place = block.find(b"\n") + 1 or len(block)

    def line() -> bytes:
        nonlocal place
        end = block.find(b"\n", place) + 1 or len(block)
        text, place = block[place:end], end
        return text

    headers = _headers(line, faults)
    body = decoded(block[place:], headers, faults)
    mime = headers.get("content-type", "").partition(";")[0].strip().lower()
    return WarcRecord(at, url, int(status[1]), mime or "unk", digest, size, headers, body)


def _headers(line: Callable[[], bytes], faults: Counter[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for _ in range(500):
        text = line().decode("utf-8", "replace").rstrip("\r\n")
        if not text:
            return found
        name, colon, value = text.partition(":")
        if colon:
            found[name.strip().lower()] = value.strip()
    faults["more than 500 headers"] += 1
    return found


def decoded(body: bytes, headers: dict[str, str], faults: Counter[str]) -> bytes:
    """A body without its transfer and content coding, cut at BODY_BYTES; see `undo` for broken ones."""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = _unchunked(body, faults)
    transfer = tuple(name for name in codings_of(headers.get("transfer-encoding")) if name != "chunked")
    undone = undo(body, codings_of(headers.get("content-encoding")) + transfer, BODY_BYTES)
    if undone.fault:
        faults["broken content coding"] += 1
    return undone.body


def _unchunked(body: bytes, faults: Counter[str]) -> bytes:
    parts: list[bytes] = []
    place = 0
    while place < len(body):
        end = body.find(b"\n", place)
        try:
            size = int(body[place:end].split(b";")[0].strip() or b"x", 16) if end >= 0 else -1
        except ValueError:
            size = -1
        if size < 0:  # the coding was removed before archiving, or is broken: the rest is content
            if not parts:
                return body
            faults["broken chunks"] += 1
            parts.append(body[place:])
            break
        if size == 0:
            break
        parts.append(body[end + 1 : end + 1 + size])
        place = end + 1 + size + 2
    return b"".join(parts)
