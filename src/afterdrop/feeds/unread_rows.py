"""The names that stand in rows which could not be read: a complete file that lacks them has not withdrawn them.

Pure. A wrong withdrawal loses a drop, and one that comes a day late costs little. So the rule is wide: every domain
name in the text of such a row is spared. A row of which no name can be told may be anybody's, and then nothing is
withdrawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from afterdrop.core.domain_names import registrable_domain
from afterdrop.core.errors import BadName

# So many rows and names, and characters of a row, are looked at. A file with more of them withdraws nothing.
ROWS_MOST, NAMES_MOST, TEXT_MOST = 10_000, 10_000, 1 << 16
_RUN, _DOT = re.compile(r"[\w.。．-]+"), re.compile(r"[.。．]")
# Labels of a host that are looked at, from its end: no public suffix has as many.
_LABELS = 6
# What decoding puts where bytes are not in the feed's encoding.
_SPOILED = "\ufffd"


class Unread(NamedTuple):
    """A row that could not be used: its text, or only its `domain` cell where the row itself could be read."""

    text: str
    of_row: bool


@dataclass(slots=True)
class SparedNames:
    """Names that a complete file does not withdraw, as far as it was read; `everything` where a name could not be told.

    `zones` are the operator's sale zones (afterdrop.core.domain_names).
    """

    zones: tuple[str, ...] = ()
    names: set[str] = field(default_factory=set)
    everything: bool = False
    _rows: int = 0

    def add(self, rows: Iterable[Unread]) -> None:
        """Spare the names of these rows."""
        for row in rows:
            if self.everything:
                return
            self._rows += 1
            names = set(names_in(row.text[:TEXT_MOST], self.zones))
            self.names |= names
            unnamed = _SPOILED in row.text or (row.of_row and not names)
            many = self._rows > ROWS_MOST or len(self.names) > NAMES_MOST or len(row.text) > TEXT_MOST
            self.everything = unnamed or many


def names_in(text: str, zones: tuple[str, ...] = ()) -> Iterable[str]:
    """The registrable domains of all hosts in a text, also where quotes cut through one."""
    runs = {run for each in (text, text.replace('"', "")) for run in _RUN.findall(each)}
    for host in {host for run in runs for host in _hosts(run)}:
        try:
            yield registrable_domain(host, zones)
        except BadName:
            continue


def _hosts(run: str) -> Iterable[str]:
    """The hosts in a run of letters and dots. The last label begins with a letter: a price or a time is no host."""
    labels: list[str] = []
    for label in [*_DOT.split(run), ""]:
        if label:
            labels.append(label)
            continue
        while labels and not labels[-1][0].isalpha():
            labels.pop()
        if len(labels) > 1:
            yield ".".join(labels[-_LABELS:])
        labels = []
