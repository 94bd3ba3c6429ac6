"""Whether a page is spam of some trade: phrases weighed by level, place and density, less what news would say.

Pure. The rules, per category:
spam     two strong phrases and the points for it, more densely where the page sounds like a report and never where
         words of reports stand close together; or one among
         six product words, or in the title among three, densely and without a word of a report; for trades where
         explicit words decide, five of those densely; none of it by a mere mention: a few phrases in the text of a
         page that has no strong one in title, description or heading and is not full of them either, as where an
         honest page warns, refuses or quotes;
suspect  points for it and a strong phrase, or a dense field of product words without a report's words;
hinted   some points and two phrases: nothing by itself, a figure of the page model.
Points and their limits are the constants below; `bench/review_quality.py` measures them source by source.

Apart from trades, a page stitched from the same few sentences, over and over, is a doorway for any words at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from afterdrop.review.page.markup import Parts, domain_of
from afterdrop.review.page.quotes import quote
from afterdrop.review.page.reading import Category, Evidence, Zone
from afterdrop.review.spam.filler import is_filler
from afterdrop.review.spam.lexicon import Lexicon, Term
from afterdrop.review.spam.link_lists import Span
from afterdrop.review.spam.page_words import Place, Tally, Zoned, tally

# Points for each different phrase by place and level, and how many of them count.
_WORTH: dict[Place, dict[int, tuple[float, int]]] = {
    "body": {3: (3.0, 6), 2: (1.2, 5), 1: (0.3, 6)},
    "title": {3: (3.0, 2), 2: (1.5, 2), 1: (0.5, 2)},
    "head": {3: (1.5, 2), 2: (0.7, 2)},
    "list": {3: (1.0, 3), 2: (0.4, 4), 1: (0.1, 4)},
}
_GUARD = 1.2
_GUARDS_MOST = 7
_DENSITY_MOST = 4.0
# Occurrences (strong 1, medium 0.6, weak 0.15) in a hundred words; a page counts as having at least so many words.
_THIN, _HEADLINE, _DENSE, _WORDS_LEAST = 0.4, 1.5, 2.0, 80
# So many different words of reports make a report of a page; fewer where they stand as close as in a short one.
_REPORT, _SHORT_REPORT, _REPORT_DENSITY = 4, 3, 1.5
_HARDLY, _PLAINLY = 0.75, 4.0
# So many product words make a page suspect without a strong phrase; more of them where they stand less densely.
_FIELD = 3
_WIDE_FIELD, _WIDE_DENSITY = 5, 0.6
# Fewer phrases than so many, less densely than so, and none in the head: a sentence of the page, not its subject.
_MENTIONS, _FILLED = 5, 6.0
_EVIDENCE_MOST = 8
# Strong phrases, one in the head, that no single words of reports outweigh; phrases that say who stands there; a page
# whose text hardly has the trade's words.
_LOUD, _PUBLISHER, _SPARSE, _LONG = 4, 3, 0.35, 1000
# Points and density of a hint.
_HINT, _HINT_DENSITY = 4.0, 0.3
# So many strong phrases in the head sell, whatever warnings stand below.
_COVER = 2
# A page of so few words is what its title says.
_THIN_PAGE, _TITLE_PAGE = 60, 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Points from which on a page is spam, spam by a dense field of words, and suspect."""

    spam: float = 9.5
    dense: float = 12.0
    suspect: float = 6.0


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Weighed:
    """One category's figures: points, occurrences per hundred words, distinct phrases, those in title or head.

    `reported` are different words of reports per hundred words, `publisher_phrases` phrases that say who stands there.
    """

    points: float
    density: float
    strong: int
    medium: int
    guards: int
    headed: int
    explicit: bool
    reported: float = 0.0
    publisher_phrases: int = 0
    words: int = 0
    titled: int = 0


@dataclass(frozen=True, slots=True)
class SpamFinding:
    """The strongest category of a page: `strict` for spam, else suspect; points and density as reasons.

    `hinted`: too little for suspect.
    """

    category: Category
    strict: bool
    points: float
    density: float
    evidence: tuple[Evidence, ...]
    hinted: bool = False


def find_spam(
    tallies: Mapping[Category, Tally], words: int, lexicon: Lexicon, source: str, publisher_phrases: int = 0
) -> SpamFinding | None:
    """The category a page is spam or suspect of, or None.

    `words` is the length that density is measured by, `publisher_phrases` how many say who stands behind the page.
    """
    found = [
        finding
        for category, counted in tallies.items()
        if (finding := _judge(category, counted, (words, publisher_phrases), lexicon, source))
    ]
    return max(found, key=lambda finding: (finding.strict, not finding.hinted, finding.points), default=None)


def _judge(
    category: Category, counted: Tally, size: tuple[int, int], lexicon: Lexicon, source: str
) -> SpamFinding | None:
    weighed = weigh(counted, *size, explicit=category in lexicon.medium_decides)
    strict = is_spam(weighed) or (_offers_by_title(counted) and is_title_page(weighed))
    hinted = not strict and not is_suspect(weighed)
    if hinted and not is_hinted(weighed):
        return None
    evidence = _evidence(counted, lexicon.version, strict, source)
    return SpamFinding(category, strict, weighed.points, weighed.density, evidence, hinted)


def weigh(counted: Tally, words: int, publisher_phrases: int = 0, *, explicit: bool) -> Weighed:
    """The figures of one category that the rules look at."""
    density = counted.weight / max(words, _WORDS_LEAST) * 100
    guards = counted.distinct(-1)
    return Weighed(
        points=score(counted, density),
        density=density,
        strong=counted.distinct(3) + counted.listed(3) // 2,
        medium=counted.distinct(2) + counted.listed(2) // 2,
        guards=guards,
        headed=counted.distinct(3, "title", "head"),
        explicit=explicit,
        reported=guards / max(words, _WORDS_LEAST) * 100,
        publisher_phrases=publisher_phrases,
        words=words,
        titled=counted.distinct(2, "title") // 2 + counted.distinct(3, "title"),
    )


def is_spam(page: Weighed, limits: Limits = LIMITS) -> bool:
    """Whether the strict rules hold."""
    loud = page.headed >= 1 and page.strong >= _LOUD
    if page.guards >= _SHORT_REPORT and page.reported >= _REPORT_DENSITY and not is_cover(page):
        return False
    if page.headed == 0 and page.strong + page.medium < _MENTIONS and page.density < _FILLED:
        return False
    if page.publisher_phrases >= _PUBLISHER and page.strong < _LOUD + page.publisher_phrases - _PUBLISHER:
        return False
    told = page.strong >= 2 and page.points >= limits.spam
    report = page.guards >= _REPORT and page.guards * 2 > page.strong + page.medium
    enough = page.density >= (_DENSE if report else _THIN) or (loud and not report)
    explicit = page.explicit and page.strong + page.medium >= 5 and page.density >= _DENSE
    unguarded = page.strong >= 1 and not page.guards and page.points >= limits.dense
    crowd = page.strong + page.medium >= 6 and page.density >= _DENSE
    headline = page.headed >= 1 and page.medium >= 3 and page.density >= _HEADLINE
    return (
        (told and enough) or (explicit and page.points >= limits.spam) or (unguarded and (crowd or headline))
    )


def is_suspect(page: Weighed, limits: Limits = LIMITS) -> bool:
    """Whether a second look is due."""
    if page.publisher_phrases > _PUBLISHER and page.strong < _LOUD + page.publisher_phrases - _PUBLISHER:
        return False
    if page.guards >= _REPORT and page.reported >= _PLAINLY and not is_cover(page):
        return False
    if page.headed == 0 and page.density < _SPARSE and page.words >= _LONG:
        return False
    if page.titled and page.words < _THIN_PAGE and not page.guards and not page.publisher_phrases:
        return True
    plain = page.guards <= 1 or page.reported < _HARDLY
    wide = page.medium >= _WIDE_FIELD and page.density >= _WIDE_DENSITY
    field = (wide or (page.medium >= _FIELD and page.density >= 1)) and plain
    return page.points >= limits.suspect and (page.strong >= 1 or field)


def is_cover(page: Weighed) -> bool:
    """Whether words of reports are a cover: the head sells, and the trade's phrases are no fewer than they are."""
    return page.headed >= _COVER and page.strong >= _LOUD and page.strong + page.medium >= page.guards


def is_title_page(page: Weighed) -> bool:
    """Whether next to nothing but the title stands there, and no word of a report or of a publisher."""
    return page.words < _TITLE_PAGE and not page.guards and not page.publisher_phrases


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
    if page.guards >= _SHORT_REPORT and page.reported >= _HARDLY:
        return False
    return page.points >= _HINT and page.strong + page.medium >= 2 and page.density >= _HINT_DENSITY


def score(counted: Tally, density: float) -> float:
    """Points of one category: phrases by level and place, plus density, less guards."""
    points = min(_DENSITY_MOST, density)
    for place, weights in _WORTH.items():
        points += sum(
            worth * min(counted.distinct(level, place), most) for level, (worth, most) in weights.items()
        )
    return points - _GUARD * min(_GUARDS_MOST, counted.distinct(-1))


def _evidence(counted: Tally, version: str, strict: bool, source: str) -> tuple[Evidence, ...]:
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


# A body of so few characters is no page behind the head. So many product words are a trade's.
_BEHIND, _TRADES_WORDS = 100, 2


def find_strange_head(
    parts: Parts, site: str | None, tallies: Mapping[Category, Tally], lexicon: Lexicon, source: str
) -> SpamFinding | None:
    """A trade in a page's head of which the page itself says nothing, as break-ins leave it.

    One strong phrase and another are enough for suspect, or a strong one in the address of another site that is named
    as the page's own. `site` is the page's registrable domain.
    """
    if len(parts.text) < _BEHIND:
        return None
    heads = [Zoned("title", parts.title), *(Zoned("meta", text) for text in parts.heads)]
    elsewhere = [
        Zoned("url", address)
        for address in (parts.canonical, parts.amphtml)
        if address and site and domain_of(address) not in (None, site)
    ]
    for category, counted in tally([*heads, *elsewhere], None, lexicon).trades.items():
        own = tallies.get(category)
        if own is not None and (own.found["body", 3] or own.found["body", 2]):
            continue
        strong, others = counted.distinct(3), counted.distinct(2)
        if strong and (strong + others >= _TRADES_WORDS or counted.found["body", 3]):
            return SpamFinding(category, False, 0.0, 0.0, _evidence(counted, lexicon.version, False, source))
    return None


_END = re.compile(r"[.!?…。！？]")
_SHORTEST, _LONGEST = 25, 400
_CHARS = 60_000
# A page of so many sentences, most of which are one of a few that stand there three times and more.
_LEAST, _TIMES, _FEW, _SHARE = 40, 3, 6, 0.7
_SHOWN = 3


def find_repeated_sentences(text: str, source: str, version: str) -> SpamFinding | None:
    """A doorway's finding in a text with single blanks, or None."""
    spans = list(_spans(text[:_CHARS]))
    if len(spans) < _LEAST:
        return None
    found = [(text[start:end].strip().lower(), start, end) for start, end in spans]
    counts = Counter(sentence for sentence, _, _ in found)
    repeated = {sentence: times for sentence, times in counts.items() if times >= _TIMES}
    total = sum(repeated.values())
    if len(repeated) < _FEW or total < _SHARE * len(found) or is_filler(" ".join(repeated)):
        return None
    first = {sentence: (start, end) for sentence, start, end in reversed(found)}
    shown = sorted(repeated, key=lambda sentence: -repeated[sentence])[:_SHOWN]
    evidence = tuple(
        Evidence(
            code="repeated_sentence",
            category="doorway",
            severity=2,
            zone="body",
            quote=quote(text, *first[sentence], source),
            rule=f"the sentence stands {repeated[sentence]} times",
            lexicon=version,
        )
        for sentence in shown
    )
    return SpamFinding("doorway", True, 0.0, 0.0, evidence)


def _spans(text: str) -> Iterator[Span]:
    """Where sentences stand: of a longer one its end. Searched by their ends, as a text without any has none."""
    start = 0
    for match in _END.finditer(text):
        end = match.start()
        if end - start >= _SHORTEST:
            yield max(start, end - _LONGEST), match.end()
        start = match.end()
