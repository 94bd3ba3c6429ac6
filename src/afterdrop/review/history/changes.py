"""What changed over a site's life: its subject, its language.

Pure. A change counts when each side stands on two digests or half a year, and when the owner changed too: a
redesign keeps brand or contacts, a bilingual site names its other language (hreflang) or goes back to it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

from afterdrop.review.history.samples import Sample, overlap, same_owner, shared_words, title_words
from afterdrop.review.history.timeline import Stretch, total
from afterdrop.review.page.reading import PageReading

SAME_SUBJECT = 0.22
CLEARLY_OTHER = 0.06
SAME_TITLE = 0.1
# Between pages of different topics: less in common than this may be the town both are in.
PART_OF_A_BRAND = 0.3
PART_OF_A_TITLE = 0.2
ENOUGH_WORDS = 30
LONG_ENOUGH = timedelta(days=180)
CONFUSABLE = (
    frozenset({"no", "da", "sv"}),
    frozenset({"hr", "sr", "sl", "bs", "mk"}),
    frozenset({"id", "ms"}),
    frozenset({"ca", "es", "gl", "pt"}),
    frozenset({"cs", "sk"}),
    frozenset({"ru", "uk", "bg", "be"}),
    frozenset({"zh", "ja"}),
)
_REALLY_TWO = frozenset({frozenset({"es", "pt"}), frozenset({"zh", "ja"})})
_WORD = re.compile(r"[^\W\d_]{5,}")
_SIGNS = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{2,}")


@dataclass(frozen=True, slots=True)
class Change:
    """From `before` to `after` (captures of the home page) the site turned from `old` to `new`."""

    before: Sample
    after: Sample
    old: str | None
    new: str | None


def language_changes(parts: Sequence[Stretch], inherited: frozenset[str]) -> tuple[Change, ...]:
    """Confirmed changes of language between stretches that show the site itself.

    `inherited` are the words of the domain's own name, which every owner of it shares.
    """
    spoken = [part for part in parts if part.sample.kind == "site" and part.sample.page.language_sure]
    runs = [run for run in _runs(spoken, lambda part: part.sample.page.language) if _confirmed(run)]
    merged: list[list[Stretch]] = []
    for run in runs:
        if merged and _language(merged[-1]) == _language(run):
            merged[-1].extend(run)
        else:
            merged.append(list(run))
    spells = Counter(_language(run) for run in merged)
    return tuple(
        Change(old[-1].sample, new[0].sample, _language(old), _language(new))
        for old, new in pairwise(merged)
        if not _confusable(_language(old), _language(new))
        and not (spells[_language(old)] > 1 and spells[_language(new)] > 1)  # to and fro: a bilingual site
        and not _one_site_in_two(old, new, inherited)
    )


def topic_changes(parts: Sequence[Stretch], inherited: frozenset[str]) -> tuple[Change, ...]:
    """Confirmed changes of subject between stretches that show the site itself."""
    sites = [part for part in parts if part.sample.kind == "site"]
    found = []
    for place in range(1, len(sites)):
        before, after = sites[max(place - 2, 0) : place], sites[place : place + 2]
        if not (_confirmed(before) and _confirmed(after)):
            continue
        pages = [(old.sample.page, new.sample.page) for old in before for new in after]
        if all(other_subject(old, new, inherited) for old, new in pages):
            old, new = before[-1].sample, after[0].sample
            found.append(Change(old, new, old.page.topic, new.page.topic))
    return tuple(found)


def other_subject(ours: PageReading, theirs: PageReading, inherited: frozenset[str]) -> bool:
    """Whether two pages of one domain are about different things and from different owners.

    A name's own words are inherited with it, so a brand made of them alone asks for more: other topics or texts
    with next to nothing in common. Where the topics differ, one word in common (the town both are in) is no owner.
    """
    if ours.topic and theirs.topic and ours.topic == theirs.topic:
        return False
    topics = bool(ours.topic and theirs.topic)
    if same_owner(ours, theirs, inherited, PART_OF_A_BRAND if topics else 0):
        return False
    titles = title_words(ours.title) - inherited, title_words(theirs.title) - inherited
    if overlap(*titles) >= (PART_OF_A_TITLE if topics else SAME_TITLE):
        return False
    if ours.language != theirs.language:
        return topics  # texts in two languages have no words in common to compare
    alike = likeness(ours.text, theirs.text)
    if alike is None:
        return topics
    own_name = bool(ours.brand_tokens & theirs.brand_tokens)
    return alike < (CLEARLY_OTHER if own_name and not topics else SAME_SUBJECT)


def likeness(ours: str, theirs: str) -> float | None:
    """Cosine of two texts' content words (pairs of signs where a script has no blanks), None with too few."""
    left, right = content_words(ours), content_words(theirs)
    if min(left.total(), right.total()) < ENOUGH_WORDS:
        return None
    weights = {word: 1 + math.log(count) for word, count in left.items()}
    other = {word: 1 + math.log(count) for word, count in right.items()}
    dot = sum(weight * other[word] for word, weight in weights.items() if word in other)
    return dot / (_norm(weights) * _norm(other))


def content_words(text: str) -> Counter[str]:
    """Words of five letters and more that are not mere grammar, and pairs of signs of unspaced scripts."""
    lowered = text[:40_000].lower()
    words = Counter(word for word in _WORD.findall(lowered) if word < "\u0e00" and word not in shared_words())
    for run in _SIGNS.findall(lowered):
        words.update(run[at : at + 2] for at in range(len(run) - 1))
    return words


def _norm(weights: dict[str, float]) -> float:
    return math.sqrt(sum(weight * weight for weight in weights.values()))


def _runs(parts: Sequence[Stretch], value: Callable[[Stretch], str | None]) -> list[list[Stretch]]:
    runs: list[list[Stretch]] = []
    for part in parts:
        if runs and value(runs[-1][-1]) == value(part):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _confirmed(run: Sequence[Stretch]) -> bool:
    digests = {part.sample.digest or part.sample.at.isoformat() for part in run}
    return len(digests) >= 2 or total(run) >= LONG_ENOUGH


def _language(run: Sequence[Stretch]) -> str | None:
    return run[0].sample.page.language


def _confusable(ours: str | None, theirs: str | None) -> bool:
    pair = frozenset({ours or "", theirs or ""})
    return pair not in _REALLY_TWO and any(pair <= family for family in CONFUSABLE)


def _one_site_in_two(old: Sequence[Stretch], new: Sequence[Stretch], inherited: frozenset[str]) -> bool:
    """One owner on both sides, or pages that point to their version in the other language."""
    for before in old:
        for after in new:
            ours, theirs = before.sample.page, after.sample.page
            if same_owner(ours, theirs, inherited):
                return True
            if (theirs.language or "") in _named(ours) or (ours.language or "") in _named(theirs):
                return True
    return False


def _named(page: PageReading) -> frozenset[str]:
    return frozenset(code.lower().partition("-")[0] for code in page.hreflangs)
