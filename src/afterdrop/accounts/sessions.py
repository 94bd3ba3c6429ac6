"""The SQL of signed-in browsers and of sign-in attempts. Callers own the transaction."""

from __future__ import annotations

import hashlib
import math
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts import store
from afterdrop.accounts.account import Account
from afterdrop.db.dialects import lock_names
from afterdrop.db.tables.accounts import sign_in_attempts, site_sessions

VALID: Final = timedelta(days=30)
MOST: Final = 20
WINDOW: Final = timedelta(minutes=15)
# At most this many attempts are kept: made-up names and addresses cost an attacker nothing.
MOST_KEPT: Final = 200_000


def digest(token: str) -> str:
    """The hash of a token, of a session or a link: only the hash is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


async def account_of(conn: AsyncConnection, token: str, now: datetime) -> Account | None:
    """The account that a browser is signed in to; None for an unknown or expired session."""
    return await store.session_owner(conn, digest(token), now)


async def begin(conn: AsyncConnection, token: str, account: Account, now: datetime) -> bool:
    """Sign a browser in under a new token, and delete the account's expired sessions and its oldest beyond `MOST`.

    Each session has limits of its own, so the number of sessions bounds what an account may ask. False when the
    password was changed since `account` was read: the browser sent the old one.
    """
    if not await store.lock_password(conn, account):
        return False
    mine = site_sessions.c.account_id == account.id
    newest = sa.select(site_sessions.c.hash).where(mine, site_sessions.c.expires_at > now)
    kept = newest.order_by(site_sessions.c.created_at.desc(), site_sessions.c.hash).limit(MOST - 1).subquery()
    await conn.execute(
        sa.delete(site_sessions).where(mine, site_sessions.c.hash.not_in(sa.select(kept.c.hash)))
    )
    row = {"hash": digest(token), "account_id": account.id, "created_at": now, "expires_at": now + VALID}
    await conn.execute(sa.insert(site_sessions).values(**row))
    return True


async def end(conn: AsyncConnection, token: str) -> None:
    """Sign a browser out."""
    await conn.execute(sa.delete(site_sessions).where(site_sessions.c.hash == digest(token)))


async def record_attempt(conn: AsyncConnection, limits: dict[str, int], now: datetime) -> int:
    """Record an attempt under every subject of `limits` and give 0; when a limit is reached, record nothing.

    Gives the seconds until the next attempt may be made then. Attempts are recorded before the password is checked,
    so that simultaneous ones are all counted.
    """
    await lock_names(conn, limits)
    table = sign_in_attempts.c
    wait = timedelta()
    for subject, most in limits.items():
        mine = sa.select(table.at).where(table.subject == subject, table.at > now - WINDOW)
        # the oldest of the newest `most` attempts must leave the window first
        blocking = await conn.scalar(mine.order_by(table.at.desc()).offset(most - 1).limit(1))
        if blocking is not None:
            wait = max(wait, blocking + WINDOW - now)
    if not wait:
        await conn.execute(
            sa.insert(sign_in_attempts), [{"subject": subject, "at": now} for subject in limits]
        )
        # ids rise with time, so the oldest attempts go first
        newest = sa.select(sa.func.max(table.id)).scalar_subquery()
        await conn.execute(sa.delete(sign_in_attempts).where(table.id <= newest - MOST_KEPT))
    return math.ceil(wait.total_seconds())


async def forget_attempts(conn: AsyncConnection, *subjects: str) -> None:
    """Delete all attempts of these subjects: the owner made them."""
    await conn.execute(sa.delete(sign_in_attempts).where(sign_in_attempts.c.subject.in_(subjects)))


async def forget_newest_attempt(conn: AsyncConnection, *subjects: str) -> None:
    """Delete the newest attempt of each subject: the owner made that one; others' attempts stay."""
    table = sign_in_attempts.c
    newest = sa.select(sa.func.max(table.id)).where(table.subject.in_(subjects)).group_by(table.subject)
    await conn.execute(sa.delete(sign_in_attempts).where(table.id.in_(newest)))
