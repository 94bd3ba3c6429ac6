"""Filters that somebody types into the search box of a list: `dr>30 lang:de,en price<300 -casino garden`. Pure.

The words follow the names of the filters (`catalogue.lists.criteria`): what has a least value takes `>` and `>=`, what
has a most `<` and `<=`, lists and texts take `:` or `=`. A word like a filter that is none is not searched for: the
page says so. All other words are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import create_model

from afterdrop.catalogue.lists.comparisons import EndsWithin
from afterdrop.catalogue.lists.criteria import CRITERIA, Criterion
from afterdrop.review.page.language import language_code
from afterdrop.sources.metrics.values import TOPICS
from afterdrop.web.problems import Invalid
from afterdrop.web.schemas.criteria import FilterQuery, query_fields
from afterdrop.web.strict_input import validated

_FILTER: Final = re.compile(r"(-?)([^\W\d][\w-]{0,29}+|)(>=|<=|[<>:=])(.*+)")
_NUMBER: Final = re.compile(r"\$?([0-9][0-9,]{0,14}+(?:\.[0-9]{1,9}+)?+)([khdw]?)")
_LEFT_OUT: Final = re.compile(r"-(\w[^:,<>=]*+)")
_LIMITS: Final = re.compile(r",? (?:from|up to)\b.*+")
# What people say for a filter's own word. A price needs none: <$300.
_SAID: Final[Mapping[str, tuple[str, ...]]] = {
    "ref_domains": ("rd", "refs", "links", "domains", "backlinks"),
    "live_links": ("live", "alive", "still", "still_there"),
    "ending_within_hours": ("ends", "end", "ending", "left", "hours"),
    "price": ("", "usd", "cost"),
    "archive_years": ("years",),
    "length": ("len", "chars", "letters"),
    "first_year": ("first", "year"),
    "searches": ("volume", "search"),
    "valuation": ("worth", "value", "appraisal"),
    "trust_ratio": ("ratio",),
    "last_owner_links": ("owner",),
    "extensions_taken": ("taken",),
    "tld": ("ext", "extension", "extensions"),
    "lang": ("language", "languages"),
    "topic": ("topics",),
    "tag": ("tags",),
    "type": ("listing",),
    "marketplace": ("market", "at"),
    "since": ("found", "new"),
    "starts_with": ("starts", "prefix"),
    "ends_with": ("suffix",),
    "exclude": ("without", "not"),
}
# What a number may end with, and how often that is one of the filter's own.
_UNITS: Final[Mapping[bool, Mapping[str, int]]] = {
    False: {"": 1, "k": 1000},
    True: {"": 1, "h": 1, "d": 24, "w": 168},
}
_MOST_TOLD: Final = 5
_MOST_SHOWN: Final = 40


class Unread(NamedTuple):
    """A word that looks like a filter and is none: the fault of one whose word is known, and what could stand there."""

    token: str
    why: str
    instead: str


class Typed(NamedTuple):
    """The typed query: the text that is searched for, the filters by their names, and what is neither."""

    q: str
    filters: dict[str, str]
    unread: tuple[Unread, ...] = ()

    @property
    def left(self) -> str:
        """The words that stay in the box: what is searched for, and what was not understood."""
        return " ".join(filter(None, (self.q, *(each.token for each in self.unread))))


def typed_query(text: str) -> Typed:
    """Take the filters out of a search. The same filter typed twice has its last value; lists are joined."""
    left: list[str] = []
    filters: dict[str, str] = {}
    unread: list[str] = []
    for token in text.split():
        word = token.lower()
        found = _read(word)
        if found is None:
            (unread if _like_a_filter(word) else left).append(token)
            continue
        name, value = found
        if CRITERIA[name].takes.many and name in filters:
            value = f"{filters[name]},{value}"
        filters[name] = value
    told = [_unread(token) for token in unread[:_MOST_TOLD]]
    told += [Unread(token, "", "") for token in unread[_MOST_TOLD:]]
    return Typed(" ".join(left), filters, tuple(told))


def _read(word: str) -> tuple[str, str] | None:
    """The filter and its value; None for what is none, or has a value that the filter does not take."""
    if match := _LEFT_OUT.fullmatch(word):
        name, value = "exclude", match[1]
    elif match := _FILTER.fullmatch(word):
        without, said, sign, value = match.groups()
        if said == "is" and sign == ":" and not without:
            return (value, "true") if value in _FLAGS else None
        name = _BY_WORD.get((said.replace("-", "_"), without + _sign(sign)), "")
        value = _value(CRITERIA[name], sign, value) if name else ""
    else:
        return None
    return (name, value) if value and _fault(name, value) is None else None


def _sign(sign: str) -> str:
    return ":" if sign == "=" else sign[0]


def _value(filter_: Criterion, sign: str, text: str) -> str:
    """The value as an address has it; empty where there is none."""
    if filter_.takes.kind == "langs":
        return ",".join(map(language_code, text.split(",")))
    if filter_.takes.kind != "number":
        return text
    timed = isinstance(filter_.test, EndsWithin)
    match = _NUMBER.fullmatch(text)
    if match is None or match[2] not in _UNITS[timed]:
        return ""
    number = float(match[1].replace(",", "")) * _UNITS[timed][match[2]]
    # Values are whole: more than 30 is from 31, and less than 300 up to 299. Time runs on: there it is no matter.
    whole = int(number)
    if sign == ">":
        whole += 1
    elif sign == "<" and whole == number and not timed:
        whole -= 1
    return str(max(whole, 0))


def _fault(name: str, value: str) -> str | None:
    """Why the filter does not take the value, as the API says it."""
    try:
        validated({name: value}, _Values, {})
    except Invalid as error:
        return next(iter((error.fields or {}).values()))[0]
    return None


def _like_a_filter(word: str) -> bool:
    match = _FILTER.fullmatch(word)
    if match is None:
        return word.startswith("$") and len(word) > 1
    _, said, sign, value = match.groups()
    if not value:
        return said in _WORDS and said != ""
    return not value.startswith("//") and (said != "" or sign[0] in "<>")


def _unread(token: str) -> Unread:
    word = token.lower()
    match = _FILTER.fullmatch(word)
    if match is None:
        return Unread(token, "", f"<={word}" if _read(f"<={word}") else "")
    without, said, sign, value = match.groups()
    names = _WORDS.get(said.replace("-", "_"))
    if names and without:
        return Unread(token, "only extensions and words can be left out", "")
    if names:
        name = names.get(_sign(sign)) or next(iter(names.values()))
        return Unread(token, _takes(name, value), EXAMPLES[name])
    if said == "is":
        return Unread(token, "", f"is:{min(_FLAGS, key=lambda flag: _distance(flag, value))}")
    near = sorted(_NAMED, key=lambda each: _distance(each, said))
    others = (f"{without}{each}{sign}{value}" for each in near)
    return Unread(token, "", next((each for each in others if len(each) <= _MOST_SHOWN and _read(each)), ""))


def _takes(name: str, value: str) -> str:
    """The values that a filter takes, in a few words."""
    filter_ = CRITERIA[name]
    title = _LIMITS.sub("", filter_.title)
    if filter_.takes.kind == "number":
        bounds = f" from {filter_.takes.least} to {filter_.takes.most}" if filter_.takes.bounded else ""
        return f"{title} takes a number{bounds}"
    return f"{title} {_fault(name, value) or 'is written another way'}"


def _distance(one: str, other: str) -> int:
    """How many letters to put in, take out or change make one word the other (Levenshtein)."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for place, another in enumerate(other, 1):
            before, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, before + (letter != another)),
            )
    return row[-1]


def _words() -> dict[tuple[str, str], str]:
    found = {("tld", "-:"): "exclude_tld"}
    for each in _ON_SITE:
        bare = each.name.removeprefix("min_").removeprefix("max_")
        sign = ":" if each.takes.kind != "number" else ">" if each.name.startswith("min_") else "<"
        for word in (bare, *_SAID.get(bare, ())):
            found[word, sign] = each.name
    return found | {(word, "-:"): "exclude_tld" for word in _SAID["tld"]}


def _example(filter_: Criterion) -> str:
    """A filter as people type it: `dr>20`."""
    word, sign = next(key for key in (*_SHORT, *_BY_WORD) if _BY_WORD.get(key) == filter_.name)
    value = _TYPICAL.get(filter_.takes.kind) or (filter_.example or "20").split(",")[0]
    return f"{sign[:-1]}{word}{sign[-1]}{filter_.steps[1] if filter_.steps else value}"


if TYPE_CHECKING:
    _Values = FilterQuery
else:
    _Values = create_model("_Values", __base__=FilterQuery, **query_fields("site"))
_ON_SITE: Final = [
    each
    for each in CRITERIA.values()
    if "site" in each.places and each.takes.kind != "flag" and each.name != "q"
]
_FLAGS: Final = [
    each.name for each in CRITERIA.values() if "site" in each.places and each.takes.kind == "flag"
]
_BY_WORD: Final = _words()
_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    word: {sign: name for (said, sign), name in _BY_WORD.items() if said == word} for word, _ in _BY_WORD
}
_NAMED: Final = [word for word in _WORDS if word]
# The words that examples are written with, where those are not the filter's own.
_SHORT: Final = [
    (word, sign) for word, sign in (("rd", ">"), ("live", ">"), ("ends", "<"), ("years", ">"), ("first", "<"))
]
_TYPICAL: Final[Mapping[str, str]] = {
    **{
        "langs": "de",
        "topics": TOPICS[0].lower(),
        "types": "auction",
        "sources": "dropcatch",
        "places": "dropcatch",
    },
    **{"outcomes": "caught", "text": "my", "day": "2026-11-20"},
}
# Each filter that can be typed, by its name, as an example.
EXAMPLES: Final[Mapping[str, str]] = {each.name: _example(each) for each in _ON_SITE}
# What is suggested while somebody types, and what it is.
SUGGESTIONS: Final = [
    *((EXAMPLES[each.name], each.title) for each in _ON_SITE),
    *((f"is:{name}", CRITERIA[name].title) for name in _FLAGS),
]
