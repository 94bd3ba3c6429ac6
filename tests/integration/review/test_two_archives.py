"""Reviews that ask two archives, over real HTTP against the sandbox's: who is asked, what is shown, who may be away."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import host_outages
from afterdrop.db.tables.review import reviews
from afterdrop.review.history.domain_history import History
from afterdrop.review.run import review_stored
from afterdrop.review.store import Reviewed, keep_review, must_wait
from afterdrop.sandbox import RunningSandbox, start
from afterdrop.sandbox.crawl_server import in_common_crawl
from afterdrop.sources.archive.cdx_index import COMMON_CRAWL, WAYBACK, archive_of
from afterdrop.worker_context import WorkerContext
from tests.support.sandboxes import context_for

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
AWAY = {"server": "archive", "kind": "status", "status": 503}


@pytest.fixture
def database_url(sqlite_template: Path, tmp_path: Path) -> str:
    """One kind of database is enough here: it keeps the pace and closed rows."""
    path = tmp_path / "afterdrop.sqlite3"
    shutil.copyfile(sqlite_template, path)
    return f"sqlite+aiosqlite:///{path}"


@pytest.fixture
async def running() -> AsyncIterator[RunningSandbox]:
    """A sandbox of a hundred domains."""
    async with start(3, 100, day=date(2026, 11, 20), now=lambda: NOON) as served:
        yield served


@asynccontextmanager
async def opened(
    running: RunningSandbox, database: Database, folder: Path, url: str, **archive: object
) -> AsyncIterator[WorkerContext]:
    """A worker over the sandbox, whose tables of crawls are there."""

    def change(settings: Settings) -> Settings:
        changed = settings.archive.model_copy(update={"common_crawl": True, **archive})
        return settings.model_copy(update={"archive": changed})

    async with context_for(running, database, folder, url, lambda: NOON, change) as context:
        assert context.archives.crawl is not None
        await context.archives.crawl.fetch_tables(NOON)
        running.state.log.clear()
        yield context


def requests(running: RunningSandbox) -> Counter[str]:
    return Counter(entry["server"] for entry in running.state.log)


def addresses(history: History) -> set[str]:
    """The archives at whose addresses its captures are shown."""
    return {archive_of(capture.url) for capture in history.read if capture.url}


def names(running: RunningSandbox, role: str) -> list[str]:
    """Names of this role that Common Crawl has."""
    stories = (story for story in running.world.stories if story.scenario == role)
    return [story.domain for story in stories if in_common_crawl(story.domain)]


def lacking(running: RunningSandbox) -> str:
    """A name that only the Wayback Machine has."""
    return next(story.domain for story in running.world.stories if not in_common_crawl(story.domain))


async def reviewed(context: WorkerContext, domain: str, *, last_try: bool = False) -> Reviewed:
    return await review_stored(context, domain, last_try=last_try, crawl_first=True)


async def test_what_common_crawl_shows_to_be_spam_is_not_asked_for_elsewhere(
    running: RunningSandbox, database: Database, tmp_path: Path, database_url: str
) -> None:
    async with opened(running, database, tmp_path / "w", database_url) as context:
        found = (await reviewed(context, names(running, "spam_casino")[0])).history
    assert found.spam
    assert requests(running)["archive"] == 0
    assert addresses(found) == {COMMON_CRAWL}
    assert any("rests on Common Crawl" in note for note in found.notes)


async def test_crawls_are_asked_once(
    running: RunningSandbox, database: Database, tmp_path: Path, database_url: str
) -> None:
    domain = names(running, "live_bid")[0]
    async with opened(running, database, tmp_path / "w", database_url) as context:
        first = await reviewed(context, domain)
        async with database.write() as conn:
            await keep_review(conn, first, NOON, 30)
        running.state.log.clear()
        again = await reviewed(context, domain)
    assert not any("/indexes/" in entry["path"] for entry in running.state.log)
    assert again.history.eras == first.history.eras
    assert again.answer.crawls == b"", "nothing is new"


async def away(database: Database, host: str, since: timedelta) -> None:
    """The host's outage as the breaker keeps it: its next try is still to come."""
    row = {
        "host": host,
        "since": (NOON - since).timestamp(),
        "next_try_at": (NOON + timedelta(minutes=20)).timestamp(),
        "note": "answered 503",
    }
    async with database.write() as conn:
        await conn.execute(sa.delete(host_outages))
        await conn.execute(sa.insert(host_outages).values(**row))


async def test_an_archive_that_is_away_for_long_is_done_without(
    running: RunningSandbox, database: Database, tmp_path: Path, database_url: str
) -> None:
    known, unknown = names(running, "live_bid")[0], lacking(running)
    async with opened(running, database, tmp_path / "w", database_url) as context:
        running.state.faults.put([AWAY])
        hosts = context.archives.hosts
        await away(database, hosts[WAYBACK][0], timedelta(minutes=30))
        async with database.read() as conn:
            assert await must_wait(conn, hosts, 1, NOON)
        with pytest.raises(UpstreamError):
            await reviewed(context, known)
        await away(database, hosts[WAYBACK][0], timedelta(hours=2))
        async with database.read() as conn:
            assert not await must_wait(conn, hosts, 1, NOON)
            assert await must_wait(conn, hosts, 2, NOON)
        partial = await reviewed(context, known)
        with pytest.raises(UpstreamError):
            await reviewed(context, unknown)
    assert partial.history.outcome == "ok"
    assert partial.answer.index.missing == (WAYBACK,)
    assert any(note.startswith("The Wayback Machine did not answer") for note in partial.history.notes)
    async with database.write() as conn:
        await keep_review(conn, partial, NOON, 30)
        valid = (await conn.execute(sa.select(reviews.c.valid_until))).scalar_one()
    assert valid == NOON + timedelta(days=1)


async def test_common_crawl_away_stops_nobody(
    running: RunningSandbox, database: Database, tmp_path: Path, database_url: str
) -> None:
    async with opened(running, database, tmp_path / "w", database_url) as context:
        running.state.faults.put([{"server": "crawl", "kind": "status", "status": 403}])
        found = await reviewed(context, names(running, "live_bid")[0])
        asked = requests(running)["crawl"]
        await reviewed(context, names(running, "live_bid")[1])
    assert asked == requests(running)["crawl"] == 1, "who is refused asks no more"
    assert found.history.outcome == "ok"
    assert found.answer.index.missing == (COMMON_CRAWL,)


async def test_no_name_is_clean_by_fewer_archives_than_the_setting_asks_for(
    running: RunningSandbox, database: Database, tmp_path: Path, database_url: str
) -> None:
    async with opened(running, database, tmp_path / "w", database_url, least=2) as context:
        running.state.faults.put([{"server": "crawl", "kind": "status", "status": 403}])
        with pytest.raises(UpstreamError):
            await reviewed(context, names(running, "live_bid")[0], last_try=True)
        assert (await reviewed(context, names(running, "spam_casino")[0])).history.spam


async def test_the_wayback_machine_switched_off(
    running: RunningSandbox, database: Database, tmp_path: Path, database_url: str
) -> None:
    async with opened(running, database, tmp_path / "w", database_url, wayback=False) as context:
        found = (await reviewed(context, names(running, "live_bid")[0])).history
        unknown = (await reviewed(context, lacking(running))).history
    assert (found.outcome, requests(running)["archive"]) == ("ok", 0)
    assert (unknown.outcome, unknown.captures) == ("ok", 0)
    assert addresses(found) == {COMMON_CRAWL}


async def test_the_text_of_a_page_costs_one_request_to_common_crawl(
    running: RunningSandbox, database: Database, tmp_path: Path, database_url: str
) -> None:
    async with opened(running, database, tmp_path / "w", database_url) as context:
        found = (await reviewed(context, names(running, "live_bid")[0])).history
        page = next(page for page in found.pages if page.place)
        running.state.log.clear()
        at = datetime.strptime(page.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        replay = await context.archives.page(at, page.url, page.place)
    assert requests(running) == {"crawl": 1}
    assert getattr(replay, "status", None) == 200
