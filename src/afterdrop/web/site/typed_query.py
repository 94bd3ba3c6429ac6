"""Filters that somebody types into the search box of a list: `dr>30 lang:de,en price<300 -casino garden`. Pure.

The words follow the names of the filters (`catalogue.lists.criteria`): what has a least value takes `>` and `>=`, what
has a most `<` and `<=`, lists take `:`. What is no filter stays what is searched for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from afterdrop.catalogue.lists.criteria import CRITERIA
from afterdrop.review.page.language import language_code

_COMPARED: Final = re.compile(r"([a-z_]*)(>=|<=|>|<)\$?([0-9][0-9,]{0,14}(?:\.[0-9]{1,9})?)(k?)")
_LISTED: Final = re.compile(r"(-?)([a-z_]+):(.+)")
_LEFT_OUT: Final = re.compile(r"-(\w[^:,]*)")
# What people say for a filter's own word. A price needs none: <$300.
_SAID: Final[Mapping[str, str]] = {
    **dict.fromkeys(("rd", "refs", "links", "domains"), "ref_domains"),
    **{"": "price", "years": "archive_years", "len": "length", "first": "first_year", "volume": "searches"},
    **dict.fromkeys(("ext", "extension", "extensions"), "tld"),
    **{"language": "lang", "languages": "lang", "topics": "topic", "tags": "tag", "worth": "valuation"},
}


class Typed(NamedTuple):
    """What was typed: the text that is left to be searched for, and the filters by their names."""

    q: str
    filters: dict[str, str]


def typed_query(text: str) -> Typed:
    """Take the filters out of a search. The same filter typed twice has its last value; lists are joined."""
    left: list[str] = []
    filters: dict[str, str] = {}
    for word in text.split():
        found = next(filter(None, (read(word.lower()) for read in _READERS)), None)
        if found is None:
            left.append(word)
            continue
        name, value = found
        if CRITERIA[name].takes.many and name in filters:
            value = f"{filters[name]},{value}"
        filters[name] = value
    return Typed(" ".join(left), filters)


_Found = tuple[str, str] | None


def _compared(word: str) -> _Found:
    match = _COMPARED.fullmatch(word)
    if match is None:
        return None
    said, sign, digits, thousand = match.groups()
    name = f"{'min' if sign[0] == '>' else 'max'}_{_SAID.get(said, said)}"
    if name not in _ON_SITE:
        return None
    number = float(digits.replace(",", "")) * (1000 if thousand else 1)
    # Values are whole: more than 30 is from 31, and less than 300 up to 299.
    whole = int(number)
    if sign == ">":
        whole += 1
    elif sign == "<" and whole == number:
        whole -= 1
    return name, str(max(whole, 0))


def _listed(word: str) -> _Found:
    match = _LISTED.fullmatch(word)
    if match is None:
        return None
    without, said, value = match.groups()
    if said == "is" and not without:
        return (value, "true") if value in _FLAGS else None
    name = _SAID.get(said, said)
    if without:
        return ("exclude_tld", value) if name == "tld" else None
    if name not in _ON_SITE or not CRITERIA[name].takes.many or name.startswith("exclude"):
        return None
    if name == "lang":
        value = ",".join(map(language_code, value.split(",")))
    return name, value


def _left_out(word: str) -> _Found:
    match = _LEFT_OUT.fullmatch(word)
    return None if match is None else ("exclude", match[1])


_ON_SITE: Final = frozenset(each.name for each in CRITERIA.values() if "site" in each.places)
_FLAGS: Final = frozenset(name for name in _ON_SITE if CRITERIA[name].takes.kind == "flag")
_READERS: Final[tuple[Callable[[str], _Found], ...]] = (_compared, _listed, _left_out)
