"""Common Crawl's index of one crawl: which blocks hold a domain's rows, and the rows of a block.

Pure. Source: the ZipNum format of the Internet Archive and of pywb. `cluster.idx` has a line for each block of some
3,000 captures, in order of bytes: the first capture's key and time, the shard, the block's offset and length, a number.
It is sparse: a domain's first captures may stand in the block before the first line of its own. A block is one gzip
member of CDXJ lines.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

import orjson

from afterdrop.core.json_values import Json
from afterdrop.sources.archive.cdx_index import surt_of

# A name's first blocks are read, in which its home page stands.
MOST_BLOCKS: Final = 3
MOST_ROWS: Final = 5_000
_BLOCK_BYTES: Final = 16_000_000
_PLACE_BYTES: Final = 50_000_000
_LINE = re.compile(
    rb"([\x21-\x7e\x80-\xff]{1,8000}) \d{1,14}\tcdx-(\d{5})\.gz\t(\d{1,13})\t(\d{1,8})(?:\t\d*)?"
)
_FILENAME = re.compile(r"crawl-data/[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+")


class Place(NamedTuple):
    """Where a capture's record stands: a range of bytes of one of Common Crawl's files."""

    filename: str
    offset: int
    length: int

    @property
    def text(self) -> str:
        """The place as one text, which `of` reads."""
        return f"{self.filename} {self.offset} {self.length}"

    @property
    def crawl(self) -> str:
        """The name of the crawl: CC-MAIN-2024-30."""
        return self.filename.split("/")[1]

    @classmethod
    def of(cls, text: str) -> Place | None:
        """The place that `text` names; None for nonsense."""
        filename, _, numbers = text.partition(" ")
        offset, _, length = numbers.partition(" ")
        if len(filename) > 300 or ".." in filename or _FILENAME.fullmatch(filename) is None:
            return None
        if not (_is_number(offset) and _is_number(length) and 0 < int(length) <= _PLACE_BYTES):
            return None
        return cls(filename, int(offset), int(length))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 15


class Block(NamedTuple):
    """A block of the index: a range of bytes of the shard `cdx-NNNNN.gz`."""

    shard: str
    offset: int
    length: int


class CrawlRow(NamedTuple):
    """A capture: a line of the seven fields of `cdx_lines`, and where its record stands."""

    line: bytes
    place: Place


def compact(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a `cluster.idx` as those of a table for `blocks_of`: hosts without paths and times.

    Of the blocks that begin with one host the first ones and the last are kept. Raises ValueError, with the number of
    the line, for what is no such file.
    """
    before, host, run = b"", b"", 0
    last: bytes | None = None
    for number, line in enumerate(lines, 1):
        found = _LINE.fullmatch(line.rstrip(b"\r\n"))
        if found is None or found[1] < before:
            raise ValueError(f"line {number} is no line of a sorted cluster.idx")
        before = found[1]
        key = before[: before.find(b")") + 1] or before
        run = run + 1 if key == host else 1
        if last is not None and run == 1:
            yield last
        host, last = key, b"%s\t%d\t%d\t%d\n" % (key, int(found[2]), int(found[3]), int(found[4]))
        if run <= MOST_BLOCKS:
            yield last
            last = None
    if last is not None:
        yield last


def blocks_of(table: bytes | mmap.mmap, domain: str) -> tuple[Block, ...]:
    """The blocks that may hold captures of `domain` (A-label) and its subdomains, the first ones of more than three."""
    own = surt_of(domain)
    # `)` ends a host, `,` begins a subdomain, and no byte between them occurs in one.
    first, beyond = own + b")", own + b"-"
    at = _place_of(table, first)
    at = table.rfind(b"\n", 0, at - 1) + 1 if at else 0
    found: list[Block] = []
    while at < len(table) and len(found) < MOST_BLOCKS:
        end = table.find(b"\n", at)
        key, shard, offset, length = table[at:end].split(b"\t")
        if key >= beyond:
            break
        found.append(Block(f"cdx-{int(shard):05}.gz", int(offset), int(length)))
        at = end + 1
    return tuple(found)


def _place_of(table: bytes | mmap.mmap, key: bytes) -> int:
    """Where the first line begins whose key is not before `key`."""
    low, high = 0, len(table)
    while low < high:
        start = table.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = table.find(b"\n", start)
        if table[start:end].partition(b"\t")[0] < key:
            low = end + 1
        else:
            high = start
    return low


def rows_in(block: bytes, domain: str) -> list[CrawlRow]:
    """The captures of `domain` and its subdomains in a block, without those of robots.txt.

    Raises ValueError for what is no gzip member, or unpacks to more than a block has.
    """
    unpacked = zlib.decompressobj(31)
    try:
        text = unpacked.decompress(block, _BLOCK_BYTES)
    except zlib.error as error:
        raise ValueError(f"the block cannot be unpacked ({error})") from None
    if not unpacked.eof:
        raise ValueError("the block is cut short, or unpacks to more than 16 MB")
    own = surt_of(domain)
    starts = (own + b")", own + b",")
    found = (_row(line) for line in text.split(b"\n") if line.startswith(starts))
    return [row for row in islice(found, MOST_ROWS) if row is not None]


def _row(line: bytes) -> CrawlRow | None:
    """A CDXJ line as a row; None for one that is none, or of no page."""
    key, _, rest = line.partition(b" ")
    stamp, _, fields = rest.partition(b" ")
    try:
        given: Json = orjson.loads(fields)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(given, dict) or not stamp.isdigit():
        return None
    place = Place.of(f"{given.get('filename')} {given.get('offset')} {given.get('length')}")
    # An answer of "not modified" says nothing of the page.
    if place is None or "/robotstxt/" in place.filename or given.get("status") == "304":
        return None
    mime = given.get("mime-detected") or given.get("mime")
    words = [_word(given.get("url")), _word(mime), _word(given.get("status")), _word(given.get("digest"))]
    return CrawlRow(b" ".join([key, stamp, *words, b"%d" % place.length]), place)


def _word(value: Json) -> bytes:
    """A value as one word of a line, `-` for none."""
    return "%20".join(str(value if value is not None else "").split()).encode("utf-8", "replace") or b"-"
