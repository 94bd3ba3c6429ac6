"""A cache from API keys to their accounts, never more than half a second behind the database."""

from __future__ import annotations

from typing import NamedTuple

from cachetools import FIFOCache

from afterdrop.accounts import store
from afterdrop.accounts.account import Account
from afterdrop.accounts.api_keys import Scope, hash_key, looks_right
from afterdrop.accounts.versions import Versions
from afterdrop.db.engine import Database

_MOST = 20_000


class KeyOwner(NamedTuple):
    """The account of a key, the key's id, and what the key may do."""

    key_id: int
    scope: Scope
    account: Account


class KeyCache:
    """The keys seen in this process by their hashes, unknown ones too. Any change of an account or key empties it."""

    def __init__(self, database: Database, versions: Versions) -> None:
        self._database = database
        self._versions = versions
        self._owners: FIFOCache[str, KeyOwner | None] = FIFOCache(_MOST)
        self._version = -1

    async def owner(self, text: str) -> KeyOwner | None:
        """The owner of a key; None for a mistyped, unknown or revoked one. A mistyped one needs no query."""
        if not looks_right(text):
            return None
        version = await self._versions.current("accounts")
        if version != self._version:
            self._owners.clear()
            self._version = version
        key_hash = hash_key(text)
        if key_hash in self._owners:
            return self._owners[key_hash]
        return await self._load(key_hash)

    async def _load(self, key_hash: str) -> KeyOwner | None:
        async with self._database.read() as conn:
            version = (await store.read_versions(conn)).get("accounts", 0)
            found = await store.key_owner(conn, key_hash)
        owner = KeyOwner(*found) if found else None
        # Both were read in one snapshot; the owner is kept only when the cache is of that version.
        if version == self._version:
            self._owners[key_hash] = owner
        return owner
