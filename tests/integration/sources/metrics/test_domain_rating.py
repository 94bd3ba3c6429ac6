"""Domain Ratings on demand: a value, nothing known, or busy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import host_pace
from afterdrop.http.client import Fetcher
from afterdrop.sources.lookups.domain_rating import Rating, domain_ratings
from afterdrop.sources.metrics.provider_client import FAIL_FAST, ProviderClient
from afterdrop.sources.metrics.provider_files import load_file
from afterdrop.sources.metrics.provider_spec import Budget, ProviderSpec, read_provider
from tests.integration.sources.metrics.vendors import KEYS, Handler, Truth, Vendors, body, specs_of, status

NAMES = ["a.com", "b.org"]


async def rate(
    fetcher: Fetcher,
    database: Database,
    now: datetime,
    specs: Sequence[ProviderSpec],
    names: Sequence[str],
) -> dict[str, Rating]:
    """The ratings of `names`, asked as a look-up asks them."""
    client = ProviderClient(fetcher, database, now, FAIL_FAST)
    return await domain_ratings(client, specs, names)


async def test_ratings_are_asked_once_in_seven_days(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {"a.com": Truth(dr=0.0), "b.org": Truth(dr=71.5)}
    specs = specs_of(outward, vendors, "ahrefs_free", "open_pagerank")
    assert await rate(fetcher, database, now, specs, NAMES) == {"a.com": 0, "b.org": 72}
    vendors.truth["a.com"].dr = 9
    almost = now + timedelta(days=7, seconds=-1)
    assert await rate(fetcher, database, almost, specs, NAMES) == {"a.com": 0, "b.org": 72}
    assert [names for _, names in vendors.asked] == [NAMES]
    after = now + timedelta(days=7)
    assert (await rate(fetcher, database, after, specs, NAMES))["a.com"] == 9


async def test_no_provider_and_no_data_are_null(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    assert await rate(fetcher, database, now, [], NAMES) == {"a.com": None, "b.org": None}
    keyless = specs_of(outward, vendors, "ahrefs_free", keys={})
    assert await rate(fetcher, database, now, keyless, NAMES) == {"a.com": None, "b.org": None}
    vendors.truth = {"a.com": Truth(dr=3)}
    specs = specs_of(outward, vendors, "ahrefs_free")
    assert await rate(fetcher, database, now, specs, NAMES) == {"a.com": 3, "b.org": None}


@pytest.mark.parametrize(
    "fault",
    [status(429, **{"Retry-After": "60"}), status(500), status(401), body("{")],
    ids=["429", "500", "401", "cut"],
)
async def test_a_limit_or_fault_is_busy_for_its_rows_and_not_cached(
    fetcher: Fetcher,
    database: Database,
    outward: Settings,
    vendors: Vendors,
    now: datetime,
    fault: Handler,
) -> None:
    vendors.truth = {"a.com": Truth(dr=3), "b.org": Truth(dr=4)}
    specs = specs_of(outward, vendors, "ahrefs_free")
    assert await rate(fetcher, database, now, specs, ["a.com"]) == {"a.com": 3}
    vendors.faults["ahrefs"] = [fault]
    got = await rate(fetcher, database, now, specs, NAMES)
    assert got == {"a.com": 3, "b.org": "busy_retry_later"}
    # Nothing of it was kept: once the host may be asked again, the row has its value.
    async with database.write() as conn:
        await conn.execute(host_pace.delete())
    another = replace(fetcher, slots=fetcher.slots.of())  # it has not heard of the block
    assert await rate(another, database, now, specs, NAMES) == {"a.com": 3, "b.org": 4}


async def test_our_own_budget_is_a_limit_too(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {name: Truth(dr=5) for name in NAMES}
    specs = specs_of(outward, vendors, "ahrefs_free", per_day=1)
    got = await rate(fetcher, database, now, specs, NAMES)
    assert got == {"a.com": 5, "b.org": "busy_retry_later"}
    tomorrow = await rate(fetcher, database, now + timedelta(days=1), specs, NAMES)
    assert tomorrow == {"a.com": 5, "b.org": 5}


async def test_a_second_provider_fills_in(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {"b.org": Truth(dr=40)}
    content = load_file("ahrefs_free").model_dump(exclude_none=True)
    second = read_provider({**content, "name": "second", "licence": "own_use"}, "second.toml")
    specs = [
        *specs_of(outward, vendors, "ahrefs_free"),
        ProviderSpec(second, f"{vendors.url}/ahrefs", Budget(), None, KEYS),
    ]
    assert (await rate(fetcher, database, now, specs[:1], NAMES)) == {"a.com": None, "b.org": 40}
    assert len(vendors.asked) == 1
    vendors.faults["ahrefs"] = [status(500)]
    vendors.truth |= {"a.com": Truth(dr=8), "c.net": Truth(dr=9)}
    # The first provider fails for c.net and has said it does not know a.com: the second answers for both.
    got = await rate(fetcher, database, now, specs, [*NAMES, "c.net"])
    assert got == {"a.com": 8, "b.org": 40, "c.net": 9}
