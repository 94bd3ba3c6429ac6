"""The SQL of names at their registries: who is asked next, what an answer changed, how its host behaved.

Asked are the names of ended listings, for the lists, and names that somebody follows. Each has one row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import visits
from afterdrop.catalogue.availability.following_rules import RegistryChange, StateColumns
from afterdrop.catalogue.availability.registry_state import Step
from afterdrop.catalogue.availability.rules import is_mass
from afterdrop.catalogue.outcomes import outcome
from afterdrop.catalogue.publish import bump_catalogue, queue_matching
from afterdrop.catalogue.rows import DomainRow
from afterdrop.catalogue.status import Outcome
from afterdrop.catalogue.store import ended, live, on_list
from afterdrop.catalogue.visits import NewHolder
from afterdrop.core.domain_names import tld
from afterdrop.db import leases
from afterdrop.db.dialects import insert_each_once, insert_once, upsert
from afterdrop.db.leases import Claim
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.review import registry_changes, registry_passes, registry_states
from afterdrop.db.tables.watching import watches
from afterdrop.sources.registry.drop_estimate import Stage
from afterdrop.sources.registry.rdap_answer import RegistrySource

_state = registry_states.c
_change = registry_changes.c
_listing = domains.c
# The members of a state that a change keeps, as it was then.
_KEPT: Final = ("source", "registrar", "registered_at", "expires_at", "earliest", "latest")
_NEW_AT_ONCE: Final = 500
# Of names that somebody follows now: a pass asks about all of them, and the lists' names wait for no longer than that.
_FOLLOWED_AT_ONCE: Final = 1000


class StateRow(StateColumns):
    """A row of `registry_states`. `ended_at`: the end of the listing after which it was asked about for the lists."""

    domain: str
    ended_at: datetime | None
    claimed_by: str | None
    lease_until: datetime | None
    attempts: int
    error: str | None


@dataclass(frozen=True, slots=True)
class AskedName:
    """A name to ask about: its state, its ended listing, if it has one, and whether somebody follows it."""

    state: StateRow
    listing: DomainRow | None
    followed: bool


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
    known_at: datetime | None


async def newly_followed(conn: AsyncConnection) -> list[str]:
    """Names that somebody follows and that nobody was asked about; at most 1,000.

    This searches all followed names: run it as a reader.
    """
    known = sa.exists().where(_state.domain == watches.c.domain)
    fresh = sa.select(watches.c.domain).where(~known).distinct().limit(_FOLLOWED_AT_ONCE)
    return list(await conn.scalars(fresh))


async def take_in(conn: AsyncConnection, due: Mapping[str, datetime]) -> int:
    """Ask about these names, at most 1,000, at these times or before; gives how many were not asked about yet."""
    rows = [{"domain": name, "due_at": due[name], "attempts": 0} for name in sorted(due)]
    new = await insert_each_once(conn, registry_states, rows, ["domain"], [_state.domain])
    known = [{"name": name, "at": due[name]} for name in sorted(due.keys() - {name for [name] in new})]
    if known:
        at = sa.bindparam("at", type_=_state.due_at.type)
        later = sa.update(registry_states).where(_state.domain == sa.bindparam("name"), _state.due_at > at)
        await conn.execute(later.values(due_at=at), known)
    return len(new)


async def newly_ended(conn: AsyncConnection, now: datetime) -> list[tuple[str, datetime]]:
    """Ended names that the lists have no answer for since that end, and the end; at most 500.

    This searches the archive: run it as a reader.
    """
    beside = domains.outerjoin(registry_states, _state.domain == _listing.domain)
    since = sa.or_(_state.ended_at.is_(None), _state.ended_at != _listing.live_until)
    unasked = (ended(domains, now), _listing.removed_at.is_(None), _listing.resolved_at.is_(None), since)
    chosen = sa.select(_listing.domain, _listing.live_until).select_from(beside).where(*unasked)
    found = await conn.execute(chosen.order_by(_listing.live_until).limit(_NEW_AT_ONCE))
    return [(domain, end) for domain, end in found]


async def begin(conn: AsyncConnection, ends: Collection[tuple[str, datetime]], now: datetime) -> None:
    """Ask about these names for the lists from now on; what was not found before their end counts no more."""
    rows = [
        {"domain": domain, "ended_at": end, "due_at": now, "first_free_at": None, "attempts": 0}
        for domain, end in ends
    ]
    await upsert(conn, registry_states, rows, ["domain"], ["ended_at", "due_at", "first_free_at"])


def _due(now: datetime) -> sa.ColumnElement[bool]:
    """Wanted for the lists, or followed; of a followed name that is still on offer only the first answer is needed."""
    # The name's listing has ended and is still shown.
    mine = _listing.domain == _state.domain
    wanted = sa.exists().where(mine, ended(domains, now), _listing.removed_at.is_(None))
    followed = sa.exists().where(watches.c.domain == _state.domain)
    listed = sa.exists().where(_listing.domain == _state.domain, on_list())
    unoffered = sa.or_(wanted, ~listed, sa.and_(listed.where(live(domains, now)), _state.stage.is_(None)))
    return sa.and_(
        _state.due_at <= now,
        sa.or_(wanted.where(_listing.resolved_at.is_(None)), sa.and_(followed, unoffered)),
    )


async def claim(conn: AsyncConnection, claim: Claim) -> list[AskedName]:
    """Take names that are due, longest overdue first."""
    now = claim.now
    rows: list[StateRow] = await leases.claim(
        conn, registry_states, claim, _due(now), [_state.due_at, _state.domain]
    )
    names = [row["domain"] for row in rows]
    shown = sa.select(domains).where(
        _listing.domain.in_(names), ended(domains, now), _listing.removed_at.is_(None)
    )
    listings = {row["domain"]: cast(DomainRow, dict(row)) for row in (await conn.execute(shown)).mappings()}
    followed = set(await conn.scalars(sa.select(watches.c.domain).where(watches.c.domain.in_(names))))
    return [AskedName(row, listings.get(row["domain"]), row["domain"] in followed) for row in rows]


async def settle(
    conn: AsyncConnection, due: AskedName, step: Step, host: str | None, pass_at: datetime, now: datetime
) -> bool:
    """Write what an answer changed, and release the row; False where the name is listed again by now.

    Raises LeaseLost.
    """
    domain, listing = due.state["domain"], due.listing
    ended_at = due.state["ended_at"] if listing is None else listing["live_until"]
    if listing is not None:
        same = (_listing.domain == domain, _listing.live_until == listing["live_until"])
        changed = sa.update(domains).where(*same).values(registry_host=host, **step.listed)
        if (await conn.execute(changed)).rowcount == 0:
            await leases.give_back(conn, registry_states, due.state)
            return False
    await leases.must_settle(conn, registry_states, due.state, attempts=0, ended_at=ended_at, **step.state)
    if due.followed and step.change is not None:
        await _keep_change(conn, due, step.change, step.state, now)
    holder = _new_holder(due, step)
    if holder is not None:
        await visits.plan(conn, domain, holder, now)
    if host is not None:
        await count_answer(
            conn, host, pass_at, turned=step.not_found == "first", withheld=step.not_found == "withheld"
        )
    if listing is None:
        return True
    if step.announce:
        await queue_matching(conn, domain, "available", now)
    if step.visible or outcome(listing) != _outcome_after(listing, step.listed):
        await bump_catalogue(conn, [domain])
    return True


def _new_holder(due: AskedName, step: Step) -> NewHolder | None:
    """The new holder of the name, where it was registered anew or sold by its listing; None where nobody new has it."""
    listing, state, listed = due.listing, step.state, step.listed
    caught = step.change == "registered" or listed.get("caught_after_drop")
    sold = (
        listing is not None
        and _outcome_after(listing, listed)["became"] == "sold"
        and outcome(listing)["became"] != "sold"
    )
    if not caught and not sold:
        return None
    free_since = due.state["since"] if due.state["stage"] == "available" else listed.get("available_since")
    registrar = state.get("registrar") or listed.get("registrar")
    registered_at = state.get("registered_at") or listed.get("registered_at")
    return NewHolder(registrar, registered_at, free_since if caught else None, due.state["checked_at"])


def _outcome_after(row: DomainRow, listed: Mapping[str, Any]) -> Outcome:
    return outcome(cast(DomainRow, {**row, **listed}))


async def _keep_change(
    conn: AsyncConnection, due: AskedName, change: RegistryChange, state: StateColumns, now: datetime
) -> None:
    kept: dict[str, object] = {name: state.get(name) for name in _KEPT}
    if due.listing is None:  # what was known of a name of the lists is no secret
        kept["known_at"] = due.state["checked_at"]
    row = {"domain": due.state["domain"], "seen_at": now, "change": change, "stage": state["stage"], **kept}
    await conn.execute(sa.insert(registry_changes).values(**row))


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
    return any(is_mass(turned, count, int(followed), most) for turned, count in rows)


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


def spent_states() -> sa.ColumnElement[bool]:
    """States of names that nobody follows any more and that the lists need no answer for."""
    followed = sa.exists().where(watches.c.domain == _state.domain)
    wanted = sa.exists().where(
        _listing.domain == _state.domain, _listing.removed_at.is_(None), _listing.resolved_at.is_(None)
    )
    return sa.and_(~followed, ~wanted)
