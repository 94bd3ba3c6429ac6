"""Processes that read pages: replaced when they die, hang or grow, and never the service's trouble."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from afterdrop.review.page.pool import Bounds, PagePool, PageUnread, ReadingDied, memory_used
from afterdrop.review.page.values import Capture
from tests.integration.review import work
from tests.support.pages import killed

PAGE = b"""<html lang=en><title>Old Mill Bakery</title><body><p>Our sourdough rises overnight and is baked before
sunrise in the stone oven. The bakery sells rye bread, rolls and birthday cakes. We mill the flour ourselves with the
water of the brook, and the children of the school visit us every autumn to see how bread is made.</p></body></html>"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


async def test_one_process_serves_many_pages_and_survives_a_faulty_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with PagePool(1, ready=os.getpid) as pool:
        first = await pool.run(work.pid)
        with pytest.raises(PageUnread, match="the reader failed") as caught:
            await pool.run(work.fail, subject="http://x.test/")
        assert (caught.value.reason, caught.value.subject) == ("fault", "http://x.test/")
        assert "RuntimeError: 'no such page'" in caplog.text
        assert await pool.run(work.pid) == first != os.getpid()


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGSEGV, None])
async def test_a_page_whose_process_dies_is_read_once_more(by: signal.Signals | None, tmp_path: Path) -> None:
    async with PagePool(1, ready=os.getpid) as pool:
        first = await pool.run(work.pid)
        assert await pool.run(work.die, tmp_path / "once", 1, by) != first
        with pytest.raises(ReadingDied, match="the reading process died") as caught:
            await pool.run(work.die, tmp_path / "always", 9, by, subject="http://x.test/")
        assert (caught.value.kind, caught.value.subject) == ("died", "http://x.test/")
        assert (tmp_path / "always").stat().st_size == 2
        assert await pool.run(work.pid) != first


async def test_a_page_after_its_process_was_killed_is_read() -> None:
    """As the kernel kills one that waits, where memory is short."""
    async with PagePool(1, ready=os.getpid) as pool:
        os.kill(await pool.run(work.pid), signal.SIGKILL)
        assert await pool.run(work.pid)


async def test_a_process_that_is_killed_as_it_starts_ends_the_reading() -> None:
    async with PagePool(1, ready=killed) as pool:
        pool.warm()
        with pytest.raises(ReadingDied, match="SIGKILL"):
            await pool.run(work.pid)


async def test_a_page_whose_process_stands_still_is_read_once_more(tmp_path: Path) -> None:
    async with PagePool(1, Bounds(seconds=3), os.getpid) as pool:
        assert await pool.run(work.hang, tmp_path / "once", 1)
        with pytest.raises(ReadingDied, match="stood still"):
            await pool.run(work.hang, tmp_path / "always", 9)
        assert (tmp_path / "always").stat().st_size == 2


async def test_the_start_of_a_process_is_no_part_of_a_pages_time() -> None:
    async with PagePool(1, Bounds(seconds=2), work.come_up_slowly) as pool:
        assert await pool.run(work.pid)


async def test_a_page_that_computes_too_long_is_ended_by_the_kernel() -> None:
    async with PagePool(1, Bounds(cpu_seconds=0.5), os.getpid) as pool:
        first = await pool.run(work.pid)
        with pytest.raises(PageUnread, match=r"more than 0\.5 s of processor time") as caught:
            await pool.run(work.spin)
        assert caught.value.reason == "timeout"
        assert await pool.run(work.pid) != first


async def test_a_page_that_wants_too_much_memory_gets_none_and_its_process_is_replaced() -> None:
    async with PagePool(1, ready=os.getpid) as pool:
        first = await pool.run(work.pid)
        with pytest.raises(PageUnread, match="more than 600 MB of memory") as caught:
            await pool.run(work.swell)
        assert caught.value.reason == "memory"
        assert await pool.run(work.pid) != first


async def test_the_limits_end_with_the_page() -> None:
    async with PagePool(1, Bounds(cpu_seconds=2), os.getpid) as pool:
        first = await pool.run(work.pid)
        for _ in range(3):
            await pool.run(work.busy)
        assert await pool.run(work.pid) == first


async def test_a_check_goes_before_the_scan_at_the_only_seat() -> None:
    async with PagePool(1, Bounds(cpu_seconds=1), os.getpid) as pool:
        await pool.run(work.pid)
        done: list[str] = []

        async def one(reader: PagePool, name: str) -> None:
            with contextlib.suppress(PageUnread):
                await reader.run(work.spin if name == "stuck" else work.pid)
            done.append(name)

        names = ("stuck", "scan", "given up", "check")
        tasks = [
            asyncio.create_task(one(pool.with_priority() if name == "check" else pool, name))
            for name in names
        ]
        await asyncio.sleep(0)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert done == ["stuck", "check", "scan"]


async def test_a_turn_given_up_as_it_comes_goes_to_the_next() -> None:
    async with PagePool(1, ready=os.getpid) as pool:
        seat = await pool._line.take(urgent=False)
        waiting = asyncio.create_task(pool.run(work.pid))
        await asyncio.sleep(0)
        pool._line.give(seat)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await asyncio.wait_for(pool.run(work.pid), 180)


async def test_a_process_that_grew_is_replaced_after_its_page() -> None:
    async with PagePool(1, Bounds(kept=50_000_000), os.getpid) as pool:
        first = await pool.run(work.grow)
        assert await pool.run(work.pid) != first
    async with PagePool(1, ready=os.getpid) as pool:
        assert await pool.run(work.grow) == await pool.run(work.pid)
    assert 5_000_000 < memory_used() < 10_000_000_000


async def test_closing_ends_the_processes_and_the_threads_that_watch_them() -> None:
    async with PagePool(2, ready=os.getpid) as pool:
        pid = await pool.run(work.pid)
        assert alive(pid)
        with pytest.raises(PageUnread, match="600 MB"):
            await pool.run(work.swell)
        pool.warm()
    assert not alive(pid)
    # One that still closes its pipe while the interpreter exits makes that end with an OSError.
    assert [one.name for one in threading.enumerate() if "_ExecutorManagerThread" in repr(one)] == []


async def test_a_cancelled_page_frees_its_seat() -> None:
    async with PagePool(1, ready=os.getpid) as pool:
        await pool.run(work.pid)
        task = asyncio.create_task(pool.run(work.hang))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.wait_for(pool.run(work.pid), 180)


async def test_a_page_is_read_in_another_process() -> None:
    at = datetime(2010, 1, 1, tzinfo=UTC)
    async with PagePool() as pool:
        found = await pool.read(Capture(at, "http://oldmill.com/", "r", 200, "text/html", "D", PAGE))
    assert (found.verdict, found.language, found.title) == ("clean", "en", "Old Mill Bakery")


def test_no_process_outlives_a_killed_service(tmp_path: Path) -> None:
    script = tmp_path / "service.py"
    script.write_text(
        textwrap.dedent(
            """
            import asyncio
            from afterdrop.review.page.pool import PagePool
            from tests.integration.review import work

            async def main():
                pool = PagePool(1)
                print(await pool.run(work.pid), flush=True)
                await asyncio.sleep(60)

            if __name__ == "__main__":
                asyncio.run(main())
            """
        )
    )
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(root)}
    ) as service:
        assert service.stdout is not None
        pid = int(service.stdout.readline())
        service.send_signal(signal.SIGKILL)
        service.wait(180)
    deadline = time.monotonic() + 180
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid)
