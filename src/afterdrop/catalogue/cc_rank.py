"""The course of a name's place in the open web graph over its releases: it rises or falls, and since when. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from afterdrop.catalogue.link_shapes import CcRank, RankPlace, RankTrend
from afterdrop.sources.metrics.model import LINK_PLACE, Metrics

# From how many points of the link rank on a change is one: between two releases those of most names differ by less.
_MOVED: Final = 1.5


def cc_rank(metrics: Metrics) -> CcRank | None:
    """The places of a name in each release, the oldest first; None where no table of ranks knows it."""
    places = [
        cast(RankPlace, place)
        for metric in metrics.all_of(LINK_PLACE)
        for place in (metric.value if isinstance(metric.value, list) else ())
    ]
    if not places:
        return None
    places.sort(key=lambda place: (place["as_of"], place["release"]))
    trend, since = _trend(places)
    return {"places": places, "trend": trend, "since": since}


def _trend(places: Sequence[RankPlace]) -> tuple[RankTrend | None, str | None]:
    """Where it goes since its latest turn: up from its lowest place, or down from its highest, whichever came later."""
    if len(places) < 2:
        return None, None
    now = places[-1]["rank"]
    lowest = min(reversed(places), key=lambda place: place["rank"])
    highest = max(reversed(places), key=lambda place: place["rank"])
    rises, falls = now - lowest["rank"] >= _MOVED, highest["rank"] - now >= _MOVED
    if rises and (not falls or lowest["as_of"] > highest["as_of"]):
        return "rising", lowest["as_of"]
    return ("falling", highest["as_of"]) if falls else ("steady", None)
