"""Phrases that a site's honest captures have, too: what stands on every page of an honest site is its menu.

Pure. Such phrases are taken off the captures that they accused; a capture that rested on them becomes less of a case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from afterdrop.review.history.samples import Sample
from afterdrop.review.page.phrases import fold, squeeze
from afterdrop.review.page.reading import Evidence, PageReading

# Weighty phrases that have to stay for a capture to be spam, and the chance that makes up for them.
STAY_SPAM, SURE = 2, 0.5
_CODES = frozenset({"spam_phrase", "hidden_link", "injected_link"})
_CHARS = 60_000


def discounted(samples: Sequence[Sample]) -> list[Sample]:
    """The samples, those accused by phrases of honest captures judged by what is left."""
    honest = [f" {squeeze(fold(s.page.text[:_CHARS]))} " for s in samples if s.kind == "site" and s.home]
    if not honest:
        return list(samples)
    return [_less(sample, honest) if sample.kind in ("spam", "suspect") else sample for sample in samples]


def _less(sample: Sample, honest: Sequence[str]) -> Sample:
    page = sample.page
    kept = tuple(item for item in page.evidence if not _stands(item, honest))
    if len(kept) == len(page.evidence):
        return sample
    return replace(sample, reading=_judged(page, kept))


def _judged(page: PageReading, kept: tuple[Evidence, ...]) -> PageReading:
    weighty = [item for item in kept if item.severity >= 2]
    if page.verdict == "spam" and len(weighty) >= STAY_SPAM:
        return replace(page, evidence=kept)
    if weighty or page.spam_chance >= SURE:
        return replace(page, verdict="suspect", evidence=kept)
    return replace(page, verdict="clean", category=None, evidence=())


def _stands(item: Evidence, honest: Sequence[str]) -> bool:
    """Whether an honest capture has the phrase; a planted link by its words, which stand for its phrase."""
    if item.code not in _CODES:
        return False
    phrase = squeeze(fold(item.rule.rpartition(": ")[2].removesuffix("*")))
    wanted = f" {phrase} " if phrase.isascii() else phrase
    return bool(phrase) and any(wanted in text for text in honest)
