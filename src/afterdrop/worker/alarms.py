"""Alarms for an operator: each rule looks at an observation and gives its alarms. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from afterdrop.queue.job_runs import LISTS
from afterdrop.queue.timetable import jobs, last_moment

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.sources.metrics.store import ProviderStanding
    from afterdrop.worker.health_shapes import Health, Reviewing, TimedScan
    from afterdrop.worker.observation import Observation

NO_WORKER: Final = "workers"
_REVIEWED: Final = ("published", "rejected", "failed")
# A single host that does not answer is its owner's trouble; with so many, the trouble is likely ours.
_ENDPOINTS: Final = 3
_SCAN_LATE: Final = timedelta(hours=2)
_FAILED_SHARE: Final = 0.2
_QUEUED: Final = timedelta(minutes=60)
_BUDGET_SHARES: Final = (0.8, 1.0)
# So many within an hour, where more fail for good than are delivered.
_FAILED_DELIVERIES: Final = 10
# So many failing reviews are no longer single pages.
_FAILING: Final = 3
# Every job that a worker does is behind it by then: a worker that has just begun must not be taken for a late one.
_CATCHING_UP: Final = timedelta(minutes=10)
_ABSENT: Final = timedelta(minutes=2)
_ARCHIVE_AWAY: Final = timedelta(minutes=3)
_HOST_AWAY: Final = timedelta(hours=1)
# The timetable no longer begins a scan that was missed by more than this.
_SCAN_MISSED: Final = timedelta(hours=20)


@dataclass(frozen=True, slots=True)
class Alarm:
    """Trouble that lasts: `key` is the same as long as it is the same trouble."""

    key: str
    text: str


# What to do about an alarm, by the first part of its key. The gravest come first.
ADVICE: Final = {
    "database": "Start the database, or correct `database_url`. Waiting work goes on once it answers.",
    "schema": "`afterdrop doctor` says which version is installed and what the database has.",
    NO_WORKER: "Start `afterdrop worker`, or restart `afterdrop serve` if it runs the worker. Nothing waiting is lost.",
    "disk": "Free some space, or move the data folder to a larger disk. A full disk stops everything.",
    "keys": "Put the old keys behind the new one in `secret_keys`, and run `afterdrop secrets rotate`.",
    "scan-failed": "`afterdrop doctor` tries each feed and the web archive; `afterdrop scan` then scans again.",
    "scan-late": "Look into the worker's log, and restart it if it hangs: the scan goes on where it was.",
    "lists": "Look into the log of `afterdrop serve`, and restart it.",
    "reviews": "`afterdrop doctor` tries the web archive; `afterdrop domain review NAME` repeats a review.",
    "outage": "Nothing is lost: what needs it waits. `afterdrop pace clear HOST` has it asked at once.",
    "queue": "`afterdrop doctor` tries what they wait for. If all is well there, restart the worker.",
    "failing": "`afterdrop doctor` tries the way out; `afterdrop deliveries replay` then sends again what failed.",
    "refused": "It refuses our address or key: check the key, or ask its operator. `afterdrop doctor` tries it.",
    "provider": "Check its key and your plan there, and have it asked again.",
    "feed": "`afterdrop doctor` reads its first rows. Correct its address or file; if the list is right, accept it.",
    "backup": "Set `backup.dir`, or run `afterdrop backup` by a timer of your own.",
    "unheard": "Set `operator.mail` or `operator.webhook`, and try them with `afterdrop alarm test`.",
    "budget": "Raise `per_day` or `per_month`, or let it be: names are published without its figures until the next.",
}


def advice(alarm: Alarm) -> str:
    """The advice on an alarm."""
    return ADVICE[alarm.key.partition(":")[0]]


def needs(
    seen: Observation, settings: Settings, titles: Mapping[str, str] = MappingProxyType({})
) -> list[Alarm]:
    """All that needs the operator, the gravest first: the alarms, and what is not well although none is raised."""
    found = {alarm.key: alarm for alarm in [*_unready(seen, settings), *alarms(seen, settings, titles)]}
    order = list(ADVICE)
    return sorted(found.values(), key=lambda alarm: order.index(alarm.key.partition(":")[0]))


def _unready(seen: Observation, settings: Settings) -> Iterator[Alarm]:
    if not (settings.operator.mail or settings.operator.webhook):
        yield Alarm("unheard", "no alarm is sent to anybody")
    if settings.operator.backup_days and seen.health and seen.health["backup"]["made_at"] is None:
        yield Alarm("backup", "no backup has been made yet; `afterdrop backup` makes one")


def alarms(
    seen: Observation, settings: Settings, titles: Mapping[str, str] = MappingProxyType({})
) -> list[Alarm]:
    """Everything that is wrong now, in a steady order. `titles` are what people call feeds, by their names."""
    if seen.fault is not None:
        return [Alarm("database", f"the database does not answer: {seen.fault}")]
    found = [*_schema(seen), *_disk(seen, settings), *_keys(seen)]
    if seen.health:
        found += [*_workers(seen), *_scan(seen, settings), *_lists(seen)]
        found += [*_reviews(seen), *_feeds(seen.health, titles)]
        found += [
            *_providers(seen),
            *_hosts(seen.health),
            *_outages(seen, settings),
            *_queues(seen, settings),
            *_budgets(seen),
        ]
        found += [*_deliveries(seen.health), *_backup(seen, settings)]
    return found


def _workers(seen: Observation) -> Iterator[Alarm]:
    """A worker that was restarted is alive again before anybody is told."""
    beats = [row["heartbeat_at"] for row in seen.health["workers"]]
    if not seen.workers_alive and all(seen.now - beat > _ABSENT for beat in beats):
        last = f"; the last was seen at {max(beats):%Y-%m-%d %H:%MZ}" if beats else ""
        yield Alarm(
            NO_WORKER, f"no worker is alive{last}: nothing is scanned, reviewed, checked, delivered or mailed"
        )


def _schema(seen: Observation) -> Iterator[Alarm]:
    if seen.schema == "older":
        yield Alarm("schema", "the database still needs this version's migration: run `afterdrop migrate`")
    elif seen.schema == "different":
        yield Alarm(
            "schema",
            "the database has other tables than its version: `afterdrop migrate` names what differs",
        )
    elif seen.schema in ("newer", "unreleased"):
        yield Alarm(
            "schema",
            "another version made the database: run the version that it belongs to, or start with a new one",
        )


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
    scans = seen.health["scans"]
    job = next((row for row in seen.health["jobs"] if row["job"] == "scan"), None)
    if job is not None and job["error"]:
        yield Alarm("scan-failed", f"the scan of {job['moment']:%Y-%m-%d %H:%MZ} failed: {job['error']}")
    newest = scans[0] if scans else None
    resumed = seen.health["up_since"] + _CATCHING_UP
    if (
        newest is not None
        and newest["finished_at"] is None
        and seen.now > max(newest["deadline_at"], resumed)
    ):
        yield Alarm("scan-late", f"scan {newest['id']} of {newest['day']} has not finished in time")
    elif seen.now > resumed and (late := _not_begun(newest, seen.now, settings)):
        yield Alarm("scan-late", f"the scan that was due at {late:%Y-%m-%d %H:%MZ} has not started")


def _lists(seen: Observation) -> Iterator[Alarm]:
    job = next((row for row in seen.health["jobs"] if row["job"] == LISTS), None)
    if job is not None and job["error"]:
        yield Alarm("lists", f"since {job['moment']:%Y-%m-%d %H:%MZ} lists answer 503: {job['error']}")


def _not_begun(newest: TimedScan | None, now: datetime, settings: Settings) -> datetime | None:
    """When the scan was due that should have begun by now."""
    due = last_moment(jobs(settings.scan.hour)[0], now)
    if newest is None:
        return due if _SCAN_LATE < now - due <= _SCAN_MISSED else None
    begun = newest["started_at"] >= due or newest["finished_at"] is None
    return None if begun or now - due <= _SCAN_LATE else due


def _reviews(seen: Observation) -> Iterator[Alarm]:
    """The scan under way speaks first: an archive that is away is told while it is."""
    now = seen.health["reviewing"]
    if now and (text := _failing_now(now)):
        yield Alarm("reviews", text)
        return
    finished = next((scan for scan in seen.health["scans"] if scan["finished_at"]), None)
    if finished is None:
        return
    failed, reviewed = failed_reviews(finished["counts"])
    if reviewed and failed / reviewed > _FAILED_SHARE:
        text = f"{failed:,} of {reviewed:,} reviews of scan {finished['id']} failed"
        yield Alarm("reviews", f"{text}; `afterdrop status` shows why")


def _failing_now(now: Reviewing) -> str | None:
    failing, tried = now["failing"] + now["failed"], now["failing"] + now["failed"] + now["done"]
    if failing < _FAILING or failing / tried <= _FAILED_SHARE:
        return None
    return f"{failing:,} of the last {tried:,} reviews failed and are tried again: {now['error']}"


def failed_reviews(counts: Mapping[str, int]) -> tuple[int, int]:
    """Of the candidates that a scan settled by a review: how many failed, and how many there were."""
    return counts.get("failed", 0), sum(counts.get(outcome, 0) for outcome in _REVIEWED)


def _feeds(health: Health, titles: Mapping[str, str]) -> Iterator[Alarm]:
    for row in health["bad_feeds"]:
        bad = "could not be read" if row["state"] == "failed" else "sent a list that looks wrong"
        title = titles.get(row["feed"], row["feed"])
        yield Alarm(f"feed:{row['feed']}", f"feed {title} {bad} twice in a row: {row['error']}")


def _providers(seen: Observation) -> Iterator[Alarm]:
    for provider in seen.providers:
        note = seen.health["given_up"].get(provider.provider)
        if note:
            text = f"{provider.title} was given up: {note}. Names are published without its figures"
            yield Alarm(f"provider:{provider.provider}", text)


def _hosts(health: Health) -> Iterator[Alarm]:
    for host, note in health["refusing_hosts"].items():
        yield Alarm(f"refused:{host}", f"{host} refuses us: {note}")


def _outages(seen: Observation, settings: Settings) -> Iterator[Alarm]:
    """Nothing is reviewed without the archive; of others a short outage only delays what asks them."""
    archive = {urlsplit(url).netloc for url in (settings.archive.cdx_url, settings.archive.replay_url)}
    for row in seen.health["outages"]:
        needed = row["host"].partition("/")[0] in archive
        if seen.now - row["since"] >= (_ARCHIVE_AWAY if needed else _HOST_AWAY):
            text = f"{row['host']} has not answered since {row['since']:%Y-%m-%d %H:%MZ} ({row['note']})"
            waits = ": reviews and checks wait, and none of them fails for it" if needed else ""
            yield Alarm(f"outage:{row['host']}", f"{text}{waits}; next try at {row['next_try_at']:%H:%MZ}")


def _queues(seen: Observation, settings: Settings) -> Iterator[Alarm]:
    """Rows that wait too long. The time in which nothing ran does not count."""
    up = (seen.now - seen.health["up_since"]).total_seconds()
    for row in seen.health["queues"]:
        name = row["queue"]
        if name == "candidates":
            yield from _candidates(seen, row["waiting"], settings)
            continue
        bound = settings.scan.budget_hours * 3600 if name == "page texts" else _QUEUED.total_seconds()
        waits = row["untried_seconds"] if _got_through(name, seen.health) else row["oldest_seconds"]
        if waits and min(waits, up) > bound:
            text = f"{row['waiting']:,} {name} wait, the oldest for {waits // 60:,} minutes"
            yield Alarm(f"queue:{name}", text)


def _got_through(queue: str, health: Health) -> bool:
    """Whether what was tried and waits may be its receivers' trouble: others got theirs in the last hour."""
    counts = health["deliveries_last_hour"]
    if queue == "deliveries":
        retrying = sum(row["retrying"] > 0 for row in health["failing_endpoints"])
        return counts.get("deliveries delivered", 0) > 0 or retrying < _ENDPOINTS
    return queue == "mails" and counts.get("mails sent", 0) > 0


def _candidates(seen: Observation, waiting: int, settings: Settings) -> Iterator[Alarm]:
    """Candidates wait for hours on purpose, and beyond the day's cap for days; but the scan must make progress."""
    now, scans = seen.health["reviewing"], seen.health["scans"]
    if not waiting or now is None or now["reviewed_today"] >= settings.scan.reviews_per_day:
        return
    begun = max(now["last_done"] or scans[0]["started_at"], scans[0]["started_at"], seen.health["up_since"])
    if seen.now - begun > _QUEUED:
        minutes = int((seen.now - begun).total_seconds()) // 60
        text = f"{waiting:,} candidates wait, and none has had a verdict for {minutes:,} minutes"
        yield Alarm("queue:candidates", text)


def _budgets(seen: Observation) -> Iterator[Alarm]:
    for provider in seen.providers:
        for period, spent, budget in _spending(provider):
            reached = [share for share in _BUDGET_SHARES if spent >= share * budget]
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


def _deliveries(health: Health) -> Iterator[Alarm]:
    counts = health["deliveries_last_hour"]
    for what, good in (("deliveries", "delivered"), ("mails", "sent")):
        failed, went_out = counts.get(f"{what} failed", 0), counts.get(f"{what} {good}", 0)
        if failed >= _FAILED_DELIVERIES and failed > went_out:
            yield Alarm(
                f"failing:{what}",
                f"{failed:,} {what} failed for good in the last hour; {went_out:,} went out",
            )


def _backup(seen: Observation, settings: Settings) -> Iterator[Alarm]:
    days, backup = settings.operator.backup_days, seen.health["backup"]
    last = backup["made_at"] or backup["first_scan_at"]
    if days and last and seen.now - last > timedelta(days=days):
        made = f"since {backup['made_at']:%Y-%m-%d %H:%MZ}" if backup["made_at"] else "yet"
        yield Alarm("backup", f"no backup has been made {made}; `afterdrop backup` makes one")
