"""The end of a scan: ranks, the draw, the service's figures."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.scan_end import end_scan
from afterdrop.catalogue.stats import ListFigures, Stats, stats
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains, open_domains, open_draws
from afterdrop.db.tables.feeds import scans, source_runs
from tests.support.lists import snapshot_of
from tests.support.rows import DAY, LINKS, NOW, put, row

HOUR = timedelta(hours=1)
TODAY = {"hunt_day": "2026-11-20", "found_at": NOW - HOUR}


async def ended(database: Database, scan_id: int, now: datetime, day: str = "2026-11-20") -> None:
    async with database.write() as conn:
        await end_scan(conn, scan_id, day, now)


async def open_now(database: Database) -> set[str]:
    """What is open."""
    async with database.read() as conn:
        return set((await conn.scalars(sa.select(domains.c.domain).where(domains.c.open_now))).all())


async def ranked(database: Database) -> dict[str, int]:
    async with database.read() as conn:
        found = await conn.execute(sa.select(domains.c.domain, domains.c.rank_on_hunt_day))
        return {domain: rank for domain, rank in found if rank is not None}


async def test_the_first_scan_of_a_date_draws_and_ranks(database: Database) -> None:
    async with database.write() as conn:
        await conn.execute(sa.insert(open_draws).values(day="2026-11-19", drawn_at=NOW - 2 * HOUR))
        await put(
            conn,
            *(row(f"c{score}.com", score=score, **TODAY) for score in (90, 80, 70, 60)),
            row("n.net", score=50, **TODAY),
            row("old.org", score=99),
            row("soon.org", score=95, **TODAY, ends_at=NOW + HOUR),
            row("gone.org", score=97, **TODAY, removed_at=NOW),
            row("past.org", score=96, **TODAY, ends_at=NOW),
        )
    await ended(database, 1, NOW)
    assert await open_now(database) == {"c90.com", "c80.com", "n.net", "c70.com", "c60.com"}
    async with database.write() as conn:
        await put(conn, row("late.dev", score=99, found_at=NOW))
    await ended(database, 1, NOW + HOUR)
    assert await open_now(database) == {"c90.com", "c80.com", "n.net", "c70.com", "c60.com"}
    assert await ranked(database) == {
        **{"past.org": 1, "soon.org": 2, "c90.com": 3, "c80.com": 4, "c70.com": 5, "c60.com": 6},
        "n.net": 7,
    }


async def test_open_until_the_next_draw_and_five_whenever_five_are_live(database: Database) -> None:
    """Never opened ones first, then those whose opening lies longest ago."""
    lasting = {**TODAY, "ends_at": NOW + 30 * DAY}
    async with database.write() as conn:
        await put(conn, *(row(f"d{number}.t{number}", score=90 - number, **lasting) for number in range(7)))
    first, third = (
        {f"d{number}.t{number}" for number in range(5)},
        {f"d{number}.t{number}" for number in (3, 4)},
    )
    await ended(database, 1, NOW)
    assert await open_now(database) == first
    await ended(database, 2, NOW + DAY, "2026-11-21")
    assert await open_now(database) == {"d5.t5", "d6.t6", "d0.t0", "d1.t1", "d2.t2"}
    await ended(database, 3, NOW + 2 * DAY, "2026-11-22")
    assert await open_now(database) == third | {"d0.t0", "d1.t1", "d2.t2"}
    async with database.write() as conn:
        await conn.execute(sa.delete(domains).where(domains.c.score < 88))
    await ended(database, 4, NOW + 3 * DAY, "2026-11-23")
    assert await open_now(database) == {"d0.t0", "d1.t1", "d2.t2"}, "all where fewer are live"
    async with database.read() as conn:
        day = open_domains.c.day
        counts = dict(map(tuple, await conn.execute(sa.select(day, sa.func.count()).group_by(day))))
    assert counts == {"2026-11-20": 5, "2026-11-21": 5, "2026-11-22": 5, "2026-11-23": 3}


async def figures_of(conn: AsyncConnection) -> Stats:
    lists = await snapshot_of(conn, LINKS)
    return await stats(conn, ListFigures.of_snapshot(lists, NOW))


async def test_the_figures(database: Database) -> None:
    async with database.read() as conn:
        assert await figures_of(conn) == {
            "last_scan": None,
            "live": {
                "domains": 0,
                "open_on_free_plan": 0,
                "ending_within_24h": 0,
                "average_score": None,
                "average_domain_rating": None,
            },
            "available_now": 0,
            "archive": 0,
        }
    scan = {"day": "2026-11-20", "started_at": NOW - HOUR, "deadline_at": NOW + DAY, "counts": {}}
    async with database.write() as conn:
        await conn.execute(sa.insert(scans).values(id=1, **scan, finished_at=NOW))
        await conn.execute(sa.insert(scans).values(id=2, **scan))
        # A feed was tried again later in vain, in a scan without any other.
        await conn.execute(sa.insert(scans).values(id=3, **scan, finished_at=NOW + HOUR))
        for scan_id, feed, good, passed in ((1, "open", 900, 40), (1, "own", 50, 5), (3, "own", 0, 0)):
            run = {
                "scan_id": scan_id,
                "feed": feed,
                "source": feed,
                "state": "done",
                "counts": {},
                "samples": {},
            }
            run |= {"good": good, "passed": passed}
            await conn.execute(sa.insert(source_runs).values(**run))
        await put(
            conn,
            row("a.com", score=50, domain_rating=None, open_now=True, ends_at=NOW + 24 * HOUR),
            row("b.com", score=51, domain_rating=21, type="pending_delete", ends_at=NOW + HOUR),
            row("c.com", score=51, domain_rating=22, ends_at=None, live_until=None),
            row("r.com", removed_at=NOW),
            row("e.com", ends_at=NOW),
            row("f.com", ends_at=NOW - DAY, announced=True),
        )
    async with database.read() as conn:
        assert await figures_of(conn) == {
            "last_scan": {
                "started_at": "2026-11-20T17:00:00Z",
                "finished_at": "2026-11-20T18:00:00Z",
                "scanned": 950,
                "passed_authority_filter": 45,
            },
            "live": {
                "domains": 3,
                "open_on_free_plan": 1,
                "ending_within_24h": 2,
                "average_score": 50.7,
                "average_domain_rating": 21.5,
            },
            "available_now": 1,
            "archive": 2,
        }
