"""What no archive should hold, end to end: endless domains, pages that go in circles, bodies that are no pages."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from afterdrop.review.history.capture_plan import CAPTURES
from afterdrop.review.history.domain_history import History
from afterdrop.review.page.pool import read_capture
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.wayback import IndexAnswer, MissingCapture, Replay
from tests.support.histories import DOMAIN, NOW, index_of

PAGE = b"<title>Reading room</title><p>The reading room opens at nine in the morning. Bring your library card with you."


class Bodies:
    """An archive that gives the same answers for every capture: by address, else one body."""

    def __init__(self, answer: IndexAnswer, body: bytes, others: dict[str, bytes] | None = None) -> None:
        self.answer, self.body, self.others = answer, body, others or {}
        self.asked: list[str] = []

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        return self.answer

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        self.asked.append(url)
        body = self.others.get(url, self.body)
        return Replay(at, at, url, f"https://a.test/{at:%Y}/{url}", 200, "text/html", body, {}, None)


async def reader(capture: Capture) -> PageReading:
    return read_capture(capture)


def homes() -> IndexAnswer:
    return IndexAnswer(index_of(*((f"{year}-01", f"D{year}") for year in range(2004, 2014))))


async def timed(answer: Callable[[], IndexAnswer], body: bytes) -> tuple[float, Bodies, History]:
    """CPU seconds of a review, its index read; the archive, and what was found."""
    start = time.process_time()
    archive = Bodies(answer(), body)
    found = (await review_domain(archive, reader, DOMAIN, NOW)).history
    return time.process_time() - start, archive, found


@pytest.fixture(scope="module")
def usual() -> float:
    """CPU seconds of a review whose pages are long, 100 KB each: what hostile ones are held against."""
    page = PAGE + b"<p>" + b"more words of no use " * 5_000
    asyncio.run(timed(homes, PAGE))  # loads the readers' models
    return min(asyncio.run(timed(homes, page))[0] for _ in range(2))


def many(captures: int) -> IndexAnswer:
    """A domain of so many captures, half of them of its home page."""
    first = datetime(2000, 1, 1, tzinfo=UTC)
    surt = f"{','.join(reversed(DOMAIN.split('.')))})"
    rows = [
        f"{surt}/{path} {first + timedelta(hours=2 * number):%Y%m%d%H%M%S} http://{DOMAIN}/{path} text/html 200"
        f" {number:032X} {900 + number % 700}"
        for number in range(captures)
        for path in ("" if number % 2 else f"page-{number % 5000}",)
    ]
    return IndexAnswer(read_index("\n".join(rows).encode(), DOMAIN))


async def test_a_hundred_thousand_captures_are_bounded_in_time_and_captures() -> None:
    few = min([(await timed(lambda: many(10_000), PAGE))[0] for _ in range(2)])
    spent, archive, found = await timed(lambda: many(100_000), PAGE)
    assert spent < 15 * few, "ten times the captures take ten times as long, not a hundred times"
    assert len(archive.asked) <= CAPTURES
    assert found.captures == 100_000
    assert found.outcome == "ok"


async def test_pages_that_send_each_other_round_end_after_one_step() -> None:
    there, back = (f'<meta http-equiv="refresh" content="0; url={url}">'.encode() for url in ("/b", "/"))
    archive = Bodies(homes(), there, {f"http://{DOMAIN}/b": back})
    found = (await review_domain(archive, reader, DOMAIN, NOW)).history
    assert len(archive.asked) <= CAPTURES
    assert found.outcome == "ok"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (gzip.compress(PAGE * 400)[:-20], "site"),
        (gzip.compress(PAGE * 400)[:12], "failed"),
        (PAGE + b"<p>" + b"more words of no use " * 2_000_000, "site"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100, "failed"),
        (b'<frameset cols="20%,80%"><frame src="a.html"><frame src="b.html"></frameset>', "site"),
        (b"<title>Lib\xff\xferary</title><p>" + b"The caf\xe9 \x81\x8d opens at nine. " * 40, "site"),
        (b"", "error"),
        (b"<div>" * 100_000, "site"),
    ],
    ids=["cut gzip", "gzip head", "40 MB", "PNG", "frames", "invalid bytes", "empty", "nesting"],
)
async def test_bodies_of_every_capture(body: bytes, kind: str, usual: float) -> None:
    spent, _, found = await timed(homes, body)
    assert spent < 10 * usual
    assert {one.kind for one in found.read} == {kind}
    assert found.outcome == "ok"
    assert found.to_dict()
