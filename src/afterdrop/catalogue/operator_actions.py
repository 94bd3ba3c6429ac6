"""What operators decide about single domains: decisions outlast re-scans, and are logged with who and why."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import publish, rejections
from afterdrop.core.errors import AfterdropError


class NotInCatalogue(AfterdropError):
    """There is no such domain to act on."""

    code = "not_found"
    status = 404


async def remove(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> bool:
    """Take a domain off every list until it is restored; False when it was off already.

    Raises NotInCatalogue for a name never published.
    """
    await _must_be_published(conn, domain)
    await publish.log_action(conn, "remove", domain, actor, reason, now)
    return await _unlist(conn, domain, reason, now)


async def restore(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> bool:
    """Put a domain back on its list and lift a ban; from then on a spam finding does not take it off.

    Gives False when it was neither banned nor off its list. Raises NotInCatalogue for a name never published and not
    banned.
    """
    ban_lifted = await publish.lift_ban(conn, domain)
    if not ban_lifted:
        await _must_be_published(conn, domain)
    await publish.log_action(conn, "restore", domain, actor, reason, now)
    relisted = await publish.relist(conn, domain)
    if relisted:
        await publish.refresh(conn, [domain], now, f"{now:%Y-%m-%d}")
        await publish.bump_catalogue(conn, [domain])
    return relisted or ban_lifted


async def ban(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> bool:
    """Never list this name, whether or not it is known yet; False when it was banned already."""
    fresh = not await publish.is_banned(conn, domain)
    await publish.ban(conn, domain, actor, reason, now)
    await publish.log_action(conn, "ban", domain, actor, reason, now)
    await _unlist(conn, domain, reason, now)
    return fresh


async def review_again(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> None:
    """Have a domain's history fetched and judged anew, ahead of other candidates.

    Raises NotInCatalogue for a name that was never a candidate: it has no listing to be published with.
    """
    if not await publish.was_taken_up(conn, domain):
        raise NotInCatalogue(domain, "was never a candidate; `afterdrop check` reviews any name's history")
    await publish.log_action(conn, "review", domain, actor, reason, now)
    await publish.queue_review(conn, domain, now)


async def withdraw(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> None:
    """Never show a rejected name on the start page, masked or not, until it is readmitted."""
    await publish.log_action(conn, rejections.WITHDRAW, domain, actor, reason, now)
    await publish.bump_catalogue(conn, [])


async def readmit(conn: AsyncConnection, domain: str, actor: str, reason: str, now: datetime) -> None:
    """Let a withdrawn name be shown again among the rejected ones."""
    await publish.log_action(conn, rejections.READMIT, domain, actor, reason, now)
    await publish.bump_catalogue(conn, [])


async def _unlist(conn: AsyncConnection, domain: str, reason: str, now: datetime) -> bool:
    done = await publish.unlist(conn, domain, reason, now)
    if done:
        await publish.bump_catalogue(conn, [domain])
    return done


async def _must_be_published(conn: AsyncConnection, domain: str) -> None:
    if not await publish.was_published(conn, domain):
        raise NotInCatalogue(domain, "was never published")
