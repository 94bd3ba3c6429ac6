"""Plan time and credits granted from outside (a payment provider's hook), once per reference."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts import credit_ledger, members
from afterdrop.core.errors import AfterdropError
from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.accounts import grants


class GrantClash(AfterdropError):
    """The reference was used for another grant."""

    code, status = "validation_failed", 422


@dataclass(frozen=True, slots=True)
class Grant:
    """What to grant: Pro until a time (at least: grants may arrive in any order), purchased credits, or both."""

    reference: str
    plan_until: datetime | None = None
    credits: int = 0

    def content(self) -> dict[str, Any]:
        """What is remembered of it."""
        until = self.plan_until.isoformat() if self.plan_until else None
        return {"plan_until": until, "credits": self.credits}


async def apply_grant(conn: AsyncConnection, email: str, grant: Grant, now: datetime) -> bool:
    """Grant it; False when this very grant was applied before (nothing changes).

    Raises UnknownAccount, or GrantClash when the reference stands for something else.
    """
    account = await members.find_account(conn, email)
    row = {"reference": grant.reference, "account_id": account.id, "at": now, "content": grant.content()}
    if not await insert_once(conn, grants, row, ["reference"]):
        earlier = (
            await conn.execute(
                sa.select(grants.c.account_id, grants.c.content).where(grants.c.reference == grant.reference)
            )
        ).one()
        if earlier.account_id != account.id or earlier.content != grant.content():
            raise GrantClash("reference", "stands for another grant already")
        return False
    if grant.plan_until is not None:
        await members.extend_plan(conn, account.id, grant.plan_until)
    await credit_ledger.add(
        conn,
        account.id,
        bucket="purchased",
        credits=grant.credits,
        reason="grant",
        reference=f"grant:{grant.reference}",
        now=now,
    )
    return True
