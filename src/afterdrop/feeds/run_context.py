"""What the intake of one feed file works with, and the record of its run that it returns.

Pure values. The authority filter and the metric providers come in as functions, because scoring is a later feature.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.spec import FeedSpec
from afterdrop.metrics.model import Metric, Role

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

    `accept` is the operator's word that a suspect file is right. `progress` is called with the rows read so far.
    """

    bounds: Bounds
    zones: tuple[str, ...] = ()
    rates: Mapping[str, float] = field(default_factory=dict)
    review_valid: timedelta = timedelta(days=30)
    accept: bool = False
    progress: Callable[[int], None] | None = None


class ScanMoment(NamedTuple):
    """The scan a file belongs to, when that scan began, and the time now."""

    scan_id: int
    started_at: datetime
    now: datetime


class RunContext(NamedTuple):
    """What all rows of one run share. `at` is the scan's start; `review_valid` is how long a rejection stands."""

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
    counts: Mapping[str, Any]
    samples: Mapping[str, Any]
    accepted: bool = False
    error: str | None = None
