"""The SQL of followed names at their registries: which are due, what an answer changed, what is to be told."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.availability.following_rules import (
    FollowedName,
    RegistryChange,
    StateColumns,
    Step,
    seen_free,
    seen_registered,
)
from afterdrop.catalogue.store import live, on_list
from afterdrop.db import leases
from afterdrop.db.dialects import insert_each_once
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.review import registry_changes, registry_states
from afterdrop.db.tables.watching import watches
from afterdrop.sources.registry.drop_estimate import Stage
from afterdrop.sources.registry.rdap_answer import RegistryAnswer, RegistrySource

_state = registry_states.c
_change = registry_changes.c
# The members of a state that a change keeps, as it was then.
_KEPT: Final = ("source", "registrar", "registered_at", "expires_at", "earliest", "latest")
_NEW_AT_ONCE: Final = 500


class StateRow(StateColumns):
    """A row of `registry_states`."""

    domain: str
    claimed_by: str | None
    lease_until: datetime | None
    attempts: int
    error: str | None


class ChangeRow(TypedDict):
    """A row of `registry_changes`: what changed, and the state that it led to."""

    domain: str
    seen_at: datetime
    change: RegistryChange
    stage: Stage
    source: RegistrySource | None
    registrar: str | None
    registered_at: datetime | None
    expires_at: datetime | None
    earliest: str | None
    latest: str | None
    after_account: int
    told_at: datetime | None


async def take_in(conn: AsyncConnection, now: datetime) -> int:
    """Begin to ask about names that somebody follows now, at most 500 a call; gives how many."""
    known = sa.exists().where(_state.domain == watches.c.domain)
    fresh = sa.select(watches.c.domain).where(~known).distinct().limit(_NEW_AT_ONCE)
    rows = [{"domain": name, "due_at": now, "attempts": 0} for name in await conn.scalars(fresh)]
    return len(await insert_each_once(conn, registry_states, rows, ["domain"], [_state.domain]))


def _due(now: datetime) -> sa.ColumnElement[bool]:
    """Followed, and not asked about by the re-check; of one that is still on offer only the first answer is needed.

    A name that is reserved for operators counts as one on no list: else its followers' news would tell that it is.
    """
    followed = sa.exists().where(watches.c.domain == _state.domain)
    listed = sa.exists().where(domains.c.domain == _state.domain, on_list(domains, operator=False))
    offered = listed.where(live(domains, now))
    return sa.and_(_state.due_at <= now, followed, sa.or_(~listed, sa.and_(offered, _state.stage.is_(None))))


async def claim(
    conn: AsyncConnection, worker: str, now: datetime, lease: timedelta, limit: int
) -> list[StateRow]:
    """Take followed names that are due, longest overdue first."""
    return await leases.claim(
        conn,
        registry_states,
        worker=worker,
        now=now,
        lease=lease,
        limit=limit,
        due=_due(now),
        order_by=[_state.due_at, _state.domain],
    )


async def settle(conn: AsyncConnection, row: StateRow, step: Step, now: datetime) -> bool:
    """Write what an answer changed, and release the row; False when the lease was lost."""
    if not await leases.settle(conn, registry_states, row, attempts=0, **step.values):
        return False
    await _keep_change(conn, row["domain"], step, now)
    return True


async def note_recheck(
    conn: AsyncConnection, domain: str, answer: RegistryAnswer, now: datetime, *, free: bool
) -> None:
    """Keep what the re-check was told about a name on everybody's lists, if somebody follows it.

    `free`: it is announced as available now, which has a notice of its own.
    """
    reserved = sa.exists().where(domains.c.domain == domain, domains.c.gated.is_(True))
    followed = sa.and_(sa.exists().where(watches.c.domain == domain), ~reserved)
    result = await conn.execute(
        sa.select(registry_states).where(_state.domain == domain, followed).with_for_update()
    )
    row = result.mappings().one_or_none()
    if row is None:
        return
    known = FollowedName.of(cast("dict[str, object]", dict(row)))
    if free:
        step = Step(seen_free(known, answer, now).values)
    elif answer.state in ("registered", "dropping"):
        step = seen_registered(known, answer, now)
    else:
        return
    await conn.execute(sa.update(registry_states).where(_state.domain == domain).values(**step.values))
    await _keep_change(conn, domain, step, now)


async def _keep_change(conn: AsyncConnection, domain: str, step: Step, now: datetime) -> None:
    if step.change is None:
        return
    kept = {name: step.values.get(name) for name in _KEPT}
    row = {"domain": domain, "seen_at": now, "change": step.change, "stage": step.values["stage"], **kept}
    await conn.execute(sa.insert(registry_changes).values(**row))


async def states(conn: AsyncConnection, names: Collection[str]) -> dict[str, StateRow]:
    """What the registries last said of these names (at most 1,000), by name."""
    result = await conn.execute(sa.select(registry_states).where(_state.domain.in_(sorted(names))))
    return {row["domain"]: cast(StateRow, dict(row)) for row in result.mappings()}


async def next_untold(conn: AsyncConnection) -> ChangeRow | None:
    """The oldest change that not all followers were told of."""
    chosen = sa.select(registry_changes).where(_change.told_at.is_(None))
    result = await conn.execute(chosen.order_by(_change.seen_at, _change.domain).limit(1))
    row = result.mappings().one_or_none()
    return cast(ChangeRow, dict(row)) if row else None


async def advance(conn: AsyncConnection, row: ChangeRow, up_to: int | None, now: datetime) -> bool:
    """Write that accounts up to `up_to` are told of a change (None: all); False when another worker has done so."""
    reached: dict[str, object] = {"told_at": now} if up_to is None else {"after_account": up_to}
    done = await conn.execute(
        sa.update(registry_changes)
        .where(
            _change.domain == row["domain"],
            _change.seen_at == row["seen_at"],
            _change.after_account == row["after_account"],
            _change.told_at.is_(None),
        )
        .values(**reached)
    )
    return done.rowcount == 1


async def changes_since(conn: AsyncConnection, names: Collection[str], since: datetime) -> list[ChangeRow]:
    """The changes of these names (at most 1,000) at or after `since`, newest first."""
    mine = sa.select(registry_changes).where(_change.domain.in_(sorted(names)), _change.seen_at >= since)
    result = await conn.execute(mine.order_by(_change.seen_at.desc(), _change.domain))
    return [cast(ChangeRow, dict(row)) for row in result.mappings()]


def spent_states() -> sa.ColumnElement[bool]:
    """States of names that nobody follows any more."""
    return ~sa.exists().where(watches.c.domain == _state.domain)
