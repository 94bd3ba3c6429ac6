"""Changes in the feeds reach the lists even when the archive does not answer or the cap allows no review."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

import pytest
import sqlalchemy as sa

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Archive, Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import scans
from afterdrop.queue.loop import QueueRunner
from afterdrop.review.page.pool import PagePool
from afterdrop.scan import feed_intake, run, store
from afterdrop.scan.candidates import candidate_queue
from afterdrop.scan.feed_intake import take_feeds_in
from afterdrop.sources.archive.archives import Archives
from afterdrop.worker_context import WorkerContext
from tests.support import published as published
from tests.support.desk import DAY, NOON, Desk, feed, offer
from tests.support.published import NAME
from tests.support.world import slim_context

LATER = NOON + 35 * DAY  # the review has run out
OTHER = offer("other.com", t="bid", tf=2, e="2027-06-01T00:00:00Z")


class _Down:
    """An archive that never answers; it counts who asked."""

    asked = 0
    settings = Archive()
    hosts = ("archive/cdx", "archive")

    async def blamed(self, error: UpstreamError) -> UpstreamError:
        return error

    async def index(self, domain: str, *_: Any, **__: Any) -> None:
        self.asked += 1
        raise UpstreamError("archive", "unavailable", f"does not answer about {domain}")


@dataclass
class _Sale:
    """A name on the live list with an endless offer at 50 dollars, and a worker without an archive."""

    desk: Desk
    settings: Settings
    archive: _Down = field(default_factory=_Down)

    async def begin(self) -> None:
        await self.file(NOON, 50)
        await published.put_metrics(self.desk.database, published.STRONG)
        await published.reviewed(self.desk.database, now=NOON)
        await self.desk.settle("published", NOON, NAME)

    async def file(self, at: datetime, price: int | None) -> int:
        """A scan whose complete file has the name at `price`, or not at all; its number."""
        number = await self.desk.scan(at)
        mine = [] if price is None else [offer(NAME, t="buy_now", e=None, p=str(price))]
        await self.desk.take([*mine, OTHER], at, scan=number)
        return number

    def context(self, now: datetime, cap: int = 8000) -> WorkerContext:
        limits = self.settings.scan.model_copy(update={"reviews_per_day": cap})
        settings = self.settings.model_copy(update={"scan": limits})
        slim = slim_context(self.desk.database, settings, lambda: now)
        return replace(slim, archives=Archives(cast(Any, self.archive), None), pages=PagePool(1))

    async def work(self, now: datetime, cap: int = 8000) -> None:
        context = self.context(now, cap)
        await QueueRunner(candidate_queue(context), context).run(until_empty=True)

    async def shown(self) -> tuple[Any, ...]:
        row = await published.row_of(self.desk.database)
        return row["price_usd"], row["ends_at"], row["live_until"]

    async def outcome(self) -> tuple[str, str | None]:
        row = (await self.desk.candidates())[NAME]
        return row["state"], row["outcome"]


@pytest.fixture
async def sale(database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> _Sale:
    monkeypatch.setattr("afterdrop.scan.candidates._REVIEW_ATTEMPTS", 1)
    made = _Sale(Desk(database), settings)
    await made.begin()
    return made


async def test_a_sold_name_ends_while_the_archive_is_down(sale: _Sale) -> None:
    assert await sale.shown() == (50, None, None)
    await sale.file(LATER, None)
    await sale.work(LATER)
    assert await sale.shown() == (50, LATER, LATER)
    assert await sale.outcome() == ("settled", "refreshed")
    assert sale.archive.asked == 0, "what is not on sale needs no review"


async def test_a_price_does_not_wait_for_the_archive_and_a_failed_review_hides_no_sale(sale: _Sale) -> None:
    await sale.file(LATER, 999)
    await sale.work(LATER)
    assert await sale.shown() == (999, None, None)
    assert (await sale.outcome(), sale.archive.asked) == (("settled", "failed"), 1)
    await sale.file(LATER + DAY, None)
    assert await sale.outcome() == ("due", None)
    await sale.work(LATER + DAY)
    assert await sale.shown() == (999, LATER + DAY, LATER + DAY)


async def test_what_failed_and_was_never_listed_is_not_reviewed_once_it_is_gone(sale: _Sale) -> None:
    later = [offer("never.com", t="buy_now", e=None), OTHER]
    await sale.desk.take(later, NOON)
    await sale.desk.settle("failed", NOON, "never.com")
    await sale.file(NOON + DAY, 50)
    assert (await sale.desk.candidates())["never.com"]["outcome"] == "failed"


async def test_a_listed_name_follows_its_listings_when_the_cap_is_used_up(sale: _Sale) -> None:
    number = await sale.file(LATER, 999)
    context = sale.context(LATER, cap=0)
    async with context.database.write() as conn:
        await store.end_intake(conn, number, LATER)
    [row] = [row for row in await sale.desk.rows(scans) if row["id"] == number]
    under_way = store.Scan.of(row)
    assert not await run.is_settled(context, under_way), "the price is not on the list yet"
    await sale.work(LATER, cap=0)
    assert await sale.shown() == (999, None, None)
    assert (await sale.outcome(), sale.archive.asked) == (("settled", "refreshed"), 0)
    assert await run.is_settled(context, under_way)


async def test_an_endless_offer_fades_once_its_feed_is_not_configured(
    sale: _Sale, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_rates(_: WorkerContext) -> dict[str, float]:
        return {}

    monkeypatch.setattr(feed_intake, "_rates", no_rates)
    async with sale.desk.database.write() as conn:
        await conn.execute(sa.update(scans).values(finished_at=NOON))
    gone = feed(name="other", url=None, path="/nowhere/list")
    ours = feed(url=None, path="/nowhere/list")  # fails, and what fails ends nothing
    for configured, live_until in ((ours, None), (gone, NOON + 3 * DAY)):
        context = replace(sale.context(LATER), feeds=(configured,))
        under_way = await run.begin(context)
        await take_feeds_in(context, under_way)
        await sale.work(LATER)
        assert (await sale.shown())[2] == live_until
        assert await run.close(context, under_way)
    assert await sale.outcome() == ("settled", "refreshed")
