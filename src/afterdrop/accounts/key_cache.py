"""From a key to its account without a query a request, and never more than half a second behind the database."""

from __future__ import annotations

from typing import NamedTuple

from afterdrop.accounts import store
from afterdrop.accounts.account import Account
from afterdrop.accounts.api_keys import hash_key, looks_right
from afterdrop.accounts.versions import Versions
from afterdrop.db.engine import Database

_MOST = 20_000


class KeyOwner(NamedTuple):
    """The account a key belongs to, and which of its keys it is."""

    key_id: int
    account: Account


class KeyCache:
    """Keys seen in this process, by hash; unknown hashes are remembered too. All of it goes with any change."""

    def __init__(self, database: Database, versions: Versions) -> None:
        self._database = database
        self._versions = versions
        self._holders: dict[str, KeyOwner | None] = {}
        self._version = -1

    async def holder(self, text: str) -> KeyOwner | None:
        """Whose key this is; None for a mistyped, unknown or revoked one. A mistyped one asks nobody."""
        if not looks_right(text):
            return None
        version = await self._versions.current("accounts")
        if version != self._version:
            self._holders.clear()
            self._version = version
        key_hash = hash_key(text)
        if key_hash in self._holders:
            return self._holders[key_hash]
        return await self._load(key_hash)

    async def _load(self, key_hash: str) -> KeyOwner | None:
        async with self._database.read() as conn:
            version = (await store.read_versions(conn)).get("accounts", 0)
            found = await store.key_owner(conn, key_hash)
        holder = KeyOwner(*found) if found else None
        # Both were read in one snapshot: kept only while it is the one the cache stands for.
        if version == self._version:
            if len(self._holders) >= _MOST:
                self._holders.clear()
            self._holders[key_hash] = holder
        return holder
