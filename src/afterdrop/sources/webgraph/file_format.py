"""The format of the ranks and vertices files: what their lines must be, and the message for one that is wrong. Pure.

Formats: cc-webgraph's process_webgraph.sh and host2domaingraph.sh. The publisher promises sorted files and has broken
that promise before (commoncrawl/cc-webgraph issue 34), so the order is checked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from afterdrop.sources.webgraph.errors import RanksError

HEADER: Final = b"#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\t#n_hosts"
RANKS_COLUMNS: Final = {
    "harmonic": "UINTEGER",
    "harmonic_value": "DOUBLE",
    "pagerank": "UINTEGER",
    "pagerank_value": "DOUBLE",
    "name": "VARCHAR",
    "hosts": "UINTEGER",
}
VERTICES_COLUMNS: Final = {"node": "UINTEGER", "name": "VARCHAR", "hosts": "UINTEGER"}
_CSV_FAULT = re.compile(r"CSV Error on Line: (\d+)\s*(?:Original Line: ([^\n]*))?")
_CONTROL = re.compile(r"[^\x20-\x7e]+")


def reverse(name: str) -> str:
    """A name with its labels in reverse order, as the graph spells it.

    >>> reverse("example.co.uk")
    'uk.co.example'
    """
    return ".".join(reversed(name.split(".")))


def keys_of(domains: Sequence[str], salt: str = "") -> NDArray[np.uint64]:
    """The 64-bit keys under which names are stored: half of an MD5 of the reversed name (for speed, not secrecy)."""
    digests = (
        hashlib.md5((salt + ".".join(domain.split(".")[::-1])).encode(), usedforsecurity=False).digest()
        for domain in domains
    )
    return np.frombuffer(b"".join(digests), "<u8")[1::2]


def key_sql(salt: str) -> str:
    """The same key as SQL over a column `name` that is reversed already. `salt` consists of digits."""
    return f"md5_number_lower(concat('{salt}', name))"


def without_header(chunks: Iterator[bytes], file: str) -> Iterator[bytes]:
    """The chunks of a ranks file without its first line. RanksError when that line is not the known header."""
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) > len(HEADER):
            break
    line, _, rest = head.partition(b"\n")
    if line != HEADER:
        shown = shorten(line.decode("utf-8", "replace"))
        raise RanksError(file, f"line 1 is not the header of a ranks file (#harmonicc_pos …) but '{shown}'")
    yield rest
    yield from chunks


def without_blanks(chunks: Iterator[bytes], file: str, header_lines: int) -> Iterator[bytes]:
    """The chunks unchanged. RanksError at an empty line, which DuckDB would skip without counting it."""
    before, lines = b"\n", header_lines
    for chunk in chunks:
        text = before + chunk
        place = text.find(b"\n\n")
        if place >= 0:
            line = lines + text.count(b"\n", len(before), place + 1) + 1
            raise RanksError(file, f"line {line:,} is empty")
        lines += chunk.count(b"\n")
        before = text[-1:]
        yield chunk


def shorten(text: str, most: int = 80) -> str:
    """Text of others for a message: at most `most` printable characters."""
    shown = _CONTROL.sub(" ", text)
    return shown if len(shown) <= most else shown[: most - 3] + "..."


def fault_of_reader(message: str, header_lines: int, columns: int) -> str:
    """DuckDB's report on a line that it cannot read, as a sentence with the line's number in the file."""
    found = _CSV_FAULT.search(message)
    if found is None:
        return shorten(message.partition("\n")[0])
    text = shorten(found[2] or "")
    return (
        f"line {int(found[1]) + header_lines:,} is not {columns} tab-separated values of this file: '{text}'"
    )


@dataclass(frozen=True, slots=True)
class RanksSeen:
    """What one pass over the loaded ranks found. Lines count from 1 below the header; None means no such line.

    `misplaced` is the first line whose harmonic position is not its own number, with that position. `rising` is the
    first line whose value is above the one before. `unnamed` is the first line without a name, and `odd` the first
    with a value that is not a number from 0 up. `beyond` is the first line whose PageRank position is 0 or over the
    number of rows. `sum` and `squares` are sums over the PageRank positions. `double` is a position that occurs
    twice, with both lines; it is searched for when `doubled`.
    """

    rows: int
    misplaced: tuple[int, int | None] | None = None
    rising: int | None = None
    unnamed: int | None = None
    odd: int | None = None
    beyond: tuple[int, int | None] | None = None
    sum: int = 0
    squares: int = 0
    double: tuple[int, int, int] | None = None

    @property
    def doubled(self) -> bool:
        """Whether a PageRank position occurs twice: their sums are not those of all numbers from 1 to `rows`."""
        n = self.rows
        return self.beyond is None and (self.sum, self.squares) != (
            n * (n + 1) // 2,
            n * (n + 1) * (2 * n + 1) // 6,
        )

    def complaint(self) -> str | None:
        """Why these rows are not a whole, sorted ranks file, with the line; None when they are."""
        if self.rows == 0:
            return "has a header and no rows"
        if self.unnamed is not None:
            return f"line {self.unnamed + 1:,} has no name"
        if self.odd is not None:
            return f"line {self.odd + 1:,} has a value that is no number from 0 up"
        if self.misplaced is not None:
            line, position = self.misplaced
            return (
                f"is not in order: line {line + 1:,} has harmonic position {_shown(position)}, not {line:,}"
            )
        if self.rising is not None:
            return f"is not in order: the harmonic value rises at line {self.rising + 1:,}"
        if self.beyond is not None:
            line, position = self.beyond
            return (
                f"line {line + 1:,} has PageRank position {_shown(position)}, but there are only {self.rows:,} rows: "
                "rows are missing or wrong"
            )
        if self.double is not None:
            position, line, again = self.double
            return f"has PageRank position {position:,} twice, at lines {line + 1:,} and {again + 1:,}"
        return "has a PageRank position twice" if self.doubled else None


def _shown(position: int | None) -> str:
    return "none" if position is None else f"{position:,}"


@dataclass(frozen=True, slots=True)
class VerticesSeen:
    """What one pass over the loaded vertices found.

    `misplaced` is the first line whose number is not its place from 0. `unsorted` is the first line whose name is not
    after the one before. `unranked` is the first line with a name that the ranks lack.
    """

    rows: int
    ranked: int
    misplaced: tuple[int, int | None] | None = None
    unsorted: tuple[int, str] | None = None
    unranked: tuple[int, str] | None = None

    def complaint(self) -> str | None:
        """Why these are not the vertices of the ranks, with the line; None when they are."""
        if self.misplaced is not None:
            line, number = self.misplaced
            return f"is not in order: line {line:,} has number {_shown(number)}, not {line - 1:,}"
        if self.unsorted is not None:
            line, name = self.unsorted
            return (
                f"is not in order: the name at line {line:,} ({shorten(name)}) is not after the one before it"
            )
        if self.unranked is not None:
            line, name = self.unranked
            return f"line {line:,} names {shorten(name)}, which the ranks file does not have"
        if self.rows != self.ranked:
            return f"has {self.rows:,} names, the ranks file {self.ranked:,}: they are not of one release"
        return None
