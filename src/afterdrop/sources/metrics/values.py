"""Reading metric values: from what a feed or vendor wrote to a clean value of a role, or a sentence that says why not.

Pure. Vendors send numbers as text, -1 for unknown, lists with holes and hostile strings. None of that raises.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from decimal import Decimal
from typing import Final, Literal, get_args

from afterdrop.core.domain_names import host_name, registrable_domain
from afterdrop.core.errors import BadName
from afterdrop.core.safe_text import one_line
from afterdrop.core.web_addresses import web_address
from afterdrop.sources.metrics.model import (
    ADULT,
    ANCHORS,
    AUTHORITY_SCORE,
    CITATION_FLOW,
    COST_PER_CLICK,
    DOMAIN_AUTHORITY,
    DOMAIN_RATING,
    LINK_RANK,
    LINKS,
    PAGERANK,
    TOP_REFERRING_DOMAINS,
    TOPIC,
    TOPICAL_TRUST_FLOW,
    TRUST_FLOW,
    VALUATION,
    Role,
    Value,
)

Topic = Literal[
    "Arts",
    "Business",
    "Computers",
    "Games",
    "Health",
    "Home",
    "News",
    "Recreation",
    "Reference",
    "Regional",
    "Science",
    "Shopping",
    "Society",
    "Sports",
]
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)
# The upper ends of the scales. Every other numeric role is a count.
_SCALES: Final[Mapping[Role, int]] = {
    DOMAIN_RATING: 100,
    TRUST_FLOW: 100,
    CITATION_FLOW: 100,
    AUTHORITY_SCORE: 100,
    DOMAIN_AUTHORITY: 100,
    PAGERANK: 10,
    LINK_RANK: 100,
}
_WHOLE_SCALES: Final = frozenset(
    {DOMAIN_RATING, TRUST_FLOW, CITATION_FLOW, AUTHORITY_SCORE, DOMAIN_AUTHORITY}
)
# Amounts of US dollars, and how many decimals are kept.
_AMOUNTS: Final[Mapping[Role, int]] = {VALUATION: 0, COST_PER_CLICK: 2}
_MAX_COUNT: Final = 10**12
_MAX_ITEMS: Final = 100
_UNKNOWN: Final = frozenset({"", "-", "--", "n/a", "na", "null", "none"})
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,18})?", re.ASCII)

_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_SHORT.maxlevel = 2
_SHORT.maxlist = _SHORT.maxdict = 3

Read = tuple[Value | None, str | None]
_Item = str | Mapping[str, str | int | bool | None]


def read_value(role: Role, raw: object) -> Read:
    """A value and None; two Nones when the source says that it does not know; or None and a note for a wrong value.

    Not known are null, an empty text, a dash, and any negative number. Values beyond the end of their scale, and
    counts beyond 10^12, are wrong. Lists keep at most 100 well-formed items; texts keep 200 characters, without
    control characters.
    """
    if raw is None or (isinstance(raw, str) and raw.strip().lower() in _UNKNOWN):
        return None, None
    reader = _LISTS.get(role)
    if reader is not None:
        return reader(role, raw)
    if role == TOPIC:
        if not isinstance(raw, str):
            return None, f"topic: {shown(raw)} is not a text"
        parent = raw.partition("/")[0].strip().capitalize()
        # Categories beyond the fourteen (World, Adult, Kids and Teens) exist, but are no topics of the interface.
        return (parent, None) if parent in TOPICS else (None, None)
    if role == ADULT:
        return (
            (int(raw), None) if isinstance(raw, bool) else (None, f"adult: {shown(raw)} is not true or false")
        )
    return _figure(role, raw)


def shown(raw: object) -> str:
    """A raw value for a note: quoted, on one line, at most 63 characters."""
    text = _SHORT.repr(one_line(raw) if isinstance(raw, str) else raw)
    return text if len(text) <= 62 else text[:60] + "..."


def _figure(role: Role, raw: object) -> Read:
    number = _number(raw)
    if number is None:
        return None, f"{role}: {shown(raw)} is not a number"
    if number < 0:
        return None, None
    most = _SCALES.get(role, _MAX_COUNT)
    if number > most:
        return None, f"{role}: {shown(raw)} is beyond {most:,}"
    if role in _WHOLE_SCALES:
        return math.floor(number + 0.5), None
    if role in _SCALES:
        return round(float(number), 2), None
    if role in _AMOUNTS:
        amount = math.floor(number * 10 ** _AMOUNTS[role] + 0.5) / 10 ** _AMOUNTS[role]
        return amount if _AMOUNTS[role] else int(amount), None
    if number != int(number):
        return None, f"{role}: {shown(raw)} is not a whole number"
    return int(number), None


def _number(raw: object) -> int | float | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return raw
    if isinstance(raw, float | Decimal):
        return float(raw) if math.isfinite(raw) else None
    if isinstance(raw, str) and _NUMBER.fullmatch(raw.strip()):
        text = raw.strip().replace(",", "")
        return float(text) if "." in text else int(text)
    return None


def _referrers(role: Role, raw: object) -> Read:
    parts = raw.split(",") if isinstance(raw, str) else raw
    return _list(role, parts, _referrer)


def _referrer(item: object) -> str | None:
    if not isinstance(item, str):
        return None
    with suppress(BadName):
        return host_name(item)
    with suppress(BadName):  # a host that no domain name is spelled like
        return registrable_domain(item)
    return None


def _anchors(role: Role, raw: object) -> Read:
    return _list(role, raw, _anchor)


def _anchor(item: object) -> dict[str, str | int] | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
        return None
    count = _number(item.get("referring_domains"))
    if count is None or not 0 <= count <= _MAX_COUNT:
        return None
    return {"text": one_line(item["text"]), "referring_domains": int(count)}


def _links(role: Role, raw: object) -> Read:
    return _list(role, raw, _link)


def _link(item: object) -> dict[str, str | int | bool | None] | None:
    """One link. It comes from a host or from a page; a date may have a time, which is left out.

    `rating` is the linking site's or page's, 0-100; an index says that a link is `nofollow`, or that it is `follow`.
    """
    if not isinstance(item, Mapping) or not isinstance(source := item.get("from"), str):
        return None
    host = source.partition("://")[2].partition("/")[0] or source.partition("/")[0]
    domain = _referrer(re.sub(r":\d*$", "", host))
    text, target = item.get("text"), item.get("target")
    if domain is None:
        return None
    return {
        "domain": domain,
        "page": source if "://" in source and web_address(source) else None,
        "rating": _rating(item.get("rating")),
        "nofollow": _nofollow(item.get("nofollow"), item.get("follow")),
        "text": one_line(text) if isinstance(text, str) else "",
        "target": one_line(target) if isinstance(target, str) and target else None,
        "first_seen": _day(item.get("first_seen")),
        "last_seen": _day(item.get("last_seen")),
    }


def _rating(raw: object) -> int | None:
    number = _number(raw)
    return math.floor(number + 0.5) if number is not None and 0 <= number <= 100 else None


def _nofollow(nofollow: object, follow: object) -> bool | None:
    """Truth from an index, which says it as true and false or as 1 and 0; None where it says nothing."""
    if nofollow in (True, False):
        return bool(nofollow)
    return not follow if follow in (True, False) else None


def _day(raw: object) -> str | None:
    try:
        return date.fromisoformat(raw[:10]).isoformat() if isinstance(raw, str) else None
    except ValueError:
        return None


def _topical(role: Role, raw: object) -> Read:
    return _list(role, raw, _topical_flow)


def _topical_flow(item: object) -> dict[str, str | int] | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("topic"), str):
        return None
    topic, flow = one_line(item["topic"]), _number(item.get("trust_flow"))
    if not topic or flow is None or not 0 <= flow <= 100:
        return None
    return {"topic": topic, "trust_flow": math.floor(flow + 0.5)}


def _list(role: Role, raw: object, read: Callable[[object], _Item | None]) -> Read:
    if not isinstance(raw, list):
        return None, f"{role}: {shown(raw)} is not a list"
    kept: list[_Item] = []
    for item in raw:
        value = read(item)
        if value is not None and value not in kept:
            kept.append(value)
            if len(kept) == _MAX_ITEMS:
                break
    if raw and not kept and not all(_is_empty_item(item) for item in raw):
        return None, f"{role}: none of its {len(raw)} items is well-formed"
    return kept, None


def _is_empty_item(item: object) -> bool:
    # A vendor with fixed columns (topic 0, 1, 2) leaves unused ones empty.
    if isinstance(item, Mapping):
        return all(value in (None, "", 0) for value in item.values())
    return item in (None, "")


_LISTS: Final[Mapping[Role, Callable[[Role, object], Read]]] = {
    TOP_REFERRING_DOMAINS: _referrers,
    ANCHORS: _anchors,
    LINKS: _links,
    TOPICAL_TRUST_FLOW: _topical,
}
