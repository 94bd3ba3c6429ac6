"""The SQL of an account's notes, tags, saved filters, seen domains, visits and share links.

Callers own the transaction. A link names domains only; what its reader sees of them is decided when it is opened.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypedDict, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.sessions import digest
from afterdrop.accounts.store import lock_account
from afterdrop.catalogue.status import ListName
from afterdrop.db.dialects import insert_each_once, upsert
from afterdrop.db.tables.watching import (
    domain_notes,
    domain_tags,
    list_visits,
    saved_filters,
    seen_domains,
    share_links,
)
from afterdrop.watching.desk_rules import (
    FILTER_LENGTH,
    LINK_LASTS,
    MOST_FILTERS,
    MOST_LINKS,
    MOST_NOTES,
    MOST_SEEN,
    MOST_TAGGED,
    REJECTED,
    SEEN_KEPT,
    TAGS_A_DOMAIN,
    UNMARKED,
    BadEntry,
    Marks,
    PageMemory,
    TooMany,
    Visit,
    in_order,
    replaced_by,
    visit_at,
)

# The most names that one statement takes.
_AT_ONCE: Final = 500
# A visit's end is written at most this often.
_VISIT_WRITTEN_EVERY: Final = timedelta(minutes=5)
_tag = domain_tags.c
_note = domain_notes.c
_seen = seen_domains.c


class SavedFilter(TypedDict):
    """A filter of a list under a name; `query` is the query string of the list's address."""

    id: int
    name: str
    list: ListName
    query: str
    saved_at: datetime


def _batches(names: Iterable[str]) -> list[list[str]]:
    chosen = sorted(set(names))
    return [chosen[at : at + _AT_ONCE] for at in range(0, len(chosen), _AT_ONCE)]


async def marks(
    conn: AsyncConnection, account_id: int, names: Collection[str] | None = None
) -> dict[str, Marks]:
    """Tags and notes by domain, of these names or (None) of all; domains without either are absent."""
    tags: dict[str, list[str]] = {}
    notes: dict[str, str] = {}
    for batch in [None] if names is None else _batches(names):
        chosen = sa.select(sa.true(), _tag.domain, _tag.tag).where(_tag.account_id == account_id)
        written = sa.select(sa.false(), _note.domain, _note.note).where(_note.account_id == account_id)
        if batch is not None:
            chosen, written = chosen.where(_tag.domain.in_(batch)), written.where(_note.domain.in_(batch))
        for is_tag, domain, text in await conn.execute(chosen.union_all(written)):
            if is_tag:
                tags.setdefault(domain, []).append(text)
            else:
                notes[domain] = text
    return {
        domain: Marks(tuple(in_order(tags.get(domain, ()))), notes.get(domain, ""))
        for domain in {**tags, **notes}
    }


async def marked(conn: AsyncConnection, account_id: int, domain: str) -> Marks:
    """Tags and note of one domain."""
    return (await marks(conn, account_id, [domain])).get(domain, UNMARKED)


async def tag_counts(conn: AsyncConnection, account_id: int) -> dict[str, int]:
    """How many domains carry each of the account's tags, as tags are shown."""
    counted = sa.select(_tag.tag, sa.func.count()).where(_tag.account_id == account_id).group_by(_tag.tag)
    found = {str(tag): int(number) for tag, number in await conn.execute(counted)}
    return {tag: found[tag] for tag in in_order(found)}


async def tagged(conn: AsyncConnection, account_id: int, tags: Collection[str]) -> set[str]:
    """The names that carry any of these tags."""
    chosen = sa.select(_tag.domain).where(_tag.account_id == account_id, _tag.tag.in_(sorted(tags)))
    return set(await conn.scalars(chosen))


async def rejected(conn: AsyncConnection, account_id: int) -> set[str]:
    """The names that the account rejected."""
    return await tagged(conn, account_id, [REJECTED])


async def write_note(conn: AsyncConnection, account_id: int, domain: str, note: str, now: datetime) -> None:
    """Keep a note (from `rules.note_of`; empty: none). Raises TooMany."""
    mine = sa.and_(_note.account_id == account_id, _note.domain == domain)
    if not note:
        await conn.execute(sa.delete(domain_notes).where(mine))
        return
    await lock_account(conn, account_id)
    others = sa.select(sa.func.count()).where(_note.account_id == account_id, _note.domain != domain)
    if (await conn.scalar(others) or 0) >= MOST_NOTES:
        raise TooMany("", f"you already have {MOST_NOTES} notes; delete one first")
    row = {"account_id": account_id, "domain": domain, "note": note, "written_at": now}
    await upsert(conn, domain_notes, [row], ["account_id", "domain"])


async def add_tag(
    conn: AsyncConnection, account_id: int, names: Collection[str], tag: str, now: datetime
) -> None:
    """Tag these names (`tag` from `rules.tag_of`); a decision replaces the one before. Raises TooMany."""
    await lock_account(conn, account_id)
    for batch in _batches(names):
        mine = sa.and_(_tag.account_id == account_id, _tag.domain.in_(batch))
        gone = replaced_by(tag)
        if gone:
            await conn.execute(sa.delete(domain_tags).where(mine, _tag.tag.in_(gone)))
        rows = [
            {"account_id": account_id, "domain": domain, "tag": tag, "tagged_at": now} for domain in batch
        ]
        await insert_each_once(conn, domain_tags, rows, ["account_id", "domain", "tag"], [_tag.domain])
        fullest = sa.select(sa.func.count()).where(mine).group_by(_tag.domain)
        if (await conn.scalar(sa.select(sa.func.max(fullest.subquery().c[0]))) or 0) > TAGS_A_DOMAIN:
            raise TooMany("", f"a domain can have at most {TAGS_A_DOMAIN} tags")
    kept = await conn.scalar(sa.select(sa.func.count()).where(_tag.account_id == account_id)) or 0
    if kept > MOST_TAGGED:
        raise TooMany("", f"you already have {MOST_TAGGED} tags; remove some first")


async def remove_tag(conn: AsyncConnection, account_id: int, names: Collection[str], tag: str) -> None:
    """Take a tag off these names."""
    for batch in _batches(names):
        mine = sa.and_(_tag.account_id == account_id, _tag.domain.in_(batch), _tag.tag == tag)
        await conn.execute(sa.delete(domain_tags).where(mine))


async def filters_of(conn: AsyncConnection, account_id: int) -> list[SavedFilter]:
    """The account's saved filters by name."""
    mine = sa.select(saved_filters).where(saved_filters.c.account_id == account_id)
    result = await conn.execute(mine.order_by(saved_filters.c.name, saved_filters.c.id))
    return [_saved(row) for row in result.mappings()]


def _saved(row: Any) -> SavedFilter:
    return cast(SavedFilter, {name: row[name] for name in SavedFilter.__annotations__})


async def save_filter(
    conn: AsyncConnection, account_id: int, name: str, place: tuple[ListName, str], now: datetime
) -> None:
    """Save the filter of a list (`place`: list and query string) under a name. It replaces one of the same name.

    Raises BadEntry, TooMany.
    """
    which, query = place
    if len(query) > FILTER_LENGTH:
        raise BadEntry("", "the filter is too long to be saved")
    await lock_account(conn, account_id)
    mine = saved_filters.c.account_id == account_id
    others = sa.select(sa.func.count()).where(mine, saved_filters.c.name != name)
    if (await conn.scalar(others) or 0) >= MOST_FILTERS:
        raise TooMany("", f"you already have {MOST_FILTERS} filters; delete one first")
    row = {"account_id": account_id, "name": name, "list": which, "query": query, "saved_at": now}
    await upsert(conn, saved_filters, [row], ["account_id", "name"])


async def delete_filter(conn: AsyncConnection, account_id: int, filter_id: int) -> bool:
    """Delete one of the account's saved filters; False when it has no such filter."""
    mine = saved_filters.c.account_id == account_id
    done = await conn.execute(sa.delete(saved_filters).where(saved_filters.c.id == filter_id, mine))
    return done.rowcount == 1


async def visit(conn: AsyncConnection, account_id: int, now: datetime) -> Visit:
    """The visit that a list opened at `now` belongs to."""
    return visit_at(await _stored_visit(conn, account_id), now)


async def _stored_visit(conn: AsyncConnection, account_id: int) -> Visit | None:
    c = list_visits.c
    chosen = sa.select(c.began_at, c.last_at, c.previous_at).where(c.account_id == account_id)
    row = (await conn.execute(chosen)).first()
    return None if row is None else Visit(*row)


async def seen_before(conn: AsyncConnection, account_id: int, now: datetime) -> set[str]:
    """All names that a list showed to the account before the visit of `now` began."""
    began_at = (await visit(conn, account_id, now)).began_at
    chosen = sa.select(_seen.domain).where(_seen.account_id == account_id, _seen.seen_at < began_at)
    return set(await conn.scalars(chosen))


async def memory(conn: AsyncConnection, account_id: int, names: Collection[str], now: datetime) -> PageMemory:
    """The memory of the account as a page with these names is opened at `now`."""
    stored = await _stored_visit(conn, account_id)
    current = visit_at(stored, now)
    seen: dict[str, bool] = {}  # by name, whether that was before this visit
    for batch in _batches(names):
        mine = sa.select(_seen.domain, _seen.seen_at < current.began_at)
        mine = mine.where(_seen.account_id == account_id, _seen.domain.in_(batch))
        seen.update((domain, bool(before)) for domain, before in await conn.execute(mine))
    before = frozenset(domain for domain in seen if seen[domain])
    fresh = [name for name in names if name not in seen]
    written = stored is not None and now - stored.last_at < _VISIT_WRITTEN_EVERY
    return PageMemory(current, before, None if written and not fresh else fresh)


async def record(conn: AsyncConnection, account_id: int, names: Collection[str], now: datetime) -> None:
    """Remember that a list showed these names to the account at `now`; beyond `MOST_SEEN` the oldest go."""
    await lock_account(conn, account_id)
    current = await visit(conn, account_id, now)
    row = {
        "account_id": account_id,
        "began_at": current.began_at,
        "last_at": current.last_at,
        "previous_at": current.previous_at,
    }
    await upsert(conn, list_visits, [row], ["account_id"])
    for batch in _batches(names):
        rows = [{"account_id": account_id, "domain": name, "seen_at": now} for name in batch]
        await insert_each_once(conn, seen_domains, rows, ["account_id", "domain"], [_seen.domain])
    kept = sa.select(sa.func.count()).select_from(seen_domains).where(_seen.account_id == account_id)
    over = (await conn.scalar(kept) or 0) - MOST_SEEN
    if over > 0:
        await _delete_seen(conn, _beyond(account_id, over))


async def forget_seen(conn: AsyncConnection, now: datetime, most: int) -> int:
    """Delete at most `most` rows of what was seen long ago, or beyond `MOST_SEEN` of an account; gives how many."""
    old = sa.select(_seen.account_id, _seen.domain).where(_seen.seen_at <= now - SEEN_KEPT).limit(most)
    removed = await _delete_seen(conn, old)
    fullest = sa.select(_seen.account_id).group_by(_seen.account_id).having(sa.func.count() > MOST_SEEN)
    for account_id in (await conn.scalars(fullest.limit(1))).all() if removed < most else ():
        removed += await _delete_seen(conn, _beyond(account_id, most - removed))
    return removed


def _beyond(account_id: int, most: int) -> sa.Select[Any]:
    """At most `most` of the names an account saw before the newest `MOST_SEEN`."""
    mine = sa.select(_seen.account_id, _seen.domain).where(_seen.account_id == account_id)
    return mine.order_by(_seen.seen_at.desc(), _seen.domain).offset(MOST_SEEN).limit(most)


async def _delete_seen(conn: AsyncConnection, some: sa.Select[Any]) -> int:
    keys = sa.tuple_(_seen.account_id, _seen.domain)
    return int((await conn.execute(sa.delete(seen_domains).where(keys.in_(some)))).rowcount)


# Bytes of randomness in a token: 192 bits.
TOKEN_BYTES: Final = 24
_link = share_links.c


class ShareLink(TypedDict):
    """A share link as its owner sees it. The token itself is not stored."""

    id: int
    domains: list[str]
    made_at: datetime
    expires_at: datetime


async def share(
    conn: AsyncConnection, account_id: int, token: str, names: list[str], now: datetime
) -> datetime:
    """Make a link to these names (from `rules.shared`) under a random token; gives when it ends. Raises TooMany."""
    await lock_account(conn, account_id)
    if len(await links_of(conn, account_id, now)) >= MOST_LINKS:
        raise TooMany("", f"you have {MOST_LINKS} links; revoke one first")
    row = {"account_id": account_id, "hash": digest(token), "domains": names, "made_at": now}
    await conn.execute(sa.insert(share_links).values(**row, expires_at=now + LINK_LASTS))
    return now + LINK_LASTS


class SharedNames(NamedTuple):
    """The names of a link, the id of the account that made it, and when it ends."""

    account_id: int
    names: list[str]
    until: datetime


async def shared_names(conn: AsyncConnection, token: str, now: datetime) -> SharedNames | None:
    """The names of a link; None when there is none, or no longer."""
    chosen = sa.select(_link.account_id, _link.domains, _link.expires_at)
    found = (await conn.execute(chosen.where(_link.hash == digest(token), _link.expires_at > now))).first()
    return None if found is None else SharedNames(found[0], [str(name) for name in found[1]], found[2])


async def links_of(conn: AsyncConnection, account_id: int, now: datetime) -> list[ShareLink]:
    """The account's links that work, newest first."""
    columns = [_link[name] for name in ShareLink.__annotations__]
    mine = sa.select(*columns).where(_link.account_id == account_id, _link.expires_at > now)
    result = await conn.execute(mine.order_by(_link.made_at.desc(), _link.id.desc()))
    return [cast(ShareLink, dict(row)) for row in result.mappings()]


async def revoke(conn: AsyncConnection, account_id: int, link_id: int) -> bool:
    """End one of the account's links; False when it has no such link."""
    mine = sa.and_(_link.id == link_id, _link.account_id == account_id)
    return (await conn.execute(sa.delete(share_links).where(mine))).rowcount == 1
