"""What a visit tells of answers that are no page: nothing that is not known, and all that is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import cast

import pytest
from aiohttp import web

from afterdrop.catalogue import visits as visit_store
from afterdrop.catalogue.visits import NewHolder, VisitRow
from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.core.settings_sections import Live
from afterdrop.db.engine import Database
from afterdrop.db.tables.review import visits
from afterdrop.queue.loop import QueueRunner
from afterdrop.review.page.pool import PagePool
from afterdrop.sources.archive.archives import Archives
from afterdrop.watching.visits import visit_queue
from afterdrop.worker.context import WorkerContext
from tests.support.live_hosts import Handler, visitor
from tests.support.pages import PagesHere, killed
from tests.support.world import slim_context

NAME = "name.com"


@asynccontextmanager
async def visiting(
    settings: Settings, database: Database, handler: Handler, pages: PagePool | None = None
) -> AsyncIterator[WorkerContext]:
    """A worker that visits names whose hosts answer with `handler`; no archive has anything."""
    pages = pages or PagesHere()
    mine = settings.model_copy(update={"contact": "operator@drops.example", "live": Live(visits=True)})
    async with visitor(settings, database, handler, run=pages.run) as (live, _):
        slim = slim_context(database, mine, lambda: clock.now() + timedelta(days=1))
        yield replace(slim, live=live, pages=pages, archives=Archives(None, None))


async def visited(context: WorkerContext) -> VisitRow:
    """The first visit of the name, made or not."""
    async with context.database.write() as conn:
        await visit_store.plan(conn, NAME, NewHolder("Some Registrar"), clock.now())
    await run_queue(context)
    async with context.database.read() as conn:
        row = (await conn.execute(visits.select().where(visits.c.day == 0))).mappings().one()
    return cast(VisitRow, dict(row))


async def run_queue(context: WorkerContext) -> None:
    stop, wake = asyncio.Event(), asyncio.Event()
    await QueueRunner(visit_queue(context), context.database, context.now, stop, wake).run(until_empty=True)


def a_page(request: web.Request) -> web.StreamResponse:
    if request.path == "/robots.txt":
        return web.Response(status=404)
    return web.Response(text="<title>Mill</title><p>A page of some words.", content_type="text/html")


def with_rules(request: web.Request) -> web.StreamResponse:
    if request.path == "/robots.txt":
        return web.Response(text="User-agent: *\nDisallow: /private/")
    return a_page(request)


@pytest.mark.parametrize("handler", [a_page, with_rules])
async def test_a_visit_whose_reading_died_is_made_again(
    settings: Settings, database: Database, handler: Handler
) -> None:
    """Whether it was the page's or that of robots.txt."""
    async with PagePool(1, ready=killed) as pages, visiting(settings, database, handler, pages) as context:
        row = await visited(context)
    assert (row["kind"], row["attempts"]) == (None, 1)
    assert row["error"] is not None and "the reading process died" in row["error"]
