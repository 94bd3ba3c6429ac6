"""An operator's own file through `afterdrop scan --feed`, whole or in part, and `doctor` without a database."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.core import clock
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import listings
from afterdrop.sandbox import start
from afterdrop.sources.webgraph.table_dir import TableDir
from tests.support import POSTGRES_IS_LONG
from tests.support.commands import run_afterdrop
from tests.support.graphs import RELEASE, damage, import_into, make, written
from tests.support.sandboxes import write_settings


def _file(folder: Path, *names: str) -> str:
    """A buy-now list; no figures, so that no candidate and no request follows."""
    ends = (clock.now() + timedelta(days=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    head = "url,name,startDate,endDate,price,ahrefsDomainRating,majesticTrustFlow\n"
    file = folder / "list.csv"
    file.write_text(head + "".join(f"https://x.test/{n},{n},,{ends},9.00,60,40\n" for n in names))
    return str(file)


@POSTGRES_IS_LONG
async def test_a_part_of_a_list_withdraws_nothing(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    where = {
        "AFTERDROP_AUDIENCE": "team",
        "AFTERDROP_DATABASE_URL": database_url,
        "AFTERDROP_SCAN__REVIEWS_PER_DAY": "0",
        "AFTERDROP_CONTACT": "operator@example.org",
    }

    async def withdrawn() -> dict[str, bool]:
        async with database.read() as conn:
            rows = await conn.execute(sa.select(listings.c.domain, listings.c.withdrawn_at))
            return {domain: at is not None for domain, at in rows}

    async def scan(*words: str) -> None:
        code, out = await run_afterdrop(
            tmp_path, "scan", "--preset", "namecheap_market", "--json", *words, **where
        )
        assert (code, json.loads(out)["feeds"][0]["state"]) == (0, "done")

    await scan("--feed", _file(tmp_path, "one.com", "two.com"))
    assert await withdrawn() == {"one.com": False, "two.com": False}
    await scan("--feed", _file(tmp_path, "two.com"), "--partial")
    assert await withdrawn() == {"one.com": False, "two.com": False}
    await scan("--feed", _file(tmp_path, "two.com"))
    assert await withdrawn() == {"one.com": True, "two.com": False}


async def test_a_doctor_without_a_database_says_so(tmp_path: Path) -> None:
    code, out = await run_afterdrop(
        tmp_path, "doctor", "--json", AFTERDROP_DATABASE_URL="postgresql://u:hidden@127.0.0.1:1/x"
    )
    found: list[dict[str, Any]] = json.loads(out)
    assert code == 1
    assert [(one["part"], one["state"]) for one in found] == [
        ("audience", "ok"),
        ("settings", "ok"),
        ("contact", "off"),
        ("proxy", "off"),
        ("files", "ok"),
        ("database", "fails"),
    ]
    assert "nothing listens" in found[-1]["remark"]
    assert "hidden" not in out


@pytest.mark.long
async def test_a_doctor_looks_at_the_link_ranks(tmp_path: Path) -> None:
    async with start(1, 50) as running:
        file = write_settings(running, tmp_path, f"sqlite+aiosqlite:///{tmp_path}/own.sqlite3")

        async def looked() -> tuple[str, str, str]:
            _, out = await run_afterdrop(tmp_path, "doctor", "--json", AFTERDROP_SETTINGS=str(file))
            [found] = [one for one in json.loads(out) if one["part"] == "link ranks"]
            return found["name"], found["state"], found["remark"]

        assert (await looked())[:2] == ("none", "off")
        shelf = TableDir(tmp_path / "ranks")
        import_into(shelf, written(tmp_path / "graph", make(20_000, 0), links=False))
        [table] = shelf.tables()
        name, state, remark = await looked()
        assert (name, state) == (table.name, "ok") and f"{RELEASE}: 20,000 domains" in remark
        damage(table, "later")
        name, state, remark = await looked()
        assert (name, state) == (table.name, "fails") and "cannot be read (Corrupt" in remark
        table.write_bytes(b"no table")
        name, state, remark = await looked()
        assert (name, state) == (table.name, "fails") and "cannot be read" in remark
