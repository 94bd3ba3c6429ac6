"""The SQL of matches nobody was mailed about yet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.alerts.audience import MEMBER, Member
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.alerts import alert_matches, alert_rules

Frequency = Literal["instant", "daily"]
# Older matches are left alone: a digest takes a day's, an instant mail a minute's, and a stop of a day is made up for.
WITHIN: Final = timedelta(days=3)

_account = accounts.c
_match = alert_matches.c
_rule = alert_rules.c


@dataclass(frozen=True, slots=True)
class PendingMatch:
    """A match to be mailed: of which domain, by which rule."""

    id: int
    account_id: int
    domain: str
    matched_at: datetime
    rule: str


def _waiting(frequency: Frequency, now: datetime) -> list[sa.ColumnElement[bool]]:
    return [
        _match.mailed_at.is_(None),
        _match.matched_at > now - WITHIN,
        _rule.frequency == frequency,
    ]


async def owners_after(
    conn: AsyncConnection, frequency: Frequency, after: int, now: datetime, limit: int
) -> list[Member]:
    """The next accounts, by id, that are to be mailed about matches of rules of this frequency."""
    mine = (
        sa.select(_match.id)
        .join(alert_rules, _rule.id == _match.rule_id)
        .where(_match.account_id == _account.id, *_waiting(frequency, now))
    )
    chosen = (
        sa.select(*MEMBER)
        .where(
            _account.id > after,
            _account.plan_until > now,
            _account.verified_at.is_not(None),
            _account.mail_alerts,
            mine.exists(),
        )
        .order_by(_account.id)
        .limit(limit)
    )
    return [Member.of(dict(row)) for row in (await conn.execute(chosen)).mappings()]


async def of_owners(
    conn: AsyncConnection, frequency: Frequency, ids: Collection[int], now: datetime
) -> list[PendingMatch]:
    """What these accounts are to be mailed about, newest first."""
    chosen = (
        sa.select(_match.id, _match.account_id, _match.domain, _match.matched_at, _rule.name)
        .join(alert_rules, _rule.id == _match.rule_id)
        .where(_match.account_id.in_(sorted(ids)), *_waiting(frequency, now))
        .order_by(_match.matched_at.desc(), _match.id.desc())
    )
    return [PendingMatch(*row) for row in await conn.execute(chosen)]


async def mark_mailed(conn: AsyncConnection, match_ids: Sequence[int], now: datetime) -> None:
    """Write that a mail took these matches."""
    for start in range(0, len(match_ids), 500):
        some: list[Any] = list(match_ids[start : start + 500])
        await conn.execute(sa.update(alert_matches).where(_match.id.in_(some)).values(mailed_at=now))
