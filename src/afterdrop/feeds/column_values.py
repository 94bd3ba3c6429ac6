"""Values of whole columns: what `record_values` gets from one record, for many records at once.

Pure. Columns repeat: each different cell, or set of cells that a value is read from, is read once by the getter for
single records, so that both ways give the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo

from afterdrop.feeds.converters import SEARCHED_MOST
from afterdrop.feeds.record_values import WRONG, Getter
from afterdrop.feeds.spec import FieldSource

# How many cells of one column are remembered, and the longest text that is.
REMEMBERED, SHORT = 20_000, 60
Cells = Callable[[str], Sequence[Any]]


class _Wrong:
    """Stands for a value that is not what the feed file says."""


WRONG_VALUE: Final = _Wrong()
# Python finds True and 1.0 where it looks for 1: only among these types does the same key mean the same value.
_TOLD_APART = frozenset({str, int, type(None)})


class Column:
    """One value of a listing for many records. `names` are the feed's columns that `get` reads of one record."""

    def __init__(self, get: Getter, names: Sequence[str], *, listed: bool) -> None:
        self._get = get
        self.names = tuple(names)
        self._record: Callable[[Any], Any]
        if len(names) == 1:
            self._record = (lambda cell: [cell]) if listed else (lambda cell: {names[0]: cell})
        else:
            self._record = list if listed else (lambda cells: dict(zip(names, cells, strict=True)))
        self._known: dict[Any, Any] = {}
        # Cells of a line are texts; those of a record may be anything.
        self._told_apart = listed
        self.has_wrong = False

    def read(self, cells: Cells, size: int) -> list[Any]:
        """The value of each of `size` records; WRONG_VALUE where it is not what the feed file says."""
        if not self.names:
            return [self._one(())] * size
        columns = [cells(name) for name in self.names]
        keys = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
        if not self._told_apart and not all(_TOLD_APART.issuperset(map(type, column)) for column in columns):
            return list(map(self._one, keys))
        try:
            return list(map(self._known.__getitem__, keys))
        except KeyError:
            return self._read_new(keys)

    def _read_new(self, keys: Sequence[Any]) -> list[Any]:
        known = self._known
        new = set(keys).difference(known)
        for key in new:
            known[key] = self._one(key)
        values = list(map(known.__getitem__, keys))
        if len(known) > REMEMBERED:
            known.clear()
        elif max(map(len, map(str, new))) > SHORT * len(self.names):
            for key in new:
                del known[key]
        return values

    def _one(self, key: Any) -> Any:
        try:
            return self._get(self._record(key))
        except WRONG:
            self.has_wrong = True
            return WRONG_VALUE


class Text(Column):
    """A column that is taken as it is printed, or of which a pattern's one group is taken: most cells differ."""

    def __init__(
        self, get: Getter, names: Sequence[str], pattern: re.Pattern[str] | None, *, listed: bool
    ) -> None:
        super().__init__(get, names, listed=listed)
        self._pattern = pattern

    def read(self, cells: Cells, size: int) -> list[Any]:
        """As for any column."""
        found = cells(self.names[0])
        if not {str}.issuperset(map(type, found)):
            return list(map(self._one, found))
        texts = list(map(str.strip, found))
        if self._pattern is None:
            return [text or None for text in texts] if "" in texts else texts
        if max(map(len, texts), default=0) > SEARCHED_MOST:
            return list(map(self._one, found))
        search = self._pattern.search
        return [match[1] or None if text and (match := search(text)) else None for text in texts]


def column(
    reader: Callable[[FieldSource, Mapping[str, int] | None, ZoneInfo], Getter],
    sources: Sequence[FieldSource],
    columns: Mapping[str, int] | None,
    zone: ZoneInfo,
) -> Column:
    """The column of the first of `sources`, which `reader` reads; its value may depend on the other sources, too.

    `columns` are those of a CSV (lower case name → index), None for records by name.
    """
    wanted = [name for source in sources for name in source.from_]
    if columns is None:
        names = list(dict.fromkeys(wanted))
        get = reader(sources[0], None, zone)
    else:
        names = [name for name in dict.fromkeys(name.strip().lower() for name in wanted) if name in columns]
        get = reader(sources[0], {name: place for place, name in enumerate(names)}, zone)
    text = _as_text(sources[0], reader) if len(names) == 1 == len(wanted) else None
    if text is None:
        return Column(get, names, listed=columns is not None)
    return Text(get, names, text[0], listed=columns is not None)


def _as_text(source: FieldSource, reader: Any) -> tuple[re.Pattern[str] | None] | None:
    """(its pattern or None) where a source is plain text or one group of a pattern; None for all others."""
    if source.map or isinstance(reader, partial) or reader.__name__ != "field_value":
        return None
    if not source.convert:
        return (None,)
    head, _, argument = source.convert[0].partition(":")
    if len(source.convert) == 1 and head == "regex" and (pattern := re.compile(argument)).groups == 1:
        return (pattern,)
    return None
