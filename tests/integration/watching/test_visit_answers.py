"""What a visit tells of answers that are no page: nothing that is not known, and all that is."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
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
from afterdrop.http import pace
from afterdrop.queue.loop import QueueRunner
from afterdrop.review.page.pool import PagePool
from afterdrop.sources.archive.archives import Archives
from afterdrop.sources.live import pages as live_pages
from afterdrop.watching.visits import visit_queue
from afterdrop.worker_context import WorkerContext
from tests.support.live_hosts import Handler, visitor
from tests.support.pages import PagesHere, killed
from tests.support.receivers import server_tls
from tests.support.world import slim_context

NAME = "name.com"


@asynccontextmanager
async def visiting(
    settings: Settings,
    database: Database,
    handler: Handler,
    pages: PagePool | None = None,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[WorkerContext]:
    """A worker that visits names whose hosts answer with `handler`; no archive has anything."""
    pages = pages or PagesHere()
    mine = settings.model_copy(update={"contact": "operator@drops.example", "live": Live(visits=True)})
    async with visitor(settings, database, handler, run=pages.run, tls=tls) as (live, _):
        slim = slim_context(database, mine, lambda: clock.now() + timedelta(days=1))
        yield replace(slim, live=live, pages=pages, archives=Archives(None, None))


async def visited(context: WorkerContext) -> VisitRow:
    """The first visit of the name, made or not."""
    async with context.database.write() as conn:
        await visit_store.plan(conn, NAME, NewHolder("Some Registrar"), clock.now())
    await run_queue(context)
    return await last(context)


async def last(context: WorkerContext) -> VisitRow:
    """The first visit after the last registration."""
    async with context.database.read() as conn:
        found = await conn.execute(
            visits.select().where(visits.c.day == 0).order_by(visits.c.began_at.desc())
        )
        row = found.mappings().first()
    assert row is not None
    return cast(VisitRow, dict(row))


async def run_queue(context: WorkerContext) -> None:
    await QueueRunner(visit_queue(context), context).run(until_empty=True)


def a_page(request: web.Request) -> web.StreamResponse:
    if request.path == "/robots.txt":
        return web.Response(status=404)
    return web.Response(text="<title>Mill</title><p>A page of some words.", content_type="text/html")


def with_rules(request: web.Request) -> web.StreamResponse:
    if request.path == "/robots.txt":
        return web.Response(text="User-agent: *\nDisallow: /private/")
    return a_page(request)


@pytest.mark.parametrize("handler", [a_page, with_rules])
async def test_a_visit_whose_reading_died_is_made_again_twice(
    settings: Settings, database: Database, handler: Handler
) -> None:
    """Whether it was the page's or that of robots.txt."""
    async with PagePool(1, ready=killed) as pages, visiting(settings, database, handler, pages) as context:
        row = await visited(context)
        assert (row["kind"], row["attempts"]) == (None, 1)
        assert row["error"] is not None and "the reading process died" in row["error"]
        for days in (2, 3):
            later = clock.now() + timedelta(days=days, hours=1)
            await run_queue(replace(context, now=lambda at=later: at))  # type: ignore[misc]
        row = await last(context)
    assert (row["kind"], row["note"]) == ("unclear", "the page could not be read or compared")


def sent_to(location: str, target: Handler = a_page) -> Handler:
    """The name's host redirects its home page; every other host answers with `target`."""

    def handler(request: web.Request) -> web.StreamResponse:
        if request.host != NAME:
            return target(request)
        if request.path != "/":
            return web.Response(status=404)
        return web.Response(status=301, headers={"Location": location})

    return handler


def forbidding(request: web.Request) -> web.StreamResponse:
    return web.Response(text="User-agent: *\nDisallow: /")


def busy(request: web.Request) -> web.StreamResponse:
    return web.Response(status=429, headers={"Retry-After": "3000"})


def in_trouble(request: web.Request) -> web.StreamResponse:
    return web.Response(status=500)


def circling(request: web.Request) -> web.StreamResponse:
    return web.Response(status=302, headers={"Location": "/"})


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("http://www.parked-name.com/", forbidding),
        ("http://parked-name.com/", forbidding),
        ("http://parked-name.com/", busy),
        ("http://parked-name.com/", in_trouble),
        ("http://parked-name.com/", circling),
        ("https://parked-name.com/", a_page),
        ("http://parked-name.com:8080/", a_page),
        ("http://me:secret@parked-name.com/", a_page),
        ("http://no-such-name.parked-name.com/", a_page),
        ("//PARKED-name.com", forbidding),
    ],
)
async def test_a_redirect_is_told_though_its_target_may_not_be_read(
    settings: Settings, database: Database, location: str, target: Handler
) -> None:
    async with visiting(settings, database, sent_to(location, target)) as context:
        row = await visited(context)
    assert (row["kind"], row["leads_to"]) == ("redirected", "parked-name.com")


@pytest.mark.parametrize(
    "location", ["http://10.0.0.1/", "ftp://parked-name.com/", "http://com/", "http://["]
)
async def test_a_redirect_to_no_other_domain_of_the_web_leaves_it_unclear(
    settings: Settings, database: Database, location: str
) -> None:
    async with visiting(settings, database, sent_to(location)) as context:
        row = await visited(context)
    assert (row["kind"], row["leads_to"]) == ("unclear", None)


async def test_a_redirect_is_told_where_its_target_is_to_be_spared(
    settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with visiting(settings, database, sent_to("http://parked-name.com/")) as context:
        monkeypatch.setattr(live_pages, "HOST_REQUESTS", 3)
        for path in ("a", "b"):
            await context.live.read(f"http://parked-name.com/{path}")
        row = await visited(context)
    assert (row["kind"], row["leads_to"]) == ("redirected", "parked-name.com")


async def test_a_redirect_is_told_where_its_target_is_a_host_that_we_ask_for_ourselves(
    settings: Settings, database: Database
) -> None:
    async with database.write() as conn:
        await pace.lease_slot(conn, "archive.parked-name.com", 1.0, clock.epoch(), 0.0)
    async with visiting(settings, database, sent_to("http://archive.parked-name.com/")) as context:
        row = await visited(context)
    assert (row["kind"], row["leads_to"]) == ("redirected", "parked-name.com")


def nothing_by_http(request: web.Request) -> web.StreamResponse:
    return web.Response(status=500)


def back_to_https(request: web.Request) -> web.StreamResponse:
    if request.path == "/robots.txt":
        return web.Response(status=404)
    return web.Response(status=301, headers={"Location": f"https://{NAME}/"})


@pytest.mark.parametrize("handler", [nothing_by_http, back_to_https, forbidding])
@pytest.mark.parametrize("fault", ["self-signed", "of another host", "expired"])
async def test_a_certificate_that_is_not_valid_is_told_where_http_has_no_page(
    settings: Settings,
    database: Database,
    handler: Handler,
    fault: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "else.example.org" if fault == "of another host" else NAME
    tls = server_tls(tmp_path, name, timedelta(days=-1 if fault == "expired" else 1))
    if fault != "self-signed":
        trusting = ssl.create_default_context(cafile=str(tmp_path / "server.pem"))
        monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", trusting)
    async with visiting(settings, database, handler, tls=tls) as context:
        row = await visited(context)
    assert (row["kind"], row["note"]) == ("unclear", "its certificate is not valid")


async def test_a_name_with_such_a_certificate_is_visited_by_http(
    settings: Settings, database: Database, tmp_path: Path
) -> None:
    tls = server_tls(tmp_path, NAME)
    async with visiting(settings, database, a_page, tls=tls) as context:
        assert (await visited(context))["title"] == "Mill"
    async with visiting(settings, database, sent_to("https://parked-name.com/"), tls=tls) as context:
        row = await visited(context)
    assert (row["kind"], row["leads_to"]) == ("redirected", "parked-name.com")


async def test_a_server_that_never_answers_is_told_in_plain_words(
    settings: Settings, database: Database
) -> None:
    def silent(request: web.Request) -> web.StreamResponse:
        if request.path == "/":
            assert request.transport is not None
            request.transport.abort()
        return web.Response(status=404)

    async with visiting(settings, database, silent) as context:
        row = await visited(context)
    assert row["kind"] == "unclear"
    assert (row["note"] or "").startswith("closed the connection")
