"""The web archive over HTTP: `/cdx/search/cdx` and `/web/<timestamp><modifier>/<url>` in the Wayback dialect."""

from __future__ import annotations

from collections.abc import Iterator

from aiohttp import web

from afterdrop.sandbox import cdx, replay
from afterdrop.sandbox.captures import Capture
from afterdrop.sandbox.state import SandboxState


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The routes of the index and of the replay."""

    async def index(request: web.Request) -> web.StreamResponse:
        return _index(sandbox, request)

    async def play(request: web.Request) -> web.StreamResponse:
        return _play(sandbox, request)

    yield web.get("/cdx/search/cdx", index)
    yield web.get("/web/{rest:.+}", play)


def _stamp(sandbox: SandboxState) -> str:
    return sandbox.clock.now().strftime("%Y%m%d%H%M%S")


def _captures(sandbox: SandboxState, host: str) -> tuple[Capture, ...]:
    story = sandbox.world.find(host.partition(":")[0])
    return sandbox.world.captures(story) if story else ()


def _index(sandbox: SandboxState, request: web.Request) -> web.Response:
    query = request.query
    try:
        asked, host = cdx.parse_query(
            query, {name: query.getall(name, []) for name in ("filter", "collapse")}
        )
    except cdx.BadQuery as error:
        return web.Response(status=400, text=f"Bad Request: {error}\n", content_type="text/plain")
    latest = _stamp(sandbox)
    rows = (item.row() for item in _captures(sandbox, host) if item.timestamp <= latest)
    kind = "application/json" if asked.as_json else "text/plain"
    response = web.Response(body=cdx.answer_query(rows, asked), content_type=kind, charset="utf-8")
    return response if query.get("gzip") == "false" else _packed(request, response)


def _play(sandbox: SandboxState, request: web.Request) -> web.Response:
    raw = request.raw_path.removeprefix("/web")
    address = replay.parse_address(raw)
    if address is None:
        return web.Response(status=404, text="not a replay address")
    host = address.key.partition(")")[0]
    captures = _captures(sandbox, ".".join(reversed(host.split(","))))
    found = replay.nearest(captures, address, _stamp(sandbox))
    answer = replay.response(found, address, captures, sandbox.origins["archive"])
    return _packed(request, web.Response(status=answer.status, headers=answer.headers, body=answer.body))


def _packed(request: web.Request, response: web.Response) -> web.Response:
    if response.body and "gzip" in request.headers.get("Accept-Encoding", ""):
        response.enable_compression(web.ContentCoding.gzip)
    return response
