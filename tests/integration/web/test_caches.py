"""Caches keyed by what callers send are bounded in bytes, whatever is sent."""

from __future__ import annotations

import pickle
from datetime import datetime, timedelta

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.versions import Versions
from afterdrop.catalogue.lists.asking import Asking
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.pages import ListTotals, list_page
from afterdrop.db.engine import Database
from afterdrop.watching import matching_store
from afterdrop.web.responses import ListCache
from tests.support.rows import LINKS
from tests.support.service import NOW


async def test_list_responses_are_kept_up_to_so_many_bytes(database: Database) -> None:
    cache = ListCache(Versions(database), most=100_000)
    made: list[int] = []

    async def ask(number: int) -> bytes:
        async def make() -> bytes:
            made.append(number)
            return b"%d" % number + b"x" * 9_000

        return await cache.body("q" * 50_000, number, make=make)

    for number in range(40):
        assert (await ask(number)).startswith(b"%dx" % number)
        assert cache.size <= 100_000
    assert await ask(39) == await ask(39)
    assert made == list(range(40))


async def test_totals_are_kept_by_digest_however_long_the_filters(database: Database) -> None:
    totals = ListTotals()
    viewer = Viewer(1, "pro", False)

    async def ask(number: int, now: datetime = NOW) -> None:
        tlds = [f"{'x' * 60}.{'y' * 60}.z{number}n{n}" for n in range(100)]
        async with database.read() as conn:
            await list_page(
                conn,
                ListSelection(Asking("live", viewer, now, LINKS.fees), ListFilter.of(tld=tlds)),
                LINKS,
                totals=totals,
            )

    for number in range(60):
        await ask(number)
    await ask(0, NOW + timedelta(seconds=1))
    assert len(pickle.dumps(totals._kept)) < 60 * 300


def test_long_rules_are_parsed_but_not_cached() -> None:
    before = matching_store._cached.cache_info().currsize
    text = '{"keywords": ["' + '", "'.join(["x" * 60] * 100) + '"]}'
    assert len(matching_store._criteria(text)["keywords"]) == 100
    assert matching_store._cached.cache_info().currsize == before
    assert matching_store._criteria('{"min_score": 7}') == {"min_score": 7}
    assert matching_store._cached.cache_info().currsize == before + 1
