"""Rows of reviews, of archived pages' texts, and of the archive's answers that never change."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db import leases
from afterdrop.db.dialects import upsert
from afterdrop.db.tables.feeds import listings
from afterdrop.db.tables.review import archive_answers, archived_pages, reviews
from afterdrop.review.history.domain_history import History
from afterdrop.sources.archive.wayback import IndexAnswer

# content_state of an archived page: its text is due, is there, or cannot be had.
WANTED, STORED, FAILED = "wanted", "stored", "failed"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A finished review: the history, and of the index answer what may be kept for good."""

    history: History
    answer: IndexAnswer


async def last_drop(conn: AsyncConnection, domain: str, now: datetime) -> datetime | None:
    """When the last drop that a list announced was over; None without one in the past."""
    c = listings.c
    past = sa.select(sa.func.max(c.ends_at, type_=c.ends_at.type)).where(
        c.domain == domain, c.type == "pending_delete", c.ends_at <= now
    )
    found: datetime | None = (await conn.execute(past)).scalar_one()
    return found


async def closed_rows(conn: AsyncConnection, domain: str) -> tuple[bytes, int]:
    """What `review_domain` takes as `closed` and `closed_before`; (b"", 0) when nothing is kept."""
    result = await conn.execute(
        sa.select(archive_answers.c.body, archive_answers.c.status).where(
            archive_answers.c.key == _index_key(domain)
        )
    )
    row = result.one_or_none()
    return (row.body, row.status) if row is not None else (b"", 0)


async def valid_history(conn: AsyncConnection, domain: str, now: datetime) -> History | None:
    """The domain's review while it is valid."""
    result = await conn.execute(
        sa.select(reviews.c.history).where(reviews.c.domain == domain, reviews.c.valid_until > now)
    )
    stored = result.scalar_one_or_none()
    return None if stored is None else History.from_dict(stored)


async def count_valid_reviews(conn: AsyncConnection, names: Sequence[str], now: datetime) -> int:
    """How many of `names` have a review that is still valid."""
    total = 0
    for start in range(0, len(names), 500):
        some = names[start : start + 500]
        count = sa.select(sa.func.count()).where(reviews.c.domain.in_(some), reviews.c.valid_until > now)
        total += int((await conn.execute(count)).scalar_one())
    return total


async def keep_review(conn: AsyncConnection, reviewed: Reviewed, now: datetime, valid_days: int) -> None:
    """Store a finished review and the closed years of its index answer."""
    history = reviewed.history
    await upsert(
        conn,
        reviews,
        [
            {
                "domain": history.domain,
                "reviewed_at": now,
                "valid_until": now + timedelta(days=valid_days),
                "spam": history.spam,
                "history": history.to_dict(),
            }
        ],
        ["domain"],
    )
    if reviewed.answer.closed:
        await upsert(conn, archive_answers, [_closed_row(reviewed, now)], ["key"])


def _closed_row(reviewed: Reviewed, now: datetime) -> dict[str, object]:
    # `status` of an index row is the first year that its body does not hold.
    return {
        "key": _index_key(reviewed.history.domain),
        "url": f"index of {reviewed.history.domain}",
        "status": reviewed.answer.closed_before,
        "headers": {},
        "body": reviewed.answer.closed,
        "fetched_at": now,
        "keep_until": None,
    }


def _index_key(domain: str) -> str:
    return hashlib.sha256(f"index {domain}".encode()).hexdigest()


async def claim_texts(
    conn: AsyncConnection, worker: str, now: datetime, lease: timedelta, limit: int
) -> list[dict[str, Any]]:
    """Archived pages whose text is due, most-archived first."""
    pages = archived_pages.c
    return await leases.claim(
        conn,
        archived_pages,
        worker=worker,
        now=now,
        lease=lease,
        limit=limit,
        due=sa.and_(pages.content_state == WANTED, pages.due_at <= now),
        order_by=(pages.due_at, pages.captures.desc()),
    )


async def keep_text(
    conn: AsyncConnection, row: dict[str, Any], *, title: str | None, words: int, content: str
) -> bool:
    """Store a claimed page's text (Markdown); False when the claim was lost."""
    return await leases.settle(
        conn,
        archived_pages,
        row,
        content_state=STORED,
        title=title,
        words=words,
        content=content,
        due_at=None,
        error=None,
    )


async def text_failed(
    conn: AsyncConnection, row: dict[str, Any], why: str, again_at: datetime | None
) -> bool:
    """Record why a claimed page has no text; due again at `again_at`, or never when that is None."""
    return await leases.settle(
        conn,
        archived_pages,
        row,
        content_state=FAILED if again_at is None else WANTED,
        due_at=again_at,
        error=why[:500],
    )
