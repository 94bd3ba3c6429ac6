"""What can be counted on a page, as numbers beside its words: phrases by trade, what the rules say, its shape.

Pure. NAMES tells what each number is. Numbers are scaled so that most lie between 0 and 1. How the page is built is
measured in `structure.py`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

import numpy as np

from afterdrop.review.page.phrases import fold
from afterdrop.review.page.reading import Category
from afterdrop.review.page.signs import Signs
from afterdrop.review.page.view import PageView
from afterdrop.review.spam.structure import BUILT, outside_domains, structure
from afterdrop.review.spam.lexicon import lexicon
from afterdrop.review.spam.page_spam import Weighed, is_hinted, is_spam, is_suspect, weigh
from afterdrop.review.spam.page_words import LEVELS, PLACES, PageWords, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

TRADES: tuple[Category, ...] = tuple(sorted(set(get_args(Category)) - {"injected"}))
_COUNTS = tuple(f"{place} {level}" for place in PLACES for level in LEVELS)
_RULES = (
    "points", "density", "strong", "medium", "guards", "headed", "reported", "titled", "spam", "suspect", "hint",
    "spam and no guard", "headed and no guard",
)  # fmt: skip
_SHAPE = (
    "words", "few words", "hardly any words", "outside domains", "anchors", "outside anchors", "most linked domain",
    "article", "publisher", "publishers", "hidden text", "lists", "forms", "frames", "other language",
    "keywords", "title length", "title words in text", "title pair in text", "different words", "repeated sentences",
    "digits", "percents", "prices", "shouting", "signs", "own links", "no link", "bare name as title",
    "bare name as heading", "trade in a short page's title",
)  # fmt: skip
_OTHERS = ("planted", "surely planted", "parked by rules", "surely parked", "error by rules")
NAMES = (
    *(f"{trade} {count}" for trade in TRADES for count in _COUNTS),
    *(f"any {count}" for count in _COUNTS),
    *(f"rules: {name}" for name in _RULES),
    *(f"page: {name}" for name in _SHAPE),
    *(f"found: {name}" for name in _OTHERS),
    *(f"built: {name}" for name in BUILT),
)
_TEXT, _PAIRS = 10_000, 6
_SENTENCE = re.compile(r"[.!?…。！？]+")
_PRICES, _PRICE_WORDS = "$€£¥₽₹", ("usd", "eur", "rub", "idr", "rp")
_SIGN = re.compile("[\u2600-\u2fff\U0001f000-\U0001ffff]")
_NAME = re.compile(r"^\W*+(?:https?://)?(?:www\.)?[\w-]{1,63}(?:\.[\w-]{2,63}){1,2}\W*$")
_LEAST_SENTENCE, _FEW, _HARDLY = 25, 60, 20


def figures(view: PageView, signs: Signs) -> Floats:
    """One number for each of NAMES."""
    words = signs.words
    counted = np.array([_counts(words.tallies.get(trade)) for trade in TRADES], np.float32)
    numbers = (
        *_by_rules(words, view.words),
        *_shape(view, words),
        *_others(signs),
        *structure(view),
    )
    return np.concatenate([counted.ravel(), counted.max(axis=0), np.array(numbers, np.float32)])


def _counts(tally: Tally | None) -> list[float]:
    return [
        math.log1p(len(tally.found[place, level])) if tally else 0.0 for place in PLACES for level in LEVELS
    ]


def _by_rules(found: PageWords, words: int) -> Sequence[float]:
    """What the rules say of the trade with most points."""
    pages = [
        weigh(one, words, len(found.publisher_phrases), explicit=trade in lexicon().medium_decides)
        for trade, one in found.tallies.items()
    ]
    if not pages:
        return [0.0] * len(_RULES)
    best = max(pages, key=lambda page: page.points)
    spam = any(map(is_spam, pages))
    return _told(best, spam, any(map(is_suspect, pages)), any(map(is_hinted, pages)))


def _told(best: Weighed, spam: bool, suspect: bool, hint: bool) -> Sequence[float]:
    return (
        max(-1.0, min(3.0, best.points / 10)),
        min(2.0, best.density / 4),
        math.log1p(best.strong) / 2,
        math.log1p(best.medium) / 2,
        math.log1p(best.guards) / 2,
        math.log1p(best.headed),
        min(2.0, best.reported),
        min(1.0, best.titled),
        spam,
        spam or suspect,
        spam or suspect or hint,
        spam and not best.guards,
        best.headed > 0 and not best.guards,
    )


def _others(found: Signs) -> Sequence[float]:
    planted, parked = found.planted, found.parked
    return (
        planted is not None,
        planted is not None and planted.strict,
        parked is not None,
        parked is not None and parked.sure,
        found.fault is not None,
    )


def _shape(view: PageView, found: PageWords) -> Sequence[float]:
    parts, words = view.parts, view.words
    outside = outside_domains(view)
    links, publishers = len(parts.anchors), len(found.publisher_phrases)
    titled = any(one.distinct(level, "title") for one in found.tallies.values() for level in (3, 2, 1))
    return (
        math.log1p(words) / 5,
        words < _FEW,
        words < _HARDLY,
        math.log1p(len(outside)) / 3,
        math.log1p(links) / 4,
        outside.total() / (links + 1),
        max(outside.values(), default=0) / (links + 1),
        parts.article,
        publishers > 0,
        math.log1p(publishers),
        math.log1p(len(parts.hidden)) / 8,
        sum(end - start for start, end in found.lists) / (len(parts.text) + 1),
        min(3, parts.forms) / 3,
        min(3, len(parts.frames)) / 3,
        parts.html_lang is not None and view.spoken.language not in {None, parts.html_lang},
        math.log1p(len(parts.metas.get("keywords", ""))) / 6,
        min(2.0, len(parts.title) / 80),
        *_text(parts.title, parts.text[:_TEXT]),
        math.log1p(links - outside.total()) / 4,
        links == 0,
        _NAME.match(parts.title) is not None,
        any(map(_NAME.match, parts.headings[:2])),
        words < _FEW and titled,
    )


def _text(title: str, text: str) -> Sequence[float]:
    plain = fold(text)
    words = plain.split()
    total = len(words) + 20
    counts = Counter(words)
    prices = sum(map(text.count, _PRICES)) + sum(counts[word] for word in _PRICE_WORDS)
    named = [word for word in fold(title).split() if len(word) > 3]
    pairs = [f"{one} {other}" for one, other in pairwise(named)]
    sentences = [one.strip() for one in _SENTENCE.split(text.lower())]
    long = [one for one in sentences if len(one) >= _LEAST_SENTENCE]
    return (
        min(2.0, 10 * sum(counts[word] for word in set(named)) / total),
        min(2.0, 50 * max((plain.count(pair) for pair in set(pairs[:_PAIRS])), default=0) / total),
        len(counts) / total,
        1 - len(set(long)) / len(long) if long else 0.0,
        min(1.0, 10 * sum(times for word, times in counts.items() if word.isdigit()) / total),
        min(1.0, 20 * text.count("%") / total),
        min(1.0, 20 * prices / total),
        min(1.0, 20 * (text.count("!") + text.count("！")) / total),
        min(1.0, 10 * len(_SIGN.findall(text)) / total),
    )
