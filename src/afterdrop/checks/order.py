"""Order a check: one credit, at most once, however many ask at the same time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection
from ulid import ULID

from afterdrop.accounts.store import lock_account, spend_credit
from afterdrop.checks import store
from afterdrop.core.errors import AfterdropError

PREFIX: Final = "chk_"
REUSED_FOR: Final = timedelta(days=7)


class NoChecksLeft(AfterdropError):
    """The account has no check credit left."""

    code, status = "no_checks_left", 402


@dataclass(frozen=True, slots=True)
class Ordered:
    """A check just made, with its place in the queue, or the one that stands already (`queue_position` None)."""

    check: Mapping[str, Any]
    queue_position: int | None = None


def credit_reference(check_id: str) -> str:
    """The ledger's reference of the credit a check used: refund with `refund_credit(reference=…)` when it fails."""
    return f"check:{check_id}"


async def standing(
    conn: AsyncConnection, account_id: int, domain: str, now: datetime
) -> Mapping[str, Any] | None:
    """The account's check of the domain that an order would give back, or None."""
    return await store.standing_check(conn, account_id, domain, now - REUSED_FOR)


async def order_check(
    conn: AsyncConnection, account_id: int, domain: str, *, allowance: int, now: datetime
) -> Ordered:
    """Queue a check of a registrable domain and take its credit, or give the one of the last 7 days back.

    `allowance` is the plan's number of checks a month. Raises NoChecksLeft.
    """
    await lock_account(conn, account_id)
    earlier = await standing(conn, account_id, domain, now)
    if earlier is not None:
        return Ordered(earlier)
    check_id = _next_id(await store.newest_id(conn, account_id, now), now)
    paid = await spend_credit(
        conn, account_id, allowance=allowance, reference=credit_reference(check_id), now=now
    )
    if paid is None:
        raise NoChecksLeft("", "no domain check credits are left")
    made = await store.insert_check(
        conn,
        {
            "id": check_id,
            "account_id": account_id,
            "domain": domain,
            "status": "queued",
            "slot": f"{account_id}:{domain}",
            "created_at": now,
            "due_at": now,
        },
    )
    return Ordered(made, await store.queue_position(conn, check_id, now))


def _next_id(newest: str | None, now: datetime) -> str:
    """A new id, above the account's newest of the same second, so that ids sort as the checks were ordered."""
    fresh = ULID.from_datetime(now)
    if newest is not None:
        above = int(ULID.from_str(newest.removeprefix(PREFIX))) + 1
        fresh = ULID.from_int(max(above, int(fresh)))
    return f"{PREFIX}{fresh}"


def check_json(row: Mapping[str, Any], site_url: str) -> dict[str, Any]:
    """The summary of a check as the interface shows it."""
    names = ("id", "domain", "status", "created_at", "finished_at", "score", "verdict")
    return {**{name: row[name] for name in names}, "report_url": f"{site_url}/checks/{row['id']}"}


def check_detail(row: Mapping[str, Any], site_url: str) -> dict[str, Any]:
    """A check with everything it found; before it is done nothing is known, so null, and no reasons."""
    done = row["status"] == "done"
    return {
        **check_json(row, site_url),
        "would_list": row["would_list"] if done else None,
        "reject_reasons": (row["reject_reasons"] or []) if done else [],
        "report": row["report"] if done else None,
        "registration": row["registration"] if done else None,
    }
