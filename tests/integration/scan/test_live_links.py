"""The links of names that score high are looked at before the scan lists them, and of no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import metric_values
from afterdrop.db.tables.watching import to_match
from afterdrop.review.live_links import pages_taken
from afterdrop.sandbox import start
from afterdrop.scan import candidates
from afterdrop.scan.run import run_scan
from afterdrop.sources.metrics.model import LINKS_TODAY
from tests.support import ON_SQLITE
from tests.support.sandboxes import context_for, emptied

FROM = 75


def with_live(**more: Any) -> Callable[[Settings], Settings]:
    return lambda settings: settings.model_copy(update={"live": settings.live.model_copy(update=more)})


async def scanned(
    database: Database, url: str, folder: Path, change: Callable[[Settings], Settings], faults: bool = False
) -> tuple[dict[str, tuple[int, int | None]], int, int]:
    """Score and live links of what a scan listed, how many pages were taken, and how often their hosts were asked."""
    async with (
        start(3, 60) as running,
        context_for(running, database, folder, url, change=change) as context,
    ):
        if faults:
            running.state.faults.put([{"server": "links", "kind": "timeout", "share": 1, "seconds": 60}])
        await run_scan(context)
        async with database.read() as conn:
            rows = await conn.execute(sa.select(domains.c.domain, domains.c.score, domains.c.live_links))
            found = {domain: (score, live) for domain, score, live in rows}
            taken = await pages_taken(conn, context.now())
            assert (await conn.execute(sa.select(sa.func.count()).select_from(to_match))).scalar_one() == len(
                found
            )
        asked = [entry for entry in running.state.log if entry["server"] == "links"]
    return found, taken, len(asked)


async def test_high_scores_are_listed_with_the_links_that_are_still_there(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    found, taken, asked = await scanned(database, database_url, tmp_path, with_live())
    high = {name: live for name, (score, live) in found.items() if score >= FROM}
    low = {name: live for name, (score, live) in found.items() if score < FROM}
    print(f"{len(high)} of {len(found)} listed score {FROM} or more: {taken} pages, {asked} requests, {high}")
    assert high and low and set(low.values()) == {None}
    assert all(live is not None and live > 0 for live in high.values())
    assert 0 < taken <= asked


@ON_SQLITE
async def test_nobody_is_asked_where_that_is_not_wanted(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    changes: list[dict[str, Any]] = [{"links": False}, {"from_score": 101}, {"pages_per_day": 0}]
    for at, more in enumerate(changes):
        await emptied(database)
        found, taken, asked = await scanned(database, database_url, tmp_path / str(at), with_live(**more))
        assert max(score for score, _ in found.values()) >= FROM, more
        assert ({live for _, live in found.values()}, taken, asked) == ({None}, 0, 0), more


@ON_SQLITE
async def test_a_listing_waits_for_no_host_that_does_not_answer(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "_LINKS_SECONDS", 0.2)
    found, taken, _ = await scanned(database, database_url, tmp_path, with_live(), faults=True)
    assert taken and max(score for score, _ in found.values()) >= FROM
    async with database.read() as conn:
        seen = await conn.scalars(sa.select(metric_values.c.value).where(metric_values.c.role == LINKS_TODAY))
        # Hosts that do not exist are known at once; nothing is told of those that had not answered yet.
        assert {item["state"] for items in seen for item in items} <= {"domain_gone", "page_gone"}
    assert {live for _, live in found.values()} <= {None, 0}
