"""Where a page sends its visitors by itself, and after how many seconds.

Pure. Source: the HTML Standard, "shared declarative refresh steps", for `<meta http-equiv=refresh>` and for the
`Refresh` header, which comes first. What stands in `noscript` is text to a visitor with scripts, and no element.
Scripts are not run: they send visitors on where they name an address literally, in a statement that is run for
everybody when the page is loaded.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

_CONTENT = re.compile(r"[ \t\n\f\r]*+(?:([0-9]++)[0-9.]*+|(?=\.)[0-9.]++)(?P<rest>.*)", re.DOTALL)
_BETWEEN = re.compile(r"(?:[ \t\n\f\r]++[;,]?|[;,])[ \t\n\f\r]*+")
_URL = re.compile(r"(?:url[ \t\n\f\r]*+=[ \t\n\f\r]*+|(?!u))(?P<quote>['\"]?)", re.IGNORECASE)
_LONGEST = 2_000
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|(?<![:'\"\\])//[^\n]*|<!--|-->", re.DOTALL)
_GOES = re.compile(
    r"""(?<![\w$.])(?:(?:window|document|self|top|parent|this)\s{0,9}\.\s{0,9}){0,3}location\s{0,9}
    (?:(?:\.\s{0,9}href\s{0,9})?=(?!=)|\.\s{0,9}(?:replace|assign)\s{0,9}\()\s{0,9}
    (?:(?P<quote>\\?["'`])(?P<url>[^"'`\s<>${]{1,2000}?)(?P=quote)|(?P<name>[\w$]{1,99})(?=\s{0,9}[;)}\n]))\s*+(?![+.?])""",
    re.VERBOSE,
)
_NAMED = re.compile(
    r"""\b(?:var|let|const)\s{1,9}(?P<name>[\w$]{1,99})\s{0,9}=\s{0,9}(?P<quote>["'])(?P<url>[^"'`\s<>${]{1,2000})(?P=quote)\s{0,9}[;\n]"""
)
_MOST_CODE, _MOST_ADDRESSES, _DEEPEST = 20_000, 20, 10
_TIMED = re.compile(r"set(?:Timeout|Interval)\s{0,9}\(\s{0,9}[\"'`]$")
_FUNCTION = re.compile(r"(?:\bfunction\s{0,9}(?P<name>[\w$]{0,99})\s{0,9}\([^()]{0,200}\)|=>)$")
_IDENTIFIER = re.compile(r"[\w$]+")
_BLOCK = re.compile(r"(?:^|[;{}]|\btry)$")
_ON_INPUT = re.compile(r"click|change|submit|select|mouse|key|touch|scroll|unload|error", re.IGNORECASE)
_ONLY_IF = re.compile(r"\b(?:if|else|for|while|case)\b[^\n]*$")
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


def script_refresh(code: str) -> Refresh | None:
    """Where a page's scripts (those of `onload`, too) send every visitor; None where they name no address for all.

    The address is written there, or a variable's that is given once.

    What runs on a click or under a condition, or is put together of parts, sends nobody.

    >>> script_refresh("window.location.replace('/site/');"), script_refresh("if (m) location = '/m/'")
    (Refresh(seconds=0, url='/site/'), None)
    """
    code = _COMMENT.sub("\n", code[:_MOST_CODE])
    for found in islice(_GOES.finditer(code), _MOST_ADDRESSES):
        url = found["url"] or _value(found["name"], code)
        if url is None:
            continue
        before = code[: found.start()]
        # Where the braces begin that are open at the end.
        around: list[int] = []
        for brace in re.finditer(r"[{}]", before):
            if brace[0] == "{":
                around.append(brace.start())
            elif around:
                around.pop()
        if len(around) <= _DEEPEST and _begins(before) and all(_runs(code, at) for at in around):
            return Refresh(0, url.replace("\\/", "/"))
    return None


def _value(name: str, code: str) -> str | None:
    """The literal that a variable is given, None where it is given another value, or none."""
    given = [found["url"] for found in _NAMED.finditer(code) if found["name"] == name]
    changed = sum(
        word[0] == name and re.match(r"\s{0,9}[+]?=(?!=)", code[word.end() :][:12]) is not None
        for word in _IDENTIFIER.finditer(code)
    )
    return given[0] if len(given) == 1 and changed == 1 else None


def _begins(before: str) -> bool:
    """Whether a statement begins here, which no condition governs."""
    bare = before.rstrip()
    if bare.endswith("=>"):
        return not _ON_INPUT.search(_statement(bare))
    if _BLOCK.search(bare) or _TIMED.search(bare[-40:]):
        return True
    return "\n" in before[len(bare) :] and bare[-1] not in "=,(+&|?:" and not _ONLY_IF.search(bare[-200:])


def _statement(before: str) -> str:
    return re.split(r"[;{}\n]", before[-400:])[-1]


def _runs(code: str, brace: int) -> bool:
    """Whether the block behind this brace is run for every visitor."""
    before = code[max(0, brace - 400) : brace].rstrip()
    function = _FUNCTION.search(before)
    if function is None:
        return bool(_BLOCK.search(before))
    if _ON_INPUT.search(_statement(before[: function.start()])):
        return False
    name = function["name"]
    return not name or sum(word == name for word in _IDENTIFIER.findall(code)) > 1


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
