"""The SQL of link metrics: the values known of each domain, and the cache of what providers answered.

The cache keeps a name from being asked, and paid for, twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypedDict

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import upsert
from afterdrop.db.tables.feeds import metric_values, provider_answers, provider_spend
from afterdrop.metrics.model import Metric, Metrics, Role, Value
from afterdrop.metrics.provider_answer import Reading
from afterdrop.metrics.provider_spec import ProviderSpec

# SQLite takes at most 32,766 values a statement; PostgreSQL 65,535.
_NAMES_A_QUESTION = 10_000


async def metrics_of(conn: AsyncConnection, domain: str) -> Metrics:
    """Every stored link metric of a domain."""
    names = Metric.__slots__
    rows = await conn.execute(sa.select(metric_values).where(metric_values.c.domain == domain))
    return Metrics.of(Metric(**{name: row[name] for name in names}) for row in rows.mappings())


async def put_metrics(conn: AsyncConnection, values: Sequence[tuple[str, Metric]]) -> None:
    """Store metrics of (domain, metric) pairs; a provider's older value of the same role is replaced."""
    rows = [
        {
            "domain": domain,
            "role": metric.role,
            "provider": metric.provider,
            "value": metric.value,
            "fetched_at": metric.fetched_at,
            "gated": metric.gated,
            "attribution": dict(metric.attribution) if metric.attribution else None,
        }
        for domain, metric in values
    ]
    await upsert(conn, metric_values, rows, ("domain", "role", "provider"))


async def save_answers(conn: AsyncConnection, spec: ProviderSpec, reading: Reading, now: datetime) -> None:
    """Keep what `spec` answered, so that it is not asked again within its cache time."""
    rows: list[dict[str, Any]] = [
        {"provider": spec.name, "domain": domain, "asked_at": now, "found": True, "metrics": dict(values)}
        for domain, values in reading.values.items()
    ]
    rows += [
        {"provider": spec.name, "domain": domain, "asked_at": now, "found": False, "metrics": {}}
        for domain in reading.not_found
    ]
    await upsert(conn, provider_answers, rows, ["provider", "domain"])


async def cached_answers(
    conn: AsyncConnection, spec: ProviderSpec, domains: Sequence[str], now: datetime, days: int | None = None
) -> dict[str, list[Metric]]:
    """What `spec` answered about `domains` within its cache time (or `days`), as metrics; [] = asked, not known there.

    Names not in the result have to be asked.
    """
    since = now - timedelta(days=spec.file.cache_days if days is None else days)
    kept: dict[str, list[Metric]] = {}
    for chunk in _chunks(domains):
        rows = await conn.execute(
            sa.select(provider_answers).where(
                provider_answers.c.provider == spec.name,
                provider_answers.c.domain.in_(chunk),
                provider_answers.c.asked_at > since,
            )
        )
        for row in rows.mappings():
            kept[row["domain"]] = as_metrics(spec, row["metrics"], row["asked_at"])
    return kept


def as_metrics(spec: ProviderSpec, values: Mapping[Role, Value], at: datetime) -> list[Metric]:
    """A provider's values with today's licence: a permission given later opens what is cached already."""
    credit = spec.file.attribution
    attribution = None if credit is None else {"text": credit.text, "url": credit.url}
    return [
        Metric(role, value, spec.name, at, spec.gated, attribution)
        for role, value in values.items()
        if role in spec.roles
    ]


async def forget_answers(conn: AsyncConnection, before: datetime, limit: int = 1000) -> int:
    """Delete up to `limit` answers asked before `before` (longer ago than any cache time); gives how many."""
    old = (
        sa.select(provider_answers.c.provider, provider_answers.c.domain)
        .where(provider_answers.c.asked_at < before)
        .limit(limit)
    )
    done = await conn.execute(
        sa.delete(provider_answers).where(
            sa.tuple_(provider_answers.c.provider, provider_answers.c.domain).in_(old)
        )
    )
    return done.rowcount


def _chunks(domains: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(domains), _NAMES_A_QUESTION):
        yield domains[start : start + _NAMES_A_QUESTION]


class ProviderUsage(TypedDict):
    """How fresh a provider's answers are and what they cost. `last_answer` is None before the first."""

    provider: str
    last_answer: datetime | None
    names_known: int
    units_today: int
    units_this_month: int


async def provider_usage(
    conn: AsyncConnection, configured: Iterable[str], now: datetime
) -> list[ProviderUsage]:
    """The usage of the configured providers and of all that ever answered or were paid, by name."""
    answer, spend = provider_answers.c, provider_spend.c
    newest = sa.func.max(answer.asked_at, type_=answer.asked_at.type)
    seen = await conn.execute(sa.select(answer.provider, newest, sa.func.count()).group_by(answer.provider))
    answered = {str(name): (last, int(count)) for name, last, count in seen}
    day, month = f"{now:%Y-%m-%d}", f"{now:%Y-%m}"
    used = await conn.execute(
        sa.select(spend.provider, spend.period, spend.units).where(spend.period.in_((day, month)))
    )
    spent = {(str(name), str(period)): int(units) for name, period, units in used}
    names = sorted({*configured, *answered, *(name for name, _ in spent)})
    return [
        {
            "provider": name,
            "last_answer": answered.get(name, (None, 0))[0],
            "names_known": answered.get(name, (None, 0))[1],
            "units_today": spent.get((name, day), 0),
            "units_this_month": spent.get((name, month), 0),
        }
        for name in names
    ]
