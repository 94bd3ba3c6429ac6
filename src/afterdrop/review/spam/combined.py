"""What a second opinion changes: it raises a page by one step at most, and says by which words.

Pure. Clean becomes suspect, suspect becomes spam; spam needs phrases of the lists as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from afterdrop.review.page.quotes import quote
from afterdrop.review.page.reading import Category, Evidence, Zone
from afterdrop.review.spam.page_spam import SpamFinding
from afterdrop.review.spam.second_opinion import Telling
from afterdrop.review.spam.tally import Tally

# Clean becomes suspect: without a phrase of the lists, and with a hint of them. Of 1,384 honest pages of the
# development groups one is hinted at, with a chance of .04 by a model that had not seen it.
SUSPECT_FROM, HINTED_FROM = 0.7, 0.35
# Where the lists know the trade's words and find too few of them for a hint; where they find two; on a long page.
SPARSE_FROM, PAIR_FROM, PAIR = 0.8, 0.5, 2
LONG_FROM, LONG = 0.95, 1000
# Suspect becomes spam: the chance with so many phrases of the lists.
SPAM_FROM, PHRASES = 0.65, 3
CERTAIN, CERTAIN_PHRASES = 0.9, 2
# The same on a page whose title or heading has a strong phrase, where nothing speaks for an honest page; alone, with
# another phrase, and a product word instead of it.
PLAIN_FROM, HEADED_FROM, HEADED_PHRASES = 0.8, 0.3, 2
TITLED_FROM, TITLED_PHRASES = 0.5, 3
# Words of reports near them keep a page from being raised to spam, unless strong phrases are as many as this, or
# product words fill the title and are more than twice as many.
GUARDED, LOUD, FILLED = 2, 4, 2
# Fewer phrases than so many, none in title, description or heading, are a mention.
MENTIONS = 5
# So many phrases say who stands behind a page: it is not raised.
PUBLISHER = 3
# So small a chance leaves a page clean that the lists alone suspect; a greater one where so many phrases name a
# publisher, and where all that accuses stands in lists of links.
DOUBTED = 0.03
NAMED, NAMED_DOUBTED, LISTED_DOUBTED = 2, 0.6, 0.5
_ZONES: dict[str, Zone] = {"head": "title", "text": "body", "links": "link"}


def combined_spam(
    found: SpamFinding | None,
    chance: float,
    tallies: Mapping[Category, Tally],
    words: Sequence[Evidence],
    publisher_phrases: int = 0,
    length: int = 0,
) -> SpamFinding | None:
    """The finding after the second opinion, whose probability is `chance` and whose telling words are `words`.

    A page that says who stands behind it by PUBLISHER phrases (`publisher_phrases`) is not raised. `length`: its words.
    """
    if found is None or (found.hinted and chance < HINTED_FROM):
        if chance < _suspected(tallies, length) or publisher_phrases >= PUBLISHER:
            return None
        trade = _trade(tallies)
        return SpamFinding(trade, False, 0.0, 0.0, _of(words, trade))
    if found.strict:
        return found
    tally = tallies.get(found.category, Tally())
    if chance < _doubted(tally, publisher_phrases):
        return None
    if found.hinted:
        if publisher_phrases >= PUBLISHER:
            return None
        found = replace(found, hinted=False, evidence=(*found.evidence, *_of(words, found.category)))
    elif _is_spam(tally, chance, publisher_phrases):
        return replace(found, strict=True, evidence=(*found.evidence, *_of(words, found.category)))
    return found


def _of(words: Sequence[Evidence], trade: Category) -> tuple[Evidence, ...]:
    return tuple(replace(item, category=trade) for item in words)


def _trade(tallies: Mapping[Category, Tally]) -> Category:
    """The trade most phrases are of; without any the page is a doorway to whatever it sells."""
    counts = {
        trade: 3 * one.distinct(3) + 2 * one.distinct(2) + one.distinct(1) for trade, one in tallies.items()
    }
    best = max(counts, key=lambda trade: (counts[trade], trade), default=None)
    return best if best and counts[best] > 1 else "doorway"


def _suspected(tallies: Mapping[Category, Tally], length: int) -> float:
    """The chance from which a page is suspect that the lists do not even hint at."""
    if length >= LONG:
        return LONG_FROM
    if not any(one.distinct(3) + one.distinct(2) for one in tallies.values()):
        return SUSPECT_FROM
    most = max(one.distinct(3) + one.distinct(2) + one.listed(3) + one.listed(2) for one in tallies.values())
    return PAIR_FROM if most >= PAIR else SPARSE_FROM


def _doubted(tally: Tally, publisher_phrases: int) -> float:
    """The chance below which a page that the lists suspect is clean."""
    if not tally.distinct(3) + tally.distinct(2):
        return LISTED_DOUBTED
    headed = tally.distinct(3, "title", "head")
    return NAMED_DOUBTED if publisher_phrases >= NAMED and not headed else DOUBTED


def _is_spam(tally: Tally, chance: float, publisher_phrases: int) -> bool:
    """Whether the lists say enough beside a chance: less where it is nearly certain, or where the title tells."""
    if publisher_phrases >= PUBLISHER:
        return False
    strong, guards = tally.distinct(3), tally.distinct(-1)
    said = strong + tally.distinct(2) + tally.listed(3)
    headed, titled = tally.distinct(3, "title", "head"), tally.distinct(2, "title", "head")
    plain = not guards and not publisher_phrases
    if plain and headed and (chance >= PLAIN_FROM or (chance >= HEADED_FROM and said >= HEADED_PHRASES)):
        return True
    if plain and titled and chance >= TITLED_FROM and said >= TITLED_PHRASES:
        return True
    if chance >= CERTAIN:
        return said + tally.listed(2) >= CERTAIN_PHRASES
    mention = not (headed or titled) and said + tally.listed(2) < MENTIONS
    filled = titled >= FILLED and said > 2 * guards
    guarded = guards >= GUARDED and strong < LOUD and not filled
    return chance >= SPAM_FROM and not (mention or guarded) and said >= PHRASES


def telling_words(told: Sequence[Telling], version: str, source: str) -> tuple[Evidence, ...]:
    """The words that weighed most, each once, as evidence."""
    items: dict[str, Evidence] = {}
    for one in told:
        quoted = quote(one.text, one.start, one.end, source)
        rule = f"second opinion: weight {one.weight:.2f}"
        items.setdefault(
            quoted.lower(), Evidence("second_opinion", "doorway", 1, _ZONES[one.zone], quoted, rule, version)
        )
    return tuple(items.values())
