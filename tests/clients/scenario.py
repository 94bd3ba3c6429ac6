"""One scenario through the Python client, plain or asynchronous: `scenario.py CREDENTIALS sync|async`.

List, filter, check, alert, webhook, events. Prints what it saw as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from afterdrop_client import Afterdrop, ApiError, Ask, AsyncAfterdrop, InvalidSignature, read_event
from afterdrop_client import operations as api


class Plain:
    """The plain client, asked as the asynchronous one is."""

    def __init__(self, client: Afterdrop) -> None:
        self._client = client

    async def __call__(self, ask: Ask[Any], **more: Any) -> Any:
        return await asyncio.to_thread(lambda: self._client(ask, **more))

    async def each(self, ask: Ask[Any]) -> AsyncIterator[Any]:
        for row in await asyncio.to_thread(lambda: list(self._client.each(ask))):
            yield row

    async def catch_up(self, cursor: str | None = None) -> AsyncIterator[Any]:
        for part in await asyncio.to_thread(lambda: list(self._client.catch_up(cursor))):
            yield part


def receiver(came: list[tuple[str, bytes]]) -> ThreadingHTTPServer:
    """A receiver on a loopback port that keeps signature and body of what comes."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            came.append((self.headers["Service-Signature"], body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


async def until(asked: Callable[[], Awaitable[Any]]) -> Any:
    """Ask again and again until there is an answer; the demo's worker takes a moment."""
    for _ in range(240):
        found = await asked()
        if found:
            return found
        await asyncio.sleep(0.5)
    raise AssertionError("nothing came of it")


async def scenario(client: Any, turn: int) -> dict[str, Any]:
    """What a program does in its first hour. Each turn checks a domain that none before it had checked."""
    live = [row["domain"] async for row in client.each(api.live(per_page=10))]
    best = [row async for row in client.each(api.live(min_score=60, sort="score", per_page=10))]
    assert [row["score"] for row in best] == sorted((row["score"] for row in best), reverse=True)
    assert {row["domain"] for row in best} <= set(live)
    rule = await client(
        api.create_rule({"name": "the best", "min_score": 60}), idempotency_key=f"rule-{turn}"
    )
    again = await client(
        api.create_rule({"name": "the best", "min_score": 60}), idempotency_key=f"rule-{turn}"
    )
    assert rule == again, "one rule, however often it is sent"
    came: list[tuple[str, bytes]] = []
    server = receiver(came)
    hook = await client(api.create_webhook({"url": f"http://127.0.0.1:{server.server_address[1]}/in"}))
    check = await client(api.order_check(live[turn]))

    async def finished() -> Any:
        found = await client(api.check(check["id"]))
        return found if found["finished_at"] else None

    done = await until(finished)

    async def delivered() -> Any:
        """The check's own event: the account's other alerts and checks may be heard meanwhile."""
        events: list[Any] = [(read_event(hook["secret"], *each), each) for each in came]
        own = (each for each in events if each[0]["data"].get("check", {}).get("id") == check["id"])
        return next((each for each in own if each[0]["type"] == "check.completed"), None)

    event, (signature, body) = await until(delivered)
    try:
        read_event(hook["secret"], signature, body + b" ")
        raise AssertionError("a changed body was taken")
    except InvalidSignature:
        pass
    events: list[Any] = []
    cursor = None
    async for part, kept in client.catch_up():
        events += part
        cursor = kept
    assert event in events
    assert event not in [each async for part, _ in client.catch_up(cursor) for each in part]
    try:
        await client(api.report("never-listed.org"))
        raise AssertionError("a report of nothing")
    except ApiError as error:
        refused = [error.status, error.code]
    await client(api.delete_webhook(hook["id"]))
    await client(api.delete_rule(rule["id"]))
    server.shutdown()
    return {
        "live": len(live), "best": len(best), "check": done["status"], "event": event["type"], "refused": refused,
    }  # fmt: skip


async def main(credentials: Path, kind: str) -> dict[str, Any]:
    """The scenario with one of the clients."""
    told = json.loads(credentials.read_bytes())
    base, key = told["base_url"], told["accounts"]["pro"]["key"]
    began = time.monotonic()
    if kind == "async":
        seen = await scenario(AsyncAfterdrop(base, key), 1)
    else:
        seen = await scenario(Plain(Afterdrop(base, key)), 0)
    print(f"{kind}: {time.monotonic() - began:.1f} s", file=sys.stderr)
    return seen


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))))
