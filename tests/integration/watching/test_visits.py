"""Names that are registered anew are visited: what stands there is told right, and who forbids it is not asked."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from dns import rcode
from warcio.archiveiterator import ArchiveIterator

from afterdrop.catalogue import visits as visit_store
from afterdrop.catalogue.visits import NewHolder, VisitRow
from afterdrop.core import clock
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.review import visits
from afterdrop.queue.loop import QueueRunner
from afterdrop.sandbox import dns_server, later_sites, start
from afterdrop.sandbox.running import RunningSandbox
from afterdrop.sandbox.world import World as SandboxWorld
from afterdrop.sources.live import pages as live_pages
from afterdrop.sources.live.warc_record import evidence_dir, record_path
from afterdrop.watching import visits as watching_visits
from afterdrop.watching.visits import visit_queue
from afterdrop.worker.pruning import prune
from afterdrop.worker_context import WorkerContext
from tests.support import POSTGRES_IS_LONG
from tests.support.sandboxes import context_for

SEED, SIZE = 3, 120


def visiting(settings: Settings) -> Settings:
    """The demo's settings with visits, as quick as the sandbox answers."""
    live = settings.live.model_copy(update={"visits": True, "host_seconds": 0})
    return settings.model_copy(update={"live": live, "contact": "operator@drops.example"})


@asynccontextmanager
async def opened(
    database: Database, url: str, folder: Path
) -> AsyncIterator[tuple[RunningSandbox, WorkerContext]]:
    """A sandbox, and a worker that may visit its names."""
    async with (
        start(SEED, SIZE) as running,
        context_for(running, database, folder, url, change=visiting) as context,
    ):
        yield running, context


def scenes(world: SandboxWorld) -> dict[str, list[str]]:
    """Names with a site and an address, by the scene after their end."""
    by_scene: dict[str, list[str]] = {}
    now = clock.now()
    for story in world.stories:
        phase = story.phase(now)
        there = dns_server.answer(world, story.domain, "A", now).records
        if later_sites.last_site(story) is not None and phase is not None and there:
            by_scene.setdefault(later_sites.scene_of(story.domain), []).append(story.domain)
    return by_scene


async def made(context: WorkerContext, names: Iterable[str], days: int = 1) -> dict[str, VisitRow]:
    """Visit these names, as far as visits are due after so many days; gives the visits by name."""
    async with context.database.write() as conn:
        for name in names:
            await visit_store.plan(conn, name, NewHolder("Some Registrar"), clock.now())
    await run(replace(context, now=lambda: clock.now() + timedelta(days=days)))
    async with context.database.read() as conn:
        return {row["domain"]: row for row in await visit_store.of_names(conn, list(names))}


async def run(context: WorkerContext) -> None:
    await QueueRunner(visit_queue(context), context).run(until_empty=True)


def asked(running: RunningSandbox) -> list[tuple[str, str]]:
    return [(entry["host"], entry["path"]) for entry in running.state.log if entry["server"] == "links"]


@POSTGRES_IS_LONG
async def test_every_kind_of_after_life_is_told(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_pages, "_SECONDS", 3.0)
    async with opened(database, database_url, tmp_path) as (running, context):
        by_scene = scenes(running.world)
        names = [name for mine in by_scene.values() for name in mine]
        seen = await made(context, names)
    truth = {name: later_sites.KINDS[later_sites.scene_of(name)] for name in names}
    wrong = {
        name: (later_sites.scene_of(name), seen[name]["kind"], seen[name]["note"])
        for name in names
        if seen[name]["kind"] != truth[name]
    }
    print(wrong)
    assert len(wrong) <= 0.02 * len(names), wrong
    for name in names:
        scene = later_sites.scene_of(name)
        if scene in later_sites.KEPT_OUT:
            assert {path for host, path in asked(running) if host == name} == {"/robots.txt"}
        if scene == "for_sale":
            assert seen[name]["price"] in later_sites.PRICES
        if scene in ("redirected", "meta_redirected"):
            assert seen[name]["leads_to"] == f"new-home-of-{name}"


async def test_what_was_read_is_kept_as_a_warc_record(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with opened(database, database_url, tmp_path) as (running, context):
        [name, *_] = scenes(running.world)["rebuilt"]
        row = (await made(context, [name]))[name]
        folder = evidence_dir(context.settings)
    assert row["evidence"] is not None
    with record_path(folder, row["evidence"]).open("rb") as file:
        [(kind, address, body)] = [
            (
                record.rec_type,
                record.rec_headers.get_header("WARC-Target-URI"),
                record.content_stream().read(),
            )
            for record in ArchiveIterator(file, check_digests="raise")
        ]
    assert (kind, address) == ("response", row["url"])
    assert row["title"] is not None and row["title"].encode() in body


async def test_visits_come_again_and_stop_at_the_days_cap(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with opened(database, database_url, tmp_path) as (running, context):
        quick = ("rebuilt", "parked", "renewed", "casino")
        mine = scenes(running.world)
        names, others = [mine[scene][0] for scene in quick[:2]], [mine[scene][0] for scene in quick[2:4]]
        await made(context, names)
        for days in (30, 90, 365):
            await run(replace(context, now=lambda days=days: clock.now() + timedelta(days=days, hours=1)))  # type: ignore[misc]
        async with database.read() as conn:
            days_seen = sorted(row["day"] for row in await visit_store.of_names(conn, names))
        live = context.settings.live.model_copy(update={"visits_per_day": 1})
        capped = replace(context, settings=context.settings.model_copy(update={"live": live}))
        assert await made(capped, others) == {}, "two visits were made on that day"
        assert len(await made(capped, others, days=2)) == 1
    assert days_seen == [0, 0, 30, 30, 90, 90, 365, 365]


async def test_without_leave_or_contact_nobody_is_visited(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with opened(database, database_url, tmp_path) as (running, context):
        [name, *_] = scenes(running.world)["rebuilt"]
        for changed in (
            {"contact": ""},
            {"live": context.settings.live.model_copy(update={"visits": False})},
        ):
            quiet = replace(context, settings=context.settings.model_copy(update=changed))
            assert await made(quiet, [name]) == {}
        assert asked(running) == []
        async with database.read() as conn:
            planned = (await conn.execute(visits.select())).all()
    assert len(planned) == 4


async def test_old_visits_go_with_their_pages(database: Database, database_url: str, tmp_path: Path) -> None:
    async with opened(database, database_url, tmp_path) as (running, context):
        mine = scenes(running.world)
        [old, *_], [fresh, *_] = mine["rebuilt"], mine["parked"]
        seen = await made(context, [old, fresh])
        folder = evidence_dir(context.settings)
        paths = {name: record_path(folder, row["evidence"] or "") for name, row in seen.items()}
        year_old = clock.now() - timedelta(days=context.settings.live.evidence_days + 1)
        os.utime(paths[old], (year_old.timestamp(),) * 2)
        async with database.write() as conn:
            mine_alone = (visits.c.domain == old, visits.c.visited_at.is_not(None))
            await conn.execute(visits.update().where(*mine_alone).values(visited_at=year_old))
        deleted = await prune(context)
        async with database.read() as conn:
            left = await visit_store.of_names(conn, [old, fresh])
    assert (deleted["visits"], deleted["pages of visits"]) == (1, 1)
    assert [row["domain"] for row in left] == [fresh]
    assert {name: path.exists() for name, path in paths.items()} == {old: False, fresh: True}


async def test_a_name_that_is_to_be_spared_waits_for_the_next_day(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no verdict, and no attempt either."""
    monkeypatch.setattr(live_pages, "HOST_REQUESTS", 1)
    async with opened(database, database_url, tmp_path) as (running, context):
        assert await made(context, [scenes(running.world)["rebuilt"][0]]) == {}
        async with database.read() as conn:
            [waiting] = (await conn.execute(visits.select().where(visits.c.error.is_not(None)))).mappings()
    assert "had its 1 requests of today" in waiting["error"]
    assert waiting["attempts"] == 0


async def test_while_the_archive_asks_to_wait_no_page_of_a_stranger_is_read(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(database, database_url, tmp_path) as (running, context):
        busy = UpstreamError("http://web.archive.org/", "rate_limited", "asks to wait", retry_after=3600)
        monkeypatch.setattr("afterdrop.sources.archive.archives.Archives.page", AsyncMock(side_effect=busy))
        read = AsyncMock()
        monkeypatch.setattr("afterdrop.sources.live.pages.LivePages.read", read)
        assert await made(context, [scenes(running.world)["rebuilt"][0]]) == {}
        async with database.read() as conn:
            [waiting] = (await conn.execute(visits.select().where(visits.c.day == 0))).mappings()
    assert not read.called
    assert (waiting["attempts"], waiting["kind"]) == (0, None)
    assert waiting["due_at"] > clock.now() + timedelta(minutes=50)


async def test_a_verdict_stands_where_its_evidence_cannot_be_kept(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watching_visits, "keep_record", full)
    async with opened(database, database_url, tmp_path) as (running, context):
        name = scenes(running.world)["casino"][0]
        seen = await made(context, [name])
    assert (seen[name]["kind"], seen[name]["evidence"]) == ("spam", None)


async def test_name_servers_in_trouble_for_a_day_are_no_end_of_a_site(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with opened(database, database_url, tmp_path) as (running, context):
        failing = next(
            story.domain
            for story in running.world.stories
            if dns_server.answer(running.world, story.domain, "A", clock.now()).code == rcode.SERVFAIL
        )
        seen = await made(context, [failing])
        for days in (2, 3):
            assert seen == {}
            await run(replace(context, now=lambda days=days: clock.now() + timedelta(days=days, hours=1)))  # type: ignore[misc]
            async with database.read() as conn:
                seen = {row["domain"]: row for row in await visit_store.of_names(conn, [failing])}
    assert (seen[failing]["kind"], seen[failing]["note"]) == ("nothing", "no server answers")
