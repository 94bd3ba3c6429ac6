"""The timetable: what runs on a timer, and when. Pure: due moments follow from the clock, the same for any worker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Final

from afterdrop.core.time_zones import midnight

# Runs of this job are also written for the backups that the command makes.
BACKUP: Final = "backup"
# UTC
_BACKUP_HOUR: Final = 3


@dataclass(frozen=True, slots=True)
class Job:
    """A job of the timetable: every `every`, counted from `offset` after 00:00Z.

    A moment missed by more than `late` (the deployment was stopped) is left out.
    """

    name: str
    every: timedelta
    offset: timedelta
    late: timedelta


def jobs(scan_at: time, *, backups: bool = False, crawls: bool = False) -> tuple[Job, ...]:
    """The timetable of a deployment, whose daily scan begins at `scan_at`; with `backups` it makes one a day.

    With `crawls` it fetches the tables of Common Crawl's index.

    Digests run every quarter of an hour, since accounts choose hours in any zone.
    """
    minute, hour, day = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
    return (
        Job("scan", day, scan_at.hour * hour + scan_at.minute * minute, late=20 * hour),
        Job("recheck", 5 * minute, 0 * minute, late=hour),
        Job("registry news", minute, 0 * minute, late=hour),
        Job("turn", minute, 0 * minute, late=hour),
        Job("digest", 15 * minute, 0 * minute, late=hour),
        Job("weekly", 15 * minute, 5 * minute, late=hour),
        Job("alerts", minute, 0 * minute, late=hour),
        Job("reminders", minute, 0 * minute, late=hour),
        Job("expire", minute, 0 * minute, late=hour),
        Job("watch", 5 * minute, 2 * minute, late=hour),
        Job("retry feeds", 5 * minute, minute, late=hour),
        Job("prune", hour, 17 * minute, late=day),
        Job("links", hour, 23 * minute, late=hour),
        *([Job("crawl tables", hour, 9 * minute, late=hour)] if crawls else []),
        *([Job(BACKUP, day, _BACKUP_HOUR * hour, late=20 * hour)] if backups else []),
    )


def last_moment(job: Job, now: datetime) -> datetime:
    """The newest due moment of `job` at or before `now` (aware, UTC)."""
    start = midnight(now) + job.offset
    if start > now:
        start -= timedelta(days=1)
    return start + (now - start) // job.every * job.every


def next_moment(job: Job, now: datetime) -> datetime:
    """The first due moment of `job` after `now`; each day begins anew at the offset."""
    last = last_moment(job, now)
    newest_start = last_moment(replace(job, every=timedelta(days=1)), now)
    return min(last + job.every, newest_start + timedelta(days=1))


def due(table: tuple[Job, ...], now: datetime, done: dict[str, datetime]) -> list[tuple[Job, datetime]]:
    """The moments to run now: the newest of each job, unless it was taken already or is too late.

    `done` holds per job the newest moment already taken. Older missed moments are not run: each job works on
    the rows as they are, so one run does the work of the missed ones.
    """
    found = []
    for job in table:
        moment = last_moment(job, now)
        if moment > done.get(job.name, moment - job.every) and now - moment <= job.late:
            found.append((job, moment))
    return found
