"""The SQL of what accounts own: alert rules and their matches, and watched domains."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.availability.store import ChangeRow, StateRow
from afterdrop.catalogue.store import on_list
from afterdrop.db.dialects import ByCodePoint, upsert
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.review import registry_changes, registry_states
from afterdrop.db.tables.watching import alert_matches, alert_rules, watches
from afterdrop.sources.registry.drop_estimate import Stage
from afterdrop.watching.criteria import RuleRow

_rule = alert_rules.c
_watch = watches.c
_state = registry_states.c
# What the registry said before was learnt for somebody else.
_SEEN: Final = sa.and_(_state.domain == _watch.domain, _state.checked_at >= _watch.created_at)
# So soon after somebody follows a name its registry has been asked, and its first stage is seen.
_FIRST_SEEN_WITHIN: Final = timedelta(days=1)


class MatchRow(TypedDict):
    """A match of one of an account's rules; `name` is the rule's."""

    id: int
    matched_at: datetime
    domain: str
    rule_id: int
    name: str


class MatchPlace(NamedTuple):
    """A match's place in the order of matches."""

    matched_at: datetime
    id: int


@dataclass(frozen=True, slots=True)
class MatchesWanted:
    """Which matches: at or after `since`, before `before`, those that follow `after`; at most `limit`."""

    since: datetime | None = None
    before: datetime | None = None
    after: MatchPlace | None = None
    limit: int = 50


# How many rules an account has, the paused ones included, and how many domains it watches; both ask for `account`.
RULES_COUNTED: Final = (
    sa.select(sa.func.count()).select_from(alert_rules).where(_rule.account_id == sa.bindparam("account"))
)
WATCHES_COUNTED: Final = (
    sa.select(sa.func.count()).select_from(watches).where(_watch.account_id == sa.bindparam("account"))
)


async def count_rules(conn: AsyncConnection, account_id: int) -> int:
    """How many rules an account has, the paused ones included."""
    return int(await conn.scalar(RULES_COUNTED, {"account": account_id}) or 0)


async def rules_of(conn: AsyncConnection, account_id: int) -> list[RuleRow]:
    """An account's rules by id."""
    rows = await conn.execute(sa.select(alert_rules).where(_rule.account_id == account_id).order_by(_rule.id))
    return [cast(RuleRow, dict(row)) for row in rows.mappings()]


async def rule(conn: AsyncConnection, account_id: int, rule_id: int, *, lock: bool = False) -> RuleRow | None:
    """One of the account's rules; `lock` locks it until the transaction ends."""
    chosen = sa.select(alert_rules).where(_rule.id == rule_id, _rule.account_id == account_id)
    row = (await conn.execute(chosen.with_for_update() if lock else chosen)).mappings().first()
    return cast(RuleRow, dict(row)) if row else None


async def insert_rule(conn: AsyncConnection, values: Mapping[str, object]) -> RuleRow:
    """Add a rule."""
    row = await conn.execute(sa.insert(alert_rules).values(**values).returning(alert_rules))
    return cast(RuleRow, dict(row.mappings().one()))


async def update_rule(conn: AsyncConnection, rule_id: int, values: Mapping[str, object]) -> RuleRow:
    """Change a rule that is locked."""
    statement = sa.update(alert_rules).where(_rule.id == rule_id).values(**values).returning(alert_rules)
    return cast(RuleRow, dict((await conn.execute(statement)).mappings().one()))


async def delete_rule(conn: AsyncConnection, account_id: int, rule_id: int) -> bool:
    """Delete one of the account's rules with its matches; False when it has no such rule."""
    done = await conn.execute(
        sa.delete(alert_rules).where(_rule.id == rule_id, _rule.account_id == account_id)
    )
    return done.rowcount == 1


async def matches_of(conn: AsyncConnection, account_id: int, wanted: MatchesWanted) -> list[MatchRow]:
    """The account's matches, newest first, and one more than `wanted.limit` where there are more.

    Matches of domains that `catalogue.store.summaries` does not know any more are absent, and do not count.
    """
    match = alert_matches.c
    known = sa.exists().where(domains.c.domain == match.domain)
    chosen = (
        sa.select(match.id, match.matched_at, match.domain, match.rule_id, _rule.name)
        .join(alert_rules, _rule.id == match.rule_id)
        .where(match.account_id == account_id, known)
        .order_by(match.matched_at.desc(), match.id.desc())
        .limit(wanted.limit + 1)
    )
    if wanted.since is not None:
        chosen = chosen.where(match.matched_at >= wanted.since)
    if wanted.before is not None:
        chosen = chosen.where(match.matched_at < wanted.before)
    if wanted.after is not None:
        at, last = wanted.after
        chosen = chosen.where(sa.or_(match.matched_at < at, sa.and_(match.matched_at == at, match.id < last)))
    return [cast(MatchRow, dict(row)) for row in (await conn.execute(chosen)).mappings()]


async def count_watches(conn: AsyncConnection, account_id: int) -> int:
    """How many domains an account watches."""
    return int(await conn.scalar(WATCHES_COUNTED, {"account": account_id}) or 0)


async def watched_among(conn: AsyncConnection, account_id: int, names: Collection[str]) -> set[str]:
    """Those of the names (at most 1,000) that the account watches."""
    mine = (_watch.account_id == account_id, _watch.domain.in_(sorted(names)))
    return set(await conn.scalars(sa.select(_watch.domain).where(*mine)))


async def published(conn: AsyncConnection, names: Collection[str]) -> set[str]:
    """Those of the names (at most 1,000) that were published at some time."""
    return set(await conn.scalars(sa.select(domains.c.domain).where(domains.c.domain.in_(sorted(names)))))


async def count_unlisted(conn: AsyncConnection, account_id: int) -> int:
    """How many names an account watches that were never published, or are no longer on a list."""
    listed = sa.exists().where(domains.c.domain == _watch.domain, on_list())
    mine = sa.select(sa.func.count()).select_from(watches).where(_watch.account_id == account_id, ~listed)
    return int(await conn.scalar(mine) or 0)


async def watches_domain(conn: AsyncConnection, account_id: int, domain: str) -> bool:
    """Whether the account watches the domain."""
    found = await conn.scalar(
        sa.select(_watch.domain).where(_watch.account_id == account_id, _watch.domain == domain)
    )
    return found is not None


async def published_watches(conn: AsyncConnection, account_id: int) -> list[str]:
    """The published ones of the names an account watches."""
    mine = sa.select(_watch.domain).join(domains, domains.c.domain == _watch.domain)
    return list(await conn.scalars(mine.where(_watch.account_id == account_id)))


# Stages of names on no list, the most urgent first; then those that are not known yet.
_URGENT: Final[tuple[Stage, ...]] = ("available", "pending_delete", "redemption", "expired", "active")


async def unlisted_watches(conn: AsyncConnection, account_id: int, limit: int, offset: int) -> list[str]:
    """Watched names of which `catalogue.store.site_rows` gives no row, most urgent first, then by name."""
    seen = sa.exists().where(domains.c.domain == _watch.domain)
    stages = {stage: place for place, stage in enumerate(_URGENT)}
    chosen = (
        sa.select(_watch.domain)
        .outerjoin_from(watches, registry_states, _SEEN)
        .where(_watch.account_id == account_id, ~seen)
        .order_by(sa.case(stages, value=_state.stage, else_=len(stages)), ByCodePoint(_watch.domain))
        .limit(limit)
        .offset(offset)
    )
    return list(await conn.scalars(chosen))


async def states_seen(conn: AsyncConnection, account_id: int, names: Collection[str]) -> dict[str, StateRow]:
    """The registries' states of these names (at most 1,000) since the account watches them, by name.

    `since` is None for a stage that was there when it began: when that was first seen tells of others who follow it.
    """
    query = sa.select(registry_states, _watch.created_at.label("followed_at")).join_from(
        watches, registry_states, _SEEN
    )
    mine = query.where(_watch.account_id == account_id, _watch.domain.in_(sorted(names)))
    found: dict[str, StateRow] = {}
    for row in (await conn.execute(mine)).mappings():
        state = cast(StateRow, {name: value for name, value in row.items() if name != "followed_at"})
        if state["since"] and state["since"] < row["followed_at"] + _FIRST_SEEN_WITHIN:
            state["since"] = None
        found[state["domain"]] = state
    return found


async def registry_news(
    conn: AsyncConnection, account_id: int, since: datetime, limit: int
) -> list[ChangeRow]:
    """The newest changes of watched names at their registries at or after `since`, each name once.

    A change from a state of before the account watched it is not its news.
    """
    change, later = registry_changes.c, registry_changes.alias()
    newest = ~sa.exists().where(later.c.domain == change.domain, later.c.seen_at > change.seen_at)
    # A change is told after it is seen: so the index on `told_at` finds those that were seen since.
    lately = sa.or_(change.told_at.is_(None), change.told_at >= since)
    mine = sa.exists().where(
        _watch.account_id == account_id,
        _watch.domain == change.domain,
        _watch.created_at <= sa.func.coalesce(change.known_at, change.seen_at),
    )
    chosen = (
        sa.select(registry_changes)
        .where(lately, change.seen_at >= since, mine, newest)
        .order_by(change.seen_at.desc(), change.domain)
        .limit(limit)
    )
    return [cast(ChangeRow, dict(row)) for row in (await conn.execute(chosen)).mappings()]


async def insert_watches(
    conn: AsyncConnection, account_id: int, names: Collection[str], now: datetime
) -> None:
    """Watch domains, at most 1,000, that the account does not watch yet."""
    rows = [{"account_id": account_id, "domain": name, "created_at": now} for name in names]
    await upsert(conn, watches, rows, ["account_id", "domain"], ["created_at"])


async def delete_watch(conn: AsyncConnection, account_id: int, domain: str) -> bool:
    """Stop watching; False when it was not watched."""
    done = await conn.execute(
        sa.delete(watches).where(_watch.account_id == account_id, _watch.domain == domain)
    )
    return done.rowcount == 1
