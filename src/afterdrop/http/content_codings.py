"""Content codings of HTTP bodies, undone within bounds. Pure.

Codings are named in the order in which they were applied (RFC 9110, section 8.4), so they are undone from the last.
gzip: RFC 9110, section 8.4.1; deflate: the same, but many servers leave out zlib's head; br: RFC 7932;
zstd: RFC 8878, with a window of at most 8 MiB as RFC 9659 has it for HTTP.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

import brotli
import zstandard

# Codings that one body may have. Nobody needs more than two; what has more wants to be expensive.
MOST_CODINGS = 4
_WINDOW = 8 << 20
# Bytes undone at once: damage costs all of the piece it is in.
_PIECE = 128
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# gzip members that are read: a server that sends every part of a page as one sends few.
_MEMBERS = 1_000
_CONTROLS = bytes({*range(32)} - {9, 10, 12, 13, 27})


@dataclass(frozen=True, slots=True)
class DecodedBody:
    """A body without its codings, and in words what was wrong with them; not `whole` where one ends too soon."""

    body: bytes
    fault: str | None = None
    whole: bool = True


def codings_of(header: str | None) -> tuple[str, ...]:
    """The codings that a `Content-Encoding` header names, in their order, without `identity` and `x-` before gzip."""
    names = (name.strip().lower() for name in (header or "").split(","))
    known = (_SAME.get(name, name) for name in names)
    return tuple(name for name in known if name and name != "identity")


def decode_body(body: bytes, codings: tuple[str, ...], most: int) -> DecodedBody:
    """The body without `codings` (as `codings_of` gives them), at most `most` bytes of it.

    Bytes from before damage are kept. A body that does not have a coding stays as it is from there on: archives and
    proxies undo codings and leave the header. A coding that nobody registered, or that needs a dictionary, is a fault.
    """
    if len(codings) > MOST_CODINGS:
        return DecodedBody(body[:most], f"{len(codings)} content codings in a row, more than {MOST_CODINGS}")
    fault, all_whole = None, True
    for name in reversed(codings):
        undoing = _UNDOING.get(name)
        if undoing is None:
            return DecodedBody(body[:most], f"unknown content coding {name[:40]!r}", all_whole)
        done, whole = _read(undoing(body), most)
        if not whole and (is_text(body) or not done):
            unread = "the body is not {}" if is_text(body) else "nothing of the {} body can be read"
            return DecodedBody(body[:most], fault or unread.format(name), all_whole)
        if not whole:
            all_whole = False
            fault = fault or f"the {name} body is damaged or cut off: read as far as it goes"
        body = done
    return DecodedBody(body[:most], fault, all_whole)


def sniff_coding(body: bytes) -> str | None:
    """The coding of a body whose header does not name it: gzip and zstd by their magic, br by trial.

    br has no magic. It is what does not look like text, and is text once it is undone.
    """
    for magic, name in ((_GZIP, "gzip"), (_ZSTD, "zstd")):
        if body.startswith(magic):
            return name
    if not body or is_text(body):
        return None
    start, _ = _read(_br(body), 2_000)
    return "br" if len(start) >= 16 and b"<" in start and is_text(start) else None


def is_text(body: bytes | bytearray) -> bool:
    """Whether the first 512 bytes hold no control character that text has not."""
    head = bytes(body[:512])
    return len(head.translate(None, _CONTROLS)) == len(head)


def _read(pieces: Iterator[bytes], most: int) -> tuple[bytes, bool]:
    """The unpacked bytes, at most `most`, and whether they came to their end or to the bound."""
    kept = bytearray()
    try:
        for piece in pieces:
            kept += piece
            if len(kept) >= most:
                break
    except (zlib.error, brotli.error, zstandard.ZstdError, ValueError):
        return bytes(kept[:most]), False
    return bytes(kept[:most]), True


def _gzip(body: bytes) -> Iterator[bytes]:
    """All members of a gzip body; padding behind them is ignored."""
    at = 0
    for _ in range(_MEMBERS):
        at = yield from _inflated(body, at, 31)
        if body[at : at + 2] != _GZIP:
            return


def _deflate(body: bytes) -> Iterator[bytes]:
    """zlib's format by its head (RFC 1950), else bare deflate (RFC 1951), as many servers send it."""
    headed = len(body) > 1 and body[0] & 15 == 8 and (body[0] * 256 + body[1]) % 31 == 0
    if body.startswith(_GZIP):
        yield from _gzip(body)
    else:
        yield from _inflated(body, 0, 15 if headed else -15)


def _inflated(body: bytes, at: int, bits: int) -> Generator[bytes, None, int]:
    """Inflate from `at` on; returns where what follows begins. Raises ValueError where the end is missing."""
    stream = zlib.decompressobj(bits)
    while at < len(body) and not stream.eof:
        piece = body[at : at + _PIECE]
        at += len(piece)
        while piece and not stream.eof:
            yield stream.decompress(piece, 1 << 16)
            piece = stream.unconsumed_tail
    if not stream.eof:
        raise ValueError("the end is missing")
    return at - len(stream.unused_data)


def _br(body: bytes) -> Iterator[bytes]:
    stream, at, more = brotli.Decompressor(), 0, b""
    while not stream.is_finished():
        # Full buffers are emptied before more is taken, those of the last piece too.
        piece = body[at : at + _PIECE] if stream.can_accept_more_data() else b""
        at += len(piece)
        if at >= len(body) and not piece and not more:
            raise ValueError("the end is missing")
        more = stream.process(piece, output_buffer_limit=1 << 16)
        yield more


def _zstd(body: bytes) -> Iterator[bytes]:
    """All frames of a zstd body. A piece of it becomes at most 6 MB: a block of 128 KiB takes three bytes."""
    opener = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    at = 0
    while body[at : at + 4] == _ZSTD or not at:
        frame = opener.decompressobj()
        while not frame.eof:
            if at >= len(body):
                raise ValueError("the end is missing")
            piece = body[at : at + _PIECE]
            at += len(piece)
            yield frame.decompress(piece)
        at -= len(frame.unused_data)


_SAME = {
    "x-gzip": "gzip",
    "x-br": "br",
    "brotli": "br",
    "x-zstd": "zstd",
    "zlib": "deflate",
}
_UNDOING: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip, "deflate": _deflate, "br": _br, "zstd": _zstd,
}  # fmt: skip
