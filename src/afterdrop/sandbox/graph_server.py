"""The web graph's files over HTTP with byte ranges, so that an interrupted download can be resumed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from aiohttp import web

from afterdrop.sandbox import graph
from afterdrop.sandbox.graph import RELEASE, WebGraph
from afterdrop.sandbox.state import Handler, SandboxState, json_answer

_FILES: dict[str, Callable[[WebGraph], bytes]] = {
    "ranks": graph.ranks,
    "vertices": graph.vertices,
    "edges": graph.edges,
}


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The list of releases, and the three files of the newest."""
    kept: dict[str, bytes] = {}

    async def releases(request: web.Request) -> web.StreamResponse:
        return json_answer([{"id": RELEASE, "name": RELEASE}])

    yield web.get("/index.commoncrawl.org/graphinfo.json", releases)
    for name, path in graph.graph_paths().items():
        yield web.get(path, _file(sandbox, kept, name, _FILES[name]))


def _file(
    sandbox: SandboxState, kept: dict[str, bytes], name: str, make: Callable[[WebGraph], bytes]
) -> Handler:
    async def file(request: web.Request) -> web.StreamResponse:
        if name not in kept:
            kept[name] = make(graph.build_graph(sandbox.world))
        return _ranged(request, kept[name])

    return file


def _ranged(request: web.Request, body: bytes) -> web.Response:
    headers = {"Accept-Ranges": "bytes", "ETag": f'"{len(body):x}-{sum(body[-8:]):x}"'}
    found = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("Range", ""))
    if not found or request.headers.get("If-Range", headers["ETag"]) != headers["ETag"]:
        return web.Response(body=body, content_type="application/gzip", headers=headers)
    start, end = int(found[1]), min(int(found[2] or len(body) - 1), len(body) - 1)
    if start > end:
        headers["Content-Range"] = f"bytes */{len(body)}"
        return web.Response(status=416, headers=headers)
    headers["Content-Range"] = f"bytes {start}-{end}/{len(body)}"
    return web.Response(
        status=206, body=body[start : end + 1], content_type="application/gzip", headers=headers
    )
