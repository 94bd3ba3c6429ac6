"""What an intake needs from outside, what it goes by, and what it gives back.

Pure values: the authority filter and the providers come in as functions, for they are later stages' and clients'.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.row_outcome import Judgement
from afterdrop.metrics.model import Metric, Role

AskBulk = Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[Metric]]]]


@dataclass(frozen=True)
class AuthorityFilter:
    """The authority filter as intake uses it: `judge` a name's figures, its `strength` (0-1) orders candidates.

    `ask` asks the bulk providers about names without any figure; without it they are counted `no_metrics`.
    """

    judge: Callable[[Mapping[Role, object]], Judgement]
    strength: Callable[[Mapping[Role, object]], float]
    ask: AskBulk | None = None


@dataclass(frozen=True)
class IntakeOptions:
    """What an intake goes by: bounds of the file, sale zones, exchange rates, how long a review is valid.

    `accept`: the operator's word that a suspect file is right.
    """

    bounds: Bounds
    zones: tuple[str, ...] = ()
    rates: Mapping[str, float] = field(default_factory=dict)
    review_valid: timedelta = timedelta(days=30)
    accept: bool = False


@dataclass(frozen=True)
class SourceRun:
    """How a feed's run ended. state: done, suspect, failed. `counts` by fate and reason, `samples` of bad rows."""

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
