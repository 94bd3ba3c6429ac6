"""The SQL of matching: domains to be matched, whose rules and watches they may concern, and what was matched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal, TypedDict

import orjson
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.rows import DomainRow
from afterdrop.core.errors import AfterdropError
from afterdrop.db import leases
from afterdrop.db.dialects import insert_each_once
from afterdrop.db.leases import Claim
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.watching import alert_matches, alert_rules, drop_notices, to_match, watches
from afterdrop.watching.criteria import Criteria

ACCOUNTS_A_BATCH: Final = 500

_account = accounts.c
_rule = alert_rules.c
_match = alert_matches.c
_watch = watches.c


class ToMatchRow(TypedDict):
    """A claimed row of `to_match`; accounts up to `after_account` are done."""

    domain: str
    round: int
    kind: Literal["listed", "available"]
    created_at: datetime
    after_account: int
    due_at: datetime
    claimed_by: str | None
    lease_until: datetime | None
    attempts: int
    error: str | None


class StaleMatch(AfterdropError):
    """The domain changed while it was matched: its matches are not written, and the row is matched anew."""


@dataclass(frozen=True, slots=True)
class DomainStamp:
    """The values of a domain that must not have changed when its matches are written."""

    round: int
    removed_at: datetime | None
    announced: bool

    @classmethod
    def of(cls, row: DomainRow | sa.RowMapping) -> DomainStamp:
        """From a row of `domains`."""
        return cls(row["round"], row["removed_at"], bool(row["announced"]))


async def claim(conn: AsyncConnection, claim: Claim) -> list[ToMatchRow]:
    """Take domains to be matched, oldest first."""
    row = to_match.c
    return await leases.claim(conn, to_match, claim, row.due_at <= claim.now, [row.created_at])


async def advance(
    conn: AsyncConnection, row: ToMatchRow, stamp: DomainStamp | None, up_to: int | None
) -> None:
    """Write that accounts up to `up_to` are done, before their matches; None deletes the row, for all are done.

    Raises LeaseLost when another worker has the row, and StaleMatch when the domain was published anew or no longer
    has this `stamp`: then none of the matches may be written.
    """
    column = to_match.c
    mine = sa.and_(
        leases.holds(to_match, row),
        column.created_at == row["created_at"],
        column.after_account == row["after_account"],
    )
    step = (
        sa.delete(to_match).where(mine)
        if up_to is None
        else sa.update(to_match).where(mine).values(after_account=up_to)
    )
    if (await conn.execute(step)).rowcount == 0:
        held = await conn.scalar(sa.select(column.domain).where(leases.holds(to_match, row)))
        if held is None:
            raise leases.LeaseLost("to_match", "the lease was lost; another worker goes on")
        raise StaleMatch(row["domain"], "was published anew while it was matched")
    if stamp is not None:
        domain = row["domain"]
        table = domains.c
        names = (table.round, table.removed_at, table.announced)
        found = (await conn.execute(sa.select(*names).where(table.domain == domain))).mappings().first()
        if found is None or DomainStamp.of(found) != stamp:
            raise StaleMatch(domain, "changed while it was matched")


async def release(conn: AsyncConnection, row: ToMatchRow, due_at: datetime) -> None:
    """Release the row; at `due_at` matching goes on from where it stands."""
    await leases.settle(conn, to_match, row, due_at=due_at, error=None)


@dataclass(frozen=True, slots=True)
class Recipient:
    """An account with what decides about its mails. `reachable`: its address is verified."""

    id: int
    email: str
    zone: str
    reachable: bool
    digest_hour: int
    mail_alerts: bool
    mail_watches: bool
    mail_rule_reminders: bool
    reminder_hours: tuple[int, ...]

    @classmethod
    def of(cls, row: sa.RowMapping) -> Recipient:
        """From a row of `accounts`."""
        return cls(
            **{name: row[name] for name in _AS_STORED},
            reachable=row["verified_at"] is not None,
            reminder_hours=tuple(row["reminder_hours"]),
        )


_AS_STORED: Final = (
    "id", "email", "zone", "digest_hour",
    "mail_alerts", "mail_watches", "mail_rule_reminders",
)  # fmt: skip
RECIPIENT_COLUMNS: Final = [_account[name] for name in (*_AS_STORED, "verified_at", "reminder_hours")]


@dataclass(frozen=True, slots=True)
class AccountPage:
    """Some accounts, in the order of their ids; `last`: no account comes after them.

    `rules` are the active ones, (rule id, criteria) by account. `watching` are those of the accounts that watch the
    domain.
    """

    ids: list[int]
    watching: frozenset[int]
    rules: Mapping[int, list[tuple[int, Criteria]]]
    last: bool


async def accounts_after(
    conn: AsyncConnection, after: int, now: datetime, *, watchers_of: str | None
) -> AccountPage:
    """The next accounts on Pro that have an active rule or, with `watchers_of`, watch that domain."""
    ruled = sa.exists().where(_rule.account_id == _account.id, _rule.active)
    watched = sa.exists().where(_watch.account_id == _account.id, _watch.domain == watchers_of)
    watching = watched if watchers_of is not None else sa.false()
    chosen = (
        sa.select(_account.id, watching.label("watching"))
        .where(_account.id > after, _account.plan_until > now, sa.or_(ruled, watching))
        .order_by(_account.id)
        .limit(ACCOUNTS_A_BATCH)
    )
    found = (await conn.execute(chosen)).all()
    ids = [row.id for row in found]
    return AccountPage(
        ids,
        frozenset(row.id for row in found if row.watching),
        await _rules_of(conn, ids),
        last=len(found) < ACCOUNTS_A_BATCH,
    )


async def _rules_of(conn: AsyncConnection, ids: Sequence[int]) -> Mapping[int, list[tuple[int, Criteria]]]:
    rules: dict[int, list[tuple[int, Criteria]]] = defaultdict(list)
    if ids:
        chosen = sa.select(_rule.account_id, _rule.id, sa.cast(_rule.criteria, sa.Text))
        mine = _rule.account_id.between(ids[0], ids[-1])
        for account_id, rule_id, text in await conn.execute(
            chosen.where(mine, _rule.active).order_by(_rule.account_id, _rule.id)
        ):
            rules[account_id].append((rule_id, _criteria(text)))
    return rules


def _criteria(text: str) -> Criteria:
    return _cached(text) if len(text) <= _SHORT else _parse(text)


def _parse(text: str) -> Criteria:
    found: dict[str, object] = orjson.loads(text)
    return MappingProxyType(found)


# The same rules are evaluated for one domain after the other; parsing them each time would be half of all the work.
# Long ones are not cached: a member who changes a rule of 50 kB again and again would fill the cache with its texts.
_SHORT: Final = 1000
_cached = lru_cache(maxsize=32_768)(_parse)


@dataclass(frozen=True, slots=True)
class MatchedRule:
    """A rule that is still active when its match is written. `mailed`: its owner gets mails about matches."""

    id: int
    account_id: int
    name: str
    mailed: bool


async def lock_rules(conn: AsyncConnection, rule_ids: Collection[int], now: datetime) -> list[MatchedRule]:
    """Those of the rules that exist, are active and belong to a Pro account, locked until the transaction ends."""
    mailed = sa.and_(_account.mail_alerts, _account.verified_at.is_not(None))
    result = await conn.execute(
        sa.select(_rule.id, _rule.account_id, _rule.name, mailed)
        .join(accounts, _account.id == _rule.account_id)
        .where(_rule.id.in_(sorted(rule_ids)), _rule.active, _account.plan_until > now)
        .order_by(_rule.account_id, _rule.id)
        .with_for_update(read=True, key_share=True)
    )
    return [MatchedRule(*row) for row in result]


async def put_matches(
    conn: AsyncConnection, rules: Sequence[MatchedRule], domain: str, round_: int, now: datetime
) -> list[MatchedRule]:
    """Write that these rules matched the domain in this round, once each, and count it; gives the new ones.

    When the owner gets no mails, the match counts as mailed: turning mails on later brings no old matches.
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


async def recipients(conn: AsyncConnection, ids: Collection[int], now: datetime) -> dict[int, Recipient]:
    """Those of the accounts that are on Pro, by id."""
    chosen = sa.select(*RECIPIENT_COLUMNS).where(_account.id.in_(sorted(ids)), _account.plan_until > now)
    return {row["id"]: Recipient.of(row) for row in (await conn.execute(chosen)).mappings()}


async def put_drop_notices(
    conn: AsyncConnection, ids: Collection[int], domain: str, round_: int, now: datetime
) -> set[int]:
    """Write that these accounts are told of the drop, once a round; gives those that were not told before."""
    rows = [
        {"account_id": account_id, "domain": domain, "round": round_, "sent_at": now}
        for account_id in await lock_accounts(conn, ids)
    ]
    made = await insert_each_once(
        conn, drop_notices, rows, ["account_id", "domain", "round"], [drop_notices.c.account_id]
    )
    return {account_id for (account_id,) in made}


async def lock_accounts(conn: AsyncConnection, ids: Iterable[int]) -> list[int]:
    """Those of the accounts that exist, locked until the transaction ends."""
    chosen = sa.select(_account.id).where(_account.id.in_(sorted(ids))).order_by(_account.id)
    return list(await conn.scalars(chosen.with_for_update(read=True, key_share=True)))
