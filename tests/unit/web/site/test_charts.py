"""Strips and curves: what is drawn stays inside, and says what the eras say."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.catalogue.life_line import described, mail_life
from afterdrop.review.history.findings import Finding
from afterdrop.review.history.life import KINDS, LifeEra, LifeKind
from afterdrop.scoring.weights import current
from afterdrop.web.site.charts import (
    CURVE_HEIGHT,
    CURVE_WIDTH,
    NARROW,
    WIDE,
    curve_end,
    curve_points,
    report_strip,
    row_strip,
    unread,
)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def era(kind: LifeKind, first: int, last: int, title: str | None = "Old mill bakery") -> LifeEra:
    """An era from January to December."""
    return LifeEra(kind, datetime(first, 1, 1, tzinfo=UTC), datetime(last, 12, 31, tzinfo=UTC), title)


SPANS = st.tuples(st.sampled_from(KINDS), st.integers(1996, 2025), st.integers(0, 15)).map(
    lambda each: era(each[0], each[1], min(each[1] + each[2], 2026), "A title of some length")
)


@given(st.lists(SPANS, max_size=8))
def test_nothing_is_drawn_outside(eras: list[LifeEra]) -> None:
    for strip in (row_strip(eras, NOW), report_strip(eras, (), NOW), report_strip(eras, (), NOW, NARROW)):
        for mark in strip.marks:
            assert mark.x >= 0
            assert mark.x + mark.width <= strip.width + 0.2
            assert mark.y >= 0
            assert round(mark.y + mark.height, 1) <= strip.floor
        assert all(0 <= x <= strip.width for _, x, _ in strip.ticks)
        assert len([each for each in strip.marks if each.kind == "gap"]) == 0


def test_rows_share_one_axis() -> None:
    old, young = row_strip([era("site", 2000, 2026)], NOW), row_strip([era("site", 2013, 2026)], NOW)
    assert (old.marks[0].x, old.marks[0].width) == (0, 100)
    assert young.marks[0].x == pytest.approx(100 * 13 / 27, abs=0.1)
    assert row_strip([era("site", 1990, 1995)], NOW).marks == []
    assert row_strip([era("site", 1990, 2005)], NOW).marks[0].x == 0


def test_kinds_differ_in_height() -> None:
    heights = {kind: row_strip([era(kind, 2010, 2012)], NOW).marks for kind in KINDS}
    assert [heights[kind][0].height for kind in ("site", "other", "spam")] == [13, 13, 13]
    assert heights["sale"][0].height > heights["holder"][0].height > heights["error"][0].height
    assert heights["gap"] == []


def test_a_report_has_its_own_axis_with_years_and_titles() -> None:
    strip = report_strip(
        [era("site", 2008, 2015), era("sale", 2016, 2016), era("other", 2017, 2026, "A" * 90)], (), NOW
    )
    assert [year for year, _, _ in strip.ticks] == list(range(2008, 2027))
    assert [year for year, _, told in strip.ticks if told] == list(range(2008, 2027))
    assert strip.marks[0].label == "Old mill bakery"
    assert strip.marks[1].label == ""
    assert strip.marks[2].label.endswith("…")
    narrow = report_strip([era("site", 1996, 2026)], (), NOW, NARROW)
    assert [year for year, _, told in narrow.ticks if told] == list(range(1996, 2027, 5))
    assert narrow.marks[0].label == ""
    slim = report_strip([era("site", 1996, 2015), era("spam", 2016, 2016)], (), NOW)
    assert slim.marks[1].label == ""


def test_an_empty_strip_and_a_brand_new_one() -> None:
    empty = report_strip([], (), NOW)
    assert (empty.marks, empty.about) == ([], "no captures known")
    assert empty.ticks[0][0] == 2011
    assert report_strip([era("site", 2030, 2031)], (), NOW).ticks[0][0] == 2030


def found(code: str, at: str | None) -> Finding:
    """A finding of that day."""
    return Finding(code, 2, "", at=datetime.fromisoformat(f"{at}T00:00:00Z") if at else None)


def test_rings_mark_changes_and_spam() -> None:
    eras = [era("site", 2008, 2014), era("spam", 2016, 2020)]
    findings = [
        found("owner_change", "2010-01-01"),
        found("spam_phrase", "2017-01-01"),
        found("hidden_link", "2018-01-01"),
        found("spam_paths", "2012-01-01"),
        found("parked", "2013-01-01"),
        found("gap", None),
        found("spam_phrase", "1999-01-01"),
    ]
    rings = report_strip(eras, findings, NOW).rings
    assert [ring.turn for ring in rings] == [True, False, False, False]
    many = [found("spam_phrase", f"2017-{month:02}-{day:02}") for month in range(1, 13) for day in (1, 20)]
    assert len(report_strip(eras, many, NOW).rings) == 12


def test_what_was_not_read_is_a_frame_on_a_report() -> None:
    eras = [
        era("site", 2008, 2012),
        era("gap", 2013, 2014),
        era("other", 2016, 2020),
        era("sale", 2018, 2019),
    ]
    strip = report_strip(eras, (), NOW)
    assert [(start.year, end.year) for start, end in unread(eras)] == [(2014, 2016)]
    assert len(strip.unread) == 1
    assert strip.unread[0][0] + strip.unread[0][1] == pytest.approx(strip.marks[1].x, abs=0.2)
    assert "not read from Dec 2014 to Jan 2016" in strip.about
    assert row_strip(eras, NOW).unread == ()
    assert unread(()) == []


def test_the_picture_in_words() -> None:
    eras = [
        era("site", 2008, 2014),
        era("other", 2015, 2015),
        era("gap", 2016, 2018),
        era("spam", 2019, 2020, None),
    ]
    assert (
        described(eras)
        == "site 2008–2014, another owner’s site 2015, nothing archived 2016–2018, spam 2019–2020"
    )
    assert WIDE > NARROW


def test_mails_draw_the_same_life_in_cells() -> None:
    life = mail_life("s200801201412o201501201512x201901202012", NOW)
    assert life is not None
    assert life.words == "Site 2008–2014, another owner’s site 2015, spam 2019–2020"
    kinds = [kind for kind, _ in life.cells]
    assert kinds == ["gap", "site", "other", "gap", "spam", "gap"]
    assert sum(width for _, width in life.cells) == 200
    assert all(width > 0 for _, width in life.cells)
    before = mail_life("s199601199812s199901200012", NOW)
    assert before is not None
    assert [kind for kind, _ in before.cells] == ["site", "gap"]
    assert mail_life(None, NOW) is None


def test_curves_are_drawn_within_their_picture() -> None:
    for curve in current().curves.values():
        points = [tuple(map(float, point.split(","))) for point in curve_points(curve).split()]
        assert (points[0][0], points[-1][0]) == (0, CURVE_WIDTH)
        assert all(0 <= y <= CURVE_HEIGHT for _, y in points)
        rises = [one[1] >= two[1] for one, two in itertools.pairwise(points)]
        falls = [one[1] <= two[1] for one, two in itertools.pairwise(points)]
        assert all(falls if curve.kind == "falling_log" else rises)
        assert points[-1][1] == (CURVE_HEIGHT if curve.kind == "falling_log" else 0)
        assert curve_end(curve) > (curve.zero or curve.full)
