"""The rows that are kept of a scan and of each feed it read. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict


class FeedRun(TypedDict):
    """The result of reading one feed in a run; `counts` by reason."""

    feed: str
    source: str
    state: str
    rows: int
    good: int
    passed: int
    counts: dict[str, Any]
    error: str | None


class FeedFigures(FeedRun):
    """A feed's part of a scan; `samples` of dropped rows."""

    samples: dict[str, object]
    accepted: bool


class ScanRow(TypedDict):
    """A scan's figures; `counts` by reason and outcome."""

    id: int
    day: str
    started_at: datetime
    finished_at: datetime | None
    scanned: int
    passed_authority_filter: int
    counts: dict[str, int]


class ScanFigures(ScanRow):
    """A scan's figures with those of its feeds."""

    feeds: list[FeedFigures]
