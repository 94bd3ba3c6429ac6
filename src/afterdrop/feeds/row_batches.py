"""Many records to listings at once, column by column.

Pure. Work that all records of a batch need is done for the whole column. Columns repeat: each different cell, or set of
cells that a value is read from, is read once. A record that is not plain (a wrong value, a host name, an odd address)
is finished alone by `mapping.Mapper`, which holds the rules. A Row is made only of those asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import compress, count, repeat
from operator import is_, itemgetter, methodcaller
from typing import TypeAlias, cast
from zoneinfo import ZoneInfo

from afterdrop.core.domain_names import plain_domains
from afterdrop.core.json_values import Json, JsonObject
from afterdrop.feeds.converters import SEARCHED_MOST
from afterdrop.feeds.json_xml_rows import Unreadable
from afterdrop.feeds.mapping import (
    ESSENTIAL,
    FIELDS,
    MAX_KEY,
    BadRow,
    LeftOut,
    Mapper,
    Row,
    UnusableRow,
    mapped_values,
    sample,
)
from afterdrop.feeds.record_values import (
    WRONG,
    ColumnValue,
    Reading,
    Wrong,
    at_path,
    field_value,
    identifier_value,
    priced_code_value,
)
from afterdrop.feeds.spec import RUNNING, FeedSpec, FieldSource
from afterdrop.feeds.unread_rows import Unread
from afterdrop.sources.metrics.model import Role
from afterdrop.sources.registry.release_hours import drop_end

_ADDRESS_MOST, _ADDRESS_LEAST = 1990, 9
_NOT_IN_ADDRESS = tuple(" \"'<>\\^`{|}")
_of_the_web = methodcaller("startswith", ("https://", "http://"))
_DOMAIN, _TYPE, _KEY, _URL, _PRICE, _CURRENCY, _ENDS = map(
    FIELDS.index, ("domain", "type", "external_id", "url", "price", "currency", "ends_at")
)
_METRICS = len(FIELDS)
# How many cells of one column are remembered, and the longest text that is.
REMEMBERED, SHORT = 20_000, 60
# Python finds True and 1.0 where it looks for 1: beside texts and nothing, what is remembered is of one of these types.
_TEXTS = (field_value, identifier_value)
_NUMBERS = frozenset({int, float, bool})
_NO_NUMBERS = frozenset({str, type(None)})

# The cells of the column with a name.
Cells = Callable[[str], Sequence[Json]]
# What a value is read from: one cell, or one of each column.
_Key: TypeAlias = "Json | tuple[Json, ...]"
_Types: TypeAlias = tuple[type, ...]
Record: TypeAlias = "list[str] | JsonObject"


class FeedColumn:
    """One value of a listing for many records. `names` are the feed's columns whose cells `read` gets.

    `texts` says that all cells are texts; those of JSON may be anything.
    """

    def __init__(self, read: Reading, names: Sequence[str], *, texts: bool) -> None:
        self._read = read
        self.names = tuple(names)
        self._known: dict[_Types, dict[_Key, ColumnValue]] = {}
        self._texts = texts
        self.has_wrong = False

    def read(self, cells: Cells, size: int) -> list[ColumnValue]:
        """The value of each of `size` records; a Wrong where it is not what the feed file says."""
        if not self.names:
            return [self._one(())] * size
        columns = [cells(name) for name in self.names]
        keys: Sequence[_Key] = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
        types = () if self._texts else _types(columns)
        if types is None:
            return list(map(self._one, keys))
        known = self._known.setdefault(types, {})
        try:
            return list(map(known.__getitem__, keys))
        except KeyError:
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

    def _one(self, key: _Key) -> ColumnValue:
        try:
            return self._read(key if isinstance(key, tuple) else (key,))
        except WRONG as error:
            self.has_wrong = True
            return Wrong(str(error))


def _types(columns: Sequence[Sequence[Json]]) -> _Types | None:
    """The type of each column's numbers; None where one has several, or cells that cannot be remembered."""
    numbers: list[type] = []
    for column in columns:
        found = set(map(type, column)) - _NO_NUMBERS or {int}
        if len(found) > 1 or not found <= _NUMBERS:
            return None
        numbers += found
    return tuple(numbers)


class Text(FeedColumn):
    """A column that is taken as it is printed, or of which a pattern's one group is taken: most cells differ."""

    def __init__(self, read: Reading, name: str, pattern: re.Pattern[str] | None, *, texts: bool) -> None:
        super().__init__(read, [name], texts=texts)
        self._pattern = pattern

    def read(self, cells: Cells, size: int) -> list[ColumnValue]:
        """As for any column."""
        found = cells(self.names[0])
        if not {str}.issuperset(map(type, found)):
            return list(map(self._one, found))
        texts = list(map(str.strip, cast("Sequence[str]", found)))
        if self._pattern is None:
            return [text or None for text in texts] if "" in texts else [*texts]
        if max(map(len, texts), default=0) > SEARCHED_MOST:
            return list(map(self._one, found))
        search = self._pattern.search
        return [match[1] or None if text and (match := search(text)) else None for text in texts]


def _columns(spec: FeedSpec, header: Mapping[str, int] | None) -> list[FeedColumn | None]:
    """A column for each of `mapped_values`. `header` is that of a CSV (lower case name → index), else None."""
    zone, texts = ZoneInfo(spec.zone), header is not None
    columns: list[FeedColumn | None] = []
    for number, (source, reader) in enumerate(mapped_values(spec)):
        if source is None:
            columns.append(None)
            continue
        names, reading = _present(source, header), reader(source, zone)
        price = spec.fields.price
        if number == _CURRENCY and price is not None:
            priced = priced_code_value(source, zone, len(names), price)
            names, reading = [*names, *_present(price, header)], priced or reading
        pattern = _as_text(source) if reader in _TEXTS and len(names) == 1 == len(source.from_) else None
        if pattern is None:
            columns.append(FeedColumn(reading, names, texts=texts))
        else:
            columns.append(Text(reading, names[0], pattern[0], texts=texts))
    return columns


def _present(source: FieldSource, header: Mapping[str, int] | None) -> list[str]:
    """The columns of a source that may be in the file."""
    if header is None:
        return list(source.from_)
    return [name for one in source.from_ if (name := one.strip().lower()) in header]


def _as_text(source: FieldSource) -> tuple[re.Pattern[str] | None] | None:
    """(its pattern or None) where a source is plain text or one group of a pattern; None for all others."""
    if source.map:
        return None
    if not source.convert:
        return (None,)
    head, _, argument = source.convert[0].partition(":")
    if len(source.convert) == 1 and head == "regex" and (pattern := re.compile(argument)).groups == 1:
        return (pattern,)
    return None


@dataclass(slots=True)
class Batch:
    """Records in order. `alone` has those finished alone, by place; the others are plain rows in columns.

    `written` gives the cells of one record that each value was read from, by the value's name. `unread` are the rows
    that cannot be used, with what tells their names.
    """

    lines: Sequence[int]
    values: list[list[ColumnValue]]
    domains: list[str]
    keys: list[str]
    mapper: Mapper
    written: Callable[[int], dict[str, list[Json]]]
    alone: dict[int, Row | BadRow] = field(default_factory=dict)
    unread: list[Unread] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.lines)

    def row(self, place: int) -> Row | BadRow:
        """The record at a place as a row."""
        if place in self.alone:
            return self.alone[place]
        values = [column[place] for column in self.values]
        return self.mapper.finish(self.lines[place], values, list(self.mapper.missing))

    def rows(self) -> Iterator[Row | BadRow]:
        """Every record as a row."""
        return map(self.row, range(len(self)))

    def metric_columns(self, roles: Collection[Role]) -> dict[Role, list[ColumnValue]]:
        """The columns of those of the `roles` that the feed has."""
        return {
            role: self.values[_METRICS + number]
            for number, role in enumerate(self.mapper.roles)
            if role in roles
        }

    def good_domains(self) -> list[str]:
        """The domains of the usable rows."""
        bad = {place for place, row in self.alone.items() if not isinstance(row, Row)}
        return [domain for place, domain in enumerate(self.domains) if place not in bad]

    @property
    def missing(self) -> tuple[str, ...]:
        """The notes of every plain row, for the columns that the file lacks."""
        return self.mapper.missing

    def ends_of(self, places: Sequence[int]) -> Counter[datetime | None]:
        """How many of the usable rows at these places end when."""
        ends: Counter[datetime | None] = Counter()
        told = self.values[_ENDS]
        plain = [place for place in places if place not in self.alone] if self.alone else places
        if {datetime, type(None)}.issuperset(map(type, told)):
            ends.update(map(cast("list[datetime | None]", told).__getitem__, plain))
        else:
            ends.update(self._end(told[place], place) for place in plain)
        for place in self.alone.keys() & set(places):
            row = self.alone[place]
            ends[row.ends_at if isinstance(row, Row) else None] += 1
        return ends

    def _end(self, told: ColumnValue, place: int) -> datetime | None:
        """A day's end depends on the domain's registry."""
        if isinstance(told, datetime):
            return told
        return drop_end(told, self.domains[place]) if isinstance(told, date) else None


class BatchMapper:
    """Turns batches of records into batches of rows. `header` is that of a CSV, else None."""

    def __init__(self, spec: FeedSpec, header: Mapping[str, int] | None, zones: tuple[str, ...]) -> None:
        self.mapper = Mapper(spec, header, zones)
        self._zones = zones
        self._columns = _columns(spec, header)

    def map(
        self,
        lines: Sequence[int],
        cells: Cells,
        record: Callable[[int], Record],
        unreadable: Mapping[int, BadRow],
    ) -> Batch:
        """A batch of the records on these lines, `cells` of them by column; those `unreadable` are bad rows already.

        `record` gives one of them as a whole, for a sample of a bad row.
        """
        size = len(lines)
        nothing: list[ColumnValue] = [None] * size
        values = [one.read(cells, size) if one else nothing for one in self._columns]
        if not self.mapper.endless.isdisjoint(values[_TYPE]):
            values[_ENDS] = [
                None if kind in self.mapper.endless else end
                for kind, end in zip(values[_TYPE], values[_ENDS], strict=True)
            ]
        domains = plain_domains(values[_DOMAIN], self._zones)
        urls = self._urls(values[_URL], domains)
        keys: list[ColumnValue] = [
            told if told is not None else url or domain or ""
            for told, url, domain in zip(values[_KEY], urls, domains, strict=True)
        ]

        def written(place: int) -> dict[str, list[Json]]:
            named = zip(self.mapper.names, self._columns, strict=True)
            return {
                name: [cells(column)[place] for column in one.names]
                for name, one in named
                if one is not None and one.names
            }

        batch = Batch(
            lines,
            values,
            [domain or "" for domain in domains],
            [key if isinstance(key, str) else "" for key in keys],
            self.mapper,
            written,
            dict(unreadable),
        )
        for place in sorted(self._odd(values, domains, urls, keys).difference(batch.alone)):
            batch.alone[place] = self._alone(batch, place, record)
        return batch

    def map_objects(self, lines: Sequence[int], items: Sequence[JsonObject | Unreadable]) -> Batch:
        """A batch of JSON objects, or elements, by the numbers that they have in their file."""
        # A file may hold millions of objects without members: these are not looked at one by one.
        unreadable = {
            place: BadRow("unreadable", lines[place], sample(item.text.decode("utf-8", "replace")))
            if isinstance(item, Unreadable)
            else BadRow("domain_empty", lines[place], "{}")
            for place, item in enumerate(items)
            if isinstance(item, Unreadable) or not item
        }
        objects: list[JsonObject] = [{} if isinstance(item, Unreadable) else item for item in items]
        told = self._told_by_all(objects)

        def cells(name: str) -> Sequence[Json]:
            if name in told:
                return told[name]
            if "." in name:
                return [at_path(item, name) for item in objects]
            return [item.get(name) for item in objects]

        batch = self.map(lines, cells, objects.__getitem__, unreadable)
        batch.unread += [
            Unread(item.text.decode("utf-8", "replace"), True)
            for item in items
            if isinstance(item, Unreadable)
        ]
        return batch

    def _told_by_all(self, objects: Sequence[JsonObject]) -> dict[str, tuple[Json, ...]]:
        """The cells of the columns that every object has, as far as the first object tells which they are."""
        wanted = dict.fromkeys(name for one in self._columns if one is not None for name in one.names)
        names = [name for name in wanted if "." not in name and name in objects[0]]
        if len(names) < 2:
            return {}  # an itemgetter of one name gives no tuples
        try:
            return dict(zip(names, zip(*map(itemgetter(*names), objects), strict=True), strict=True))
        except KeyError:
            return {}

    def _urls(self, found: list[ColumnValue], domains: list[str | None]) -> list[ColumnValue]:
        if self.mapper.template is None:
            return found
        template = self.mapper.template
        return [template.replace("{domain}", domain or "") for domain in domains]

    def _odd(
        self,
        values: list[list[ColumnValue]],
        domains: list[str | None],
        urls: list[ColumnValue],
        keys: list[ColumnValue],
    ) -> set[int]:
        """The places of records that are not plain rows."""
        places = range(len(domains))
        odd = set(_where(domains, None))
        if own := self.mapper.own_endings:
            odd.update(place for place, domain in enumerate(domains) if domain and not domain.endswith(own))
        for one, found in zip(self._columns, values, strict=True):
            if one is not None and one.has_wrong:
                odd.update(_where(map(type, found), Wrong))
        for number in self.mapper.required:
            odd.update(_where(values[number], None))
        if self.mapper.needs_end and not RUNNING.isdisjoint(values[_TYPE]):
            odd.update(place for place in _where(values[_ENDS], None) if values[_TYPE][place] in RUNNING)
        if not {datetime, date, type(None)}.issuperset(map(type, values[_ENDS])):
            odd.update(place for place in places if not isinstance(values[_ENDS][place], date | None))
        if self.mapper.template is None and not plain_addresses(urls):
            odd.update(place for place in places if not plain_addresses(urls[place : place + 1]))
        odd.update(place for place, key in enumerate(keys) if not isinstance(key, str) or len(key) > MAX_KEY)
        return odd

    def _alone(self, batch: Batch, place: int, record: Callable[[int], Record]) -> Row | BadRow:
        line, notes = batch.lines[place], list(self.mapper.missing)
        values = [column[place] for column in batch.values]
        left_out: list[LeftOut] = []
        try:
            for number, name in enumerate(self.mapper.names):
                if isinstance(wrong := values[number], Wrong):
                    if name in ESSENTIAL:
                        raise UnusableRow(name)
                    left_out.append(LeftOut(name, sample(wrong.reason), sample(record(place))))
                    values[number] = None
            notes += [each.name for each in left_out]
            row = self.mapper.finish(line, values, notes)._replace(left_out=tuple(left_out))
        except UnusableRow as unusable:
            if isinstance(domain := values[_DOMAIN], str):
                batch.unread.append(Unread(domain, False))
            return BadRow(unusable.reason, line, sample(record(place)))
        batch.domains[place], batch.keys[place] = row.domain, row.key
        return row


def _where(found: Iterable[object], wanted: object) -> list[int]:
    """The places of one object."""
    return list(compress(count(), map(is_, found, repeat(wanted))))


def plain_addresses(urls: Sequence[ColumnValue]) -> bool:
    """Whether all addresses there are can be taken as they are. Some that can be are not plain."""
    if not {str, type(None)}.issuperset(map(type, urls)):
        return False
    texts = [url for url in urls if isinstance(url, str)]
    if not texts:
        return True
    together = "".join(texts)
    return (
        together.isprintable()
        and not any(sign in together for sign in _NOT_IN_ADDRESS)
        and all(map(_of_the_web, texts))
        and max(map(len, texts)) <= _ADDRESS_MOST
        and min(map(len, texts)) >= _ADDRESS_LEAST
    )
