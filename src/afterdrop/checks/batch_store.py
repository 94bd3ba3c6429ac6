"""The SQL of batches of checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.standing import Standing
from afterdrop.checks.store import IN_PROGRESS, STANDING, CheckRow, CheckSummaryRow, reusable
from afterdrop.db.dialects import lock_names
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.checks import check_batches, checks

_row = checks.c
_batch = check_batches.c


class CheckOutcomeRow(CheckSummaryRow):
    """The columns of `checks` that a table of a batch shows. `standing` is what a finished one concluded."""

    progress: str | None
    would_list: bool | None
    reject_reasons: list[str] | None
    standing: Standing


class BatchItemRow(TypedDict):
    """One name of a batch as it is stored: what was known when it was ordered, and its check."""

    domain: str
    known: Any
    check: str | None


# A report of an earlier version has a standing only where it was rejected.
_STANDING: Final = sa.func.coalesce(
    STANDING, sa.case((_row.score.is_(None), "unknown"), else_="scored")
).label("standing")
_OUTCOME: Final = tuple(
    _STANDING if name == "standing" else _row[name]
    for name in (*CheckSummaryRow.__annotations__, *CheckOutcomeRow.__annotations__)
)


async def reusable_checks(
    conn: AsyncConnection, account_id: int, names: Sequence[str], since: datetime
) -> dict[str, CheckOutcomeRow]:
    """By name, the account's newest check that another order would give back. At most 1,000 names a call."""
    rows = await conn.execute(
        sa.select(*_OUTCOME)
        .where(_row.account_id == account_id, _row.domain.in_(sorted(names)), reusable(since))
        .order_by(_row.created_at, _row.id)
    )
    return {row["domain"]: cast(CheckOutcomeRow, dict(row)) for row in rows.mappings()}


async def outcomes(
    conn: AsyncConnection, account_id: int, check_ids: Sequence[str]
) -> dict[str, CheckOutcomeRow]:
    """These checks of the account, by id. At most 1,000 a call."""
    rows = await conn.execute(
        sa.select(*_OUTCOME).where(_row.account_id == account_id, _row.id.in_(sorted(check_ids)))
    )
    return {row["id"]: cast(CheckOutcomeRow, dict(row)) for row in rows.mappings()}


@dataclass(frozen=True, slots=True)
class MailedOwner:
    """An account that wants mails about its finished checks."""

    email: str
    zone: str


async def owner_to_mail(conn: AsyncConnection, account_id: int) -> MailedOwner | None:
    """Where the account's mails about checks go; None where it wants none."""
    wanted = sa.select(accounts.c.email, accounts.c.zone).where(
        accounts.c.id == account_id, accounts.c.mail_checks.is_(True), accounts.c.verified_at.is_not(None)
    )
    found = (await conn.execute(wanted)).one_or_none()
    return None if found is None else MailedOwner(*found)


async def batches_with(conn: AsyncConnection, row: CheckRow) -> list[tuple[str, list[CheckRow]]]:
    """The batches that hold a check, each with all its checks once they have ended, and with none before.

    It is called in the transaction that ends the check. Others that end checks of the account wait for it, so that one
    of them sees that it was the last.
    """
    await lock_names(conn, [f"finished checks of {row['account_id']}"])
    recent = sa.select(_batch.id, _batch["items"]).where(
        _batch.account_id == row["account_id"], _batch.created_at >= row["created_at"]
    )
    found: list[tuple[str, list[CheckRow]]] = []
    for batch_id, items in await conn.execute(recent):
        ids = [item["check"] for item in items if item["check"]]
        if row["id"] not in ids:
            continue
        chosen = sa.select(checks).where(_row.id.in_(ids)).order_by(_row.id)
        ahead = sa.select(sa.exists(chosen.where(_row.status.in_(IN_PROGRESS)).with_only_columns(_row.id)))
        if await conn.scalar(ahead):
            found.append((batch_id, []))
            continue
        ended = (await conn.execute(chosen)).mappings()
        found.append((batch_id, [cast(CheckRow, dict(each)) for each in ended]))
    return found


async def insert_checks(conn: AsyncConnection, rows: Sequence[dict[str, Any]]) -> None:
    """Add checks, as `store.insert_check` adds one."""
    if rows:
        await conn.execute(sa.insert(checks), list(rows))


async def insert_batch(
    conn: AsyncConnection, batch_id: str, account_id: int, items: Sequence[dict[str, Any]], now: datetime
) -> None:
    """Add a batch."""
    values = {"id": batch_id, "account_id": account_id, "created_at": now, "items": list(items)}
    await conn.execute(sa.insert(check_batches).values(**values))


async def batch_row(
    conn: AsyncConnection, account_id: int, batch_id: str
) -> tuple[datetime, list[BatchItemRow]] | None:
    """When one of the account's batches was ordered, and its names; or None."""
    found = await conn.execute(
        sa.select(_batch.created_at, _batch["items"]).where(
            _batch.id == batch_id, _batch.account_id == account_id
        )
    )
    row = found.one_or_none()
    return None if row is None else (row[0], row[1])


async def newest_batches(
    conn: AsyncConnection, account_id: int, limit: int
) -> list[tuple[str, datetime, int]]:
    """The account's newest batches: id, when it was ordered, and how many names it has."""
    rows = await conn.execute(
        sa.select(_batch.id, _batch.created_at, _batch["items"])
        .where(_batch.account_id == account_id)
        .order_by(_batch.created_at.desc(), _batch.id.desc())
        .limit(limit)
    )
    return [(batch_id, created_at, len(items)) for batch_id, created_at, items in rows]
