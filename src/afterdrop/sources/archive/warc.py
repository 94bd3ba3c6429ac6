"""Reading records of WARC and ARC files, plain or gzipped, with tolerance for damage.

Pure over a byte stream. Sources: ISO 28500 (WARC 1.0/1.1), the Internet Archive's ARC 1 format; answers of HTTP/0.9,
which have no head (RFC 1945, section 6). Damage is skipped and counted: the reader looks for the next record, or the
next gzip member.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from afterdrop.http.content_codings import codings_of, decode_body, is_text
from afterdrop.sources.archive.cdx_index import instant

BODY_BYTES = 2_000_000
_CHUNK = 1 << 16
_LINE = 64_000
_MAGIC = b"\x1f\x8b\x08"
_ARC_TIME = re.compile(rb"\d{8,14}")
_SIZE_DIGITS = 18
# Characters of a header's value that are kept, and of an address that is read. Servers refuse longer request lines
# (8,000 octets is what RFC 9110, section 4.1, wants of everybody); a file of 815 kB had 4 MB in each of 210 values.
_VALUE = 8_192
_URL = 8_000
# A digest of 512 bits in base 16, and more than any media type that is registered.
_WORD = 128
# Status lines as servers sent them: without a version, too, and those of radio stations.
_STATUS = re.compile(rb"^(?:HTTP(?:/\d+(?:\.\d+)?)?|ICY)[ \t]+(\d{3})(?!\d)", re.IGNORECASE)
_MARKUP = re.compile(rb"<[a-z!?]", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-fA-F]{32,128}")


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One archived answer. A `status` of None is a revisit: an earlier record has its content.

    Which one, `digest` says, and `repeats`: its address and, where it is told, its time. `headers` are those of the
    answer, with names in lower case and values cut at 8,192 characters. `body` is decoded from transfer and content
    coding and cut at BODY_BYTES. `length` is the record's size as stored in the file's text.
    """

    at: datetime
    url: str
    status: int | None
    mimetype: str
    digest: str
    length: int
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    repeats: tuple[str, datetime | None] | None = None


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
    at = _moment(headers.get("warc-date", ""))
    url = headers.get("warc-target-uri", "").strip("<>")
    if at is None or not _is_address(url):
        faults["record without a time or a web address"] += 1
        return
    digest = _digest(headers.get("warc-payload-digest", ""))
    mime = _mime(headers.get("content-type", ""))
    if kind == "resource":
        yield WarcRecord(
            at=at,
            url=url,
            status=200,
            mimetype=mime,
            digest=digest,
            length=size,
            headers={"content-type": mime},
            body=block[:BODY_BYTES],
        )
    elif kind == "revisit":
        first = headers.get("warc-refers-to-target-uri", "").strip("<>")
        repeats = first if _is_address(first) else url, _moment(headers.get("warc-refers-to-date", ""))
        yield WarcRecord(
            at=at,
            url=url,
            status=None,
            mimetype="warc/revisit",
            digest=digest,
            length=size,
            headers={},
            body=b"",
            repeats=repeats,
        )
    elif found := _answer(at, url, "" if mime.startswith("application/http") else mime, block, faults):
        yield replace(found, digest=digest, length=size)


def _is_address(url: str) -> bool:
    """Whether it is a web address of a length that anybody could ask for."""
    return len(url) <= _URL and url[:8].lower().startswith(("http://", "https://"))


def _moment(date: str) -> datetime | None:
    return instant(re.sub(r"\D", "", date)[:14])


def _digest(text: str) -> str:
    """A digest in one spelling: without its algorithm, base 32 as the archives write it, in capitals."""
    value = text.strip().rpartition(":")[2]
    if _HEX.fullmatch(value) and len(value) % 2 == 0:
        return base64.b32encode(bytes.fromhex(value)).decode()
    return value[:_WORD].upper()


def _mime(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()[:_WORD]


def _arc_head(line: bytes) -> tuple[str, str, str, int] | None:
    """URL, time, type and size of an ARC record's first line `URL IP TIME TYPE … SIZE`; blanks may stand in the URL."""
    fields = line.rstrip(b"\r\n").split(b" ")
    if not fields[0] or not fields[-1].isdigit() or len(fields[-1]) > _SIZE_DIGITS:
        return None
    for at in range(2, len(fields) - 2):
        if fields[at - 1] and fields[at + 1] and _ARC_TIME.fullmatch(fields[at]):
            url = b" ".join(fields[: at - 1]).decode("utf-8", "replace")
            mime = fields[at + 1].decode("ascii", "replace") if at + 1 < len(fields) - 1 else ""
            return url, fields[at].decode(), mime, int(fields[-1])
    return None


def _arc(
    source: _UnpackedStream, head: tuple[str, str, str, int], faults: Counter[str]
) -> Iterator[WarcRecord]:
    url, time, mime, size = head
    block = source.take(size, 2 * BODY_BYTES)
    if url.startswith("filedesc:"):
        return
    if len(block) < min(size, 2 * BODY_BYTES):
        faults["record cut short"] += 1
    at = instant(time)
    if at is None or not _is_address(url):
        faults["record without a time or a web address"] += 1
        return
    answer = _answer(at, url, _mime(mime), block, faults)
    if answer:
        yield replace(answer, length=size)


def _answer(at: datetime, url: str, told: str, block: bytes, faults: Counter[str]) -> WarcRecord | None:
    """The record of an archived HTTP answer: its status line, headers and body.

    An answer of HTTP/0.9 is a body alone, of the type `told` by the record's head; without a page's type it must look
    like one.
    """
    status = _STATUS.match(block)
    if status is None and block and is_text(block) and ("html" in told or _MARKUP.search(block[:1000])):
        body = block[:BODY_BYTES]
        return WarcRecord(
            at=at,
            url=url,
            status=200,
            mimetype=told or "unk",
            digest="",
            length=0,
            headers={"content-type": told} if told else {},
            body=body,
        )
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
    mime = _mime(headers.get("content-type", ""))
    return WarcRecord(
        at=at,
        url=url,
        status=int(status[1]),
        mimetype=mime or "unk",
        digest="",
        length=0,
        headers=headers,
        body=body,
    )


def _headers(line: Callable[[], bytes], faults: Counter[str]) -> dict[str, str]:
    """Named fields up to an empty line. A line that begins with a blank goes on with the field before it."""
    found: dict[str, str] = {}
    name = ""
    for _ in range(500):
        text = line().decode("utf-8", "replace").rstrip("\r\n")
        if not text:
            return found
        if text[0] in " \t":
            if name and len(found[name]) < _VALUE:
                found[name] = f"{found[name]} {text.strip()}".strip()[:_VALUE]
            continue
        before, colon, value = text.partition(":")
        name = before.strip().lower()[:_WORD] if colon else ""
        if name:
            found[name] = value.strip()[:_VALUE]
    faults["more than 500 headers"] += 1
    return found


def decoded(body: bytes, headers: dict[str, str], faults: Counter[str]) -> bytes:
    """A body without its transfer and content coding, cut at BODY_BYTES; see `undo` for broken ones."""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = _unchunked(body, faults)
    transfer = tuple(name for name in codings_of(headers.get("transfer-encoding")) if name != "chunked")
    undone = decode_body(body, codings_of(headers.get("content-encoding")) + transfer, BODY_BYTES)
    if undone.fault:
        faults["broken content coding"] += 1
    return undone.body


def _unchunked(body: bytes, faults: Counter[str]) -> bytes:
    parts: list[bytes] = []
    place = 0
    while place < len(body):
        end = body.find(b"\n", place)
        try:
            size = int(body[place:end].partition(b";")[0].strip() or b"x", 16) if end >= 0 else -1
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
