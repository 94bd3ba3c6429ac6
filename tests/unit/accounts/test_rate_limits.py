"""Rate limits: windows and counters."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from afterdrop.accounts.account import Account, Viewer, plan_at
from afterdrop.accounts.rate_limit_store import _add_saved, _pending, _settle
from afterdrop.accounts.rate_limits import LENGTH, Kind, RateLimiter, seconds_left, window_start
from afterdrop.core.plan_limits import Plan, Plans

NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)
EPOCH = int(NOW.timestamp())
FREE = Plans().free
_kinds = st.sampled_from(sorted(LENGTH))


@given(_kinds, st.integers(0, 2**33))
def test_a_window_contains_its_moment_and_ends_in_time(kind: Kind, epoch: int) -> None:
    start = window_start(kind, epoch)
    assert start <= epoch < start + LENGTH[kind]
    assert start % LENGTH[kind] == 0
    assert epoch + seconds_left(kind, epoch) == start + LENGTH[kind]


def small(minute: int = 3, day: int = 5, lookups: int = 10) -> Plan:
    return FREE.model_copy(
        update={"requests_per_minute": minute, "requests_per_day": day, "lookup_domains_per_hour": lookups}
    )


def test_the_limit_of_the_minute_then_that_of_the_day() -> None:
    meter = RateLimiter(1)
    taken = [meter.take_request(small(), EPOCH + 59) for _ in range(4)]
    assert [(v.allowed, v.remaining) for v in taken] == [(True, 2), (True, 1), (True, 0), (False, 0)]
    assert taken[3].retry_after == 1
    later = [meter.take_request(small(), EPOCH + 60) for _ in range(3)]
    assert [v.allowed for v in later] == [True, True, False]
    assert later[2].retry_after == 6 * 3600 - 60
    assert later[2].remaining == 1
    assert meter.requests_today(EPOCH + 60) == 5
    assert meter.requests_today(EPOCH + 86_400) == 0


def test_after_a_lowered_limit_the_remaining_number_is_zero() -> None:
    meter = RateLimiter(1)
    for _ in range(3):
        meter.take_request(small(), EPOCH)
    assert meter.take_request(small(minute=1, day=1), EPOCH) == (False, 1, 0, 6 * 3600)


def test_look_ups_are_counted_all_or_none() -> None:
    meter = RateLimiter(1)
    assert meter.take_lookups(small(), 8, EPOCH) == 0
    assert meter.take_lookups(small(), 3, EPOCH + 10) == 3590
    assert meter.take_lookups(small(), 2, EPOCH + 10) == 0
    assert meter.lookups_this_hour(EPOCH + 10) == 10
    assert meter.take_lookups(small(), 10, EPOCH + 3600) == 0


def test_look_ups_of_agents_are_bounded_by_the_day_too() -> None:
    meter = RateLimiter(1)
    plan = small().model_copy(update={"agent_lookup_domains_per_day": 12})
    assert meter.take_agent_lookups(plan, 8, EPOCH) == 0
    assert meter.take_agent_lookups(plan, 3, EPOCH) == 3600, "the hour's limit"
    assert meter.agent_lookups_today(EPOCH) == 8, "what was refused is not counted"
    assert meter.take_agent_lookups(plan, 5, EPOCH + 3600) == 5 * 3600, "the day's limit"
    assert meter.lookups_this_hour(EPOCH + 3600) == 0
    assert meter.take_lookups(plan, 10, EPOCH + 3600) == 0, "other keys are not bounded by the day"
    assert meter.agent_lookups_today(EPOCH + 86_400) == 0


def test_exports_are_counted_by_the_hour() -> None:
    meter = RateLimiter(1)
    plan = small().model_copy(update={"exports_per_hour": 2})
    assert [meter.take_export(plan, EPOCH + n) for n in (0, 1, 2)] == [0, 0, 3598]
    assert meter.take_export(plan, EPOCH + 3600) == 0


@given(st.lists(st.tuples(st.integers(0, 200_000), st.booleans()), max_size=60).map(sorted))
def test_no_count_is_lost_whenever_it_is_saved(steps: list[tuple[int, bool]]) -> None:
    """The saved and the unsaved counts make up all requests, window by window."""
    meter, stored = RateLimiter(1), dict[tuple[int, str, int], int]()
    allowed = 0
    plan = small(minute=10**6, day=10**6)
    for epoch, save_now in steps:
        allowed += meter.take_request(plan, epoch).allowed
        if save_now:
            pending = _pending(meter)
            # A request while the database works belongs to the next round.
            allowed += meter.take_request(plan, epoch + 61).allowed
            for (kind, start), used in pending.items():
                stored[1, kind, start] = stored.get((1, kind, start), 0) + used
            _settle(meter, pending)
            _add_saved(meter, stored)
    for (kind, start), used in _pending(meter).items():
        stored[1, kind, start] = stored.get((1, kind, start), 0) + used
    assert sum(used for (_, kind, _), used in stored.items() if kind == "day") == allowed
    assert sum(used for (_, kind, _), used in stored.items() if kind == "minute") == allowed


def test_counts_of_another_process_are_added() -> None:
    meter = RateLimiter(1)
    meter.take_request(small(), EPOCH)
    pending = _pending(meter)
    meter.take_request(small(), EPOCH)
    _settle(meter, pending)
    _add_saved(meter, {(1, "day", window_start("day", EPOCH)): 3, (1, "minute", EPOCH - 60): 9})
    assert meter.requests_today(EPOCH) == 4
    assert meter.minute.used == 2


def test_pro_is_computed_from_the_time() -> None:
    assert [plan_at(until, NOW) for until in (None, NOW, NOW + timedelta(seconds=1))] == [
        "free",
        "free",
        "pro",
    ]
    account = Account(7, "a@b.com", NOW, NOW, NOW + timedelta(days=1), operator=True)
    assert account.viewer(NOW) == Viewer(7, "pro", operator=True)
    assert account.viewer(NOW + timedelta(days=1)).plan == "free"
