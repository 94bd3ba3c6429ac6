"""The score of a reviewed domain, 0-100, with every part that made it. Pure.

`score = round(100 x B x C x (1 - penalty))`: B is the weighted mean of the known parts, C falls with what is unknown,
the penalty rises with found flags and is highest for spam. Figures: `weights.current()`. docs/SCORE.md explains it to
users.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal, NotRequired, TypedDict

from afterdrop.metrics.model import (
    AUTHORITY_SCORE,
    DOMAIN_RATING,
    LINK_RANK,
    PAGERANK,
    REFERRING_DOMAINS,
    TRUST_FLOW,
    Metrics,
    Role,
)
from afterdrop.review.flags.risk_flags import Flag, Severity
from afterdrop.scoring.weights import PARTS, Part, Weights, current

_ROLE_OF_PART: Final[Mapping[Part, Role]] = {
    "<vendor_c>_dr": DOMAIN_RATING,
    "trust_flow": TRUST_FLOW,
    "ref_domains": REFERRING_DOMAINS,
    "<vendor_a>_as": AUTHORITY_SCORE,
    "<vendor_d>_pagerank": PAGERANK,
}
# How the note of a penalty for spam begins. Reports that keep no standing are told by it.
SPAM_NOTE: Final = "Rejected for spam"
_YEAR_DAYS: Final = 365.25
# Parts are shown with four decimals, and the points are computed from exactly what is shown.
_DECIMALS: Final = 4


@dataclass(frozen=True, slots=True)
class ArchiveYears:
    """What the archive says of a domain's years. Without any capture history and age are unknown.

    `good_years` are the calendar years that count: with a good capture of an honest page. None: no capture was
    read. `parked_years` are subtracted besides, as weights before 2026-11-22 have it; later reviews give none.
    """

    first_capture: datetime | None = None
    last_capture: datetime | None = None
    good_years: frozenset[int] | None = frozenset()
    parked_years: frozenset[int] = frozenset()

    @property
    def counted(self) -> tuple[int, int] | None:
        """How many of the years from first to last capture count, and how many those are."""
        if self.first_capture is None or self.last_capture is None or self.good_years is None:
            return None
        years = range(self.first_capture.year, self.last_capture.year + 1)
        good, parked = (
            sum(year in group for year in years) for group in (self.good_years, self.parked_years)
        )
        return max(good - parked, 0), max(len(years), 1)

    @property
    def history(self) -> float | None:
        """Share of the years from first to last capture that count, 0-1."""
        counted = self.counted
        return None if counted is None else counted[0] / counted[1]


@dataclass(frozen=True, slots=True)
class Risks:
    """What speaks against a domain: the flags found, with their severity, and why it is rejected for spam, if it is."""

    flags: Mapping[Flag, Severity] = field(default_factory=dict)
    spam: str | None = None


class ScoreInput(TypedDict):
    """The figure a part was made from. `of` is what it is counted against, `source` the provider, `at` its time."""

    value: float
    of: NotRequired[int]
    source: NotRequired[str]
    at: NotRequired[str]


def _instant(moment: datetime) -> str:
    """A time as the interface writes it."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


@dataclass(frozen=True, slots=True)
class Score:
    """Points 0-100 and where they come from.

    `breakdown` has the interface's nine keys: eight parts, 0-1 or None when unknown, and `penalty`. `notes` explain, by
    key, the parts that need it. `confidence` is C; `version` names the weights. `inputs` are the figures of the known
    parts, as they were when the score was made.
    """

    points: int
    breakdown: Mapping[str, float | None]
    notes: Mapping[str, str]
    confidence: float
    version: str
    inputs: Mapping[str, ScoreInput] = field(default_factory=dict)


def score(
    metrics: Metrics,
    years: ArchiveYears,
    price_usd: int | None,
    risks: Risks,
    now: datetime,
    weights: Weights | None = None,
) -> Score:
    """Score one domain on the metrics its audience may know. `price_usd` is None when there is no price."""
    figures = weights or current()
    parts, inputs, notes = _links(metrics, figures)
    parts["history"] = years.history
    if years.counted is not None:
        inputs["history"] = {"value": years.counted[0], "of": years.counted[1]}
    if years.first_capture is not None:
        age = (now - years.first_capture).total_seconds() / 86400 / _YEAR_DAYS
        parts["age"] = figures.curves["age"].at(age)
        inputs["age"] = {"value": round(age, 1), "at": _instant(years.first_capture)}
    if price_usd is not None:
        parts["price"] = figures.curves["price"].at(price_usd)
        inputs["price"] = {"value": price_usd, "at": _instant(now)}
    penalty = figures.penalty(risks.flags)
    if risks.spam is not None:
        penalty, notes["penalty"] = figures.most_penalty, f"{SPAM_NOTE}: {risks.spam}"
    return replace(_sum_up(parts, penalty, figures, notes), inputs=inputs)


def _links(
    metrics: Metrics, figures: Weights
) -> tuple[dict[Part, float | None], dict[str, ScoreInput], dict[str, str]]:
    """The parts made from link figures (the others still unknown), with what they were made from, and notes."""
    parts: dict[Part, float | None] = dict.fromkeys(PARTS)
    inputs: dict[str, ScoreInput] = {}
    notes: dict[str, str] = {}
    for part, role in _ROLE_OF_PART.items():
        metric = metrics.best(role)
        curve = figures.curves[part]
        if metric is None and role == PAGERANK:
            metric, curve = metrics.best(LINK_RANK), figures.curves["link_rank"]
            if metric is not None:
                notes[part] = (
                    f"Based on the open link rank ({metric.value}), not on the provider's own figure."
                )
        if metric is None or not isinstance(metric.value, int | float):
            continue
        parts[part] = curve.at(metric.value)
        inputs[part] = {"value": metric.value, "source": metric.provider, "at": _instant(metric.fetched_at)}
    return parts, inputs, notes


def _sum_up(
    parts: Mapping[Part, float | None],
    penalty: float,
    figures: Weights,
    notes: Mapping[str, str],
) -> Score:
    shown: dict[str, float | None] = {
        part: None if value is None else round(value, _DECIMALS) for part, value in parts.items()
    }
    shown["penalty"] = round(penalty, _DECIMALS)
    confidence = _confidence(shown, figures)
    fraction = _mean(shown, figures) * confidence * (1 - round(penalty, _DECIMALS))
    # Round half up, but first drop float noise below a billionth of a point: 44.5 is listed on every machine.
    points = math.floor(round(100 * fraction, 9) + 0.5)
    return Score(points, shown, dict(notes), round(confidence, _DECIMALS), figures.version)


def _mean(shown: Mapping[str, float | None], figures: Weights) -> float:
    known = [(weight, shown[part]) for part, weight in figures.parts.items()]
    total = sum(weight for weight, value in known if value is not None)
    return sum(weight * value for weight, value in known if value is not None) / total if total else 0.0


def _confidence(shown: Mapping[str, float | None], figures: Weights) -> float:
    known = sum(weight for part, weight in figures.parts.items() if shown[part] is not None)
    least = figures.least_confidence
    return least + (1 - least) * known / sum(figures.parts.values())


def contributions(breakdown: Mapping[str, float | None], weights: Weights | None = None) -> dict[str, float]:
    """The points that each known part adds and the penalty takes (negative); they add up to the unrounded score.

    Unknown parts are absent.
    """
    figures = weights or current()
    known = sum(weight for part, weight in figures.parts.items() if breakdown.get(part) is not None)
    confidence = _confidence({part: breakdown.get(part) for part in PARTS}, figures)
    added = {
        str(part): 100 * weight / known * value * confidence
        for part, weight in figures.parts.items()
        if (value := breakdown.get(part)) is not None
    }
    return {**added, "penalty": -sum(added.values()) * (breakdown.get("penalty") or 0.0)}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a domain is not listed: a code to count and a sentence for people."""

    code: Literal["spam_history", "no_review", "no_link_metric", "low_score"]
    sentence: str


def refusals(
    scored: Score,
    metrics: Metrics,
    *,
    reviewed: bool,
    spam: str | None = None,
    weights: Weights | None = None,
) -> tuple[Refusal, ...]:
    """Every reason not to publish, the weightiest first; empty = publish.

    `reviewed`: the history review is complete. `spam`: the review's sentence when it found spam.
    """
    least = (weights or current()).listed_from
    found: list[Refusal] = []
    if spam is not None:
        found.append(Refusal("spam_history", spam))
    if not reviewed:
        found.append(Refusal("no_review", "The history review is not complete."))
    if not metrics.knows_any():
        found.append(Refusal("no_link_metric", "No link figure is known."))
    if scored.points < least:
        found.append(
            Refusal("low_score", f"The score is {scored.points}. Names below {least} are not listed.")
        )
    return tuple(found)
