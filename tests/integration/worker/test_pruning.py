"""Expired rows are pruned in small portions; all others stay."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.catalogue import publish
from afterdrop.catalogue.listings import showing
from afterdrop.db.tables.accounts import answered_requests, sign_in_attempts, site_sessions, usage_counters
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.delivery import mails
from afterdrop.db.tables.feeds import (
    candidates,
    listings,
    metric_values,
    provider_answers,
    scans,
    source_runs,
)
from afterdrop.db.tables.queue import job_runs, workers
from afterdrop.db.tables.review import archive_answers, lookup_answers, registry_passes, reviews
from afterdrop.worker.pruning import LISTINGS_DAYS, SCANS_DAYS, UNSETTLED_DAYS, prune
from tests.support.rows import put, row
from tests.support.world import World

DAY = timedelta(days=1)


def rows_of(at: datetime, number: int, account: int) -> dict[sa.Table, tuple[str, timedelta, dict[str, Any]]]:
    """A row of each table that is pruned: its name in the job's result, how long it is kept, and its values."""
    week, fortnight, year = 7 * DAY, 14 * DAY, 366 * DAY
    mail = {"recipient": "a@b.example", "kind": "k", "subject": "s", "text": "t", "headers": {}}
    return {
        mails: ("mails", fortnight, {**mail, "status": "sent", "created_at": at}),
        job_runs: ("job runs", week, {"job": "j", "moment": at, "finished_at": at}),
        workers: ("workers", week, {"id": f"w{number}", "started_at": at, "heartbeat_at": at}),
        site_sessions: (
            "sessions", 30 * DAY,
            {"hash": f"h{number}", "account_id": account, "created_at": at, "expires_at": at + 30 * DAY},
        ),
        sign_in_attempts: ("failed sign-ins", DAY, {"subject": "x", "at": at}),
        archive_answers: (
            "archive answers", DAY,
            {"key": f"k{number}", "url": "u", "status": 200, "headers": {}, "body": b"", "fetched_at": at,
             "keep_until": at + DAY},
        ),
        answered_requests: (
            "repeated requests", DAY,
            {"account_id": account, "key_hash": f"k{number}", "request": "r", "began_at": at},
        ),
        registry_passes: (
            "registry passes", week,
            {"host": "h", "pass_at": at, "asked": 1, "turned_free": 0, "withheld": False},
        ),
        lookup_answers: (
            "look-ups", DAY, {"key": f"dns:{number}", "answer": {}, "asked_at": at, "keep_until": at + DAY}
        ),
        provider_answers: (
            "provider answers", year,
            {"provider": "p", "domain": f"d{number}.com", "asked_at": at, "found": False, "metrics": {}},
        ),
    }  # fmt: skip


async def test_rows_are_pruned_when_they_expire_and_not_before(world: World) -> None:
    account = await world.account()
    kinds = rows_of(world.now, 0, account)
    for table, (_, kept, _) in kinds.items():
        for number, age in enumerate((kept - timedelta(minutes=1), kept + timedelta(minutes=1))):
            row = rows_of(world.now - age, number, account)[table][2]
            async with world.database.write() as conn:
                await conn.execute(sa.insert(table).values(**row))
    assert await prune(world.context) == dict.fromkeys((name for name, _, _ in kinds.values()), 1)
    for table in kinds:
        assert len(await world.rows(table)) == 1, table.name
    assert await prune(world.context) == {}


async def test_unfinished_rows_stay_however_old(world: World) -> None:
    old = world.now - 400 * DAY
    mail = rows_of(old, 0, 0)[mails][2]
    async with world.database.write() as conn:
        await conn.execute(sa.insert(mails).values(**{**mail, "status": "pending"}))
        await conn.execute(sa.insert(job_runs).values(job="scan", moment=old))
    assert await prune(world.context) == {}


async def test_many_rows_are_pruned_a_few_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afterdrop.worker.pruning._AT_ONCE", 4)
    old = world.now - 2 * DAY
    async with world.database.write() as conn:
        for number in range(10):
            for table in (lookup_answers, archive_answers):
                await conn.execute(sa.insert(table).values(**rows_of(old, number, 0)[table][2]))
    assert await prune(world.context) == {"look-ups": 10, "archive answers": 10}


async def test_counters_of_past_windows_are_pruned(world: World) -> None:
    account = await world.account()
    old = {"account_id": account, "kind": "day", "start": world.now - 400 * DAY, "used": 1}
    async with world.database.write() as conn:
        await conn.execute(sa.insert(usage_counters).values(**old))
    assert await prune(world.context) == {"usage": 1}


async def test_a_review_is_pruned_a_week_after_it_expires_unless_it_is_needed(world: World) -> None:
    over = world.now - 7 * DAY

    def review(domain: str, until: datetime) -> dict[str, Any]:
        made = until - 30 * DAY
        return {"domain": domain, "reviewed_at": made, "valid_until": until, "spam": True, "history": {}}

    def candidate(domain: str, state: str, **more: Any) -> dict[str, Any]:
        return {"domain": domain, "state": state, "first_seen_at": over, **more}

    rejected = {"outcome": "rejected", "reasons": ["Adult content in 2019."], "score": 12, "settled_at": over}
    async with world.database.write() as conn:
        await put(conn, row("published.com"))
        await conn.execute(sa.insert(candidates).values(candidate("rejected.com", "settled", **rejected)))
        await conn.execute(sa.insert(candidates).values(candidate("waits.com", "due")))
        names = ("published.com", "rejected.com", "waits.com", "checked.com")
        await conn.execute(sa.insert(reviews), [review(name, over) for name in names])
        await conn.execute(sa.insert(reviews).values(review("young.com", over + timedelta(minutes=1))))
    assert await prune(world.context) == {"reviews": 2}
    assert {kept["domain"] for kept in await world.rows(reviews)} == {
        "published.com",
        "waits.com",
        "young.com",
    }
    stands = next(kept for kept in await world.rows(candidates) if kept["domain"] == "rejected.com")
    assert {name: stands[name] for name in rejected} == rejected


def listing(at: datetime, domain: str, key: str, **more: Any) -> dict[str, Any]:
    """A row of `listings` that ended at `at`."""
    ends = {"ends_at": at, "live_until": at, "first_seen_at": at - 9 * DAY, "last_seen_at": at - DAY}
    offer = {"source": "market_a", "feed": "market_a", "type": "auction", "seen_run": 1, "bids": 0}
    return {
        **offer,
        **ends,
        "external_id": key,
        "domain": domain,
        "withdrawn_at": None,
        **more,
    }


async def test_ended_listings_are_pruned_but_never_the_last_of_a_published_name(world: World) -> None:
    days = LISTINGS_DAYS
    old, older = world.now - (days + 1) * DAY, world.now - (days + 9) * DAY
    rows = [
        listing(older, "published.com", "gone"),
        listing(world.now - DAY, "published.com", "gone, withdrawn", withdrawn_at=older),
        listing(old, "published.com", "last"),
        listing(old, "published.com", "as late", source="market_b"),
        listing(older, "published.com", "last drop", type="pending_delete"),
        listing(old, "rejected.com", "gone, rejected"),
        listing(world.now - (days - 1) * DAY, "rejected.com", "young"),
        listing(older, "rejected.com", "endless", ends_at=None, live_until=None),
        listing(old, "waits.com", "waits"),
    ]
    async with world.database.write() as conn:
        await put(conn, row("published.com", ends_at=old, live_until=old))
        await conn.execute(sa.insert(listings), rows)
        waits = {"domain": "waits.com", "state": "due", "first_seen_at": old}
        await conn.execute(sa.insert(candidates).values(waits))
        before = await publish.load_known(conn, ["published.com"], world.now)
    assert await prune(world.context) == {"listings": 3}
    assert {kept["external_id"] for kept in await world.rows(listings)} == {
        kept["external_id"] for kept in rows if "gone" not in kept["external_id"]
    }
    async with world.database.write() as conn:
        after = await publish.load_known(conn, ["published.com"], world.now)
    shown = [showing(known["published.com"].listings, world.now) for known in (before, after)]
    assert shown[0] == shown[1]


async def test_a_name_without_a_verdict_is_forgotten_and_a_rejection_never(world: World) -> None:
    old = world.now - (UNSETTLED_DAYS + 1) * DAY
    settled = {"state": "settled", "first_seen_at": old, "settled_at": old}
    outcomes: dict[str, dict[str, Any]] = {
        "late.com": {"outcome": "not_reviewed_in_time", "reasons": ["The listing ended before its review."]},
        "failed.com": {"outcome": "failed"},
        "rejected.com": {"outcome": "rejected", "reasons": ["Casino in 2019."], "score": 3},
        "failed-later.com": {"outcome": "failed", "reasons": ["Casino in 2019."], "score": 3},
        "published.com": {"outcome": "failed"},
        "offered.com": {"outcome": "failed"},
        "young.com": {"outcome": "failed", "settled_at": old + 2 * DAY},
    }
    async with world.database.write() as conn:
        await put(conn, row("published.com"))
        await conn.execute(sa.insert(listings).values(listing(world.now + DAY, "offered.com", "1")))
        for domain, values in outcomes.items():
            await conn.execute(sa.insert(candidates).values({"domain": domain, **settled, **values}))
            metric = {"domain": domain, "role": "dr", "provider": "p", "value": 7, "fetched_at": old}
            await conn.execute(sa.insert(metric_values).values(metric))
    assert await prune(world.context) == {"candidates": 2, "metrics": 5}
    kept = {found["domain"]: found for found in await world.rows(candidates)}
    assert set(kept) == set(outcomes) - {"late.com", "failed.com"}
    for domain in ("rejected.com", "failed-later.com"):
        assert (kept[domain]["score"], kept[domain]["reasons"]) == (3, ["Casino in 2019."])
    assert {found["domain"] for found in await world.rows(metric_values)} == {"published.com", "offered.com"}
    async with world.database.read() as conn:
        assert len((await conn.execute(sa.select(domains.c.domain))).all()) == 1


async def test_old_scans_and_indexes_of_unpublished_names_are_pruned(world: World) -> None:
    old, young = world.now - (SCANS_DAYS + 1) * DAY, world.now - (SCANS_DAYS - 1) * DAY

    def scan(number: int, at: datetime, **more: Any) -> dict[str, Any]:
        return {"id": number, "day": "d", "started_at": at, "deadline_at": at, "counts": {}, **more}

    async with world.database.write() as conn:
        await put(conn, row("published.com"))
        for values in (scan(1, old, finished_at=old), scan(2, young, finished_at=young), scan(3, old)):
            await conn.execute(sa.insert(scans).values(values))
            run = {"scan_id": values["id"], "feed": "f", "source": "s", "state": "done", "counts": {}}
            await conn.execute(sa.insert(source_runs).values(**run, samples={}))
        settled = {"domain": "a.com", "state": "settled", "outcome": "rejected", "first_seen_at": old}
        await conn.execute(sa.insert(candidates).values(**settled, scan_id=1))
        index = rows_of(world.now - (world.settings.retention.index_days + 1) * DAY, 0, 0)[archive_answers][
            2
        ] | {"keep_until": None}
        for name in ("published.com", "other.com"):
            await conn.execute(
                sa.insert(archive_answers).values({**index, "key": name, "url": f"index of {name}"})
            )
    assert await prune(world.context) == {"archive indexes": 1, "scans": 1}
    assert [found["id"] for found in await world.rows(scans)] == [2, 3]
    assert [found["scan_id"] for found in await world.rows(source_runs)] == [2, 3]
    assert [found["scan_id"] for found in await world.rows(candidates)] == [None]
    assert [found["url"] for found in await world.rows(archive_answers)] == ["index of published.com"]
