"""Every page made to choke the reader, through the real reading process: each is read, within the bounds of a page."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from afterdrop.review.history.after_life import FormerPage, VisitedPage, after_life
from afterdrop.review.page.backlink import look_at
from afterdrop.review.page.pool import Bounds, PagePool, PageUnread, read_capture
from afterdrop.review.page.values import Capture
from afterdrop.scan.page_texts import text_of
from tests.hostile.cost import cost
from tests.hostile.pages import CASES
from tests.support.speed import slowness

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a process's peak of memory is told by /proc")
AT = datetime(2010, 1, 1, tzinfo=UTC)
CLASSES = sorted({name.partition(":")[0] for name in CASES})
# Those that once took minutes or gigabytes, one of each kind.
WORST = (
    "some levels around text: blockquote",
    "some levels around much: object",
    "some levels around much: p",
    "open tags: svg",
    "hidden: 1,150 levels, hidden",
    "misnested: carried into every paragraph",
    "refresh: 4 kB of blanks",
    "attributes: many, with less-than signs",
    "text: link words cut by tags",
)


def _usual(bounds: Bounds) -> Bounds:
    """The same CPU time, where this machine is slower than a usual one, and more patience: others are at work, too."""
    return replace(bounds, cpu_seconds=bounds.cpu_seconds * slowness(), seconds=120)


async def over(names: list[str], bounds: Bounds) -> list[str]:
    """What was not read within the bounds."""
    failed = []
    async with PagePool(1, bounds) as pool:
        for name in names:
            body = CASES[name]()
            page = Capture(AT, "http://oldmill.com/", "r", 200, "text/html", "D", body)
            visited = VisitedPage(page.url, 200, body, "text/html")
            former = FormerPage(page.url, body, "text/html")
            tasks = (
                (read_capture, (page,)),
                (text_of, (body, page.url, "text/html")),
                (look_at, (body, page.url, "text/html", "", "elsewhere.com")),
                (after_life, ("oldmill.com", visited, former)),
            )
            for task, args in tasks:
                try:
                    seconds, peak = await pool.run(cost, task, *args, subject=name)
                except PageUnread as error:
                    failed.append(f"{name}: {task.__name__}: {error.reason}: {error.message}")
                    continue
                if seconds > bounds.cpu_seconds or peak > bounds.memory:
                    failed.append(f"{name}: {task.__name__}: {seconds:.1f} s, {peak // 1_000_000} MB")
    return failed


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("kind", CLASSES)
async def test_every_hostile_page_is_read_within_the_bounds(kind: str) -> None:
    assert not await over([name for name in CASES if name.startswith(f"{kind}:")], _usual(Bounds()))


@pytest.mark.long
@pytest.mark.timeout(3_600)
async def test_the_formerly_worst_pages_are_read_within_half_the_time() -> None:
    assert not await over(list(WORST), _usual(Bounds(cpu_seconds=5)))
