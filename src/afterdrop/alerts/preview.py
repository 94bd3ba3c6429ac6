"""What an alert rule would have matched: the domains published lately, held against criteria nobody has saved."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.alerts.criteria import Criteria, facts, matches
from afterdrop.catalogue.queries import SUMMARY_COLUMNS, on_list, shown
from afterdrop.catalogue.summary import Links, summary

LOOKED_BACK: Final = timedelta(days=30)
# The newest so many are looked at: a page is waiting for the answer.
MOST: Final = 10_000
SHOWN: Final = 20
_TURN: Final = 500


@dataclass(frozen=True, slots=True)
class Preview:
    """`count` of the `looked_at` newest domains match; `found` are the summaries of the newest of them."""

    count: int
    looked_at: int
    found: list[dict[str, Any]]

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
    table = shown(viewer.operator)
    recent = (
        sa.select(*(table.c[name] for name in SUMMARY_COLUMNS))
        .where(on_list(table, viewer.operator), table.c.found_at >= now - LOOKED_BACK)
        .order_by(table.c.found_at.desc(), table.c.domain)
        .limit(MOST)
    )
    rows = (await conn.execute(recent)).mappings().all()
    count, found = 0, list[dict[str, Any]]()
    for looked, row in enumerate(rows, 1):
        each = summary(dict(row), viewer, now, links)
        if matches(criteria, facts(each)):
            count += 1
            if len(found) < SHOWN:
                found.append(each)
        if looked % _TURN == 0:
            await asyncio.sleep(0)
    return Preview(count, len(rows), found)
