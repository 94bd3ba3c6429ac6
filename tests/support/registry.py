"""A registry of the tests' own: RDAP over real HTTP on loopback, with every failure on demand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

RDAP = "application/rdap+json"


def domain_object(name: str, *statuses: str, **more: Any) -> dict[str, Any]:
    """A registered domain as com's registry writes it."""
    return {
        "objectClassName": "domain",
        "ldhName": name.upper(),
        "status": list(statuses) or ["active"],
        "entities": [
            {
                "objectClassName": "entity",
                "handle": "69",
                "roles": ["registrar"],
                "publicIds": [{"type": "IANA Registrar ID", "identifier": "69"}],
                "vcardArray": [
                    "vcard",
                    [["version", {}, "text", "4.0"], ["fn", {}, "text", "Some Registrar"]],
                ],
            }
        ],
        "events": [
            {"eventAction": "registration", "eventDate": "2010-01-02T03:04:05Z"},
            {"eventAction": "expiration", "eventDate": "2027-01-02T03:04:05Z"},
            {"eventAction": "last changed", "eventDate": "2026-11-18T09:00:00Z"},
        ],
        "secureDNS": {"delegationSigned": False},
        "nameservers": [{"objectClassName": "nameserver", "ldhName": f"NS1.{name.upper()}"}],
        **more,
    }


Handler = Callable[[web.Request], Any]


@dataclass
class Registry:
    """Answers by domain: an object (200), an int (that status, empty body), or a handler. Others are 404."""

    url: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    delay: float = 0.0
    bootstrap: Handler | None = None
    bootstrap_asked: int = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """One domain query."""
        name = request.match_info["name"]
        self.asked.append(name)
        self.headers.append(dict(request.headers))
        await asyncio.sleep(self.delay)
        given = self.answers.get(name, 404)
        if callable(given):
            made: web.StreamResponse = await given(request)
            return made
        if given == 404:
            return rdap({"errorCode": 404, "title": "Not Found"}, status=404)
        if isinstance(given, int):
            return web.Response(status=given, content_type=RDAP)
        return rdap(given)

    async def dns_json(self, request: web.Request) -> web.StreamResponse:
        """The bootstrap file."""
        self.bootstrap_asked += 1
        if self.bootstrap is None:
            return web.Response(status=404)
        made: web.StreamResponse = await self.bootstrap(request)
        return made


def rdap(doc: object, headers: dict[str, str] | None = None, *, status: int = 200) -> web.Response:
    """An RDAP response."""
    return web.Response(status=status, body=json.dumps(doc), content_type=RDAP, headers=headers)


@asynccontextmanager
async def running(registry: Registry) -> AsyncIterator[Registry]:
    """Serve `registry` on a free port of 127.0.0.1; its `url` is set."""
    app = web.Application()
    app.router.add_get("/rdap/domain/{name}", registry.answer)
    app.router.add_get("/dns.json", registry.dns_json)
    runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    registry.url = f"http://{host}:{port}"
    try:
        yield registry
    finally:
        await runner.cleanup()


def bootstrap_file(**bases: str) -> dict[str, Any]:
    """A bootstrap document: extension → base address."""
    services = [[[suffix], [base]] for suffix, base in bases.items()]
    return {"version": "1.0", "publication": "2026-11-01T00:00:00Z", "services": services}


def names_itself(registry: Registry, *extensions: str) -> None:
    """Let the bootstrap file of a running `registry` name the registry itself for these extensions."""

    async def bootstrap(_request: web.Request) -> web.Response:
        file = bootstrap_file(**dict.fromkeys(extensions, f"{registry.url}/rdap/"))
        return rdap(file, {"Cache-Control": "max-age=3600"})

    registry.bootstrap = bootstrap
