"""Starts and stops the sandbox's servers on loopback, and writes the settings with which the service uses them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from urllib.parse import urlsplit

import orjson
from aiohttp import web

from afterdrop.core import clock
from afterdrop.sandbox import (
    archive_server,
    control_server,
    crawl_server,
    dns_server,
    expected,
    feed_server,
    graph_server,
    link_server,
    registry_server,
    smtp_server,
    vendor_server,
    whois_server,
)
from afterdrop.sandbox.feed_server import BOOTSTRAP_PATH, FEEDS, RATES_PATH
from afterdrop.sandbox.registry_server import (
    CANARIES,
    LIAR_EXTENSION,
    LIAR_PATH,
    LIAR_REGISTRY,
    REGISTRIES,
)
from afterdrop.sandbox.state import SandboxClock, SandboxState, request_middleware
from afterdrop.sandbox.vendor_server import KEYS
from afterdrop.sandbox.world import World

_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class RunningSandbox:
    """A sandbox whose servers answer. `origins` maps main, archive, crawl and registries' keys to `http://127.0.0.1:PORT`."""

    state: SandboxState

    @property
    def origins(self) -> dict[str, str]:
        """The HTTP servers' addresses by key."""
        return self.state.origins

    @property
    def url(self) -> str:
        """The main server's address: feeds, vendors, bootstrap, rates, web graph, control endpoints."""
        return self.state.origins["main"]

    @property
    def environment(self) -> dict[str, str]:
        """The vendors' keys, by the environment variables that the provider presets read."""
        return dict(vendor_server.KEYS)

    @property
    def world(self) -> World:
        """The world that is served."""
        return self.state.world

    @property
    def clock(self) -> SandboxClock:
        """The clock it answers by; tests set it."""
        return self.state.clock


@asynccontextmanager
async def start(
    seed: int = 1,
    size: int = 250,
    port: int = 0,
    *,
    day: date | None = None,
    data_dir: Path | None = None,
    now: Callable[[], datetime] = clock.now,
) -> AsyncIterator[RunningSandbox]:
    """Serve a world of `size` domains made from `seed` until the context ends.

    `port` 0 takes free ports; otherwise the main server takes `port` and the others the ports after it. `day` is the
    world's day. By default it is today, or the day in `data_dir`'s `truth.json` if that is of the same world.
    """
    world = World(seed, size, day or _kept_day(data_dir, seed, size) or now().date())
    state = SandboxState(world, SandboxClock(now), clock.epoch)
    async with AsyncExitStack() as stack:
        for number, (server, routes) in enumerate(_servers(state)):
            await _serve(stack, state, server, list(routes), port + number if port else 0)
        await _serve_others(stack, state, port + len(state.origins) if port else 0)
        stack.callback(state.closing.set)
        running = RunningSandbox(state)
        if data_dir is not None:
            _write_truth(data_dir, running)
        yield running


def _write_truth(data_dir: Path, running: RunningSandbox) -> None:
    data_dir.mkdir(parents=True, exist_ok=True)
    content = orjson.dumps(expected.expected_document(running.world, running.url), option=orjson.OPT_INDENT_2)
    (data_dir / "truth.json").write_bytes(content)


def _servers(state: SandboxState) -> Iterable[tuple[str, Iterable[web.RouteDef]]]:
    main = (feed_server, vendor_server, graph_server, control_server)
    yield "main", [route for server in main for route in server.routes(state)]
    yield "archive", archive_server.routes(state)
    for registry in REGISTRIES:
        yield registry.key, registry_server.routes(state, registry)
    yield "crawl", crawl_server.routes(state)
    yield "links", link_server.routes(state)


async def _serve(
    stack: AsyncExitStack, state: SandboxState, server: str, routes: list[web.RouteDef], port: int
) -> None:
    app = web.Application(middlewares=[request_middleware(state, server)], client_max_size=16 * 1024**2)
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2, handle_signals=False)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    site = web.TCPSite(runner, _HOST, port)
    await site.start()
    bound = runner.addresses[0][1]
    state.origins[server] = f"http://{_HOST}:{bound}"


async def _serve_others(stack: AsyncExitStack, state: SandboxState, port: int) -> None:
    datagram, stream = await dns_server.serve(state, _HOST, port)
    stack.callback(datagram.close)
    stack.callback(stream.close)
    mail = await smtp_server.serve(state, _HOST, port + 1 if port else 0)
    stack.callback(mail.close)
    state.smtp = (_HOST, mail.sockets[0].getsockname()[1])
    whois = await whois_server.serve(state, _HOST, port + 2 if port else 0)
    stack.callback(whois.close)
    state.whois = (_HOST, whois.sockets[0].getsockname()[1])


def _kept_day(data_dir: Path | None, seed: int, size: int) -> date | None:
    """The day of the same world if it was started with this folder before: it continues instead of beginning anew."""
    if data_dir is None or not (data_dir / "truth.json").exists():
        return None
    kept = orjson.loads((data_dir / "truth.json").read_bytes())
    return date.fromisoformat(kept["day"]) if (kept["seed"], kept["size"]) == (seed, size) else None


# Invented data may be shown to everybody; most real feeds and vendors allow the operator's own use only.
PERMISSION = "the sandbox made it up"
# The presets of metric providers that the sandbox serves, with their paths.
PROVIDERS = {
    "ahrefs_free": "/api.ahrefs.com/v3/public/domain-rating-free",
    "open_pagerank": "/openpagerank.keywordseverywhere.com/v1/domains/bulk",
    "majestic": "/api.majestic.com/api/json",
    "moz_links": "/lsapi.seomoz.com/v2/url_metrics",
    "semrush": "/api.semrush.com/analytics/v1/",
    "majestic_anchors": "/api.majestic.com/api/json",
    "majestic_links": "/api.majestic.com/api/json",
    "majestic_ref_domains": "/api.majestic.com/api/json",
}


def settings_toml(running: RunningSandbox) -> str:
    """The content of a settings file (see afterdrop.core.settings) for `running`."""
    return "\n".join(_lines(running)) + "\n"


def _lines(running: RunningSandbox) -> Iterator[str]:
    yield "# Settings for a sandbox on this machine. For real use keep the tables and change the addresses:"
    yield "# keys of the vendors go into the environment (" + ", ".join(KEYS) + ");"
    yield "# leave out every url and trusted_origins, name your feeds and providers, set site_url and contact."
    whois = "http://{}:{}".format(*running.state.whois)
    origins = ", ".join(f'"{origin}"' for origin in (*running.origins.values(), whois))
    yield f"trusted_origins = [{origins}]"
    yield 'audience = "public"'
    yield 'contact = "operator@sandbox-operator.org"'
    yield from _service(running)
    yield from _pace(running)
    for preset, path in PROVIDERS.items():
        yield ""
        yield "[[providers]]"
        yield f'preset = "{preset}"'
        yield f'url = "{running.url}{path}"'
        yield "per_day = 1000000"
        yield "per_month = 1000000"
        yield f'permission = "{PERMISSION}"'
    for preset, feed in FEEDS.items():
        yield ""
        yield "[[feeds]]"
        yield f'preset = "{preset}"'
        yield f'source = "{feed.source}"'
        yield f'permission = "{PERMISSION}"'
        yield f'url = "{running.url}{feed.path}"'


def _service(running: RunningSandbox) -> Iterator[str]:
    yield from (
        "",
        "[registry]",
        f'bootstrap_url = "{running.url}{BOOTSTRAP_PATH}"',
        "announce_gap_seconds = 2   # 300 in real use",
        "shipped_rdap_servers = false   # nothing outside of the sandbox is asked",
        "whois = true   # false in real use, unless you choose it",
        'whois_relay = "{}:{}"'.format(*running.state.whois),
        "[registry.rdap_servers]",
        f'"{LIAR_EXTENSION}" = "{running.origins[LIAR_REGISTRY]}{LIAR_PATH}"',
        "[registry.canaries]",
    )
    yield from (f'"{tld}" = "{name}"' for tld, name in (CANARIES | whois_server.ANSWERED).items())
    yield from _others(running)


def _others(running: RunningSandbox) -> Iterator[str]:
    archive, crawl = running.origins["archive"], running.origins["crawl"]
    dns, smtp = running.state.dns, running.state.smtp
    yield from (
        "",
        "[dns]",
        f'resolvers = ["{dns[0]}:{dns[1]}"]',
        "timeout_seconds = 2",
        "",
        "[mail]",
        f'host = "{smtp[0]}"',
        f"port = {smtp[1]}",
        'security = "none"',
        "",
        "[archive]",
        f'cdx_url = "{archive}/cdx/search/cdx"',
        f'replay_url = "{archive}/web"',
        f'public_url = "{archive}/web"',
        f'crawl_url = "{crawl}"',
        f'crawls_url = "{crawl}{crawl_server.LIST_PATH}"',
        "",
        "[rates]",
        f'url = "{running.url}{RATES_PATH}"',
        "",
        "[ranks]",
        f'url = "{running.url}{graph_server.PROJECT_PATH}"',
        f'releases_url = "{running.url}{graph_server.RELEASES_PATH}"',
        "",
        "[live]",
        "visits = true",
        f'relay = "{urlsplit(running.origins["links"]).netloc}"',
        "host_seconds = 0.02   # 5 in real use",
    )


def _pace(running: RunningSandbox) -> Iterator[str]:
    yield ""
    yield "# A sandbox need not be spared; the defaults (1 a second, 0.33 to the archive's index) fit real hosts."
    yield "[pace.hosts]"
    for host in whois_server.HOSTS:
        yield f'"{host}:43" = {{ per_second = 50, at_once = 1 }}'
    for key, origin in running.origins.items():
        host = urlsplit(origin).netloc
        yield f'"{host}" = {{ per_second = 2000, at_once = {1 if key == "crawl" else 16} }}'
        if key == "archive":
            yield f'"{host}/cdx" = {{ per_second = 2000, at_once = 16 }}'
