"""When pending-delete names may drop: the window of their registry, by day, and how long it is until then. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from afterdrop.catalogue.summary import DomainSummary
from afterdrop.registry.release_hours import RELEASE_LASTS, release_hour


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which names drop. `opens` is None where the registry publishes no hour."""

    opens: datetime | None
    closes: datetime

    def day(self, zone: tzinfo) -> date:
        """The day it is looked up under: the reader's where the hour is known, else the registry's day, in UTC."""
        return (
            self.closes.astimezone(UTC).date() if self.opens is None else self.opens.astimezone(zone).date()
        )


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


def drops(items: Iterable[DomainSummary], zone: tzinfo, day: date | None = None) -> list[Drop]:
    """Pending-delete names by window, the first first; with `day` only those of that day."""
    found: dict[Window, list[DomainSummary]] = {}
    for item in items:
        ends_at = item["listing"]["ends_at"]
        if item["status"] == "pending_delete" and ends_at is not None:
            found.setdefault(window_of(item["domain"], datetime.fromisoformat(ends_at)), []).append(item)
    chosen = [window for window in found if day is None or window.day(zone) == day]
    chosen.sort(key=lambda window: (window.opens or window.closes, window.closes))
    return [
        Drop(window, tuple(sorted(found[window], key=lambda item: (-item["score"], item["domain"]))))
        for window in chosen
    ]


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
