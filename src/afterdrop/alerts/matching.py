"""Hold one published or dropped domain against everybody's rules and watches, some accounts at a time.

What `to_match` says is worked off in pages of accounts; how far it has come is written with what was found, so that
after a crash the next worker goes on there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.alerts.audience import AccountPage
from afterdrop.alerts.criteria import Facts, facts, matches
from afterdrop.catalogue.report import registration
from afterdrop.catalogue.store import look
from afterdrop.catalogue.summary import Links, summary
from afterdrop.core.errors import AfterdropError
from afterdrop.db import leases
from afterdrop.db.tables.alerts import to_match
from afterdrop.db.tables.catalogue import domains

# At most so many finds are written in one transaction.
_FINDS_AT_ONCE: Final = 250
# Rules held against a domain before others get a turn at the processor.
_RULES_A_TURN: Final = 1000

Row = dict[str, Any]


class StaleMatch(AfterdropError):
    """The domain changed under the matching: what was found is not written, the row is to be worked off anew."""


@dataclass(frozen=True, slots=True)
class View:
    """The domain as one audience on Pro sees it. `registration` is set for one that dropped."""

    summary: dict[str, Any]
    facts: Facts
    registration: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class MatchTarget:
    """The domain being matched: a view for operators (True) and for everybody else (False) where they may see it.

    `stamp` is what must not have changed when finds are written.
    """

    domain: str
    round: int
    views: Mapping[bool, View]
    stamp: tuple[Any, ...]

    @property
    def operators_only(self) -> bool:
        """Whether nobody else may know of it."""
        return False not in self.views


@dataclass(frozen=True, slots=True)
class Found:
    """What a domain is to one account: the rules it matches, and whether the account watches it."""

    account_id: int
    operator: bool
    rule_ids: tuple[int, ...]
    watching: bool


@dataclass(frozen=True, slots=True)
class Portion:
    """Finds to be written together; afterwards everybody up to account `upto` is done (None: all are)."""

    finds: list[Found]
    upto: int | None


async def load_target(conn: AsyncConnection, row: Row, now: datetime, links: Links) -> MatchTarget | None:
    """The domain of a row of `to_match` as it is now; None when there is nothing to match any more.

    That is: it is off the lists, in another round, or no longer available where that was the news.
    """
    views: dict[bool, View] = {}
    stamp: tuple[Any, ...] = ()
    for operator in (False, True):
        viewer = Viewer(0, "pro", operator)
        seen = await look(conn, row["domain"], viewer, now)
        if seen is None or seen.row["round"] != row["round"]:
            continue
        shown = summary(seen.row, viewer, now, links)
        dropped = row["kind"] == "available"
        if dropped and shown["status"] != "available":
            continue
        told = registration(seen.row, now, links) if dropped else None
        views[operator] = View(shown, facts(shown), told)
        stamp = _stamp(seen.row)
    return MatchTarget(row["domain"], row["round"], views, stamp) if views else None


def _stamp(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row["round"], bool(row["gated"]), row["removed_at"], bool(row["announced"]))


async def evaluate_rules(domain: MatchTarget, page: AccountPage) -> list[Found]:
    """Whom of the page the domain concerns, by account id."""
    finds, turn = [], 0
    for account_id in page.ids:
        operator = account_id in page.operators
        view = domain.views.get(operator)
        if view is None:
            continue
        rules = page.rules.get(account_id, ())
        matched = tuple(rule_id for rule_id, criteria in rules if matches(criteria, view.facts))
        watching = account_id in page.watching
        if matched or watching:
            finds.append(Found(account_id, operator, matched, watching))
        turn += len(rules)
        if turn >= _RULES_A_TURN:
            turn = 0
            await asyncio.sleep(0)
    return finds


def portions(finds: list[Found], page: AccountPage) -> Iterator[Portion]:
    """The finds of a page in portions a transaction can take; never empty, and the last one is the page's end."""
    some: list[Found] = []
    size = 0
    for found in finds:
        weight = max(len(found.rule_ids), 1)
        if some and size + weight > _FINDS_AT_ONCE:
            yield Portion(some, some[-1].account_id)
            some, size = [], 0
        some.append(found)
        size += weight
    yield Portion(some, None if page.last else page.ids[-1])


async def advance(conn: AsyncConnection, row: Row, domain: MatchTarget | None, upto: int | None) -> None:
    """Write how far matching has come, before anything that was found; the row goes when everybody is done.

    Raises LeaseLost when another worker has the row, StaleMatch when the domain changed or was published anew since
    it was looked at: nothing found on that ground may be written.
    """
    column = to_match.c
    mine = sa.and_(
        leases.holds(to_match, row),
        column.created_at == row["created_at"],
        column.after_account == row["after_account"],
    )
    step = (
        sa.delete(to_match).where(mine)
        if upto is None
        else sa.update(to_match).where(mine).values(after_account=upto)
    )
    if (await conn.execute(step)).rowcount == 0:
        held = await conn.scalar(sa.select(column.domain).where(leases.holds(to_match, row)))
        if held is None:
            raise leases.LeaseLost("to_match", "the lease was lost; another worker goes on")
        raise StaleMatch(row["domain"], "was published anew while it was matched")
    if domain is not None:
        await _unchanged(conn, domain)


async def _unchanged(conn: AsyncConnection, domain: MatchTarget) -> None:
    table = domains.c
    names = (table.round, table.gated, table.removed_at, table.announced)
    now = (await conn.execute(sa.select(*names).where(table.domain == domain.domain))).mappings().first()
    if now is None or _stamp(dict(now)) != domain.stamp:
        raise StaleMatch(domain.domain, "changed while it was matched")


async def start_over(conn: AsyncConnection, row: Row, now: datetime, error: str | None = None) -> None:
    """Let the row go, to be worked off from where it stands at `now`."""
    await leases.settle(conn, to_match, row, due_at=now, error=error)


async def claim(conn: AsyncConnection, worker: str, now: datetime, lease: Any, limit: int) -> list[Row]:
    """Take domains to be matched, oldest first."""
    return await leases.claim(
        conn,
        to_match,
        worker=worker,
        now=now,
        lease=lease,
        limit=limit,
        due=to_match.c.due_at <= now,
        order_by=[to_match.c.created_at],
    )
