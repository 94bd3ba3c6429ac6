"""Operators' decisions about single domains: they outlast re-scans, and are logged with who and why."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import publish, rejections
from afterdrop.core.errors import AfterdropError
from afterdrop.db.dialects import upsert
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
    await _must_be_published(conn, domain)
    await _log(conn, "remove", domain, actor, reason, now)
    return await _unlist(conn, domain, reason, now)


async def restore(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> bool:
    """Put a domain back on its list and lift a ban; from then on a spam finding does not take it off.

    Gives False when it was neither banned nor off its list. Raises NotInCatalogue for a name never published and not
    banned.
    """
    lifted = await conn.execute(sa.delete(banned_domains).where(banned_domains.c.domain == domain))
    ban_lifted = lifted.rowcount == 1
    if not ban_lifted:
        await _must_be_published(conn, domain)
    await _log(conn, "restore", domain, actor, reason, now)
    relisted = await relist(conn, domain)
    if relisted:
        await publish.refresh(conn, [domain], now, f"{now:%Y-%m-%d}")
        await publish.bump_catalogue(conn, [domain])
    return relisted or ban_lifted


async def relist(conn: AsyncConnection, domain: str) -> bool:
    """Put a domain back that was taken off the lists; False when it was not off."""
    done = await conn.execute(
        sa.update(domains)
        .where(domains.c.domain == domain, domains.c.removed_at.is_not(None))
        .values(removed_at=None, removed_reason=None)
    )
    return done.rowcount == 1


async def ban(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> bool:
    """Never list this name, whether or not it is known yet; False when it was banned already."""
    fresh = not await publish.is_banned(conn, domain)
    row = {"domain": domain, "banned_at": now, "actor": actor, "reason": reason}
    await upsert(conn, banned_domains, [row], ["domain"])
    await _log(conn, "ban", domain, actor, reason, now)
    await _unlist(conn, domain, reason, now)
    return fresh


async def review_again(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> None:
    """Have a domain's history fetched and judged anew, ahead of other candidates.

    Raises NotInCatalogue for a name that was never a candidate: it has no listing to be published with.
    """
    published = sa.exists().where(domains.c.domain == domain)
    candidate = sa.exists().where(candidates.c.domain == domain)
    if not (await conn.execute(sa.select(sa.or_(published, candidate)))).scalar_one():
        raise NotInCatalogue(domain, "was never a candidate; `afterdrop check` reviews any name's history")
    await _log(conn, "review", domain, actor, reason, now)
    await conn.execute(sa.update(reviews).where(reviews.c.domain == domain).values(valid_until=now))
    settled = {
        "state": "due",
        "outcome": None,
        "settled_at": None,
        "due_at": now,
        "attempts": 0,
        "error": None,
    }
    row = {"domain": domain, "authority": 100.0, "ends_at": None, "first_seen_at": now, **settled}
    await upsert(conn, candidates, [row], ["domain"], list(settled))


async def withdraw(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> None:
    """Never show a rejected name on the start page, masked or not, until it is readmitted."""
    await _log(conn, rejections.WITHDRAW, domain, actor, reason, now)
    await publish.bump_catalogue(conn, [])


async def readmit(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> None:
    """Let a withdrawn name be shown again among the rejected ones."""
    await _log(conn, rejections.READMIT, domain, actor, reason, now)
    await publish.bump_catalogue(conn, [])


async def _unlist(conn: AsyncConnection, domain: str, reason: str, now: datetime) -> bool:
    done = await publish.unlist(conn, domain, reason, now)
    if done:
        await publish.bump_catalogue(conn, [domain])
    return done


async def _must_be_published(conn: AsyncConnection, domain: str) -> None:
    if not await publish.was_published(conn, domain):
        raise NotInCatalogue(domain, "was never published")


async def _log(
    conn: AsyncConnection, action: str, domain: str, actor: str, reason: str, now: datetime
) -> None:
    row = {"at": now, "actor": actor, "action": action, "domain": domain, "reason": reason}
    await conn.execute(sa.insert(operator_actions).values(**row))
