"""The score of a reviewed domain, 0-100, with every part that made it, and the lines that add up to it. Pure.

`score = round(100 x B x C x (1 - penalty))`: B is the weighted mean of the known parts, C falls with what is unknown,
the penalty rises with found flags and is highest for spam. With a serious flag it rises at least so far that the
score stays below the band drawn as good. Figures: `weights.current()`. docs/guide/score.md explains it to
users.

In the lines a part's maximum is its weight, so that it is the same for every domain. The formula's points for parts
that are unknown, because the known ones stand for them, are one line of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal, NamedTuple, NotRequired, TypedDict

from afterdrop.core.json_shapes import instant
from afterdrop.review.flags.risk_flags import Flag, Severity
from afterdrop.scoring.weights import PARTS, Part, Weights, current
from afterdrop.sources.metrics.model import (
    AUTHORITY_SCORE,
    DOMAIN_RATING,
    LINK_RANK,
    PAGERANK,
    REFERRING_DOMAINS,
    TRUST_FLOW,
    Metrics,
    Role,
)

_ROLE_OF_PART: Final[Mapping[Part, Role]] = {
    "<vendor_c>_dr": DOMAIN_RATING,
    "trust_flow": TRUST_FLOW,
    "ref_domains": REFERRING_DOMAINS,
    "<vendor_a>_as": AUTHORITY_SCORE,
    "<vendor_d>_pagerank": PAGERANK,
}
_YEAR_DAYS: Final = 365.25
# Parts are shown with four decimals, and the points are computed from exactly what is shown.
_DECIMALS: Final = 4


@dataclass(frozen=True, slots=True)
class ArchiveYears:
    """The archive's facts about a domain's years. Without any capture history and age are unknown.

    `good_years` are the calendar years that count: with a good capture of an honest page. None: no capture was
    read. Those before `last_owner_from`, the first year of the last owner, were earlier owners' and count less.
    """

    first_capture: datetime | None = None
    last_capture: datetime | None = None
    good_years: frozenset[int] | None = frozenset()
    last_owner_from: int | None = None

    @property
    def counted(self) -> CountedYears | None:
        """How many of the years from first to last capture count, and how many those are."""
        if self.first_capture is None or self.last_capture is None or self.good_years is None:
            return None
        years = range(self.first_capture.year, self.last_capture.year + 1)
        good = [year for year in years if year in self.good_years]
        earlier = sum(year < (self.last_owner_from or 0) for year in good)
        return CountedYears(len(good) - earlier, earlier, max(len(years), 1))


class CountedYears(NamedTuple):
    """Years with an honest page of the last owner, of earlier ones, and all from the first to the last capture."""

    last_owners: int
    earlier_owners: int
    all: int

    def weighted(self, earlier_owner: float) -> float:
        """The years that count, where a year of an earlier owner counts `earlier_owner`."""
        return self.last_owners + earlier_owner * self.earlier_owners


@dataclass(frozen=True, slots=True)
class Risks:
    """The risks of a domain: the flags found, with their severity, and why it is rejected for spam, if it is."""

    flags: Mapping[Flag, Severity] = field(default_factory=dict)
    spam: str | None = None


class ScoreInput(TypedDict):
    """The figure a part was made from. `of` is what it is counted against, `source` the provider, `at` its time."""

    value: float
    of: NotRequired[int]
    source: NotRequired[str]
    at: NotRequired[str]


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
    """Score one domain on its known metrics. `price_usd` is None when there is no price."""
    figures = weights or current()
    parts, inputs, notes = _links(metrics, figures)
    if years.counted is not None:
        value = years.counted.weighted(figures.earlier_owner)
        parts["history"] = value / years.counted.all
        inputs["history"] = {"value": value, "of": years.counted.all}
        if years.counted.earlier_owners:
            notes["history"] = _earlier_owners(years.counted, figures)
    if years.first_capture is not None:
        age = (now - years.first_capture).total_seconds() / 86400 / _YEAR_DAYS
        parts["age"] = figures.curves["age"].at(age)
        inputs["age"] = {"value": round(age, 1), "at": instant(years.first_capture)}
    if price_usd is not None:
        parts["price"] = figures.curves["price"].at(price_usd)
        inputs["price"] = {"value": price_usd, "at": instant(now)}
    penalty = figures.penalty(risks.flags)
    if risks.spam is not None:
        penalty, notes["penalty"] = figures.most_penalty, f"Rejected for spam: {risks.spam}"
    elif any(figures.serious(flag, severity) for flag, severity in risks.flags.items()):
        # The least penalty, as it is shown, that keeps these parts from more points than a serious flag
        # allows.
        shown = _shown(parts)
        best = 100 * _mean(shown, figures) * _confidence(shown, figures)
        steps = 10**_DECIMALS
        least = (
            math.ceil(steps * (1 - figures.serious_most / best)) / steps
            if best > figures.serious_most
            else 0.0
        )
        if least > penalty:
            penalty = least
            notes["penalty"] = f"A serious risk caps the score at {figures.serious_most}."
    return replace(_sum_up(parts, penalty, figures, notes), inputs=inputs)


def _earlier_owners(years: CountedYears, figures: Weights) -> str:
    lost = (1 - figures.earlier_owner) * years.earlier_owners
    points = 100 * figures.parts["history"] / sum(figures.parts.values()) * lost / years.all
    counted = (
        "1 year of an earlier owner counts"
        if years.earlier_owners == 1
        else (f"{years.earlier_owners} years of earlier owners count")
    )
    how = "half" if figures.earlier_owner == 0.5 else f"{figures.earlier_owner:g}"
    return f"{counted} {how}: {points:.1f} points less."


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
        inputs[part] = {"value": metric.value, "source": metric.provider, "at": instant(metric.fetched_at)}
    return parts, inputs, notes


def _sum_up(
    parts: Mapping[Part, float | None],
    penalty: float,
    figures: Weights,
    notes: Mapping[str, str],
) -> Score:
    shown = _shown(parts)
    shown["penalty"] = round(penalty, _DECIMALS)
    confidence = _confidence(shown, figures)
    fraction = _mean(shown, figures) * confidence * (1 - round(penalty, _DECIMALS))
    # Round half up, but first drop float noise below a billionth of a point: 44.5 is listed on every machine.
    points = math.floor(round(100 * fraction, 9) + 0.5)
    return Score(points, shown, dict(notes), round(confidence, _DECIMALS), figures.version)


def _shown(parts: Mapping[Part, float | None]) -> dict[str, float | None]:
    return {part: None if value is None else round(value, _DECIMALS) for part, value in parts.items()}


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

    code: Literal["spam_history", "no_review", "unreadable", "no_link_metric", "low_score"]
    sentence: str


def refusals(
    scored: Score,
    metrics: Metrics,
    *,
    reviewed: bool,
    unread: bool = False,
    spam: str | None = None,
    weights: Weights | None = None,
) -> tuple[Refusal, ...]:
    """Every reason not to publish, the weightiest first; empty = publish.

    `reviewed`: the history review is complete. `unread`: the archive has captures, but none that can be read. `spam`:
    the review's sentence when it found spam.
    """
    least = (weights or current()).listed_from
    found: list[Refusal] = []
    if spam is not None:
        found.append(Refusal("spam_history", spam))
    if not reviewed:
        found.append(Refusal("no_review", "The history review is not complete."))
    if unread:
        found.append(Refusal("unreadable", "No archived page of it could be read."))
    if not metrics.knows_any():
        found.append(Refusal("no_link_metric", "No link figure is known."))
    if scored.points < least:
        found.append(
            Refusal("low_score", f"The score is {scored.points}. Names below {least} are not listed.")
        )
    return tuple(found)


TENTHS: Final = 10


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line: `points` are tenths rounded so that all lines add up to the score shown.

    `cap` is what a serious flag takes besides its share. `name` is a part, a flag, or says the kind again. `share` is
    the part's place on its curve, `most` what it can add. `unknown` lists the parts that nobody gave a figure for.
    """

    kind: Literal["part", "unknown", "flag", "cap", "spam", "rounding"]
    name: str
    points: float
    most: float = 0.0
    share: float | None = None
    unknown: tuple[str, ...] = ()

    @property
    def missed(self) -> float:
        """The points that the line could have had besides."""
        return round(self.most - self.points, 1)


def score_lines(
    breakdown: Mapping[str, float | None],
    points: int,
    flags: Mapping[Flag, Severity],
    *,
    spam: bool = False,
    weights: Weights | None = None,
) -> tuple[ScoreLine, ...]:
    """The lines of a score of `points` with this breakdown; `flags` are those found, `spam` whether it was rejected."""
    figures = weights or current()
    added = contributions(breakdown, figures)
    whole = sum(figures.parts.values())
    known = [part for part in figures.parts if str(part) in added]
    unknown = [part for part in figures.parts if str(part) not in added]
    lines = [
        ScoreLine(
            "part", part, 100 * figures.parts[part] / whole * (breakdown[part] or 0.0), most, breakdown[part]
        )
        for part in known
        for most in [round(100 * figures.parts[part] / whole, 1)]
    ]
    taken = added["penalty"]
    if unknown:
        stood_for = sum(added.values()) - taken - sum(line.points for line in lines)
        most = round(sum(100 * figures.parts[part] / whole for part in unknown), 1)
        lines.append(ScoreLine("unknown", "unknown", stood_for, most, unknown=tuple(unknown)))
    lines += _penalty(taken, breakdown.get("penalty") or 0.0, flags, figures, spam=spam)
    exact = [line.points for line in lines]
    rounded = apportioned(exact)
    shown = [_with_points(line, tenths) for line, tenths in zip(lines, rounded, strict=True)]
    rest = points * TENTHS - sum(rounded)
    return (*shown, *([ScoreLine("rounding", "rounding", rest / TENTHS)] if rest else []))


def _penalty(
    taken: float, penalty: float, flags: Mapping[Flag, Severity], figures: Weights, *, spam: bool
) -> list[ScoreLine]:
    """The lines of a penalty that takes so many points (negative): each flag's own share, then the cap's."""
    if not taken:
        return []
    if spam:
        return [ScoreLine("spam", "spam", taken)]
    shares = {flag: figures.taken(flag, severity) for flag, severity in flags.items()}
    whole = sum(shares.values())
    if not whole:  # a report of earlier rules, whose flags are no longer told
        return [ScoreLine("flag", "flag", taken)]
    own = figures.penalty(flags)
    capped = taken * (penalty - own) / penalty if penalty > own else 0.0
    lines = [ScoreLine("flag", flag, (taken - capped) * share / whole) for flag, share in shares.items()]
    return [*lines, *([ScoreLine("cap", "cap", capped)] if capped else [])]


def _with_points(line: ScoreLine, tenths: int) -> ScoreLine:
    return ScoreLine(line.kind, line.name, tenths / TENTHS, line.most, line.share, line.unknown)


def apportioned(exact: Sequence[float]) -> list[int]:
    """Tenths for each figure, by largest remainder: together they are the figures' sum, rounded to a tenth."""
    clean = [round(figure * TENTHS, 6) for figure in exact]
    floors = [math.floor(figure) for figure in clean]
    left = math.floor(sum(clean) + 0.5) - sum(floors)
    order = sorted(range(len(clean)), key=lambda n: floors[n] - clean[n])
    for n in order[:left]:
        floors[n] += 1
    return floors


@dataclass(frozen=True, slots=True)
class Difference:
    """The points that one line adds to, or takes from, another domain's score; `name` as in `ScoreLine`.

    `parts` of the line `unknown` are those that only one of the two domains has a figure for.
    """

    name: str
    points: float
    parts: tuple[str, ...] = ()


def differences(first: Sequence[ScoreLine], other: Sequence[ScoreLine]) -> tuple[Difference, ...]:
    """How `other` differs from `first`, line by line, the largest first; they add up to the scores' difference.

    A part that only one has a figure for is neither for nor against it: it stands in the last line, `unknown`, with
    what the known parts stand in for.
    """
    ours, theirs = ({line.name: round(line.points * TENTHS) for line in lines} for lines in (first, other))
    apart = {name: theirs.get(name, 0) - ours.get(name, 0) for name in {**ours, **theirs}}
    missing = [{part for line in lines for part in line.unknown} for lines in (first, other)]
    one_sided = tuple(sorted(missing[0] ^ missing[1]))
    rest = sum(apart.pop(name, 0) for name in (*one_sided, "unknown"))
    ordered = sorted(apart.items(), key=lambda item: (-abs(item[1]), item[0]))
    comparable = tuple(Difference(name, tenths / TENTHS) for name, tenths in ordered if tenths)
    unknown = (Difference("unknown", rest / TENTHS, one_sided),) if rest or one_sided else ()
    return (*comparable, *unknown)
