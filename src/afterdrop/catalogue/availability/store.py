"""The SQL of the re-check: which ended domains are due, what a registry's answer changed, how its host behaved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.availability.rules import Change, is_mass
from afterdrop.catalogue.outcomes import outcome
from afterdrop.catalogue.publish import bump_catalogue, queue_matching
from afterdrop.catalogue.rows import DomainRow
from afterdrop.catalogue.status import Outcome
from afterdrop.catalogue.store import ended
from afterdrop.core.domain_names import tld
from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.review import registry_passes
from afterdrop.db.tables.watching import watches


def due(now: datetime) -> sa.ColumnElement[bool]:
    """Ended, on the list, and due for a re-check; a resolved domain only while somebody watches it."""
    row = domains.c
    watched = sa.exists().where(watches.c.domain == row.domain)
    return sa.and_(
        ended(domains, now),
        row.removed_at.is_(None),
        sa.or_(row.recheck_at.is_(None), row.recheck_at <= now),
        sa.or_(row.resolved_at.is_(None), watched),
    )


async def due_names(conn: AsyncConnection, now: datetime, limit: int) -> list[str]:
    """Due domains that no live worker holds, longest overdue first. This searches the archive: run it as a reader."""
    row = domains.c
    chosen = sa.select(row.domain).where(due(now), _free(now))
    found = await conn.scalars(chosen.order_by(row.recheck_at.nulls_first(), row.domain).limit(limit))
    return list(found.all())


def _free(now: datetime) -> sa.ColumnElement[bool]:
    until = domains.c.recheck_lease_until
    return sa.or_(until.is_(None), until <= now)


async def claim(
    conn: AsyncConnection, names: Sequence[str], worker: str, now: datetime, lease: timedelta
) -> list[DomainRow]:
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
    return [cast(DomainRow, dict(found)) for found in taken.mappings()]


async def settle(
    conn: AsyncConnection,
    row: DomainRow,
    change: Change,
    host: str | None,
    pass_at: datetime,
    now: datetime,
) -> bool:
    """Write what an answer changed and release the row; False when the claim was lost or the domain is listed again."""
    table = domains.c
    same = (
        table.domain == row["domain"],
        table.live_until == row["live_until"],
        table.recheck_claimed_by == row["recheck_claimed_by"],
        table.recheck_lease_until == row["recheck_lease_until"],
    )
    done = await conn.execute(
        sa.update(domains)
        .where(*same)
        .values(recheck_claimed_by=None, recheck_lease_until=None, registry_host=host, **change.values)
    )
    if done.rowcount == 0:
        return False
    if host is not None:
        await count_answer(conn, host, pass_at, turned=change.turned, withheld=change.withheld)
    if change.announce:
        await queue_matching(conn, row["domain"], "available", now)
    if change.visible or outcome(row) != _outcome_after(row, change):
        await bump_catalogue(conn, [row["domain"]])
    return True


def _outcome_after(row: DomainRow, change: Change) -> Outcome:
    return outcome(cast(DomainRow, {**row, **change.values}))


async def count_answer(
    conn: AsyncConnection, host: str, pass_at: datetime, *, turned: bool, withheld: bool
) -> None:
    """Count an answer of a host in its pass; `turned`: a first "not found", `withheld`: one that is not believed."""
    table = registry_passes
    counted = {"asked": 0, "turned_free": 0, "withheld": False}
    await insert_once(conn, table, {"host": host, "pass_at": pass_at, **counted}, ["host", "pass_at"])
    values: dict[str, Any] = {
        "asked": table.c.asked + 1,
        "turned_free": table.c.turned_free + int(turned),
    }
    if withheld:
        values["withheld"] = True
    await conn.execute(
        sa.update(table).where(table.c.host == host, table.c.pass_at == pass_at).values(**values)
    )


def pass_start(moment: datetime, every: timedelta) -> datetime:
    """The start of the pass that `moment` belongs to: passes are `every` long, counted from 1970."""
    length = max(int(every.total_seconds()), 1)
    return datetime.fromtimestamp(int(moment.timestamp()) // length * length, UTC)


async def mass_not_found(
    conn: AsyncConnection, host: str, passes: Sequence[datetime], now: datetime, most: float
) -> bool:
    """Whether too many of the host's names turned "not found" in one of these passes."""
    table = registry_passes
    result = await conn.execute(
        sa.select(table.c.turned_free, table.c.asked).where(table.c.host == host, table.c.pass_at.in_(passes))
    )
    rows = result.all()
    row = domains.c
    mine = sa.and_(row.registry_host == host, ended(domains, now), row.resolved_at.is_(None))
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
