"""The SQL of reminders, registry news and mails about matches: whom to tell, of what, and what they were told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.store import on_list
from afterdrop.db.dialects import insert_each_once
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.watching import alert_matches, alert_rules, reminders, watches
from afterdrop.watching.mail_times import (
    LONGEST,
    NEW_FROM,
    SHARED_AFTER,
    URGENT,
    Frequency,
    PendingMatch,
    Reminder,
)
from afterdrop.watching.matching_store import RECIPIENT_COLUMNS, Recipient, lock_accounts

# Older matches are not mailed. A digest covers a day, an instant mail ten minutes; an outage of a day is made up for.
MAILED_WITHIN: Final = timedelta(days=3)
# A drop opens, or its registry's day begins, this long before its end at the earliest: the end of a day is told in UTC,
# and in Auckland the day began 37 hours before.
_LONGEST_DROP: Final = timedelta(days=2)
# Accounts that are told of a name in one transaction.
TOLD_AT_ONCE: Final = 100

_account = accounts.c
_rule = alert_rules.c
_match = alert_matches.c
_sent = reminders.c
_watch = watches.c


_FORGOTTEN: Final = sa.delete(reminders).where(
    *(_sent[name] == sa.bindparam(f"its_{name}") for name in ("account_id", "domain", "round", "hour")),
    sa.or_(_sent.sent_at <= sa.bindparam("earlier"), _sent.sent_at >= sa.bindparam("later")),
)


def _of_another_end(one: Reminder) -> dict[str, object]:
    known: dict[str, object] = {
        f"its_{name}": getattr(one, name) for name in ("account_id", "domain", "round", "hour")
    }
    return {**known, "earlier": one.moment - NEW_FROM, "later": one.moment + NEW_FROM}


async def put_reminders(conn: AsyncConnection, due: Sequence[Reminder]) -> set[tuple[int, str, int]]:
    """Write that these reminders are sent, once each; gives (account, domain, hour) of those not sent before.

    `sent_at` is the moment at which each was due, not the minute later in which it was sent: it tells of what end it
    was. Those of another end are forgotten.
    """
    existing = set(await lock_accounts(conn, {one.account_id for one in due}))
    if due:
        await conn.execute(_FORGOTTEN, [_of_another_end(one) for one in due])
    rows = [
        {
            "account_id": one.account_id,
            "domain": one.domain,
            "round": one.round,
            "hour": one.hour,
            "sent_at": one.moment,
        }
        for one in due
        if one.account_id in existing
    ]
    made = await insert_each_once(
        conn,
        reminders,
        rows,
        ["account_id", "domain", "round", "hour"],
        [_sent.account_id, _sent.domain, _sent.hour],
    )
    return {(account_id, domain, hour) for account_id, domain, hour in made}


@dataclass(frozen=True, slots=True)
class Follower:
    """An account that watches a domain, or whose still active rule matched it in this round.

    `since`: when the earlier of the two began. `sent`: the hours it was reminded of in this round, and when
    those were due.
    """

    recipient: Recipient
    domain: str
    round: int
    since: datetime
    watching: bool
    ruled: bool
    sent: Mapping[int, datetime]


async def ending_soon(conn: AsyncConnection, now: datetime) -> list[tuple[str, int]]:
    """Domains, with their rounds, whose listing ends within the longest reminder hour.

    A name about to drop counts a day longer: reminders count to the opening of its drop, which is on the day before
    its end at the earliest. A domain whose next listing is due counts too: its summary says which end it has now.
    """
    row = domains.c
    chosen = sa.select(row.domain, row.round).where(_may_end(now, LONGEST), on_list()).order_by(row.domain)
    return [(domain, round_) for domain, round_ in await conn.execute(chosen)]


def _may_end(now: datetime, within: timedelta) -> sa.ColumnElement[bool]:
    column = domains.c
    drops = sa.and_(column.type == "pending_delete", column.ends_at <= now + within + _LONGEST_DROP)
    soon = sa.and_(column.ends_at > now, sa.or_(column.ends_at <= now + within, drops))
    return sa.or_(soon, column.next_listing_at <= now)


async def followers(conn: AsyncConnection, rounds: Mapping[str, int], now: datetime) -> list[Follower]:
    """The accounts on Pro that follow these domains (rounds by name)."""
    sent = await _sent_to(conn, rounds)
    known: dict[tuple[str, int], Follower] = {}
    for watching, select in ((True, _watchers(rounds)), (False, _matched(rounds))):
        chosen = select.add_columns(*RECIPIENT_COLUMNS).where(_account.plan_until > now)
        for row in (await conn.execute(chosen)).mappings():
            domain, account_id, since = row["domain"], row["id"], row["since"]
            earlier = known.get((domain, account_id))
            known[domain, account_id] = Follower(
                recipient=Recipient.of(row),
                domain=domain,
                round=rounds[domain],
                since=since if earlier is None else min(earlier.since, since),
                watching=watching or (earlier is not None and earlier.watching),
                ruled=not watching or (earlier is not None and earlier.ruled),
                sent=sent[domain, account_id],
            )
    return list(known.values())


def _watchers(rounds: Mapping[str, int]) -> sa.Select[str, datetime]:
    return (
        sa.select(_watch.domain, _watch.created_at.label("since"))
        .join(accounts, _account.id == _watch.account_id)
        .where(_watch.domain.in_(list(rounds)))
    )


def _matched(rounds: Mapping[str, int]) -> sa.Select[str, datetime]:
    return (
        sa.select(_match.domain, _match.matched_at.label("since"))
        .join(accounts, _account.id == _match.account_id)
        .join(alert_rules, alert_rules.c.id == _match.rule_id)
        .where(sa.tuple_(_match.domain, _match.round).in_(list(rounds.items())), alert_rules.c.active)
    )


async def _sent_to(
    conn: AsyncConnection, rounds: Mapping[str, int]
) -> dict[tuple[str, int], dict[int, datetime]]:
    rows = await conn.execute(
        sa.select(_sent.domain, _sent.account_id, _sent.hour, _sent.sent_at).where(
            sa.tuple_(_sent.domain, _sent.round).in_(list(rounds.items()))
        )
    )
    sent: dict[tuple[str, int], dict[int, datetime]] = defaultdict(dict)
    for domain, account_id, hour, moment in rows:
        sent[domain, account_id][hour] = moment
    return sent


@dataclass(frozen=True, slots=True)
class ToTell:
    """News of a name: whoever followed it by `since` is told; up to `after_account` they are."""

    domain: str
    since: datetime
    after_account: int


async def followers_to_tell(conn: AsyncConnection, news: ToTell, now: datetime) -> list[Recipient]:
    """The next accounts on Pro that followed the name by then, by id, at most `TOLD_AT_ONCE`."""
    chosen = (
        sa.select(*RECIPIENT_COLUMNS)
        .join(watches, _watch.account_id == _account.id)
        .where(
            _watch.domain == news.domain,
            _watch.created_at <= news.since,
            _account.id > news.after_account,
            _account.plan_until > now,
        )
        .order_by(_account.id)
        .limit(TOLD_AT_ONCE)
    )
    return [Recipient.of(row) for row in (await conn.execute(chosen)).mappings()]


async def free_accounts(conn: AsyncConnection, after: int, now: datetime, limit: int) -> list[Recipient]:
    """The next accounts on the free plan, by id, that take its weekly mail; those younger than a day are left out."""
    chosen = (
        sa.select(*RECIPIENT_COLUMNS)
        .where(
            _account.id > after,
            sa.or_(_account.plan_until.is_(None), _account.plan_until <= now),
            _account.verified_at.is_not(None),
            _account.mail_weekly,
            _account.created_at < now - timedelta(days=1),
        )
        .order_by(_account.id)
        .limit(limit)
    )
    return [Recipient.of(row) for row in (await conn.execute(chosen)).mappings()]


def _just_mailed(now: datetime) -> list[sa.ColumnElement[bool]]:
    return [
        _match.mailed_at > now - SHARED_AFTER,
        _match.matched_at > now - SHARED_AFTER - MAILED_WITHIN,  # the index is on this
        _rule.id == _match.rule_id,
        _rule.frequency == "instant",
        _rule.mail.is_(True),
    ]


async def last_instant_mails(
    conn: AsyncConnection, ids: Collection[int], now: datetime
) -> dict[int, datetime]:
    """When these accounts got their last instant mail, by id; those older than SHARED_AFTER are left out.

    A match that needed no mail counts as one.
    """
    last = sa.func.max(_match.mailed_at, type_=_match.mailed_at.type)
    chosen = sa.select(_match.account_id, last).where(_match.account_id.in_(sorted(ids)), *_just_mailed(now))
    result = await conn.execute(chosen.group_by(_match.account_id))
    return {account_id: mailed_at for account_id, mailed_at in result}


def _unmailed(frequency: Frequency, now: datetime) -> list[sa.ColumnElement[bool]]:
    return [
        _match.mailed_at.is_(None),
        _match.matched_at > now - MAILED_WITHIN,
        _rule.frequency == frequency,
        _rule.mail.is_(True),
    ]


async def owners_to_mail(
    conn: AsyncConnection, frequency: Frequency, after: int, now: datetime, limit: int
) -> list[Recipient]:
    """The next accounts, by id, to be mailed about matches of rules with this frequency.

    Accounts whose matches wait for more (`mail_times.is_held`) are left out, unless one of the names may be urgent.
    """
    pending = (
        sa.select(_match.id)
        .join(alert_rules, _rule.id == _match.rule_id)
        .where(_match.account_id == _account.id, *_unmailed(frequency, now))
    )
    due: sa.ColumnElement[bool] = pending.exists()
    if frequency == "instant":
        mailed = sa.exists().where(_match.account_id == _account.id, *_just_mailed(now))
        due = sa.or_(sa.and_(~mailed, due), pending.where(_waits_no_longer(now)).exists())
    chosen = (
        sa.select(*RECIPIENT_COLUMNS)
        .where(
            _account.id > after,
            _account.plan_until > now,
            _account.verified_at.is_not(None),
            _account.mail_alerts,
            due,
        )
        .order_by(_account.id)
        .limit(limit)
    )
    return [Recipient.of(row) for row in (await conn.execute(chosen)).mappings()]


def _waits_no_longer(now: datetime) -> sa.ColumnElement[bool]:
    ends = sa.exists().where(domains.c.domain == _match.domain, _may_end(now, URGENT))
    return sa.or_(_match.matched_at <= now - SHARED_AFTER, ends)


async def pending_matches(
    conn: AsyncConnection, frequency: Frequency, ids: Collection[int], now: datetime
) -> list[PendingMatch]:
    """The matches these accounts are to be mailed about, newest first."""
    chosen = (
        sa.select(_match.id, _match.account_id, _match.domain, _match.matched_at, _rule.name)
        .join(alert_rules, _rule.id == _match.rule_id)
        .where(_match.account_id.in_(sorted(ids)), *_unmailed(frequency, now))
        .order_by(_match.matched_at.desc(), _match.id.desc())
    )
    return [PendingMatch(*row) for row in await conn.execute(chosen)]


async def unmailed(conn: AsyncConnection, match_ids: Collection[int]) -> set[int]:
    """Those of the matches that are in no mail yet, locked until the transaction ends."""
    ids, found = sorted(match_ids), set[int]()
    for start in range(0, len(ids), 500):
        some = sa.select(_match.id).where(_match.id.in_(ids[start : start + 500]), _match.mailed_at.is_(None))
        found.update(await conn.scalars(some.order_by(_match.id).with_for_update()))
    return found


async def mark_mailed(conn: AsyncConnection, match_ids: Sequence[int], now: datetime) -> None:
    """Write that these matches are in a mail."""
    for start in range(0, len(match_ids), 500):
        some: list[int] = list(match_ids[start : start + 500])
        await conn.execute(sa.update(alert_matches).where(_match.id.in_(some)).values(mailed_at=now))
