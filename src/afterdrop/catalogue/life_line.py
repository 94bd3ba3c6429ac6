"""A domain's life in one line: in words, and in the cells that mails draw it with. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from afterdrop.delivery.mail.message import MailLife
from afterdrop.review.history.life import LifeEra, unpacked

# The axis of every strip in a row begins here and ends with this year, so that length is age.
FIRST_YEAR: Final = 2000
_WIDTH: Final = 200
_WORDS: Final = {"site": "site", "other": "another owner’s site", "gap": "nothing archived"}
_KINDS: Final = {"sale": "for sale", "holder": "placeholder", "error": "error pages"}


def described(eras: Iterable[LifeEra]) -> str:
    """The eras in words, for those who do not see the picture."""
    phrases = [
        f"{_WORDS.get(era.kind, (era.title or _KINDS.get(era.kind, era.kind)).lower())} {era.years}"
        for era in eras
    ]
    return ", ".join(phrases) or "no captures known"


def mail_life(packed: str | None, now: datetime) -> MailLife | None:
    """The strip of a packed life as mails draw it, with the same in words; None where no capture is known."""
    eras = unpacked(packed or "")
    if not eras:
        return None
    words = described(eras)
    return MailLife(_cells(eras, now.year + 1), words[0].upper() + words[1:])


def _cells(eras: Sequence[LifeEra], until: int) -> list[tuple[str, int]]:
    """The kinds and widths of cells from left to right; a time without captures is a `gap`."""
    first, last = (datetime(year, 1, 1, tzinfo=UTC) for year in (FIRST_YEAR, until))
    cells: list[tuple[str, int]] = []
    drawn = 0
    for era in eras:
        start, end = (
            round(_WIDTH * min(max((at - first) / (last - first), 0.0), 1.0)) for at in (era.start, era.end)
        )
        if start > drawn:
            cells.append(("gap", start - drawn))
            drawn = start
        if end > drawn:
            cells.append((era.kind, end - drawn))
            drawn = end
    return [*cells, ("gap", _WIDTH - drawn)] if drawn < _WIDTH else cells
