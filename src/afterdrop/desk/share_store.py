"""The SQL of share links. A link names domains only; what its reader sees of them is decided when it is opened."""

from __future__ import annotations

from datetime import datetime
from typing import Final, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.sessions import digest
from afterdrop.accounts.store import lock_account
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.desk import share_links
from afterdrop.desk.rules import LINK_LASTS, MOST_LINKS, TooMany

# Bytes of randomness in a token: 192 bits.
TOKEN_BYTES: Final = 24
_link = share_links.c


class ShareLink(TypedDict):
    """A share link as its owner sees it. The token itself is not stored."""

    id: int
    domains: list[str]
    made_at: datetime
    expires_at: datetime


async def share(
    conn: AsyncConnection, account_id: int, token: str, names: list[str], now: datetime
) -> datetime:
    """Make a link to these names (from `rules.shared`) under a random token; gives when it ends. Raises TooMany."""
    await lock_account(conn, account_id)
    if len(await links_of(conn, account_id, now)) >= MOST_LINKS:
        raise TooMany("", f"you have {MOST_LINKS} links; revoke one first")
    row = {"account_id": account_id, "hash": digest(token), "domains": names, "made_at": now}
    await conn.execute(sa.insert(share_links).values(**row, expires_at=now + LINK_LASTS))
    return now + LINK_LASTS


async def shared_names(conn: AsyncConnection, token: str, now: datetime) -> list[str] | None:
    """The names of a link; None when there is none, or no longer."""
    chosen = sa.select(_link.domains).where(_link.hash == digest(token), _link.expires_at > now)
    found = await conn.scalar(chosen)
    return None if found is None else [str(name) for name in found]


async def by_operator(conn: AsyncConnection, token: str) -> bool:
    """Whether an operator made the link."""
    maker = sa.select(accounts.c.operator).join(share_links, _link.account_id == accounts.c.id)
    return bool(await conn.scalar(maker.where(_link.hash == digest(token))))


async def links_of(conn: AsyncConnection, account_id: int, now: datetime) -> list[ShareLink]:
    """The account's links that work, newest first."""
    columns = [_link[name] for name in ShareLink.__annotations__]
    mine = sa.select(*columns).where(_link.account_id == account_id, _link.expires_at > now)
    found = await conn.execute(mine.order_by(_link.made_at.desc(), _link.id.desc()))
    return [cast(ShareLink, dict(row)) for row in found.mappings()]


async def revoke(conn: AsyncConnection, account_id: int, link_id: int) -> bool:
    """End one of the account's links; False when it has no such link."""
    mine = sa.and_(_link.id == link_id, _link.account_id == account_id)
    return (await conn.execute(sa.delete(share_links).where(mine))).rowcount == 1
