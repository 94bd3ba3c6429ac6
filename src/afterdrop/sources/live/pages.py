"""Reads pages of strangers' hosts as they stand today: robots.txt first, one request a host every few seconds.

Only public addresses are reached, every redirect is a request of its own, and bodies and times are bounded. All workers
together keep to a host's pace (`http.pace`), which also counts a host's requests of the day.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Final, NoReturn
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from cachetools import TTLCache

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Settings
from afterdrop.core.web_addresses import web_address
from afterdrop.db.engine import Database
from afterdrop.http import pace
from afterdrop.http.answers import open_session
from afterdrop.http.client import as_upstream_errors, asks_to_wait, host_of, read_capped, retry_after_seconds
from afterdrop.http.exact_url import exact_url
from afterdrop.http.public_addresses import is_public
from afterdrop.http.ssrf_guard import ThreadedPublicResolver, guarded_connector
from afterdrop.sources.dns.client import DnsClient, open_dns
from afterdrop.sources.live.robots import MOST_BYTES, UNREACHED, Robots, read_robots

# How many requests a host gets from us in a day.
HOST_REQUESTS: Final = 20
# A host that asks for longer pauses is left alone; so is one that sends us on more often.
_LONGEST_PAUSE: Final = 30.0
_REDIRECTS: Final = 5
_REDIRECT_STATUSES: Final = frozenset({301, 302, 303, 307, 308})
_PAGE_BYTES: Final = 2_000_000
_SECONDS: Final = 15.0
_ROBOTS_KEPT, _ROBOTS_SECONDS = 2_000, 86_400
_ACCEPT: Final = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"}


@dataclass(frozen=True, slots=True)
class LivePage:
    """A page as its host answered just now. `url` is where it stands after `hops` redirects."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    url: str
    hops: int


@dataclass
class LivePages:
    """The pages of strangers' hosts. Open it with `open_live_pages`."""

    settings: Settings
    database: Database
    session: aiohttp.ClientSession
    resolver: AbstractResolver
    epoch: Callable[[], float]
    host_seconds: float
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _robots: TTLCache[str, Robots] = field(default_factory=lambda: TTLCache(_ROBOTS_KEPT, _ROBOTS_SECONDS))
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def read(self, url: str) -> LivePage:
        """The page at `url`, an http or https address, whatever its status.

        Raises UpstreamError: the kinds of `http.client`, `forbidden` (by robots.txt, or it could not be read), `spared`
        (the host had its requests of today, or asks for too long a pause) and `no_host` (no such name).
        """
        for hop in range(_REDIRECTS + 1):
            parts = web_address(url)
            if parts is None:
                raise UpstreamError(url[:200], "refused_address", "is no usable address")
            robots = await self._rules(url)
            if not robots.allows(url):
                why = "its robots.txt could not be read" if robots.unreached else "robots.txt forbids it"
                raise UpstreamError(url, "forbidden", why)
            page = await self._ask(url, robots.delay, _PAGE_BYTES)
            location = page.headers.get("Location")
            if page.status not in _REDIRECT_STATUSES or not location:
                return LivePage(page.status, page.headers, page.body, url, hop)
            url = _target(url, location)
        raise UpstreamError(url, "redirect", f"redirects more than {_REDIRECTS} times")

    async def exists(self, name: str) -> bool:
        """Whether a domain name has an address; a resolver in trouble counts as yes."""
        try:
            return bool(await self.resolver.resolve(name, 80, socket.AF_UNSPEC))
        except OSError as error:
            return not _is_unknown(error)

    async def wait_for_network(self, name: str, most: int) -> None:
        """Take the next slot of the network that a name's server is in, so that a hoster of many names is spared, too.

        A network is an IPv4 /24 or an IPv6 /48. Raises UpstreamError (`spared`) where it had `most` slots today.
        """
        try:
            [first, *_] = await self.resolver.resolve(name, 80, socket.AF_UNSPEC)
        except (OSError, ValueError):
            return  # whoever reads the page is told
        address = ip_address(first["host"])
        network = ip_network(f"{address}/{24 if address.version == 4 else 48}", strict=False)
        await self._wait(str(network), f"http://{name}/", self.host_seconds, most)

    async def _rules(self, url: str) -> Robots:
        """The rules of the host of `url`, read once a day."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{host_of(url)}"
        lock = self._locks.setdefault(origin, asyncio.Lock())
        try:
            async with lock:
                known = self._robots.get(origin)
                if known is None:
                    known = self._robots[origin] = await self._read_rules(f"{origin}/robots.txt")
                return known
        finally:
            if not lock.locked():
                self._locks.pop(origin, None)

    async def _read_rules(self, url: str) -> Robots:
        for _ in range(_REDIRECTS + 1):
            try:
                answer = await self._ask(url, 0.0, MOST_BYTES)
            except UpstreamError as error:
                if error.kind in ("no_host", "refused_address", "connect", "spared"):
                    raise
                return UNREACHED
            location = answer.headers.get("Location")
            if answer.status not in _REDIRECT_STATUSES or not location:
                return await asyncio.to_thread(read_robots, answer.status, answer.body)
            url = _target(url, location)
        return read_robots(404, b"")  # RFC 9309, 2.3.1.2: too many redirects count as no file

    async def _ask(self, url: str, delay: float, most: int) -> LivePage:
        """One request, at its host's pace."""
        host = host_of(url)
        if delay > _LONGEST_PAUSE:
            raise UpstreamError(url, "spared", f"asks for pauses of {delay:.0f} s")
        await self._wait(host, url, max(delay, self.host_seconds), HOST_REQUESTS)
        timeout = aiohttp.ClientTimeout(total=_SECONDS, connect=_SECONDS / 2, sock_read=_SECONDS)
        headers = {"User-Agent": self.settings.user_agent, **_ACCEPT}
        async with as_upstream_errors(url):
            try:
                request = self.session.get(
                    exact_url(url), allow_redirects=False, timeout=timeout, headers=headers
                )
                async with request as response:
                    if asks_to_wait(response.status, response.headers):
                        await self._leave_alone(host, url, response)
                    body = await read_capped(response, most, url, damaged=True, cut=True)
                    return LivePage(response.status, response.headers.copy(), body, url, 0)
            except aiohttp.ClientConnectorDNSError as error:
                if _is_unknown(error.os_error):
                    raise UpstreamError(url, "no_host", f"{host} is no host") from None
                raise

    async def _leave_alone(self, host: str, url: str, response: aiohttp.ClientResponse) -> NoReturn:
        """Block a host that asked to wait, for everybody."""
        now = self.epoch()
        wait = retry_after_seconds(response.headers.get("Retry-After"), now)
        async with self.database.write() as conn:
            await pace.block(conn, host, now + wait + 1, f"{response.status} from {host}")
        raise UpstreamError(url, "rate_limited", f"asks to wait {wait:.0f} s", http_status=response.status)

    async def _wait(self, host: str, url: str, seconds: float, most: int) -> None:
        """Take the host's next slot, of `most` a day, and wait for it."""
        while True:
            now = self.epoch()
            async with self.database.write() as conn:
                blocked = await pace.blocked_until(conn, host, now)
                if blocked > now + _LONGEST_PAUSE:
                    raise UpstreamError(url, "rate_limited", f"{host} asked to be left alone")
                at = await pace.lease_slot(conn, host, seconds, now, _LONGEST_PAUSE)
                # The row is locked now: no two workers take the last request of the day.
                if (await pace.taken_today(conn, [host], now))[host] > most:
                    raise UpstreamError(url, "spared", f"{host} had its {most} requests of today")
            if at >= 0:
                await self.sleep(max(0.0, at - now))
                return
            await self.sleep(max(0.02, -at - now - _LONGEST_PAUSE))


def _target(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise UpstreamError(url, "redirect", "redirects to what is no URL") from None


def _is_unknown(error: OSError) -> bool:
    """Whether a name has no address at all, rather than that nobody could tell."""
    unknown = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
    return isinstance(error, socket.gaierror) and error.errno in unknown


class RelayResolver(AbstractResolver):
    """For the sandbox and for tests: names exist as the configured resolvers say, and each one is at `address`."""

    def __init__(self, dns: DnsClient, address: tuple[str, int]) -> None:
        self._dns = dns
        self._address = address

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The relay's address; `gaierror` for a name that does not exist, or that nobody can tell of."""
        reply = await self._dns.reply(host, "A")
        if reply.outcome != "ok":
            unknown = reply.outcome == "nxdomain"
            raise socket.gaierror(socket.EAI_NONAME if unknown else socket.EAI_AGAIN, reply.outcome)
        address, port = self._address
        numeric = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=numeric
            )
        ]

    async def close(self) -> None:
        """Nothing to close."""


@asynccontextmanager
async def open_live_pages(
    settings: Settings, database: Database, epoch: Callable[[], float]
) -> AsyncIterator[LivePages]:
    """The pages of strangers' hosts, for this process, closed at the end."""
    relay, host_seconds = settings.live.relay, settings.live.host_seconds
    resolver: AbstractResolver = ThreadedPublicResolver(is_public)
    allowed: set[tuple[str, int]] = set()
    if relay:
        host, _, port = relay.rpartition(":")
        allowed = {(host, int(port))}
        resolver = RelayResolver(open_dns(settings), (host, int(port)))
    connector = guarded_connector(allowed, resolver=resolver)
    async with open_session(connector, aiohttp.ClientTimeout(total=_SECONDS)) as session:
        yield LivePages(settings, database, session, resolver, epoch, host_seconds)
