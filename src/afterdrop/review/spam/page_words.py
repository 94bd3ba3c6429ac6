"""The words of one page that rules look at: its lists of links, and the lexicon's phrases by trade and place.

Pure. Made once a page, by one search over all its pieces; the rules and the page model both read it. Phrases in lists
of links count apart from those of the text, and words of reports only where they stand near what they speak about: a
footer's "play responsibly" guards nothing. What a page cites in quotation marks is not its own word, unless it says
such things itself. Yields a day ("5% daily", "в день 4%") are found in any language.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal
from urllib.parse import unquote, urlsplit

from afterdrop.review.page.archive_traces import original_url
from afterdrop.review.page.phrases import fold
from afterdrop.review.page.quotes import cited_spans
from afterdrop.review.page.reading import Category, Zone
from afterdrop.review.page.view import PageView
from afterdrop.review.spam.lexicon import Hit, Lexicon, Term, lexicon
from afterdrop.review.spam.link_lists import Span, link_lists, within

_DAY = (
    r"(?:daily|per day|a day|each day|every day|hourly|per hour|weekly|per week|täglich|pro tag|am tag"
    r"|par jour|chaque jour|quotidien|diario|diaria|al día|por día|cada día|ao dia|por dia|al giorno"
    r"|giornalier[oai]|per dag|elke dag|dagelijks|om dagen|hver dag|per dygn|varje dag|päivässä|joka päivä"
    r"|dziennie|codziennie|denně|každý den|naponta|minden nap|pe zi|zilnic|на ден|дневно|dnevno|на день"
    r"|в день|ежедневно|щодня|την ημέρα|ημερησίως|günlük|her gün|يوميا|في اليوم|كل يوم|روزانه|در روز|ליום"
    r"|ביום|毎日|日利|一日|每日|每天|日收益|하루|매일|mỗi ngày|một ngày|per hari|setiap hari|sehari|ต่อวัน|ทุกวัน|रोज"
    r"|प्रतिदिन)"
)
# Up to three words may stand between the figure and the day. "5% Daily Value" is a label on food.
_RATE = r"(?<![\d.,])[1-9]\d{0,2}(?:[.,]\d{1,2})?[ \u00a0]?%"
_GAP = r"(?:[^\w\n]{1,3}\w{1,15}){0,3}?[^\w\n]{0,3}"
_YIELD = re.compile(rf"{_RATE}{_GAP}\b{_DAY}\b(?! values?)|\b{_DAY}{_GAP}{_RATE}", re.IGNORECASE)
_REACH, _MOST = 70, 200
_TERM = Term("crypto", 2, "any", "a yield a day", single=False, latin=True)


def yields(text: str) -> list[Hit]:
    """Where a text promises a yield a day; only the neighbourhood of its first percent signs is read."""
    found: list[Hit] = []
    place = -1
    for _ in range(_MOST):
        place = text.find("%", place + 1)
        if place < 0:
            break
        start = max(place - _REACH, found[-1].end if found else 0)
        match = _YIELD.search(text[start : place + _REACH])
        if match and start + match.start() <= place <= start + match.end():
            found.append(Hit(_TERM, start + match.start(), start + match.end()))
    return found


Place = Literal["title", "head", "body", "list"]
PLACES: tuple[Place, ...] = ("title", "head", "body", "list")
LEVELS = (3, 2, 1, -1)
_REPORT, _PUBLISHER, _OTHER_SUBJECT = -1, -2, -3
# So many different words of another subject show that a page is of it.
_OF_ANOTHER = 2
_APART = "\n\n\n"
# Occurrences in text and in lists of links: strong, product word, subject.
_WEIGHTS = {3: 1.0, 2: 0.6, 1: 0.15}
_LIST_SHARE = 0.5
# Words of reports count within so many characters of an accusing phrase.
_NEAR = 400


@dataclass(frozen=True, slots=True)
class Zoned:
    """A piece of the page, where it stands, and the spans of it that are lists of links or cite others."""

    zone: Zone
    text: str
    lists: tuple[Span, ...] = ()
    cited: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit with the piece it stands in."""

    level: int
    zone: Zone
    hit: Hit
    text: str


@dataclass
class Tally:
    """What one trade has in one page: distinct phrases by place and level, and their weight in the text."""

    found: dict[tuple[Place, int], set[str]] = field(
        default_factory=lambda: {(place, level): set() for place in PLACES for level in LEVELS}
    )
    weight: float = 0.0
    shown: list[Shown] = field(default_factory=list)

    def add(self, place: Place, zone: Zone, hit: Hit, text: str) -> None:
        """Count one hit."""
        level, phrase = hit.term.level, hit.term.phrase.lower()
        if level > 0 and phrase not in self.found[place, level]:
            self.shown.append(Shown(level, zone, hit, text))
        self.found[place, level].add(phrase)
        if place != "head":
            self.weight += _WEIGHTS.get(level, 0.0) * (_LIST_SHARE if place == "list" else 1)

    def distinct(self, level: int, *places: Place) -> int:
        """How many different phrases of a level stand in these places (none named: in any but the lists)."""
        return len(set().union(*(self.found[place, level] for place in places or PLACES[:3])))

    def listed(self, level: int) -> int:
        """How many different phrases of a level stand in lists of links alone."""
        return len(self.found["list", level].difference(*(self.found[p, level] for p in PLACES[:3])))


@dataclass(frozen=True, slots=True)
class Counted:
    """One page's phrases by trade, the different ones that say who stands behind it, and those of reports."""

    trades: dict[Category, Tally]
    publisher_phrases: frozenset[str]
    reports: frozenset[str]


def tally(pieces: Iterable[Zoned], language: str | None, lexicon: Lexicon) -> Counted:
    """Hits over all pieces of a page."""
    chosen = [piece for piece in pieces if piece.text]
    starts = [0, *accumulate(len(piece.text) + len(_APART) for piece in chosen)]
    placed: list[tuple[Hit, Zoned, Place, int]] = []
    accusing: dict[Category, list[int]] = {}
    joined = _APART.join(piece.text for piece in chosen)
    found = sorted([*lexicon.hits(joined, language), *yields(joined)], key=lambda one: one.start)
    publisher_phrases = {hit.term.phrase.lower() for hit in found if hit.term.level == _PUBLISHER}
    for hit in _of_trades(found, lexicon):
        number = bisect_right(starts, hit.start) - 1
        piece = chosen[number]
        local = Hit(hit.term, hit.start - starts[number], hit.end - starts[number])
        place = _place(piece, local)
        placed.append((local, piece, place, hit.start))
        if hit.term.level >= 2 and place != "list":
            accusing.setdefault(hit.term.category, []).append(hit.start)
    own = {
        hit.term.category
        for hit, piece, place, _ in placed
        if hit.term.level == 3 and place != "list" and not within(piece.cited, hit.start)
    }
    tallies: dict[Category, Tally] = {}
    for local, piece, place, start in placed:
        category, level = local.term.category, local.term.level
        if level < 0 and place in {"body", "list"} and not _near(accusing.get(category, ()), start, place):
            continue
        if within(piece.cited, local.start) and category not in own:
            continue
        tallies.setdefault(category, Tally()).add(
            place, "link" if place == "list" else piece.zone, local, piece.text
        )
    reports = frozenset(hit.term.phrase.lower() for hit in found if hit.term.level == _REPORT)
    return Counted(tallies, frozenset(publisher_phrases), reports)


def _of_trades(found: Sequence[Hit], lexicon: Lexicon) -> Iterator[Hit]:
    """The hits of trades and of reports: none by a word of a trade where the page is of another subject with it."""
    others: dict[Category, set[str]] = {}
    for hit in found:
        if hit.term.level == _OTHER_SUBJECT:
            others.setdefault(hit.term.category, set()).add(hit.term.phrase)
    stems = {
        category: lexicon.stems[category] for category, words in others.items() if len(words) >= _OF_ANOTHER
    }
    for hit in found:
        if hit.term.level > _PUBLISHER and not (
            stems and any(stem in fold(hit.term.phrase) for stem in stems.get(hit.term.category, ()))
        ):
            yield hit


def _place(piece: Zoned, hit: Hit) -> Place:
    if piece.zone in {"title", "meta"}:
        return "title" if piece.zone == "title" else "head"
    return "list" if within(piece.lists, hit.start) else "body"


def _near(accusing: Sequence[int], place: int, zone: Place) -> bool:
    at = bisect_left(accusing, place)
    return zone != "list" and any(abs(other - place) <= _NEAR for other in accusing[max(at - 1, 0) : at + 1])


_HEADINGS = 4
LEAST_CHARS = 400
# Names that only public bodies, schools and hospitals get: who cites them reports, and sellers do not.
_OFFICIAL = re.compile(
    r"\.(?:gov|edu|mil|int)$|\.(?:gov|edu|ac|gob|gouv|govt|go|nhs|police|mil)\.[a-z]{2}$|\.gc\.ca$|^(?:europa\.eu|admin\.ch"
    r"|bund\.de|who\.int|overheid\.nl)$"
)


@dataclass(frozen=True, slots=True)
class PageWords:
    """`lists` are spans of the page's text, `tallies` its phrases by trade.

    `publisher_phrases` say who stands behind the page; the names of public bodies that it links to are among them.
    `reports` are words of reports wherever they stand.
    """

    lists: tuple[Span, ...]
    tallies: Mapping[Category, Tally]
    publisher_phrases: frozenset[str]
    reports: frozenset[str]


def page_words(view: PageView) -> PageWords:
    """Search one page for the lexicon's phrases."""
    parts = view.parts
    lists = link_lists(parts.text, parts.anchors)
    if len(parts.text) - sum(end - start for start, end in lists) < LEAST_CHARS:
        lists = ()  # a page of links alone has no text for them to stand beside
    pieces = [
        Zoned("title", parts.title),
        Zoned("meta", parts.metas.get("description", "")),
        Zoned("meta", parts.metas.get("keywords", "")),
        *(Zoned("meta", heading) for heading in parts.headings[:_HEADINGS]),
        Zoned("body", parts.text, lists, cited_spans(parts.text)),
        Zoned("url", _path(view.url)),
    ]
    counted = tally(pieces, view.spoken.language, lexicon())
    official = {
        link.target_domain for link in view.links if link.external and _OFFICIAL.search(link.target_domain)
    }
    return PageWords(lists, counted.trades, counted.publisher_phrases | official, counted.reports)


def _path(url: str) -> str:
    try:
        split = urlsplit(original_url(url))
    except ValueError:
        return ""
    return re.sub(r"[-_/+.=&]+", " ", unquote(f"{split.path} {split.query}"))[:500]
