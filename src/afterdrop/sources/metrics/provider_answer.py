"""Reading a provider's answer: from its bytes to clean values by name. Pure.

Odd data becomes a note, a wrong answer a fault in words. Values belong to the domain that the answer states, never to
a position, except where the provider's file says `order = true`; an item with another stated domain is then dropped.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, cast

import jmespath
import orjson
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from afterdrop.core.domain_names import host_name
from afterdrop.core.errors import BadName
from afterdrop.core.json_values import Json
from afterdrop.sources.metrics.model import Role, Value
from afterdrop.sources.metrics.provider_spec import AnswerSpec, FaultSpec, FoundSpec, ProviderFile
from afterdrop.sources.metrics.values import read_value, shown

_MAX_NOTES: Final = 20
_MAX_MESSAGE: Final = 200
# An answer about none of so many names is none, nor one about the first alone where chance has not this many ways.
_MANY: Final = 5
_WAYS: Final = 20


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """The content of one answer.

    `values` has the clean values by role of the names found (possibly none). `not_found` are names that the provider
    does not know. A name in neither was not answered. `fault` says why the answer as a whole is unusable; `reported`
    that the provider says so itself. `items` are the parts of the answer about the names found, as the provider wrote
    them.
    """

    values: Mapping[str, Mapping[Role, Value]] = field(default_factory=dict)
    not_found: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    fault: str | None = None
    reported: bool = False
    items: Mapping[str, Json] = field(default_factory=dict, repr=False)


class _Unusable(Exception):
    """The answer as a whole is unusable."""


class _Reported(_Unusable):
    """The provider itself says so."""


def read_answer(file: ProviderFile, body: bytes, asked: Sequence[str]) -> ProviderAnswer:
    """Read `body`, the body of a successful HTTP answer about the names `asked`."""
    notes: list[str] = []
    try:
        document = _document(file, body, asked)
        if document is None:
            return ProviderAnswer(not_found=frozenset(asked))
        pairs = list(_pairs(file.answer, document, asked, notes))
        notes += _item_errors(file.answer, document)
    except _Unusable as fault:
        return ProviderAnswer(fault=str(fault), reported=isinstance(fault, _Reported))
    values: dict[str, Mapping[Role, Value]] = {}
    items: dict[str, Json] = {}
    not_found: set[str] = set()
    for domain, item in pairs:
        known = _is_known(file.answer.found, item)
        if domain in values or domain in not_found:
            notes.append(f"answers for {domain} twice; the first one counts")
        elif known is None:
            notes.append(f"{domain}: says neither that it is known nor that it is not")
        elif known:
            clean: dict[Role, Value] = {}
            for role, path in file.metrics.items():
                value, note = read_value(role, _at(path, item))
                if value is not None:
                    clean[role] = value
                if note is not None:
                    notes.append(f"{domain}: {note}")
            values[domain], items[domain] = clean, item
        else:
            not_found.add(domain)
    unanswered = [domain for domain in asked if domain not in values and domain not in not_found]
    if file.answer.absent_is_not_found:
        if _cut_short(asked, unanswered):
            return ProviderAnswer(
                fault=f"answers for {len(asked) - len(unanswered)} of {len(asked)} names: it is cut short"
            )
        not_found.update(unanswered)
    elif unanswered:
        notes.append(f"{len(unanswered)} of {len(asked)} names were not answered")
    return ProviderAnswer(values, frozenset(not_found), tuple(notes[-_MAX_NOTES:]), items=items)


def _cut_short(asked: Sequence[str], unanswered: Sequence[str]) -> bool:
    """Whether the names that an answer leaves out are too many, or too much the last ones, to be just unknown."""
    lacking, size = len(unanswered), len(asked)
    if lacking == size:
        return size >= _MANY
    last = list(unanswered) == list(asked[size - lacking :])
    return lacking > 1 and last and math.comb(size, lacking) >= _WAYS


def raw_values(file: ProviderFile, item: Json) -> dict[Role, Json]:
    """The provider's values where the file looks for each role; None where there is nothing."""
    return {role: _at(path, item) for role, path in file.metrics.items()}


def _item_errors(answer: AnswerSpec, document: Json) -> Iterator[str]:
    if answer.item_errors is None:
        return
    items = _at(answer.item_errors.items, document)
    for item in items[:_MAX_NOTES] if isinstance(items, list) else ():
        name, said = _at(answer.item_errors.key, item), _at(answer.item_errors.message, item)
        yield f"{shown(name)} was not answered: {shown(said)}"


def _document(file: ProviderFile, body: bytes, asked: Sequence[str]) -> Json:
    """The document; None when the provider does not know the names. About one name it must have a value or say so."""
    document = _decode(file.answer, body, asked)
    if document is None or file.answer.items is not None:
        return document
    known = _is_known(file.answer.found, document)
    empty = all(value in (None, "") for value in raw_values(file, document).values())
    if known is False or (known and not empty):
        return document
    if known and file.answer.absent_is_not_found:
        return None
    raise _Unusable("the answer has nothing where its values should be")


def _decode(answer: AnswerSpec, body: bytes, asked: Sequence[str]) -> Json:
    """The document; None when the provider says in words that it knows nothing."""
    text = body.decode("utf-8-sig", errors="replace")
    for fault in answer.error:
        if fault.prefix and text.lstrip().startswith(fault.prefix):
            return _reported(fault, text.strip(), asked)
    if answer.format == "csv":
        try:
            rows: list[Json] = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=answer.delimiter))
        except csv.Error as error:
            raise _Unusable(f"the answer is not CSV ({error})") from None
        if not rows:
            raise _Unusable("the answer has no row")
        return rows
    document = _json(body)
    if document is None:
        raise _Unusable("the answer is null")
    for fault in answer.error:
        state = _at(fault.path, document) if fault.path is not None else None
        if fault.path is not None and (state not in fault.ok if fault.ok else state):
            said = _at(fault.message, document) if fault.message else None
            return _reported(fault, said if isinstance(said, str) and said else shown(state), asked)
    return document


def _json(body: bytes) -> Json:
    """The JSON of an answer. NaN and Infinity, which JSON has not, are texts: they cost their value alone."""
    try:
        return cast("Json", orjson.loads(body))
    except orjson.JSONDecodeError as error:
        why = error
    try:
        return cast("Json", json.loads(body, parse_constant=str))
    except (ValueError, RecursionError):
        raise _Unusable(f"the answer is not JSON ({why})") from None


def _reported(fault: FaultSpec, said: str, asked: Sequence[str]) -> Json:
    """None where a fault says that nothing is known; every other fault is raised. The words of a name say nothing."""
    names = "|".join(re.escape(name) for name in sorted(asked, key=len, reverse=True))
    for words in fault.not_found:
        if words in said and words in re.sub(names, "…", said, flags=re.IGNORECASE):
            return None
    line = " ".join(said.split())[:_MAX_MESSAGE]
    raise _Reported(f"the answer reports an error: {line if line.isprintable() else shown(line)}")


def _pairs(
    answer: AnswerSpec, document: Json, asked: Sequence[str], notes: list[str]
) -> Iterator[tuple[str, Json]]:
    if answer.items is None:
        yield asked[0], document
        return
    items = _at(answer.items, document)
    if not isinstance(items, list):
        raise _Unusable(f"the answer has no list at {answer.items}")
    if answer.order and len(items) != len(asked):
        raise _Unusable(
            f"the answer has {len(items)} items for {len(asked)} names, so none can be told apart"
        )
    wanted = frozenset(asked)
    for number, item in enumerate(items):
        stated = _at(answer.key, item) if answer.key else None
        if answer.order:
            domain: str | None = asked[number]
            if stated is not None and _asked_as(_name(stated), wanted) != domain:
                notes.append(f"item {number} is about {shown(stated)}, not {domain}")
                continue
        else:
            domain = _asked_as(_name(stated), wanted)
        if domain is None or domain not in wanted:
            notes.append(f"answers for {shown(stated)}, which was not asked")
        else:
            yield domain, item


def _asked_as(host: str | None, wanted: frozenset[str]) -> str | None:
    """The name that was asked, for a provider that answers with the `www.` host of its site."""
    bare = host.removeprefix("www.") if host else None
    return bare if host not in wanted and bare in wanted else host


def _name(stated: object) -> str | None:
    if not isinstance(stated, str):
        return None
    host = stated.strip().removeprefix("https://").removeprefix("http://").partition("/")[0]
    try:
        return host_name(host)
    except BadName:
        return None


def _is_known(found: FoundSpec | None, item: Json) -> bool | None:
    """Whether the provider knows the item's name; None where the item says neither, as an error of one name does."""
    if found is None:
        return True
    state = _at(found.path, item)
    if state in found.values:
        return True
    if state in found.unknown:
        return False
    return None if found.values and found.unknown else not found.values


def _at(path: str, document: Json) -> Json:
    try:
        value: Json = _compiled(path).search(document)
    except JMESPathError:
        return None  # a function in the path got a value of the wrong type: there is no value
    return value


@lru_cache(maxsize=256)
def _compiled(path: str) -> ParsedResult:
    return jmespath.compile(path)
