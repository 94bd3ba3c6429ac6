"""Where the two archives saw different things at one time: a site that shows its visitors different pages.

Pure. Intruders on a site often show spam to a search engine's crawler alone, so that its owner sees nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Final

from afterdrop.review.history.findings import day
from afterdrop.review.history.samples import Sample

# Captures that are further apart may show two pages of one site that changed.
_AT_ONE_TIME: Final = timedelta(days=30)
_MOST: Final = 3


def cloaking_notes(samples: Sequence[Sample]) -> tuple[str, ...]:
    """A sentence for each pair of captures of one address of which one archive's shows spam, the other's the site."""
    by_address: dict[str, list[Sample]] = {}
    for sample in sorted(samples, key=lambda sample: sample.at):
        if sample.kind in ("site", "spam"):
            by_address.setdefault("/" if sample.home else sample.url, []).append(sample)
    pairs = [pair for same in by_address.values() for pair in pairwise(same) if _disagree(*pair)]
    return tuple(_sentence(*sorted(pair, key=lambda sample: sample.kind)) for pair in pairs[:_MOST])


def _disagree(one: Sample, other: Sample) -> bool:
    if one.kind == other.kind or one.archive == other.archive:
        return False
    return other.at - one.at <= _AT_ONE_TIME


def _sentence(site: Sample, spam: Sample) -> str:
    return (
        f"{spam.archive[0].upper()}{spam.archive[1:]} saw spam on {day(spam.at)} where {site.archive} saw the site on"
        f" {day(site.at)}: it may have shown its visitors different pages."
    )
