"""Domain Ratings on demand, for the look-up that users run: never slow, kept for seven days, honest about a limit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal

from afterdrop.db.engine import Database
from afterdrop.http.client import Fetcher
from afterdrop.metrics.model import DOMAIN_RATING
from afterdrop.metrics.provider_client import HASTY, Patience, ask_provider, paced
from afterdrop.metrics.provider_spec import ProviderSpec

BUSY: Final = "busy_retry_later"
CACHE_DAYS: Final = 7

Rating = int | None | Literal["busy_retry_later"]


async def domain_ratings(
    fetcher: Fetcher,
    database: Database,
    specs: Sequence[ProviderSpec],
    domains: Sequence[str],
    now: datetime,
    *,
    operator: bool = False,
    patience: Patience = HASTY,
) -> dict[str, Rating]:
    """The rating of each of `domains` (distinct registrable names).

    An integer 0-100; None when no provider is configured or none knows the name; `busy_retry_later` when a limit
    or a fault upstream kept us from asking (not cached: asking again later helps). Values that a licence reserves
    for the operator's own use are asked and shown for operators only.
    """
    ratings: dict[str, Rating] = dict.fromkeys(domains)
    way_out = paced(fetcher, specs)
    usable = [spec for spec in specs if DOMAIN_RATING in spec.roles and (operator or not spec.gated)]
    for spec in usable:
        open_ones = [domain for domain in domains if not isinstance(ratings[domain], int)]
        if not spec.configured or not open_ones:
            continue
        days = min(CACHE_DAYS, spec.file.cache_days)
        outcome = await ask_provider(way_out, database, spec, open_ones, now, patience, days)
        hindered = bool(outcome.faults or outcome.over_budget)
        for domain in open_ones:
            if domain not in outcome.values:
                ratings[domain] = BUSY if hindered else ratings[domain]
                continue
            for metric in outcome.values[domain]:
                if metric.role == DOMAIN_RATING and isinstance(metric.value, int):
                    ratings[domain] = metric.value
    return ratings
