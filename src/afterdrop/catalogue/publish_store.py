"""The SQL of publishing: what is known of domains, and a placement stored. Nothing here commits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.listings import Listing
from afterdrop.catalogue.placement import Known, Placement
from afterdrop.db.dialects import upsert
from afterdrop.db.tables.alerts import to_match
from afterdrop.db.tables.catalogue import banned_domains, domains, operator_actions, reserved_views
from afterdrop.db.tables.feeds import listings, metric_values
from afterdrop.db.tables.review import archived_pages, reviews
from afterdrop.metrics.model import Metric, Metrics
from afterdrop.review.history.domain_history import History, RevivalPage

CATALOGUE = "catalogue"


async def known(conn: AsyncConnection, names: Collection[str], now: datetime) -> dict[str, Known]:
    """What is known of each of `names`, their rows held against other writers. At most 500 names a call."""
    wanted = sorted(set(names))
    offers = await _by_domain(conn, listings, wanted)
    values = await _by_domain(conn, metric_values, wanted)
    held = sa.select(domains).where(domains.c.domain.in_(wanted)).order_by(domains.c.domain).with_for_update()
    standing = {row["domain"]: dict(row) for row in (await conn.execute(held)).mappings()}
    reviewed = await conn.execute(
        sa.select(reviews.c.domain, reviews.c.valid_until).where(reviews.c.domain.in_(wanted))
    )
    valid = {domain: until > now for domain, until in reviewed}
    kept = await restored_among(conn, wanted)
    return {
        name: Known(
            listings=[Listing.of(row) for row in offers[name]],
            metrics=Metrics.of(_metric(row) for row in values[name]),
            standing=standing.get(name),
            fresh=valid.get(name, False),
            restored=name in kept,
        )
        for name in wanted
    }


async def _by_domain(
    conn: AsyncConnection, table: sa.Table, names: Sequence[str]
) -> Mapping[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in (await conn.execute(sa.select(table).where(table.c.domain.in_(names)))).mappings():
        found[row["domain"]].append(dict(row))
    return found


def _metric(row: Mapping[str, Any]) -> Metric:
    return Metric(**{name: row[name] for name in Metric.__slots__})


async def restored_among(conn: AsyncConnection, names: Sequence[str]) -> set[str]:
    """Those whose last word from an operator is that they belong on the list."""
    newest = (
        sa.select(sa.func.max(operator_actions.c.id))
        .where(
            operator_actions.c.domain.in_(names),
            operator_actions.c.action.in_(("remove", "restore", "ban")),
        )
        .group_by(operator_actions.c.domain)
    )
    found = await conn.scalars(
        sa.select(operator_actions.c.domain).where(
            operator_actions.c.id.in_(newest), operator_actions.c.action == "restore"
        )
    )
    return set(found.all())


async def is_banned(conn: AsyncConnection, domain: str) -> bool:
    """Whether an operator banned the name."""
    found = await conn.execute(sa.select(banned_domains.c.domain).where(banned_domains.c.domain == domain))
    return found.first() is not None


async def histories(conn: AsyncConnection, names: Collection[str]) -> dict[str, History]:
    """The stored reviews of `names`."""
    chosen = sa.select(reviews.c.domain, reviews.c.history).where(reviews.c.domain.in_(sorted(set(names))))
    return {domain: History.from_dict(history) for domain, history in await conn.execute(chosen)}


async def store(conn: AsyncConnection, domain: str, placed: Placement, now: datetime) -> None:
    """Write a placement: the domain, the operators' view, and what matching is to do. The version is not raised."""
    if placed.take_off is not None:
        await unlist(conn, domain, placed.take_off, now)
    if placed.row is None:
        return
    await _put(conn, domains, placed.row)
    if placed.reserved is None:
        await conn.execute(sa.delete(reserved_views).where(reserved_views.c.domain == domain))
    else:
        await _put(conn, reserved_views, {"domain": domain, **placed.reserved})
    if placed.match:
        await match_later(conn, domain, "listed", now)


async def _put(conn: AsyncConnection, table: sa.Table, row: Mapping[str, Any]) -> None:
    """Change the row, or make it: a refresh has no round of its own to insert."""
    changes = {name: value for name, value in row.items() if name != "domain"}
    done = await conn.execute(sa.update(table).where(table.c.domain == row["domain"]).values(**changes))
    if done.rowcount == 0:
        await upsert(conn, table, [row], ["domain"])


async def match_later(conn: AsyncConnection, domain: str, kind: str, now: datetime) -> None:
    """Leave a row for matching: `listed` or `available`, once per round; asked again, matching starts over."""
    found = await conn.execute(sa.select(domains.c.round).where(domains.c.domain == domain))
    row = {
        "domain": domain,
        "round": found.scalar_one(),
        "kind": kind,
        "created_at": now,
        "after_account": 0,
        "due_at": now,
    }
    await upsert(conn, to_match, [row], ["domain", "round", "kind"])


async def unlist(conn: AsyncConnection, domain: str, reason: str, now: datetime) -> bool:
    """Take a domain off every list from now on; False when it was not on one. The version is not raised."""
    done = await conn.execute(
        sa.update(domains)
        .where(domains.c.domain == domain, domains.c.removed_at.is_(None))
        .values(removed_at=now, removed_reason=reason, open_now=False, updated_at=now)
    )
    return done.rowcount == 1


async def put_pages(conn: AsyncConnection, domain: str, pages: Sequence[RevivalPage], now: datetime) -> None:
    """Keep the most-archived pages of a domain; their text is wanted at the lowest priority.

    A page whose last capture is the one its stored text was made from keeps it; pages no longer among them go.
    """
    table = archived_pages
    names = ("path", "url", "captures", "last_capture", "timestamp")
    kept = await conn.execute(sa.select(*(table.c[name] for name in names)).where(table.c.domain == domain))
    standing = {row["path"]: dict(row) for row in kept.mappings()}
    gone = sorted(standing.keys() - {page.path for page in pages})
    if gone:
        await conn.execute(sa.delete(table).where(table.c.domain == domain, table.c.path.in_(gone)))
    shown = {page.path: {name: getattr(page, name) for name in names} for page in pages}
    changed = [row for path, row in shown.items() if row != standing.get(path)]
    same_text = [row for row in changed if row["timestamp"] == standing.get(row["path"], {}).get("timestamp")]
    await upsert(conn, table, [_wanted(domain, row, now) for row in same_text], _PAGE_KEY, names[1:])
    other_text = [_wanted(domain, row, now) for row in changed if row not in same_text]
    await upsert(conn, table, other_text, _PAGE_KEY)


_PAGE_KEY = ("domain", "path")


def _wanted(domain: str, row: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    empty = dict.fromkeys(("title", "words", "content", "claimed_by", "lease_until", "error"))
    return {"domain": domain, **row, "content_state": "wanted", "due_at": now, "attempts": 0, **empty}
