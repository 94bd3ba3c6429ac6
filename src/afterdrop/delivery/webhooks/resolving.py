"""Host names of receivers: looked up by threads of their own, so that a dead name server holds up nobody else."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from aiohttp.abc import AbstractResolver, ResolveResult

from afterdrop.http.ssrf_guard import Allow, RefusedAddress

# A look-up that hangs holds its thread for as long as the system waits for its name servers (often 10 seconds). As many
# as a worker has deliveries in hand: fewer, and dead name servers would use up the others' time.
_AT_ONCE: Final = 512
# Nobody needs more addresses of one host than this; a name with thousands would be tried one by one.
_MOST_ADDRESSES: Final = 16

# Answers like `socket.getaddrinfo(host, port)`.
Lookup = Callable[[str, int], list[tuple[Any, ...]]]


def system_lookup(host: str, port: int) -> list[tuple[Any, ...]]:
    """What the system's resolver says."""
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG))


class CheckedResolver(AbstractResolver):
    """Gives the addresses of a host, or refuses the whole answer when one of them is not allowed.

    What it gives is what the connection goes to: the name is not looked up again in between.
    """

    def __init__(self, allow: Allow, lookup: Lookup = system_lookup) -> None:
        self._allow = allow
        self._lookup = lookup
        self._free = asyncio.Semaphore(_AT_ONCE)

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
        """Nothing to close: a thread that still waits for a name server keeps nobody from leaving."""


async def _in_thread(lookup: Lookup, host: str, port: int) -> list[tuple[Any, ...]]:
    """A look-up in a daemon thread: a pool's threads would be waited for when the process ends."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[tuple[Any, ...]]] = loop.create_future()

    def settle(found: list[tuple[Any, ...]] | None, error: OSError | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(found or [])

    def ask() -> None:
        found: list[tuple[Any, ...]] | None = None
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
