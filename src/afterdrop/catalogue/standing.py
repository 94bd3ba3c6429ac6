"""What a report concludes before any number: a score, a rejection, or not enough to say. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from afterdrop.scoring.score import SPAM_NOTE

Standing = Literal["scored", "rejected", "unknown"]

_STANDINGS: Final[tuple[str, ...]] = get_args(Standing)


def standing(report: Mapping[str, Any]) -> Standing:
    """`rejected` for spam, `unknown` without any capture or any link figure, else `scored`.

    Reports keep it. One stored before they did is read from its parts.
    """
    kept = report.get("standing")
    if kept in _STANDINGS:
        return kept  # type: ignore[no-any-return]  # one of the three
    notes = report.get("score_notes") or {}
    if str(notes.get("penalty", "")).startswith(SPAM_NOTE):
        return "rejected"
    history = report.get("history")
    unread = history is not None and not history.get("captures")
    return "unknown" if report.get("score") is None or unread else "scored"
