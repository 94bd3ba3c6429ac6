"""Rows that are told from memory to be unknown end as those that are looked up."""

from __future__ import annotations

import csv
import io
import random
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.db.tables.catalogue import banned_domains
from afterdrop.feeds import csv_rows, intake
from afterdrop.feeds.run_context import AuthorityFilter
from tests.support import POSTGRES_IS_LONG
from tests.support.desk import DAY, FILTER, NOON, Desk, feed, offer

SPEC = feed(format="csv")
BY_COLUMN = AuthorityFilter(FILTER.judge, FILTER.strength, roles=frozenset({"trust_flow", "domain_rating"}))


def file(seed: int) -> bytes:
    """Offers, most of which do not pass: some ended, of one name, key or both, wrong, or of a host name."""
    rng = random.Random(seed)
    text = io.StringIO()
    rows: list[dict[str, Any]] = []
    for number in range(600):
        name = f"{rng.choice(['', '', '', 'www.'])}n{rng.randrange(400)}.com"
        row = offer(
            name, id=f"k{rng.randrange(500)}", tf=rng.choice([0, 3, 3, 3, 3, 12]), dr=rng.choice(["", 2])
        )
        if number % 9 == 0:
            row["e"] = "2026-11-01T00:00:00Z"
        row |= rng.choice(
            [{}, {}, {}, {"p": "11"}, {"p": "?"}, {"t": "?"}, {"u": "x"}, {"tf": ""}, {"d": "com"}]
        )
        rows.append(row if number % 8 else {**row, **{name: rows[-1][name] for name in ("d", "id") if rows}})
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


async def taken(desk: Desk, patch: pytest.MonkeyPatch, looked_up: int) -> list[Any]:
    """What three files of three days leave."""
    patch.setattr(csv_rows, "BATCH", 50)
    patch.setattr(intake, "LOOKED_UP", looked_up)
    patch.setattr(intake, "STORED", 1 if looked_up > 1 else 40)
    async with desk.database.write() as conn:
        await conn.execute(sa.delete(banned_domains))
        await conn.execute(
            sa.insert(banned_domains).values(domain="n7.com", banned_at=NOON, actor="-", reason="-")
        )
    left: list[Any] = []
    for day in range(3):
        run = await desk.take(file(day), NOON + day * DAY, spec=SPEC, authority_filter=BY_COLUMN)
        left += [run.state, run.rows, run.good, run.passed, dict(run.counts), dict(run.samples)]
    listings = sorted((await desk.listings()).values(), key=lambda row: row["external_id"])
    candidates = (await desk.candidates()).values()
    numbers = {"id", "seen_run", "scan_id"}
    kept = [{name: row[name] for name in row.keys() - numbers} for row in (*listings, *candidates)]
    return [*left, kept, await desk.metrics()]


@POSTGRES_IS_LONG
async def test_the_same_is_left(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    told = await taken(desk, monkeypatch, 1)
    async with desk.database.write() as conn:
        for table in ("listings", "candidates", "metric_values", "source_runs", "scans"):
            await conn.execute(sa.text(f"DELETE FROM {table}"))  # names of our own
    looked_up = await taken(desk, monkeypatch, 10**9)
    assert {"duplicate", "ended", "below_filter", "new", "bad"} <= set(told[4])
    assert {"refreshed", "unchanged", "banned"} & set(told[10])
    for mine, other in zip(told, looked_up, strict=True):
        assert mine == other
