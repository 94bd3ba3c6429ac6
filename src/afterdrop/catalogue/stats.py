"""The service's figures: the last scan and the three lists, as the lists have them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict

from afterdrop.catalogue import store
from afterdrop.catalogue.lists.snapshot import LiveFigures, Snapshot
from afterdrop.core.json_shapes import Count, Timestamp, instant


class LastScan(TypedDict):
    """The last finished daily scan."""

    started_at: Annotated[Timestamp, Field(description="When it began")]
    finished_at: Annotated[Timestamp, Field(description="When it was done")]
    scanned: Annotated[Count, Field(description="How many names the feeds had")]
    passed_authority_filter: Annotated[Count, Field(description="How many names passed the authority filter")]


class LiveStats(TypedDict):
    """The live list in figures."""

    domains: Annotated[Count, Field(description="How many domains are on the live list")]
    open_on_free_plan: Annotated[
        Count, Field(description="How many of them the free plan shows in full today")
    ]
    ending_within_24h: Annotated[Count, Field(description="How many of them end within 24 hours")]
    average_score: Annotated[float | None, Field(description="Their average score; null for an empty list")]
    average_domain_rating: Annotated[
        float | None, Field(description="Their average Domain Rating; null if none is known")
    ]


class Stats(TypedDict):
    """The service in figures. The same on both plans."""

    last_scan: Annotated[LastScan | None, Field(description="Null before the first scan has finished")]
    live: Annotated[LiveStats, Field(description="The live list in figures")]
    available_now: Annotated[Count, Field(description="How many domains are free to register")]
    archive: Annotated[Count, Field(description="How many domains the archive has")]


@dataclass(frozen=True, slots=True)
class ListFigures:
    """The figures of the lists: both plans have the same."""

    live: LiveFigures
    archived: int
    available: int

    @classmethod
    def of_snapshot(cls, snapshot: Snapshot, now: datetime) -> ListFigures:
        """As the lists in memory have them."""
        seconds = int(now.timestamp())
        return cls(snapshot.live_figures(seconds), *snapshot.ended_counts(seconds))


async def stats(conn: AsyncConnection, figures: ListFigures) -> Stats:
    """The service's figures with those of the lists."""
    last_scan, live = await _last_scan(conn), figures.live
    return {
        "last_scan": last_scan,
        "live": {
            "domains": live.domains,
            "open_on_free_plan": live.open,
            "ending_within_24h": live.ending_within_24h,
            "average_score": average(live.score_sum, live.scores),
            "average_domain_rating": average(live.rating_sum, live.ratings),
        },
        "available_now": figures.available,
        "archive": figures.archived,
    }


async def _last_scan(conn: AsyncConnection) -> LastScan | None:
    row = await store.last_finished_scan(conn)
    if row is None:
        return None
    return {
        "started_at": instant(row["started_at"]),
        "finished_at": instant(row["finished_at"]),
        "scanned": int(row["scanned"]),
        "passed_authority_filter": int(row["passed_authority_filter"]),
    }


def average(total: int, count: int) -> float | None:
    """To one decimal, half up; None of nothing."""
    if not count:
        return None
    return float((Decimal(total) / count).quantize(Decimal("0.1"), ROUND_HALF_UP))
