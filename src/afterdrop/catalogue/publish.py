"""Publish a reviewed domain, refresh published ones, and move them on to their next listing.

The SQL that writes the catalogue follows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final, Literal, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.listings import Listing, advance_listing
from afterdrop.catalogue.placement import KnownDomain, Placement, place
from afterdrop.catalogue.rows import DomainRow, NextListing, StoredReport
from afterdrop.catalogue.store import CATALOGUE, version, with_reports
from afterdrop.catalogue.summary import checked_severities
from afterdrop.db.dialects import bump_version, upsert
from afterdrop.db.tables.catalogue import (
    banned_domains,
    changed_domains,
    domains,
    operator_actions,
    reports,
)
from afterdrop.db.tables.feeds import listings, metric_values
from afterdrop.db.tables.review import archived_pages, reviews
from afterdrop.db.tables.watching import to_match
from afterdrop.review.history.domain_history import History, RevivalPage
from afterdrop.scoring.conclusion import VARYING
from afterdrop.scoring.judge import judge
from afterdrop.scoring.weights import Weights, current, of_version
from afterdrop.sources.metrics.model import Metric, Metrics


async def publish(conn: AsyncConnection, history: History, now: datetime, day: str) -> Placement:
    """Publish, refresh or reject a domain whose review has just finished; `day` is the scan's (2026-11-20).

    Reads its listings and metrics, writes the domain, its revival kit and, for a new round, one `to_match` row. The
    `outcome`, `score` and `reasons` given back are the candidate's. A banned name is rejected.
    """
    domain = history.domain
    if await is_banned(conn, domain):
        return Placement("rejected", reasons=("An operator has banned the name.",))
    known = replace((await load_known(conn, [domain], now))[domain], fresh=True)
    placed = _placed(history, known, now, day)
    await save_placement(conn, domain, placed, now)
    if placed.row is not None:
        await save_pages(conn, domain, history.pages, now)
    # Last: every publisher waits for the one that raised the version until that one commits.
    if placed.changes:
        await bump_catalogue(conn, [domain])
    return placed


async def refresh(
    conn: AsyncConnection, names: Collection[str], now: datetime, day: str
) -> dict[str, Placement]:
    """Bring published domains among `names` up to date with their listings and metrics.

    Price, end and listing follow, the domain is scored anew, and a new round begins where no listing was live for 7
    days and the review is still valid. Nothing is fetched. Names never published are left out.
    """
    histories = await load_histories(conn, names)
    known = await load_known(conn, histories, now)
    placed: dict[str, Placement] = {}
    for name, history in histories.items():
        if known[name].row is not None:
            placed[name] = _placed(history, known[name], now, day, _weights(known[name]))
            await save_placement(conn, name, placed[name], now)
    changed = [name for name, each in placed.items() if each.changes]
    if changed:
        await bump_catalogue(conn, changed)
    return placed


def _weights(known: KnownDomain) -> Weights:
    """A stored score keeps its version until the next review."""
    return current() if known.row is None else of_version(known.row["report"]["score_version"])


def _placed(
    history: History, known: KnownDomain, now: datetime, day: str, weights: Weights | None = None
) -> Placement:
    anew = partial(judge, now=now, spam_overruled=known.restored, weights=weights)
    return place(history, known, anew, now, day)


async def advance_listings(conn: AsyncConnection, now: datetime, limit: int = 200) -> int:
    """Store the listing that domains show now that a better one has ended; gives how many. Call it every minute.

    Readers see the right listing without it; filters and the order of lists need it.
    """
    advanced: list[str] = []
    for due in await due_to_advance(conn, now, limit):
        if await save_advanced(conn, due, advance_listing(due.next_listings, now)):
            advanced.append(due.domain)
    if advanced:
        await bump_catalogue(conn, advanced)
    return len(advanced)


_PAGE_KEY: Final = ("domain", "era", "path")


async def bump_catalogue(conn: AsyncConnection, names: Iterable[str]) -> None:
    """Raise the catalogue's version, so that caches in every process notice that `names` have changed.

    Until the transaction ends, the version's row is locked. So versions are committed in their order, and no reader
    of one can miss a domain that changed with it.
    """
    await bump_version(conn, CATALOGUE)
    now_at = await version(conn)
    rows = [{"domain": name, "version": now_at} for name in sorted(set(names))]
    for start in range(0, len(rows), 1000):
        await upsert(conn, changed_domains, rows[start : start + 1000], ["domain"])


async def load_known(conn: AsyncConnection, names: Collection[str], now: datetime) -> dict[str, KnownDomain]:
    """The stored state of each of `names`, their rows locked against other writers. At most 500 names a call."""
    wanted = sorted(set(names))
    offers = await _by_domain(conn, listings, wanted)
    values = await _by_domain(conn, metric_values, wanted)
    locked = with_reports().where(domains.c.domain.in_(wanted)).order_by(domains.c.domain)
    result = await conn.execute(locked.with_for_update(of=domains))
    rows = {row["domain"]: cast(DomainRow, dict(row)) for row in result.mappings()}
    reviewed = await conn.execute(
        sa.select(reviews.c.domain, reviews.c.valid_until).where(reviews.c.domain.in_(wanted))
    )
    valid = {domain: until > now for domain, until in reviewed}
    restored = await restored_among(conn, wanted)
    return {
        name: KnownDomain(
            listings=[Listing.of(row) for row in offers[name]],
            metrics=Metrics.of(
                Metric(**{name: row[name] for name in Metric.__slots__}) for row in values[name]
            ),
            row=rows.get(name),
            fresh=valid.get(name, False),
            restored=name in restored,
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


async def restored_among(conn: AsyncConnection, names: Sequence[str]) -> set[str]:
    """Those of `names` whose latest decision by an operator is to restore them."""
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
    result = await conn.execute(sa.select(banned_domains.c.domain).where(banned_domains.c.domain == domain))
    return result.first() is not None


async def load_histories(conn: AsyncConnection, names: Collection[str]) -> dict[str, History]:
    """The stored reviews of `names`."""
    chosen = sa.select(reviews.c.domain, reviews.c.history).where(reviews.c.domain.in_(sorted(set(names))))
    return {domain: History.from_dict(history) for domain, history in await conn.execute(chosen)}


async def save_placement(conn: AsyncConnection, domain: str, placed: Placement, now: datetime) -> None:
    """Write a placement: the domain, its report, and what matching is to do. The version is not raised."""
    if placed.unlist_reason is not None:
        await unlist(conn, domain, placed.unlist_reason, now)
    if placed.row is None:
        return
    # Change a domain and its report, or insert them: a refresh cannot be inserted, for it has no round.
    row = placed.row
    columns = {name: value for name, value in row.items() if name != "report"}
    changes = {name: value for name, value in columns.items() if name != "domain"}
    done = await conn.execute(sa.update(domains).where(domains.c.domain == row["domain"]).values(**changes))
    if done.rowcount == 0:
        await upsert(conn, domains, [columns], ["domain"])
    await put_reports(conn, {row["domain"]: row["report"]})
    if placed.match:
        await queue_matching(conn, domain, "listed", now)


async def put_reports(conn: AsyncConnection, told: Mapping[str, StoredReport]) -> None:
    """Write the reports of domains."""
    rows = [
        {
            "domain": domain,
            "varying_severity": checked_severities((VARYING,), report["risk_checks"])[VARYING],
            "report": report,
        }
        for domain, report in told.items()
    ]
    await upsert(conn, reports, rows, ["domain"])


async def queue_matching(
    conn: AsyncConnection, domain: str, kind: Literal["listed", "available"], now: datetime
) -> None:
    """Queue a domain for matching, once per kind and round; queued again, it is matched from the start."""
    result = await conn.execute(sa.select(domains.c.round).where(domains.c.domain == domain))
    row = {
        "domain": domain,
        "round": result.scalar_one(),
        "kind": kind,
        "created_at": now,
        "after_account": 0,
        "due_at": now,
    }
    await upsert(conn, to_match, [row], ["domain", "round", "kind"])


async def unlist(conn: AsyncConnection, domain: str, reason: str, now: datetime) -> bool:
    """Take a domain off every list; False when it was not on one. The version is not raised."""
    done = await conn.execute(
        sa.update(domains)
        .where(domains.c.domain == domain, domains.c.removed_at.is_(None))
        .values(removed_at=now, removed_reason=reason, open_now=False)
    )
    return done.rowcount == 1


async def save_pages(conn: AsyncConnection, domain: str, pages: Sequence[RevivalPage], now: datetime) -> None:
    """Store the most-archived pages of a domain's owners; their texts are made at the lowest priority.

    A page keeps its text when its last capture is still the one the text was made from. Pages that are no longer
    among `pages` are deleted.
    """
    table = archived_pages
    names = ("era", "path", "url", "captures", "last_capture", "timestamp", "overall", "place")
    result = await conn.execute(sa.select(*(table.c[name] for name in names)).where(table.c.domain == domain))
    stored = {(row["era"], row["path"]): dict(row) for row in result.mappings()}
    shown = {(page.era, page.path): {name: getattr(page, name) for name in names} for page in pages}
    for era in sorted({era for era, _ in stored.keys() - shown.keys()}):
        gone = sorted(path for at, path in stored.keys() - shown.keys() if at == era)
        mine = sa.and_(table.c.domain == domain, table.c.era == era)
        await conn.execute(sa.delete(table).where(mine, table.c.path.in_(gone)))
    changed = [(row, stored.get(key, {})) for key, row in shown.items() if row != stored.get(key)]
    same_text = [row for row, before in changed if row["timestamp"] == before.get("timestamp")]
    await upsert(conn, table, [_wanted(domain, row, now) for row in same_text], _PAGE_KEY, names[2:])
    other_text = [_wanted(domain, row, now) for row, _ in changed if row not in same_text]
    await upsert(conn, table, other_text, _PAGE_KEY)


def _wanted(domain: str, row: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    empty = dict.fromkeys(("title", "words", "content", "claimed_by", "lease_until", "error"))
    return {"domain": domain, **row, "content_state": "wanted", "due_at": now, "attempts": 0, **empty}


@dataclass(frozen=True, slots=True)
class DueListing:
    """A domain whose next listing is due, as it was read."""

    domain: str
    next_listing_at: datetime
    next_listings: Sequence[NextListing]


async def due_to_advance(conn: AsyncConnection, now: datetime, limit: int) -> list[DueListing]:
    """Up to `limit` domains whose next listing is due, the earliest first."""
    row = domains.c
    columns = (row.domain, row.next_listing_at, row.next_listings)
    due = sa.select(*columns).where(row.next_listing_at <= now).order_by(row.next_listing_at)
    return [DueListing(*row) for row in await conn.execute(due.limit(limit))]


async def save_advanced(conn: AsyncConnection, due: DueListing, values: Mapping[str, Any]) -> int:
    """Change the listing columns of a domain; 0 when a refresh changed them since they were read, else 1."""
    same = sa.and_(domains.c.domain == due.domain, domains.c.next_listing_at == due.next_listing_at)
    return (await conn.execute(sa.update(domains).where(same).values(**values))).rowcount


async def was_published(conn: AsyncConnection, domain: str) -> bool:
    """Whether the catalogue has the domain, on a list or not."""
    return bool((await conn.execute(sa.select(sa.exists().where(domains.c.domain == domain)))).scalar_one())
