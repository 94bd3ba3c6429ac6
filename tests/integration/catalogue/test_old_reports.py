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
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.tables.catalogue import domains, reports, reserved_views
from afterdrop.review.flags.risk_flags import FLAGS
from tests.support.lists import list_page
from tests.support.rows import LINKS, NOW, OPERATOR, PRO, REPORT, put, put_reserved, row

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
    """More rows than are moved at a time, one of them with a view and a report of the operators' own."""
    rows = []
    for number, name in enumerate(NAMES):
        severity = SEVERITIES.get(number)
        flags = {"flags": ["parked"], "verdict": "risky"} if severity else {}
        # A column that came later is gone after the way down and up again.
        rows.append(row(name, report=told(number, severity), live_links=None, **flags))
    async with database.write() as conn:
        await put(conn, *rows)
        await put_reserved(conn, {**rows[3], "report": told(9999, "risk")})


async def seen(database: Database) -> list[Any]:
    """What readers see: every report and every row of the lists, as members and as operators."""
    found: list[Any] = []
    async with database.read() as conn:
        for viewer in (PRO, OPERATOR):
            found += [await store.report(conn, name, viewer, NOW, LINKS) for name in NAMES]
            found.append(await store.summaries(conn, NAMES, viewer, NOW, LINKS))
            listed = ListSelection(Asking("live", viewer, NOW), ListFilter())
            found.append((await list_page(conn, listed, LINKS, per_page=1000)).rows)
    return found


async def sees(database: Database, before: list[Any]) -> bool:
    """Whether readers see the same as before: the differences would take minutes to show."""
    return await seen(database) == before


@pytest.fixture
async def old(database: Database, database_url: str) -> Any:
    """A database of 1.0 that was migrated, and what its readers saw before."""
    await fill(database)
    before = await seen(database)
    await database.close()
    migrate.downgrade(database_url, BEFORE)
    migrate.upgrade(database_url)
    opened = open_database(database_url)
    yield opened, before
    await opened.close()


async def test_reports_are_read_where_they_are_and_moved_in_steps(old: Any) -> None:
    database, before = old
    async with database.read() as conn:
        assert await conn.scalar(sa.select(sa.func.count()).select_from(reports)) == 0
        version = await store.version(conn)
    assert await sees(database, before)
    assert await move_old_reports(database) == len(NAMES) + 1
    assert await sees(database, before)
    async with database.read() as conn:
        for view in (domains, reserved_views):
            assert {str(each) for each in await conn.scalars(sa.select(view.c.report))} == {"{}"}
        assert await store.version(conn) == version
    assert await move_old_reports(database) == 0


@pytest.mark.parametrize("batches", [1, 2])
async def test_who_stops_in_the_middle_leaves_readers_what_they_saw(
    old: Any, monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    """Also operators, whose own report of a name may be where it was while everybody's is moved."""
    database, before = old
    left = iter(range(batches))

    async def some_batches(conn: Any, told: Any, *, operators: bool) -> None:
        if next(left, None) is None:
            raise InterruptedError
        await publish.put_reports(conn, told, operators=operators)

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
        await publish.put_reports(conn, {NAMES[5]: cast(StoredReport, told(777))}, operators=False)
    assert await move_old_reports(database) == len(NAMES)
    async with database.read() as conn:
        _, found = await store.report(conn, NAMES[5], PRO, NOW, LINKS)
    assert cast(FullReport, found)["revival_kit"]["pages"] == 777


async def test_a_report_leaves_with_its_domain(database: Database) -> None:
    async with database.write() as conn:
        await put(conn, row("gone.com"))
        await conn.execute(sa.delete(domains))
        assert await conn.scalar(sa.select(sa.func.count()).select_from(reports)) == 0
