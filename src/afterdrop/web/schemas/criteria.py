"""The filters as fields of queries, bodies and MCP arguments, made from `catalogue.lists.criteria`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from types import GenericAlias
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from afterdrop.catalogue.lists.criteria import CRITERIA, RULE_CRITERIA, Criterion, Place, Takes
from afterdrop.catalogue.status import BECAME, Became
from afterdrop.feeds.spec import Identifier, ListingType
from afterdrop.sources.metrics.values import TOPICS, Topic
from afterdrop.watching.desk_rules import BadEntry, tag_of
from afterdrop.web.schemas import patterns
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import RequestModel

Fields = dict[str, Any]
Absent = SkipJsonSchema[None]


class FilterQuery(RequestModel):
    """The base of models whose fields are filters, among others."""

    def asked(self) -> dict[str, Any]:
        """The filters that were given, by the names of criteria."""
        # Not by attribute: most models lack some of the filters, and Pydantic is slow to say so.
        given = self.__dict__
        return {name: value for name in CRITERIA if (value := given.get(name)) not in (None, [], ())}


def _once(values: list[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _plain(values: list[str]) -> list[str]:
    return _once([v.plain_text(value) for value in values])


def _parts(values: tuple[str, ...]) -> tuple[str, ...]:
    if any(len(value) > 60 for value in values):
        raise ValueError("should be words of at most 60 characters")
    return tuple(_plain([*values]))


def _identifiers(values: tuple[str, ...]) -> tuple[str, ...]:
    if not all(re.fullmatch(r"[a-z][a-z0-9_]{0,63}", value) for value in values):
        raise ValueError("must be names of marketplaces as the feeds give them")
    return values


def _places(values: tuple[str, ...]) -> tuple[str, ...]:
    if any(len(value) > 100 for value in values):
        raise ValueError("should be names of at most 100 characters")
    return tuple(_plain([*values]))


def _tags(values: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(tag_of(value) for value in values))
    except BadEntry as error:
        raise ValueError(error.message) from None


def _became(values: tuple[str, ...]) -> tuple[str, ...]:
    if not set(values) <= set(BECAME):
        raise ValueError(f"should be among {', '.join(BECAME)}")
    return values


def _day(value: object) -> date:
    try:
        day = date.fromisoformat(value if isinstance(value, str) and len(value) == 10 else "")
    except ValueError:
        raise ValueError("must be a date such as 2026-11-20") from None
    if not 1985 <= day.year < 9000:
        raise ValueError("must be a date from 1985 on")
    return day


Text60 = Annotated[str, Field(strict=True, min_length=1, max_length=60, pattern=patterns.TEXT)]
Part = Annotated[Text60, AfterValidator(v.plain_text)]
Extension = Annotated[
    str,
    Field(strict=True),
    AfterValidator(v.extension),
    WithJsonSchema({"type": "string", "pattern": patterns.EXTENSION}),
]
AnyCaseTopic = Annotated[
    str,
    Field(strict=True),
    AfterValidator(v.topic),
    WithJsonSchema(
        {"anyOf": [{"type": "string", "enum": list(TOPICS)}, {"type": "string", "pattern": patterns.TOPIC}]}
    ),
]
Code = Annotated[str, Field(strict=True), WithJsonSchema({"type": "string", "pattern": "^[A-Za-z]{2}$"})]
_Words = Annotated[tuple[str, ...], BeforeValidator(v.comma_list)]
_QUERY: Final[Mapping[str, Any]] = {
    "flag": v.QueryBool,
    "text": v.QueryText,
    "extensions": v.QueryExtensions,
    "types": v.QueryTypes,
    "topics": v.QueryTopics,
    "langs": v.QueryLangs,
    "sources": Annotated[_Words, AfterValidator(_identifiers)],
    "places": Annotated[_Words, AfterValidator(_places)],
    "tags": Annotated[_Words, AfterValidator(_tags)],
    "outcomes": Annotated[_Words, AfterValidator(_became)],
    "moment": v.QueryMoment,
    "day": Annotated[date, BeforeValidator(_day)],
}
# In JSON lists are arrays: the type of their items.
_ITEMS: Final[Mapping[str, Any]] = {
    "words": Text60,
    "extensions": Extension,
    "types": ListingType,
    "topics": AnyCaseTopic,
    "langs": v.Lang,
    "outcomes": Became,
    "sources": Annotated[Identifier, Field(strict=True)],
    "places": Annotated[str, Field(strict=True, min_length=1, max_length=100, pattern=patterns.TEXT)],
}
_SHOWN_ITEMS: Final[Mapping[str, Any]] = {"types": ListingType, "topics": Topic, "langs": v.Lang}


def query_fields(place: Place, beside: Place | None = None) -> Fields:
    """The filters of a query string; of a place those that `beside` does not have."""
    return {
        each.name: (_in_query(each.takes) | None, Field(default=None, description=_in_api(each)))
        for each in CRITERIA.values()
        if place in each.places and beside not in each.places
    }


def argument_fields() -> Fields:
    """The filters among the arguments of an MCP tool."""
    return {
        each.name: _field(_codes(each.takes) or _in_json(each.takes), each.takes, _about(each))
        for each in CRITERIA.values()
        if "mcp" in each.places
    }


def rule_fields() -> Fields:
    """The filters of an alert rule's body."""
    return {
        name: _field(_in_json(takes), takes, each.in_rule or _of_rule(each, takes))
        for name, each in RULE_CRITERIA.items()
        for takes in (each.of_rule,)
    }


def shown_rule_fields() -> Fields:
    """The filters of an alert rule as it is shown; an extension only where it restricts."""
    return {name: _shown(each.of_rule, each) for name, each in RULE_CRITERIA.items()}


def _shown(takes: Takes, each: Criterion) -> tuple[Any, Any]:
    plain: Mapping[str, Any] = {"number": int, "flag": bool, "text": str}
    kind = plain[takes.kind] if takes.kind in plain else _list_of(_SHOWN_ITEMS.get(takes.kind, str))
    if each.extension:
        return kind | Absent, Field(
            default=None, description=f"Extension: only if it restricts. {each.about}"
        )
    return (kind | None if takes.kind == "number" else kind), Field(description=each.about)


def _list_of(item: Any) -> Any:
    return GenericAlias(list, item)


def _in_query(takes: Takes) -> Any:
    if takes.kind == "number":
        return Annotated[int, Field(ge=takes.least, le=takes.most), BeforeValidator(v.digits)]
    if takes.kind == "words":
        pattern = patterns.word_list(takes.items)
        return Annotated[
            _Words, AfterValidator(_parts), AfterValidator(_at_most(takes.items)), v.described(pattern)
        ]
    if takes.kind == "extensions" and takes.items < patterns.MOST_ITEMS:
        pattern = patterns.extension_list(takes.items)
        return Annotated[
            _Words, AfterValidator(v.extensions), AfterValidator(_at_most(takes.items)), v.described(pattern)
        ]
    return _QUERY[takes.kind]


def _at_most(items: int) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    def checked(values: tuple[str, ...]) -> tuple[str, ...]:
        if len(values) > items:
            raise ValueError(f"should have at most {items} items")
        return values

    return checked


def _in_json(takes: Takes) -> Any:
    if takes.kind == "number":
        return Annotated[int, Field(ge=takes.least, le=takes.most), BeforeValidator(v.whole)]
    if takes.kind in _ITEMS:
        tidied = _plain if takes.kind == "words" else _once
        return Annotated[_list_of(_ITEMS[takes.kind]), Field(max_length=takes.items), AfterValidator(tidied)]
    return {"flag": v.BodyBool, "text": Part, "moment": v.QueryMoment}[takes.kind]


def _codes(takes: Takes) -> Any:
    """Languages by any code of two letters; alert rules know some languages."""
    if takes.kind != "langs":
        return None
    return Annotated[list[Code], Field(max_length=takes.items), AfterValidator(_two_letters)]


def _two_letters(values: list[str]) -> list[str]:
    return list(v.two_letters(tuple(values)))


def _field(kind: Any, takes: Takes, about: str) -> tuple[Any, Any]:
    if takes.many:
        return kind, Field(default=[], description=about)
    if takes.kind == "flag":
        return kind, Field(default=False, description=about)
    return kind | None, Field(default=None, description=about)


def bounds(takes: Takes) -> str:
    """The bounds of a number in words, where there are any worth a word."""
    return f", {takes.least}-{takes.most}" if takes.bounded else ""


def _in_api(each: Criterion) -> str:
    if each.extension:
        return f"Extension: {each.in_api or each.about + bounds(each.takes)}"
    return each.in_api or each.about + bounds(each.takes)


def _about(each: Criterion) -> str:
    return each.about + bounds(each.takes) + ("; empty = any" if each.takes.many else "")


def _of_rule(each: Criterion, takes: Takes) -> str:
    extension = "Extension: " if each.extension else ""
    nothing = "; empty = any" if takes.many else "; 0 or null = no limit" if takes.kind == "number" else ""
    return extension + each.about + nothing
