"""The report's charts: what is drawn adds up and stays inside."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.review.history import domain_history as history
from afterdrop.scoring.score import contributions
from afterdrop.scoring.weights import PARTS
from afterdrop.web.site.charts import BARS_WIDTH, TIMELINE_WIDTH, bars, timeline

SHARES = st.one_of(st.none(), st.floats(0, 1))


@given(st.fixed_dictionaries({str(part): SHARES for part in PARTS} | {"penalty": st.floats(0, 0.6)}))
def test_bars_add_up_and_fit(breakdown: dict[str, float | None]) -> None:
    found = bars(breakdown)
    assert [bar.part for bar in found] == [*PARTS, "penalty"]
    total = sum(bar.points or 0 for bar in found)
    assert total == pytest.approx(sum(contributions(breakdown).values()))
    assert all(0 <= bar.width <= BARS_WIDTH + 0.1 and 0 <= bar.track <= BARS_WIDTH + 0.1 for bar in found)
    assert all((bar.points is None) == (breakdown[bar.part] is None) for bar in found[:-1])


def era(start: str, end: str) -> dict[str, Any]:
    """An era as it is stored."""
    return {"kind": "site", "start": start, "end": end}


def test_years_are_drawn_from_first_to_last() -> None:
    found = timeline(
        {
            "eras": [era("2004-03-01T00:00:00Z", "2010-06-01T00:00:00Z"), era("2012-01-01", "2012-01-01")],
            "findings": [{"at": "2014-07-01T00:00:00Z"}, {"at": None}, {}],
        }
    )
    assert found is not None
    assert found.ticks[0] == (2004, 0.0)
    assert [year for year, _ in found.ticks] == list(range(2004, 2015))
    assert found.eras[1].width == 4
    assert len(found.findings) == 1
    assert all(0 <= bar.x <= TIMELINE_WIDTH for bar in found.eras)
    assert found.eras[0].x + found.eras[0].width < found.eras[1].x < found.findings[0].x < TIMELINE_WIDTH


def test_many_years_have_few_ticks() -> None:
    found = timeline({"eras": [era("1996-01-01T00:00:00Z", "2026-01-01T00:00:00Z")]})
    assert found is not None
    assert len(found.ticks) <= 12


@pytest.mark.parametrize(
    "history", [None, {}, {"eras": []}, {"eras": None, "findings": [{"at": "2014-07-01"}]}]
)
def test_nothing_to_draw(history: dict[str, Any] | None) -> None:
    assert timeline(history) is None


def gap(note: str | None, code: str = "gap") -> dict[str, Any]:
    """A finding as it is stored."""
    return {"code": code, "note": note, "at": None}


def test_gaps_are_drawn_where_their_note_says() -> None:
    said = "No page was archived in 2005–2007 (3 whole years), between captures of 2004 and 2008."
    found = timeline(
        {
            "eras": [era("2004-03-01T00:00:00Z", "2013-12-31T00:00:00Z")],
            "findings": [
                gap(said),
                gap(said, "parked"),
                gap("something else"),
                gap(None),
                gap(said.replace("2005", "1990")),
            ],
        }
    )
    assert found is not None
    [gap_bar] = found.gaps
    assert gap_bar.text == said
    assert gap_bar.x == pytest.approx(TIMELINE_WIDTH * 0.1, abs=1)
    assert gap_bar.width == pytest.approx(TIMELINE_WIDTH * 0.3, abs=1)


def test_the_note_of_the_review_is_understood() -> None:
    written = inspect.getsource(history)
    assert "archived in {years}" in written
    assert 'f"{gap.years[0]}–{gap.years[-1]}"' in written


def test_an_era_names_language_and_topic_where_they_fit() -> None:
    wide = {**era("2004-01-01", "2013-12-31"), "language": "en", "topic": "Recreation"}
    slim = {**wide, "start": "2014-01-01", "end": "2014-03-01"}
    found = timeline({"eras": [wide, slim, era("2015-01-01", "2018-01-01")]})
    assert found is not None
    assert [bar.label for bar in found.eras] == ["en · Recreation", "", ""]
