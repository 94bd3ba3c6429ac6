"""When pending-delete names drop: the opening and the window of their registry, by day, and how long it is until then.

Pure. `summary` puts the opening into each listing as `opens_at`, and the registry's day as `day` where no hour is
known. `when` makes one value of them: lists, reports, calendars, reminders and mails show it and count to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from afterdrop.catalogue.shapes import CheckedListing, ListingJson, Summary
from afterdrop.sources.registry.release_hours import (
    SETTLES_AFTER,
    drop_begins,
    drop_day,
    names_the_second,
    release_closes,
    release_opens,
    rests_on_a_guide,
)

_HOUR = timedelta(hours=1)


def does(listing: ListingJson | CheckedListing) -> str:
    """The verb for a listed name at `due`: it ends, drops or may drop."""
    if not listing["certain"]:
        return "may drop"
    return "drops" if listing["type"] == "pending_delete" else "ends"


@dataclass(frozen=True, slots=True)
class DropTime:
    """When a listed name ends or drops: at a moment, from an opening on, or during a day of its registry.

    `begins` is what is sorted, counted down to and reminded of; at `ends` it is over. `day` is set where the hour of a
    drop is not known: nothing of the clock is said then.
    """

    begins: datetime
    ends: datetime
    day: date | None = None

    def on(self, zone: tzinfo) -> date:
        """The day that it stands under for a reader in `zone`; a drop without an hour is on its registry's day."""
        return self.day or self.begins.astimezone(zone).date()

    def near(self, now: datetime, within: timedelta) -> bool:
        """Whether it begins within so much time, or has begun and is not over."""
        return self.begins - within < now < self.ends


def when(listing: ListingJson | CheckedListing) -> DropTime | None:
    """When a listing ends or drops; None without a known end."""
    if listing["ends_at"] is None:
        return None
    ends, opens = datetime.fromisoformat(listing["ends_at"]), listing["opens_at"]
    told = listing.get("day")  # the report of a check that was stored by an earlier version has none
    day = date.fromisoformat(told) if told else None
    begins = datetime.fromisoformat(opens) if opens else ends
    return DropTime(begins, max(begins, ends), day)


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which names drop.

    `opens` is None where the hour is not known. Where its list names no hour either, `day` is the registry's day and
    `begins` when that begins. `closes` is None where no registry publishes it. `gone` is when we take the names to be
    gone, and ask their registries. `by_guide`: the hour is a drop catchers' guide's.
    """

    opens: datetime | None
    gone: datetime
    closes: datetime | None = None
    day: date | None = None
    begins: datetime | None = None
    by_guide: bool = False


@dataclass(frozen=True, slots=True)
class Drop:
    """The names that drop in one window, best score first."""

    window: Window
    domains: tuple[Summary, ...]

    @property
    def certain(self) -> bool:
        """Whether any of the names is sure to drop."""
        return any(item["listing"]["certain"] for item in self.domains)

    @property
    def extensions(self) -> list[str]:
        """The extensions of the names."""
        return sorted({item["tld"] for item in self.domains})


def window_of(domain: str, ends_at: datetime) -> Window:
    """The window of a name that has dropped by `ends_at` (UTC), as `drop_end` or its feed says.

    Names whose list says the second of each drop share the window of its hour.
    """
    opens = release_opens(domain, ends_at)
    if opens is not None and names_the_second(domain):
        hour = opens.replace(minute=0, second=0, microsecond=0)
        return Window(hour, hour + _HOUR, hour + _HOUR)
    if opens is None:
        begins = drop_begins(domain, ends_at)
        return Window(None, ends_at, day=drop_day(domain, ends_at), begins=begins)
    return Window(
        opens, opens + SETTLES_AFTER, release_closes(domain, ends_at), by_guide=rests_on_a_guide(domain)
    )


def due(listing: ListingJson | CheckedListing) -> str | None:
    """The time that a listing's end is sorted and counted by: the opening of the drop, or the beginning of its day."""
    return listing["opens_at"] or listing["ends_at"]


def dropping(listing: ListingJson | CheckedListing, now: datetime) -> bool:
    """Whether the drop has opened, or its day has begun, and is not over."""
    found = when(listing)
    return found is not None and listing["opens_at"] is not None and found.begins <= now < found.ends


def drops(items: Iterable[Summary]) -> list[Drop]:
    """Pending-delete names by window, the first first."""
    found: dict[Window, list[Summary]] = {}
    for item in items:
        ends_at = item["listing"]["ends_at"]
        if item["status"] == "pending_delete" and ends_at is not None:
            found.setdefault(window_of(item["domain"], datetime.fromisoformat(ends_at)), []).append(item)
    return [
        Drop(window, tuple(sorted(found[window], key=lambda item: (-item["score"], item["domain"]))))
        for window in sorted(found, key=lambda window: (window.opens or window.gone, window.gone))
    ]


def countdown(drop: Drop, now: datetime) -> str:
    """How long it is until the window opens or closes, to the second.

    Nothing counts down to names that only may drop, nor to a close that nobody publishes.
    """
    window = drop.window
    if not drop.certain:
        return "may drop"
    if window.opens is None:
        return "over" if now >= window.gone else "hour not published"
    if now < window.opens:
        return f"opens in {_clock(window.opens - now)}"
    if window.closes is None:
        return "open; its end is not published"
    return "over" if now >= window.closes else f"open, {_clock(window.closes - now)} left"


def _clock(gap: timedelta) -> str:
    """Days, then hours, minutes and seconds with two digits each."""
    seconds = int(gap.total_seconds())
    days, seconds = divmod(seconds, 86_400)
    clock = f"{seconds // 3600:02}:{seconds % 3600 // 60:02}:{seconds % 60:02}"
    return f"{days} d {clock}" if days else clock
