"""The SQL of visitors' checks: ordered within the day's limits, claimed, finished, forgotten after a week."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.report import DomainReport
from afterdrop.db import leases
from afterdrop.db.dialects import lock_names
from afterdrop.db.tables.checks import visitor_checks
from afterdrop.db.tables.feeds import candidates

KEPT: Final = timedelta(days=7)
ATTEMPTS: Final = 3
_RETRY_AFTER: Final = timedelta(minutes=2)
_row = visitor_checks.c

Refused = Literal["day", "network"]


class VisitorCheckRow(TypedDict):
    """A row of `visitor_checks`."""

    hash: str
    day: str
    network: str
    domain: str
    status: str
    created_at: datetime
    finished_at: datetime | None
    report: DomainReport | None
    due_at: datetime | None
    claimed_by: str | None
    lease_until: datetime | None
    attempts: int
    error: str | None


@dataclass(frozen=True, slots=True)
class Quota:
    """How many checks visitors have in a day: all together, and from one network."""

    a_day: int
    a_network: int


async def ordered_on(conn: AsyncConnection, day: str, network: str | None = None) -> int:
    """How many checks were ordered on a day, from anywhere or from one network."""
    chosen = sa.select(sa.func.count()).select_from(visitor_checks).where(_row.day == day)
    if network is not None:
        chosen = chosen.where(_row.network == network)
    return int(await conn.scalar(chosen) or 0)


async def used_up(conn: AsyncConnection, network: str, quota: Quota, now: datetime) -> Refused | None:
    """Which of the day's limits is reached for this network; a reading transaction is enough to ask."""
    day = f"{now:%Y-%m-%d}"
    if await ordered_on(conn, day) >= quota.a_day:
        return "day"
    if await ordered_on(conn, day, network) >= quota.a_network:
        return "network"
    return None


async def order(
    conn: AsyncConnection, token_hash: str, domain: str, network: str, quota: Quota, now: datetime
) -> Refused | None:
    """Queue a check; says which limit is reached where it is refused."""
    await lock_names(conn, ["visitor checks"])
    refused = await used_up(conn, network, quota, now)
    if refused is not None:
        return refused
    row = {
        "hash": token_hash,
        "day": f"{now:%Y-%m-%d}",
        "network": network,
        "domain": domain,
        "status": "queued",
    }
    await conn.execute(sa.insert(visitor_checks).values(**row, created_at=now, due_at=now))
    return None


async def check_by(conn: AsyncConnection, token_hash: str, now: datetime) -> VisitorCheckRow | None:
    """The check with this hash of its token, until it is a week old."""
    chosen = sa.select(visitor_checks).where(_row.hash == token_hash, _row.created_at > now - KEPT)
    found = (await conn.execute(chosen)).mappings().one_or_none()
    return None if found is None else cast(VisitorCheckRow, dict(found))


async def claim(
    conn: AsyncConnection, worker: str, now: datetime, lease: timedelta, limit: int
) -> list[VisitorCheckRow]:
    """Take waiting checks, the oldest first; none while a scan's candidate is under review."""
    reviewing = sa.exists().where(candidates.c.state == "due", candidates.c.lease_until > now)
    due = sa.and_(_row.status == "queued", _row.due_at <= now, ~reviewing)
    order_by = [_row.created_at, _row.hash]
    return await leases.claim(
        conn, visitor_checks, worker=worker, now=now, lease=lease, limit=limit, due=due, order_by=order_by
    )


async def finish(conn: AsyncConnection, row: Mapping[str, Any], report: DomainReport, now: datetime) -> None:
    """Write the result. Raises LeaseLost."""
    values = {"status": "done", "finished_at": now, "due_at": None, "error": None, "report": report}
    await leases.must_settle(conn, visitor_checks, row, **values)


async def failed(conn: AsyncConnection, row: Mapping[str, Any], error: str, now: datetime) -> None:
    """Try again later, or fail for good after the last attempt."""
    values: dict[str, Any] = {"error": error[:1000], "due_at": now + _RETRY_AFTER * row["attempts"]}
    if row["attempts"] >= ATTEMPTS:
        values |= {"status": "failed", "finished_at": now, "due_at": None}
    await leases.settle(conn, visitor_checks, row, **values)


async def forget(conn: AsyncConnection, now: datetime, most: int) -> int:
    """Delete checks that are a week old; gives how many."""
    old = sa.select(_row.hash).where(_row.created_at <= now - KEPT).limit(most)
    return (await conn.execute(sa.delete(visitor_checks).where(_row.hash.in_(old)))).rowcount
