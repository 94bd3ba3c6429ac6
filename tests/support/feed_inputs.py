"""Inputs of the feed tests: small feed files, packed and unpacked."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.mapping import BadRow, Row
from afterdrop.feeds.parse import read_feed
from afterdrop.feeds.row_batches import Batch, BatchMapper
from afterdrop.feeds.spec import FeedSpec, read_spec

BOUNDS = Bounds(max_bytes=50_000_000, max_ratio=200)


def content(**changes: Any) -> dict[str, Any]:
    """The parsed content of a minimal feed file: CSV with a column `name`."""
    return {
        "name": "sample",
        "url": "https://feeds.example.com/list.csv",
        "format": "csv",
        "complete": True,
        "evidence": "code",
        "licence": "open",
        "fields": {"domain": "name", "type": {"const": "bid"}},
        **changes,
    }


def spec(**changes: Any) -> FeedSpec:
    """A minimal feed."""
    return read_spec(content(**changes), "sample.toml")


def read(feed: FeedSpec, data: bytes | str, bounds: Bounds = BOUNDS) -> list[Row | BadRow]:
    """Every row of a feed file given as bytes; of a feed in pages, every row of one page."""
    raw = data.encode() if isinstance(data, str) else data
    if feed.paging is not None:  # pages are stored with a row a line
        feed = feed.model_copy(update={"paging": None})
    return rows_of(read_feed(feed, io.BytesIO(raw), bounds))


def rows_of(batches: Iterable[Batch]) -> list[Row | BadRow]:
    """Every row of batches."""
    return [row for batch in batches for row in batch.rows()]


def one_row(
    feed: FeedSpec, record: dict[str, Any], line: int = 1, zones: tuple[str, ...] = ()
) -> Row | BadRow:
    """The row of one JSON object."""
    return BatchMapper(feed, None, zones).map_objects([line], [record]).row(0)


def good(feed: FeedSpec, data: bytes | str) -> list[Row]:
    """Every row of a file that has no bad ones."""
    found = read(feed, data)
    bad = [row for row in found if isinstance(row, BadRow)]
    assert not bad
    return [row for row in found if isinstance(row, Row)]


def zipped(members: Mapping[str, bytes | str]) -> bytes:
    """A zip file."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return target.getvalue()


def gzipped(*parts: bytes | str) -> bytes:
    """A gzip file of one member per part."""
    return b"".join(gzip.compress(part.encode() if isinstance(part, str) else part) for part in parts)


class Pieces:
    """A ByteSource that gives prepared pieces, whatever size is requested."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = list(pieces)

    def read(self, _size: int = -1, /) -> bytes:
        """The next piece."""
        return self._pieces.pop(0) if self._pieces else b""


def in_pieces(data: bytes, size: int) -> Pieces:
    """`data` cut every `size` bytes."""
    return Pieces(*(data[start : start + size] for start in range(0, len(data), size)))
