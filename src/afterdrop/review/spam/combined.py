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
# Where the lists know the trade's words and find too few of them for a hint.
SPARSE_FROM = 0.8
# Suspect becomes spam: the chance with so many phrases of the lists.
SPAM_FROM, PHRASES = 0.65, 3
CERTAIN, CERTAIN_PHRASES = 0.9, 2
# The same on a page whose title or heading has a strong phrase, where nothing speaks for an honest page.
HEADED_FROM = 0.4
# Words of reports near them keep a page from being raised to spam, unless strong phrases are as many as this.
GUARDED, LOUD = 2, 4
# Fewer phrases than so many, none in title, description or heading, are a mention.
MENTIONS = 5
# So many phrases say who stands behind a page: it is not raised.
PUBLISHER = 3
# So small a chance leaves a page clean that the lists alone suspect; with so many phrases of a publisher a greater one.
DOUBTED = 0.03
NAMED, NAMED_DOUBTED = 2, 0.5
_ZONES: dict[str, Zone] = {"head": "title", "text": "body", "links": "link"}


def combined_spam(
    found: SpamFinding | None,
    chance: float,
    tallies: Mapping[Category, Tally],
    words: Sequence[Evidence],
    publisher_phrases: int = 0,
) -> SpamFinding | None:
    """The finding after the second opinion, whose probability is `chance` and whose telling words are `words`.

    A page that says who stands behind it by PUBLISHER phrases (`publisher_phrases`) is not raised.
    """
    if found is None or (found.hinted and chance < HINTED_FROM):
        known = any(one.distinct(3) + one.distinct(2) for one in tallies.values())
        if chance < (SPARSE_FROM if known else SUSPECT_FROM) or publisher_phrases >= PUBLISHER:
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


def _doubted(tally: Tally, publisher_phrases: int) -> float:
    """The chance below which a page that the lists suspect is clean: greater where its publisher names himself."""
    headed = tally.distinct(3, "title", "head")
    return NAMED_DOUBTED if publisher_phrases >= NAMED and not headed else DOUBTED


def _is_spam(tally: Tally, chance: float, publisher_phrases: int) -> bool:
    """Whether the lists say enough beside a chance: less where it is nearly certain, or where the title tells."""
    strong, products = tally.distinct(3), tally.distinct(2)
    guards, listed = tally.distinct(-1), tally.listed(3)
    if publisher_phrases >= PUBLISHER:
        return False
    headed = tally.distinct(3, "title", "head")
    plain = headed > 0 and not guards and not publisher_phrases
    if chance >= CERTAIN:
        return plain or strong + products + listed + tally.listed(2) >= CERTAIN_PHRASES
    if chance >= HEADED_FROM and plain:
        return strong + products + listed >= CERTAIN_PHRASES
    said = strong + products + listed
    mention = not (headed or tally.distinct(2, "title", "head")) and said + tally.listed(2) < MENTIONS
    guarded = guards >= GUARDED and strong < LOUD
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
