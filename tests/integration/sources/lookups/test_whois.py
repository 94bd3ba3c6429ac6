"""The whois record with its drop estimate, and Domain Rating rows."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.db.tables.feeds import listings
from afterdrop.db.tables.review import lookup_answers, registry_states
from afterdrop.sources.lookups import domain_rating, store
from afterdrop.sources.lookups.domain_rating import BUSY
from afterdrop.sources.lookups.registry import availability, whois
from afterdrop.sources.lookups.sources import Sources
from tests.support.registry import Registry, domain_object


async def test_the_contracts_record(sources: Sources, registry: Registry, now: datetime) -> None:
    registry.answers = {"taken.com": domain_object("taken.com")}
    assert (await whois(sources, "taken.com", now)).as_json() == {
        "domain": "taken.com",
        "state": "registered",
        "registrar": "Some Registrar",
        "registrar_iana_id": "69",
        "registered_at": "2010-01-02T03:04:05Z",
        "expires_at": "2027-01-02T03:04:05Z",
        "updated_at": "2026-11-18T09:00:00Z",
        "statuses": ("active",),
        "nameservers": ("ns1.taken.com",),
        "dnssec": False,
        "source": "rdap",
        "detail": None,
        "releases_at": None,
        "drop_estimate": {
            "stage": "active",
            "earliest": "2027-02-06",
            "latest": "2027-03-24",
            "exact": False,
            "drop_hour_utc": 19,
            "rests_on": "Verisign (2024)",
            "hour_rests_on": "drop catchers' guides (2008, not confirmed since)",
        },
    }
    free = (await whois(sources, "free.com", now)).as_json()
    assert (free["state"], free["drop_estimate"]["stage"], free["drop_estimate"]["earliest"]) == (
        "available",
        "available",
        None,
    )


def listing(domain: str, ends_at: datetime, **more: Any) -> dict[str, Any]:
    return {
        "source": "market_a",
        "feed": "list",
        "external_id": f"{domain}{more}",
        "domain": domain,
        "type": "pending_delete",
        "ends_at": ends_at,
        "exact_drop": True,
        "first_seen_at": ends_at - timedelta(days=9),
        "last_seen_at": ends_at - timedelta(days=9),
        "seen_run": 1,
        "withdrawn_at": None,
        **more,
    }


@pytest.mark.parametrize(
    ("more", "exact"),
    [
        ({}, True),
        ({"exact_drop": False}, False),
        ({"withdrawn_at": datetime(2026, 11, 19, tzinfo=UTC)}, False),
        ({"certain_from": datetime(2026, 11, 20, tzinfo=UTC)}, True),
        ({"certain_from": datetime(2026, 11, 22, tzinfo=UTC)}, False),
        ({"ends_at": datetime(2026, 11, 20, 11, tzinfo=UTC)}, False),
        ({"domain": "other.com"}, False),
    ],
)
async def test_a_registrys_own_list_makes_the_day_exact(
    sources: Sources, registry: Registry, now: datetime, more: dict[str, Any], exact: bool
) -> None:
    registry.answers = {"dropping.com": domain_object("dropping.com", "pending delete")}
    row = listing("dropping.com", datetime(2026, 11, 23, 21, tzinfo=UTC)) | more
    async with sources.database.write() as conn:
        await conn.execute(sa.insert(listings), [row])
    found = (await whois(sources, "dropping.com", now)).as_json()["drop_estimate"]
    assert found["exact"] is exact
    days = ("2026-11-23", "2026-11-23") if exact else ("2026-11-23", "2026-11-24")
    assert (found["earliest"], found["latest"]) == days


async def test_ratings_without_a_source_are_null(sources: Sources, now: datetime) -> None:
    rows = await domain_rating.domain_rating(sources, ["b.com", "a.com", "b.com"], now)
    assert [row.as_json() for row in rows] == [
        {"domain": "b.com", "domain_rating": None, "error": None},
        {"domain": "a.com", "domain_rating": None, "error": None},
    ]


async def test_a_busy_source_is_the_rows_own_error(
    sources: Sources, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def some_busy(*_asked: object, **_more: object) -> dict[str, Any]:
        return {"a.com": 41, "b.com": BUSY, "c.com": None}

    monkeypatch.setattr(domain_rating, "domain_ratings", some_busy)
    rows = await domain_rating.domain_rating(sources, ["a.com", "b.com", "c.com"], now)
    assert [(row.domain_rating, row.error) for row in rows] == [(41, None), (None, BUSY), (None, None)]


async def test_expired_answers_are_deleted(sources: Sources, now: datetime) -> None:
    async with sources.database.write() as conn:
        await store.cache_answers(conn, {f"dns:{number}.com": {} for number in range(5)}, now, 10)
        await store.cache_answers(conn, {"dns:new.com": {}}, now, 100)
        assert await store.forget_answers(conn, now + timedelta(seconds=50), at_most=3) == 3
        assert await store.forget_answers(conn, now + timedelta(seconds=50)) == 2
        assert (await conn.execute(sa.select(lookup_answers.c.key))).scalars().all() == ["dns:new.com"]


async def test_not_found_under_cz_is_not_free_while_the_registry_may_sell_the_name(
    sources: Sources, registry: Registry, now: datetime
) -> None:
    names = ["followed.cz", "never-seen.cz", "free.com"]
    async with sources.database.write() as conn:
        await conn.execute(
            sa.insert(registry_states), [{"domain": "followed.cz", "stage": "active", "due_at": now}]
        )
    answers = {answer.record.domain: answer for answer in await availability(sources, names, now)}
    followed, never = answers["followed.cz"], answers["never-seen.cz"]
    assert (followed.state, followed.reason) == ("unknown", "sold_first")
    assert "auctions" in followed.notes[0]
    assert (never.state, "auctions" in never.notes[0]) == ("available", True)
    assert answers["free.com"].notes == ()
