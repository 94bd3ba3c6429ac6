"""The SQL of the look-ups: the cache of answers, and the drop that a registry's own list names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.json_values import Json
from afterdrop.db.dialects import upsert
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import listings
from afterdrop.db.tables.review import lookup_answers, registry_states
from afterdrop.sources.registry.drop_estimate import ListedDrop
from afterdrop.sources.registry.release_hours import release_opens


async def cached_answers(conn: AsyncConnection, keys: Collection[str], now: datetime) -> dict[str, Json]:
    """The cached answers that are still valid, by key."""
    table = lookup_answers.c
    result = await conn.execute(
        sa.select(table.key, table.answer).where(table.key.in_(list(keys)), table.keep_until > now)
    )
    return {row.key: row.answer for row in result}


async def cache_answers(
    conn: AsyncConnection, answers: Mapping[str, Mapping[str, object]], now: datetime, seconds: float
) -> None:
    """Cache `answers` by key for `seconds` from `now`."""
    until = now + timedelta(seconds=seconds)
    rows = [
        {"key": key, "answer": answer, "asked_at": now, "keep_until": until}
        for key, answer in answers.items()
    ]
    await upsert(conn, lookup_answers, rows, ["key"])


async def known_as_registered(conn: AsyncConnection, names: Collection[str]) -> set[str]:
    """The names that were listed or followed here, and that no re-check has found free."""
    listed, followed = domains.c, registry_states.c
    result = await conn.execute(
        sa.select(listed.domain)
        .where(listed.domain.in_(list(names)), listed.announced.is_(False))
        .union(
            sa.select(followed.domain).where(
                followed.domain.in_(list(names)), followed.stage.is_not(None), followed.stage != "available"
            )
        )
    )
    return set(result.scalars())


async def forget_answers(conn: AsyncConnection, now: datetime, *, at_most: int = 1000) -> int:
    """Delete up to `at_most` expired answers and return how many were deleted."""
    table = lookup_answers.c
    expired = sa.select(table.key).where(table.keep_until <= now).limit(at_most)
    return (await conn.execute(sa.delete(lookup_answers).where(table.key.in_(expired)))).rowcount


async def listed_drop(conn: AsyncConnection, domain: str, now: datetime) -> ListedDrop | None:
    """The drop of `domain` on a registry's list; None when no current listing names a time to come."""
    table = listings.c
    result = await conn.execute(
        sa.select(table.ends_at, table.certain_from)
        .where(
            table.domain == domain,
            table.exact_drop,
            table.withdrawn_at.is_(None),
            table.ends_at >= now,
        )
        .order_by(table.ends_at)
        .limit(1)
    )
    row = result.one_or_none()
    if row is None:
        return None
    certain = row.certain_from is None or row.certain_from <= now
    return ListedDrop(row.ends_at, release_opens(domain, row.ends_at), certain)
