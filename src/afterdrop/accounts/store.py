"""The SQL of accounts and keys. A change that other processes must notice raises the version `accounts`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Account
from afterdrop.db.dialects import bump_version, insert_each_once, upsert
from afterdrop.db.tables.accounts import accounts, api_keys, site_sessions
from afterdrop.db.tables.catalogue import versions

_SEEN = (
    accounts.c.id,
    accounts.c.email,
    accounts.c.created_at,
    accounts.c.verified_at,
    accounts.c.plan_until,
    accounts.c.operator,
    accounts.c.zone,
    accounts.c.epoch,
)


def _account(row: Sequence[Any]) -> Account:
    return Account(*row[: len(_SEEN)])


async def versions_now(conn: AsyncConnection) -> dict[str, int]:
    """Every version number; `accounts` rises with every change to an account or key."""
    return {name: int(value) for name, value in await conn.execute(sa.select(versions))}


async def by_key_hash(conn: AsyncConnection, key_hash: str) -> tuple[int, Account] | None:
    """The key's id and its account, or None for a hash nobody has."""
    row = (
        await conn.execute(
            sa.select(*_SEEN, api_keys.c.id)
            .join(api_keys, api_keys.c.account_id == accounts.c.id)
            .where(api_keys.c.hash == key_hash)
        )
    ).first()
    return (row[-1], _account(row)) if row else None


async def by_id(conn: AsyncConnection, account_id: int) -> Account | None:
    """One account."""
    row = (await conn.execute(sa.select(*_SEEN).where(accounts.c.id == account_id))).first()
    return _account(row) if row else None


async def by_email(conn: AsyncConnection, email: str) -> Account | None:
    """The account of a normalised address."""
    row = (await conn.execute(sa.select(*_SEEN).where(accounts.c.email == email))).first()
    return _account(row) if row else None


async def password_hash(conn: AsyncConnection, account_id: int) -> str | None:
    """The stored hash; None for an account that has no password yet."""
    found: str | None = await conn.scalar(
        sa.select(accounts.c.password_hash).where(accounts.c.id == account_id)
    )
    return found


async def every_account(conn: AsyncConnection, *, after: int = 0, limit: int = 1000) -> list[Account]:
    """Accounts by id, `limit` at a time."""
    rows = await conn.execute(
        sa.select(*_SEEN).where(accounts.c.id > after).order_by(accounts.c.id).limit(limit)
    )
    return [_account(row) for row in rows]


async def operators(conn: AsyncConnection, *, limit: int) -> list[Account]:
    """The first accounts that are operators'."""
    rows = await conn.execute(
        sa.select(*_SEEN).where(accounts.c.operator.is_(True)).order_by(accounts.c.id).limit(limit)
    )
    return [_account(row) for row in rows]


async def accounts_with_keys(conn: AsyncConnection, *, after: int = 0, limit: int) -> list[Account]:
    """Accounts that have an API key, by id, `limit` at a time."""
    has_key = sa.exists().where(api_keys.c.account_id == accounts.c.id)
    rows = await conn.execute(
        sa.select(*_SEEN).where(accounts.c.id > after, has_key).order_by(accounts.c.id).limit(limit)
    )
    return [_account(row) for row in rows]


async def insert_account(conn: AsyncConnection, values: dict[str, Any]) -> int | None:
    """Add an account; its id, which no other account ever had, or None where the address has one by now."""
    if conn.dialect.name == "sqlite":
        values = {**values, "id": await _unused_id(conn)}
    made = await insert_each_once(conn, accounts, [values], ["email"], [accounts.c.id])
    return int(made[0][0]) if made else None


async def _unused_id(conn: AsyncConnection) -> int:
    """SQLite gives a deleted account's id away again, and with it what still speaks for it (links, counters)."""
    last = sa.select(versions.c.value).where(versions.c.name == "last_account_id").scalar_subquery()
    highest = sa.select(sa.func.max(accounts.c.id)).scalar_subquery()
    nothing = sa.literal(0)
    fresh = await conn.scalar(
        sa.select(sa.func.max(sa.func.coalesce(last, nothing), sa.func.coalesce(highest, nothing)) + 1)
    )
    row = {"name": "last_account_id", "value": fresh}
    await upsert(conn, versions, [row], ["name"])
    return int(fresh or 1)


async def change_account(
    conn: AsyncConnection, account_id: int, *conditions: sa.ColumnElement[bool], **values: Any
) -> bool:
    """Set columns of one account and tell every process; False when there is none, or not as `conditions` say."""
    changing = sa.update(accounts).where(accounts.c.id == account_id, *conditions)
    done = await conn.execute(changing.values(**values))
    await bump_version(conn, "accounts")
    return done.rowcount == 1


async def delete_account(conn: AsyncConnection, account_id: int) -> bool:
    """Delete an account and, through the foreign keys, everything it owns."""
    done = await conn.execute(sa.delete(accounts).where(accounts.c.id == account_id))
    await bump_version(conn, "accounts")
    return done.rowcount == 1


async def lock_account(conn: AsyncConnection, account_id: int) -> bool:
    """Make other transactions that count this account's things wait; False when it is gone.

    SQLite has one writer at a time anyway and ignores the clause.
    """
    found = await conn.scalar(sa.select(accounts.c.id).where(accounts.c.id == account_id).with_for_update())
    return found is not None


async def hold_epoch(conn: AsyncConnection, account: Account) -> bool:
    """Keep the account's password from being changed until this transaction ends; False when it was meanwhile."""
    same = sa.select(accounts.c.id).where(accounts.c.id == account.id, accounts.c.epoch == account.epoch)
    return await conn.scalar(same.with_for_update()) is not None


async def insert_key(conn: AsyncConnection, values: dict[str, Any]) -> int:
    """Add a key's hash; its id."""
    made = await conn.scalar(sa.insert(api_keys).values(**values).returning(api_keys.c.id))
    await bump_version(conn, "accounts")
    return int(made or 0)


async def keys_of(conn: AsyncConnection, account_id: int) -> list[dict[str, Any]]:
    """An account's keys, oldest first: id, name, hint, created_at, last_used_at."""
    rows = await conn.execute(
        sa.select(
            api_keys.c.id, api_keys.c.name, api_keys.c.hint, api_keys.c.created_at, api_keys.c.last_used_at
        )
        .where(api_keys.c.account_id == account_id)
        .order_by(api_keys.c.id)
    )
    return [{str(name): value for name, value in row.items()} for row in rows.mappings()]


async def delete_key(conn: AsyncConnection, account_id: int, key_id: int) -> bool:
    """Delete one of the account's keys; False when it has no such key."""
    done = await conn.execute(
        sa.delete(api_keys).where(api_keys.c.id == key_id, api_keys.c.account_id == account_id)
    )
    await bump_version(conn, "accounts")
    return done.rowcount == 1


async def touch_keys(conn: AsyncConnection, key_ids: Sequence[int], now: datetime) -> None:
    """Note that keys were used; no other process needs to know at once."""
    await conn.execute(sa.update(api_keys).where(api_keys.c.id.in_(sorted(key_ids))).values(last_used_at=now))


async def end_sessions(conn: AsyncConnection, account_id: int) -> None:
    """Sign the account out everywhere."""
    await conn.execute(sa.delete(site_sessions).where(site_sessions.c.account_id == account_id))
