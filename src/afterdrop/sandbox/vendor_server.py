"""The metric vendors over HTTP: each path by itself and below the vendor's real host name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from aiohttp import web

from afterdrop.sandbox import vendor_documents as documents
from afterdrop.sandbox.state import Handler, SandboxState, json_answer

# The environment variables that the shipped provider presets read; the sandbox's vendors accept any value.
KEYS = {
    "AHREFS_API_KEY": "sandbox",
    "MAJESTIC_API_KEY": "sandbox",
    "MOZ_ACCESS_ID": "sandbox",
    "MOZ_SECRET_KEY": "sandbox",
    "SEMRUSH_API_KEY": "sandbox",
    "OPEN_PAGERANK_API_KEY": "opr_live_sandbox",
}
_MOST = {"ahrefs": 1000, "moz": 50, "openpagerank": 100}


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The routes of every vendor."""
    rating, majestic, moz = _ahrefs(sandbox), _majestic(sandbox), _moz(sandbox)
    for method, host, path, handler in (
        ("GET", "api.ahrefs.com", "/v3/public/domain-rating-free", rating),
        ("POST", "api.ahrefs.com", "/v3/public/domain-rating-free", rating),
        ("GET", "api.majestic.com", "/api/json", majestic),
        ("POST", "lsapi.seomoz.com", "/v2/url_metrics", moz),
        ("GET", "api.semrush.com", "/analytics/v1/", _semrush(sandbox)),
        ("POST", "openpagerank.keywordseverywhere.com", "/v1/domains/bulk", _open_pagerank(sandbox)),
    ):
        yield web.route(method, path, handler)
        yield web.route(method, f"/{host}{path}", handler)


def _refused(request: web.Request) -> web.Response | None:
    if request.headers.get("Authorization", "").strip():
        return None
    return json_answer({"error": "API key is missing"}, 401)


async def _list(request: web.Request, key: str, most: int) -> list[str] | web.Response:
    try:
        body: Any = orjson.loads(await request.read())
        names = [str(name) for name in body[key]]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return json_answer({"error": f"expected a JSON object with a list of {key}"}, 400)
    if len(names) > most:
        return json_answer({"error": f"at most {most} {key} a request"}, 400)
    return names


def _ahrefs(sandbox: SandboxState) -> Handler:
    async def rating(request: web.Request) -> web.StreamResponse:
        if refused := _refused(request):
            return refused
        if request.method == "GET":
            return json_answer(documents.ahrefs_one(sandbox.world, request.query.get("target", "")))
        names = await _list(request, "targets", _MOST["ahrefs"])
        if isinstance(names, web.Response):
            return names
        return json_answer(documents.ahrefs_many(sandbox.world, names))

    return rating


def _majestic(sandbox: SandboxState) -> Handler:
    async def command(request: web.Request) -> web.StreamResponse:
        return json_answer(documents.majestic(sandbox.world, request.query))

    return command


def _moz(sandbox: SandboxState) -> Handler:
    async def metrics(request: web.Request) -> web.StreamResponse:
        if refused := _refused(request):
            return refused
        names = await _list(request, "targets", _MOST["moz"])
        if isinstance(names, web.Response):
            return names
        return json_answer(documents.moz(sandbox.world, names, sandbox.clock.now().date()))

    return metrics


def _semrush(sandbox: SandboxState) -> Handler:
    async def report(request: web.Request) -> web.StreamResponse:
        return web.Response(text=documents.semrush(sandbox.world, request.query), content_type="text/plain")

    return report


def _open_pagerank(sandbox: SandboxState) -> Handler:
    async def ranks(request: web.Request) -> web.StreamResponse:
        if refused := _refused(request):
            return refused
        names = await _list(request, "domains", _MOST["openpagerank"])
        if isinstance(names, web.Response):
            return names
        return json_answer(documents.open_pagerank(sandbox.world, names, sandbox.clock.now().date()))

    return ranks
