"""The registration record of one domain, with the days it may drop."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from afterdrop.lookups import cache
from afterdrop.lookups.availability import availability
from afterdrop.lookups.sources import Sources
from afterdrop.registry.drop_estimate import DropEstimate, estimate
from afterdrop.registry.rdap_answer import RegistryAnswer


@dataclass(frozen=True, slots=True)
class Whois:
    """What a registry says of one domain, and the estimate made from it."""

    answer: RegistryAnswer
    drop_estimate: DropEstimate

    def as_json(self) -> dict[str, Any]:
        """The contract's whois record."""
        return {**self.answer.record.as_json(), "drop_estimate": self.drop_estimate.as_json()}


async def whois(sources: Sources, domain: str, now: datetime) -> Whois:
    """Ask the registry about `domain` (registrable, lowercase A-labels). Its failure is state `unknown`."""
    answer = (await availability(sources, [domain], now))[0]
    async with sources.database.read() as conn:
        day = await cache.drop_day(conn, domain, now)
    return Whois(answer, estimate(answer, now, drop_day=day))
