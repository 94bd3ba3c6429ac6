"""Reading a gzipped text file as a stream that knows how far it is and notices when something is missing."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from afterdrop.webgraph.errors import RanksError

Progress = Callable[[int, int], None]
_READ = 1 << 18
_MAGIC = b"\x1f\x8b"
_MOST = 1 << 22


def no_progress(done: int, total: int) -> None:
    """For callers who do not watch."""


@dataclass
class Unpacked:
    """The text of a gzip file (one member or several), in chunks of at most 4 MB cut anywhere.

    `lines` counts the line ends given so far. `progress` hears of compressed bytes read and in all.
    """

    file: Path
    progress: Progress = no_progress
    lines: int = 0

    def chunks(self) -> Iterator[bytes]:
        """The chunks; RanksError where the file is no gzip file, damaged or cut off, with the place."""
        total, done, ended = self.file.stat().st_size, 0, True
        member: zlib._Decompress | None = None
        with self.file.open("rb") as packed:
            if total and packed.read(2) != _MAGIC:
                raise RanksError(str(self.file), "is not a gzip file")
            packed.seek(0)
            while data := packed.read(_READ):
                done += len(data)
                while data:
                    if member is None:
                        data = data.lstrip(
                            b"\0"
                        )  # tapes and copies pad with zeros; RFC 1952 readers skip them
                        member = zlib.decompressobj(31) if data else None
                        continue
                    chunk = self._unpack(member, data, done)
                    if chunk:
                        self.lines += chunk.count(b"\n")
                        ended = chunk.endswith(b"\n")
                        yield chunk
                    data = member.unused_data if member.eof else member.unconsumed_tail
                    member = None if member.eof else member
                self.progress(done, total)
        if member is not None:
            raise RanksError(str(self.file), f"is cut off: it ends after line {self.lines:,}")
        if not ended:
            raise RanksError(str(self.file), f"is cut off: it ends in the middle of line {self.lines + 1:,}")

    def _unpack(self, member: zlib._Decompress, data: bytes, done: int) -> bytes:
        try:
            return member.decompress(data, _MOST)
        except zlib.error as error:
            where = f"before byte {done:,}, after line {self.lines:,}"
            raise RanksError(str(self.file), f"is damaged {where} ({error})") from None

    def whole_lines(self) -> Iterator[bytes]:
        """The same cut at line ends: every chunk is one or more whole lines."""
        rest = b""
        for chunk in self.chunks():
            end = chunk.rfind(b"\n") + 1
            if end:
                yield rest + chunk[:end]
                rest = chunk[end:]
            else:
                rest += chunk
                if len(rest) > _MOST:
                    raise RanksError(str(self.file), f"has a line over {_MOST:,} bytes after {self.lines:,}")
