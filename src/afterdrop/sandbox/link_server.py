"""The web servers of all linking sites: one address answers for every host, as a relay does."""

from __future__ import annotations

from collections.abc import Iterable

from aiohttp import web

from afterdrop.sandbox import link_pages
from afterdrop.sandbox.link_pages import LinkAnswer
from afterdrop.sandbox.state import SandboxState
from afterdrop.sandbox.world import World


def host_exists(world: World, host: str) -> bool | None:
    """Whether a host of a linking site has an address; None for other hosts."""
    site = host.removeprefix("www.")
    if site.removeprefix("new-") not in world.linking_sites:
        return None
    scene = link_pages.site_scene(site)
    return scene != "no_name" and not (host != site and scene == "host_gone")


def routes(sandbox: SandboxState) -> Iterable[web.RouteDef]:
    """The routes of the linking sites."""

    async def robots(request: web.Request) -> web.Response:
        return _response(link_pages.robots_txt(_site(request)))

    async def page(request: web.Request) -> web.Response:
        address = f"http://{request.host}{request.path}"
        link = sandbox.world.linking_pages.get(address)
        if link is None:
            known = request.path == "/"
            return _response(link_pages.home(_site(request)) if known else LinkAnswer(404, "not found"))
        return _response(link_pages.moved(link) if "moved" in request.query else link_pages.page_of(link))

    yield web.get("/robots.txt", robots)
    yield web.get("/{path:.*}", page)


def _site(request: web.Request) -> str:
    return request.host.partition(":")[0].removeprefix("www.")


def _response(answer: LinkAnswer) -> web.Response:
    headers = {"Content-Type": "text/html; charset=utf-8", **answer.headers}
    return web.Response(status=answer.status, body=answer.body.encode(), headers=headers)
