"""Budgets of metric providers: never exceeded, however many workers ask at the same time."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database, open_database
from afterdrop.http.client import Fetcher
from afterdrop.sources.metrics import store
from afterdrop.sources.metrics.lookup import ask_bulk
from afterdrop.sources.metrics.provider_client import ProviderClient
from afterdrop.sources.metrics.provider_spec import Budget
from tests.integration.sources.metrics.vendors import Truth, Vendors, always, specs_of


async def test_many_workers_together_never_exceed_a_limit(database: Database, now: datetime) -> None:
    budget = Budget(per_day=50, per_month=45)

    async def worker() -> int:
        got = 0
        for _ in range(10):
            async with database.write() as conn:
                got += 3 * await store.reserve(conn, "v", budget, 3, now)
        return got

    taken = sum(await asyncio.gather(*(worker() for _ in range(8))))
    async with database.read() as conn:
        assert await store.spent(conn, "v", now) == (45, 45) and taken == 45
        assert await store.units_left(conn, "v", budget, now) == 0


async def test_two_processes_share_one_budget(database: Database, database_url: str, now: datetime) -> None:
    other = open_database(database_url, connections=13)
    budget = Budget(per_day=7)

    async def spend(where: Database) -> int:
        got = 0
        for _ in range(6):
            async with where.write() as conn:
                got += await store.reserve(conn, "v", budget, 1, now)
        return got

    try:
        assert sum(await asyncio.gather(spend(database), spend(other), spend(other))) == 7
    finally:
        await other.close()


async def test_a_refusal_by_one_budget_takes_nothing_from_the_other(
    database: Database, now: datetime
) -> None:
    async with database.write() as conn:
        assert await store.reserve(conn, "v", Budget(per_day=5), 5, now)
        assert not await store.reserve(conn, "v", Budget(per_day=5, per_month=100), 1, now)
        assert await store.spent(conn, "v", now) == (5, 5)
        assert not await store.reserve(conn, "v", Budget(per_month=5), 1, now)
        assert await store.units_left(conn, "v", Budget(per_day=9, per_month=7), now) == 2
        assert await store.units_left(conn, "v", Budget(), now) is None
        assert await store.units_left(conn, "w", Budget(per_day=9), now) == 9


async def test_days_and_months_are_utc(database: Database) -> None:
    last = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    async with database.write() as conn:
        assert await store.reserve(conn, "v", Budget(per_day=1), 1, last)
        assert not await store.reserve(conn, "v", Budget(per_day=1), 1, last)
        assert await store.reserve(conn, "v", Budget(per_day=1), 1, last + timedelta(minutes=1))
        assert await store.spent(conn, "v", last) == (1, 1)


async def test_units_given_back_can_be_spent_again_and_never_go_below_none(
    database: Database, now: datetime
) -> None:
    async with database.write() as conn:
        assert await store.reserve(conn, "v", Budget(per_day=3), 3, now)
        await store.give_back(conn, "v", 2, now)
        assert await store.spent(conn, "v", now) == (1, 1)
        await store.give_back(conn, "v", 5, now)
        assert await store.spent(conn, "v", now) == (0, 0)


async def test_a_budget_smaller_than_a_batch_is_used_up_and_the_rest_counted(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    names = [f"n{number}.com" for number in range(250)]
    vendors.truth = {name: Truth() for name in names}
    specs = specs_of(outward, vendors, "open_pagerank", per_day=130)
    got = await ask_bulk(ProviderClient(fetcher, database, now), specs, names)
    assert [len(asked) for _, asked in vendors.asked] == [100, 30]
    assert got.spent == {"open_pagerank": 130} and got.over_budget == {"open_pagerank": 120}
    tomorrow = await ask_bulk(ProviderClient(fetcher, database, now + timedelta(days=1)), specs, names)
    assert tomorrow.asked == {"open_pagerank": 120} and len(tomorrow.metrics) == 250


async def test_scans_at_the_same_time_stay_within_the_budget(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    names = [f"n{number}.com" for number in range(600)]
    vendors.truth = {name: Truth() for name in names}
    [spec] = specs_of(outward, vendors, "open_pagerank", per_day=250)
    outcomes = await asyncio.gather(
        *(ProviderClient(fetcher, database, now).ask(spec, names[n * 150 : n * 150 + 150]) for n in range(4))
    )
    sent = len(vendors.names_asked("pagerank"))
    assert sent == sum(outcome.units for outcome in outcomes) <= 250
    async with database.read() as conn:
        assert await store.spent(conn, spec.name, now) == (sent, sent)
    assert all(outcome.asked + outcome.over_budget == 150 and not outcome.faults for outcome in outcomes)


async def test_a_provider_may_charge_for_each_request(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {"a.com": Truth(), "b.org": Truth()}
    [spec] = specs_of(outward, vendors, "semrush", per_day=79)
    outcome = await ProviderClient(fetcher, database, now).ask(spec, ["a.com", "b.org"])
    assert (outcome.asked, outcome.units, outcome.over_budget) == (1, 40, 1)


async def test_with_a_budget_of_zero_no_provider_is_asked(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    specs = specs_of(outward, vendors, "majestic", per_month=0)
    got = await ask_bulk(ProviderClient(fetcher, database, now), specs, ["a.com"], worth_paying=always)
    assert got.over_budget == {"majestic": 1} and vendors.asked == []
