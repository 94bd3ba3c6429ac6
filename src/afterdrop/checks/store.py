"""The SQL of checks: ordered and read by accounts, claimed and finished by workers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, cast

import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict

from afterdrop.accounts.store import refund_credit
from afterdrop.catalogue.shapes import CheckReport
from afterdrop.core.json_shapes import Timestamp
from afterdrop.db import leases
from afterdrop.db.leases import Claim
from afterdrop.db.schema import Instant
from afterdrop.db.tables.catalogue import banned_domains, domains
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.queue import workers
from afterdrop.review.flags.risk_flags import Verdict
from afterdrop.sources.registry.rdap_answer import RegistryState

# A check fails for good after three attempts that were lost or failed, or half an hour without a result.
ATTEMPTS: Final = 3
NO_RESULT_AFTER: Final = timedelta(minutes=30)
RETRY_AFTER: Final = timedelta(seconds=10)

CheckStatus = Literal["queued", "running", "done", "failed"]
IN_PROGRESS: Final = ("queued", "running")

_row = checks.c
# What a check concluded (`scoring.conclusion`); null while it has no report.
CONCLUSION: Final = _row.report["conclusion"].as_string()


class CheckRegistration(TypedDict):
    """The registration found by a check."""

    state: Annotated[RegistryState, Field(description="The name's state at its registry")]
    registrar: Annotated[str | None, Field(description="The registrar; null if unknown")]
    registered_at: Annotated[Timestamp | None, Field(description="When it was registered; null if unknown")]
    expires_at: Annotated[Timestamp | None, Field(description="Until when it is paid; null if unknown")]
    statuses: Annotated[list[str] | None, Field(description="Null when the state is `unknown`")]


class CheckSummaryRow(TypedDict):
    """The columns of `checks` that a list of checks shows."""

    id: str
    domain: str
    status: CheckStatus
    created_at: datetime
    finished_at: datetime | None
    score: int | None
    verdict: Verdict | None


class CheckRow(CheckSummaryRow):
    """A whole row of `checks`."""

    account_id: int
    slot: str | None
    started_at: datetime | None
    progress: str | None
    would_list: bool | None
    reject_reasons: list[str] | None
    report: CheckReport | None
    registration: CheckRegistration | None
    due_at: datetime | None
    claimed_by: str | None
    lease_until: datetime | None
    attempts: int
    error: str | None


_SUMMARY: Final = tuple(_row[name] for name in CheckSummaryRow.__annotations__)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a finished check; `report` and `registration` as the interface shows them.

    Score and verdict are None where the check learned nothing.
    """

    score: int | None
    verdict: str | None
    would_list: bool
    reject_reasons: Sequence[str]
    report: CheckReport
    registration: CheckRegistration


def credit_reference(check_id: str) -> str:
    """The reference in the credit ledger of the credit that a check used, to refund it when the check fails."""
    return f"check:{check_id}"


def reusable(since: datetime) -> sa.ColumnElement[bool]:
    """A check that stands for another order of its domain: in progress, or done and ordered after `since`."""
    recent = sa.and_(_row.status == "done", _row.created_at > since)
    return sa.or_(_row.status.in_(IN_PROGRESS), recent)


async def reusable_check(
    conn: AsyncConnection, account_id: int, domain: str, since: datetime
) -> CheckSummaryRow | None:
    """The account's newest check of a domain that is queued, running, or done and ordered after `since`."""
    row = await conn.execute(
        sa.select(*_SUMMARY)
        .where(
            _row.account_id == account_id,
            _row.domain == domain,
            reusable(since),
        )
        .order_by(_row.id.desc())
        .limit(1)
    )
    found = row.mappings().first()
    return cast(CheckSummaryRow, dict(found)) if found else None


async def newest_check_id(conn: AsyncConnection, account_id: int) -> str | None:
    """The highest id among the account's checks. Its account is locked."""
    found: str | None = await conn.scalar(
        sa.select(sa.func.max(_row.id)).where(_row.account_id == account_id)
    )
    return found


async def insert_check(conn: AsyncConnection, values: Mapping[str, object]) -> CheckSummaryRow:
    """Add a check. A second one in progress for the same account and domain violates the unique key of `slot`."""
    row = await conn.execute(sa.insert(checks).values(**values).returning(*_SUMMARY))
    return cast(CheckSummaryRow, dict(row.mappings().one()))


async def queue_position(conn: AsyncConnection, check_id: str) -> int:
    """The place of a queued check among all queued ones, from 1; 1 for a check that is queued no longer."""
    in_line = (
        sa.select(_row.id, _row.created_at, _row.status)
        .add_columns(sa.func.row_number().over(partition_by=_row.account_id, order_by=_row.id).label("own"))
        .where(_row.status.in_(IN_PROGRESS))
        .subquery()
    )
    order = (in_line.c.own, in_line.c.created_at, in_line.c.id)
    place = sa.func.row_number().over(order_by=order).label("place")
    queued = sa.select(in_line.c.id, place).where(in_line.c.status == "queued").subquery()
    return int(await conn.scalar(sa.select(queued.c.place).where(queued.c.id == check_id)) or 1)


def _place_in_own_line() -> sa.ScalarSelect[int]:
    """How many of its account's checks in progress were ordered before a check.

    Checks are taken in this order, so that an account with a hundred in the queue does not make the others wait.
    """
    other = checks.alias()
    earlier = (other.c.account_id == _row.account_id, other.c.id < _row.id)
    return (
        sa.select(sa.func.count())
        .select_from(other)
        .where(*earlier, other.c.status.in_(IN_PROGRESS))
        .correlate(checks)
        .scalar_subquery()
    )


async def count_checks(conn: AsyncConnection, account_id: int) -> int:
    """How many checks an account ever ordered."""
    mine = sa.select(sa.func.count()).select_from(checks).where(_row.account_id == account_id)
    return int(await conn.scalar(mine) or 0)


async def checks_of(
    conn: AsyncConnection, account_id: int, *, page: int, per_page: int
) -> list[CheckSummaryRow]:
    """A page of an account's checks, newest first."""
    rows = await conn.execute(
        sa.select(*_SUMMARY)
        .where(_row.account_id == account_id)
        .order_by(_row.id.desc())
        .limit(per_page)
        .offset((page - 1) * per_page)
    )
    return [cast(CheckSummaryRow, dict(row)) for row in rows.mappings()]


async def check_row(conn: AsyncConnection, account_id: int, check_id: str) -> CheckRow | None:
    """One of the account's checks with everything it found, or None."""
    row = await conn.execute(sa.select(checks).where(_row.id == check_id, _row.account_id == account_id))
    found = row.mappings().first()
    return cast(CheckRow, dict(found)) if found else None


async def shared_reports(
    conn: AsyncConnection, account_id: int, names: Collection[str]
) -> dict[str, CheckReport]:
    """The newest reports of an account's checks of these names.

    A name that was taken off the lists or banned since has none.
    """
    gone = sa.exists().where(domains.c.domain == _row.domain, domains.c.removed_at.is_not(None))
    banned = sa.exists().where(banned_domains.c.domain == _row.domain)
    mine = sa.and_(_row.account_id == account_id, _row.domain.in_(sorted(names)), _row.status == "done")
    chosen = sa.select(_row.domain, _row.report).where(mine, ~gone, ~banned)
    # The newest comes last, and stays.
    result = await conn.execute(chosen.order_by(_row.id))
    return {domain: cast(CheckReport, report) for domain, report in result if report}


async def claim(conn: AsyncConnection, claim: Claim, *, only: Sequence[str] | None = None) -> list[CheckRow]:
    """Take queued checks, an account's in the order in which they came, those of several accounts in turn.

    They are `running` from here on. `only`: none but those.
    """
    due = sa.and_(_row.status == "queued", _row.due_at <= claim.now)
    return await leases.claim(
        conn,
        checks,
        claim,
        due if only is None else sa.and_(due, _row.id.in_(only)),
        order_by=[_place_in_own_line(), _row.created_at, _row.id],
        values={
            "status": "running",
            "started_at": sa.func.coalesce(_row.started_at, sa.literal(claim.now, Instant())),
        },
    )


async def requeue_lost(conn: AsyncConnection, now: datetime) -> list[CheckRow]:
    """Put running checks without a worker back into the queue; gives those out of attempts or time, to be failed.

    Their workers died (the lease is over) or stopped in good order and gave them back (there is none). The half hour
    without a result runs from the first claim, or from the order of a check that was never claimed; one that waits
    behind others of its account waits on while those are taken.
    """
    free = sa.or_(_row.lease_until.is_(None), _row.lease_until <= now)
    lost = sa.and_(_row.status == "running", free)
    await conn.execute(
        sa.update(checks)
        .where(lost, _row.attempts < ATTEMPTS, _row.started_at > now - NO_RESULT_AFTER)
        .values(status="queued", due_at=now, claimed_by=None, lease_until=None)
    )
    waited = sa.func.coalesce(_row.started_at, _row.created_at, type_=Instant())
    other = checks.alias()
    moving = sa.exists().where(
        other.c.account_id == _row.account_id, other.c.started_at > now - NO_RESULT_AFTER
    )
    overdue = sa.and_(waited <= now - NO_RESULT_AFTER, sa.or_(_row.started_at.is_not(None), ~moving))
    hopeless = sa.or_(lost, sa.and_(_row.status == "queued", overdue))
    result = await conn.execute(sa.select(checks).where(hopeless))
    return [cast(CheckRow, dict(row)) for row in result.mappings()]


def time_left(row: CheckRow, now: datetime) -> float:
    """Seconds until a claimed check has been without a result for too long; negative when it is."""
    return (_started(row) + NO_RESULT_AFTER - now).total_seconds()


def _started(row: CheckRow) -> datetime:
    """When the check was claimed first."""
    assert row["started_at"] is not None
    return row["started_at"]


async def anyone_working(conn: AsyncConnection, since: datetime) -> bool:
    """Whether there is a worker that has not stopped and whose heartbeat is not older than `since`."""
    alive = sa.and_(workers.c.stopped_at.is_(None), workers.c.heartbeat_at >= since)
    return await conn.scalar(sa.select(workers.c.id).where(alive).limit(1)) is not None


async def set_progress(conn: AsyncConnection, row: CheckRow, progress: str) -> None:
    """Write what a running check is doing."""
    await conn.execute(sa.update(checks).where(leases.holds(checks, row)).values(progress=progress))


async def finish(conn: AsyncConnection, row: CheckRow, result: CheckResult, now: datetime) -> CheckRow:
    """Write a check's result; gives the row with it. Raises LeaseLost, which rolls the transaction back."""
    values = {
        "status": "done",
        "slot": None,
        "finished_at": now,
        "progress": None,
        "error": None,
        "due_at": None,
        "score": result.score,
        "verdict": result.verdict,
        "would_list": result.would_list,
        "reject_reasons": list(result.reject_reasons),
        "report": result.report,
        "registration": result.registration,
    }
    await leases.must_settle(conn, checks, row, **values)
    return cast(CheckRow, {**row, **values})


async def requeue_failed(conn: AsyncConnection, row: CheckRow, error: str, now: datetime) -> bool:
    """Put a check whose attempt failed back into the queue; False when it is out of attempts or time."""
    if row["attempts"] >= ATTEMPTS or now - _started(row) >= NO_RESULT_AFTER:
        return False
    again = now + RETRY_AFTER * row["attempts"]
    await leases.settle(conn, checks, row, status="queued", due_at=again, error=error[:1000], progress=None)
    return True


async def fail(
    conn: AsyncConnection, row: CheckRow, error: str, now: datetime, reasons: Sequence[str] = ()
) -> CheckRow | None:
    """Fail a check for good and return its credit; gives the row, or None when it was settled already.

    `reasons` say why the domain would not list, where the check learned nothing rather than broke off.
    """
    values: dict[str, object] = {"status": "failed", "slot": None, "finished_at": now, "due_at": None}
    values["error"] = error[:1000]
    if reasons:
        values |= {"would_list": False, "reject_reasons": list(reasons)}
    done = await conn.execute(
        sa.update(checks)
        .where(_row.id == row["id"], _row.attempts == row["attempts"], _row.status.in_(IN_PROGRESS))
        .values(**values, progress=None, claimed_by=None, lease_until=None)
    )
    if done.rowcount == 0:
        return None
    await refund_credit(conn, reference=credit_reference(row["id"]), now=now)
    return cast(CheckRow, {**row, **values})
