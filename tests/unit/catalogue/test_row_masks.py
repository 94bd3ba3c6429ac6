"""What the masks of a snapshot keep in memory is bounded, whatever is asked for."""

from __future__ import annotations

from afterdrop.catalogue.lists import row_masks
from afterdrop.catalogue.lists.row_masks import RowMasks
from tests.support.rows import LINKS


def test_words_that_no_row_has_are_not_kept() -> None:
    masks = RowMasks(LINKS)
    for number in range(100):
        masks.among("source", {f"made_up_{number}", "another"})
    assert len(masks._kept) == 1


def test_many_small_masks_are_forgotten_again() -> None:
    masks = RowMasks(LINKS)
    for moment in range(20_000):
        masks.over("until", moment)
    assert len(masks._kept) * row_masks._ENTRY_BYTES <= row_masks._MOST_BYTES
    assert next(reversed(masks._kept)) == ("until", (">", 19_999))
