"""Counting what became of a feed's rows, with samples of the bad ones.

Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, TypedDict

from afterdrop.feeds.mapping import BadRow, Row

SAMPLES = 5
REASONS = 50


class BadSample(TypedDict):
    """Where a bad row stands, and how it begins."""

    line: int
    sample: str


class RowCounts(TypedDict):
    """The columns of the table `source_runs` that count rows."""

    rows: int
    good: int
    passed: int
    counts: dict[str, Any]
    samples: dict[str, list[BadSample]]


class Tally:
    """The running counts of one feed file."""

    def __init__(self) -> None:
        self.rows = 0
        self.good = 0
        self.passed = 0
        self._outcomes: Counter[str] = Counter()
        self._bad: Counter[str] = Counter()
        self._notes: Counter[str] = Counter()
        self._samples: dict[str, list[BadSample]] = {}

    def bad(self, row: BadRow) -> None:
        """Count a row that cannot be used."""
        self.rows += 1
        self._bad[row.reason] += 1
        if row.reason in self._samples or len(self._samples) < REASONS:
            kept = self._samples.setdefault(row.reason, [])
            if len(kept) < SAMPLES:
                kept.append({"line": row.line, "sample": row.sample})

    def good_row(self, row: Row) -> None:
        """Count a row that can be used, perhaps without some of its values."""
        self.rows += 1
        self.good += 1
        for note in row.notes:
            self._notes[note] += 1

    def plain_rows(self, number: int, notes: Iterable[str]) -> None:
        """Count usable rows that all have the same notes."""
        self.rows += number
        self.good += number
        for note in notes:
            self._notes[note] += number

    def count(self, outcome: str, number: int = 1) -> None:
        """Count `number` usable rows with one outcome."""
        self._outcomes[outcome] += number

    def columns(self) -> RowCounts:
        """The counts as columns of the table `source_runs`: outcomes at the top, `bad` and `notes` by reason."""
        counts: dict[str, Any] = dict(sorted(self._outcomes.items()))
        if self._bad:
            counts["bad"] = dict(self._bad.most_common())
        if self._notes:
            counts["notes"] = dict(self._notes.most_common())
        return {
            "rows": self.rows,
            "good": self.good,
            "passed": self.passed,
            "counts": counts,
            "samples": self._samples,
        }
