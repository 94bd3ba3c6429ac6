"""Answers of lists kept for the second they are true in.

A list is the same for everybody on a plan until the catalogue changes or the clock moves on, so within one second
one answer serves all who ask the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable

from afterdrop.accounts.versions import Versions

_KEPT = 256


class ListCache:
    """The last answers by what was asked."""

    def __init__(self, versions: Versions) -> None:
        self._versions = versions
        self._kept: OrderedDict[tuple[Hashable, ...], bytes] = OrderedDict()

    async def body(self, *asked: Hashable, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """The answer to `asked` (the time, to the second, among it), made by `make` when it is not at hand."""
        key = (await self._versions.current("catalogue"), *asked)
        body = self._kept.get(key)
        if body is None:
            body = self._kept[key] = await make()
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return body
