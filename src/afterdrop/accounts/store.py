"""The SQL of accounts, API keys, the credit ledger and grants. Callers own the transaction.

A change that other processes must notice raises the version `accounts`. The ledger's rows are only ever added, each
under a unique reference. A balance is a sum and never below zero: a spending row is inserted only where the sum, read
by the same statement, leaves a credit. Callers hold the account's row lock (`lock_account`) while they spend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Account
from afterdrop.accounts.api_keys import Scope
from afterdrop.accounts.credits import Balance, Bucket, balance, month_of, refund_bucket
from afterdrop.core.audience import MEMBERS_PLAN, STORED, Audience, check_change
from afterdrop.db.dialects import bump_version, insert_each_once, insert_once, upsert
from afterdrop.db.tables.accounts import accounts, api_keys, credit_ledger, grants, site_sessions
from afterdrop.db.tables.catalogue import versions

_COLUMNS = (
    accounts.c.id,
    accounts.c.email,
    accounts.c.created_at,
    accounts.c.verified_at,
    accounts.c.plan_until,
    accounts.c.operator,
    accounts.c.zone,
    accounts.c.token_version,
)


class ApiKeyRow(TypedDict):
    """An API key as its owner sees it; `hint` is how its text begins."""

    id: int
    name: str
    scope: Scope
    hint: str
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Credit:
    """Check credits to add to an account, once per `reference`."""

    bucket: Bucket
    credits: int
    reason: str
    reference: str


def _account(row: Sequence[Any]) -> Account:
    return Account(*row[: len(_COLUMNS)])


async def read_versions(conn: AsyncConnection) -> dict[str, int]:
    """Every version number; `accounts` rises with every change to an account or key."""
    return {name: int(value) for name, value in await conn.execute(sa.select(versions))}


async def key_owner(conn: AsyncConnection, key_hash: str) -> tuple[int, Scope, Account] | None:
    """The id, the scope and the account of the key with this hash, or None when no key has it."""
    row = (
        await conn.execute(
            sa.select(*_COLUMNS, api_keys.c.id, api_keys.c.scope)
            .join(api_keys, api_keys.c.account_id == accounts.c.id)
            .where(api_keys.c.hash == key_hash)
        )
    ).first()
    return (row[-2], row[-1], _account(row)) if row else None


async def session_owner(conn: AsyncConnection, session_hash: str, now: datetime) -> Account | None:
    """The account whose session has this hash and has not expired."""
    sessions = site_sessions.c
    owner = sa.select(*_COLUMNS).join(site_sessions, sessions.account_id == accounts.c.id)
    wanted = owner.where(sessions.hash == session_hash, sessions.expires_at > now)
    row = (await conn.execute(wanted)).first()
    return _account(row) if row else None


async def account_by_id(conn: AsyncConnection, account_id: int) -> Account | None:
    """One account."""
    row = (await conn.execute(sa.select(*_COLUMNS).where(accounts.c.id == account_id))).first()
    return _account(row) if row else None


async def account_by_email(conn: AsyncConnection, email: str) -> Account | None:
    """The account of a normalised e-mail address."""
    row = (await conn.execute(sa.select(*_COLUMNS).where(accounts.c.email == email))).first()
    return _account(row) if row else None


async def password_hash(conn: AsyncConnection, account_id: int) -> str | None:
    """The stored hash of the password, or None for an account without one."""
    found: str | None = await conn.scalar(
        sa.select(accounts.c.password_hash).where(accounts.c.id == account_id)
    )
    return found


async def every_account(
    conn: AsyncConnection, *, after: int = 0, limit: int = 1000, part: str = ""
) -> list[Account]:
    """Up to `limit` accounts in the order of their ids, those after the id `after` with `part` in their address."""
    wanted = sa.and_(accounts.c.id > after, accounts.c.email.contains(part, autoescape=True))
    rows = await conn.execute(sa.select(*_COLUMNS).where(wanted).order_by(accounts.c.id).limit(limit))
    return [_account(row) for row in rows]


async def operators(conn: AsyncConnection, *, limit: int) -> list[Account]:
    """The first `limit` accounts of operators."""
    rows = await conn.execute(
        sa.select(*_COLUMNS).where(accounts.c.operator.is_(True)).order_by(accounts.c.id).limit(limit)
    )
    return [_account(row) for row in rows]


async def settle_audience(
    conn: AsyncConnection, audience: Audience, now: datetime, *, expected: int | None = None
) -> None:
    """Store whose deployment this is. Accounts of others that a team takes in become Pro, as all of its members are.

    `expected` is how many accounts somebody said a team may take in. Raises SettingsError for a change that would show
    what was kept for others.
    """
    others = accounts.c.operator.is_(False)
    stored = (await read_versions(conn)).get("audience")
    count = (await conn.execute(sa.select(sa.func.count()).select_from(accounts).where(others))).scalar_one()
    check_change(audience, stored, count, expected)
    if audience == "team" and count:
        await conn.execute(sa.update(accounts).where(others).values(plan_until=now + MEMBERS_PLAN))
        await bump_version(conn, "accounts")
    await upsert(conn, versions, [{"name": "audience", "value": STORED[audience]}], ["name"])


async def accounts_with_keys(conn: AsyncConnection, *, after: int = 0, limit: int) -> list[Account]:
    """Up to `limit` accounts with an API key in the order of their ids, those after the id `after`."""
    has_key = sa.exists().where(api_keys.c.account_id == accounts.c.id)
    rows = await conn.execute(
        sa.select(*_COLUMNS).where(accounts.c.id > after, has_key).order_by(accounts.c.id).limit(limit)
    )
    return [_account(row) for row in rows]


async def insert_account(conn: AsyncConnection, values: Mapping[str, object]) -> int | None:
    """Add an account. Gives its id, which no other account ever had, or None when the address has an account."""
    if conn.dialect.name == "sqlite":
        # An id that no account ever had: SQLite would reuse a deleted one's, and old links would open the
        # new account.
        last = sa.select(versions.c.value).where(versions.c.name == "last_account_id").scalar_subquery()
        highest = sa.select(sa.func.max(accounts.c.id)).scalar_subquery()
        nothing = sa.literal(0)
        fresh = await conn.scalar(
            sa.select(sa.func.max(sa.func.coalesce(last, nothing), sa.func.coalesce(highest, nothing)) + 1)
        )
        row = {"name": "last_account_id", "value": fresh}
        await upsert(conn, versions, [row], ["name"])
        values = {**values, "id": int(fresh or 1)}
    made = await insert_each_once(conn, accounts, [values], ["email"], [accounts.c.id])
    return int(made[0][0]) if made else None


async def change_account(
    conn: AsyncConnection, account_id: int, *conditions: sa.ColumnElement[bool], **values: object
) -> bool:
    """Set columns of one account and raise the version; False when no such account meets the `conditions`."""
    changing = sa.update(accounts).where(accounts.c.id == account_id, *conditions)
    done = await conn.execute(changing.values(**values))
    await bump_version(conn, "accounts")
    return done.rowcount == 1


async def list_columns(conn: AsyncConnection, account_id: int) -> object:
    """The columns of the lists as the account arranged them, by list; None where it did not."""
    return await conn.scalar(sa.select(accounts.c.list_columns).where(accounts.c.id == account_id))


async def mark_verified(conn: AsyncConnection, account_id: int, now: datetime) -> bool:
    """Note when the address was first confirmed; False when the account is gone."""
    first = sa.func.coalesce(accounts.c.verified_at, sa.literal(now, accounts.c.verified_at.type))
    return await change_account(conn, account_id, verified_at=first)


async def extend_plan(conn: AsyncConnection, account_id: int, until: datetime) -> bool:
    """Set the end of Pro to `until` unless it is later already; False when the account is gone."""
    paid = accounts.c.plan_until
    longer = sa.case((paid > until, paid), else_=sa.literal(until, paid.type))
    return await change_account(conn, account_id, plan_until=longer)


async def change_password(
    conn: AsyncConnection, account_id: int, password_hash: str, token_version: int | None
) -> bool:
    """Store a password's hash, raise the token version and end every session.

    With `token_version` only where the account still has that one; False when nothing was changed.
    """
    same = () if token_version is None else (accounts.c.token_version == token_version,)
    values = {"password_hash": password_hash, "token_version": accounts.c.token_version + 1}
    changed = await change_account(conn, account_id, *same, **values)
    if changed:
        await conn.execute(sa.delete(site_sessions).where(site_sessions.c.account_id == account_id))
    return changed


async def delete_account(conn: AsyncConnection, account_id: int) -> bool:
    """Delete an account and, through the foreign keys, everything it owns."""
    done = await conn.execute(sa.delete(accounts).where(accounts.c.id == account_id))
    await bump_version(conn, "accounts")
    return done.rowcount == 1


async def lock_account(conn: AsyncConnection, account_id: int) -> bool:
    """Make other transactions that count or change what this account owns wait; False when the account is gone.

    SQLite ignores the clause: it has one writer at a time anyway.
    """
    found = await conn.scalar(sa.select(accounts.c.id).where(accounts.c.id == account_id).with_for_update())
    return found is not None


async def raise_token_version(conn: AsyncConnection, account: Account) -> bool:
    """End the signed tokens of an account; False when they have ended since `account` was read."""
    same = accounts.c.token_version == account.token_version
    return await change_account(conn, account.id, same, token_version=accounts.c.token_version + 1)


async def lock_password(conn: AsyncConnection, account: Account) -> bool:
    """Keep the password from being changed until this transaction ends; False when it was changed meanwhile."""
    version = accounts.c.token_version == account.token_version
    same = sa.select(accounts.c.id).where(accounts.c.id == account.id, version)
    return await conn.scalar(same.with_for_update()) is not None


async def insert_key(conn: AsyncConnection, values: dict[str, object]) -> int:
    """Add an API key and give its id."""
    made = await conn.scalar(sa.insert(api_keys).values(**values).returning(api_keys.c.id))
    await bump_version(conn, "accounts")
    return int(made or 0)


async def list_keys(conn: AsyncConnection, account_id: int) -> list[ApiKeyRow]:
    """An account's keys, oldest first."""
    rows = await conn.execute(
        sa.select(*(api_keys.c[name] for name in ApiKeyRow.__annotations__))
        .where(api_keys.c.account_id == account_id)
        .order_by(api_keys.c.id)
    )
    return [cast("ApiKeyRow", {str(name): value for name, value in row.items()}) for row in rows.mappings()]


async def change_key(conn: AsyncConnection, account_id: int, key_id: int, scope: Scope) -> bool:
    """Set the scope of one of the account's keys; False when it has no such key."""
    mine = sa.and_(api_keys.c.id == key_id, api_keys.c.account_id == account_id)
    done = await conn.execute(sa.update(api_keys).where(mine).values(scope=scope))
    await bump_version(conn, "accounts")
    return done.rowcount == 1


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


# The sums of an account's ledger by bucket and month, for `credits.balance`; asks for `account` and `month`.
CREDIT_SUMS: Final = (
    sa.select(credit_ledger.c.bucket, credit_ledger.c.month, sa.func.sum(credit_ledger.c.delta))
    .where(
        credit_ledger.c.account_id == sa.bindparam("account"),
        sa.or_(credit_ledger.c.bucket != "plan", credit_ledger.c.month == sa.bindparam("month")),
    )
    .group_by(credit_ledger.c.bucket, credit_ledger.c.month)
)


async def credit_balance(conn: AsyncConnection, account_id: int, *, allowance: int, now: datetime) -> Balance:
    """The credits an account has left; `allowance` is its plan's number of checks a month."""
    month = month_of(now)
    sums = await conn.execute(CREDIT_SUMS, {"account": account_id, "month": month})
    return balance([(bucket, when, int(delta)) for bucket, when, delta in sums], allowance, month)


async def add_credits(conn: AsyncConnection, account_id: int, credit: Credit, now: datetime) -> bool:
    """Add credits once per reference; False when the reference is taken or there is nothing to add."""
    if credit.credits <= 0:
        return False
    row: dict[str, object] = {
        "account_id": account_id,
        "bucket": credit.bucket,
        "delta": credit.credits,
        "reason": credit.reason,
        "reference": credit.reference,
        "month": month_of(now),
        "at": now,
    }
    return await insert_once(conn, credit_ledger, row, ["reference"])


async def spend_credits(
    conn: AsyncConnection, account_id: int, references: Sequence[str], *, allowance: int, now: datetime
) -> bool:
    """Take one credit for each reference, or none at all: False when fewer are left. Lock the account first.

    A reference can be spent once: a second time raises the database's unique violation.
    """
    left = await credit_balance(conn, account_id, allowance=allowance, now=now)
    if left.available < len(references):
        return False
    rows = [
        {
            "account_id": account_id,
            "bucket": bucket,
            "delta": -1,
            "reason": "check",
            "reference": reference,
            "month": month_of(now),
            "at": now,
        }
        for bucket, reference in zip(left.in_order(), references, strict=False)
    ]
    if rows:
        await conn.execute(sa.insert(credit_ledger), rows)
    return True


async def refund_credit(conn: AsyncConnection, *, reference: str, now: datetime) -> bool:
    """Give back the credit spent under `reference`, once; False when it was never spent or was given back before."""
    result = await conn.execute(sa.select(credit_ledger).where(credit_ledger.c.reference == reference))
    spent = result.mappings().first()
    if spent is None or spent["delta"] >= 0:
        return False
    bucket = refund_bucket(spent["bucket"], spent["month"], month_of(now))
    credit = Credit(bucket, -spent["delta"], "refund", f"refund:{reference}")
    return await add_credits(conn, spent["account_id"], credit, now)


async def insert_grant(
    conn: AsyncConnection, account_id: int, reference: str, content: Mapping[str, object], now: datetime
) -> bool:
    """Record a grant once per reference; False when the reference is taken."""
    row = {"reference": reference, "account_id": account_id, "at": now, "content": dict(content)}
    return await insert_once(conn, grants, row, ["reference"])


async def recorded_grant(conn: AsyncConnection, reference: str) -> tuple[int, dict[str, object]]:
    """The account and the content of the grant recorded under `reference`."""
    row = await conn.execute(
        sa.select(grants.c.account_id, grants.c.content).where(grants.c.reference == reference)
    )
    account_id, content = row.one()
    return account_id, content
