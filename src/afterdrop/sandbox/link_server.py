"""The web servers of linking sites and of names after their end: one address stands for every host, as a relay."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from aiohttp import web

from afterdrop.sandbox import later_sites, link_pages
from afterdrop.sandbox.link_pages import LinkAnswer
from afterdrop.sandbox.state import SandboxState
from afterdrop.sandbox.world import World

# How long a server that is slow lets its visitors wait.
_SLOW_SECONDS: Final = 60


def host_exists(world: World, host: str) -> bool | None:
    """Whether a host of a linking site, or one that a name leads to, has an address; None for other hosts."""
    site = host.removeprefix("www.")
    if (name := later_sites.other_host(host)) is not None and name in world.by_domain:
        return True
    if site.removeprefix("new-") not in world.linking_sites:
        return None
    scene = link_pages.site_scene(site)
    return scene != "no_name" and not (host != site and scene == "host_gone")


def routes(sandbox: SandboxState) -> Iterable[web.RouteDef]:
    """The routes of the linking sites and of the world's names."""
    world = sandbox.world

    async def robots(request: web.Request) -> web.Response:
        if _site(request) in world.by_domain:
            return _response(later_sites.robots_txt(_site(request)))
        return _response(link_pages.robots_txt(_site(request)))

    async def page(request: web.Request) -> web.Response:
        host = _site(request)
        story = world.by_domain.get(later_sites.other_host(host) or host)
        if story is not None:
            if later_sites.scene_of(story.domain) == "slow":
                with suppress(TimeoutError):
                    await asyncio.wait_for(sandbox.closing.wait(), _SLOW_SECONDS)
            agent = request.headers.get("User-Agent", "")
            return _response(later_sites.page_of(world, story, host, agent))
        address = f"http://{request.host}{request.path}"
        link = world.linking_pages.get(address)
        if link is None:
            known = request.path == "/"
            return _response(link_pages.home(host) if known else LinkAnswer(404, "not found"))
        return _response(link_pages.moved(link) if "moved" in request.query else link_pages.page_of(link))

    yield web.get("/robots.txt", robots)
    yield web.get("/{path:.*}", page)


def _site(request: web.Request) -> str:
    return request.host.partition(":")[0].removeprefix("www.")


def _response(answer: LinkAnswer) -> web.Response:
    headers = {"Content-Type": "text/html; charset=utf-8", **answer.headers}
    return web.Response(status=answer.status, body=answer.body.encode(), headers=headers)
