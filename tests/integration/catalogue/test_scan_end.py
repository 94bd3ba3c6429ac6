"""The end of a scan: ranks, the draw, the service's figures."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue import store
from afterdrop.catalogue.lists.asking import Asking
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.scan_end import end_scan
from afterdrop.catalogue.stats import ListFigures, Stats, stats
from afterdrop.catalogue.store import audience_view
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains, open_domains, open_draws
from afterdrop.db.tables.feeds import scans, source_runs
from tests.support.lists import list_page, snapshot_of
from tests.support.rows import DAY, LINKS, NOW, OPERATOR, put, put_reserved, row

HOUR = timedelta(hours=1)
TODAY = {"hunt_day": "2026-11-20", "found_at": NOW - HOUR}


async def ended(database: Database, scan_id: int, now: datetime, day: str = "2026-11-20") -> None:
    async with database.write() as conn:
        await end_scan(conn, scan_id, day, now)


async def open_now(database: Database, operator: bool = False) -> set[str]:
    """What an audience sees open, by its own view of the catalogue."""
    table = audience_view(operator)
    async with database.read() as conn:
        return set((await conn.scalars(sa.select(table.c.domain).where(table.c.open_now))).all())


async def ranked(database: Database, operator: bool = False) -> dict[str, int]:
    table = audience_view(operator)
    async with database.read() as conn:
        found = await conn.execute(sa.select(table.c.domain, table.c.rank_on_hunt_day))
        return {domain: rank for domain, rank in found if rank is not None}


async def test_the_first_scan_of_a_date_draws_and_ranks(database: Database) -> None:
    async with database.write() as conn:
        await conn.execute(
            sa.insert(open_draws).values(audience="public", day="2026-11-19", drawn_at=NOW - 2 * HOUR)
        )
        await put(
            conn,
            *(row(f"c{score}.com", score=score, **TODAY) for score in (90, 80, 70, 60)),
            row("n.net", score=50, **TODAY),
            row("old.org", score=99),
            row("soon.org", score=95, **TODAY, ends_at=NOW + HOUR),
            row("gone.org", score=97, **TODAY, removed_at=NOW),
            row("own.org", score=98, **TODAY, gated=True),
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
        days = await conn.execute(
            sa.select(open_domains.c.audience, open_domains.c.day, sa.func.count()).group_by(
                open_domains.c.audience, open_domains.c.day
            )
        )
        counts = {(audience, day): count for audience, day, count in days}
    dates = zip(("2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"), (5, 5, 5, 3), strict=True)
    assert counts == {(audience, day): n for day, n in dates for audience in ("public", "operators")}


async def test_each_audience_has_its_own_ranks_and_open_domains(database: Database) -> None:
    """A deployment whose sources are all reserved for its operators has none for the public, and all for them."""
    own = [row(f"own{number}.t{number}", gated=True, score=90 - number, **TODAY) for number in range(6)]
    better = row("seen.org", score=50, **TODAY)
    async with database.write() as conn:
        await put(conn, *own, better)
        await put_reserved(conn, {**better, "score": 95})
    await ended(database, 1, NOW)
    assert await open_now(database) == {"seen.org"}
    assert await ranked(database) == {"seen.org": 1}
    assert await open_now(database, True) == {"seen.org", *(f"own{number}.t{number}" for number in range(4))}
    assert await ranked(database, True) == {
        "seen.org": 1,
        **{f"own{number}.t{number}": number + 2 for number in range(6)},
    }
    async with database.read() as conn:
        everyones, operators = (
            await figures_of(conn, False),
            await figures_of(conn, True),
        )
        free = Viewer(3, "free", operator=True)
        assert (await store.report(conn, "own0.t0", free, NOW, LINKS))[0] == "full"
        assert (await store.report(conn, "own5.t5", free, NOW, LINKS))[0] == "locked"
        _, told = await store.report(conn, "own0.t0", OPERATOR, NOW, LINKS)
        shown = ListSelection(Asking("live", free, NOW), ListFilter())
        page = await list_page(conn, shown, LINKS)
        listed, locked = {each["domain"] for each in page.rows}, page.locked
    assert listed == await open_now(database, True)
    assert locked == 2
    assert told is not None
    assert told["detail"] == "full"
    assert (told["rank_on_hunt_day"], told["open"]) == (2, True)
    assert "operators_open_now" not in told
    assert (everyones["live"]["domains"], everyones["live"]["open_on_free_plan"]) == (1, 1)
    assert (operators["live"]["domains"], operators["live"]["open_on_free_plan"]) == (7, 5)
    assert (everyones["live"]["average_score"], operators["live"]["average_score"]) == (50.0, 88.6)


async def figures_of(conn: AsyncConnection, operator: bool) -> Stats:
    lists = await snapshot_of(conn, operator, LINKS)
    return await stats(conn, ListFigures.of_snapshot(lists, NOW), operator)


async def test_the_figures(database: Database) -> None:
    async with database.read() as conn:
        assert await figures_of(conn, False) == {
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
        # A feed of the operators' own was tried again later, in a scan without any other.
        await conn.execute(sa.insert(scans).values(id=3, **scan, finished_at=NOW + HOUR))
        for scan_id, feed, gated, good, passed, public in (
            (1, "open", False, 900, 40, 30),
            (1, "own", True, 50, 5, 5),
            (3, "own", True, 70, 7, 7),
        ):
            run = {
                "scan_id": scan_id,
                "feed": feed,
                "source": feed,
                "state": "done",
                "counts": {},
                "samples": {},
            }
            run |= {"gated": gated, "good": good, "passed": passed, "public_passed": public}
            await conn.execute(sa.insert(source_runs).values(**run))
        await put(
            conn,
            row("a.com", score=50, domain_rating=None, open_now=True, ends_at=NOW + 24 * HOUR),
            row("b.com", score=51, domain_rating=21, type="pending_delete", ends_at=NOW + HOUR),
            row("c.com", score=51, domain_rating=22, ends_at=None, live_until=None),
            row("g.com", gated=True),
            row("h.com", gated=True, ends_at=NOW, announced=True),
            row("r.com", removed_at=NOW),
            row("e.com", ends_at=NOW),
            row("f.com", ends_at=NOW - DAY, announced=True),
        )
    async with database.read() as conn:
        operators = await figures_of(conn, True)
        assert (operators["live"]["domains"], operators["live"]["average_score"]) == (4, 53.0)
        assert (operators["available_now"], operators["archive"]) == (2, 3)
        assert operators["last_scan"] == {
            "started_at": "2026-11-20T17:00:00Z",
            "finished_at": "2026-11-20T19:00:00Z",
            "scanned": 70,
            "passed_authority_filter": 7,
        }
        assert await figures_of(conn, False) == {
            "last_scan": {
                "started_at": "2026-11-20T17:00:00Z",
                "finished_at": "2026-11-20T18:00:00Z",
                "scanned": 900,
                "passed_authority_filter": 30,
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
