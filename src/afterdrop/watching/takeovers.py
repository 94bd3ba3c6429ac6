"""Takeovers of followed names, told to their followers: events for webhooks, mails for those who want them.

How far the followers of a visit are told is kept with their events and mails, as with what registries say.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final, cast

import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict

from afterdrop.catalogue import visits
from afterdrop.catalogue.visits import VisitRow
from afterdrop.core.json_shapes import DomainName, Timestamp, instant
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.review import visits as visit_table
from afterdrop.db.tables.watching import watches
from afterdrop.delivery.events import TAKEOVER_SEEN
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import TakeoverNews
from afterdrop.review.history.after_life import AfterLifeKind
from afterdrop.watching import notice_store, store, takeover_words
from afterdrop.watching.matching_store import Recipient
from afterdrop.watching.notice_store import ToTell
from afterdrop.watching.telling import FollowerNews, tell_followers
from afterdrop.watching.watchlist import batched
from afterdrop.worker_context import WorkerContext


class TakeoverSeen(TypedDict):
    """The page at a watched domain after it got a new holder. Titles and quotes are a stranger's words."""

    domain: DomainName
    seen_at: Annotated[Timestamp, Field(description="When its home page was read")]
    kind: Annotated[AfterLifeKind, Field(description="The kind of page that stands there")]
    title: Annotated[str | None, Field(description="Title of the page; null without one")]
    category: Annotated[str | None, Field(description="The trade, where it is spam")]
    quotes: Annotated[list[str], Field(description="Sentences of the page, word for word")]
    price: Annotated[str | None, Field(description="As the page says it, where it is for sale")]
    leads_to: Annotated[str | None, Field(description="The other domain that visitors are sent to")]
    note: Annotated[str | None, Field(description="More about `kind`, such as the reason; null without")]
    page_url: Annotated[str | None, Field(description="The page that was read, after redirects")]
    registrar: Annotated[
        str | None, Field(description="The registrar of the new registration; null if unknown")
    ]
    registered_at: Annotated[
        Timestamp | None, Field(description="When it was registered anew; null if unknown")
    ]
    dropped_at: Annotated[Timestamp | None, Field(description="When the name was first seen free before")]
    evidence: Annotated[str | None, Field(description="The SHA-256 of the WARC record of the page")]
    evidence_url: Annotated[str, Field(description="The page of the site that shows it")]


async def tell_of_visits(context: WorkerContext) -> dict[str, int]:
    """Tell followers of every visit with news that not all were told of; gives how many accounts were told."""

    async def next_news(conn: AsyncConnection, now: datetime) -> FollowerNews | None:
        row = await visits.next_untold(conn)
        if row is None:
            return None
        followers: list[Recipient] = []
        if takeover_words.is_news(row, await visits.before(conn, row)):
            listed = await store.published(conn, [row["domain"]])
            known_at = _seen(row) if listed else row["known_at"] or row["began_at"]
            to_tell = ToTell(row["domain"], known_at, row["after_account"])
            followers = await notice_store.followers_to_tell(conn, to_tell, now)
        return _news(row, context.settings.site_url, followers)

    return await tell_followers(context, next_news)


def _news(row: VisitRow, site_url: str, followers: Sequence[Recipient]) -> FollowerNews:
    data = takeover_seen(row, site_url)

    async def advance(conn: AsyncConnection, up_to: int | None, now: datetime) -> bool:
        return await visits.advance(conn, row, up_to, now)

    news = TakeoverNews(
        row["domain"],
        takeover_words.status_phrase(row),
        takeover_words.passed(row),
        row["title"],
        tuple(data["quotes"]),
        data["seen_at"],
        data["evidence_url"],
    )
    occasion = ("takeover", f"{row['domain']}:{int(_seen(row).timestamp())}")
    return FollowerNews(
        TAKEOVER_SEEN,
        data,
        occasion,
        lambda frame: message.takeover_notice(frame, news),
        advance,
        followers,
    )


_visit, _watch = visit_table.c, watches.c
# What followers may read: the visits of names that were on a list at some time; of others those after a registration
# that nobody would have noticed but for them. Earlier ones tell that somebody else follows the name.
_READ: Final = sa.and_(
    _watch.domain == _visit.domain,
    _visit.visited_at.is_not(None),
    sa.or_(
        sa.func.coalesce(_visit.known_at, _visit.began_at) >= _watch.created_at,
        sa.exists().where(domains.c.domain == _visit.domain),
    ),
)


async def of_followed(conn: AsyncConnection, account_id: int, since: datetime, limit: int) -> list[VisitRow]:
    """The newest visit of each followed name that was visited at or after `since`, the newest first."""
    newest = sa.func.row_number().over(partition_by=_visit.domain, order_by=_visit.visited_at.desc())
    query = (
        sa.select(visit_table, newest.label("place"))
        .join_from(visit_table, watches, _READ)
        .where(_watch.account_id == account_id, _visit.visited_at >= since)
        .subquery()
    )
    first = sa.select(query).where(query.c.place == 1).order_by(query.c.visited_at.desc()).limit(limit)
    return [cast(VisitRow, dict(row)) for row in (await conn.execute(first)).mappings()]


async def read_by(conn: AsyncConnection, account_id: int, names: Sequence[str]) -> list[VisitRow]:
    """The visits of these names (at most 1,000) that the account may read as a follower, by name, the newest first."""
    query = sa.select(visit_table).join_from(visit_table, watches, _READ)
    mine = query.where(_watch.account_id == account_id, _visit.domain.in_(sorted(names)))
    result = await conn.execute(mine.order_by(_visit.domain, _visit.visited_at.desc()))
    return [cast(VisitRow, dict(row)) for row in result.mappings()]


async def stands_at(conn: AsyncConnection, account_id: int, names: Sequence[str]) -> dict[str, VisitRow]:
    """The newest visit of each of these names that the account may read, by name."""
    newest: dict[str, VisitRow] = {}
    for some in batched(names):
        for row in await read_by(conn, account_id, some):
            newest.setdefault(row["domain"], row)
    return newest


def takeover_seen(row: VisitRow, site_url: str) -> TakeoverSeen:
    """A visit that was made, as events show it."""
    return {
        "domain": row["domain"],
        "seen_at": instant(_seen(row)),
        "kind": row["kind"] or "unclear",
        "title": row["title"],
        "category": row["category"],
        "quotes": row["quotes"] or [],
        "price": row["price"],
        "leads_to": row["leads_to"],
        "note": row["note"] or None,
        "page_url": row["url"],
        "registrar": row["registrar"],
        "registered_at": instant(row["registered_at"]),
        "dropped_at": instant(row["dropped_at"]),
        "evidence": row["evidence"],
        "evidence_url": f"{site_url}/domains/{row['domain']}/takeover",
    }


def _seen(row: VisitRow) -> datetime:
    return row["visited_at"] or row["began_at"]
