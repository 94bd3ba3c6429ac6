"""Check many names in one order: what is known already is free, every other name costs one credit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy.ext.asyncio import AsyncConnection
from ulid import ULID

from afterdrop.accounts.plans import Viewer
from afterdrop.accounts.store import lock_account, spend_credits
from afterdrop.catalogue.store import summaries
from afterdrop.catalogue.summary import DomainSummary, Links
from afterdrop.checks import batch_store, store
from afterdrop.checks.batch_store import CheckOutcomeRow
from afterdrop.checks.order import REUSED_FOR, NoChecksLeft, check_json, new_check, next_id
from afterdrop.core.errors import AfterdropError

MOST_NAMES: Final = 100
PREFIX: Final = "bat_"
# `listed`: the account sees the whole report on a list; `checked`: it has a check of the last 7 days; `new`: neither.
Known = Literal["listed", "checked", "new"]


class CostsMore(AfterdropError):
    """The names cost more credits than the account agreed to."""

    def __init__(self, cost: int) -> None:
        super().__init__("", f"the names cost {credits_text(cost)}")
        self.cost = cost


@dataclass(frozen=True, slots=True)
class BatchItem:
    """One name of a batch, with what is known of it: `listed` its summary, else its `check` unless it is still new."""

    domain: str
    known: Known
    check: CheckOutcomeRow | None = None
    listed: DomainSummary | None = None

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
    conn: AsyncConnection, viewer: Viewer, names: Sequence[str], now: datetime, links: Links
) -> list[BatchItem]:
    """What is known of each name, and so what an order costs. Spends nothing."""
    listed = await _listed(conn, viewer, names, now, links)
    unlisted = [name for name in names if name not in listed]
    earlier = await batch_store.reusable_checks(conn, viewer.account_id, unlisted, now - REUSED_FOR)
    return [
        BatchItem(name, "listed", listed=listed[name])
        if name in listed
        else BatchItem(name, "checked" if name in earlier else "new", earlier.get(name))
        for name in names
    ]


async def _listed(
    conn: AsyncConnection, viewer: Viewer, names: Sequence[str], now: datetime, links: Links
) -> dict[str, DomainSummary]:
    """The names whose whole report the viewer sees: only there is nothing left to be checked."""
    seen = await summaries(conn, names, viewer, now, links)
    return {name: summary for name, summary in seen.items() if summary["detail"] == "full"}


async def order_batch(conn: AsyncConnection, order: BatchOrder, now: datetime, links: Links) -> CheckBatch:
    """Queue a check of every new name and take their credits: all of it, or nothing.

    Raises CostsMore where more names have become new since the account agreed, and NoChecksLeft.
    """
    account_id = order.viewer.account_id
    await lock_account(conn, account_id)
    items = await preview_batch(conn, order.viewer, order.names, now, links)
    cost = cost_of(items)
    if cost > order.most_credits:
        raise CostsMore(cost)
    newest = await store.newest_check_id(conn, account_id, now)
    new: dict[str, dict[str, Any]] = {}
    for item in items:
        if item.known == "new":
            newest = next_id(newest, now)
            new[item.domain] = new_check(newest, account_id, item.domain, now)
    references = [store.credit_reference(row["id"]) for row in new.values()]
    if not await spend_credits(conn, account_id, references, allowance=order.allowance, now=now):
        raise NoChecksLeft("", f"these names cost {credits_text(cost)}, which is more than you have")
    await batch_store.insert_checks(conn, list(new.values()))
    batch_id = f"{PREFIX}{ULID.from_datetime(now)}"
    kept = [(item, new[item.domain]["id"] if item.known == "new" else _id_of(item)) for item in items]
    rows = [{"domain": item.domain, "known": item.known, "check": check} for item, check in kept]
    await batch_store.insert_batch(conn, batch_id, account_id, rows, now)
    made = await batch_of(conn, order.viewer, batch_id, now, links)
    assert made is not None
    return made


def _id_of(item: BatchItem) -> str | None:
    return None if item.check is None else item.check["id"]


async def batch_of(
    conn: AsyncConnection, viewer: Viewer, batch_id: str, now: datetime, links: Links
) -> CheckBatch | None:
    """One of the account's batches with its checks as they are now, or None."""
    found = await batch_store.batch_row(conn, viewer.account_id, batch_id)
    if found is None:
        return None
    created_at, rows = found
    checks = await batch_store.outcomes(
        conn, viewer.account_id, [row["check"] for row in rows if row["check"]]
    )
    listed = await _listed(conn, viewer, [row["domain"] for row in rows if not row["check"]], now, links)
    items = [
        BatchItem(row["domain"], row["known"], checks.get(row["check"] or ""), listed.get(row["domain"]))
        for row in rows
    ]
    return CheckBatch(batch_id, created_at, items)


def preview_json(items: Sequence[BatchItem], credits_available: int, site_url: str) -> dict[str, Any]:
    """What an order would cost, and why, as the API shows it."""
    return {
        "ordered": False,
        **_counts(items),
        "credits_available": credits_available,
        **_items(items, site_url),
    }


def batch_json(batch: CheckBatch, site_url: str) -> dict[str, Any]:
    """An ordered batch and how far it is, as the API shows it."""
    return {
        "ordered": True,
        "id": batch.id,
        "created_at": batch.created_at,
        **_counts(batch.items),
        "progress": progress_of(batch),
        "batch_url": batch_page(batch.id, site_url),
        **_items(batch.items, site_url),
    }


def batch_page(batch_id: str, site_url: str) -> str:
    """The batch's page on the site, which opens for its owner only."""
    return f"{site_url}/checks/batch/{batch_id}"


def progress_of(batch: CheckBatch) -> dict[str, int]:
    """How many of the batch's checks there are in each state."""
    states = Counter(item.check["status"] for item in batch.items if item.check is not None)
    return {state: states[state] for state in ("queued", "running", "done", "failed")}


def _counts(items: Sequence[BatchItem]) -> dict[str, int]:
    known = Counter(item.known for item in items)
    counts = {state: known[state] for state in ("listed", "checked", "new")}
    return {"names": len(items), **counts, "cost": cost_of(items)}


def _items(items: Sequence[BatchItem], site_url: str) -> dict[str, list[Mapping[str, Any]]]:
    return {"items": [_item(item, site_url) for item in items]}


def _item(item: BatchItem, site_url: str) -> dict[str, Any]:
    check = None if item.check is None else check_json(item.check, site_url)
    url = None if item.listed is None else item.listed["report_url"]
    return {
        "domain": item.domain,
        "known": item.known,
        "cost": item.cost,
        "report_url": check["report_url"] if check else url,
        "check": check,
    }
