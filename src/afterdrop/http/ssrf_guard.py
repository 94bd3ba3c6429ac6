"""Connections that cannot reach a private network: the address that was checked is the one connected to."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from afterdrop.http.public_addresses import is_public

AddressInfo = tuple[Any, ...]
Allow = Callable[[str], bool]


class RefusedAddress(OSError):
    """The name resolves to, or the URL names, an address that is not public."""


class PublicResolver(AbstractResolver):
    """Resolves like the system does and refuses the whole answer if any address in it is not public."""

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
    """A socket factory that sees every connect, IP literals included (they bypass the resolver)."""
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
    allowed: Collection[tuple[str, int]], *, limit: int = 100, allow: Allow = is_public
) -> aiohttp.TCPConnector:
    """An aiohttp connector to addresses that `allow` says yes to; `allowed` are (host, port) exceptions."""
    resolved = set(allowed)
    for host, port in allowed:
        if host == "localhost":
            resolved |= {("127.0.0.1", port), ("::1", port)}
    return aiohttp.TCPConnector(
        resolver=PublicResolver(resolved, allow),
        socket_factory=guarded_socket(resolved, allow),
        use_dns_cache=False,
        limit=limit,
    )
