"""Domain Ratings of up to a few dozen names, cached for seven days: quick, and honest about a provider's limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.core.json_shapes import DomainName, Percent
from afterdrop.sources.lookups.sources import Sources
from afterdrop.sources.metrics.model import DOMAIN_RATING
from afterdrop.sources.metrics.provider_client import FAIL_FAST, ProviderClient
from afterdrop.sources.metrics.provider_spec import ProviderSpec

Busy = Literal["busy_retry_later"]
BUSY: Final[Busy] = "busy_retry_later"
CACHE_DAYS: Final = 7

Rating = int | None | Busy


class RatingRowJson(TypedDict):
    """One Domain Rating."""

    domain: DomainName
    domain_rating: Annotated[Percent | None, Field(description="Domain Rating, 0-100; null if unknown")]
    error: Annotated[Busy | None, Field(description="Set where the provider was too busy to answer")]


@dataclass(frozen=True, slots=True)
class RatingRow:
    """The contract's Domain Rating row: null without a source or a value; `error` when the source was too busy."""

    domain: str
    domain_rating: int | None
    error: Busy | None = None

    def as_json(self) -> RatingRowJson:
        """The row with its contract keys."""
        return {"domain": self.domain, "domain_rating": self.domain_rating, "error": self.error}


async def domain_rating(sources: Sources, domains: Sequence[str], now: datetime) -> list[RatingRow]:
    """One row for each distinct domain (registrable, lowercase A-labels), in the order asked."""
    wanted = list(dict.fromkeys(domains))
    client = ProviderClient(sources.fetcher, sources.database, now, FAIL_FAST)
    found = await domain_ratings(client, sources.providers, wanted)
    rows = []
    for domain in wanted:
        rating = found[domain]
        rows.append(RatingRow(domain, None, BUSY) if rating == BUSY else RatingRow(domain, _integer(rating)))
    return rows


def _integer(rating: Rating) -> int | None:
    return rating if isinstance(rating, int) else None


async def domain_ratings(
    client: ProviderClient, specs: Sequence[ProviderSpec], domains: Sequence[str]
) -> dict[str, Rating]:
    """The rating of each of `domains` (distinct registrable names).

    An integer 0-100; None when no provider is configured or none knows the name; `busy_retry_later` when a limit
    or an upstream failure kept us from asking (not cached, so that asking again later helps).
    """
    ratings: dict[str, Rating] = dict.fromkeys(domains)
    paced = client.paced(specs)
    usable = [spec for spec in specs if DOMAIN_RATING in spec.roles]
    for spec in usable:
        unrated = [domain for domain in domains if not isinstance(ratings[domain], int)]
        if not spec.configured or not unrated:
            continue
        days = min(CACHE_DAYS, spec.file.cache_days)
        result = await paced.ask(spec, unrated, days)
        hindered = bool(result.faults or result.over_budget)
        for domain in unrated:
            if domain not in result.values:
                ratings[domain] = BUSY if hindered else ratings[domain]
                continue
            for metric in result.values[domain]:
                if metric.role == DOMAIN_RATING and isinstance(metric.value, int):
                    ratings[domain] = metric.value
    return ratings
