"""A scan must not make the API stutter: reads and writes go on during a large intake with reviews."""

from __future__ import annotations

import asyncio
import csv
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from afterdrop.cli.demo_accounts import make_accounts
from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.feeds.preset_files import open_preset
from afterdrop.sandbox import start
from afterdrop.scan.run import run_scan
from afterdrop.web.app import create_app
from afterdrop.web.environment import make_environment
from tests.integration.scan.worlds import context_for

ROWS = 200_000
READS, WRITES = 200, 50


def _feed(path: Path) -> None:
    """A large marketplace file: nearly all of it below the authority filter, as in life."""
    end = (clock.now() + timedelta(days=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["url", "name", "startDate", "endDate", "price", "bidCount", "ahrefsDomainRating"])
        for number in range(ROWS):
            out.writerow(
                [f"https://m.example.org/{number}/", f"name{number}.com", "", end, "10.00", "1", "1"]
            )


def _unlimited(settings: Settings) -> Settings:
    many = {"requests_per_minute": 10**6, "requests_per_day": 10**6, "alert_rules": 1000}
    plans = settings.plans.model_copy(update={"pro": settings.plans.pro.model_copy(update=many)})
    return settings.model_copy(update={"plans": plans})


async def _ask(client: httpx2.AsyncClient, method: str, path: str, body: Any = None) -> int:
    answer = await client.request(method, f"/api/v1{path}", json=body)
    return answer.status_code


@pytest.mark.timeout(170)
async def test_reads_and_writes_go_on_during_a_large_intake(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    await asyncio.to_thread(_feed, tmp_path / "large.csv")
    large = open_preset("namecheap_market", {"path": str(tmp_path / "large.csv"), "name": "large"})
    async with (
        start(4, 40) as running,
        context_for(running, database, tmp_path / "data", database_url, change=_unlimited) as context,
    ):
        key = (await make_accounts(database, context.settings, clock.now()))["accounts"]["pro"]["key"]
        app = create_app(make_environment(context.settings, database))
        scanning = asyncio.create_task(run_scan(context, feeds=[*context.feeds, large]))
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        headers = {"Authorization": f"Bearer {key}", "Host": context.settings.site_url.partition("//")[2]}
        async with httpx2.AsyncClient(
            transport=transport, base_url=context.settings.site_url, headers=headers
        ) as client:
            reads = [
                await _ask(client, "GET", path) for path in ("/domains", "/stats") for _ in range(READS // 2)
            ]
            writes = [await _ask(client, "POST", "/alerts", {"name": f"rule {n}"}) for n in range(WRITES)]
        still_scanning = not scanning.done()
        result = await scanning
    assert still_scanning, "the scan was over before the requests were: it shows nothing"
    assert set(reads) == {200}
    assert set(writes) == {201}
    assert next(run for run in result["feeds"] if run["feed"] == "large")["good"] == ROWS
