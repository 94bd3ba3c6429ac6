"""`afterdrop check`: orders, follows, works the check off where no worker runs, and prints what was found."""

from __future__ import annotations

import asyncio
import re
import sys
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from afterdrop.accounts import members
from afterdrop.checks import store
from afterdrop.checks.worker import check_queue
from afterdrop.cli.checks import run_check, show_check
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.queue import job_runs
from afterdrop.queue.loop import QueueRunner
from afterdrop.worker_context import open_context
from tests.integration.checks.conftest import Bench
from tests.support import ON_SQLITE

pytestmark = ON_SQLITE


async def command(bench: Bench, *words: str) -> tuple[int, str, str]:
    """Run `afterdrop check`: exit code, output, messages."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afterdrop", "check", *words, env=bench.environ,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


@pytest.mark.long
async def test_without_a_worker_it_is_done_here_for_one_credit(bench: Bench) -> None:
    good, spam = bench.named("live_bid"), bench.named("spam_casino")
    status, out, err = await command(bench, f"https://www.{good}/x", "--json")
    assert status == 0, err
    check = orjson.loads(out)
    assert (check["domain"], check["status"], check["would_list"]) == (good, "done", True)
    assert (check["reject_reasons"], await bench.credits()) == ([], 2)
    assert check["report"]["score"] == check["score"] >= 45
    assert check["created_at"].endswith("Z")
    assert "for one credit" in err
    assert "place 1: no worker is running, so it runs here" in err
    assert "reading the web archive" in err
    # Once more costs nothing and asks nobody.
    bench.running.state.log.clear()
    status, out, err = await command(bench, good)
    assert (status, await bench.credits(), len(bench.running.state.log)) == (0, 2, 0)
    assert "no credit used" in err
    assert f"score {check['score']}, no serious risk found; would be listed" in out
    assert "<vendor_c>_dr" in out and "Registry: " in out and "Report: " in out
    status, out, err = await command(bench, spam)
    assert status == 0
    assert f"{spam}: REJECTED for spam\n  - " in out


async def test_a_check_that_fails_gives_its_credit_back_and_says_why(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(store, "RETRY_AFTER", timedelta(0))
    domain = bench.named("live_bid")
    path = f"url={re.escape(domain)}&"
    bench.running.state.faults.put([{"server": "archive", "path": path, "kind": "status", "status": 503}])
    check = await run_check(bench.settings, domain, "")
    assert (check["status"], check["report"], await bench.credits()) == ("failed", None, 3)
    show_check(check)
    out, err = capsys.readouterr()
    assert "the check failed, and its credit has been returned: " in err
    assert "503" in err
    assert out.startswith(f"{check['domain']}: the check failed, and its credit has been returned")


@pytest.mark.long
async def test_mistakes_are_named(bench: Bench) -> None:
    for wrong, word in (("co.uk", "public suffix"), ("1.2.3.4", "IP address"), ("x", "no domain name")):
        status, out, err = await command(bench, wrong)
        assert (status, out) == (2, "")
        assert word in err
    status, _, err = await command(bench, "a.com", "--account", "nobody@members.example")
    assert status == 2
    assert "nobody@members.example: no account has this address" in err
    assert await bench.credits() == 3


async def test_without_credits_it_says_how_to_add_some(bench: Bench) -> None:
    for name in ("a.com", "b.com", "c.com"):
        await bench.order(name)
    with pytest.raises(
        AfterdropError, match=r"no check credits left; `afterdrop account credits me@members.example"
    ):
        await run_check(bench.settings, "d.com", "")


async def test_who_orders_when_nobody_is_named(bench: Bench) -> None:
    async with bench.database.write() as conn:
        assert (await members.acting_account(conn, "")).id == bench.account
        other = await members.create_account(
            conn, members.NewAccount("other@members.example"), now=clock.now(), welcome=0
        )
        with pytest.raises(members.UnknownAccount, match="--account EMAIL"):
            await members.acting_account(conn, "")
        await members.set_operator(conn, other.id, True)
        assert (await members.acting_account(conn, "")).id == other.id
        assert (await members.acting_account(conn, " ME@Members.example ")).id == bench.account
        await members.set_operator(conn, bench.account, True)
        with pytest.raises(members.UnknownAccount, match="--account EMAIL"):
            await members.acting_account(conn, "")


async def test_a_running_worker_is_waited_for_and_a_dead_one_is_not(bench: Bench) -> None:
    """While a worker's heartbeat is fresh the command only follows; later it takes the row over."""
    name = bench.named("live_bid")
    async with open_context(bench.settings, bench.database, worker="w", environ=bench.environ) as context:
        async with bench.database.write() as conn:
            await job_runs.beat(conn, "w", clock.now())
        waiting = asyncio.create_task(run_check(bench.settings, name, ""))
        await asyncio.sleep(1.5)
        (check,) = await _checks(bench)
        assert (check["status"], check["attempts"]) == ("queued", 0)
        stop = asyncio.Event()
        working = asyncio.create_task(QueueRunner(check_queue(context), context, stop).run())
        assert (await waiting)["status"] == "done"
        stop.set()
        await working
    async with bench.database.write() as conn:
        await job_runs.leave(conn, "w", clock.now())
    done = await run_check(bench.settings, bench.named("spam_casino"), "")
    assert (done["status"], done["would_list"]) == ("done", False)


async def _checks(bench: Bench) -> list[dict[str, object]]:
    async with bench.database.read() as conn:
        found = await store.checks_of(conn, bench.account, page=1, per_page=10)
    return [await bench.row(str(row["id"])) for row in found]


async def test_interrupted_it_gives_the_check_back_to_the_queue(bench: Bench) -> None:
    bench.running.state.faults.put([{"server": "archive", "path": ".", "kind": "slow", "seconds": 60}])
    asking = asyncio.create_task(run_check(bench.settings, bench.named("live_bid"), ""))
    while not (rows := await _checks(bench)) or rows[0]["status"] != "running":
        await asyncio.sleep(0.1)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    (row,) = await _checks(bench)
    assert (row["claimed_by"], row["lease_until"], row["attempts"]) == (None, None, 0)
    bench.running.state.faults.put([])
    assert (await run_check(bench.settings, bench.named("live_bid"), ""))["status"] == "done"
    assert await bench.credits() == 2


@pytest.mark.long
async def test_a_file_of_names_is_checked_in_one_order_after_its_cost_was_named(
    bench: Bench, tmp_path: Path
) -> None:
    good, spam = bench.named("live_bid"), bench.named("spam_casino")
    file = tmp_path / "names.txt"
    file.write_text(f"https://www.{good}/x\n{spam}\n{good}\nco.uk\n")
    status, out, err = await command(bench, "--file", str(file))
    assert (status, out, await bench.credits()) == (2, "", 3)
    assert "2 names: 2 credits; me@members.example has 3" in err
    assert "left out: co.uk: is a public suffix" in err
    assert "would spend 2 credits; agree with --yes" in err
    status, out, err = await command(bench, "--file", str(file), "--yes")
    assert (status, await bench.credits()) == (0, 1), err
    assert "no worker is running, so the checks run here" in err
    _, first, second = (line.split("\t") for line in out.splitlines())
    assert (first[0], first[2]) == (good, "No serious risk found. Would be listed")
    assert 45 <= int(first[1]) <= 100
    assert second[:2] == [spam, "REJECTED"]
    # Once more costs nothing, so nobody has to agree.
    status, out, err = await command(bench, "--file", str(file), "--json")
    assert status == 0, err
    assert "2 checked within the last 7 days (free), 0 credits" in err
    batch = orjson.loads(out)
    assert (batch["checked"], batch["cost"], batch["progress"]["done"]) == (2, 0, 2)
    assert await bench.credits() == 1


@pytest.mark.long
async def test_mistakes_about_files_are_named(bench: Bench, tmp_path: Path) -> None:
    many = tmp_path / "many.txt"
    many.write_text("\n".join(f"n{number}.com" for number in range(4)))
    status, _, err = await command(bench, "--file", str(many), "--yes")
    assert (status, "me@members.example: has 3 credits" in err) == (2, True)
    many.write_text("\n".join(f"n{number}.com" for number in range(101)))
    for words, told in (
        (("--file", str(many)), "has 101 domain names; 1 to 100"),
        (("--file", str(tmp_path / "none.txt")), "cannot be read as text"),
        (("a.com", "--file", str(many)), "either a domain or --file"),
        ((), "either a domain or --file"),
    ):
        status, out, err = await command(bench, *words)
        assert (status, out) == (2, ""), err
        assert told in " ".join(err.replace("│", " ").split())
    assert await bench.credits() == 3
