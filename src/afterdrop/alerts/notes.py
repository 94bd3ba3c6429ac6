"""What people write beside the domains they follow. Callers own the transaction."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.safe_text import storable
from afterdrop.db.tables.alerts import watches

NOTE_LENGTH: Final = 500
_watch = watches.c


async def notes(conn: AsyncConnection, account_id: int) -> dict[str, str]:
    """The account's notes by domain; domains without one are absent."""
    mine = sa.select(_watch.domain, _watch.note).where(
        _watch.account_id == account_id, _watch.note.is_not(None)
    )
    return {str(domain): str(note) for domain, note in await conn.execute(mine)}


async def note(conn: AsyncConnection, account_id: int, domain: str) -> str | None:
    """The account's note on a domain; None without one."""
    found = await conn.scalar(sa.select(_watch.note).where(*_mine(account_id, domain)))
    return None if found is None else str(found)


async def write_note(conn: AsyncConnection, account_id: int, domain: str, text: str) -> bool:
    """Keep `text` (at most 500 characters; empty: no note). False when the account does not follow the domain."""
    kept = storable(text) or None
    done = await conn.execute(sa.update(watches).where(*_mine(account_id, domain)).values(note=kept))
    return done.rowcount == 1


def _mine(account_id: int, domain: str) -> tuple[sa.ColumnElement[bool], ...]:
    return _watch.account_id == account_id, _watch.domain == domain
