"""Many records to listings at once, by the same rules as single ones.

Pure. What all records of a batch need is done for the whole column. A record that is not plain (a wrong value, a host
name, an odd address) is finished alone by `mapping.Mapper`, which holds the
rules. A Row is made only of those asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import compress, repeat
from operator import is_, itemgetter, methodcaller
from typing import Any
from zoneinfo import ZoneInfo

from afterdrop.core.domain_names import plain_domains
from afterdrop.feeds.column_values import WRONG_VALUE, Cells, Column, column
from afterdrop.feeds.json_rows import Unreadable
from afterdrop.feeds.mapping import (
    ESSENTIAL,
    MAX_KEY,
    RUNNING,
    BadRow,
    Mapper,
    Row,
    UnusableRow,
    mapped_values,
    sample,
)
from afterdrop.feeds.record_values import by_path, code_value
from afterdrop.feeds.spec import FeedSpec
from afterdrop.metrics.model import Role
from afterdrop.registry.release_hours import drop_end

_ADDRESS_MOST, _ADDRESS_LEAST = 1990, 9
_NOT_IN_ADDRESS = tuple(" \"'<>\\^`{|}")
_of_the_web = methodcaller("startswith", ("https://", "http://"))
_DOMAIN, _TYPE, _KEY, _URL, _ENDS, _METRICS = 0, 1, 2, 3, 7, 8


@dataclass(slots=True)
class Batch:
    """Records in order. `alone` has those finished alone, by place; the others are plain rows in columns."""

    lines: Sequence[int]
    values: list[list[Any]]
    domains: list[str]
    keys: list[str]
    mapper: Mapper | None
    alone: dict[int, Row | BadRow] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    def row(self, place: int) -> Row | BadRow:
        """The record at a place as a row."""
        if self.mapper is None or place in self.alone:
            return self.alone[place]
        values = [column[place] for column in self.values]
        return self.mapper.finish(self.lines[place], values, list(self.mapper.missing))

    def metric_columns(self, roles: Collection[Role]) -> dict[Role, list[Any]]:
        """The columns of those of the `roles` that the feed has."""
        return {
            role: self.values[_METRICS + number]
            for number, role in enumerate(self.mapper.roles if self.mapper else ())
            if role in roles
        }

    def good_domains(self) -> list[str]:
        """The domains of the usable rows."""
        bad = {place for place, row in self.alone.items() if not isinstance(row, Row)}
        return [domain for place, domain in enumerate(self.domains) if place not in bad]

    @property
    def missing(self) -> tuple[str, ...]:
        """The notes of every plain row, for the columns that the file lacks."""
        return self.mapper.missing if self.mapper else ()

    def ends_of(self, places: Sequence[int]) -> Counter[datetime | None]:
        """How many of the usable rows at these places end when."""
        ends: Counter[datetime | None] = Counter()
        if self.values:
            told = self.values[_ENDS]
            plain = [place for place in places if place not in self.alone] if self.alone else places
            if {datetime, type(None)}.issuperset(map(type, told)):
                ends.update(map(told.__getitem__, plain))
            else:
                ends.update(self._end(told[place], place) for place in plain)
        for place in self.alone.keys() & set(places):
            row = self.alone[place]
            ends[row.ends_at if isinstance(row, Row) else None] += 1
        return ends

    def _end(self, told: Any, place: int) -> datetime | None:
        """A day's end depends on the domain's registry."""
        return told if told is None or isinstance(told, datetime) else drop_end(told, self.domains[place])


def batch_of(rows: Sequence[Row | BadRow]) -> Batch:
    """A batch of rows that were made one by one."""
    domains = [row.domain if isinstance(row, Row) else "" for row in rows]
    keys = [row.key if isinstance(row, Row) else "" for row in rows]
    return Batch([row.line for row in rows], [], domains, keys, None, dict(enumerate(rows)))


class BatchMapper:
    """Turns batches of records into batches of rows. `columns` is the header of a CSV, else None."""

    def __init__(self, spec: FeedSpec, columns: Mapping[str, int] | None, zones: tuple[str, ...]) -> None:
        self.mapper = Mapper(spec, columns, zones)
        self._zones = zones
        zone = ZoneInfo(spec.zone)
        self._columns: list[Column | None] = []
        for source, reader in mapped_values(spec):
            price = [spec.fields.price] if getattr(reader, "func", None) is code_value else []
            sources = [one for one in (source, *price) if one is not None]
            self._columns.append(column(reader, sources, columns, zone) if source is not None else None)

    def map(
        self,
        lines: Sequence[int],
        cells: Cells,
        record: Callable[[int], Any],
        alone: dict[int, Row | BadRow] | None = None,
    ) -> Batch:
        """A batch of the records on these lines, `cells` of them by column. `alone` are finished already.

        `record` gives one of them as a whole, for a sample of a bad row.
        """
        size = len(lines)
        values = [one.read(cells, size) if one else [None] * size for one in self._columns]
        domains = plain_domains(values[_DOMAIN], self._zones)
        urls = self._urls(values[_URL], domains)
        keys = [
            told if told is not None else url or domain or ""
            for told, url, domain in zip(values[_KEY], urls, domains, strict=True)
        ]
        batch = Batch(
            lines, values, [domain or "" for domain in domains], keys, self.mapper, dict(alone or {})
        )
        for place in sorted(self._odd(values, domains, urls, keys).difference(batch.alone)):
            batch.alone[place] = self._alone(batch, place, record)
        return batch

    def map_objects(self, first: int, items: Sequence[dict[str, Any] | Unreadable]) -> Batch:
        """A batch of JSON objects, the first of which is the file's `first`."""
        alone: dict[int, Row | BadRow] = {}
        if not {dict}.issuperset(map(type, items)):
            for place, item in enumerate(items):
                if isinstance(item, Unreadable):
                    alone[place] = BadRow(
                        "unreadable", first + place, sample(item.sample.decode("utf-8", "replace"))
                    )
        objects: list[dict[str, Any]] = [{} if isinstance(item, Unreadable) else item for item in items]
        told = self._told_by_all(objects)

        def cells(name: str) -> Sequence[Any]:
            if name in told:
                return told[name]
            if "." in name:
                return list(map(by_path(name), objects))
            return [item.get(name) for item in objects]

        return self.map(range(first, first + len(items)), cells, objects.__getitem__, alone)

    def _told_by_all(self, objects: Sequence[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
        """The cells of the columns that every object has, as far as the first object tells which they are."""
        wanted = dict.fromkeys(name for one in self._columns if one is not None for name in one.names)
        names = [name for name in wanted if "." not in name and name in objects[0]]
        if len(names) < 2:
            return {}  # an itemgetter of one name gives no tuples
        try:
            return dict(zip(names, zip(*map(itemgetter(*names), objects), strict=True), strict=True))
        except KeyError:
            return {}

    def _urls(self, found: list[Any], domains: list[str | None]) -> list[Any]:
        if self.mapper.template is None:
            return found
        template = self.mapper.template
        return [template.replace("{domain}", domain or "") for domain in domains]

    def _odd(
        self, values: list[list[Any]], domains: list[str | None], urls: list[Any], keys: list[Any]
    ) -> set[int]:
        """The places of records that are not plain rows."""
        places = range(len(domains))
        odd = set(_where(domains, None))
        for one, found in zip(self._columns, values, strict=True):
            if one is not None and one.has_wrong:
                odd.update(_where(found, WRONG_VALUE))
        for number in self.mapper.required:
            odd.update(_where(values[number], None))
        if self.mapper.needs_end and not RUNNING.isdisjoint(values[_TYPE]):
            odd.update(place for place in _where(values[_ENDS], None) if values[_TYPE][place] in RUNNING)
        if not {datetime, date, type(None)}.issuperset(map(type, values[_ENDS])):
            odd.update(place for place in places if not isinstance(values[_ENDS][place], date | None))
        if self.mapper.template is None and not plain_addresses(urls):
            odd.update(place for place in places if not plain_addresses(urls[place : place + 1]))
        if not {str}.issuperset(map(type, keys)) or max(map(len, keys), default=0) > MAX_KEY:
            odd.update(
                place for place in places if type(keys[place]) is not str or len(keys[place]) > MAX_KEY
            )
        return odd

    def _alone(self, batch: Batch, place: int, record: Callable[[int], Any]) -> Row | BadRow:
        line, notes = batch.lines[place], list(self.mapper.missing)
        values = [column[place] for column in batch.values]
        try:
            for number, name in enumerate(self.mapper.names):
                if values[number] is WRONG_VALUE:
                    if name in ESSENTIAL:
                        raise UnusableRow(name)
                    notes.append(name)
                    values[number] = None
            row = self.mapper.finish(line, values, notes)
        except UnusableRow as unusable:
            return BadRow(unusable.reason, line, sample(record(place)))
        batch.domains[place], batch.keys[place] = row.domain, row.key
        return row


def _where(found: Sequence[Any], wanted: object) -> list[int]:
    """The places of one object."""
    return list(compress(range(len(found)), map(is_, found, repeat(wanted))))


def plain_addresses(urls: Sequence[Any]) -> bool:
    """Whether all addresses there are can be taken as they are. Some that can be are not plain."""
    texts = [url for url in urls if url is not None] if None in urls else urls
    if not texts:
        return True
    if not {str}.issuperset(map(type, texts)):
        return False
    together = "".join(texts)
    return (
        together.isprintable()
        and not any(sign in together for sign in _NOT_IN_ADDRESS)
        and all(map(_of_the_web, texts))
        and max(map(len, texts)) <= _ADDRESS_MOST
        and min(map(len, texts)) >= _ADDRESS_LEAST
    )
