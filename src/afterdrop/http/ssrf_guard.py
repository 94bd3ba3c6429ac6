"""The guard against private addresses (SSRF): resolvers and sockets that reach public addresses only.

The address that was checked is the one that is connected to.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from afterdrop.http.public_addresses import is_public

AddressInfo = tuple[Any, ...]
Allow = Callable[[str], bool]
# A look-up that hangs holds its thread for as long as the system waits for its name servers (often 10 seconds). The
# number is that of the deliveries a worker has in hand: with fewer, dead name servers would delay the others.
_LOOKUPS_AT_ONCE: Final = 512
# Nobody needs more addresses of one host than this; a name with thousands would be tried one by one.
_MOST_ADDRESSES: Final = 16

# Answers like `socket.getaddrinfo(host, port)`.
Lookup = Callable[[str, int], list[AddressInfo]]


class RefusedAddress(OSError):
    """The name resolves to an address that is not public, or the URL names one."""


class PublicResolver(AbstractResolver):
    """The system's resolver. It refuses the whole answer if any address in it is not public."""

    def __init__(self, allowed: Collection[tuple[str, int]], allow: Allow = is_public) -> None:
        self._allowed = frozenset(allowed)
        self._allow = allow
        self._system = aiohttp.ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of `host`; RefusedAddress unless all are public or the origin is trusted."""
        found = await self._system.resolve(host, port, family)
        if (host, port) not in self._allowed:
            for entry in found:
                if not self._allow(entry["host"]):
                    raise RefusedAddress(f"{host} resolves to {entry['host']}, which is not a public address")
        return found

    async def close(self) -> None:
        """Close the system resolver."""
        await self._system.close()


def guarded_socket(
    allowed: Collection[tuple[str, int]], allow: Allow = is_public
) -> Callable[[AddressInfo], socket.socket]:
    """A socket factory that checks every connection, also to IP literals, which bypass the resolver."""
    exceptions = frozenset(allowed)

    def make(info: AddressInfo) -> socket.socket:
        family, kind, proto, _, address = info
        if (address[0], address[1]) not in exceptions and not allow(address[0]):
            raise RefusedAddress(f"{address[0]} is not a public address")
        made = socket.socket(family, kind, proto)
        made.setblocking(False)
        return made

    return make


def guarded_connector(
    allowed: Collection[tuple[str, int]],
    *,
    limit: int = 100,
    allow: Allow = is_public,
    resolver: AbstractResolver | None = None,
) -> aiohttp.TCPConnector:
    """An aiohttp connector to the addresses that `allow` accepts; `allowed` are (host, port) exceptions.

    `resolver` stands in for the system's; whatever it says, no socket is opened to any other address.
    """
    resolved = set(allowed)
    for host, port in allowed:
        if host == "localhost":
            resolved |= {("127.0.0.1", port), ("::1", port)}
    return aiohttp.TCPConnector(
        resolver=resolver or PublicResolver(resolved, allow),
        socket_factory=guarded_socket(resolved, allow),
        use_dns_cache=False,
        limit=limit,
    )


def system_lookup(host: str, port: int) -> list[AddressInfo]:
    """The answer of the system's resolver."""
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG))


class ThreadedPublicResolver(AbstractResolver):
    """Resolves each name in a thread of its own, so that a dead name server delays no other host.

    It refuses the whole answer if any address in it is not allowed.
    """

    def __init__(self, allow: Allow, lookup: Lookup = system_lookup) -> None:
        self._allow = allow
        self._lookup = lookup
        self._free = asyncio.Semaphore(_LOOKUPS_AT_ONCE)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses; OSError when there are none, RefusedAddress for one that is not allowed."""
        async with self._free:
            found = await _in_thread(self._lookup, host, port)
        addresses = list(dict.fromkeys((entry[0], str(entry[4][0])) for entry in found))
        if not addresses:
            raise OSError(f"{host} has no address")
        for _, address in addresses:
            if not self._allow(address):
                raise RefusedAddress(f"{host} resolves to {address}, which is not a public address")
        numeric = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=numeric)
            for kind, address in addresses[:_MOST_ADDRESSES]
        ]

    async def close(self) -> None:
        """Nothing to close: a thread that still waits for a name server does not keep the process from ending."""


async def _in_thread(lookup: Lookup, host: str, port: int) -> list[AddressInfo]:
    """Look up in a daemon thread: the process would wait for a pool's threads when it ends."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[AddressInfo]] = loop.create_future()

    def settle(found: list[AddressInfo] | None, error: OSError | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(found or [])

    def ask() -> None:
        found: list[AddressInfo] | None = None
        failure: OSError | None = None
        try:
            found = lookup(host, port)
        except OSError as error:
            failure = error
        except UnicodeError:
            failure = OSError(f"{host[:80]} is no host name")
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, found, failure)

    threading.Thread(target=ask, name="resolve", daemon=True).start()
    return await answer
