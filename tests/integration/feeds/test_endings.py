"""What ends listings and what must not: withdrawals, failures, suspect files, relisting, killed runs."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from afterdrop.feeds.intake import fail_run
from afterdrop.feeds.store import begin_run
from tests.support.desk import DAY, NOON, Desk, feed, lines, offer

NAMES = [f"n{number}.com" for number in range(100)]
ALL = [offer(name) for name in NAMES]


async def withdrawn(desk: Desk) -> set[str]:
    return {row["domain"] for row in (await desk.listings()).values() if row["withdrawn_at"] is not None}


async def test_a_complete_feed_withdraws_what_it_no_longer_carries(desk: Desk) -> None:
    await desk.take([*ALL, offer("ends.com", e="2026-11-21T00:00:00Z")])
    await desk.settle("published", NOON, "n1.com", "n5.com")
    run = await desk.take(ALL[2:], NOON + DAY)
    assert (run.state, run.counts) == ("done", {"unchanged": 98, "withdrawn": 2})
    assert await withdrawn(desk) == {"n0.com", "n1.com"}
    gone = (await desk.listings())["id-n1.com"]
    assert (gone["withdrawn_at"], gone["ends_at"]) == (NOON + DAY, NOON + 3 * DAY)
    waiting = await desk.candidates()
    assert (waiting["n1.com"]["state"], waiting["n5.com"]["state"]) == ("due", "settled")
    # Once withdrawn it is not withdrawn again, and the ended one never was.
    assert (await desk.take(ALL[2:], NOON + 2 * DAY)).counts == {"unchanged": 98}


async def test_a_listing_without_end_lives_while_its_complete_feed_carries_it(desk: Desk) -> None:
    await desk.take([offer("a.com", t="buy_now", e=None), offer("b.com")])
    await desk.take([offer("b.com")], NOON + DAY)
    assert (await desk.listings())["id-a.com"]["withdrawn_at"] == NOON + DAY


async def test_an_incomplete_feed_withdraws_nothing_and_endless_offers_expire(desk: Desk) -> None:
    spec = feed(complete=False)
    await desk.take([offer("a.com", t="buy_now", e=None), offer("b.com")], spec=spec)
    run = await desk.take([offer("c.com")], NOON + DAY, spec=spec)
    assert (run.state, run.counts) == ("done", {"new": 1})
    stored = await desk.listings()
    assert await withdrawn(desk) == set()
    assert stored["id-a.com"]["live_until"] == NOON + 3 * DAY
    again = await desk.take([offer("a.com", t="buy_now", e=None)], NOON + 2 * DAY, spec=spec)
    assert again.counts == {"refreshed": 1}
    assert (await desk.listings())["id-a.com"]["live_until"] == NOON + 5 * DAY


async def test_a_truncated_file_is_a_recorded_failure_that_ends_nothing(desk: Desk) -> None:
    spec = feed(format="json")
    await desk.take(b"[" + b",".join(lines([row]) for row in ALL) + b"]", spec=spec)
    run = await desk.take(b"[" + b",".join(lines([row]) for row in ALL[:50]), NOON + DAY, spec=spec)
    assert (run.state, run.rows) == ("failed", 50)
    assert "cut off" in str(run.error)
    assert await withdrawn(desk) == set()
    assert [row["state"] for row in await desk.runs()] == ["done", "failed"]


async def test_an_unreachable_feed_is_a_recorded_failure_and_tried_again(desk: Desk) -> None:
    await desk.take(ALL)
    scan = await desk.scan(NOON + DAY)
    async with desk.database.write() as conn:
        begun = await begin_run(conn, scan, feed(), NOON + DAY)
    run = await fail_run(desk.database, begun["id"], "sample", "the server is gone", NOON + DAY)
    assert (run.state, run.error, run.rows) == ("failed", "the server is gone", 0)
    assert await withdrawn(desk) == set()
    again = await desk.take(ALL, NOON + DAY, scan=scan)
    assert (again.run_id, again.state, again.error) == (begun["id"], "done", None)


async def test_a_finished_run_is_not_repeated(desk: Desk) -> None:
    scan = await desk.scan(NOON)
    first = await desk.take(ALL, scan=scan)
    assert await desk.take(b"", scan=scan) == first


async def test_a_shrunken_file_is_suspect_until_a_second_one_agrees(desk: Desk) -> None:
    await desk.take(ALL)
    first = await desk.take(ALL[:70], NOON + DAY)
    assert (first.state, first.accepted) == ("suspect", False)
    assert first.error == "the file lacks 30 of the 100 known names that have not ended"
    assert await withdrawn(desk) == set()
    other = await desk.take(ALL[30:], NOON + DAY * 1.5)
    assert (other.state, await withdrawn(desk)) == ("suspect", set())
    # A failure in between is no file and changes nothing.
    await desk.take(b"[", NOON + DAY * 1.6, spec=feed(format="json"))
    second = await desk.take(ALL[30:], NOON + 2 * DAY)
    assert (second.state, second.accepted, second.counts["withdrawn"]) == ("done", True, 30)
    assert await withdrawn(desk) == set(NAMES[:30])


async def test_a_suspect_file_refreshes_and_adds(desk: Desk) -> None:
    await desk.take(ALL)
    run = await desk.take([*ALL[:60], offer("new.com"), offer("n0.com", p="77")], NOON + DAY)
    assert run.state == "suspect"
    stored = await desk.listings()
    assert (stored["id-n0.com"]["price_usd"], "id-new.com" in stored) == (77, True)


async def test_the_operator_accepts_a_suspect_file(desk: Desk) -> None:
    await desk.take(ALL)
    run = await desk.take(ALL[:50], NOON + DAY, accept=True)
    assert (run.state, run.accepted, run.counts["withdrawn"]) == ("done", True, 50)


async def test_a_file_without_good_rows_is_never_believed(desk: Desk) -> None:
    await desk.take(ALL)
    for day in (1, 2):
        run = await desk.take([offer("bad name")], NOON + day * DAY, accept=True)
        assert run.state == "failed"
        assert "none of its 1 rows can be used (1 domain_characters)" in str(run.error)
        run = await desk.take(b"[]", NOON + day * DAY * 1.1, accept=True, spec=feed(format="json"))
        assert (run.state, run.error) == ("suspect", "the file has no usable rows")
    assert await withdrawn(desk) == set()


async def test_a_withdrawn_listing_that_comes_back_is_first_seen_anew(desk: Desk) -> None:
    await desk.take(ALL)
    await desk.take(ALL[1:], NOON + DAY)
    run = await desk.take(ALL, NOON + 2 * DAY)
    assert run.counts == {"relisted": 1, "unchanged": 99}
    back = (await desk.listings())["id-n0.com"]
    assert (back["withdrawn_at"], back["first_seen_at"]) == (None, NOON + 2 * DAY)


async def test_a_past_end_revives_nothing(desk: Desk) -> None:
    await desk.take(ALL)
    later = NOON + 4 * DAY
    run = await desk.take(ALL, later)
    assert run.counts == {"ended": 100}
    stored = (await desk.listings())["id-n0.com"]
    assert (stored["last_seen_at"], stored["live_until"]) == (NOON, NOON + 3 * DAY)


_KILLED = """
import asyncio, io, os, signal, sys
from pathlib import Path
from afterdrop.db.engine import open_database
from afterdrop.feeds import intake
from tests.support.desk import FILTER, NOON, feed
from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.run_context import IntakeOptions, ScanMoment
url, file, scan, rows = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
def progress(done):
    if done >= rows: os.kill(os.getpid(), signal.SIGKILL)
async def main():
    data = io.BytesIO(Path(file).read_bytes())
    options = IntakeOptions(Bounds(10**9, 200), progress=progress)
    moment = ScanMoment(scan, NOON, NOON)
    await intake.take_in(open_database(url), feed(), data, moment, FILTER, options)
asyncio.run(main())
"""


def stored_values(tables: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Without row numbers, which a rolled back transaction uses up."""
    return {
        name: [{key: value for key, value in row.items() if key not in ("id",)} for row in rows]
        for name, rows in tables.items()
    }


async def everything(desk: Desk) -> dict[str, list[dict[str, Any]]]:
    listed = sorted((await desk.listings()).values(), key=lambda row: str(row["external_id"]))
    return stored_values(
        {
            "listings": listed,
            "candidates": list((await desk.candidates()).values()),
            "metrics": await desk.metrics(),
            "runs": await desk.runs(),
        }
    )


@pytest.mark.long
async def test_killed_and_read_again_it_leaves_the_same_rows(
    desk: Desk, database_url: str, tmp_path: Path
) -> None:
    data = lines([offer(f"n{number}.com", tf=number % 40) for number in range(6000)])
    file = tmp_path / "list.ndjson"
    file.write_bytes(data)
    scan = await desk.scan(NOON)
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-c", _KILLED, database_url, str(file), str(scan), "5000"]
    killed = subprocess.run(command, cwd=root, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert 0 < len(await desk.listings()) < 4500
    assert (await desk.runs())[0]["state"] == "running"
    run = await desk.take(data, scan=scan)
    assert (run.state, run.rows, run.passed) == ("done", 6000, 4500)
    resumed = await everything(desk)
    async with desk.database.write() as conn:
        for table in ("listings", "candidates", "metric_values", "source_runs"):
            await conn.exec_driver_sql(f"DELETE FROM {table}")
    await desk.take(data, scan=scan)
    undisturbed = await everything(desk)
    for name in ("listings", "candidates", "metrics"):
        drop = {"seen_run"} if name == "listings" else set()
        assert [{k: v for k, v in row.items() if k not in drop} for row in resumed[name]] == [
            {k: v for k, v in row.items() if k not in drop} for row in undisturbed[name]
        ]


CLOSEOUTS = feed(endless=["buy_now"])


def closeout(name: str, price: str = "50", **changes: Any) -> dict[str, Any]:
    """A closeout as its marketplace gives it: the end is that of the auction before, which nobody won."""
    return offer(name, t="buy_now", p=price, e="2026-11-18T16:00:00Z", **changes)


async def test_a_closeout_is_listed_while_the_file_carries_it_and_its_price_followed(desk: Desk) -> None:
    await desk.take([offer("a.com", e="2026-11-21T00:00:00Z"), *ALL], spec=CLOSEOUTS)
    await desk.settle("published", NOON, "a.com")
    # The auction ended without a bid: the same name, perhaps under the same number, at a price that falls.
    run = await desk.take([closeout("a.com"), closeout("b.com"), *ALL], NOON + DAY, spec=CLOSEOUTS)
    assert run.counts == {"new": 1, "relisted": 1, "unchanged": 100}
    assert (await desk.candidates())["a.com"]["state"] == "due"
    await desk.settle("refreshed", NOON + DAY, "a.com", "b.com")
    run = await desk.take([closeout("a.com", "30"), *ALL], NOON + 2 * DAY, spec=CLOSEOUTS)
    assert run.counts == {"refreshed": 1, "unchanged": 100, "withdrawn": 1}
    stored = await desk.listings()
    row = stored["id-a.com"]
    assert (row["type"], row["price_usd"], row["ends_at"], row["live_until"]) == ("buy_now", 30, None, None)
    assert await withdrawn(desk) == {"b.com"}
    assert {(await desk.candidates())[name]["state"] for name in ("a.com", "b.com")} == {"due"}


async def test_a_file_that_lacks_most_closeouts_is_suspect_for_three_days_at_most(desk: Desk) -> None:
    names = [closeout(name) for name in NAMES]
    await desk.take(names, spec=CLOSEOUTS)
    half = await desk.take(names[50:], NOON + DAY, spec=CLOSEOUTS)
    assert (half.state, half.counts["withdrawn"]) == ("done", 50)
    less = await desk.take(names[90:], NOON + 2 * DAY, spec=CLOSEOUTS)
    assert (less.state, less.error) == (
        "suspect",
        "the file lacks 40 of the 50 known names at a fixed price",
    )
    assert len(await withdrawn(desk)) == 50
    # Closeouts are sold or dropped within days, so the old names say nothing against a file of other ones.
    new = [closeout(f"new{number}.com") for number in range(9)]
    later = await desk.take(new, NOON + 4 * DAY, spec=CLOSEOUTS)
    assert (later.state, later.counts["withdrawn"]) == ("done", 50)


async def test_a_part_of_a_list_refreshes_and_adds_and_withdraws_nothing(desk: Desk) -> None:
    await desk.take([*ALL, closeout("c.com")], spec=CLOSEOUTS)
    run = await desk.take(
        [offer("n0.com", p="77"), offer("new.com")], NOON + DAY, spec=CLOSEOUTS, whole=False
    )
    assert (run.state, run.counts) == ("done", {"new": 1, "refreshed": 1})
    assert "may be only its first pages" in str(run.error)
    assert await withdrawn(desk) == set()


@pytest.mark.parametrize("more", ["", "\x1a", "\r\n\x1a\r\n", "\0" * 512, "d,id,e,tf\n"])
async def test_what_is_no_row_keeps_no_listing(desk: Desk, more: str) -> None:
    fields = {"domain": "d", "type": {"const": "bid"}, "external_id": "id"}
    spec = feed(format="csv", fields={**fields, "ends_at": {"from": "e", "convert": ["iso"]}})
    rows = [f"{name},{name},2026-12-01T18:00:00Z,20\n" for name in ("a.com", "b.com")]
    await desk.take(("d,id,e,tf\n" + "".join(rows)).encode(), spec=spec)
    run = await desk.take(f"d,id,e,tf\n{rows[0]}{more}".encode(), NOON + DAY, spec=spec)
    assert (run.state, run.rows, run.error) == ("done", 1, None)
    assert await withdrawn(desk) == {"b.com"}
