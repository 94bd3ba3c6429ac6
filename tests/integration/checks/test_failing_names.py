"""Checks of names at which the archive fails although it is well: they are their owner's trouble."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from afterdrop.accounts import members
from afterdrop.checks import store
from afterdrop.checks.worker import check_queue
from afterdrop.core import clock
from afterdrop.db.engine import Database
from afterdrop.http.circuit_breaker import outages
from afterdrop.queue.loop import QueueRunner
from afterdrop.worker_context import open_context
from tests.integration.checks.conftest import Bench


@pytest.mark.parametrize("kind", ["reset", "cut", "status"])
async def test_checks_whose_captures_break_off_run_out_of_attempts_and_hold_up_nobody(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(store, "RETRY_AFTER", timedelta(0))
    *mine, yours = [story.domain for story in bench.running.world.stories if story.outcome == "published"][:4]
    names = "|".join(map(re.escape, mine))
    bench.running.state.faults.put([{"server": "archive", "path": f"^/web/.*({names})", "kind": kind}])
    ordered = [(await bench.order(name)).check["id"] for name in mine]
    other = replace(bench, account=await another_account(bench.database))
    waited_for = (await other.order(yours)).check["id"]
    async with open_context(bench.settings, bench.database, worker="w", environ=bench.environ) as context:
        await QueueRunner(check_queue(context), context).run(until_empty=True)
    assert (await other.row(waited_for))["status"] == "done"
    assert [((row := await bench.row(one))["status"], row["attempts"]) for one in ordered] == [
        ("failed", 3)
    ] * 3
    assert await bench.credits() == 3, "nobody pays for a check that failed"
    async with bench.database.read() as conn:
        assert await outages(conn) == []


async def another_account(database: Database) -> int:
    """An account with a credit."""
    async with database.write() as conn:
        new = members.NewAccount("you@members.example", verified=True)
        return (await members.create_account(conn, new, now=clock.now(), welcome=1)).id
