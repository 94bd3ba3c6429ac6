"""The credit ledger: rows that are only ever added, each under a unique reference.

A balance is a sum and never below zero: a spending row is inserted only where the sum, read by the same
statement, leaves a credit. Callers hold the account's row lock (`store.lock_account`) while they spend.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.credits import SPENDING_ORDER, Balance, Bucket, balance, month_of, refund_bucket
from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.accounts import credit_ledger as rows


async def balance_of(conn: AsyncConnection, account_id: int, *, allowance: int, now: datetime) -> Balance:
    """What the account has left; `allowance` is its plan's number of checks a month."""
    month = month_of(now)
    sums = await conn.execute(
        sa.select(rows.c.bucket, rows.c.month, sa.func.sum(rows.c.delta))
        .where(rows.c.account_id == account_id, sa.or_(rows.c.bucket != "plan", rows.c.month == month))
        .group_by(rows.c.bucket, rows.c.month)
    )
    return balance([(bucket, when, int(delta)) for bucket, when, delta in sums], allowance, month)


async def add(
    conn: AsyncConnection,
    account_id: int,
    *,
    bucket: Bucket,
    credits: int,
    reason: str,
    reference: str,
    now: datetime,
) -> bool:
    """Credit an account once per reference; False when the reference stands already or there is nothing to add."""
    if credits <= 0:
        return False
    row: dict[str, Any] = {"account_id": account_id, "bucket": bucket, "delta": credits, "reason": reason}
    row |= {"reference": reference, "month": month_of(now), "at": now}
    return await insert_once(conn, rows, row, ["reference"])


async def spend(
    conn: AsyncConnection, account_id: int, *, allowance: int, reference: str, now: datetime
) -> Bucket | None:
    """Take one credit (plan, then welcome, then purchased); the bucket it came from, None when none is left.

    A reference can be spent once: a second time raises the database's unique violation.
    """
    month = month_of(now)
    for bucket in SPENDING_ORDER:
        left = sa.select(sa.func.coalesce(sa.func.sum(rows.c.delta), 0)).where(
            rows.c.account_id == account_id, rows.c.bucket == bucket
        )
        if bucket == "plan":
            left = left.where(rows.c.month == month)
        enough = left.scalar_subquery() + (allowance if bucket == "plan" else 0) > 0
        values = {
            rows.c.account_id: account_id,
            rows.c.bucket: bucket,
            rows.c.delta: -1,
            rows.c.reason: "check",
            rows.c.reference: reference,
            rows.c.month: month,
            rows.c.at: now,
        }
        taken = sa.select(*(sa.literal(value, column.type) for column, value in values.items())).where(enough)
        insert = sa.insert(rows).from_select(list(values), taken, include_defaults=False)
        done = await conn.execute(insert, execution_options={"preserve_rowcount": True})
        if done.rowcount == 1:
            return bucket
    return None


async def refund(conn: AsyncConnection, *, reference: str, now: datetime) -> bool:
    """Give back the credit spent under `reference`, once; False when it was never spent or is back already."""
    spent = (await conn.execute(sa.select(rows).where(rows.c.reference == reference))).mappings().first()
    if spent is None or spent["delta"] >= 0:
        return False
    return await add(
        conn,
        spent["account_id"],
        bucket=refund_bucket(spent["bucket"], spent["month"], month_of(now)),
        credits=-spent["delta"],
        reason="refund",
        reference=f"refund:{reference}",
        now=now,
    )
