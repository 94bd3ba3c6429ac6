"""The plan of asking the metric providers: how many names, requests and units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.metrics import store
from afterdrop.metrics.lookup import WorthPaying, in_order, never, wants
from afterdrop.metrics.model import NOTHING_KNOWN, Metrics
from afterdrop.metrics.provider_spec import ProviderSpec


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """What one bulk provider would be asked.

    It could tell something new about `names` names, of which `cached` are answered already. `ask` names would be sent
    in `requests` requests for `units` units, and `over_budget` names would not be asked. For a paid provider these are
    minimums: answers of free ones can make more names worth paying for. `missing` are the environment variables
    without which nothing is asked.
    """

    provider: str
    title: str
    tier: str
    names: int
    cached: int
    ask: int
    requests: int
    units: int
    over_budget: int
    missing: tuple[str, ...]


async def plan_bulk(
    conn: AsyncConnection,
    specs: Sequence[ProviderSpec],
    domains: Sequence[str],
    now: datetime,
    *,
    known: Mapping[str, Metrics] | None = None,
    worth_paying: WorthPaying = never,
) -> list[PlannedQuestion]:
    """One entry for each bulk provider, in the order in which they would be asked. Only reads."""
    before = known or {}
    return [
        await _planned(
            conn,
            spec,
            [name for name in domains if wants(spec, name, before.get(name, NOTHING_KNOWN), worth_paying)],
            now,
        )
        for spec in in_order(specs, "bulk")
    ]


async def _planned(
    conn: AsyncConnection, spec: ProviderSpec, names: Sequence[str], now: datetime
) -> PlannedQuestion:
    cached = len(await store.cached_answers(conn, spec, names, now))
    left = await store.units_left(conn, spec.name, spec.budget, now)
    to_ask = len(names) - cached if spec.configured else 0
    ask = _affordable(spec, to_ask, left)
    full, rest = divmod(ask, spec.file.batch)
    requests = full + bool(rest)
    return PlannedQuestion(
        provider=spec.name,
        title=spec.file.title,
        tier=spec.file.tier,
        names=len(names),
        cached=cached,
        ask=ask,
        requests=requests,
        units=requests * spec.file.cost.per_request + ask * spec.file.cost.per_item,
        over_budget=to_ask - ask,
        missing=spec.missing,
    )


def _affordable(spec: ProviderSpec, names: int, left: int | None) -> int:
    """How many of `names` names `left` units pay for, asked in full batches."""
    if left is None:
        return names
    batch = spec.file.batch
    whole = spec.cost(batch)
    batches = min(names // batch, left // whole) if whole else names // batch
    asked = batches * batch
    rest = min(names - asked, batch)
    remaining = left - batches * whole
    while rest and spec.cost(rest) > remaining:
        rest -= 1
    return asked + rest
