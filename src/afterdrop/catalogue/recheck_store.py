"""The SQL of the re-check: which ended domains are due, what a look changed, how a registry host behaved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.recheck_rules import Change, is_mass
from afterdrop.catalogue.writing import CATALOGUE, match_later
from afterdrop.core.domain_names import tld
from afterdrop.db.dialects import bump_version, insert_once
from afterdrop.db.tables.alerts import watches
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.lookups import registry_passes


def due(now: datetime) -> sa.ColumnElement[bool]:
    """Ended, on the list, its time come; a resolved one only while somebody watches it."""
    row = domains.c
    watched = sa.exists().where(watches.c.domain == row.domain)
    return sa.and_(
        row.live_until <= now,
        row.removed_at.is_(None),
        sa.or_(row.recheck_at.is_(None), row.recheck_at <= now),
        sa.or_(row.resolved_at.is_(None), watched),
    )


async def due_names(conn: AsyncConnection, now: datetime, limit: int) -> list[str]:
    """Due domains that no live worker holds, longest overdue first: a look through the archive, for a reader."""
    row = domains.c
    chosen = sa.select(row.domain).where(due(now), _free(now))
    found = await conn.scalars(chosen.order_by(row.recheck_at.nulls_first(), row.domain).limit(limit))
    return list(found.all())


def _free(now: datetime) -> sa.ColumnElement[bool]:
    until = domains.c.recheck_lease_until
    return sa.or_(until.is_(None), until <= now)


async def claim(
    conn: AsyncConnection, names: Sequence[str], worker: str, now: datetime, lease: timedelta
) -> list[dict[str, Any]]:
    """Take those of `names` that are still due and that no live worker holds."""
    row = domains.c
    held = (
        sa.select(row.domain)
        .where(row.domain.in_(names), due(now), _free(now))
        .with_for_update(skip_locked=True)
    )
    taken = await conn.execute(
        sa.update(domains)
        .where(row.domain.in_(held))
        .values(recheck_claimed_by=worker, recheck_lease_until=now + lease)
        .returning(*domains.columns)
    )
    return [dict(found) for found in taken.mappings()]


async def count_due(conn: AsyncConnection, now: datetime) -> int:
    """How many ended domains wait for a look."""
    found = await conn.execute(sa.select(sa.func.count()).select_from(domains).where(due(now)))
    return int(found.scalar_one())


async def settle(
    conn: AsyncConnection,
    row: dict[str, Any],
    change: Change,
    host: str | None,
    slot: datetime,
    now: datetime,
) -> bool:
    """Write what a look changed, and let the row go; False when the claim was lost or the domain is listed again."""
    same = [
        domains.c[name] == row[name]
        for name in ("domain", "live_until", "recheck_claimed_by", "recheck_lease_until")
    ]
    done = await conn.execute(
        sa.update(domains)
        .where(*same)
        .values(recheck_claimed_by=None, recheck_lease_until=None, registry_host=host, **change.values)
    )
    if done.rowcount == 0:
        return False
    if host is not None:
        await _count(conn, host, slot, change)
    if change.announce:
        await match_later(conn, row["domain"], "available", now)
    if change.visible:
        await bump_version(conn, CATALOGUE)
    return True


async def _count(conn: AsyncConnection, host: str, slot: datetime, change: Change) -> None:
    table = registry_passes
    counted = {"asked": 0, "turned_free": 0, "withheld": False}
    await insert_once(conn, table, {"host": host, "pass_at": slot, **counted}, ["host", "pass_at"])
    values: dict[str, Any] = {
        "asked": table.c.asked + 1,
        "turned_free": table.c.turned_free + int(change.turned),
    }
    if change.withheld:
        values["withheld"] = True
    await conn.execute(sa.update(table).where(table.c.host == host, table.c.pass_at == slot).values(**values))


def slot_of(moment: datetime, every: timedelta) -> datetime:
    """The start of the pass a look at `moment` belongs to: passes are `every` long, counted from 1970."""
    length = max(int(every.total_seconds()), 1)
    return datetime.fromtimestamp(int(moment.timestamp()) // length * length, UTC)


async def mass_in(
    conn: AsyncConnection, host: str, slots: Sequence[datetime], now: datetime, most: float
) -> bool:
    """Whether too many of the host's names turned "not found" in one of these passes."""
    table = registry_passes
    passes = await conn.execute(
        sa.select(table.c.turned_free, table.c.asked).where(table.c.host == host, table.c.pass_at.in_(slots))
    )
    rows = passes.all()
    row = domains.c
    mine = sa.and_(row.registry_host == host, row.live_until <= now, row.resolved_at.is_(None))
    followed = (await conn.execute(sa.select(sa.func.count()).select_from(domains).where(mine))).scalar_one()
    return any(is_mass(turned, asked, int(followed), most) for turned, asked in rows)


async def known_registered(conn: AsyncConnection, host: str, but: str) -> str | None:
    """The name of the extension of `but` that last answered as registered at this host, other than `but`.

    Of the same extension: hosts keep one address each for many, and one of them can fail alone.
    """
    row = domains.c
    mine = [
        row.registry_host == host,
        row.tld == tld(but),
        row.availability == "registered",
        row.domain != but,
    ]
    chosen = sa.select(row.domain).where(*mine).order_by(row.checked_at.desc().nulls_last()).limit(1)
    return (await conn.execute(chosen)).scalar_one_or_none()


async def doubted_hosts(conn: AsyncConnection, since: datetime) -> list[tuple[str, datetime, int, int]]:
    """Hosts some of whose answers were not believed since then: (host, pass, asked, turned), newest first."""
    table = registry_passes
    chosen = sa.select(table.c.host, table.c.pass_at, table.c.asked, table.c.turned_free)
    found = await conn.execute(
        chosen.where(table.c.withheld.is_(True), table.c.pass_at >= since).order_by(
            table.c.pass_at.desc(), table.c.host
        )
    )
    return [(host, pass_at, asked, turned) for host, pass_at, asked, turned in found]
