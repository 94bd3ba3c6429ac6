"""Summaries of a snapshot's rows as JSON, kept until the clock changes something about them."""

from __future__ import annotations

from typing import Final

import orjson

from afterdrop.catalogue.list_store import ListSelection
from afterdrop.catalogue.snapshot_rows import lasting, next_change, unpack
from afterdrop.catalogue.summary import Links, summary

_MOST_BYTES: Final = 32 * 1024 * 1024
# Bytes an entry takes beside its body.
_ENTRY: Final = 200


class ReadyRows:
    """The latest summaries made, as bytes by row and plan: never more than `most` bytes."""

    def __init__(self, links: Links, most: int = _MOST_BYTES) -> None:
        self._links = links
        self._most = most
        self._kept: dict[tuple[int, str], tuple[int, int, bytes]] = {}
        self.size = 0

    def json(self, row: int, packed: bytes, selection: ListSelection, now: int) -> orjson.Fragment:
        """The summary of a row at `now`, which is the selection's time in seconds since 1970."""
        key = (row, selection.viewer.plan)
        kept = self._kept.get(key)
        if kept is None or not kept[0] <= now < kept[1]:
            kept = self._make(packed, selection, now)
            self._keep(key, kept)
        return orjson.Fragment(kept[2])

    def _make(self, packed: bytes, selection: ListSelection, now: int) -> tuple[int, int, bytes]:
        stored = unpack(packed)
        shown = lasting(orjson.dumps(summary(stored, selection.viewer, selection.now, self._links)))
        return now, next_change(stored, now), shown

    def _keep(self, key: tuple[int, str], made: tuple[int, int, bytes]) -> None:
        old = self._kept.pop(key, None)
        if old is not None:
            self.size -= len(old[2]) + _ENTRY
        self._kept[key] = made
        self.size += len(made[2]) + _ENTRY
        while self.size > self._most:
            oldest = next(iter(self._kept))
            self.size -= len(self._kept.pop(oldest)[2]) + _ENTRY
