"""The colour of a score on the site. Pure; the bands stand in `data/weights.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from afterdrop.scoring.conclusion import Conclusion
from afterdrop.scoring.weights import current

# `high` green, `mid` slate, `low` and `none` grey, `warn` amber, `bad` red; `tokens.css` has the values.
Tone = Literal["high", "mid", "low", "none", "warn", "bad"]

_TONES: Final[Mapping[Conclusion, Tone]] = {
    "second_look": "warn",
    "serious_risk": "bad",
    "rejected": "bad",
    "unknown": "none",
}


@lru_cache(maxsize=1024)
def tone(conclusion: Conclusion, score: int | None) -> Tone:
    """The colour of ring, bar and row: a clean name has that of its score's band, and only it can be green."""
    figures = current()
    if conclusion != "clean" or score is None or score < figures.fair_from:
        return _TONES.get(conclusion, "low")
    return "high" if score >= figures.good_from else "mid"
