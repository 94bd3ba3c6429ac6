"""Grant plan time and credits from outside (a payment provider's hook), once per reference."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts import members, store
from afterdrop.core.errors import AfterdropError


class GrantClash(AfterdropError):
    """The reference was used for another grant."""

    code, status = "validation_failed", 422


@dataclass(frozen=True, slots=True)
class Grant:
    """A grant of Pro until a time (at least, since grants may arrive in any order), of purchased credits, or both."""

    reference: str
    plan_until: datetime | None = None
    credits: int = 0

    def content(self) -> dict[str, Any]:
        """The grant as it is recorded under its reference."""
        until = self.plan_until.isoformat() if self.plan_until else None
        return {"plan_until": until, "credits": self.credits}


async def apply_grant(conn: AsyncConnection, email: str, grant: Grant, now: datetime) -> bool:
    """Apply a grant; False when the same grant was applied before (nothing changes).

    Raises UnknownAccount, or GrantClash when the reference was used for another grant.
    """
    account = await members.find_account(conn, email)
    if not await store.insert_grant(conn, account.id, grant.reference, grant.content(), now):
        if await store.recorded_grant(conn, grant.reference) != (account.id, grant.content()):
            raise GrantClash("reference", "was already used for another grant")
        return False
    if grant.plan_until is not None:
        await members.extend_plan(conn, account.id, grant.plan_until)
    credit = store.Credit("purchased", grant.credits, "grant", f"grant:{grant.reference}")
    await store.add_credits(conn, account.id, credit, now)
    return True
