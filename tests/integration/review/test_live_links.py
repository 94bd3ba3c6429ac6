"""Looks at the links to a name over HTTP: what is told of pages that cannot be read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from aiohttp import web

from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.review.live_links import LinkPage, LinkSeen, look_at_links
from afterdrop.review.page.pool import PagePool
from tests.support.live_hosts import Handler, visitor
from tests.support.pages import PagesHere, killed
from tests.support.world import slim_context

PAGE = "http://name.com/links"


async def look(
    settings: Settings, database: Database, handler: Handler, pages: PagePool | None = None
) -> list[LinkSeen]:
    """What a look at the page tells of its link to `mill.com`."""
    async with visitor(settings, database, handler) as (live, _):
        slim = slim_context(database, settings, clock.now)
        context = replace(slim, live=live, pages=pages or PagesHere())
        return await look_at_links(context, "mill.com", [LinkPage(PAGE)], 60)


def linking(request: web.Request) -> web.StreamResponse:
    if request.path == "/robots.txt":
        return web.Response(status=404)
    return web.Response(text="<p>See <a href='http://mill.com/'>the mill</a>.", content_type="text/html")


@pytest.mark.parametrize(
    ("location", "state", "note"),
    [
        ("http://parked-name.com/", "unread", "the page leads to parked-name.com now: robots.txt forbids it"),
        (
            "http://no.parked-name.com/",
            "page_gone",
            "the page leads to parked-name.com now: no.parked-name.com has no public address",
        ),
        ("http://no.name.com/", "page_gone", "no.name.com is gone, name.com is not"),
    ],
)
async def test_where_a_page_leads_is_told_though_it_may_not_be_read_there(
    settings: Settings, database: Database, location: str, state: str, note: str
) -> None:
    def moved(request: web.Request) -> web.StreamResponse:
        if request.host != "name.com":
            return web.Response(text="User-agent: *\nDisallow: /")
        if request.path == "/robots.txt":
            return web.Response(status=404)
        return web.Response(status=301, headers={"Location": location})

    [seen] = await look(settings, database, moved)
    assert (seen["state"], seen["note"]) == (state, note)


async def test_a_look_whose_reading_died_tells_nothing(settings: Settings, database: Database) -> None:
    [seen] = await look(settings, database, linking)
    assert seen["state"] == "there"
    async with PagePool(1, ready=killed) as dying:
        assert await look(settings, database, linking, dying) == []
