"""When pending-delete names may drop: the window of their registry, by day, and how long it is until then. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from afterdrop.catalogue.summary import DomainSummary
from afterdrop.registry.release_hours import RELEASE_LASTS, release_hour

_DAY = timedelta(days=1)
_FIRST, _LAST = date(1985, 1, 1), date(9000, 1, 1)


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which names drop. `opens` is None where the registry publishes no hour."""

    opens: datetime | None
    closes: datetime


@dataclass(frozen=True, slots=True)
class Drop:
    """The names that drop in one window, best score first."""

    window: Window
    domains: tuple[DomainSummary, ...]

    @property
    def extensions(self) -> list[str]:
        """The extensions of the names."""
        return sorted({item["tld"] for item in self.domains})


def window_of(domain: str, ends_at: datetime) -> Window:
    """The window of a name that has dropped by `ends_at` (UTC), as `drop_end` or its feed says.

    A registry's hour is counted on its own clock, on the day on which the name is expected to be gone.
    """
    hour = release_hour(domain)
    if hour is None:
        return Window(None, ends_at)
    opens = hour.at((ends_at - timedelta(seconds=1)).astimezone(ZoneInfo(hour.zone)).date())
    return Window(opens, opens + RELEASE_LASTS)


def drops(items: Iterable[DomainSummary]) -> list[Drop]:
    """Pending-delete names by window, the first first."""
    found: dict[Window, list[DomainSummary]] = {}
    for item in items:
        ends_at = item["listing"]["ends_at"]
        if item["status"] == "pending_delete" and ends_at is not None:
            found.setdefault(window_of(item["domain"], datetime.fromisoformat(ends_at)), []).append(item)
    return [
        Drop(window, tuple(sorted(found[window], key=lambda item: (-item["score"], item["domain"]))))
        for window in sorted(found, key=lambda window: (window.opens or window.closes, window.closes))
    ]


def ends_of_day(day: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """The ends of listings (after, until) that stand under a day of the reader's zone.

    Ends are the last moments of windows or of days in UTC. Four hours are given, so that what drops today stands under
    today from Hawaii to Dubai. A day beyond all registries' times counts as the last one within.
    """
    day = min(max(day, _FIRST), _LAST)
    first, last = (datetime.combine(each, time(4), zone).astimezone(UTC) for each in (day, day + _DAY))
    return first, last


def countdown(window: Window, now: datetime) -> str:
    """How long it is until the window opens or closes, to the second."""
    if now >= window.closes:
        return "over"
    if window.opens is None:
        return "hour not published"
    if now < window.opens:
        return f"opens in {_clock(window.opens - now)}"
    return f"open, {_clock(window.closes - now)} left"


def _clock(gap: timedelta) -> str:
    """Days, then hours, minutes and seconds with two digits each."""
    seconds = int(gap.total_seconds())
    days, seconds = divmod(seconds, 86_400)
    clock = f"{seconds // 3600:02}:{seconds % 3600 // 60:02}:{seconds % 60:02}"
    return f"{days} d {clock}" if days else clock
