"""Unpacking a feed file as a stream within bounds: a decompression bomb is never held in memory, and reading stops.

Pure apart from reading the file object it is given. A truncated, damaged, encrypted or overgrown container is a
FeedError that says which.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import BinaryIO, Literal, Protocol, cast

from afterdrop.core.errors import FeedError
from afterdrop.http.content_codings import is_text

CHUNK = 1 << 18
# Tiny files may compress beyond any ratio: the bound on the ratio applies from here.
RATIO_FROM = 1 << 20
MAX_MEMBERS = 1000
# The largest feed file, packed or expanded.
MAX_FEED_BYTES = 4_000_000_000
# How many times its size a packed feed may expand to. Texts of names expand to five or ten times theirs.
_MAX_RATIO = 200
# The other methods unpack a block of up to gigabytes before its first byte can be counted. No market uses them.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_METHOD_NAMES = {9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 98: "ppmd"}
# The library reads the whole list of members. MAX_MEMBERS members, with names and comments, take less than this.
MAX_DIRECTORY = 1 << 20
# What systems add to the folders that people pack: macOS (the other half of each file among it) and Windows.
_SYSTEMS = re.compile(r"(?:^|/)(?:__MACOSX/|\._[^/]*$|\.DS_Store$|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
# What the standard library's unpackers raise on bad data.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    struct.error,
)


# The first bytes of packed files that are not unpacked: another packing, or one inside another.
_PACKED = {
    b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip", b"\xfd7zXZ\0": "xz", b"(\xb5/\xfd": "zstd",
    b"7z\xbc\xaf": "7-Zip", b"Rar!\x1a": "RAR",
}  # fmt: skip


# How an HTML page begins: with a declaration, a comment or a usual tag.
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?+(?:<!--.*?-->\s*+)*+<(?:!doctype\s+html|html|head|title|meta|script|body|h1)\b",
    re.IGNORECASE | re.DOTALL,
)
_PAGE_HEAD = 4096
_GZIP = b"\x1f\x8b"


class ByteSource(Protocol):
    """A source of bytes; it gives b"" at the end."""

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Bounds:
    """How large a feed may become: expanded bytes in all, and the ratio of expanded to packed bytes."""

    max_bytes: int = MAX_FEED_BYTES
    max_ratio: int = _MAX_RATIO


class Bounded:
    """A ByteSource that counts the bytes it passes on and fails beyond the bounds.

    `packed` is the packed size in bytes, by which the ratio is judged; None without packing.
    """

    def __init__(self, subject: str, inner: ByteSource, bounds: Bounds, packed: int | None) -> None:
        self._subject = subject
        self._inner = inner
        self._bounds = bounds
        self._packed = packed
        self.passed = 0

    def read(self, size: int = CHUNK, /) -> bytes:
        """The next bytes; FeedError when the container is damaged or too large."""
        try:
            got = self._inner.read(size)
        except _DAMAGED as error:
            why = str(error) or type(error).__name__
            raise FeedError(self._subject, f"is damaged or cut off ({why})") from None
        if not self.passed and (refusal := _refusal(got)):
            raise FeedError(self._subject, refusal)
        self.passed += len(got)
        if self.passed > self._bounds.max_bytes:
            raise FeedError(self._subject, f"unpacks to more than {self._bounds.max_bytes} bytes")
        if self._packed is not None and self.passed > max(RATIO_FROM, self._bounds.max_ratio * self._packed):
            raise FeedError(
                self._subject,
                f"unpacks to more than {self._bounds.max_ratio} times its size",
            )
        return got


def _refusal(head: bytes) -> str | None:
    """Why a text that begins like this is no feed: a server that is broken may answer 200 all the same."""
    if packing := _packing(head):
        return f"holds a {packing} file: a feed is plain, gzip or zip, and packed only once"
    if not head.removeprefix(b"\xef\xbb\xbf").strip():
        return "is empty"
    return "is an HTML page, not a list" if _PAGE.match(head[:_PAGE_HEAD]) else None


def _packing(head: bytes) -> str | None:
    if head[:3] == b"BZh" and head[4:10] == b"1AY&SY":
        return "bzip2"
    return next((name for mark, name in _PACKED.items() if head.startswith(mark)), None)


class Gunzip:
    """A gzip file (one or several members) unpacked as it is read. Other bytes behind a member end it."""

    def __init__(self, file: ByteSource) -> None:
        self._file = file
        self._inflate = zlib.decompressobj(wbits=31)
        self._begun = False
        self._rest = b""

    def read(self, size: int = CHUNK, /) -> bytes:
        """Up to `size` unpacked bytes; EOFError when the file ends inside a member, zlib.error when damaged."""
        while True:
            if self._inflate.eof:
                self._rest = self._next_member()
                if not self._rest:
                    return b""
                self._inflate = zlib.decompressobj(wbits=31)
            data = self._rest or self._file.read(CHUNK)
            if not data:
                if self._begun:
                    raise EOFError("the gzip data end early")
                raise zlib.error("the file is empty, not gzip")
            self._begun = True
            out = self._inflate.decompress(data, size)
            self._rest = self._inflate.unconsumed_tail
            if out:
                return out

    def _next_member(self) -> bytes:
        # Tapes and some servers pad with zeros between members and after the last; gzip's own reader ignores the rest.
        data = self._inflate.unused_data.lstrip(b"\0")
        while len(data) < len(_GZIP) and (more := self._file.read(CHUNK)):
            data = (data + more).lstrip(b"\0")
        if data.startswith(_GZIP):
            return data
        while self._file.read(CHUNK):
            pass
        return b""


def without_coding(file: BinaryIO, coding: str) -> Iterator[bytes] | None:
    """The body in `file` without one content coding, in pieces; None where it has no such coding and stays as it is.

    Codings are named as `codings_of` gives them. A server or proxy may leave the header where the coding is undone, and
    some name what is none ("utf-8"). deflate is zlib's format (RFC 9110, section 8.4.1.2); some send it bare. Reading
    on raises what zlib does, or EOFError, when the body is damaged or cut off. ValueError: it is in a coding that is
    not undone, because nobody asked for it.
    """
    head = file.read(512)
    file.seek(0)
    if head.startswith(_GZIP):
        source = Gunzip(file)
        return iter(source.read, b"") if coding in ("gzip", "deflate") else None
    headed = len(head) > 1 and head[0] & 15 == 8 and (head[0] * 256 + head[1]) % 31 == 0
    plain = _kind(head[:4], "plain") != "plain" or (is_text(head) and not headed)
    if plain or coding not in ("deflate", "br", "zstd", "compress"):
        return None
    if coding != "deflate":
        raise ValueError("which nobody asked for")
    return _inflated(file, zlib.MAX_WBITS if headed else -zlib.MAX_WBITS)


def _inflated(file: BinaryIO, bits: int) -> Iterator[bytes]:
    stream = zlib.decompressobj(bits)
    while not stream.eof and (data := file.read(CHUNK)):
        while data and not stream.eof:
            yield stream.decompress(data, CHUNK)
            data = stream.unconsumed_tail
    yield stream.flush()
    if not stream.eof:
        raise EOFError("the data end early")


@dataclass(frozen=True, slots=True)
class Member:
    """One text inside a feed file: its name in the container ("" when it is the file) and its bytes."""

    name: str
    stream: Bounded


def members(
    file: BinaryIO,
    container: Literal["plain", "gzip", "zip"],
    patterns: tuple[str, ...],
    bounds: Bounds,
    subject: str,
) -> Iterator[Member]:
    """The texts of a feed file in order. Read each to its end before asking for the next.

    `file` must be seekable. Its first bytes overrule `container`, because people unpack files that they download, and
    servers pack files that they send. Of a zip file, what the packing system added is left out, and so are empty
    members beside others. Raises FeedError, also later, while a member is read.
    """
    packed = file.seek(0, io.SEEK_END)
    file.seek(0)
    container = _kind(file.read(4), container)
    file.seek(0)
    if container == "plain":
        yield Member("", Bounded(subject, file, bounds, None))
    elif container == "gzip":
        yield Member("", Bounded(subject, Gunzip(file), bounds, packed))
    else:
        yield from _zip_members(file, patterns, bounds, subject, packed)


def _kind(head: bytes, expected: Literal["plain", "gzip", "zip"]) -> Literal["plain", "gzip", "zip"]:
    if head.startswith(_GZIP):
        return "gzip"
    if head[:2] == b"PK" and head[2:] in (b"\x03\x04", b"\x05\x06"):
        return "zip"
    # No text begins with a control character: then it is the expected container, but damaged.
    return "plain" if head[:1] in (b"", b"\t", b"\n", b"\r") or head[:1] >= b" " else expected


class _InPieces:
    """A file that never reads more than MAX_DIRECTORY bytes at once, even when a size in the file demands it."""

    def __init__(self, file: BinaryIO) -> None:
        self.seek, self.tell = file.seek, file.tell
        self.seekable, self.close = file.seekable, file.close
        self._file = file

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes."""
        got = self._file.read(min(size, MAX_DIRECTORY + 1) if size >= 0 else MAX_DIRECTORY + 1)
        if len(got) > MAX_DIRECTORY:
            raise zipfile.BadZipFile(f"its list of members is longer than {MAX_DIRECTORY} bytes")
        return got


def _zip_members(
    file: BinaryIO, patterns: tuple[str, ...], bounds: Bounds, subject: str, packed: int
) -> Iterator[Member]:
    try:
        archive = zipfile.ZipFile(cast(BinaryIO, _InPieces(file)))
    except _DAMAGED as error:
        raise FeedError(subject, f"is not a complete zip file ({error})") from None
    with archive:
        infos = [
            each for each in archive.infolist() if not each.is_dir() and not _SYSTEMS.search(each.filename)
        ]
        if len(infos) > MAX_MEMBERS:
            raise FeedError(subject, f"has {len(infos)} members, more than {MAX_MEMBERS}")
        chosen = [info for info in infos if any(fnmatch(info.filename, pattern) for pattern in patterns)]
        if not chosen:
            raise FeedError(
                subject, f"has no member matching {', '.join(patterns)} among {len(infos)} in the zip file"
            )
        left = bounds.max_bytes
        for info in [each for each in chosen if each.file_size] or chosen[:1]:
            name = f"{subject}: {info.filename[:100]}"
            if info.compress_type not in METHODS:
                method = _METHOD_NAMES.get(info.compress_type, f"method {info.compress_type}")
                raise FeedError(
                    name, f"cannot be unpacked (packed with {method}; only stored and deflate are taken)"
                )
            try:
                inner = archive.open(info)
            except _DAMAGED as error:
                raise FeedError(name, f"cannot be unpacked ({error})") from None
            with inner:
                # The packed size that the archive states is not trusted beyond the size of the file.
                size = min(info.compress_size, packed)
                stream = Bounded(name, inner, Bounds(left, bounds.max_ratio), size)
                yield Member(info.filename, stream)
                left -= stream.passed
