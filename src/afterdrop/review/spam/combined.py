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

# Of 1,384 honest pages of the development groups none came to more than .73 by a model that had not seen it.
SUSPECT_FROM, SPAM_FROM = 0.75, 0.8
# So many phrases of the lists spam takes beside a high probability.
PHRASES = 3
CERTAIN, CERTAIN_PHRASES = 0.9, 2
# Words of reports near them keep a page from being raised to spam, unless strong phrases are as many as this.
GUARDED, LOUD = 2, 4
# Fewer phrases than so many, none in title, description or heading, are a mention.
MENTIONS = 5
PUBLISHER = 3
# So small a chance leaves a page clean that the lists alone suspect.
DOUBTED = 0.03
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
    if found is None:
        if chance < SUSPECT_FROM or publisher_phrases >= PUBLISHER:
            return None
        trade = _trade(tallies)
        return SpamFinding(trade, False, 0.0, 0.0, _of(words, trade))
    if not found.strict and chance < DOUBTED:
        return None
    if (
        found.strict
        or publisher_phrases >= PUBLISHER
        or chance < SPAM_FROM
        or not _listed(tallies.get(found.category), chance)
    ):
        return found
    return replace(found, strict=True, evidence=(*found.evidence, *_of(words, found.category)))


def _of(words: Sequence[Evidence], trade: Category) -> tuple[Evidence, ...]:
    return tuple(replace(item, category=trade) for item in words)


def _trade(tallies: Mapping[Category, Tally]) -> Category:
    """The trade most phrases are of; without any the page is a doorway to whatever it sells."""
    counts = {
        trade: 3 * one.distinct(3) + 2 * one.distinct(2) + one.distinct(1) for trade, one in tallies.items()
    }
    best = max(counts, key=lambda trade: (counts[trade], trade), default=None)
    return best if best and counts[best] > 1 else "doorway"


def _listed(tally: Tally | None, chance: float) -> bool:
    """Whether the lists say enough beside a probability: less where it is nearly certain."""
    if tally is None:
        return False
    strong, products = tally.distinct(3), tally.distinct(2)
    if chance >= CERTAIN:
        return strong + products + tally.listed(3) + tally.listed(2) >= CERTAIN_PHRASES
    headed = tally.distinct(3, "title", "head") + tally.distinct(2, "title", "head")
    mention = not headed and strong + products < MENTIONS
    guarded = tally.distinct(-1) >= GUARDED and strong < LOUD
    return not (mention or guarded) and strong + products + tally.listed(3) >= PHRASES


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
