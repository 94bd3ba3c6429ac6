"""Reports of 1.0 stand in the rows of the lists: they are read there, and moved to their own table in steps."""

from __future__ import annotations

from typing import Any, cast

import pytest
import sqlalchemy as sa

from afterdrop.catalogue import old_reports, publish, store
from afterdrop.catalogue.lists.asking import Asking
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.old_reports import move_old_reports
from afterdrop.catalogue.rows import StoredReport
from afterdrop.catalogue.shapes import FullReport
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains, reports
from afterdrop.review.flags.risk_flags import FLAGS
from tests.support.lists import list_page
from tests.support.rows import LINKS, NOW, PRO, REPORT, put, row

BEFORE = "1105"
SEVERITIES = {0: "risk", 3: "info", 120: "risk"}
NAMES = [f"n{number:04}.com" for number in range(203)]


def told(number: int, severity: str | None = None) -> dict[str, Any]:
    """A report like no other; with a severity one in which the name was parked."""
    found = "found" if severity else "clean"
    parked = {"label": "Parked", "result": found, "severity": severity or "info", "note": "„Zu verkaufen“"}
    checks = [{**parked, "flag": flag, "result": "clean", "severity": "info"} for flag in FLAGS_BEFORE]
    return {**REPORT, "revival_pages": number, "risk_checks": [*checks, {**parked, "flag": "parked"}]}


FLAGS_BEFORE = FLAGS[: FLAGS.index("parked")]


async def fill(database: Database) -> None:
    """More rows than are moved at a time."""
    rows = []
    for number, name in enumerate(NAMES):
        severity = SEVERITIES.get(number)
        flags = {"flags": ["parked"], "verdict": "risky"} if severity else {}
        rows.append(row(name, report=told(number, severity), **flags))
    async with database.write() as conn:
        await put(conn, *rows)


async def seen(database: Database) -> list[Any]:
    """What readers see: every report and every row of the lists."""
    found: list[Any] = []
    async with database.read() as conn:
        found += [await store.report(conn, name, PRO, NOW, LINKS) for name in NAMES]
        found.append(await store.summaries(conn, NAMES, PRO, NOW, LINKS))
        listed = ListSelection(Asking("live", PRO, NOW), ListFilter())
        found.append((await list_page(conn, listed, LINKS, per_page=1000)).rows)
    return found


async def sees(database: Database, before: list[Any]) -> bool:
    """Whether readers see the same as before: the differences would take minutes to show."""
    return await seen(database) == before


@pytest.fixture
async def old(database: Database) -> Any:
    """Reports where 1.0 had them, and what readers saw before."""
    await fill(database)
    before = await seen(database)
    async with database.write() as conn:
        rows = (await conn.execute(sa.select(reports.c.domain, reports.c.report))).all()
        for domain, report in rows:
            await conn.execute(sa.update(domains).where(domains.c.domain == domain).values(report=report))
        await conn.execute(sa.delete(reports))
    return database, before


async def test_reports_are_read_where_they_are_and_moved_in_steps(old: Any) -> None:
    database, before = old
    async with database.read() as conn:
        assert await conn.scalar(sa.select(sa.func.count()).select_from(reports)) == 0
        version = await store.version(conn)
    assert await sees(database, before)
    assert await move_old_reports(database) == len(NAMES)
    assert await sees(database, before)
    async with database.read() as conn:
        assert {str(each) for each in await conn.scalars(sa.select(domains.c.report))} == {"{}"}
        assert await store.version(conn) == version
    assert await move_old_reports(database) == 0


@pytest.mark.parametrize("batches", [1, 2])
async def test_who_stops_in_the_middle_leaves_readers_what_they_saw(
    old: Any, monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    database, before = old
    left = iter(range(batches))

    async def some_batches(conn: Any, told: Any) -> None:
        if next(left, None) is None:
            raise InterruptedError
        await publish.put_reports(conn, told)

    monkeypatch.setattr(old_reports, "put_reports", some_batches)
    with pytest.raises(InterruptedError):
        await move_old_reports(database)
    assert await sees(database, before)
    monkeypatch.undo()
    assert 0 < await move_old_reports(database) <= len(NAMES)
    assert await sees(database, before)


async def test_a_report_that_was_published_anew_is_not_replaced_by_an_old_one(old: Any) -> None:
    database, _ = old
    async with database.write() as conn:
        await publish.put_reports(conn, {NAMES[5]: cast(StoredReport, told(777))})
    assert await move_old_reports(database) == len(NAMES) - 1
    async with database.read() as conn:
        _, found = await store.report(conn, NAMES[5], PRO, NOW, LINKS)
    assert cast(FullReport, found)["revival_kit"]["pages"] == 777


async def test_a_report_leaves_with_its_domain(database: Database) -> None:
    async with database.write() as conn:
        await put(conn, row("gone.com"))
        await conn.execute(sa.delete(domains))
        assert await conn.scalar(sa.select(sa.func.count()).select_from(reports)) == 0
