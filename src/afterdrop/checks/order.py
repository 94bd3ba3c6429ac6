"""Order a check for one credit; orders of the same domain within 7 days give the same check back, for no credit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Final, NotRequired

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict
from ulid import ULID

from afterdrop.accounts.store import lock_account, spend_credits
from afterdrop.catalogue.attribution import named_inputs
from afterdrop.catalogue.shapes import CheckReport
from afterdrop.checks import store
from afterdrop.checks.store import CheckRegistration, CheckRow, CheckStatus, CheckSummaryRow
from afterdrop.core.errors import AfterdropError
from afterdrop.core.json_shapes import DomainName, Moment, Percent
from afterdrop.review.flags.risk_flags import Verdict

PREFIX: Final = "chk_"
REUSED_FOR: Final = timedelta(days=7)


class NoChecksLeft(AfterdropError):
    """The account has no check credit left."""

    code, status = "no_checks_left", 402


@dataclass(frozen=True, slots=True)
class CheckOrder:
    """A new check with its place in the queue, or the account's earlier one (`queue_position` None)."""

    check: CheckSummaryRow
    queue_position: int | None = None


async def reusable_check(
    conn: AsyncConnection, account_id: int, domain: str, now: datetime
) -> CheckSummaryRow | None:
    """The account's check of the domain that another order would give back, or None."""
    return await store.reusable_check(conn, account_id, domain, now - REUSED_FOR)


async def order_check(
    conn: AsyncConnection, account_id: int, domain: str, *, allowance: int, now: datetime
) -> CheckOrder:
    """Queue a check of a registrable domain and take its credit, or give back the account's check of the last 7 days.

    `allowance` is the plan's number of checks a month. Raises NoChecksLeft.
    """
    await lock_account(conn, account_id)
    earlier = await reusable_check(conn, account_id, domain, now)
    if earlier is not None:
        return CheckOrder(earlier)
    check_id = next_id(await store.newest_check_id(conn, account_id), now)
    reference = store.credit_reference(check_id)
    if not await spend_credits(conn, account_id, [reference], allowance=allowance, now=now):
        raise NoChecksLeft("", "you have no check credits left")
    made = await store.insert_check(conn, new_check(check_id, account_id, domain, now))
    return CheckOrder(made, await store.queue_position(conn, check_id))


class NewCheckRow(TypedDict):
    """The columns of a check that is ordered now."""

    id: str
    account_id: int
    domain: str
    status: str
    slot: str
    created_at: datetime
    due_at: datetime


def new_check(check_id: str, account_id: int, domain: str, now: datetime) -> NewCheckRow:
    """The row of a check that is ordered now."""
    return {
        "id": check_id,
        "account_id": account_id,
        "domain": domain,
        "status": "queued",
        "slot": f"{account_id}:{domain}",
        "created_at": now,
        "due_at": now,
    }


def next_id(newest: str | None, now: datetime) -> str:
    """A new id above the account's newest, so that ids sort as the checks were ordered, by whatever clocks."""
    fresh = ULID.from_datetime(now)
    if newest is not None:
        above = int(ULID.from_str(newest.removeprefix(PREFIX))) + 1
        fresh = ULID.from_int(max(above, int(fresh)))
    return f"{PREFIX}{fresh}"


class CheckJson(TypedDict):
    """A check without its report."""

    id: Annotated[str, Field(pattern="^chk_[0-9A-HJKMNP-TV-Z]{26}$", description="The id of the check")]
    domain: DomainName
    status: Annotated[CheckStatus, Field(description="How far the check has got")]
    created_at: Annotated[Moment, Field(description="When it was ordered")]
    finished_at: Annotated[Moment | None, Field(description="When it ended; null until then")]
    score: Annotated[
        Percent | None, Field(description="0-100; null until the check is done, or if too little is known")
    ]
    verdict: Annotated[
        Verdict | None,
        Field(description="`risky` where a risk was found, or a second look is wise; null without a score"),
    ]
    report_url: Annotated[str, Field(description="The check's page on the site; only its owner can open it")]


class OrderedCheck(CheckJson):
    """A new check, or the one you already have."""

    queue_position: NotRequired[
        Annotated[
            int,
            Field(
                title="Queue Position",
                ge=1,
                description="Only on a new check: its place in the queue, counted from 1",
            ),
        ]
    ]


class CheckDetail(CheckJson):
    """A check with its result."""

    would_list: Annotated[
        bool | None, Field(description="Whether the daily scan would have listed the domain")
    ]
    reject_reasons: Annotated[list[str], Field(description="Why not; empty if it would have been listed")]
    report: Annotated[
        CheckReport | None,
        Field(description="The full report, once the check is done"),
    ]
    registration: Annotated[
        CheckRegistration | None, Field(description="The registry's answer; null if it was not asked")
    ]


def check_page(check_id: str, site_url: str) -> str:
    """The check's page on the site, which opens for its owner only."""
    return f"{site_url}/checks/{check_id}"


def check_json(row: CheckSummaryRow, site_url: str) -> CheckJson:
    """The summary of a check."""
    return {
        "id": row["id"],
        "domain": row["domain"],
        "status": row["status"],
        "created_at": row["created_at"],
        "finished_at": row["finished_at"],
        "score": row["score"],
        "verdict": row["verdict"],
        "report_url": check_page(row["id"], site_url),
    }


def check_detail(row: CheckRow, site_url: str) -> CheckDetail:
    """A check with everything it found; until it is done that is null, and there are no reasons.

    A check that failed because it learned nothing says that the domain would not list, and why.
    """
    report = row["report"]
    if report is not None and "score_inputs" in report:
        report = report.copy()
        report["score_inputs"] = named_inputs(report["score_inputs"])
    return {
        **check_json(row, site_url),
        "would_list": row["would_list"],
        "reject_reasons": row["reject_reasons"] or [],
        "report": report,
        "registration": row["registration"],
    }
