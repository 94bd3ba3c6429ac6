"""Stage 2, signs: whether a page is spam of some trade, by phrases weighed by level, place and density.

Pure. One search over all pieces of a page; the rules and the page model both read it. Phrases in lists of links count
apart from those of the text, and words of reports only where they stand near what they speak about: a footer's "play
responsibly" guards nothing. Text that a page cites in quotation marks is not its own word, unless it says such things
itself. Yields a day ("5% daily", "в день 4%") are found in any language. The rules, per category:
spam     two strong phrases and the points for it, more densely where the page sounds like a report and never where
         words of reports stand close together; or one among
         six product words, or in the title among three, densely and without a word of a report; for trades where
         explicit words decide, five of those densely; none of it by a mere mention: a few phrases in the text of a
         page that has no strong one in title, description or heading and is not full of them either, as where an
         honest page warns, refuses or quotes;
suspect  points for it and a strong phrase, or a dense field of product words without a report's words;
hinted   some points and two phrases: nothing by itself, a figure of the page model.
Points and their limits are the constants below; `bench/review_quality.py` measures them source by source.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from urllib.parse import unquote, urlsplit

from afterdrop.review.page.lexicon import Lexicon, lexicon
from afterdrop.review.page.text import cited_spans, fold, pattern_words, quote
from afterdrop.review.page.values import (
    Category,
    Evidence,
    Finding,
    Hit,
    PageLink,
    PageView,
    PageWords,
    Place,
    Span,
    Tally,
    Term,
    Weighed,
    Zone,
)

# Links so near each other make a list, from so many on; a longer link is a sentence, which is text.
_CHARS_BETWEEN_LINKS, _LINKS_OF_A_LIST, _LABEL_CHARS = 24, 4, 90
# Characters searched for all links of a page together: keeps pages made to choke it cheap.
_SEARCHED_CHARS = 4_000_000


def link_lists(text: str, anchors: Iterable[PageLink]) -> tuple[Span, ...]:
    """Spans of `text` that are lists of links, in order of place."""
    lists: list[Span] = []
    start = end = count = 0
    for left, right in _links(text, anchors):
        if count and left - end <= _CHARS_BETWEEN_LINKS:
            end, count = right, count + 1
            continue
        if count >= _LINKS_OF_A_LIST:
            lists.append((start, end))
        start, end, count = left, right, 1
    if count >= _LINKS_OF_A_LIST:
        lists.append((start, end))
    return tuple(lists)


def _links(text: str, anchors: Iterable[PageLink]) -> Iterable[Span]:
    place, searched = 0, 0
    for anchor in anchors:
        if anchor.hidden or not 0 < len(anchor.text) <= _LABEL_CHARS:
            continue
        found = text.find(anchor.text, place)
        searched += (found if found >= 0 else len(text)) - place
        if found >= 0:
            place = found + len(anchor.text)
            yield found, place
        if searched > _SEARCHED_CHARS:
            return


def within(spans: Sequence[Span], place: int) -> bool:
    """Whether a place lies in one of the spans."""
    at = bisect_right(spans, (place, len(spans) and spans[-1][1])) - 1
    return at >= 0 and spans[at][0] <= place < spans[at][1]


_DAY = rf"(?:{pattern_words('trades')['each_day']})"
# Up to three words may stand between the figure and the day. "5% Daily Value" is a label on food.
_RATE = r"(?<![\d.,])[1-9]\d{0,2}(?:[.,]\d{1,2})?[ \u00a0]?%"
_GAP = r"(?:[^\w\n]{1,3}\w{1,15}){0,3}?[^\w\n]{0,3}"
_YIELD = re.compile(rf"{_RATE}{_GAP}\b{_DAY}\b(?! values?)|\b{_DAY}{_GAP}{_RATE}", re.IGNORECASE)
_CHARS_ROUND_A_SIGN, _PERCENT_SIGNS_MOST = 70, 200
_TERM = Term("crypto", 2, "any", "a yield a day", single=False, latin=True)


def yields(text: str) -> list[Hit]:
    """Where a text promises a yield a day; only the neighbourhood of its first percent signs is read."""
    found: list[Hit] = []
    place = -1
    for _ in range(_PERCENT_SIGNS_MOST):
        place = text.find("%", place + 1)
        if place < 0:
            break
        start = max(place - _CHARS_ROUND_A_SIGN, found[-1].end if found else 0)
        match = _YIELD.search(text[start : place + _CHARS_ROUND_A_SIGN])
        if match and start + match.start() <= place <= start + match.end():
            found.append(Hit(_TERM, start + match.start(), start + match.end()))
    return found


_REPORT_LEVEL, _PUBLISHER_LEVEL, _OTHER_SUBJECT_LEVEL = -1, -2, -3
# So many different words of another subject show that a page is of it.
_OTHER_WORDS = 2
_APART = "\n\n\n"
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
    publisher_phrases = {hit.term.phrase.lower() for hit in found if hit.term.level == _PUBLISHER_LEVEL}
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
    reports = frozenset(hit.term.phrase.lower() for hit in found if hit.term.level == _REPORT_LEVEL)
    return Counted(tallies, frozenset(publisher_phrases), reports)


def _of_trades(found: Sequence[Hit], lexicon: Lexicon) -> Iterator[Hit]:
    """The hits of trades and of reports: none by a word of a trade where the page is of another subject with it."""
    others: dict[Category, set[str]] = {}
    for hit in found:
        if hit.term.level == _OTHER_SUBJECT_LEVEL:
            others.setdefault(hit.term.category, set()).add(hit.term.phrase)
    stems = {
        category: lexicon.stems[category] for category, words in others.items() if len(words) >= _OTHER_WORDS
    }
    for hit in found:
        if hit.term.level > _PUBLISHER_LEVEL and not (
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
CHARS_BESIDE_LISTS = 400
# Names that only public bodies, schools and hospitals get: who cites them reports, and sellers do not.
_OFFICIAL = re.compile(
    r"\.(?:gov|edu|mil|int)$|\.(?:gov|edu|ac|gob|gouv|govt|go|nhs|police|mil)\.[a-z]{2}$|\.gc\.ca$|^(?:europa\.eu|admin\.ch"
    r"|bund\.de|who\.int|overheid\.nl)$"
)


def page_words(view: PageView) -> PageWords:
    """Search one page for the lexicon's phrases."""
    parts = view.parts
    lists = link_lists(parts.text, parts.anchors)
    if len(parts.text) - sum(end - start for start, end in lists) < CHARS_BESIDE_LISTS:
        lists = ()  # a page of links alone has no text for them to stand beside
    pieces = [
        Zoned("title", parts.title),
        Zoned("meta", parts.metas.get("description", "")),
        Zoned("meta", parts.metas.get("keywords", "")),
        *(Zoned("meta", heading) for heading in parts.headings[:_HEADINGS]),
        Zoned("body", parts.text, lists, cited_spans(parts.text)),
        Zoned("url", _path(view.url)),
    ]
    counted, explicit = tally(pieces, view.spoken.language, lexicon()), lexicon().medium_decides
    official = {
        link.target_domain for link in view.links if link.external and _OFFICIAL.search(link.target_domain)
    }
    publishers = counted.publisher_phrases | official
    weighed = {
        trade: _asked(weigh(one, view.words, len(publishers), explicit=trade in explicit))
        for trade, one in counted.trades.items()
    }
    return PageWords(lists, counted.trades, weighed, publishers, counted.reports)


def _asked(page: Weighed) -> Weighed:
    """One category's figures with the rules' opinion of them."""
    if is_spam(page):
        return replace(page, says="spam")
    return replace(page, says="suspect" if is_suspect(page) else "hint" if is_hinted(page) else "")


def _path(url: str) -> str:
    try:
        split = urlsplit(url)
    except ValueError:
        return ""
    return re.sub(r"[-_/+.=&]+", " ", unquote(f"{split.path} {split.query}"))[:500]


# Points for each different phrase by place and level, and how many of them count.
_WORTH: dict[Place, dict[int, tuple[float, int]]] = {
    "body": {3: (3.0, 6), 2: (1.2, 5), 1: (0.3, 6)},
    "title": {3: (3.0, 2), 2: (1.5, 2), 1: (0.5, 2)},
    "head": {3: (1.5, 2), 2: (0.7, 2)},
    "list": {3: (1.0, 3), 2: (0.4, 4), 1: (0.1, 4)},
}
_POINTS_OFF_A_GUARD = 1.2
_GUARDS_COUNTED = 7
_POINTS_FOR_DENSITY_MOST = 4.0
# Occurrences (strong 1, medium 0.6, weak 0.15) in a hundred words; a page counts as having at least so many words.
_SPAM_PER_100, _HEADED_PER_100, _DENSE_PER_100, _WORDS_COUNTED_LEAST = 0.4, 1.5, 2.0, 80
# So many different words of reports make a report of a page; fewer where they stand as close as in a short one.
_REPORT_WORDS, _CLOSE_WORDS, _CLOSE_PER_100 = 4, 3, 1.5
REPORT_WORDS_PER_100_TO_EXCUSE, REPORT_WORDS_PER_100_TO_CLEAR = 0.75, 4.0
# So many product words make a page suspect without a strong phrase; more of them where they stand less densely.
_FIELD_PHRASES = 3
_WIDE_PHRASES, _WIDE_PER_100 = 5, 0.6
# Fewer phrases than so many, less densely than so, and none in the head: a sentence of the page, not its subject.
_MENTION_PHRASES, _FULL_PER_100 = 5, 6.0
_EVIDENCE_MOST = 8
# Strong phrases, one in the head, that no single words of reports outweigh; phrases that say who stands there; a page
# whose text hardly has the trade's words.
_LOUD_PHRASES, PUBLISHER_PHRASES_TO_ASK_FOR_MORE, _SPARSE_PER_100, _LONG_PAGE_WORDS = 4, 3, 0.35, 1000
# Points and density of a hint.
_HINT_POINTS, _HINT_PER_100 = 4.0, 0.3
# So many strong phrases in the head sell, whatever warnings stand below.
_COVER = 2
# A page of so few words is what its title says.
_THIN_PAGE_WORDS, _TITLE_PAGE_WORDS = 60, 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Points from which on a page is spam, spam by a dense field of words, and suspect."""

    spam: float = 9.5
    dense: float = 12.0
    suspect: float = 6.0


LIMITS = Limits()


def find_spam(page: PageView, words: PageWords) -> Finding[Category] | None:
    """The category a page is spam or suspect of, or None."""
    found = [one for trade in words.tallies if (one := _judge(trade, page, words))]
    return max(found, key=lambda finding: (finding.sure, not finding.hinted, finding.points), default=None)


def _judge(trade: Category, page: PageView, words: PageWords) -> Finding[Category] | None:
    counted, weighed = words.tallies[trade], words.weighed[trade]
    sure = weighed.says == "spam" or (_offers_by_title(counted) and is_title_page(weighed))
    if not (sure or weighed.says):
        return None
    evidence = evidence_of_trade(counted, lexicon().version, sure, page.decoded.text)
    return Finding(trade, evidence, sure, weighed.points, hinted=not sure and weighed.says == "hint")


def weigh(counted: Tally, words: int, publisher_phrases: int = 0, *, explicit: bool) -> Weighed:
    """The figures of one category that the rules look at."""
    density = counted.weight / max(words, _WORDS_COUNTED_LEAST) * 100
    guards = counted.distinct(-1)
    return Weighed(
        points=score(counted, density),
        density=density,
        strong=counted.distinct(3) + counted.listed(3) // 2,
        medium=counted.distinct(2) + counted.listed(2) // 2,
        guards=guards,
        headed=counted.distinct(3, "title", "head"),
        explicit=explicit,
        reported=guards / max(words, _WORDS_COUNTED_LEAST) * 100,
        publisher_phrases=publisher_phrases,
        words=words,
        titled=counted.distinct(2, "title") // 2 + counted.distinct(3, "title"),
    )


def is_spam(page: Weighed, limits: Limits = LIMITS) -> bool:
    """Whether the strict rules hold."""
    loud = page.headed >= 1 and page.strong >= _LOUD_PHRASES
    if page.guards >= _CLOSE_WORDS and page.reported >= _CLOSE_PER_100 and not is_cover(page):
        return False
    if page.headed == 0 and page.strong + page.medium < _MENTION_PHRASES and page.density < _FULL_PER_100:
        return False
    if (
        page.publisher_phrases >= PUBLISHER_PHRASES_TO_ASK_FOR_MORE
        and page.strong < _LOUD_PHRASES + page.publisher_phrases - PUBLISHER_PHRASES_TO_ASK_FOR_MORE
    ):
        return False
    told = page.strong >= 2 and page.points >= limits.spam
    report = page.guards >= _REPORT_WORDS and page.guards * 2 > page.strong + page.medium
    enough = page.density >= (_DENSE_PER_100 if report else _SPAM_PER_100) or (loud and not report)
    explicit = page.explicit and page.strong + page.medium >= 5 and page.density >= _DENSE_PER_100
    unguarded = page.strong >= 1 and not page.guards and page.points >= limits.dense
    crowd = page.strong + page.medium >= 6 and page.density >= _DENSE_PER_100
    headline = page.headed >= 1 and page.medium >= 3 and page.density >= _HEADED_PER_100
    return (
        (told and enough) or (explicit and page.points >= limits.spam) or (unguarded and (crowd or headline))
    )


def is_suspect(page: Weighed, limits: Limits = LIMITS) -> bool:
    """Whether a second look is due."""
    if (
        page.publisher_phrases > PUBLISHER_PHRASES_TO_ASK_FOR_MORE
        and page.strong < _LOUD_PHRASES + page.publisher_phrases - PUBLISHER_PHRASES_TO_ASK_FOR_MORE
    ):
        return False
    if page.guards >= _REPORT_WORDS and page.reported >= REPORT_WORDS_PER_100_TO_CLEAR and not is_cover(page):
        return False
    if page.headed == 0 and page.density < _SPARSE_PER_100 and page.words >= _LONG_PAGE_WORDS:
        return False
    if page.titled and page.words < _THIN_PAGE_WORDS and not page.guards and not page.publisher_phrases:
        return True
    plain = page.guards <= 1 or page.reported < REPORT_WORDS_PER_100_TO_EXCUSE
    wide = page.medium >= _WIDE_PHRASES and page.density >= _WIDE_PER_100
    field = (wide or (page.medium >= _FIELD_PHRASES and page.density >= 1)) and plain
    return page.points >= limits.suspect and (page.strong >= 1 or field)


def is_cover(page: Weighed) -> bool:
    """Whether words of reports are a cover: the head sells, and the trade's phrases are no fewer than they are."""
    return page.headed >= _COVER and page.strong >= _LOUD_PHRASES and page.strong + page.medium >= page.guards


def is_title_page(page: Weighed) -> bool:
    """Whether next to nothing but the title stands there, and no word of a report or of a publisher."""
    return page.words < _TITLE_PAGE_WORDS and not page.guards and not page.publisher_phrases


def _offers_by_title(counted: Tally) -> bool:
    """Whether the title is hardly more than a strong phrase."""
    return any(
        shown.level == 3
        and shown.zone == "title"
        and 2 * (shown.hit.end - shown.hit.start) >= len(shown.text)
        for shown in counted.shown
    )


def is_hinted(page: Weighed) -> bool:
    """Whether there is a hint of a trade: two phrases and some points, and not plainly a report."""
    if page.guards >= _CLOSE_WORDS and page.reported >= REPORT_WORDS_PER_100_TO_EXCUSE:
        return False
    return page.points >= _HINT_POINTS and page.strong + page.medium >= 2 and page.density >= _HINT_PER_100


def score(counted: Tally, density: float) -> float:
    """Points of one category: phrases by level and place, plus density, less guards."""
    points = min(_POINTS_FOR_DENSITY_MOST, density)
    for place, weights in _WORTH.items():
        points += sum(
            worth * min(counted.distinct(level, place), most) for level, (worth, most) in weights.items()
        )
    return points - _POINTS_OFF_A_GUARD * min(_GUARDS_COUNTED, counted.distinct(-1))


def evidence_of_trade(counted: Tally, version: str, strict: bool, source: str) -> tuple[Evidence, ...]:
    order: Counter[str] = Counter()
    items: list[Evidence] = []
    for shown in sorted(counted.shown, key=lambda one: (one.zone == "link", -one.level, one.zone != "title")):
        order[shown.hit.term.phrase] += 1
        if order[shown.hit.term.phrase] > 1 or len(items) >= _EVIDENCE_MOST:
            continue
        severity = shown.level if strict else min(shown.level, 2)
        quoted = quote(shown.text, shown.hit.start, shown.hit.end, source)
        items.append(evidence_of(shown.hit.term, shown.zone, quoted, severity, version))
    return tuple(items)


def evidence_of(term: Term, zone: Zone, quoted: str, severity: int, version: str) -> Evidence:
    """One lexicon hit as evidence; the rule names language and phrase."""
    return Evidence(
        code="spam_phrase",
        category=term.category,
        severity=severity,
        zone=zone,
        quote=quoted,
        rule=f"{term.category}.{term.language}: {term.phrase}",
        lexicon=version,
    )
