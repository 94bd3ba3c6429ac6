"""Check many names in one order: what is known already is free, every other name costs one credit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, cast

import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict
from ulid import ULID

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.store import lock_account, spend_credits
from afterdrop.catalogue.rejections import RejectedSummary, rejected_among, tells_rejected
from afterdrop.catalogue.shapes import Summary
from afterdrop.catalogue.store import summaries
from afterdrop.catalogue.summary import Links
from afterdrop.checks import store
from afterdrop.checks.order import (
    REUSED_FOR,
    CheckJson,
    NewCheckRow,
    NoChecksLeft,
    check_json,
    new_check,
    next_id,
)
from afterdrop.checks.store import (
    CONCLUSION,
    IN_PROGRESS,
    CheckRow,
    CheckSummaryRow,
    reusable,
)
from afterdrop.core.errors import AfterdropError
from afterdrop.core.json_shapes import Count, DomainName, Moment
from afterdrop.core.settings import Settings
from afterdrop.db.dialects import lock_names
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.checks import check_batches, checks
from afterdrop.review.flags.risk_flags import Flag
from afterdrop.scoring.conclusion import Conclusion, Level

# `listed`: the account sees the whole report on a list; `checked`: it has a check of the last 7 days; `rejected`: it
# may read why a scan rejected the name; `new`: none of these.
Known = Literal["listed", "checked", "rejected", "new"]

_row = checks.c
_batch = check_batches.c


class CheckOutcomeRow(CheckSummaryRow):
    """The columns of `checks` that a table of a batch shows. `conclusion` is what a finished one concluded."""

    progress: str | None
    would_list: bool | None
    reject_reasons: list[str] | None
    conclusion: Conclusion


class BatchItemRow(TypedDict):
    """One name of a batch as it is stored: what was known when it was ordered, and its check."""

    domain: str
    known: Known
    check: str | None


# Of one without a report nothing is known.
_CONCLUSION: Final = sa.func.coalesce(CONCLUSION, "unknown").label("conclusion")
_OUTCOME: Final = tuple(
    _CONCLUSION if name == "conclusion" else _row[name] for name in CheckOutcomeRow.__annotations__
)


async def reusable_checks(
    conn: AsyncConnection, account_id: int, names: Sequence[str], since: datetime
) -> dict[str, CheckOutcomeRow]:
    """By name, the account's newest check that another order would give back. At most 1,000 names a call."""
    rows = await conn.execute(
        sa.select(*_OUTCOME)
        .where(_row.account_id == account_id, _row.domain.in_(sorted(names)), reusable(since))
        .order_by(_row.id)
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


class CheckFigures(TypedDict):
    """The figures of a finished check's report that a table shows."""

    title: str | None
    flags: list[Flag] | None
    flag_levels: dict[Flag, Level] | None
    metrics: Mapping[str, int | None] | None
    listing: Mapping[str, object] | None


async def figures(
    conn: AsyncConnection, account_id: int, check_ids: Sequence[str]
) -> dict[str, CheckFigures]:
    """The figures of these checks of the account that are done, by id. At most 1,000 a call."""
    parts = [_row.report[name].label(name) for name in CheckFigures.__annotations__]
    done = (_row.account_id == account_id, _row.id.in_(sorted(check_ids)), _row.status == "done")
    rows = await conn.execute(sa.select(_row.id, *parts).where(*done))
    return {row["id"]: cast(CheckFigures, dict(row)) for row in rows.mappings()}


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


# A batch is ordered after the checks that it takes up, perhaps on a machine whose clock is behind.
_CLOCKS_APART: Final = timedelta(days=1)


async def batches_with(conn: AsyncConnection, row: CheckRow) -> list[tuple[str, list[CheckRow]]]:
    """The batches that hold a check, each with all its checks once they have ended, and with none before.

    It is called in the transaction that ends the check. Others that end checks of the account wait for it, so that one
    of them sees that it was the last.
    """
    await lock_names(conn, [f"finished checks of {row['account_id']}"])
    recent = sa.select(_batch.id, _batch["items"]).where(
        _batch.account_id == row["account_id"], _batch.created_at >= row["created_at"] - _CLOCKS_APART
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


async def insert_checks(conn: AsyncConnection, rows: Sequence[Mapping[str, object]]) -> None:
    """Add checks, as `store.insert_check` adds one."""
    if rows:
        await conn.execute(sa.insert(checks), list(rows))


async def insert_batch(
    conn: AsyncConnection,
    batch_id: str,
    account_id: int,
    items: Sequence[Mapping[str, object]],
    now: datetime,
) -> None:
    """Add a batch."""
    values = {"id": batch_id, "account_id": account_id, "created_at": now, "items": list(items)}
    await conn.execute(sa.insert(check_batches).values(**values))


async def batch_row(
    conn: AsyncConnection, account_id: int, batch_id: str
) -> tuple[datetime, list[BatchItemRow]] | None:
    """When one of the account's batches was ordered, and its names; or None."""
    result = await conn.execute(
        sa.select(_batch.created_at, _batch["items"]).where(
            _batch.id == batch_id, _batch.account_id == account_id
        )
    )
    row = result.one_or_none()
    return None if row is None else (row[0], row[1])


@dataclass(frozen=True, slots=True)
class Ordered:
    """An order: a `check` of one name, or a batch of these `names`."""

    id: str
    created_at: datetime
    names: Sequence[str]
    check: CheckOutcomeRow | None


async def ordered(
    conn: AsyncConnection, account_id: int, *, page: int, per_page: int
) -> tuple[list[Ordered], int]:
    """A page of the account's orders, the newest first, and how many it has: single checks, and batches as a whole."""
    # A batch names its checks, those taken up from before, too; its own were ordered in its moment.
    named = sa.cast(_batch["items"], sa.Text).contains(_row.id)
    own = sa.and_(_batch.account_id == _row.account_id, _batch.created_at == _row.created_at, named)
    single = sa.select(_row.id, _row.created_at).where(_row.account_id == account_id, ~sa.exists().where(own))
    orders = single.union_all(
        sa.select(_batch.id, _batch.created_at).where(_batch.account_id == account_id)
    ).subquery()
    total = await conn.scalar(sa.select(sa.func.count()).select_from(orders))
    newest = sa.select(orders.c.id).order_by(orders.c.created_at.desc(), orders.c.id.desc())
    ids = (await conn.scalars(newest.limit(per_page).offset((page - 1) * per_page))).all()
    alone = await outcomes(conn, account_id, ids)
    chosen = sa.select(_batch.id, _batch.created_at, _batch["items"]).where(_batch.id.in_(ids))
    found = {
        batch_id: Ordered(batch_id, created_at, [item["domain"] for item in items], None)
        for batch_id, created_at, items in await conn.execute(chosen)
    }
    found |= {key: Ordered(key, row["created_at"], [row["domain"]], row) for key, row in alone.items()}
    return [found[each] for each in ids], total or 0


MOST_NAMES: Final = 100
PREFIX: Final = "bat_"


class CostsMore(AfterdropError):
    """The names cost more credits than the account agreed to."""

    def __init__(self, cost: int) -> None:
        super().__init__("", f"the names cost {credits_text(cost)}")
        self.cost = cost


@dataclass(frozen=True, slots=True)
class BatchItem:
    """One name of a batch, with what is known of it: its summary of a list, its check, or why it was rejected."""

    domain: str
    known: Known
    check: CheckOutcomeRow | None = None
    listed: Summary | None = None
    rejected: RejectedSummary | None = None

    @property
    def cost(self) -> int:
        """The credits it takes."""
        return int(self.known == "new")


@dataclass(frozen=True, slots=True)
class CheckBatch:
    """Names that were ordered together."""

    id: str
    created_at: datetime
    items: Sequence[BatchItem]


@dataclass(frozen=True, slots=True)
class BatchOrder:
    """An order of distinct registrable domains. `most_credits` is what its owner agreed to spend.

    `allowance` is the plan's number of checks a month.
    """

    viewer: Viewer
    names: Sequence[str]
    most_credits: int
    allowance: int


def cost_of(items: Sequence[BatchItem]) -> int:
    """The credits that an order of these items takes."""
    return sum(item.cost for item in items)


def credits_text(count: int) -> str:
    """A number of credits in words."""
    return f"{count} credit{'' if count == 1 else 's'}"


async def preview_batch(
    conn: AsyncConnection, viewer: Viewer, names: Sequence[str], now: datetime, settings: Settings
) -> list[BatchItem]:
    """The known result of each name, and so the cost of an order. Spends nothing."""
    seen = await _seen(conn, viewer, names, now, settings)
    unlisted = [name for name in names if name not in seen or seen[name].known != "listed"]
    earlier = await reusable_checks(conn, viewer.account_id, unlisted, now - REUSED_FOR)
    checked = {name: BatchItem(name, "checked", check) for name, check in earlier.items()}
    known = seen | checked
    return [known.get(name) or BatchItem(name, "new") for name in names]


async def _seen(
    conn: AsyncConnection, viewer: Viewer, names: Sequence[str], now: datetime, settings: Settings
) -> dict[str, BatchItem]:
    """The names of which the viewer reads for nothing all that a check would find: a whole report, a rejection."""
    rejected = await rejected_among(conn, names) if tells_rejected(viewer, settings) else {}
    found = {name: BatchItem(name, "rejected", rejected=row) for name, row in rejected.items()}
    for name, summary in (await summaries(conn, names, viewer, now, Links.of(settings))).items():
        if summary["detail"] == "full":
            found[name] = BatchItem(name, "listed", listed=summary)
    return found


async def order_batch(
    conn: AsyncConnection, order: BatchOrder, now: datetime, settings: Settings
) -> CheckBatch:
    """Queue a check of every new name and take their credits: all of it, or nothing.

    Raises CostsMore where more names have become new since the account agreed, and NoChecksLeft.
    """
    account_id = order.viewer.account_id
    await lock_account(conn, account_id)
    items = await preview_batch(conn, order.viewer, order.names, now, settings)
    cost = cost_of(items)
    if cost > order.most_credits:
        raise CostsMore(cost)
    newest = await store.newest_check_id(conn, account_id)
    new: dict[str, NewCheckRow] = {}
    for item in items:
        if item.known == "new":
            newest = next_id(newest, now)
            new[item.domain] = new_check(newest, account_id, item.domain, now)
    references = [store.credit_reference(row["id"]) for row in new.values()]
    if not await spend_credits(conn, account_id, references, allowance=order.allowance, now=now):
        raise NoChecksLeft("", f"these names cost {credits_text(cost)}, which is more than you have")
    await insert_checks(conn, list(new.values()))
    batch_id = f"{PREFIX}{ULID.from_datetime(now)}"
    kept = [(item, new[item.domain]["id"] if item.known == "new" else _id_of(item)) for item in items]
    rows = [{"domain": item.domain, "known": item.known, "check": check} for item, check in kept]
    await insert_batch(conn, batch_id, account_id, rows, now)
    made = await batch_of(conn, order.viewer, batch_id, now, settings)
    assert made is not None
    return made


def _id_of(item: BatchItem) -> str | None:
    return None if item.check is None else item.check["id"]


async def batch_of(
    conn: AsyncConnection, viewer: Viewer, batch_id: str, now: datetime, settings: Settings
) -> CheckBatch | None:
    """One of the account's batches with its checks as they are now, or None."""
    found = await batch_row(conn, viewer.account_id, batch_id)
    if found is None:
        return None
    created_at, rows = found
    made = await outcomes(conn, viewer.account_id, [row["check"] for row in rows if row["check"]])
    seen = await _seen(conn, viewer, [row["domain"] for row in rows if not row["check"]], now, settings)
    items = []
    for row in rows:
        name, check = row["domain"], made.get(row["check"] or "")
        items.append(replace(seen.get(name) or BatchItem(name, "new"), known=row["known"], check=check))
    return CheckBatch(batch_id, created_at, items)


class BatchItemJson(TypedDict):
    """One name of a batch."""

    domain: DomainName
    known: Annotated[
        Known, Field(description="Whether it is on a list, was checked lately, was rejected, or is new")
    ]
    cost: Annotated[int, Field(ge=0, le=1, description="Credits that it takes or took")]
    report_url: Annotated[
        str | None, Field(description="The page of its report or check; null if there is none yet")
    ]
    check: Annotated[
        CheckJson | None,
        Field(description="Null for a listed or rejected name, and for a new one before it is ordered"),
    ]
    rejected: Annotated[RejectedSummary | None, Field(description="Why a scan rejected it; null otherwise")]


class BatchProgress(TypedDict):
    """How many checks of the batch are in each state."""

    queued: Annotated[Count, Field(description="Checks that wait")]
    running: Annotated[Count, Field(description="Checks under way")]
    done: Annotated[Count, Field(description="Finished checks")]
    failed: Annotated[Count, Field(description="Failed checks; their credits have been returned")]


class _BatchMembers(TypedDict):
    names: Annotated[int, Field(ge=1, description="How many different domains there are")]
    listed: Annotated[
        Count, Field(description="Domains whose full report you can already see on a list: free")
    ]
    checked: Annotated[Count, Field(description="Domains you checked within the last 7 days: free")]
    rejected: Annotated[Count, Field(description="Domains a scan rejected, and you can read why: free")]
    new: Annotated[Count, Field(description="Domains that need a new check")]
    cost: Annotated[Count, Field(description="Credits that the order takes or took")]


class CheckBatchPreview(_BatchMembers):
    """The cost of an order of these names. Nothing was spent."""

    ordered: Annotated[Literal[False], Field(description="`false`: nothing was ordered")]
    credits_available: Annotated[Count, Field(description="Credits you have")]
    items: Annotated[list[BatchItemJson], Field(description="One row for each name")]


class CheckBatchJson(_BatchMembers):
    """Names ordered together, and how far their checks have got."""

    ordered: Annotated[Literal[True], Field(description="`true`: the checks are ordered")]
    id: Annotated[str, Field(pattern="^bat_[0-9A-HJKMNP-TV-Z]{26}$", description="The id of the batch")]
    created_at: Annotated[Moment, Field(description="When it was ordered")]
    progress: Annotated[BatchProgress, Field(description="How far the checks have got")]
    batch_url: Annotated[str, Field(description="The batch's page on the site; only its owner can open it")]
    items: Annotated[list[BatchItemJson], Field(description="One row for each name")]


def preview_json(items: Sequence[BatchItem], credits_available: int, site_url: str) -> CheckBatchPreview:
    """The cost of an order, and the reasons, as the API shows them."""
    return {
        "ordered": False,
        **_counts(items),
        "credits_available": credits_available,
        "items": [_item(item, site_url) for item in items],
    }


def batch_json(batch: CheckBatch, site_url: str) -> CheckBatchJson:
    """An ordered batch and how far it is, as the API shows it."""
    return {
        "ordered": True,
        "id": batch.id,
        "created_at": batch.created_at,
        **_counts(batch.items),
        "progress": progress_of(batch),
        "batch_url": batch_page(batch.id, site_url),
        "items": [_item(item, site_url) for item in batch.items],
    }


def batch_page(batch_id: str, site_url: str) -> str:
    """The batch's page on the site, which opens for its owner only."""
    return f"{site_url}/checks/batch/{batch_id}"


def progress_of(batch: CheckBatch) -> BatchProgress:
    """How many of the batch's checks there are in each state."""
    states = Counter(item.check["status"] for item in batch.items if item.check is not None)
    return {
        "queued": states["queued"],
        "running": states["running"],
        "done": states["done"],
        "failed": states["failed"],
    }


def _counts(items: Sequence[BatchItem]) -> _BatchMembers:
    known = Counter(item.known for item in items)
    return {
        "names": len(items),
        "listed": known["listed"],
        "checked": known["checked"],
        "rejected": known["rejected"],
        "new": known["new"],
        "cost": cost_of(items),
    }


def _item(item: BatchItem, site_url: str) -> BatchItemJson:
    check = None if item.check is None else check_json(item.check, site_url)
    url = None if item.listed is None else item.listed["report_url"]
    if item.rejected is not None:
        url = f"{site_url}/domains/{item.domain}"
    return {
        "domain": item.domain,
        "known": item.known,
        "cost": item.cost,
        "report_url": check["report_url"] if check else url,
        "check": check,
        "rejected": item.rejected,
    }
