"""The context in which the intake of one feed file works, and the record of its run that it returns.

Pure values. The authority filter and the metric providers come in as functions, because scoring is a later feature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, TypedDict

from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.mapping import BadRow, Row
from afterdrop.feeds.spec import FeedSpec
from afterdrop.sources.metrics.model import Metric, Role

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
    counts: dict[str, int | dict[str, int]]
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
        self.shared_key: str | None = None

    def bad(self, row: BadRow) -> None:
        """Count a row that cannot be used."""
        self.rows += 1
        self._bad[row.reason] += 1
        if row.reason in self._samples or len(self._samples) < REASONS:
            kept = self._samples.setdefault(row.reason, [])
            if len(kept) < SAMPLES:
                kept.append({"line": row.line, "sample": row.sample})

    def bad_reasons(self) -> list[tuple[str, int]]:
        """The most frequent reasons why rows could not be used."""
        return self._bad.most_common(3)

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

    def shared(self, key: str, first: str, second: str) -> None:
        """Note that rows of two names have one key. `shared_key` tells of the first such key, as of a fault."""
        if self.shared_key is None:
            self.shared_key = (
                f"different names have one id, {key[:100]!r} ({first} and {second}): each is kept as an offer of "
                "its own. Let external_id name a column that differs from offer to offer"
            )

    def count(self, outcome: str, number: int = 1) -> None:
        """Count `number` usable rows with one outcome."""
        self._outcomes[outcome] += number

    def columns(self) -> RowCounts:
        """The counts as columns of the table `source_runs`: outcomes at the top, `bad` and `notes` by reason."""
        counts: dict[str, int | dict[str, int]] = dict(sorted(self._outcomes.items()))
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


AskBulk = Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[Metric]]]]
# The authority filter's word on a name's link metrics; `unknown` when there are none.
FilterVerdict = Literal["pass", "below", "unknown"]


@dataclass(frozen=True)
class AuthorityFilter:
    """The authority filter as intake uses it. `judge` decides on a name's metrics; `strength` (0-1) orders candidates.

    `roles` are the only figures that `judge` looks at, None where it may look at any.

    `ask` asks the bulk providers about names without any metric. Without `ask`, such names count as `no_metrics`.
    """

    judge: Callable[[Mapping[Role, object]], FilterVerdict]
    strength: Callable[[Mapping[Role, object]], float]
    ask: AskBulk | None = None
    roles: frozenset[Role] | None = None


@dataclass(frozen=True)
class IntakeOptions:
    """The settings of an intake: bounds of the file, sale zones, exchange rates, and how long a review is valid.

    `accept` is the operator's word that a suspect file is right. `whole` is False where the file is only a part of the
    list, which withdraws nothing. `progress` is called with the rows read so far.
    """

    bounds: Bounds
    zones: tuple[str, ...] = ()
    rates: Mapping[str, float] = field(default_factory=dict)
    review_valid: timedelta = timedelta(days=30)
    accept: bool = False
    whole: bool = True
    progress: Callable[[int], None] | None = None


class ScanMoment(NamedTuple):
    """The scan a file belongs to, when that scan began, and the time now."""

    scan_id: int
    started_at: datetime
    now: datetime


class RunContext(NamedTuple):
    """The common values of a run's rows. `at` is the scan's start; `review_valid` is how long a rejection stands."""

    spec: FeedSpec
    run_id: int
    scan_id: int
    at: datetime
    now: datetime
    rates: Mapping[str, float]
    review_valid: timedelta


@dataclass(frozen=True)
class SourceRun:
    """How a feed's run ended. The state is done, suspect or failed.

    `counts` has the number of rows by outcome and reason, `samples` a few of the bad rows.
    """

    run_id: int
    feed: str
    state: str
    rows: int
    good: int
    passed: int
    counts: Mapping[str, int | dict[str, int]]
    samples: Mapping[str, list[BadSample]]
    accepted: bool = False
    error: str | None = None
