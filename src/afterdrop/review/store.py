"""Rows of reviews, of archived pages' texts, and of the archive's answers that never change."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db import leases
from afterdrop.db.dialects import upsert
from afterdrop.db.leases import Claim
from afterdrop.db.tables.feeds import listings
from afterdrop.db.tables.review import archive_answers, archived_pages, reviews
from afterdrop.http.circuit_breaker import outages
from afterdrop.review.history.domain_history import History
from afterdrop.sources.archive.cdx_index import WAYBACK
from afterdrop.sources.archive.wayback import IndexAnswer

# content_state of an archived page: its text is due, is there, or cannot be had.
WANTED, STORED, FAILED = "wanted", "stored", "failed"


# An archive that has not answered for so long is done without: its captures are missing, and the review says so.
AWAY_AFTER: Final = timedelta(hours=1)
# How long a review stands for which an archive was missing.
_PARTIAL: Final = timedelta(days=1)


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


class KnownRows(NamedTuple):
    """The rows that `review_domain` takes as `closed` and `closed_before`, and the rows of Common Crawl's crawls."""

    closed: bytes = b""
    closed_before: int = 0
    crawls: bytes = b""


async def closed_rows(conn: AsyncConnection, domain: str) -> KnownRows:
    """The index rows that are kept of a domain."""
    c = archive_answers.c
    keys = [_index_key(domain), _crawls_key(domain)]
    bodies = {
        row.key: row for row in await conn.execute(sa.select(c.key, c.body, c.status).where(c.key.in_(keys)))
    }
    index, crawls = (bodies.get(key) for key in keys)
    return KnownRows(
        index.body if index else b"", index.status if index else 0, crawls.body if crawls else b""
    )


async def away_for_long(
    conn: AsyncConnection, hosts: Mapping[str, Collection[str]], now: datetime
) -> frozenset[str]:
    """The archives, by the name that `hosts` gives each, that have not answered for AWAY_AFTER."""
    since = (now - AWAY_AFTER).timestamp()
    away = {outage.host for outage in await outages(conn) if outage.since <= since}
    return frozenset(name for name, keys in hosts.items() if away.intersection(keys))


async def must_wait(
    conn: AsyncConnection, hosts: Mapping[str, Collection[str]], least: int, now: datetime
) -> bool:
    """Whether reviews wait for an archive: the Wayback Machine is paused, but not for long, or too few are left."""
    paused = {outage.host for outage in await outages(conn) if outage.paused(now.timestamp())}
    away = {name for name, keys in hosts.items() if paused.intersection(keys)}
    return len(hosts) - len(away) < least or WAYBACK in away - await away_for_long(conn, hosts, now)


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
    """Store a finished review and the rows of its index answer that never change.

    It is valid for `valid_days`, for a day where an archive was missing.
    """
    history = reviewed.history
    valid = _PARTIAL if reviewed.answer.index.missing else timedelta(days=valid_days)
    await upsert(
        conn,
        reviews,
        [
            {
                "domain": history.domain,
                "reviewed_at": now,
                "valid_until": now + valid,
                "spam": history.spam,
                "history": history.to_dict(),
            }
        ],
        ["domain"],
    )
    answer, domain = reviewed.answer, history.domain
    # `status` of an index row is the first year that its body does not hold.
    bodies = [
        (_index_key(domain), f"index of {domain}", answer.closed_before, answer.closed),
        (_crawls_key(domain), f"crawls of {domain}", 0, answer.crawls),
    ]
    rows: list[dict[str, object]] = [
        {
            "key": key,
            "url": url,
            "status": status,
            "headers": {},
            "body": body,
            "fetched_at": now,
            "keep_until": None,
        }
        for key, url, status, body in bodies
        if body
    ]
    if rows:
        await upsert(conn, archive_answers, rows, ["key"])


def _index_key(domain: str) -> str:
    return hashlib.sha256(f"index {domain}".encode()).hexdigest()


def _crawls_key(domain: str) -> str:
    return hashlib.sha256(f"crawls {domain}".encode()).hexdigest()


async def claim_texts(conn: AsyncConnection, claim: Claim) -> list[dict[str, Any]]:
    """Archived pages whose text is due, most-archived first."""
    pages = archived_pages.c
    due = sa.and_(pages.content_state == WANTED, pages.due_at <= claim.now)
    return await leases.claim(conn, archived_pages, claim, due, [pages.due_at, pages.captures.desc()])


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


async def text_failed(conn: AsyncConnection, row: dict[str, Any], why: str) -> bool:
    """Record why a claimed page has no text."""
    return await leases.settle(conn, archived_pages, row, content_state=FAILED, due_at=None, error=why[:500])
