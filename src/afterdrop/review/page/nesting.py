"""Pages made to choke a parser: how deep tags nest, how many attributes one has; and a copy that does not choke.

Pure. The parser's time grows with the square of both: 20,000 open `div` take two seconds, 300,000 minutes, one tag
with 120,000 attributes six minutes. Honest pages stay under a few hundred.
"""

from __future__ import annotations

import re
from itertools import accumulate

DEEPEST = 1_200
_LONGEST = 4_000
_TAGLESS = re.compile(rf"[^<]{{{_LONGEST}}}[^<\s]{{0,{_LONGEST}}}")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]{0,30})")
_ANY = re.compile(r"<(?!/?(?:title|a|meta|html|head|body)\b)/?[a-zA-Z][^<>]*>?", re.IGNORECASE)
_ANCHOR = re.compile(r"<a\b", re.IGNORECASE)
_VOID = frozenset(
    {
        "br",
        "img",
        "input",
        "meta",
        "link",
        "hr",
        "area",
        "base",
        "col",
        "embed",
        "source",
        "track",
        "wbr",
        "param",
    }
)
# Their end tags may be left out: an open one says nothing about depth.
_OPTIONAL = frozenset(
    {"p", "li", "td", "tr", "th", "dt", "dd", "option", "tbody", "thead", "html", "head", "body"}
)


def depth(source: str) -> int:
    """The most tags open at once, as far as start and end tags tell; 0 for pages with too few tags to be deep."""
    if source.count("<") < DEEPEST:
        return 0
    steps = (
        -1 if end else 1
        for end, name in _TAG.findall(source)
        if name.lower() not in _VOID and name.lower() not in _OPTIONAL
    )
    return max(accumulate(steps), default=0)


def flat(source: str) -> str:
    """A page without the tags that nest: title, links and text stay."""
    return _ANCHOR.sub("</a><a", _ANY.sub(" ", source))


def broken_up(source: str) -> str:
    """A page with a `<wbr>` in every long run without tags: nothing to see in text, the end of an endless tag."""
    return _TAGLESS.sub(r"\g<0><wbr>", source)
