"""The service's figures: the last scan and the three lists, over what the caller's audience may see."""

from __future__ import annotations

from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import TypedDict

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import store
from afterdrop.catalogue.snapshot import Snapshot
from afterdrop.catalogue.summary import instant


class LastScan(TypedDict):
    """The last finished scan."""

    started_at: str | None
    finished_at: str | None
    scanned: int
    passed_authority_filter: int


class LiveStats(TypedDict):
    """The live list in figures."""

    domains: int
    open_on_free_plan: int
    ending_within_24h: int
    average_score: float | None
    average_domain_rating: float | None


class Stats(TypedDict):
    """The stats object, as the interface shows it. `last_scan` is null before the first scan has finished."""

    last_scan: LastScan | None
    live: LiveStats
    available_now: int
    archive: int


async def stats(
    conn: AsyncConnection, operator: bool, now: datetime, snapshot: Snapshot | None = None
) -> Stats:
    """The service's figures at `now` for an audience, the public or the operators; both plans see the same.

    The lists are counted in the audience's snapshot where there is one.
    """
    last_scan = await _last_scan(conn)
    if snapshot is not None:
        seconds = int(now.timestamp())
        live, (archived, available) = snapshot.live_figures(seconds), snapshot.ended_counts(seconds)
    else:
        live = await store.live_figures(conn, operator, now)
        archived, available = await store.ended_counts(conn, operator, now)
    return {
        "last_scan": last_scan,
        "live": {
            "domains": live.domains,
            "open_on_free_plan": live.open,
            "ending_within_24h": live.ending_within_24h,
            "average_score": average(live.score_sum, live.scores),
            "average_domain_rating": average(live.rating_sum, live.ratings),
        },
        "available_now": available,
        "archive": archived,
    }


async def _last_scan(conn: AsyncConnection) -> LastScan | None:
    row = await store.last_finished_scan(conn)
    if row is None:
        return None
    return {
        "started_at": instant(row["started_at"]),
        "finished_at": instant(row["finished_at"]),
        "scanned": row["scanned"],
        "passed_authority_filter": row["passed_authority_filter"],
    }


def average(total: int | None, count: int) -> float | None:
    """To one decimal, half up; None of nothing."""
    if not count:
        return None
    return float((Decimal(int(total or 0)) / count).quantize(Decimal("0.1"), ROUND_HALF_UP))
