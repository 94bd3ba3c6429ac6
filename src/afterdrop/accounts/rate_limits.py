"""Request and look-up counters in memory: exact within a process, a few microseconds a request, no waiting.

`usage` saves what was counted and brings in what other processes counted. Times are whole epoch seconds.
"""

from __future__ import annotations

from typing import NamedTuple

from afterdrop.accounts.rate_windows import Kind, seconds_left, window_start
from afterdrop.core.settings import Plan


class Verdict(NamedTuple):
    """Whether a request may go on. `limit` and `remaining` are the minute's; `retry_after` seconds when refused."""

    allowed: bool
    limit: int
    remaining: int
    retry_after: int = 0


class Count:
    """What one account used in one window: `used` in all, of which `unsaved` is not yet in the database."""

    __slots__ = ("kind", "start", "unsaved", "used")

    def __init__(self, kind: Kind) -> None:
        self.kind: Kind = kind
        self.start = -1
        self.used = 0
        self.unsaved = 0


class RateLimiter:
    """One account's counters. `ended` holds windows that closed before they were saved."""

    __slots__ = ("account_id", "day", "ended", "idle", "lookups", "minute")

    def __init__(self, account_id: int) -> None:
        self.account_id = account_id
        self.minute = Count("minute")
        self.day = Count("day")
        self.lookups = Count("lookups")
        self.ended: list[tuple[Kind, int, int]] = []
        self.idle = 0

    def _roll(self, count: Count, epoch: int) -> None:
        start = window_start(count.kind, epoch)
        if count.start != start:
            if count.unsaved:
                self.ended.append((count.kind, count.start, count.unsaved))
            count.start, count.used, count.unsaved = start, 0, 0

    def roll(self, epoch: int) -> None:
        """Begin the windows `epoch` lies in."""
        for count in (self.minute, self.day, self.lookups):
            self._roll(count, epoch)

    def take_request(self, plan: Plan, epoch: int) -> Verdict:
        """Count one request, unless the minute's or the day's are used up: a refused one does not count."""
        minute, day = self.minute, self.day
        self.idle = 0
        if not minute.start <= epoch < minute.start + 60:
            self.roll(epoch)
        limit = plan.requests_per_minute
        if day.used >= plan.requests_per_day:
            return Verdict(False, limit, max(limit - minute.used, 0), seconds_left("day", epoch))
        if minute.used >= limit:
            return Verdict(False, limit, 0, seconds_left("minute", epoch))
        minute.used += 1
        minute.unsaved += 1
        day.used += 1
        day.unsaved += 1
        return Verdict(True, limit, limit - minute.used)

    def take_lookups(self, plan: Plan, domains: int, epoch: int) -> int:
        """Count looked-up domains: 0 when they fit into this hour, else the seconds to wait (nothing is counted)."""
        self.idle = 0
        self._roll(self.lookups, epoch)
        if self.lookups.used + domains > plan.lookup_domains_per_hour:
            return seconds_left("lookups", epoch)
        self.lookups.used += domains
        self.lookups.unsaved += domains
        return 0

    def requests_today(self, epoch: int) -> int:
        """Requests counted in the UTC day."""
        self._roll(self.day, epoch)
        return self.day.used

    def lookups_this_hour(self, epoch: int) -> int:
        """Domains looked up in the clock hour."""
        self._roll(self.lookups, epoch)
        return self.lookups.used
