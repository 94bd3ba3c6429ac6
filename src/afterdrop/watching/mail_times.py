"""When reminders, digests and weekly mails are due for an account. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, Literal, NamedTuple

from afterdrop.accounts.account import REMINDER_HOURS
from afterdrop.catalogue.shapes import ListingJson
from afterdrop.core.time_zones import time_zone

LONGEST: Final = timedelta(hours=max(REMINDER_HOURS))
# An account gets an instant mail at once and the next one this much later: what matches meanwhile shares it.
SHARED_AFTER: Final = timedelta(minutes=10)
# A name that ends sooner than this is mailed without waiting.
URGENT: Final = timedelta(hours=1)
# An end that moves by so much is reminded of again.
NEW_FROM: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Reminder:
    """A reminder to be sent `hour` hours before `due_at`: the end, or the opening of a drop where that is known."""

    account_id: int
    domain: str
    round: int
    hour: int
    due_at: datetime

    @property
    def moment(self) -> datetime:
        """When it is due, by which it is told what end it was of."""
        return self.due_at - timedelta(hours=self.hour)


def sent_of(sent: Mapping[int, datetime], due_at: datetime) -> set[int]:
    """The hours whose reminders, sent for their moments, were of this end: one that moves by a day is a new one."""
    return {hour for hour, moment in sent.items() if abs(moment + timedelta(hours=hour) - due_at) < NEW_FROM}


def due_hour(
    chosen: Collection[int], due_at: datetime, since: datetime, sent: Collection[int], now: datetime
) -> int | None:
    """The hour before `due_at` (`catalogue.drops.due`) whose reminder is due at `now`, None for none.

    `since`: when the account began to follow the domain; an hour that was past by then is left out. Of several
    overdue hours (no worker ran for a while) only the smallest counts. Hours in `sent` are not sent again.
    """
    if now >= due_at:
        return None
    moments = {hour: due_at - timedelta(hours=hour) for hour in chosen}
    smallest = min((hour for hour, moment in moments.items() if since <= moment <= now), default=None)
    return None if smallest in sent else smallest


Frequency = Literal["instant", "daily"]
_MONDAY: Final = 0


@dataclass(frozen=True, slots=True)
class PendingMatch:
    """A match that its account is to be mailed about; `rule` is the rule's name."""

    id: int
    account_id: int
    domain: str
    matched_at: datetime
    rule: str


def is_urgent(listing: ListingJson, now: datetime) -> bool:
    """Whether the name ends, or its drop opens, within the hour. A name that only may drop is never urgent."""
    if not listing["certain"]:
        return False
    moments = [
        datetime.fromisoformat(at) for at in (listing["opens_at"], listing["ends_at"]) if at is not None
    ]
    return any(now < moment <= now + URGENT for moment in moments)


def is_held(pending: Sequence[PendingMatch], mailed_at: datetime | None, now: datetime) -> bool:
    """Whether an account's matches of instant rules wait for more; those of urgent names never do.

    They wait while its last instant mail (`mailed_at`, None for none) is younger than SHARED_AFTER, and none waits
    longer than that: mails about urgent names do not put off the others.
    """
    if mailed_at is None or now - mailed_at >= SHARED_AFTER:
        return False
    return all(now - match.matched_at < SHARED_AFTER for match in pending)


class Due(NamedTuple):
    """A digest's moment (UTC) and the local date it is for."""

    moment: datetime
    day: date


def last_due(zone: str, hour: int, now: datetime) -> Due:
    """The newest moment at or before `now` at which the clock of `zone` strikes `hour`.

    An hour that a clock change skips is taken by the clock before the change, and of an hour that comes twice the
    first counts: so every local date has one moment.
    """
    clock = time_zone(zone)
    today = now.astimezone(clock).date()
    # Where a zone skipped a whole day, a date's moment lies in the date after it.
    days = [today + timedelta(days=offset) for offset in (-2, -1, 0, 1)]
    past = [due for day in days if (due := Due(_strike(clock, day, hour), day)).moment <= now]
    return max(past)


def last_weekly(zone: str, hour: int, now: datetime) -> Due:
    """The newest moment at or before `now` at which the clock of `zone` strikes `hour` on a Monday."""
    due = last_due(zone, hour, now)
    while due.day.weekday() != _MONDAY:
        due = last_due(zone, hour, due.moment - timedelta(seconds=1))
    return due


def _strike(clock: tzinfo, day: date, hour: int) -> datetime:
    # fold=0, the default, is the first of two and, in a gap, the offset before it.
    return datetime.combine(day, time(hour), clock).astimezone(UTC)
