"""An index full of odd rows hides no page, and is read within its memory and time."""

from __future__ import annotations

import pytest

from tests.hostile.bounded import outcomes


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_a_million_odd_rows_hide_no_page() -> None:
    found = outcomes("index")
    assert {one.case: (one.died, one.told) for one in found if one.died} == {}
    # The answer itself is among what they take: 60 to 90 MB.
    assert {one.case: one.grown for one in found if one.grown > 250} == {}
    assert {one.case: one.seconds for one in found if one.seconds > 15} == {}
    assert {one.case: one.told for one in found if "2012, 2016" not in one.told} == {}
    assert len({one.told for one in found}) > 3
