"""The road of one page: few modules, and no stage is entered again after a later one began."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from types import FrameType

import pytest

from afterdrop.review.page import reader

# The reader leads through the stages, values and texts are everybody's; the model answers its judge when asked.
STAGES = (
    {"charset", "source", "seen", "markup", "language", "byte_ngrams", "identity"},
    {"signs", "lexicon", "trades", "planted", "acts", "parked", "notices"},
    {"figures", "model", "judge"},
    {"topics"},
)
LED = {"reader", "values", "text"}
ROWING = (
    "<title>Tarn Rowing Club</title><meta name=description content='Rowing on the tarn'><h1>Tarn Rowing Club</h1>"
    "<nav><a href=/boats>Boats</a> <a href=/news>News</a></nav><p>"
    + "The rowing club meets at the boathouse on the river each Sunday and shows beginners how to row. " * 12
    + "Write to row@tarn.example or <a href='https://social.example/tarn'>see us there</a>."
)

CASINO = (
    "<title>Online casino bonus</title><link rel=canonical href=//spins.example/><h1>No deposit bonus codes</h1><p>"
    + "Play slots online for real money at the online casino, with free spins no deposit and wagering requirements. "
    * 12
    + "<a href=//pills.example hidden>buy cialis online</a>"
)
TO_COME = "<title>Tarn Rowing Club</title><h1>Coming soon</h1><p>Write to row@tarn.example until then."


def entered(page: str) -> list[str]:
    """The modules that reading a page enters, in order."""
    found: list[str] = []
    folder = str(Path(reader.__file__).parent)

    def seen(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            found.append(Path(frame.f_code.co_filename).stem)

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        reader.read_page(
            page.encode(), url="https://web.archive.org/web/2015id_/http://tarn.example/", site="tarn.example"
        )
    finally:
        sys.setprofile(before)
    return found


@pytest.mark.parametrize(
    ("page", "most"), [(ROWING, 3), (CASINO, 2), (TO_COME, 2)], ids=["honest", "a trade", "to come"]
)
def test_no_stage_is_entered_again_after_a_later_one_began(page: str, most: int) -> None:
    modules = entered(page)
    assert set(modules) <= set().union(LED, *STAGES)
    assert len(set(modules)) <= 21
    stages = [number for name in modules for number, stage in enumerate(STAGES) if name in stage]
    assert [number for number, _ in groupby(stages)] == list(range(most + 1))
