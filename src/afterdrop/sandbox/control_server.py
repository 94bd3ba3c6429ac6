"""The sandbox's control endpoints under `/_sandbox/`: expected results, log, faults, clock, mails, webhook receivers.

What is posted to `/_sandbox/hooks/<name>` is kept and can be read there. The receiver answers with the status that the
query `?do=` names, 200 by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import orjson
from aiohttp import web

from afterdrop.sandbox import expected
from afterdrop.sandbox.state import SandboxState, json_answer


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The control endpoints: GET reads, PUT sets the clock or the faults, POST is a webhook."""

    async def get_truth(request: web.Request) -> web.StreamResponse:
        return json_answer(expected.expected_document(sandbox.world, sandbox.origins["main"]))

    async def get_log(request: web.Request) -> web.StreamResponse:
        return json_answer(list(sandbox.log))

    async def get_mail(request: web.Request) -> web.StreamResponse:
        return json_answer(sandbox.mails)

    async def put_now(request: web.Request) -> web.StreamResponse:
        asked = orjson.loads(await request.read() or b"null")
        sandbox.clock.put(datetime.fromisoformat(asked["now"]) if asked else None)
        return web.Response(status=204)

    async def put_faults(request: web.Request) -> web.StreamResponse:
        sandbox.faults.put(orjson.loads(await request.read()))
        return web.Response(status=204)

    async def get_hooks(request: web.Request) -> web.StreamResponse:
        return json_answer(sandbox.hooks.get(request.match_info["name"], []))

    async def receive(request: web.Request) -> web.StreamResponse:
        return await _receive(sandbox, request)

    yield web.get("/_sandbox/truth", get_truth)
    yield web.get("/_sandbox/log", get_log)
    yield web.get("/_sandbox/mail", get_mail)
    yield web.put("/_sandbox/now", put_now)
    yield web.put("/_sandbox/faults", put_faults)
    yield web.get("/_sandbox/hooks/{name}", get_hooks)
    yield web.post("/_sandbox/hooks/{name}", receive)


async def _receive(sandbox: SandboxState, request: web.Request) -> web.StreamResponse:
    sandbox.hooks.setdefault(request.match_info["name"], []).append({
        "at": round(sandbox.epoch() * 1000),
        "headers": {str(name): text for name, text in request.headers.items()},
        "body": await request.text(),
    })  # fmt: skip
    status = int(request.query.get("do", "200"))
    return web.Response(status=status, text="ok" if status < 300 else "no")
