"""The limits on requests, look-ups and exports, counted in memory in fixed windows of time. Pure.

A count is exact within its process and costs a few microseconds. `rate_limit_store` saves the counts and adds those of
other processes. Times are whole seconds since 1970. The minute is aligned to the clock, the day is the UTC day, the
look-up hour is the clock hour.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from afterdrop.core.plan_limits import Plan

# `agents`: domains looked up in the UTC day with keys that may not spend.
Kind = Literal["minute", "day", "lookups", "agents", "exports"]
LENGTH: dict[Kind, int] = {"minute": 60, "day": 86_400, "lookups": 3600, "agents": 86_400, "exports": 3600}


def window_start(kind: Kind, epoch: int) -> int:
    """The start of the window that `epoch` lies in."""
    return epoch - epoch % LENGTH[kind]


def seconds_left(kind: Kind, epoch: int) -> int:
    """Whole seconds until the next window begins, at least 1: what `Retry-After` says."""
    return LENGTH[kind] - epoch % LENGTH[kind]


class RateVerdict(NamedTuple):
    """Whether a request is allowed; `limit` and `remaining` are the minute's, `retry_after` is in seconds."""

    allowed: bool
    limit: int
    remaining: int
    retry_after: int = 0


class Count:
    """The use of one account in one window: `used` in all, `unsaved` of it not yet in the database."""

    __slots__ = ("kind", "start", "unsaved", "used")

    def __init__(self, kind: Kind) -> None:
        self.kind: Kind = kind
        self.start = -1
        self.used = 0
        self.unsaved = 0


class RateLimiter:
    """One account's counters. `ended` holds windows that closed before they were saved."""

    __slots__ = ("account_id", "agents", "day", "ended", "exports", "idle", "lookups", "minute")

    def __init__(self, account_id: int) -> None:
        self.account_id = account_id
        self.minute = Count("minute")
        self.day = Count("day")
        self.lookups = Count("lookups")
        self.agents = Count("agents")
        self.exports = Count("exports")
        self.ended: list[tuple[Kind, int, int]] = []
        self.idle = 0

    @property
    def counts(self) -> tuple[Count, ...]:
        """All of them."""
        return self.minute, self.day, self.lookups, self.agents, self.exports

    def _roll(self, count: Count, epoch: int) -> None:
        start = window_start(count.kind, epoch)
        if count.start != start:
            if count.unsaved:
                self.ended.append((count.kind, count.start, count.unsaved))
            count.start, count.used, count.unsaved = start, 0, 0

    def roll(self, epoch: int) -> None:
        """Begin the windows that `epoch` lies in."""
        for count in self.counts:
            self._roll(count, epoch)

    def take_request(self, plan: Plan, epoch: int) -> RateVerdict:
        """Count one request unless the limit of the minute or the day is reached; refused requests are not counted."""
        minute, day = self.minute, self.day
        self.idle = 0
        if not minute.start <= epoch < minute.start + 60:
            self.roll(epoch)
        limit = plan.requests_per_minute
        if day.used >= plan.requests_per_day:
            return RateVerdict(False, limit, max(limit - minute.used, 0), seconds_left("day", epoch))
        if minute.used >= limit:
            return RateVerdict(False, limit, 0, seconds_left("minute", epoch))
        minute.used += 1
        minute.unsaved += 1
        day.used += 1
        day.unsaved += 1
        return RateVerdict(True, limit, limit - minute.used)

    def take_lookups(self, plan: Plan, domains: int, epoch: int) -> int:
        """Count looked-up domains and give 0; over the hour's limit count none and give the seconds to wait."""
        self.idle = 0
        self._roll(self.lookups, epoch)
        if self.lookups.used + domains > plan.lookup_domains_per_hour:
            return seconds_left("lookups", epoch)
        self.lookups.used += domains
        self.lookups.unsaved += domains
        return 0

    def take_agent_lookups(self, plan: Plan, domains: int, epoch: int) -> int:
        """The same for a key that may not spend, whose look-ups are bounded by the day as well."""
        self._roll(self.agents, epoch)
        if self.agents.used + domains > plan.agent_lookup_domains_per_day:
            return seconds_left("agents", epoch)
        wait = self.take_lookups(plan, domains, epoch)
        if not wait:
            self.agents.used += domains
            self.agents.unsaved += domains
        return wait

    def take_export(self, plan: Plan, epoch: int) -> int:
        """Count one export and give 0; over the hour's limit count none and give the seconds to wait."""
        self.idle = 0
        self._roll(self.exports, epoch)
        if self.exports.used >= plan.exports_per_hour:
            return seconds_left("exports", epoch)
        self.exports.used += 1
        self.exports.unsaved += 1
        return 0

    def agent_lookups_today(self, epoch: int) -> int:
        """The domains looked up in the UTC day with keys that may not spend."""
        self._roll(self.agents, epoch)
        return self.agents.used

    def requests_today(self, epoch: int) -> int:
        """The requests counted in the UTC day."""
        self._roll(self.day, epoch)
        return self.day.used

    def lookups_this_hour(self, epoch: int) -> int:
        """The domains looked up in the clock hour."""
        self._roll(self.lookups, epoch)
        return self.lookups.used
