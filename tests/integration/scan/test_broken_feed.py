"""A feed that fails does not stop the scan, and an intake whose worker died is taken over at once."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import listings, scans
from afterdrop.feeds.preset_files import open_preset
from afterdrop.feeds.spec import read_spec
from afterdrop.sandbox import start
from afterdrop.scan import feed_intake
from afterdrop.scan.run import run_scan
from tests.support.commands import run_afterdrop
from tests.support.sandboxes import context_for, write_settings

MISSING = "namesilo_auctions: needs the environment variable NAMESILO_KEY"


async def test_a_missing_variable_is_that_feeds_failure(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NAMESILO_KEY", raising=False)
    async with start(3, 20) as running, context_for(running, database, tmp_path, database_url) as context:
        unset = open_preset("namesilo_auctions")
        result = await run_scan(replace(context, feeds=(unset, context.feeds[0])))
    failed, read = result["feeds"]
    assert (failed["feed"], failed["state"]) == ("namesilo_auctions", "failed")
    assert failed["error"] is not None and MISSING in failed["error"]
    assert (read["state"], result["finished_at"] is not None) == ("done", True)


async def test_an_intake_that_broke_off_is_anybodys_at_once(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(feed_intake, "rates_at_hand", broken)
    async with start(3, 20) as running, context_for(running, database, tmp_path, database_url) as context:
        with pytest.raises(RuntimeError):
            await run_scan(context)
    async with database.read() as conn:
        [row] = (await conn.execute(sa.select(scans))).mappings()
    assert (row["claimed_by"], row["lease_until"], row["intake_done_at"]) == (None, None, None)


async def test_a_doctor_and_a_dry_run_name_the_missing_variable_and_an_unnamed_proxy(tmp_path: Path) -> None:
    async with start(1, 20) as running:
        file = write_settings(running, tmp_path, f"sqlite+aiosqlite:///{tmp_path}/own.sqlite3")
        text = file.read_text()
        own = '[[feeds]]\npreset = "namesilo_auctions"\nsource = "market_a"\npermission = "a test"\n\n'
        file.write_text(text.replace("[[feeds]]", own + "[[feeds]]", 1))
        code, out = await run_afterdrop(tmp_path, "doctor", "--json", AFTERDROP_SETTINGS=str(file))
        [found] = [one for one in json.loads(out) if one["name"] == "namesilo_auctions"]
        assert (code, found["state"]) == (1, "fails")
        assert found["remark"].startswith("set NAMESILO_KEY")
        https = {"AFTERDROP_SETTINGS": str(file), "AFTERDROP_SITE_URL": "https://drops.example"}
        for proxies, state in (("", "warns"), ("127.0.0.1", "ok")):
            code, out = await run_afterdrop(
                tmp_path, "doctor", "--json", **https, AFTERDROP_TRUSTED_PROXIES=proxies
            )
            [found] = [one for one in json.loads(out) if one["part"] == "proxy"]
            assert found["state"] == state
        code, out = await run_afterdrop(tmp_path, "scan", "--dry-run", "--json", AFTERDROP_SETTINGS=str(file))
        first = json.loads(out)["feeds"][0]
        assert (code, MISSING in first["error"]) == (0, True)


LOTS = "Domain,Lot,Ends,DR\n"
# Feeds that are no lists: a page with zeros, a broken zip file, a line without an end.
HOSTILE = {
    2: b"<html>\0<h1>Log in</h1>" + b"\0" * 5000,
    5: b"PK\x03\x04" + b"\xff" * 3000,
    8: (LOTS + "a" * 3_000_000).encode() + b"\0\x1a",
}


async def test_of_ten_feeds_seven_are_read_beside_three_hostile_ones(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    specs = []
    for number in range(10):
        rows = "".join(f"ten{number}-{lot}.com,{lot},2036-01-01T00:00:00Z,30\n" for lot in range(3))
        file = tmp_path / f"f{number}.csv"
        file.write_bytes(HOSTILE.get(number, (LOTS + rows).encode()))
        content = {
            "name": f"f{number}", "title": "Lots", "home": "https://market.example/", "source": f"market_{number}",
            "path": str(file), "format": "csv", "complete": True, "licence": "open",
            "fields": {
                "domain": "Domain", "type": {"const": "auction"}, "external_id": "Lot",
                "ends_at": {"from": "Ends", "convert": ["iso"]},
            },
            "metrics": {"domain_rating": {"from": "DR", "convert": ["number"]}},
        }  # fmt: skip
        specs.append(read_spec(content, file.name))
    async with start(3, 20) as running, context_for(running, database, tmp_path, database_url) as context:
        result = await run_scan(replace(context, feeds=tuple(specs)))
    states = {feed["feed"]: feed["state"] for feed in result["feeds"]}
    assert states == {f"f{number}": "failed" if number in HOSTILE else "done" for number in range(10)}
    assert result["finished_at"] is not None
    async with database.read() as conn:
        stored = (await conn.execute(sa.select(listings.c.source))).scalars().all()
    assert Counter(stored) == {f"market_{number}": 3 for number in range(10) if number not in HOSTILE}
