"""A mock registry for the look-up benches: one process, any number of origins, a fixed latency."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

from aiohttp import web

LATENCY = 0.05
RDAP = "application/rdap+json"


def document(name: str, origin: str) -> dict[str, Any]:
    """An answer of the shape and size that com's registry gives (about 4.5 kB)."""
    words = ["delete", "transfer", "update"]
    terms = {
        "value": f"{origin}/terms",
        "rel": "terms-of-service",
        "href": f"{origin}/terms",
        "type": "text/html",
    }
    abuse = {
        "objectClassName": "entity",
        "roles": ["abuse"],
        "vcardArray": [
            "vcard",
            [
                ["version", {}, "text", "4.0"],
                ["fn", {}, "text", ""],
                ["tel", {"type": "voice"}, "uri", "tel:+1.5555550100"],
                ["email", {}, "text", "abuse@registrar.example"],
            ],
        ],
    }
    return {
        "objectClassName": "domain",
        "handle": "2138514_DOMAIN_COM-VRSN",
        "ldhName": name.upper(),
        "links": [
            {
                "value": f"{origin}/domain/{name}",
                "rel": "self",
                "href": f"{origin}/domain/{name}",
                "type": RDAP,
            }
        ],
        "status": [f"{who} {word} prohibited" for who in ("client", "server") for word in words],
        "entities": [
            {
                "objectClassName": "entity",
                "handle": "292",
                "roles": ["registrar"],
                "links": [terms],
                "publicIds": [{"type": "IANA Registrar ID", "identifier": "292"}],
                "vcardArray": [
                    "vcard",
                    [["version", {}, "text", "4.0"], ["fn", {}, "text", "Example Registrar"]],
                ],
                "entities": [abuse],
            }
        ],
        "events": [
            {"eventAction": "registration", "eventDate": "1997-09-15T04:00:00Z"},
            {"eventAction": "expiration", "eventDate": "2028-09-14T04:00:00Z"},
            {"eventAction": "last changed", "eventDate": "2019-09-09T15:39:04Z"},
            {"eventAction": "last update of RDAP database", "eventDate": "2026-07-26T16:17:27Z"},
        ],
        "secureDNS": {"delegationSigned": False},
        "nameservers": [
            {"objectClassName": "nameserver", "ldhName": f"NS{n}.{name.upper()}"} for n in range(1, 5)
        ],
        "rdapConformance": ["rdap_level_0", "icann_rdap_technical_implementation_guide_1"],
        "notices": [
            {
                "title": f"Notice {number}",
                "description": ["Service subject to terms of use. " * 6],
                "links": [terms],
            }
            for number in range(3)
        ],
    }


def serve(hosts: int, latency: float, pipe: Connection) -> None:
    """The mock registry's process: `hosts` origins on their own ports, which it sends through `pipe`."""

    async def answer(request: web.Request) -> web.Response:
        await asyncio.sleep(latency)
        name = request.match_info["name"].lower()
        if name.startswith("free"):
            body = json.dumps({"errorCode": 404, "title": "Not Found"})
            return web.Response(status=404, text=body, content_type=RDAP)
        return web.Response(text=json.dumps(document(name, "https://rdap.example/com/v1")), content_type=RDAP)

    async def work() -> None:
        app = web.Application()
        app.router.add_get("/domain/{name}", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        for _ in range(hosts):
            await web.TCPSite(runner, "127.0.0.1", 0, backlog=512).start()
        pipe.send([f"http://127.0.0.1:{address[1]}/" for address in runner.addresses])
        await asyncio.Event().wait()

    asyncio.run(work())


def start_registry(hosts: int = 1, latency: float = LATENCY) -> tuple[multiprocessing.Process, list[str]]:
    """Start the mock registry; gives its process and base addresses."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serve, args=(hosts, latency, theirs), daemon=True)
    process.start()
    return process, ours.recv()


def bootstrap_document(bases: dict[str, str]) -> dict[str, Any]:
    """An IANA bootstrap document: extension → base address."""
    return {
        "description": "bench",
        "publication": "2026-01-01T00:00:00Z",
        "version": "1.0",
        "services": [[[zone], [base]] for zone, base in bases.items()],
    }
