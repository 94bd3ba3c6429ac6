"""Pages made to choke a parser: too many tags, too deep, with too many attributes; and a copy that chokes none.

Pure. A parser's time grows with the square of each: 20,000 open `div` take two seconds, 300,000 minutes, one tag
with 120,000 attributes six minutes. Honest pages stay under a third of every limit here but the deepest, of which
most tags are pictures' (`svg`).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice

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
