"""Domain Ratings of up to a few dozen domains, kept for seven days by the metric providers' own memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from afterdrop.lookups.sources import Sources
from afterdrop.metrics.domain_rating import BUSY, domain_ratings


@dataclass(frozen=True, slots=True)
class RatingRow:
    """The contract's Domain Rating row: null without a source or data; `error` when the source was too busy."""

    domain: str
    domain_rating: int | None
    error: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The row with its contract keys."""
        return {"domain": self.domain, "domain_rating": self.domain_rating, "error": self.error}


async def domain_rating(
    sources: Sources, domains: Sequence[str], now: datetime, *, operator: bool = False
) -> list[RatingRow]:
    """One row for each distinct domain (registrable, lowercase A-labels), in the order asked.

    Ratings whose licence is the operator's own use are given when `operator` asks.
    """
    wanted = list(dict.fromkeys(domains))
    found = await domain_ratings(
        sources.fetcher, sources.database, sources.providers, wanted, now, operator=operator
    )
    rows = []
    for domain in wanted:
        rating = found[domain]
        rows.append(RatingRow(domain, None, BUSY) if rating == BUSY else RatingRow(domain, _integer(rating)))
    return rows


def _integer(rating: int | str | None) -> int | None:
    return rating if isinstance(rating, int) else None
