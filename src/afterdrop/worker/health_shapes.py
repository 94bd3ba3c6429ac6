"""The shapes of a deployment's health, row by row. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypedDict

from afterdrop.scan.scan_rows import FeedRun, ScanRow


class TimedScan(ScanRow):
    """A scan's figures, until when it may go on, and when all feeds were read."""

    deadline_at: datetime
    intake_done_at: datetime | None


class SourceRow(FeedRun):
    """The newest run of a feed, and when one last succeeded."""

    finished_at: datetime | None
    last_good: datetime | None


class QueueRow(TypedDict):
    """How many rows of a queue wait, and for how long; `untried_seconds` is the age of the oldest that nobody tried.

    `due` counts all whose time has come, `held` those that wait for somebody outside (their endpoint is off), and
    `later` those whose next attempt is ahead, the first of them at `next_at`.
    """

    queue: str
    waiting: int
    in_hand: int
    due: int
    held: int
    later: int
    next_at: datetime | None
    oldest_seconds: int | None
    untried_seconds: int | None


class WorkerRow(TypedDict):
    """A worker seen in the last two days."""

    id: str
    started_at: datetime
    heartbeat_at: datetime
    stopped_at: datetime | None
    state: Literal["alive", "lost", "stopped"]


class JobRow(TypedDict):
    """The newest run of a timed job; `result` is what the job gave, as JSON."""

    job: str
    moment: datetime
    claimed_by: str | None
    started_at: datetime | None
    finished_at: datetime | None
    attempts: int
    result: object
    error: str | None


class FailureRow(TypedDict):
    """A failure: what failed, for which domain, address or event, when last, why, and how many times.

    `ref` is what a command or a button names it by: a domain, a check's or mail's id, a delivery's endpoint.
    """

    what: str
    subject: str
    at: datetime
    error: str
    ref: str
    times: int


class WithheldRow(TypedDict):
    """A registry pass whose answers were withheld."""

    host: str
    pass_at: datetime
    asked: int
    turned_free: int
    withheld: bool


class BlockedRow(TypedDict):
    """A host that is left alone until `blocked_until` (seconds since 1970)."""

    host: str
    blocked_until: float
    note: str | None


class ArchiveUse(TypedDict):
    """How many requests an archive's host was asked on this UTC day, and how many its pace allows on a whole day."""

    host: str
    asked_today: int
    allowed_a_day: int


class OutageRow(TypedDict):
    """A host that did not answer when it was last asked: since when, and when it is asked again."""

    host: str
    since: datetime
    next_try_at: datetime
    note: str


class SpendRow(TypedDict):
    """Units spent with a provider in a day or month."""

    provider: str
    period: str
    units: int


class BadFeed(TypedDict):
    """A feed whose last two finished runs both failed or were suspect."""

    feed: str
    state: str
    error: str | None


class FailingEndpoint(TypedDict):
    """An endpoint's deliveries that failed for good in the last hour, and those that are tried again."""

    endpoint: int
    failed: int
    retrying: int


class Backups(TypedDict):
    """When the last backup was made, and since when there has been something to back up."""

    made_at: datetime | None
    first_scan_at: datetime | None


class Reviewing(TypedDict):
    """How the reviews of the scan under way are going: `failing` wait for another attempt, and `error` is one's.

    `failed` and `done` were settled in the last hour, the newest verdict at `last_done`.
    """

    failing: int
    failed: int
    done: int
    last_done: datetime | None
    reviewed_today: int
    error: str | None


class Health(TypedDict, total=False):
    """Everything `afterdrop status` shows; all members, or none where the database did not answer."""

    up_since: datetime
    scans: list[TimedScan]
    reviewing: Reviewing | None
    reviewed_today: int
    whois_today: dict[str, int]
    sources: list[SourceRow]
    queues: list[QueueRow]
    workers: list[WorkerRow]
    jobs: list[JobRow]
    failures: list[FailureRow]
    withheld_registries: list[WithheldRow]
    archives: list[ArchiveUse]
    blocked_hosts: list[BlockedRow]
    outages: list[OutageRow]
    given_up: dict[str, str]
    refusing_hosts: dict[str, str]
    provider_spend: list[SpendRow]
    bad_feeds: list[BadFeed]
    deliveries_last_hour: dict[str, int]
    failing_endpoints: list[FailingEndpoint]
    backup: Backups
