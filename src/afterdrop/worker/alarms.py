"""What an operator must be told: each rule looks at an observation and gives its alarms. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from afterdrop.queue.timetable import jobs, last_moment

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.metrics.store import ProviderStanding
    from afterdrop.worker.observation import Observation

_REVIEWED: Final = ("published", "rejected", "failed")
# Their rows wait for hours on purpose: a scan reviews for as long as its budget allows.
_SLOW_QUEUES: Final = frozenset({"candidates", "page texts"})
# The timetable no longer begins a scan that was missed by more than this.
_SCAN_MISSED: Final = timedelta(hours=20)


@dataclass(frozen=True, slots=True)
class Alarm:
    """Trouble that lasts: `key` is the same as long as it is the same trouble."""

    key: str
    text: str


def alarms(seen: Observation, settings: Settings) -> list[Alarm]:
    """Everything that is wrong now, in a steady order."""
    if seen.fault is not None:
        return [Alarm("database", f"the database does not answer: {seen.fault}")]
    found = [*_schema(seen), *_disk(seen, settings), *_keys(seen)]
    if seen.health:
        found += [*_scan(seen, settings), *_reviews(seen, settings), *_feeds(seen.health)]
        found += [
            *_queues(seen.health, settings),
            *_budgets(seen, settings),
            *_deliveries(seen.health, settings),
        ]
    return found


def _schema(seen: Observation) -> Iterator[Alarm]:
    if seen.schema == "older":
        yield Alarm("schema", "the database still needs this version's migration: run `afterdrop migrate`")
    elif seen.schema == "newer":
        yield Alarm("schema", "a newer version has migrated the database: update and restart this process")


def _disk(seen: Observation, settings: Settings) -> Iterator[Alarm]:
    free = seen.disk_free / max(seen.disk_size, 1)
    if free < settings.operator.disk_free_share:
        yield Alarm(
            "disk",
            f"{seen.disk_free / 1e9:.1f} GB ({free:.0%}) of the disk with {settings.data_dir} is free",
        )


def _keys(seen: Observation) -> Iterator[Alarm]:
    if seen.sealed_secrets:
        text = f"the secret keys cannot decrypt {seen.sealed_secrets:,} webhook secrets, so nothing is delivered there"
        yield Alarm("keys", f"{text}: restore the keys that belong to this database")


def _scan(seen: Observation, settings: Settings) -> Iterator[Alarm]:
    if not settings.feeds:
        return
    scans: list[dict[str, Any]] = seen.health["scans"]
    job = next((row for row in seen.health["jobs"] if row["job"] == "scan"), None)
    if job is not None and job["error"]:
        yield Alarm("scan-failed", f"the scan of {job['moment']:%Y-%m-%d %H:%MZ} failed: {job['error']}")
    newest = scans[0] if scans else None
    if newest is not None and newest["finished_at"] is None and seen.now > newest["deadline_at"]:
        yield Alarm("scan-late", f"scan {newest['id']} of {newest['day']} has not finished in time")
    elif late := _not_begun(newest, seen.now, settings):
        yield Alarm("scan-late", f"the scan that was due at {late:%Y-%m-%d %H:%MZ} has not started")


def _not_begun(newest: dict[str, Any] | None, now: datetime, settings: Settings) -> datetime | None:
    """When the scan was due that should have begun by now."""
    table = jobs(settings.scan.hour, timedelta(seconds=settings.registry.recheck_seconds))
    due = last_moment(table[0], now)
    patience = timedelta(hours=settings.operator.scan_late_hours)
    if newest is None:
        return due if patience < now - due <= _SCAN_MISSED else None
    begun = newest["started_at"] >= due or newest["finished_at"] is None
    return None if begun or now - due <= patience else due


def _reviews(seen: Observation, settings: Settings) -> Iterator[Alarm]:
    finished = next((scan for scan in seen.health["scans"] if scan["finished_at"]), None)
    if finished is None:
        return
    failed, reviewed = failed_reviews(finished["counts"])
    if reviewed and failed / reviewed > settings.operator.failed_reviews_share:
        text = f"{failed:,} of {reviewed:,} reviews of scan {finished['id']} failed"
        yield Alarm("reviews", f"{text}; `afterdrop status` shows why")


def failed_reviews(counts: dict[str, Any]) -> tuple[int, int]:
    """Of the candidates that a scan settled by a review: how many failed, and how many there were."""
    return counts.get("failed", 0), sum(counts.get(outcome, 0) for outcome in _REVIEWED)


def _feeds(health: dict[str, Any]) -> Iterator[Alarm]:
    for row in health["bad_feeds"]:
        yield Alarm(
            f"feed:{row['feed']}", f"feed {row['feed']} was {row['state']} twice in a row: {row['error']}"
        )


def _queues(health: dict[str, Any], settings: Settings) -> Iterator[Alarm]:
    for row in health["queues"]:
        slow = row["queue"] in _SLOW_QUEUES
        most = settings.scan.budget_hours * 3600 if slow else settings.operator.queue_minutes * 60
        if row["due"] and (row["oldest_seconds"] or 0) > most:
            text = f"{row['due']:,} {row['queue']} are due, the oldest for {row['oldest_seconds'] // 60:,} minutes"
            yield Alarm(f"queue:{row['queue']}", text)


def _budgets(seen: Observation, settings: Settings) -> Iterator[Alarm]:
    for provider in seen.providers:
        for period, spent, budget in _spending(provider):
            reached = [share for share in settings.operator.budget_shares if spent >= share * budget]
            if reached:
                yield Alarm(
                    f"budget:{provider.provider}:{period}:{max(reached):.0%}",
                    f"{provider.title} has used {spent:,} of {budget:,} units of this {period} ({spent / budget:.0%})",
                )


def _spending(provider: ProviderStanding) -> Iterator[tuple[str, int, int]]:
    for period, spent, budget in (
        ("day", provider.spent_on_day, provider.per_day),
        ("month", provider.spent_in_month, provider.per_month),
    ):
        if budget:
            yield period, spent, budget


def _deliveries(health: dict[str, Any], settings: Settings) -> Iterator[Alarm]:
    counts: dict[str, int] = health["deliveries_last_hour"]
    for what, good in (("deliveries", "delivered"), ("mails", "sent")):
        failed, went_out = counts.get(f"{what} failed", 0), counts.get(f"{what} {good}", 0)
        if failed >= settings.operator.failed_deliveries and failed > went_out:
            yield Alarm(
                f"failing:{what}",
                f"{failed:,} {what} failed for good in the last hour; {went_out:,} went out",
            )
