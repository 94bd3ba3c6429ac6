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
from afterdrop.db.dialects import in_line
from afterdrop.db.tables.accounts import sign_in_failures as attempts
from afterdrop.db.tables.accounts import site_sessions as sessions

VALID: Final = timedelta(days=30)
MOST: Final = 20
WINDOW: Final = timedelta(minutes=15)
# Attempts kept at most: names and addresses to try with cost whoever makes them up nothing.
MOST_KEPT: Final = 200_000


def digest(token: str) -> str:
    """What is stored of a session's token."""
    return hashlib.sha256(token.encode()).hexdigest()


async def account_of(conn: AsyncConnection, token: str, now: datetime) -> Account | None:
    """Whose browser this is; None for an unknown or expired session."""
    found = await conn.scalar(
        sa.select(sessions.c.account_id).where(sessions.c.hash == digest(token), sessions.c.expires_at > now)
    )
    return None if found is None else await store.by_id(conn, int(found))


async def begin(conn: AsyncConnection, token: str, account: Account, now: datetime) -> bool:
    """Sign a browser in under a token just made; the account's expired sessions go, and its oldest beyond `MOST`.

    Each session has limits of its own, so their number is what bounds an account. False when the account's password
    was changed since `account` was read: the one that was sent is the old one.
    """
    if not await store.hold_epoch(conn, account):
        return False
    mine = sessions.c.account_id == account.id
    newest = sa.select(sessions.c.hash).where(mine, sessions.c.expires_at > now)
    kept = newest.order_by(sessions.c.created_at.desc(), sessions.c.hash).limit(MOST - 1).subquery()
    await conn.execute(sa.delete(sessions).where(mine, sessions.c.hash.not_in(sa.select(kept.c.hash))))
    row = {"hash": digest(token), "account_id": account.id, "created_at": now, "expires_at": now + VALID}
    await conn.execute(sa.insert(sessions).values(**row))
    return True


async def end(conn: AsyncConnection, token: str) -> None:
    """Sign a browser out."""
    await conn.execute(sa.delete(sessions).where(sessions.c.hash == digest(token)))


async def attempt(conn: AsyncConnection, limits: dict[str, int], now: datetime) -> int:
    """Note an attempt under every subject of `limits` and give 0; where one is used up already, note nothing and
    give the seconds until the next may be made.

    Noted before the password is looked at, so that many at once count as many.
    """
    await in_line(conn, limits)
    table = attempts.c
    wait = timedelta()
    for subject, most in limits.items():
        mine = sa.select(table.at).where(table.subject == subject, table.at > now - WINDOW)
        # one of the newest `most` has to be forgotten before there is room for another
        blocking = await conn.scalar(mine.order_by(table.at.desc()).offset(most - 1).limit(1))
        if blocking is not None:
            wait = max(wait, blocking + WINDOW - now)
    if not wait:
        await conn.execute(sa.insert(attempts), [{"subject": subject, "at": now} for subject in limits])
        # ids rise with time: what is given up first is the oldest
        newest = sa.select(sa.func.max(table.id)).scalar_subquery()
        await conn.execute(sa.delete(attempts).where(table.id <= newest - MOST_KEPT))
    return math.ceil(wait.total_seconds())


async def forgive(conn: AsyncConnection, *subjects: str) -> None:
    """Forget all attempts of these subjects: it was the owner."""
    await conn.execute(sa.delete(attempts).where(attempts.c.subject.in_(subjects)))


async def forgive_one(conn: AsyncConnection, *subjects: str) -> None:
    """Forget the newest attempt of each subject: that one was an owner; those of others stay."""
    table = attempts.c
    newest = sa.select(sa.func.max(table.id)).where(table.subject.in_(subjects)).group_by(table.subject)
    await conn.execute(sa.delete(attempts).where(table.id.in_(newest)))
