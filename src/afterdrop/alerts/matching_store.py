"""The SQL of whom a domain reaches: rules to hold it against, watchers, what was matched, reminded and told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

import orjson
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import insert_each_once
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.alerts import alert_matches, alert_rules, drop_notices, reminders, watches

ACCOUNTS_A_BATCH: Final = 500

_account = accounts.c
_rule = alert_rules.c
_match = alert_matches.c
_watch = watches.c


@dataclass(frozen=True, slots=True)
class Member:
    """An account as notices see it. `reachable`: its address is verified."""

    id: int
    email: str
    operator: bool
    zone: str
    reachable: bool
    digest_hour: int
    mail_alerts: bool
    mail_watches: bool
    mail_rule_reminders: bool
    reminder_hours: tuple[int, ...]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Member:
        """From a row of `accounts`."""
        return cls(
            **{name: row[name] for name in _AS_STORED},
            reachable=row["verified_at"] is not None,
            reminder_hours=tuple(row["reminder_hours"]),
        )


_AS_STORED: Final = (
    *("id", "email", "operator", "zone", "digest_hour"),
    *("mail_alerts", "mail_watches", "mail_rule_reminders"),
)
MEMBER: Final = [_account[name] for name in (*_AS_STORED, "verified_at", "reminder_hours")]


@dataclass(frozen=True, slots=True)
class AccountPage:
    """Some accounts with their active rules, by account id; `last`: nobody comes after them.

    `rules`: (rule id, criteria) by account. `operators` and `watching` are some of the accounts.
    """

    ids: list[int]
    operators: frozenset[int]
    watching: frozenset[int]
    rules: Mapping[int, list[tuple[int, Mapping[str, Any]]]]
    last: bool


async def accounts_after(
    conn: AsyncConnection, after: int, now: datetime, *, operators_only: bool, watchers_of: str | None
) -> AccountPage:
    """The next accounts on Pro that have an active rule or, with `watchers_of`, watch that domain."""
    ruled = sa.exists().where(_rule.account_id == _account.id, _rule.active)
    watched = sa.exists().where(_watch.account_id == _account.id, _watch.domain == watchers_of)
    watching = watched if watchers_of is not None else sa.false()
    chosen = (
        sa.select(_account.id, _account.operator, watching.label("watching"))
        .where(_account.id > after, _account.plan_until > now, sa.or_(ruled, watching))
        .order_by(_account.id)
        .limit(ACCOUNTS_A_BATCH)
    )
    if operators_only:
        chosen = chosen.where(_account.operator)
    found = (await conn.execute(chosen)).all()
    ids = [row.id for row in found]
    return AccountPage(
        ids,
        frozenset(row.id for row in found if row.operator),
        frozenset(row.id for row in found if row.watching),
        await _rules_of(conn, ids),
        last=len(found) < ACCOUNTS_A_BATCH,
    )


async def _rules_of(
    conn: AsyncConnection, ids: Sequence[int]
) -> Mapping[int, list[tuple[int, Mapping[str, Any]]]]:
    rules: dict[int, list[tuple[int, Mapping[str, Any]]]] = defaultdict(list)
    if ids:
        chosen = sa.select(_rule.account_id, _rule.id, sa.cast(_rule.criteria, sa.Text))
        mine = _rule.account_id.between(ids[0], ids[-1])
        for account_id, rule_id, text in await conn.execute(
            chosen.where(mine, _rule.active).order_by(_rule.account_id, _rule.id)
        ):
            rules[account_id].append((rule_id, _criteria(text)))
    return rules


def _criteria(text: str) -> Mapping[str, Any]:
    return _kept(text) if len(text) <= _SHORT else _read(text)


def _read(text: str) -> Mapping[str, Any]:
    found: dict[str, Any] = orjson.loads(text)
    return MappingProxyType(found)


# The same rules are held against one domain after the other; reading them anew would be half of all the work. Long
# ones are not kept: a member may change a rule of 50 kB again and again, and every text would be one more to keep.
_SHORT: Final = 1000
_kept = lru_cache(maxsize=32_768)(_read)


@dataclass(frozen=True, slots=True)
class StandingRule:
    """A rule that still stands when its match is written. `mailed`: its owner gets match mails."""

    id: int
    account_id: int
    name: str
    mailed: bool


async def standing_rules(
    conn: AsyncConnection, rule_ids: Collection[int], now: datetime
) -> list[StandingRule]:
    """Those of the rules that are there, active and on Pro, held until the transaction ends."""
    mailed = sa.and_(_account.mail_alerts, _account.verified_at.is_not(None))
    found = await conn.execute(
        sa.select(_rule.id, _rule.account_id, _rule.name, mailed)
        .join(accounts, _account.id == _rule.account_id)
        .where(_rule.id.in_(sorted(rule_ids)), _rule.active, _account.plan_until > now)
        .order_by(_rule.account_id, _rule.id)
        .with_for_update(read=True, key_share=True)
    )
    return [StandingRule(*row) for row in found]


async def put_matches(
    conn: AsyncConnection, rules: Sequence[StandingRule], domain: str, round_: int, now: datetime
) -> list[StandingRule]:
    """Write that these rules matched the domain in this round, once each, and count it; gives the new ones.

    A match nobody is to be mailed about counts as mailed: turning mails on brings no old ones.
    """
    rows = [
        {
            "rule_id": rule.id,
            "account_id": rule.account_id,
            "domain": domain,
            "round": round_,
            "matched_at": now,
            "mailed_at": None if rule.mailed else now,
        }
        for rule in rules
    ]
    made = await insert_each_once(conn, alert_matches, rows, ["rule_id", "domain", "round"], [_match.rule_id])
    new = {rule_id for (rule_id,) in made}
    if new:
        counted = sa.update(alert_rules).where(_rule.id.in_(sorted(new)))
        await conn.execute(counted.values(match_count=_rule.match_count + 1, last_matched_at=now))
    return [rule for rule in rules if rule.id in new]


async def members(conn: AsyncConnection, ids: Collection[int], now: datetime) -> dict[int, Member]:
    """Those of the accounts that are on Pro."""
    chosen = sa.select(*MEMBER).where(_account.id.in_(sorted(ids)), _account.plan_until > now)
    return {row["id"]: Member.of(dict(row)) for row in (await conn.execute(chosen)).mappings()}


async def put_drop_notices(
    conn: AsyncConnection, ids: Collection[int], domain: str, round_: int, now: datetime
) -> set[int]:
    """Write that these accounts are told of the drop, once a round; gives those not told before."""
    rows = [
        {"account_id": account_id, "domain": domain, "round": round_, "sent_at": now}
        for account_id in await _held(conn, ids)
    ]
    made = await insert_each_once(
        conn, drop_notices, rows, ["account_id", "domain", "round"], [drop_notices.c.account_id]
    )
    return {account_id for (account_id,) in made}


async def _held(conn: AsyncConnection, ids: Iterable[int]) -> list[int]:
    """Those of the accounts that are there, held until the transaction ends."""
    chosen = sa.select(_account.id).where(_account.id.in_(sorted(ids))).order_by(_account.id)
    return list(await conn.scalars(chosen.with_for_update(read=True, key_share=True)))


@dataclass(frozen=True, slots=True)
class Reminder:
    """A reminder to be written."""

    account_id: int
    domain: str
    round: int
    hour: int


async def put_reminders(
    conn: AsyncConnection, due: Sequence[Reminder], now: datetime
) -> set[tuple[int, str, int]]:
    """Write that these reminders are sent, once each; gives (account, domain, hour) of those not sent before."""
    there = set(await _held(conn, {one.account_id for one in due}))
    rows = [
        {
            "account_id": one.account_id,
            "domain": one.domain,
            "round": one.round,
            "hour": one.hour,
            "sent_at": now,
        }
        for one in due
        if one.account_id in there
    ]
    key = reminders.c
    made = await insert_each_once(
        conn,
        reminders,
        rows,
        ["account_id", "domain", "round", "hour"],
        [key.account_id, key.domain, key.hour],
    )
    return {(account_id, domain, hour) for account_id, domain, hour in made}
