"""The sandbox's control endpoints under `/_sandbox/`: expected results, log, faults, clock, mails, webhook receivers.

What is posted to `/_sandbox/hooks/<name>` is kept and can be read there. The query `?do=` chooses the receiver's
behaviour: 200 (default) or another status, hang, redirect, reset, stream.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from datetime import datetime
from functools import wraps

import orjson
from aiohttp import web

from afterdrop.sandbox import expected
from afterdrop.sandbox.state import BadRule, Handler, LoggedRequest, SandboxState, json_answer


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The control endpoints. GET reads the log and the mails, DELETE clears them."""

    async def get_truth(request: web.Request) -> web.StreamResponse:
        return json_answer(expected.expected_document(sandbox.world, sandbox.origins["main"]))

    async def get_log(request: web.Request) -> web.StreamResponse:
        return json_answer(_log(sandbox, request))

    async def delete_log(request: web.Request) -> web.StreamResponse:
        sandbox.log.clear()
        return web.Response(status=204)

    async def get_mail(request: web.Request) -> web.StreamResponse:
        return json_answer(sandbox.mails)

    async def delete_mail(request: web.Request) -> web.StreamResponse:
        sandbox.mails.clear()
        return web.Response(status=204)

    yield web.get("/_sandbox/truth", get_truth)
    yield web.get("/_sandbox/log", get_log)
    yield web.delete("/_sandbox/log", delete_log)
    yield web.get("/_sandbox/mail", get_mail)
    yield web.delete("/_sandbox/mail", delete_mail)
    yield from _moment_routes(sandbox)
    yield from _fault_routes(sandbox)
    yield from _hook_routes(sandbox)


def _log(sandbox: SandboxState, request: web.Request) -> list[LoggedRequest]:
    server, path = request.query.get("server", ""), re.compile(request.query.get("path", ""))
    since = int(request.query.get("since", "0"))
    return [
        row
        for row in sandbox.log
        if row["at"] >= since and (not server or row["server"] == server) and path.search(row["path"])
    ]


def _moment_routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    async def get_now(request: web.Request) -> web.StreamResponse:
        return json_answer(
            {"now": sandbox.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ"), "fixed": bool(sandbox.clock.fixed)}
        )

    async def put_now(request: web.Request) -> web.StreamResponse:
        asked = orjson.loads(await request.read() or b"null")
        at = asked.get("now") if isinstance(asked, dict) else asked
        running = isinstance(asked, dict) and bool(asked.get("running"))
        sandbox.clock.put(datetime.fromisoformat(at) if at else None, running=running)
        return await get_now(request)

    yield web.get("/_sandbox/now", get_now)
    yield web.put("/_sandbox/now", _refusing(put_now))


def _fault_routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    async def get_faults(request: web.Request) -> web.StreamResponse:
        return json_answer([*sorted(sandbox.faults.playing), *(
            {"kind": rule.kind, "server": rule.server.pattern, "path": rule.path.pattern, "seen": rule.seen,
             "done": rule.done}
            for rule in sandbox.faults.rules
        )])  # fmt: skip

    async def put_faults(request: web.Request) -> web.StreamResponse:
        rules = orjson.loads(await request.read() or b"[]")
        sandbox.faults.put(rules if isinstance(rules, list) else [rules])
        return await get_faults(request)

    yield web.get("/_sandbox/faults", get_faults)
    yield web.put("/_sandbox/faults", _refusing(put_faults))


def _refusing(handler: Handler) -> Handler:
    @wraps(handler)
    async def refuse(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except (BadRule, ValueError, TypeError) as error:
            return json_answer({"error": str(error)}, 400)

    return refuse


_KEPT = 5_000
_BODY = 20_000


def _hook_routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
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
        # A response that never ends, sent byte by byte.
        response = web.StreamResponse(status=200)
        await response.prepare(request)
        while not sandbox.closing.is_set():
            await response.write(b".")
            await asyncio.sleep(0.05)
        return response
    status = int(behaviour) if behaviour.isdigit() and 200 <= int(behaviour) <= 599 else 200
    return web.Response(status=status, text="ok" if status < 300 else "no")
