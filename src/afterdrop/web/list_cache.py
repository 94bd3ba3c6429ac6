"""Answers of lists kept for the second they are true in.

A list is the same for everybody on a plan until the catalogue changes or the clock moves on, so within one second
one answer serves all who ask the same.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Final

from afterdrop.accounts.versions import Versions

_MOST_BYTES: Final = 16 * 1024 * 1024
# What an entry takes beside its body: key, places in the table.
_ENTRY: Final = 400


class ListCache:
    """The last answers by what was asked: never more than `most` bytes, however long the questions are."""

    def __init__(self, versions: Versions, most: int = _MOST_BYTES) -> None:
        self._versions = versions
        self._most = most
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self.size = 0

    async def body(self, *asked: Hashable, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """The answer to `asked` (the time, to the second, among it), made by `make` when it is not at hand.

        What is asked is told apart by its `repr`.
        """
        told = repr((await self._versions.current("catalogue"), *asked))
        key = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).digest()
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
