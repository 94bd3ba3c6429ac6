"""A preview of an alert rule: which domains of the last 30 days its criteria match, before it is saved."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.alerts.criteria import Criteria, facts_of, matches
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
