"""A local server that answers in the shape of each metric vendor, with faults on demand. Real HTTP on loopback."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from afterdrop.core.settings import Provider, Settings
from afterdrop.sources.metrics.model import Metrics
from afterdrop.sources.metrics.provider_files import load_providers
from afterdrop.sources.metrics.provider_spec import ProviderSpec

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
KEYS = {
    "AHREFS_API_KEY": "ahrefs-key",
    "MAJESTIC_API_KEY": "majestic-key",
    "MOZ_ACCESS_ID": "moz-id",
    "MOZ_SECRET_KEY": "moz-secret",
    "SEMRUSH_API_KEY": "semrush-key",
    "OPEN_PAGERANK_API_KEY": "opr_live_key",
}

PATHS = {
    "ahrefs_free": "ahrefs",
    "majestic": "majestic",
    "majestic_anchors": "majestic",
    "moz_links": "moz",
    "semrush": "semrush",
    "open_pagerank": "pagerank",
}


@dataclass
class Truth:
    """What the vendors know of one name."""

    dr: float = 20.0
    tf: int = 12
    cf: int = 20
    rd: int = 40
    da: int = 18
    score: int = 9
    pagerank: float = 3.1


@dataclass
class Vendors:
    """The vendors' server. `faults[vendor]` is a queue of answers given before the true ones."""

    url: str = ""
    truth: dict[str, Truth] = field(default_factory=dict)
    faults: dict[str, list[Handler]] = field(default_factory=dict)
    asked: list[tuple[str, list[str]]] = field(default_factory=list)

    def names_asked(self, vendor: str) -> list[str]:
        """Every name asked of `vendor`, in order."""
        return [name for who, names in self.asked if who == vendor for name in names]

    async def ahrefs(self, request: web.Request) -> web.Response:
        """POST {targets} -> {domain_rating: {targets: [...]}}, in another order than asked."""
        if request.headers.get("Authorization") != "Bearer ahrefs-key":
            return web.json_response({"error": "Invalid token"}, status=401)
        names = (await request.json())["targets"]
        self.asked.append(("ahrefs", names))
        rows = [
            {"target": name, "domain_rating": self.truth[name].dr} for name in names if name in self.truth
        ]
        return web.json_response({"domain_rating": {"targets": rows[::-1], "license": "x", "warning": None}})

    async def majestic(self, request: web.Request) -> web.Response:
        """GET with items=n&item0=…: errors come as a Code inside a good answer."""
        if request.query.get("app_api_key") != "majestic-key":
            return web.json_response({"Code": "InvalidAPIKey", "ErrorMessage": "bad majestic-key given"})
        if request.query["cmd"] == "GetAnchorText":
            self.asked.append(("anchors", [request.query["item"]]))
            data: list[dict[str, Any]] = [{"AnchorText": "home", "RefDomains": 9, "TotalLinks": 12}]
            return web.json_response({"Code": "OK", "DataTables": {"AnchorText": {"Data": data}}})
        names = [request.query[f"item{n}"] for n in range(int(request.query["items"]))]
        self.asked.append(("majestic", names))
        data = [self._majestic_row(name) for name in names]
        return web.json_response(
            {"Code": "OK", "ErrorMessage": "", "DataTables": {"Results": {"Data": data}}}
        )

    def _majestic_row(self, name: str) -> dict[str, Any]:
        known = self.truth.get(name)
        if known is None:
            return {"Item": name, "Status": "NotFound", "TrustFlow": 0, "CitationFlow": 0, "RefDomains": 0}
        return {
            "Item": name,
            "Status": "Found",
            "TrustFlow": known.tf,
            "CitationFlow": known.cf,
            "RefDomains": known.rd,
            "ExtBackLinks": known.rd * 3,
            "TopicalTrustFlow_Topic_0": "Arts/Music",
            "TopicalTrustFlow_Value_0": known.tf,
        }

    async def moz(self, request: web.Request) -> web.Response:
        """POST {targets} -> {results: […]} in the order asked, with basic authentication."""
        expected = "Basic " + base64.b64encode(b"moz-id:moz-secret").decode()
        if request.headers.get("Authorization") != expected:
            return web.json_response({"error": "Unauthorized", "message": "no"}, status=401)
        names = (await request.json())["targets"]
        self.asked.append(("moz", names))
        rows = [
            {"page": f"{name}/", "domain_authority": self.truth[name].da, "spam_score": -1} for name in names
        ]
        return web.json_response({"results": rows})

    async def semrush(self, request: web.Request) -> web.Response:
        """GET one target -> semicolon-separated text."""
        name = request.query["target"]
        self.asked.append(("semrush", [name]))
        if request.query.get("key") != "semrush-key":
            return web.Response(text="ERROR 120 :: WRONG KEY - ID PAIR")
        if name not in self.truth:
            return web.Response(text="ERROR 50 :: NOTHING FOUND")
        return web.Response(text=f"ascore;total\r\n{self.truth[name].score};22063\r\n")

    async def pagerank(self, request: web.Request) -> web.Response:
        """POST {domains} -> {results: [{domain, found, open_page_rank}]}."""
        names = (await request.json())["domains"]
        self.asked.append(("pagerank", names))
        rows = [
            {"domain": name, "found": True, "open_page_rank": self.truth[name].pagerank}
            if name in self.truth
            else {"domain": name, "found": False, "open_page_rank": None}
            for name in names
        ]
        return web.json_response({"as_of": "2026-10", "count": len(rows), "results": rows, "invalid": []})

    def _routed(self, vendor: str, handler: Handler) -> Handler:
        async def answer(request: web.Request) -> web.StreamResponse:
            queue = self.faults.get(vendor)
            return await queue.pop(0)(request) if queue else await handler(request)

        return answer

    def app(self) -> web.Application:
        """The server's routes, one a vendor."""
        app = web.Application()
        for vendor, handler in (
            ("ahrefs", self.ahrefs),
            ("majestic", self.majestic),
            ("moz", self.moz),
            ("semrush", self.semrush),
            ("pagerank", self.pagerank),
        ):
            app.router.add_route("*", f"/{vendor}", self._routed(vendor, handler))
        return app


@asynccontextmanager
async def running(vendors: Vendors) -> AsyncIterator[Vendors]:
    """The vendors on a free loopback port."""
    runner = web.AppRunner(vendors.app(), handle_signals=False, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    vendors.url = f"http://127.0.0.1:{port}"
    yield vendors
    await runner.cleanup()


def status(code: int, text: str = "", **headers: str) -> Handler:
    """An answer with this status."""

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(status=code, text=text, headers=headers)

    return answer


def body(text: str) -> Handler:
    """A good answer with this body."""
    return status(200, text)


async def cut(request: web.Request) -> web.StreamResponse:
    """Promises more bytes than it sends, then hangs up."""
    response = web.StreamResponse(headers={"Content-Length": "1000", "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"Code": "OK", "DataTables": {')
    assert request.transport is not None
    request.transport.close()
    return response


def always(domain: str, metrics: Metrics) -> bool:
    """Every name is worth paying for."""
    return True


def specs_of(
    settings: Settings, vendors: Vendors, *presets: str, keys: dict[str, str] = KEYS, **budget: int | str
) -> list[ProviderSpec]:
    """The named presets as configured against the local vendors."""
    entries = tuple(
        Provider.model_validate({"preset": preset, "url": f"{vendors.url}/{PATHS[preset]}", **budget})
        for preset in presets
    )
    return load_providers(settings.model_copy(update={"audience": "team", "providers": entries}), keys)
