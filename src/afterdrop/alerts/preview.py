"""A preview of an alert rule: which domains of the last 30 days its criteria match, before it is saved."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.alerts.criteria import Criteria, facts_of, matches
from afterdrop.catalogue.filters import ListFilter, fold
from afterdrop.catalogue.list_store import ListSelection
from afterdrop.catalogue.snapshot import Snapshot
from afterdrop.catalogue.store import found_since
from afterdrop.catalogue.summary import DomainSummary, Links, summary

LOOKED_BACK: Final = timedelta(days=30)
# At most so many of the newest domains are evaluated: a page waits for the answer.
MOST: Final = 10_000
SHOWN: Final = 20
_TURN: Final = 500


@dataclass(frozen=True, slots=True)
class Preview:
    """`count` of the `looked_at` newest domains match; `found` are the summaries of the newest of them."""

    count: int
    looked_at: int
    found: list[DomainSummary]

    @property
    def cut(self) -> bool:
        """Whether older domains of the 30 days were left out."""
        return self.looked_at >= MOST


async def preview(
    conn: AsyncConnection, criteria: Criteria, viewer: Viewer, now: datetime, links: Links
) -> Preview:
    """What `criteria` match of the domains found in the last 30 days that are still on the lists, newest first.

    `viewer` is on Pro: rules are. Prices and listings are today's. Nothing is written.
    """
    rows = await found_since(conn, viewer, now - LOOKED_BACK, MOST)
    count, found = 0, list[DomainSummary]()
    for looked, row in enumerate(rows, 1):
        each = summary(row, viewer, now, links)
        if matches(criteria, facts_of(each)):
            count += 1
            if len(found) < SHOWN:
                found.append(each)
        if looked % _TURN == 0:
            await asyncio.sleep(0)
    return Preview(count, len(rows), found)


def preview_in_memory(
    snapshot: Snapshot, criteria: Criteria, viewer: Viewer, now: datetime, links: Links
) -> Preview:
    """The same from the lists in memory."""
    selection = ListSelection("archive", _as_filter(criteria, now - LOOKED_BACK), viewer, now, links.fees)
    words = {fold(word) for word in criteria.get("keywords") or ()}
    recent = snapshot.recent(selection, words, MOST)
    rows = recent.rows
    if recent.unsure:
        rows = [
            row for row in rows if row not in recent.unsure or _passes(snapshot, row, criteria, selection)
        ]
    return Preview(len(rows), recent.looked_at, snapshot.summaries(rows[:SHOWN], selection))


def _passes(snapshot: Snapshot, row: int, criteria: Criteria, selection: ListSelection) -> bool:
    return matches(criteria, facts_of(snapshot.summaries([row], selection)[0]))


def _as_filter(criteria: Criteria, since: datetime) -> ListFilter:
    """All of a rule but its keywords."""
    return ListFilter(
        min_score=criteria.get("min_score") or None,
        min_dr=criteria.get("min_dr") or None,
        min_tf=criteria.get("min_tf") or None,
        min_ref_domains=criteria.get("min_ref_domains") or None,
        min_archive_years=criteria.get("min_archive_years") or None,
        max_price=criteria.get("max_price") or None,
        tlds=frozenset(criteria.get("tlds") or ()),
        types=frozenset(criteria.get("listing_types") or ()),
        topics=frozenset(criteria.get("topics") or ()),
        langs=frozenset(criteria.get("langs") or ()),
        clean=bool(criteria.get("clean_only")),
        since=since,
    )
