"""The SQL of domains about to end: who follows or matched them, and which reminders were sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.alerts.audience import MEMBER, Member
from afterdrop.alerts.reminders import LONGEST
from afterdrop.catalogue.queries import on_list, shown
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.alerts import alert_matches, alert_rules, reminders, watches

_account = accounts.c
_match = alert_matches.c
_sent = reminders.c
_watch = watches.c


@dataclass(frozen=True, slots=True)
class Follower:
    """An account that watches a domain, or whose still active rule matched it in this round.

    `since`: when the first of both began. `sent`: the hours it was reminded of in this round.
    """

    member: Member
    domain: str
    round: int
    since: datetime
    watching: bool
    ruled: bool
    sent: frozenset[int]


async def ending(conn: AsyncConnection, now: datetime, *, operators: bool) -> list[tuple[str, int]]:
    """Domains, with their rounds, whose listing as that audience sees it ends within the longest reminder hour.

    One whose listing has just turned counts too: its summary says which end it has now.
    """
    table = shown(operators)
    soon = sa.and_(table.c.ends_at > now, table.c.ends_at <= now + LONGEST)
    chosen = sa.select(table.c.domain, table.c.round).where(
        sa.or_(soon, table.c.turns_at <= now), on_list(table, operators)
    )
    return [(domain, round_) for domain, round_ in await conn.execute(chosen.order_by(table.c.domain))]


async def followers(
    conn: AsyncConnection, rounds: Mapping[str, int], now: datetime, *, operators: bool
) -> list[Follower]:
    """Who follows these domains (rounds by name): accounts of that audience on Pro."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for watching, question in ((True, _watchers(rounds)), (False, _matched(rounds))):
        mine = _account.operator.is_(operators)
        chosen = question.add_columns(*MEMBER).where(_account.plan_until > now, mine)
        for row in (await conn.execute(chosen)).mappings():
            known = found.setdefault((row["domain"], row["id"]), {"row": row, "since": row["since"]})
            known["since"] = min(known["since"], row["since"])
            known["watching" if watching else "ruled"] = True
    sent = await _sent_to(conn, rounds)
    return [
        Follower(
            member=Member.of(dict(known["row"])),
            domain=domain,
            round=rounds[domain],
            since=known["since"],
            watching=known.get("watching", False),
            ruled=known.get("ruled", False),
            sent=frozenset(sent[domain, account_id]),
        )
        for (domain, account_id), known in found.items()
    ]


def _watchers(rounds: Mapping[str, int]) -> sa.Select[Any]:
    return (
        sa.select(_watch.domain, _watch.created_at.label("since"))
        .join(accounts, _account.id == _watch.account_id)
        .where(_watch.domain.in_(list(rounds)))
    )


def _matched(rounds: Mapping[str, int]) -> sa.Select[Any]:
    return (
        sa.select(_match.domain, _match.matched_at.label("since"))
        .join(accounts, _account.id == _match.account_id)
        .join(alert_rules, alert_rules.c.id == _match.rule_id)
        .where(sa.tuple_(_match.domain, _match.round).in_(list(rounds.items())), alert_rules.c.active)
    )


async def _sent_to(conn: AsyncConnection, rounds: Mapping[str, int]) -> dict[tuple[str, int], set[int]]:
    rows = await conn.execute(
        sa.select(_sent.domain, _sent.account_id, _sent.hour).where(
            sa.tuple_(_sent.domain, _sent.round).in_(list(rounds.items()))
        )
    )
    sent: dict[tuple[str, int], set[int]] = defaultdict(set)
    for domain, account_id, hour in rows:
        sent[domain, account_id].add(hour)
    return sent
