"""The road of one page: few modules, and no stage is entered again after a later one began."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from types import FrameType

from afterdrop.review.page import reader

# The reader leads through the stages, values and texts are everybody's; the model answers its judge when asked.
STAGES = (
    {"charset", "source", "seen", "markup", "language", "byte_ngrams", "identity"},
    {"signs", "lexicon", "trades", "planted", "acts", "parked", "notices"},
    {"figures", "model", "judge"},
    {"topics"},
)
LED = {"reader", "values", "text"}
PAGE = (
    "<title>Tarn Rowing Club</title><meta name=description content='Rowing on the tarn'><h1>Tarn Rowing Club</h1>"
    "<nav><a href=/boats>Boats</a> <a href=/news>News</a></nav><p>"
    + "The rowing club meets at the boathouse on the river each Sunday and shows beginners how to row. " * 12
    + "Write to row@tarn.example or <a href='https://social.example/tarn'>see us there</a>."
)


def entered() -> list[str]:
    """The modules that reading the page enters, in order."""
    found: list[str] = []
    folder = str(Path(reader.__file__).parent)

    def seen(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            found.append(Path(frame.f_code.co_filename).stem)

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        reader.read_page(
            PAGE.encode(), url="https://web.archive.org/web/2015id_/http://tarn.example/", site="tarn.example"
        )
    finally:
        sys.setprofile(before)
    return found


def test_no_stage_is_entered_again_after_a_later_one_began() -> None:
    modules = entered()
    assert set(modules) <= set().union(LED, *STAGES)
    assert len(set(modules)) <= 21
    stages = [number for name in modules for number, stage in enumerate(STAGES) if name in stage]
    assert [number for number, _ in groupby(stages)] == [0, 1, 2, 3]
