"""The geometry of the site's pictures: a domain's life as a strip, and the score's curves. Pure; templates draw it.

A strip is the same in a row, beside a list and on a report: sites and spam stand at full height, names for sale at two
thirds, placeholders at one third, error pages are dotted, and where nothing was archived only the base line runs. On
a report a time between two eras, of which no capture was read, is an empty frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from afterdrop.catalogue.life_line import FIRST_YEAR, described
from afterdrop.catalogue.link_shapes import RankPlace
from afterdrop.review.history.findings import Finding
from afterdrop.review.history.life import TURN, LifeEra, LifeKind
from afterdrop.scoring.weights import Curve

ROW_WIDTH, ROW_HEIGHT = 100, 16
WIDE, NARROW, PANEL = 860, 304, 368
_TOP, _FLOOR, _STRIP_HEIGHT = 8.0, 38.0, 58
_HEIGHTS: Final[Mapping[LifeKind, float]] = {
    "site": 1, "other": 1, "spam": 1, "sale": 2 / 3, "holder": 1 / 3, "error": 0.2, "gap": 0,
}  # fmt: skip
_LETTER: Final = 7.4
_LABEL_ROOM: Final = 16
_LEAST_LABEL: Final = 6
_TICK_ROOM: Final = 40
_MOST_RINGS: Final = 12
_UNREAD_FROM: Final = timedelta(days=45)
_EMPTY_YEARS: Final = 15
CURVE_WIDTH, CURVE_HEIGHT = 180, 90
RANK_WIDTH, RANK_HEIGHT = 140, 40
_CURVE_STEPS: Final = 60


@dataclass(frozen=True, slots=True)
class EraMark:
    """One era as it is drawn; `label` is what of its title fits in."""

    kind: LifeKind
    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True, slots=True)
class Ring:
    """A finding at its place in time; `turn` marks a change of owner, others are spam or parking."""

    x: float
    turn: bool


@dataclass(frozen=True, slots=True)
class Strip:
    """One strip: `floor` is the base line, `ticks` are years, `about` says the same in words.

    `unread` are the frames of times that were not read: x and width.
    """

    width: int
    height: int
    floor: float
    marks: Sequence[EraMark]
    ticks: Sequence[tuple[int, float, bool]]
    rings: Sequence[Ring]
    about: str
    unread: Sequence[tuple[float, float]] = ()


def row_strip(eras: Sequence[LifeEra], now: datetime, width: int = ROW_WIDTH) -> Strip:
    """The strip of a row. Its axis runs from 2000 to the end of this year in every row, so that length is age."""
    marks = _marks(
        eras, (_year(FIRST_YEAR), _year(now.year + 1)), width, (2.0, ROW_HEIGHT - 1.0), labels=False
    )
    return Strip(width, ROW_HEIGHT, ROW_HEIGHT - 0.5, marks, (), (), described(eras))


def report_strip(
    eras: Sequence[LifeEra], findings: Iterable[Finding], now: datetime, width: int = WIDE
) -> Strip:
    """The strip of a report, from the year of the first capture to this one, with years, titles and findings."""
    first = min((era.start.year for era in eras), default=now.year - _EMPTY_YEARS)
    span = _year(first), _year(max(now.year + 1, first + 1))
    count = span[1].year - first
    step = next(step for step in (1, 2, 3, 5, 10, 20, 50) if count / step * _TICK_ROOM <= width or step == 50)
    ticks = [
        (year, _x(_year(year), span, width), (year - first) % step == 0)
        for year in range(first, span[1].year)
    ]
    marks = _marks(eras, span, width, (_TOP, _FLOOR), labels=width != NARROW)
    gaps = unread(eras)
    said = described(eras) + "".join(
        f", not read from {start:%b %Y} to {end:%b %Y}" for start, end in gaps[:_MOST_RINGS]
    )
    frames = [
        (x, round(_x(end, span, width) - x, 1)) for start, end in gaps for x in (_x(start, span, width),)
    ]
    rings = _rings(eras, findings, span, width)
    return Strip(
        width=width,
        height=_STRIP_HEIGHT,
        floor=_FLOOR + 0.5,
        marks=marks,
        ticks=ticks,
        rings=rings,
        about=said,
        unread=frames,
    )


def unread(eras: Sequence[LifeEra]) -> list[tuple[datetime, datetime]]:
    """The times between eras of which no capture was read, without those of which none is archived."""
    found = []
    covered = eras[0].end if eras else None
    for era in eras:
        if covered is not None and era.start - covered >= _UNREAD_FROM:
            found.append((covered, era.start))
        covered = max(covered or era.end, era.end)
    return found


def _marks(
    eras: Iterable[LifeEra],
    span: tuple[datetime, datetime],
    width: int,
    ends: tuple[float, float],
    *,
    labels: bool,
) -> list[EraMark]:
    top, floor = ends
    marks = []
    for era in eras:
        height = round((floor - top) * _HEIGHTS[era.kind], 1)
        if not height or era.end < span[0]:
            continue
        start, end = _x(era.start, span, width), _x(era.end, span, width)
        room = max(round(end - start, 1), 2.0)
        label = _fitting(era.title or "", room) if labels and _HEIGHTS[era.kind] == 1 else ""
        marks.append(
            EraMark(era.kind, min(start, width - room), round(floor - height, 1), room, height, label)
        )
    return marks


def _fitting(title: str, room: float) -> str:
    most = int((room - _LABEL_ROOM) / _LETTER)
    if most < _LEAST_LABEL:
        return ""
    return title if len(title) <= most else title[: most - 1].rstrip() + "…"


def _rings(
    eras: Sequence[LifeEra],
    findings: Iterable[Finding],
    span: tuple[datetime, datetime],
    width: int,
) -> list[Ring]:
    """Changes of owner, and dated findings outside the eras that show them: spam on inner pages."""
    rings: dict[float, Ring] = {}
    for finding in findings:
        when = finding.at
        if when is None or not span[0] <= when < span[1]:
            continue
        turn = finding.code == TURN
        if (
            turn
            or any(era.kind == "spam" and era.start <= when <= era.end for era in eras)
            or is_spam(finding)
        ):
            x = _x(when, span, width)
            rings.setdefault(x, Ring(x, turn))
    return list(rings.values())[:_MOST_RINGS]


def is_spam(finding: Finding) -> bool:
    """Whether a finding is spam, on whatever page."""
    return finding.code.startswith("spam")


def _x(moment: datetime, span: tuple[datetime, datetime], width: int) -> float:
    share = (moment - span[0]) / (span[1] - span[0])
    return round(min(max(share, 0.0), 1.0) * width, 1)


def _year(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)


def curve_points(curve: Curve) -> str:
    """The points of a curve from 0 (a falling one from 1) to a little beyond where it ends, as SVG takes them."""
    last = curve.zero * 1.1 if curve.kind == "falling_log" else curve.full * 1.25
    shares = (step / _CURVE_STEPS for step in range(_CURVE_STEPS + 1))
    return " ".join(
        f"{CURVE_WIDTH * share:.1f},{CURVE_HEIGHT * (1 - curve.at(last * share)):.1f}" for share in shares
    )


def rank_points(places: Sequence[RankPlace]) -> str:
    """A name's link rank over the releases of the web graph, by their dates, as SVG takes points; 0 is the base."""
    days = [date.fromisoformat(place["as_of"]).toordinal() for place in places]
    span = max(days[-1] - days[0], 1)
    return " ".join(
        f"{RANK_WIDTH * (day - days[0]) / span:.1f},{RANK_HEIGHT * (1 - place['rank'] / 100):.1f}"
        for day, place in zip(days, places, strict=True)
    )


def curve_end(curve: Curve) -> float:
    """The figure at the right end of a curve's picture."""
    return curve.zero * 1.1 if curve.kind == "falling_log" else curve.full * 1.25
