"""What a page's own site tells robots reaches the reading of its links, however many headers say it."""

from __future__ import annotations

from contextlib import closing
from types import SimpleNamespace
from typing import cast

from aiohttp import web
from multidict import CIMultiDict

from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.review.context import ReviewContext
from afterdrop.review.live_links import LinkPage, look_at_links
from afterdrop.review.page.pool import PagePool
from tests.support.live_hosts import visitor

TOLD = {
    "/both": (["noindex", "nofollow"], True),
    "/another": (["otherbot: noindex", "none"], True),
    "/other": (["noindex", "otherbot: none"], False),
}


def page(request: web.Request) -> web.StreamResponse:
    rules = TOLD[request.path][0] if request.path in TOLD else []
    headers = CIMultiDict([("x-robots-tag", rule) for rule in rules])
    text = '<p>The walk to the mill. <a href="http://pennridge.com/">x</a></p>'
    return web.Response(text=text, content_type="text/html", headers=headers)


async def test_every_header_for_robots_counts(settings: Settings, database: Database) -> None:
    pages = [LinkPage(f"http://name.com{path}") for path in TOLD]
    with closing(PagePool(1)) as pool:
        async with visitor(settings, database, page) as (live, _):
            context = cast("ReviewContext", SimpleNamespace(live=live, pages=pool, now=clock.now))
            seen = await look_at_links(context, "pennridge.com", pages, 60)
    assert [link["nofollow"] for link in seen] == [nofollow for _, nofollow in TOLD.values()]
