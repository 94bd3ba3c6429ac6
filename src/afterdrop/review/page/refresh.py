"""Where a page sends its visitors by itself, and after how many seconds.

Pure. Source: the HTML Standard, "shared declarative refresh steps", for `<meta http-equiv=refresh>` and for the
`Refresh` header, which comes first. What stands in `noscript` is text to a visitor with scripts, and no element.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_CONTENT = re.compile(r"[ \t\n\f\r]*+(?:([0-9]++)[0-9.]*+|(?=\.)[0-9.]++)(?P<rest>.*)", re.DOTALL)
_BETWEEN = re.compile(r"(?:[ \t\n\f\r]++[;,]?|[;,])[ \t\n\f\r]*+")
_URL = re.compile(r"(?:url[ \t\n\f\r]*+=[ \t\n\f\r]*+|(?!u))(?P<quote>['\"]?)", re.IGNORECASE)
_LONGEST = 2_000
_MOST_SECONDS = 10**9
_UNSEEN = re.compile(r"<!--|<noscript")


class Refresh(NamedTuple):
    """A page's own word on where to go and after how many seconds. The address is as written, and may be relative."""

    seconds: int
    url: str


def parse_refresh(content: str | None) -> Refresh | None:
    """What a refresh says; None where it only loads the page again, or where browsers make nothing of it.

    >>> parse_refresh("0; /en/"), parse_refresh("5,URL = 'a b'"), parse_refresh("30")
    (Refresh(seconds=0, url='/en/'), Refresh(seconds=5, url='a b'), None)
    """
    found = _CONTENT.match(content or "")
    between = _BETWEEN.match(found["rest"]) if found else None
    if found is None or between is None:
        return None
    rest = found["rest"][between.end() :]
    named = _URL.match(rest)
    if named:
        rest = rest[named.end() :]
        rest = rest.partition(named["quote"])[0] if named["quote"] else rest
    url = rest.strip()[:_LONGEST]
    seconds = (found[1] or "0")[:10]
    return Refresh(min(int(seconds), _MOST_SECONDS), url) if url else None


def without_noscript(source: str) -> str:
    """A page's source without comments and noscript elements."""
    lowered = source.lower()
    if "<noscript" not in lowered or len(lowered) != len(source):
        return source
    kept: list[str] = []
    at = 0
    while found := _UNSEEN.search(lowered, at):
        kept.append(source[at : found.start()])
        end = "-->" if found[0] == "<!--" else "</noscript"  # the first one, where scripts run
        closed = lowered.find(end, found.end())
        at = closed + len(end) if closed >= 0 else len(source)
    return "".join([*kept, source[at:]])
