"""Names as people paste and upload them: separated by lines, blanks or commas, or in a column of a CSV file. Pure."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Final

# Characters that stand between pasted names; none of them can be in a name or an address.
_BETWEEN: Final = re.compile(r"[\s,;|\"'<>]+")
_HEADINGS: Final = frozenset({"domain", "domains", "domain name", "name", "names", "host", "url", "address"})
_MOST: Final = 5000


def pasted_names(text: str) -> list[str]:
    """The pieces of a pasted text that are meant as names."""
    return [piece for piece in _BETWEEN.split(text) if piece][:_MOST]


def names_of_file(text: str) -> list[str]:
    """The names in a text file: the column whose heading says so, else the first column. Empty cells are left out."""
    rows = list(_rows(text.removeprefix("\ufeff")))
    if not rows:
        return []
    headings = [cell.casefold() for cell in rows[0]]
    column = next((at for at, heading in enumerate(headings) if heading in _HEADINGS), None)
    chosen = [row[column or 0] for row in rows[0 if column is None else 1 :] if len(row) > (column or 0)]
    return [cell for cell in chosen if cell][:_MOST]


def _rows(text: str) -> Iterator[list[str]]:
    lines = [line for line in text.splitlines() if line.strip()][: _MOST + 1]
    head = lines[0] if lines else ""
    between = max((",", ";", "\t"), key=head.count)
    try:
        for row in csv.reader(lines, delimiter=between):
            yield [cell.strip() for cell in row]
    except csv.Error:
        return
