"""Caches keyed by what callers send are bounded in bytes, whatever is sent."""

from __future__ import annotations

from afterdrop.accounts.versions import Versions
from afterdrop.db.engine import Database
from afterdrop.watching import matching_store
from afterdrop.web.responses import ListCache


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


def test_long_rules_are_parsed_but_not_cached() -> None:
    before = matching_store._cached.cache_info().currsize
    text = '{"keywords": ["' + '", "'.join(["x" * 60] * 100) + '"]}'
    assert len(matching_store._criteria(text)["keywords"]) == 100
    assert matching_store._cached.cache_info().currsize == before
    assert matching_store._criteria('{"min_score": 7}') == {"min_score": 7}
    assert matching_store._cached.cache_info().currsize == before + 1
