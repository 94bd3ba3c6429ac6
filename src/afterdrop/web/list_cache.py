"""A cache of the API's list responses, each kept for the one second in which it is true.

A list is the same for everybody on a plan until the catalogue changes or the clock moves on, so within one second
one response serves every request with the same query.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Final

from afterdrop.accounts.versions import Versions

_MOST_BYTES: Final = 16 * 1024 * 1024
# Bytes an entry takes beside its body: the key and its place in the table.
_ENTRY: Final = 400


class ListCache:
    """The latest response bodies by query: never more than `most` bytes, however long the queries are."""

    def __init__(self, versions: Versions, most: int = _MOST_BYTES) -> None:
        self._versions = versions
        self._most = most
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self.size = 0

    async def body(self, *query: Hashable, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """The body for `query` (which holds the time, to the second), made by `make` when it is not kept.

        Queries are told apart by their `repr`.
        """
        text = repr((await self._versions.current("catalogue"), *query))
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        body = self._kept.get(key)
        if body is None:
            body = await make()
            if key not in self._kept:
                self._keep(key, body)
        return body

    def _keep(self, key: bytes, body: bytes) -> None:
        self._kept[key] = body
        self.size += len(body) + _ENTRY
        while self.size > self._most:
            _, gone = self._kept.popitem(last=False)
            self.size -= len(gone) + _ENTRY
