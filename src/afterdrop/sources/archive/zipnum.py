"""Common Crawl's index files: where the captures of a domain stand, and the rows of one block.

Pure. A crawl's index is sorted by urlkey and packed in blocks of 3,000 lines, a gzip member each, in files
`cdx-NNNNN.gz`; `cluster.idx` names the first key of each block (ZipNum, as pywb and the Internet Archive's
webarchive-commons write it). Of that file a look-up needs four columns, which `compact` keeps.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import Final, NamedTuple

import orjson

from afterdrop.sources.archive.cdx_index import surt_of

BLOCK_BYTES: Final = 16_000_000
# Of one name: blocks that are read of one crawl, the first ones, and rows that are taken of it.
MOST_BLOCKS: Final = 3
MOST_ROWS: Final = 5_000
RECORD_BYTES: Final = 50_000_000
# A line of a cluster file that is longer is none: its key is an address, and servers refuse longer ones.
LINE_BYTES: Final = 16_384
# Longer than any domain, so that a key that is cut here sorts the same beside one.
_KEY = 255
_URL = 8_000
# A row has the address twice, percent-encoded at worst.
_ROW_BYTES = 65_536
_DIGITS = re.compile(rb"[0-9]{1,12}")
_STAMP = re.compile(rb"[0-9]{14}")
_SHARD = re.compile(rb"cdx-([0-9]{5})\.gz")
_FILE = re.compile(r"crawl-data/[A-Za-z0-9._/=+-]{1,289}", re.ASCII)
_STATUS = re.compile(r"[1-5][0-9]{2}", re.ASCII)
_WORD = re.compile(r"[!-~]{1,128}", re.ASCII)
# What would end a line.
_CONTROL = re.compile(r"[\0-\x1f\x7f]")


class Place(NamedTuple):
    """Where a record stands: the file below the file host, and the bytes of its gzip member."""

    filename: str
    offset: int
    length: int

    @property
    def text(self) -> str:
        """The place as `FILENAME OFFSET LENGTH`."""
        return f"{self.filename} {self.offset} {self.length}"

    @classmethod
    def of(cls, text: str) -> Place | None:
        """The place that `text` spells; None for nonsense, a file not below `crawl-data/`, or more than 50 MB."""
        parts = text.split(" ", 3)
        if len(parts) != 3 or not _FILE.fullmatch(parts[0]) or ".." in parts[0]:
            return None
        offset, length = (_number(part.encode("ascii", "replace")) for part in parts[1:])
        if offset is None or length is None or not 0 < length <= RECORD_BYTES:
            return None
        return cls(parts[0], offset, length)


class Block(NamedTuple):
    """A block of an index: the name of its file, and the bytes of its gzip member."""

    shard: str
    offset: int
    length: int


class CrawlRow(NamedTuple):
    """A capture: its line in the seven fields of `cdx_lines`, and the place of its record."""

    line: bytes
    place: Place


def compact(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a `cluster.idx` as a table `KEY SHARD OFFSET LENGTH`, numbers in base 16; keys end with the host.

    Of blocks that begin in the same host the first three and the last are enough for `blocks_of`.
    Raises ValueError, which names the line, for what is no cluster file: it must be whole and sorted.
    """
    for _, same in groupby(_entries(lines), itemgetter(0)):
        yield from (line for _, line in islice(same, MOST_BLOCKS))
        yield from (line for _, line in deque(same, maxlen=1))


def _entries(lines: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """The host of each block's first key, and its line in the table."""
    before, number = b"", 0
    for number, line in enumerate(lines, 1):
        entry = _entry(line)
        if entry is None:
            raise ValueError(f"line {number:,} is no line of a cluster file: {line[:80]!r}")
        if entry[0] < before:
            raise ValueError(f"line {number:,} is not sorted: {line[:80]!r}")
        before = entry[0]
        yield entry
    if number == 0:
        raise ValueError("line 1 is missing: the cluster file is empty")


def _entry(line: bytes) -> tuple[bytes, bytes] | None:
    parts = line.split(b"\t", 5)
    if len(parts) not in (4, 5) or not line.endswith(b"\n"):
        return None
    key, _, stamp = parts[0].rpartition(b" ")
    shard = _SHARD.fullmatch(parts[1])
    offset, length = _number(parts[2]), _number(parts[3].rstrip(b"\n"))
    if not (key and shard and _STAMP.fullmatch(stamp)) or offset is None or length is None:
        return None
    if not 0 < length <= BLOCK_BYTES:
        return None
    host, bracket, _ = key[:_KEY].partition(b")")
    return host + bracket, b"%s %x %x %x\n" % (host + bracket, int(shard[1]), offset, length)


def blocks_of(table: bytes | mmap.mmap, domain: str) -> tuple[Block, ...]:
    """The blocks of a table by `compact` that can hold keys of `domain` (A-labels): at most three, the first ones.

    A key stands in the last block that begins before it, so the block before the first that begins in the domain
    counts. Raises ValueError for a damaged table.
    """
    surt = surt_of(domain)
    # `)` and `,` follow the domain in its own keys, and `:` before a port. What else may be in a host sorts between
    # them, or behind.
    spans = ((surt + b")", surt + b"-"), (surt + b":", surt + b";"))
    found = (block for span in spans for block in islice(_blocks(table, *span), MOST_BLOCKS))
    return tuple(dict.fromkeys(found))[:MOST_BLOCKS]


def _blocks(table: bytes | mmap.mmap, first: bytes, end: bytes) -> Iterator[Block]:
    """The blocks that can hold keys from `first` on and before `end`."""
    start = _first_at(table, first)
    if start > 0:
        start = table.rfind(b"\n", 0, start - 1) + 1
    while start < len(table):
        stop = _end_of_line(table, start)
        key, shard, offset, length = _split(table[start:stop])
        if key >= end:
            break
        yield Block(f"cdx-{int(shard, 16):05}.gz", int(offset, 16), int(length, 16))
        start = stop + 1


def _first_at(table: bytes | mmap.mmap, key: bytes) -> int:
    """Where the first line begins whose key is not before `key`; the end of the table where none is."""
    low, high = 0, len(table)
    while low < high:
        middle = (low + high) // 2
        start = max(low, table.rfind(b"\n", 0, middle) + 1)
        end = _end_of_line(table, middle)
        if _split(table[start:end])[0] < key:
            low = end + 1
        else:
            high = start
    return min(low, len(table))


def _end_of_line(table: bytes | mmap.mmap, start: int) -> int:
    end = table.find(b"\n", start)
    return len(table) if end < 0 else end


def _split(line: bytes) -> list[bytes]:
    parts = line.rsplit(b" ", 3)
    if len(parts) != 4:
        raise ValueError(f"the table is damaged: {line[:80]!r} is no line of it")
    return parts


def rows_in(block: bytes, domain: str) -> tuple[CrawlRow, ...]:
    """The captures of `domain` in a block of an index, at most 5,000, without those of robots.txt.

    A row that cannot be read, or whose place is nonsense, is left out, and so is "304 Not Modified", which
    archived nothing.
    Raises ValueError for what is not one whole gzip member of at most 16 MB unpacked.
    """
    member = zlib.decompressobj(31)
    try:
        text = member.decompress(block, BLOCK_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"is no gzip member ({error})") from None
    if len(text) > BLOCK_BYTES:
        raise ValueError(f"unpacks to more than {BLOCK_BYTES:,} bytes")
    if not member.eof:
        raise ValueError("is cut short")
    surt = surt_of(domain)
    mine = re.compile(b"^" + re.escape(surt) + b"[),:].*", re.MULTILINE)
    rows = (_row(match[0]) for match in mine.finditer(text))
    return tuple(islice(filter(None, rows), MOST_ROWS))


def _row(line: bytes) -> CrawlRow | None:
    if len(line) > _ROW_BYTES:
        return None
    key, _, rest = line.partition(b" ")
    stamp, _, packed = rest.partition(b" ")
    try:
        fields = orjson.loads(packed)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(fields, dict) or not _STAMP.fullmatch(stamp):
        return None
    texts = {name: str(value) for name, value in fields.items() if isinstance(value, str | int)}
    place = Place.of(f"{texts.get('filename')} {texts.get('offset')} {texts.get('length')}")
    url, status = texts.get("url", ""), texts.get("status", "")
    if place is None or "/robotstxt/" in place.filename or status == "304" or not _STATUS.fullmatch(status):
        return None
    if not url or len(url) > _URL or _CONTROL.search(url) or _CONTROL.search(key.decode("utf-8", "replace")):
        return None
    mime = _word(texts.get("mime-detected", "")) or _word(texts.get("mime", "")) or "-"
    digest = _word(texts.get("digest", "")) or "-"
    rest = f"{mime} {status} {digest} {place.length}".encode("ascii")
    return CrawlRow(b" ".join((key, stamp, url.replace(" ", "%20").encode(), rest)), place)


def _number(digits: bytes) -> int | None:
    return int(digits) if _DIGITS.fullmatch(digits) else None


def _word(text: str) -> str:
    """A text without blanks as it is; "" for any other."""
    return text if _WORD.fullmatch(text) else ""
