"""What operators decide about single domains: kept over re-scans, logged with who and why."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import publish, writing
from afterdrop.core.errors import AfterdropError
from afterdrop.db.dialects import bump_version, upsert
from afterdrop.db.tables.catalogue import banned_domains, domains, operator_actions
from afterdrop.db.tables.feeds import candidates
from afterdrop.db.tables.review import reviews


class NotInCatalogue(AfterdropError):
    """There is no such domain to act on."""

    code = "not_found"
    status = 404


async def remove(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> bool:
    """Take a domain off every list until it is restored; False when it was off already.

    Raises NotInCatalogue for a name never published.
    """
    await _must_be_known(conn, domain)
    await _log(conn, "remove", domain, actor, reason, now)
    return await _take_off(conn, domain, reason, now)


async def restore(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> bool:
    """Put a domain back on its list and lift a ban; a spam finding no longer takes it off. False: it was on.

    Raises NotInCatalogue for a name never published and not banned.
    """
    lifted = await conn.execute(sa.delete(banned_domains).where(banned_domains.c.domain == domain))
    if lifted.rowcount == 0:
        await _must_be_known(conn, domain)
    await _log(conn, "restore", domain, actor, reason, now)
    back = await conn.execute(
        sa.update(domains)
        .where(domains.c.domain == domain, domains.c.removed_at.is_not(None))
        .values(removed_at=None, removed_reason=None, updated_at=now)
    )
    if back.rowcount:
        await publish.refresh(conn, [domain], now, f"{now:%Y-%m-%d}")
        await bump_version(conn, writing.CATALOGUE)
    return back.rowcount == 1 or lifted.rowcount == 1


async def ban(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> bool:
    """Never list this name, whether or not it is known yet; False when it was banned already."""
    fresh = not await writing.is_banned(conn, domain)
    row = {"domain": domain, "banned_at": now, "actor": actor, "reason": reason}
    await upsert(conn, banned_domains, [row], ["domain"])
    await _log(conn, "ban", domain, actor, reason, now)
    await _take_off(conn, domain, reason, now)
    return fresh


async def review_again(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> None:
    """Have a domain's history fetched and judged anew, ahead of other candidates.

    Raises NotInCatalogue for a name no scan has taken up: there is nothing to list it with.
    """
    taken_up = sa.union(
        sa.select(domains.c.domain).where(domains.c.domain == domain),
        sa.select(candidates.c.domain).where(candidates.c.domain == domain),
    )
    if (await conn.execute(taken_up)).first() is None:
        raise NotInCatalogue(domain, "was never a candidate; `afterdrop check` reads any name's history")
    await _log(conn, "review", domain, actor, reason, now)
    await conn.execute(sa.update(reviews).where(reviews.c.domain == domain).values(valid_until=now))
    row = {
        "domain": domain,
        "state": "due",
        "outcome": None,
        "authority": 100.0,
        "ends_at": None,
        "first_seen_at": now,
        "settled_at": None,
        "due_at": now,
        "attempts": 0,
        "error": None,
    }
    await upsert(
        conn, candidates, [row], ["domain"], ["state", "outcome", "settled_at", "due_at", "attempts", "error"]
    )


async def _take_off(conn: AsyncConnection, domain: str, reason: str, now: datetime) -> bool:
    done = await writing.unlist(conn, domain, reason, now)
    if done:
        await bump_version(conn, writing.CATALOGUE)
    return done


async def _must_be_known(conn: AsyncConnection, domain: str) -> None:
    found = await conn.execute(sa.select(domains.c.domain).where(domains.c.domain == domain))
    if found.first() is None:
        raise NotInCatalogue(domain, "was never published")


async def _log(
    conn: AsyncConnection, action: str, domain: str, actor: str, reason: str, now: datetime
) -> None:
    row = {"at": now, "actor": actor, "action": action, "domain": domain, "reason": reason}
    await conn.execute(sa.insert(operator_actions).values(**row))
