"""The format of the ranks and vertices files: what their lines must be, and what is said of a wrong one. Pure.

Formats: cc-webgraph's process_webgraph.sh and host2domaingraph.sh. The publisher promises sorted files and has broken
that promise before (commoncrawl/cc-webgraph issue 34), so the order is checked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
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
# A condition that no line fulfils, and the rest of a sentence about one that does. `above` is of the line before.
RANKS_FAULTS: Final = {
    "coalesce(name, '') = ''": "'has no name'",
    "NOT coalesce(least(harmonic_value, pagerank_value) >= 0 AND isfinite(harmonic_value + pagerank_value), false)"
    " OR hosts IS NULL": "'has a value that is no number from 0 up'",
    "harmonic IS DISTINCT FROM line - 1": "concat('has harmonic position ', ifnull(harmonic::VARCHAR, 'none'), "
    "', not ', line - 1)",
    "harmonic_value > above": "'has a higher harmonic value than the line before it'",
    "coalesce(pagerank, 0) = 0": "'has no PageRank position'",
}
VERTICES_FAULTS: Final = {
    "node IS DISTINCT FROM line - 1": "concat('has number ', ifnull(node::VARCHAR, 'none'), ', not ', line - 1)",
    "coalesce(name <= above, name IS NULL)": "concat('names ', name, ', which is not after the name before it')",
}
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


def headed(chunks: Iterator[bytes], file: str) -> Iterator[bytes]:
    """The whole lines of a ranks file unchanged. RanksError when the first is not the known header."""
    first = next(chunks, b"")
    if (line := first.partition(b"\n")[0]) != HEADER:
        shown = shorten(line.decode("utf-8", "replace"))
        raise RanksError(file, f"line 1 is not the header of a ranks file (#harmonicc_pos …) but '{shown}'")
    yield first
    yield from chunks


def shorten(text: str, most: int = 80) -> str:
    """Text of others for a message: at most `most` printable characters."""
    shown = _CONTROL.sub(" ", text)
    return shown if len(shown) <= most else shown[: most - 3] + "..."


def refusing(faults: Mapping[str, str]) -> str:
    """SQL that is NULL for a right `line`, and an error of DuckDB's with its number for a wrong one."""
    cases = (
        f"WHEN {wrong} THEN error(format('line {{:,}} ', line) || {said})" for wrong, said in faults.items()
    )
    return f"CASE {' '.join(cases)} END"
