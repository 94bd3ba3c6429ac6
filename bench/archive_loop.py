"""How long the loop that serves requests stands still while an archive's index of one site is read.

    python -m bench.archive_loop [--rows 50000]

A site whose home page alone fills the archive's row limit is asked for twice, and the rows of both answers are read:
the case that takes longest. Read in a thread, as the archive's client does, and on the loop itself, in the same run.
Prints the longest turn of an otherwise idle loop, in milliseconds: on the clock, where other processes' turns count
too and threads take turns at the interpreter, and in CPU time of the loop's own thread.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from unittest import mock

from afterdrop.core.settings import Archive
from afterdrop.http.client import Fetched
from afterdrop.sources.archive import wayback
from afterdrop.sources.archive.wayback import WebArchive

ROUNDS = 5
NOW = datetime(2026, 11, 20, tzinfo=UTC)
Result = TypeVar("Result")


def answer(rows: int) -> bytes:
    """Captures of one home page, an hour apart."""
    first = datetime(2005, 1, 1, tzinfo=UTC)
    stamps = (f"{first + timedelta(hours=number):%Y%m%d%H%M%S}" for number in range(rows))
    lines = (
        f"com,example)/ {stamp} http://example.com/ text/html 200 {number:020X} 9000\n"
        for number, stamp in enumerate(stamps)
    )
    return "".join(lines).encode()


class Answering:
    """The way out: the same answer to every question."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    async def get(self, url: str, **_: Any) -> Fetched:
        """An index answer."""
        return Fetched(200, {}, self.body, url)


async def _here(work: Callable[..., Result], *given: Any, **named: Any) -> Result:
    return work(*given, **named)


async def longest_turn(work: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """The loop's longest turn while `work` ran, in milliseconds: on the clock, and of its thread's CPU time."""
    clock = cpu = 0.0
    task = asyncio.ensure_future(work())
    while not task.done():
        began, spent = time.perf_counter(), time.thread_time()
        await asyncio.sleep(0)
        clock, cpu = max(clock, time.perf_counter() - began), max(cpu, time.thread_time() - spent)
    await task
    return 1000 * clock, 1000 * cpu


async def measure(rows: int) -> None:
    """Measure both ways in turn and print them."""
    wayback.ROW_LIMIT = rows
    archive = WebArchive(Answering(answer(rows)), Archive())

    async def ask() -> None:
        found = await archive.index("example.com", NOW)
        assert found.questions == 2

    threads, loop = [], []
    for _ in range(ROUNDS):
        threads.append(await longest_turn(ask))
        with mock.patch("afterdrop.sources.archive.wayback.asyncio.to_thread", _here):
            loop.append(await longest_turn(ask))
    print(f"{rows:,} rows, twice; the loop's longest turn in ms, median of {ROUNDS} rounds")
    print(f"{'':12} {'in a thread':>12} {'on the loop':>12}")
    for kind, name in enumerate(("clock", "CPU")):
        there, here = (statistics.median(turn[kind] for turn in turns) for turns in (threads, loop))
        print(f"{name:12} {there:12.1f} {here:12.1f}   {here / there:.0f} times as long")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=50_000)
    asyncio.run(measure(parser.parse_args().rows))


if __name__ == "__main__":
    main()
