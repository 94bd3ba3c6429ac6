"""Webhook receivers: what is posted to `/_sandbox/hooks/<name>` is kept and can be read there.

The query `?do=` chooses the receiver's behaviour: 200 (default) or another status, hang, redirect, reset, stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from aiohttp import web

from afterdrop.sandbox.state import SandboxState, json_answer

_KEPT = 5_000
_BODY = 20_000


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """POST keeps the request and answers as it is told, GET reads, DELETE clears."""

    async def receive(request: web.Request) -> web.StreamResponse:
        return await _receive(sandbox, request)

    async def read(request: web.Request) -> web.StreamResponse:
        return json_answer(sandbox.hooks.get(request.match_info["name"], []))

    async def clear(request: web.Request) -> web.StreamResponse:
        sandbox.hooks.pop(request.match_info["name"], None)
        return web.Response(status=204)

    yield web.post("/_sandbox/hooks/{name}", receive)
    yield web.get("/_sandbox/hooks/{name}", read)
    yield web.delete("/_sandbox/hooks/{name}", clear)


async def _receive(sandbox: SandboxState, request: web.Request) -> web.StreamResponse:
    body = await request.read()
    kept = sandbox.hooks.setdefault(request.match_info["name"], [])
    kept.append({
        "at": round(sandbox.epoch() * 1000), "headers": {str(name): text for name, text in request.headers.items()},
        "query": dict(request.query),
        "body": body[:_BODY].decode("utf-8", "replace"),
    })  # fmt: skip
    del kept[:-_KEPT]
    behaviour = request.query.get("do", "200")
    if behaviour == "hang":
        await sandbox.pause(600)
    if behaviour in ("hang", "reset"):
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=499)
    if behaviour == "redirect":
        return web.Response(
            status=302, headers={"Location": f"{sandbox.origins['main']}/_sandbox/hooks/elsewhere"}
        )
    if behaviour == "stream":
        return await _stream(sandbox, request)
    status = int(behaviour) if behaviour.isdigit() and 200 <= int(behaviour) <= 599 else 200
    return web.Response(status=status, text="ok" if status < 300 else "no")


async def _stream(sandbox: SandboxState, request: web.Request) -> web.StreamResponse:
    """A response that never ends, sent byte by byte."""
    response = web.StreamResponse(status=200)
    await response.prepare(request)
    while not sandbox.closing.is_set():
        await response.write(b".")
        await asyncio.sleep(0.05)
    return response
