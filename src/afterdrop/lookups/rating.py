"""Domain Ratings of up to a few dozen domains, each kept for seven days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from afterdrop.lookups import store
from afterdrop.lookups.sources import Sources

KEEP_SECONDS = 7 * 86_400.0
BUSY: Literal["busy_retry_later"] = "busy_retry_later"


@dataclass(frozen=True, slots=True)
class RatingRow:
    """The contract's Domain Rating row: null without a source or data; `error` when the source was too busy."""

    domain: str
    domain_rating: int | None
    error: Literal["busy_retry_later"] | None = None

    def as_json(self) -> dict[str, Any]:
        """The row with its contract keys."""
        return {"domain": self.domain, "domain_rating": self.domain_rating, "error": self.error}


async def domain_rating(sources: Sources, domains: Sequence[str], now: datetime) -> list[RatingRow]:
    """One row for each distinct domain (registrable, lowercase A-labels), in the order asked."""
    wanted = list(dict.fromkeys(domains))
    if sources.rating is None:
        return [RatingRow(domain, None) for domain in wanted]
    keys = {f"rating:{domain}": domain for domain in wanted}
    async with sources.database.read() as conn:
        kept = await store.kept_answers(conn, keys, now)
    known: dict[str, int | None] = {keys[key]: answer["domain_rating"] for key, answer in kept.items()}
    missing = [domain for domain in wanted if domain not in known]
    if missing:
        answered = {
            domain: value
            for domain, value in (await sources.rating.ratings(missing, now)).items()
            if domain in missing
        }
        fresh = {f"rating:{domain}": {"domain_rating": value} for domain, value in answered.items()}
        async with sources.database.write() as conn:
            await store.keep_answers(conn, fresh, now, KEEP_SECONDS)
        known |= answered
    return [
        RatingRow(domain, known[domain]) if domain in known else RatingRow(domain, None, BUSY)
        for domain in wanted
    ]
