"""The SQL of link metrics: values of stored names with their provenance, and what providers answered (the cache)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.clients.provider_answer import Reading
from afterdrop.clients.provider_spec import ProviderSpec
from afterdrop.db.statements import upsert
from afterdrop.db.tables.feeds import metric_values, provider_answers
from afterdrop.link_metrics import ROLES, Metric, Metrics, Role, Value

# SQLite takes at most 32,766 values a statement; PostgreSQL 65,535.
_NAMES_A_QUESTION = 10_000


async def save_metrics(conn: AsyncConnection, metrics: Mapping[str, Iterable[Metric]]) -> None:
    """Store values of names by domain; the same provider's older value of a role is replaced. At most 1,000 values."""
    rows = [metric_row(domain, metric) for domain, values in metrics.items() for metric in values]
    await upsert(conn, metric_values, rows, ["domain", "role", "provider"])


def metric_row(domain: str, metric: Metric) -> dict[str, Any]:
    """`metric` as a row of metric_values."""
    return {
        "domain": domain,
        "role": metric.role,
        "provider": metric.provider,
        "value": metric.value,
        "fetched_at": metric.fetched_at,
        "gated": metric.gated,
        "attribution": None if metric.attribution is None else dict(metric.attribution),
    }


async def load_metrics(conn: AsyncConnection, domains: Sequence[str]) -> dict[str, Metrics]:
    """The merged view of each of `domains`; a domain without any stored value has one that knows nothing."""
    found: dict[str, list[Metric]] = {domain: [] for domain in domains}
    for chunk in _chunks(domains):
        rows = await conn.execute(sa.select(metric_values).where(metric_values.c.domain.in_(chunk)))
        for row in rows.mappings():
            if row["role"] in ROLES and row["value"] is not None:
                found[row["domain"]].append(
                    Metric(
                        row["role"],
                        row["value"],
                        row["provider"],
                        row["fetched_at"],
                        row["gated"],
                        row["attribution"],
                    )
                )
    return {domain: Metrics.of(values) for domain, values in found.items()}


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
