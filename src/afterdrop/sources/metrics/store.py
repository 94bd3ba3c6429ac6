"""The SQL of link metrics: the values known of each domain, the cache of providers' answers, the providers that were
given up, and what providers may still cost.

The cache keeps us from asking, and paying for, the same name twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypedDict

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.dialects import insert_once, upsert
from afterdrop.db.tables.feeds import (
    metric_values,
    provider_answers,
    provider_faults,
    provider_spend,
)
from afterdrop.http.pace import LONGEST_BLOCK, ends_before
from afterdrop.sources.metrics.model import Metric, Metrics, Role, Value
from afterdrop.sources.metrics.provider_answer import ProviderAnswer
from afterdrop.sources.metrics.provider_spec import Budget, ProviderSpec

# SQLite takes at most 32,766 values a statement; PostgreSQL 65,535.
_NAMES_A_QUERY = 10_000


async def metrics_of(conn: AsyncConnection, domain: str) -> Metrics:
    """Every stored link metric of a domain."""
    names = Metric.__slots__
    rows = await conn.execute(sa.select(metric_values).where(metric_values.c.domain == domain))
    return Metrics.of(Metric(**{name: row[name] for name in names}) for row in rows.mappings())


async def put_metrics(conn: AsyncConnection, values: Sequence[tuple[str, Metric]]) -> None:
    """Store metrics as (domain, metric) pairs. They replace the provider's older values of the same role."""
    rows = [
        {
            "domain": domain,
            "role": metric.role,
            "provider": metric.provider,
            "value": metric.value,
            "fetched_at": metric.fetched_at,
            "attribution": dict(metric.attribution) if metric.attribution else None,
        }
        for domain, metric in values
    ]
    await upsert(conn, metric_values, rows, ("domain", "role", "provider"))


async def save_answers(
    conn: AsyncConnection, spec: ProviderSpec, reading: ProviderAnswer, now: datetime
) -> None:
    """Cache what `spec` answered, so that it is not asked again within its cache time."""
    rows: list[dict[str, object]] = [
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
    """The metrics that `spec` gave for `domains` within its cache time (or `days`); [] for a name it does not know.

    Names that are not in the result have not been asked.
    """
    since = now - timedelta(days=spec.file.cache_days if days is None else days)
    cached: dict[str, list[Metric]] = {}
    for chunk in _chunks(domains):
        rows = await conn.execute(
            sa.select(provider_answers).where(
                provider_answers.c.provider == spec.name,
                provider_answers.c.domain.in_(chunk),
                provider_answers.c.asked_at > since,
            )
        )
        for row in rows.mappings():
            cached[row["domain"]] = as_metrics(spec, row["metrics"], row["asked_at"])
    return cached


def as_metrics(spec: ProviderSpec, values: Mapping[Role, Value], at: datetime) -> list[Metric]:
    """A provider's values as metrics."""
    credit = spec.file.attribution
    attribution = None if credit is None else {"text": credit.text, "url": credit.url}
    return [
        Metric(role, value, spec.name, at, attribution)
        for role, value in values.items()
        if role in spec.roles
    ]


async def forget_answers(conn: AsyncConnection, before: datetime, limit: int = 1000) -> int:
    """Delete up to `limit` answers from before `before` (older than any cache time) and return how many."""
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


async def given_up(conn: AsyncConnection) -> dict[str, str]:
    """The providers that were given up and have not answered since, with their fault."""
    row = provider_faults.c
    chosen = sa.select(row.provider, row.fault).where(row.fault.is_not(None)).order_by(row.provider)
    return {provider: fault for provider, fault in await conn.execute(chosen)}


async def cools_until(conn: AsyncConnection, provider: str, epoch: float) -> float:
    """The time before which nobody asks `provider`; 0.0, or a time before `epoch`, when it may be asked."""
    row = provider_faults.c
    until = float(await conn.scalar(sa.select(row.cools_until).where(row.provider == provider)) or 0.0)
    return until if until <= epoch + LONGEST_BLOCK else 0.0


async def give_up(conn: AsyncConnection, provider: str, until: float, fault: str) -> None:
    """Keep the fault of `provider` until it answers; nobody asks it before `until`. A longer cool-down stays."""
    row = provider_faults.c
    await insert_once(conn, provider_faults, {"provider": provider, "cools_until": 0.0}, ["provider"])
    shorter = sa.update(provider_faults).where(row.provider == provider, ends_before(row.cools_until, until))
    await conn.execute(shorter.values(cools_until=until, fault=fault))


async def first_refused(conn: AsyncConnection, provider: str, name: str) -> str:
    """The first name that `provider` refused since it last answered: `name`, which it refused now, if none was."""
    row = provider_faults.c
    kept = sa.select(row.refused_name).where(row.provider == provider)
    if first := await conn.scalar(kept):
        return str(first)
    refused = {"provider": provider, "cools_until": 0.0, "refused_name": name}
    await upsert(conn, provider_faults, [refused], ["provider"], ["refused_name"])
    return name


async def end_cool_down(conn: AsyncConnection, provider: str) -> None:
    """Let `provider` be asked at once: it answered, or an operator looked after it."""
    await conn.execute(sa.delete(provider_faults).where(provider_faults.c.provider == provider))


def _chunks(domains: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(domains), _NAMES_A_QUERY):
        yield domains[start : start + _NAMES_A_QUERY]


# Budgets. Units are reserved before a request, and given back when the request was certainly not served. Each limit is
# one conditional UPDATE, so that any number of workers together never exceed it.


def periods(now: datetime) -> tuple[str, str]:
    """The UTC month (2026-11) and day (2026-11-20) to which units spent at `now` count."""
    day = now.date().isoformat()
    return day[:7], day


async def reserve(conn: AsyncConnection, provider: str, budget: Budget, units: int, now: datetime) -> bool:
    """Take `units` from both budgets. False, and nothing taken, when one of them has less than that left.

    The month's row is always locked before the day's, so that two workers never wait for each other.
    """
    month, day = periods(now)
    if not await _spend(conn, provider, month, units, budget.per_month):
        return False
    if await _spend(conn, provider, day, units, budget.per_day):
        return True
    await _refund(conn, provider, month, units)
    return False


async def give_back(conn: AsyncConnection, provider: str, units: int, now: datetime) -> None:
    """Give back what `reserve` took at `now`, because the provider did not serve the request."""
    for period in periods(now):
        await _refund(conn, provider, period, units)


async def spent(conn: AsyncConnection, provider: str, now: datetime) -> tuple[int, int]:
    """The units spent in this month and on this day."""
    rows = await conn.execute(
        sa.select(provider_spend.c.period, provider_spend.c.units).where(
            provider_spend.c.provider == provider, provider_spend.c.period.in_(periods(now))
        )
    )
    by_period = {period: int(units) for period, units in rows}
    month, day = periods(now)
    return by_period.get(month, 0), by_period.get(day, 0)


async def units_left(conn: AsyncConnection, provider: str, budget: Budget, now: datetime) -> int | None:
    """The units that may still be spent now; None without a limit."""
    in_month, in_day = await spent(conn, provider, now)
    left = [
        max(limit - used, 0)
        for limit, used in ((budget.per_month, in_month), (budget.per_day, in_day))
        if limit is not None
    ]
    return min(left) if left else None


async def _spend(conn: AsyncConnection, provider: str, period: str, units: int, limit: int | None) -> bool:
    row = provider_spend.c
    fits = sa.true() if limit is None else row.units + units <= limit
    take = (
        sa.update(provider_spend)
        .where(row.provider == provider, row.period == period, fits)
        .values(units=row.units + units)
    )
    if (await conn.execute(take)).rowcount == 1:
        return True
    # The budget is used up, or there is no row yet. After the insert, by us or another worker, the same update decides.
    empty = {"provider": provider, "period": period, "units": 0}
    await insert_once(conn, provider_spend, empty, ["provider", "period"])
    return (await conn.execute(take)).rowcount == 1


async def _refund(conn: AsyncConnection, provider: str, period: str, units: int) -> None:
    row = provider_spend.c
    await conn.execute(
        sa.update(provider_spend)
        .where(row.provider == provider, row.period == period)
        .values(units=sa.case((row.units > units, row.units - units), else_=0))
    )


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


@dataclass(frozen=True, slots=True)
class ProviderStanding:
    """The state of one provider for `doctor` and the operator's page."""

    provider: str
    title: str
    tier: str
    kind: str
    configured: bool
    missing: tuple[str, ...]
    spent_in_month: int
    spent_on_day: int
    per_month: int | None
    per_day: int | None


async def standings(
    conn: AsyncConnection, specs: Sequence[ProviderSpec], now: datetime
) -> list[ProviderStanding]:
    """The state of each configured provider: whether its keys are set, the units spent, its budgets."""
    found = []
    for spec in specs:
        in_month, on_day = await spent(conn, spec.name, now)
        found.append(
            ProviderStanding(
                provider=spec.name,
                title=spec.file.title,
                tier=spec.file.tier,
                kind=spec.file.kind,
                configured=spec.configured,
                missing=spec.missing,
                spent_in_month=in_month,
                spent_on_day=on_day,
                per_month=spec.budget.per_month,
                per_day=spec.budget.per_day,
            )
        )
    return found
