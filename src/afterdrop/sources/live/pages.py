"""Reads pages of strangers' hosts as they stand today: robots.txt first, one request a host every few seconds.

Only public addresses and the web's two ports are reached, every redirect is a request of its own, and bodies and times
are bounded. All workers together keep to the pace of a host and of its server's network, of which `http.pace` also
counts the requests of the day: under keys of their own, so that a stranger's answer changes nothing for the hosts that
we ask for ourselves.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from ipaddress import ip_address, ip_network
from typing import Any, Final, NoReturn, cast
from urllib.parse import urljoin

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from cachetools import TTLCache

from afterdrop.core.errors import AfterdropError, UpstreamError
from afterdrop.core.settings import Settings
from afterdrop.core.web_addresses import web_address
from afterdrop.db.engine import Database
from afterdrop.http import pace
from afterdrop.http.answers import open_session
from afterdrop.http.client import as_upstream_errors, asks_to_wait, read_cut, retry_after_seconds
from afterdrop.http.exact_url import exact_url
from afterdrop.http.public_addresses import is_public
from afterdrop.http.ssrf_guard import RefusedAddress, ThreadedPublicResolver, guarded_connector
from afterdrop.sources.dns.client import DnsClient, open_dns
from afterdrop.sources.live.robots import MOST_BYTES, UNREACHED, Robots, allows, read_robots

# How many requests a host gets from us in a day, and a network (an IPv4 /24 or an IPv6 /48), in which a hoster or a
# parking company has many names. So many times as often as a host is a network asked.
HOST_REQUESTS: Final = 20
NETWORK_REQUESTS: Final = 600
_NETWORK_PACE: Final = 5
# Before the keys of strangers among those of `http.pace`.
_STRANGER: Final = "live:"
# A host that asks for longer pauses is left alone; so is one that sends us on more often.
_LONGEST_PAUSE: Final = 30.0
_REDIRECTS: Final = 5
_REDIRECT_STATUSES: Final = frozenset({301, 302, 303, 307, 308})
# Where the host of a robots.txt said nothing at all: then there is no page either.
_NO_ANSWER: Final = frozenset(
    {"no_host", "refused_address", "connect", "certificate", "handshake", "spared", "rate_limited"}
)
_PAGE_BYTES: Final = 2_000_000
_SECONDS: Final = 15.0
_ROBOTS_BYTES, _ROBOTS_SECONDS = 16_000_000, 86_400
# What a kept file takes beside its text.
_ROBOTS_EXTRA: Final = 500
_ACCEPT: Final = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"}


@dataclass(frozen=True, slots=True)
class LivePage:
    """A page as its host answered just now. `url` is where it stands after `hops` redirects.

    `truncated` says in a word of WARC why the body is not all of it.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    url: str
    hops: int
    truncated: str | None = None


class NotRead(UpstreamError):
    """Why there is no page, as the last request failed; `url` is where redirects had led by then."""

    def __init__(self, url: str, fault: UpstreamError) -> None:
        status, wait = fault.http_status, fault.retry_after
        super().__init__(fault.subject, fault.kind, fault.message, http_status=status, retry_after=wait)
        self.url = url


# Where the connection of the request under way leads: the address that was counted is the one that is reached.
_leads_to: ContextVar[Sequence[ResolveResult]] = ContextVar("_leads_to", default=())


class _CountedAddress(AbstractResolver):
    """Gives the connector the addresses of `_leads_to`."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses, at this port where they have none of their own."""
        return [{**each, "port": each["port"] or port} for each in _leads_to.get()]

    async def close(self) -> None:
        """Nothing to close."""


def _weight(robots: Robots) -> int:
    return len(robots.rules) + _ROBOTS_EXTRA


def _kept_robots() -> TTLCache[str, Robots]:
    return TTLCache(_ROBOTS_BYTES, _ROBOTS_SECONDS, getsizeof=_weight)


@dataclass
class LivePages:
    """The pages of strangers' hosts. Open it with `open_live_pages`. `run` calls a function in a page process."""

    settings: Settings
    database: Database
    session: aiohttp.ClientSession
    resolver: AbstractResolver
    epoch: Callable[[], float]
    host_seconds: float
    run: Callable[..., Awaitable[Any]]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _robots: TTLCache[str, Robots] = field(default_factory=_kept_robots)
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def read(self, url: str) -> LivePage:
        """The page at `url`, an http or https address, whatever its status.

        Raises NotRead: the kinds of `http.client`, `certificate` and `handshake` (a server with which TLS fails),
        `forbidden` (by robots.txt, or it could not be read), `spared` (the host or its network had its requests of
        today, or asks for too long a pause), `no_host` (no such name, or none that is public) and `died` (the reading
        of robots.txt).
        """
        try:
            for hop in range(_REDIRECTS + 1):
                page = await self._page(url, hop)
                location = page.headers.get("Location")
                if page.status not in _REDIRECT_STATUSES or not location:
                    return replace(page, hops=hop)
                url = _target(url, location)
            raise UpstreamError(url, "redirect", f"redirects more than {_REDIRECTS} times")
        except UpstreamError as error:
            raise NotRead(url, error) from None

    async def _page(self, url: str, hop: int) -> LivePage:
        """The answer at `url`, which may be a redirect."""
        host = _host(url)
        if hop and await self._is_asked_by_us(host):
            raise UpstreamError(url[:200], "redirect", f"redirects to {host}, which is asked otherwise")
        robots = await self._rules(url)
        if not await self._may_read(robots, url):
            why = "its robots.txt could not be read" if robots.unreached else "robots.txt forbids it"
            raise UpstreamError(url, "forbidden", why)
        return await self._ask(url, robots.delay, _PAGE_BYTES)

    async def exists(self, name: str) -> bool:
        """Whether a domain name has a public address; a resolver in trouble counts as yes."""
        try:
            return bool(await self.resolver.resolve(name, 80, socket.AF_UNSPEC))
        except OSError as error:
            return not _is_nowhere(error)

    async def _is_asked_by_us(self, host: str) -> bool:
        """Whether this is a host that we ask for ourselves: an archive's, a registry's, a feed's or a vendor's."""
        async with self.database.read() as conn:
            return await pace.is_kept(conn, host)

    async def _rules(self, url: str) -> Robots:
        """The rules of the host of `url`, read once a day."""
        origin = f"{url.partition(':')[0].lower()}://{_host(url)}"
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
        for hop in range(_REDIRECTS + 1):
            if hop and await self._is_asked_by_us(_host(url)):
                return UNREACHED
            try:
                answer = await self._ask(url, 0.0, MOST_BYTES)
            except UpstreamError as error:
                if error.kind in _NO_ANSWER:
                    raise
                return UNREACHED
            location = answer.headers.get("Location")
            if answer.status not in _REDIRECT_STATUSES or not location:
                return cast(Robots, await self._in_bounds(UNREACHED, read_robots, answer.status, answer.body))
            url = _target(url, location)
        return Robots(b"")  # RFC 9309, 2.3.1.2: too many redirects count as no file

    async def _may_read(self, robots: Robots, url: str) -> bool:
        return not robots.rules or bool(await self._in_bounds(False, allows, robots, url))

    async def _in_bounds(self, otherwise: Any, task: Callable[..., Any], *given: Any) -> Any:
        """The result of `task` in a page process; `otherwise` where a stranger's file took it beyond the bounds of one.

        Raises UpstreamError where the process died: nothing is known of the file.
        """
        try:
            return await self.run(task, *given)
        except UpstreamError:
            raise
        except AfterdropError:
            return otherwise

    async def _ask(self, url: str, delay: float, most: int) -> LivePage:
        """One request, at the pace of its host and of the network that it leads to."""
        host = _host(url)
        if delay > _LONGEST_PAUSE:
            raise UpstreamError(url, "spared", f"asks for pauses of {delay:.0f} s")
        addresses = await self._addresses(host, url)
        network = _network(addresses[0])
        await self._wait(host, url, max(delay, self.host_seconds), HOST_REQUESTS)
        await self._wait(network, url, self.host_seconds / _NETWORK_PACE, NETWORK_REQUESTS)
        _leads_to.set([each for each in addresses if _network(each) == network])
        timeout = aiohttp.ClientTimeout(total=_SECONDS, connect=_SECONDS / 2, sock_read=_SECONDS)
        headers = {"User-Agent": self.settings.user_agent, **_ACCEPT}
        async with as_upstream_errors(url, tls_apart=True):
            request = self.session.get(
                exact_url(url), allow_redirects=False, timeout=timeout, headers=headers
            )
            async with request as response:
                if asks_to_wait(response.status, response.headers):
                    await self._leave_alone(host, url, response)
                body, truncated = await read_cut(response, most)
                return LivePage(response.status, response.headers.copy(), body, url, 0, truncated)

    async def _addresses(self, host: str, url: str) -> list[ResolveResult]:
        """The public addresses of a host, at least one.

        Nobody is told whether another name does not exist or leads into the operator's network: the names are
        strangers', and the name servers may be the operator's own.
        """
        try:
            async with asyncio.timeout(_SECONDS / 2):
                return await self.resolver.resolve(host, 0, socket.AF_UNSPEC)
        except TimeoutError:
            raise UpstreamError(url, "connect", f"the name servers of {host} do not answer") from None
        except OSError as error:
            if _is_address(host):
                raise UpstreamError(url, "refused_address", f"{host} is not a public address") from None
            if _is_nowhere(error):
                raise UpstreamError(url, "no_host", f"{host} has no public address") from None
            raise UpstreamError(url, "connect", f"{host} could not be looked up") from None

    async def _leave_alone(self, host: str, url: str, response: aiohttp.ClientResponse) -> NoReturn:
        """Block a host that asked to wait, for every look at strangers' pages."""
        now = self.epoch()
        wait = retry_after_seconds(response.headers.get("Retry-After"), now)
        async with self.database.write() as conn:
            await pace.block(conn, _STRANGER + host, now + wait + 1, f"{response.status} from {host}")
        told = f"asks to wait {wait:.0f} s"
        raise UpstreamError(url, "rate_limited", told, http_status=response.status, retry_after=wait + 1)

    async def _wait(self, place: str, url: str, seconds: float, most: int) -> None:
        """Take the next slot of a host or a network, of `most` a day, and wait for it."""
        key = _STRANGER + place
        while True:
            now = self.epoch()
            async with self.database.write() as conn:
                blocked = await pace.blocked_until(conn, key, now)
                if blocked > now + _LONGEST_PAUSE:
                    told, wait = f"{place} asked to be left alone", blocked - now
                    raise UpstreamError(url, "rate_limited", told, retry_after=wait)
                at = await pace.lease_slot(conn, key, seconds, now, _LONGEST_PAUSE)
                # The row is locked now: no two workers take the last request of the day.
                if (await pace.taken_today(conn, [key], now))[key] > most:
                    raise UpstreamError(url, "spared", f"{place} had its {most} requests of today")
            if at >= 0:
                await self.sleep(max(0.0, at - now))
                return
            await self.sleep(max(0.02, -at - now - _LONGEST_PAUSE))


def _host(url: str) -> str:
    """The host of `url`, however it is spelled: in A-labels, without a port and the root's dot.

    Raises UpstreamError for what is no usable address, and for a port that is not the web's.
    """
    try:
        if web_address(url) is None:
            raise aiohttp.InvalidURL(url)
        parts = exact_url(url)
        host = (parts.raw_host or "").rstrip(".").lower()
    except (aiohttp.InvalidURL, ValueError):
        host = ""
    if not host:
        raise UpstreamError(url[:200], "refused_address", "is no usable address")
    if parts.port not in (80, 443):
        raise UpstreamError(url[:200], "refused_address", "asks for a port that is not the web's")
    return host


def _is_address(host: str) -> bool:
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def _network(address: ResolveResult) -> str:
    """The network of an address; of one behind a relay, that of the address which `hostname` names."""
    told = address["hostname"] if _is_address(address["hostname"]) else address["host"]
    return str(ip_network(f"{told}/{24 if ip_address(told).version == 4 else 48}", strict=False))


def _target(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise UpstreamError(url, "redirect", "redirects to what is no URL") from None


def _is_nowhere(error: OSError) -> bool:
    """Whether a name has no address that is anybody's to ask, rather than that nobody could tell."""
    unknown = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
    return isinstance(error, RefusedAddress) or (
        isinstance(error, socket.gaierror) and error.errno in unknown
    )


class RelayResolver(AbstractResolver):
    """For the sandbox and for tests: names exist as the configured resolvers say, and each one is reached at `address`.

    Their `hostname` is the address that the resolvers tell, by whose network requests are counted.
    """

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
                hostname=reply.records[0].value if reply.records else host,
                host=address,
                port=port,
                family=socket.AF_INET,
                proto=0,
                flags=numeric,
            )
        ]

    async def close(self) -> None:
        """Nothing to close."""


@asynccontextmanager
async def open_live_pages(
    settings: Settings, database: Database, epoch: Callable[[], float], run: Callable[..., Awaitable[Any]]
) -> AsyncIterator[LivePages]:
    """The pages of strangers' hosts, for this process, closed at the end. `run` calls a function in a page process."""
    relay, host_seconds = settings.live.relay, settings.live.host_seconds
    resolver: AbstractResolver = ThreadedPublicResolver(is_public)
    allowed: set[tuple[str, int]] = set()
    if relay:
        host, _, port = relay.rpartition(":")
        allowed = {(host, int(port))}
        resolver = RelayResolver(open_dns(settings), (host, int(port)))
    connector = guarded_connector(allowed, resolver=_CountedAddress())
    async with open_session(connector, aiohttp.ClientTimeout(total=_SECONDS)) as session:
        yield LivePages(settings, database, session, resolver, epoch, host_seconds, run)
