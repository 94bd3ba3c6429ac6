"""When on its day a registry releases a name, as the lists need it: from the table of registries' rules. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from afterdrop.sources.registry.registry_rules import Release, day_opens, rule_of

# How long after the last moment of release that is known a name is taken to be gone: our own margin. From then on its
# registry is asked about it. It is no close of the release, which is told only where a registry publishes one.
SETTLES_AFTER = timedelta(hours=2)
_LAST_SECOND = time(23, 59, 59)


def release_opens(domain: str, ends_at: datetime) -> datetime | None:
    """When the registry begins to release a name that has dropped by `ends_at` (UTC), None where its hour is not known.

    The hour is counted on the registry's own clock, on the day on which the name is expected to be gone, and it is
    never after `ends_at`. Where the list names the second of the drop, or which of several moments, it is that one.
    """
    release = _release(domain)
    if release is None:
        return None
    if release.second_listed:
        return ends_at
    moments = release.moments(_day(release, ends_at))
    if not moments or ends_at in moments:
        return ends_at if moments else None
    return min(moments[0], ends_at)


def drop_day(domain: str, ends_at: datetime) -> date | None:
    """The registry's day of a drop whose hour nobody names; None where an hour is known.

    A list that names a day alone gives its last second in UTC as the end (`drop_end`).
    """
    if ends_at.astimezone(UTC).time() != _LAST_SECOND or release_opens(domain, ends_at) is not None:
        return None
    return ends_at.astimezone(UTC).date()


def drop_begins(domain: str, ends_at: datetime) -> datetime | None:
    """When a name that has dropped by `ends_at` may begin to drop: at the opening, or with the registry's day.

    None where its list names an hour of its own, and the registry none.
    """
    day = drop_day(domain, ends_at)
    return day_opens(domain, day) if day else release_opens(domain, ends_at)


def shown_moment(listing_type: str, domain: str, ends_at: datetime) -> tuple[datetime, date | None]:
    """The moment that a listing's end is shown, sorted and counted by, and the registry's day of a drop without hour.

    It is when a drop opens, or its day begins in the registry's zone, and of all else the end itself.
    """
    if listing_type != "pending_delete":
        return ends_at, None
    return drop_begins(domain, ends_at) or ends_at, drop_day(domain, ends_at)


def release_closes(domain: str, ends_at: datetime) -> datetime | None:
    """When the release of a name that has dropped by `ends_at` is over; None where no registry publishes it."""
    release = _release(domain)
    return release.closing(_day(release, ends_at)) if release else None


def names_the_second(domain: str) -> bool:
    """Whether the registry's drop list names the second at which `domain` drops."""
    release = _release(domain)
    return release is not None and release.second_listed


def rests_on_a_guide(domain: str) -> bool:
    """Whether the hour of release is a drop catchers' guide's, and no registry's."""
    release = _release(domain)
    return release is not None and release.by == "guide"


def drop_end(day: date, domain: str) -> datetime:
    """The moment (UTC) by which `domain`, whose drop list names `day` but no hour, has dropped.

    That is two hours after the last known moment of release where the hour is known, else the last second of the day
    in UTC, so that no name is given up before it can have dropped.
    """
    release = _release(domain)
    last = release.last(day) if release else None
    return last + SETTLES_AFTER if last else datetime.combine(day, _LAST_SECOND, UTC)


def _release(domain: str) -> Release | None:
    rule = rule_of(domain)
    return rule.release if rule else None


def _day(release: Release, ends_at: datetime) -> date:
    return (ends_at - timedelta(seconds=1)).astimezone(ZoneInfo(release.zone)).date()
