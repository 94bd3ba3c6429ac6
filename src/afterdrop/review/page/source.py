"""Stage 1, parsing: a page's source before it is a tree. An archive's toolbar, nesting, marks, and refreshes.

Pure. An archive's additions are taken out, markup that no parser bears is tamed, marks that later stages count are
counted, and it is told where the page sends its visitors.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ahocorasick_rs import BytesAhoCorasick

from afterdrop.review.page.values import Refresh

# One of these stands in every page that an archive changed.
TRACES = ("archive.org", "wombat", "/web/")
_BLOCKS = (
    ("<!-- BEGIN WAYBACK TOOLBAR INSERT -->", "<!-- END WAYBACK TOOLBAR INSERT -->"),
    ("<!-- BEGIN PYWB", "<!-- END PYWB"),
    ("<!-- WB Insert -->", "<!-- End WB Insert -->"),
    ("<!--\n     FILE ARCHIVED ON", "-->"),
    ("<!--\n     playback timings", "-->"),
)
_SCRIPTS_END = "<!-- End Wayback Rewrite JS Include -->"
_SCRIPTS_CHARS = 6_000
_ARCHIVE_SCRIPT = re.compile(r"<script[^>]{0,200}(?:archive\.org|/_static/)")
_REWRITTEN = re.compile(
    r"(?:https?:)?(?://[\w.:-]{1,100}+)?/[\w-]{1,40}+/\d{4,14}+(?:[a-z]{2}_|\*)?/"
    r"(?=(?:https?:)?//|https?:|mailto:|javascript:|ftp:)"
)
# The middle of it, which is found ten times as fast.
_STAMPED = re.compile(r"/\d{4,14}+(?:[a-z]{2}_|\*)?/(?:(?:https?:)?//|https?:|mailto:|javascript:|ftp:)")
_REWRITTEN_BARE = re.compile(r"(?:https?:)?//web\.archive\.org/web/\d{4,14}(?:[a-z]{2}_|\*)?/")


def without_archive(source: str) -> str:
    """Page source as the site served it, as far as the archive's changes can be told."""
    if not any(trace in source for trace in TRACES):
        return source
    for begin, end in _BLOCKS:
        kept: list[str] = []
        at = 0
        while (start := source.find(begin, at)) >= 0 and (stop := source.find(end, start)) >= 0:
            kept.append(source[at:start])
            at = stop + len(end)
        source = "".join((*kept, source[at:]))
    source = _without_scripts(source)
    if _STAMPED.search(source):
        source = _REWRITTEN.sub("", source)
    return _REWRITTEN_BARE.sub("", source) if "//web.archive.org/web/" in source else source


def original_url(url: str) -> str:
    """The archived address inside a replay address; any other address as it is.

    >>> original_url("https://web.archive.org/web/20150301id_/http://example.com/a")
    'http://example.com/a'
    """
    return _REWRITTEN_BARE.sub("", _REWRITTEN.sub("", url, count=1), count=1)


def _without_scripts(source: str) -> str:
    end = source.find(_SCRIPTS_END)
    if end < 0:
        return source
    near = max(0, end - _SCRIPTS_CHARS)
    first = _ARCHIVE_SCRIPT.search(source, near, end)
    return source[: first.start()] + source[end + len(_SCRIPTS_END) :] if first else source


TAGS_MOST = 30_000
DEEPEST = 1_200
# Open tags added up over all start tags, and of them those that a parser opens again in every later block.
LEVELS_MOST, REOPENED_MOST = 2_500_000, 500_000
# So few start tags reach none of these limits, however they nest.
_HARMLESS = 999
_ATTRIBUTES_MOST = 300
# The attributes of all of these come together in one tag.
_ROOTS_MOST = 20
_ATTRIBUTE = r"[\s/]++[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+"
# Every tag matches, so that no text is gone through twice; the group is there where a tag has too many attributes.
# Most attributes have the first form, which is found sooner.
_CROWDED = re.compile(
    rf"<[a-zA-Z][^\s/>]*+(?: [a-zA-Z-]++=\"[^\"]*+\"|{_ATTRIBUTE}){{0,{_ATTRIBUTES_MOST - 1}}}+({_ATTRIBUTE})?+"
)
_BLOCK = re.compile(r"<(?:(script|style|svg)\b|/(script|style|svg)\b[^<>]*>?)", re.IGNORECASE)
_ROOT = re.compile(r"<(?:html|body)\b", re.IGNORECASE)
_NODE = re.compile(r"<[a-zA-Z/!?]")
_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9:-]{0,30}")
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
_REOPENED = frozenset(
    {"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)


@dataclass(frozen=True, slots=True)
class Nesting:
    """The most tags open at once, and the sums of open tags over all start tags: of all and of reopened ones."""

    deepest: int = 0
    levels: int = 0
    reopened: int = 0

    @property
    def absurd(self) -> bool:
        """Whether no parser should see it."""
        return self.deepest >= DEEPEST or self.levels > LEVELS_MOST or self.reopened > REOPENED_MOST


def tame(source: str, tags: int = TAGS_MOST) -> tuple[str, tuple[str, ...]]:
    """A page as a parser can bear it, with so many tags at most, and notes on what that took."""
    notes: list[str] = []
    angles = source.count("<")
    end = next(islice(_NODE.finditer(source), tags, None), None) if angles > tags else None
    if end is not None:
        source = source[: end.start()]
        notes.append(f"only the first {tags} tags were read")
    if angles > _HARMLESS and angles - source.count("</") > _HARMLESS and _absurd(_TAG.findall(source)):
        # A page without its scripts, style sheets and drawings: nobody reads them, and drawings nest most.
        kept: list[str] = []
        at, inside = 0, None
        for match in _BLOCK.finditer(source):
            begun, ended = match[1], match[2]
            if inside is None and begun:
                kept.append(source[at : match.start()])
                at, inside = match.start(), begun.lower()
            elif ended and ended.lower() == inside:
                at, inside = match.end(), None
        source = "".join((*kept, source[at:]))
        nesting = nesting_of(source)
        if nesting.absurd:
            source = flat(source)
            notes.append(f"tags nest {nesting.deepest} deep: read as plain text")
    return closed(source), tuple(notes)


class _Steps(dict[str, tuple[str, int, bool]]):
    """For each tag as written: its name ("" where it says nothing), its step in depth, and whether it is reopened.

    Fills itself.
    """

    def __missing__(self, written: str) -> tuple[str, int, bool]:
        name, ends = written.lstrip("</").lower(), written[1] == "/"
        step = 0 if name in _VOID | _OPTIONAL else -1 if ends else 1
        silent = name in _VOID or (ends and not step)
        self[written] = made = ("" if silent else name, step, name in _REOPENED)
        return made


def _absurd(tags: list[str]) -> bool:
    """Whether tags nest absurdly. Only where there are enough of them for it, they are gone through in order."""
    starts = nested = reopened = 0
    steps = _Steps()
    for written, count in Counter(tags).items():
        name, step, again = steps[written]
        if name and step >= 0:
            starts += count
            nested += count * step
            reopened += count * again
    return Nesting(nested, nested * starts, reopened * starts).absurd and _nesting(tags).absurd


def nesting_of(source: str) -> Nesting:
    """How tags nest, as far as start and end tags tell; end tags that close nothing count for nothing."""
    return _nesting(_TAG.findall(source))


def _nesting(tags: list[str]) -> Nesting:
    opened: Counter[str] = Counter()
    depth = reopening = deepest = levels = reopened = 0
    for name, step, again in map(_Steps().__getitem__, tags):
        if step < 0:
            if opened[name]:
                opened[name] -= 1
                depth -= 1
                reopening -= again
        elif name:
            if step:
                opened[name] += 1
                depth += 1
                reopening += again
                deepest = max(deepest, depth)
            levels += depth
            reopened += reopening
    return Nesting(deepest, levels, reopened)


def flat(source: str) -> str:
    """A page without the tags that nest: title, links and text stay."""
    return _ANCHOR.sub("</a><a", _ANY.sub(" ", source))


def closed(source: str) -> str:
    """A page whose tags end after so many attributes: the rest of them is text."""
    later = next(islice(_ROOT.finditer(source), _ROOTS_MOST, None), None)
    if later is not None:
        source = source[: later.start()] + _ROOT.sub("<wbr", source[later.start() :])
    if not any(_CROWDED.findall(source)):
        return source
    return _CROWDED.sub(lambda tag: f"{tag[0]}>" if tag[1] else tag[0], source)


# In small letters.
_MARKS = {
    "archive": TRACES,
    "sponsored": ("nofollow", "sponsored"),
    "countdown": ("countdown", "count-down", "data-deadline"),
    "struck": ("<s>", "<del", "<strike", "line-through"),
    "button": ("<button", "btn"),
    "star": ("★", "☆", "⭐", "rating"),
    "quoted": ("<blockquote", "testimonial", "comment"),
    "picture": ("<img",),
    "bold": ("<b>", "<strong"),
    "organisation": (
        'organization"', 'business"', '"person"', '"corporation"', "<address", "vcard", "postaladdress",
        "schema.org/person",
    ),
    "article": ("datepublished", "article:published", "blogposting", "newsarticle"),
    "product": ('"product"', '"offer"', "aggregateoffer", "schema.org/product", "schema.org/offer", "pricecurrency"),
    "feed": ("application/rss+xml", "application/atom+xml"),
    "measured": ("google-analytics", "googletagmanager", "matomo", "piwik"),
    "google property": ("ua-",),
    "google tag": ("gtm-",),
    "google publisher": ("ca-pub-",),
    "statcounter": ("sc_project",),
    "yandex": ("mc.yandex",),
    "mail field": ('type="email', "type='email", "type=email"),
    "password field": ('type="password', "type='password", "type=password"),
    "script": ("<script",),
    "packed": ("eval(", "unescape(", "atob(", "fromcharcode", "_0x", "\\x2"),
    "writes": ("document.write", "window.location", "location.href", "location.replace"),
}  # fmt: skip
# Those of services that count visitors.
MEASURED = ("measured", "google property", "yandex")


@lru_cache(maxsize=1)
def _search() -> tuple[BytesAhoCorasick, tuple[str, ...]]:
    """The search for all marks, and the name that each pattern belongs to."""
    pairs = [(mark.encode(), name) for name, marks in _MARKS.items() for mark in marks]
    return BytesAhoCorasick([mark for mark, _ in pairs]), tuple(name for _, name in pairs)


def marks_of(source: str) -> Counter[str]:
    """How often marks of each name stand in a source.

    Searched as bytes, whose small letters are made in no time.
    """
    search, names = _search()
    found = search.find_matches_as_indexes(source.encode("utf-8", "replace").lower())
    return Counter([names[number] for number, _, _ in found])


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
_STATEMENT = re.compile(r"(?:^|[;{}]|\btry)$")
_ON_INPUT = re.compile(r"click|change|submit|select|mouse|key|touch|scroll|unload|error", re.IGNORECASE)
_ONLY_IF = re.compile(r"\b(?:if|else|for|while|case)\b[^\n]*$")
_MOST_SECONDS = 10**9
_UNSEEN = re.compile(r"<!--|<noscript")


def parse_refresh(content: str | None) -> Refresh | None:
    """The refresh that a text states; None where it only loads the page again, or where browsers make nothing of it.

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

    Code that runs on a click or under a condition, and an address put together of parts, send nobody.

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
    if _STATEMENT.search(bare) or _TIMED.search(bare[-40:]):
        return True
    return "\n" in before[len(bare) :] and bare[-1] not in "=,(+&|?:" and not _ONLY_IF.search(bare[-200:])


def _statement(before: str) -> str:
    return re.split(r"[;{}\n]", before[-400:])[-1]


def _runs(code: str, brace: int) -> bool:
    """Whether the block behind this brace is run for every visitor."""
    before = code[max(0, brace - 400) : brace].rstrip()
    function = _FUNCTION.search(before)
    if function is None:
        return bool(_STATEMENT.search(before))
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
