"""Ask one metric provider about many names: from the cache, then in batches within its budgets, at its pace.

Nothing here raises for what a vendor does: a fault is recorded in words, without keys, and gives nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import HostPace
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import host_pace
from afterdrop.http import host_pace as pace
from afterdrop.http.client import Fetched, Fetcher, retry_after
from afterdrop.metrics import store
from afterdrop.metrics.model import Metric
from afterdrop.metrics.provider_answer import ProviderAnswer, read_answer
from afterdrop.metrics.provider_request import build_request, redact
from afterdrop.metrics.provider_spec import ProviderSpec

_FAULTS_IN_A_ROW: Final = 2
_NOTES_MOST: Final = 20
# The request never reached an answer that could have been charged for.
_UNSERVED: Final = frozenset({"connect", "refused_address", "rate_limited"})
_PASSING: Final = frozenset({"connect", "timeout", "truncated", "rate_limited"})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to bear with a provider.

    `wait`: seconds to wait for its host; `pauses`: seconds before each further attempt; `rest`: seconds for which
    nobody asks it after it was given up (0: no rest), so that a wrong key is not tried anew with every batch of names.
    """

    wait: float = 600
    pauses: tuple[float, ...] = (5, 30)
    rest: float = 300


FAIL_FAST: Final = RetryPolicy(wait=3, pauses=(), rest=0)


@dataclass(slots=True)
class ProviderResult:
    """What asking one provider came to.

    `values`: metrics by name, [] where the provider does not know it; names without an entry got no answer.
    `asked`: names sent, `cached`: names answered from the cache, `units` spent, `over_budget`: names not asked for
    want of budget. `faults` and `notes` are sentences without keys.
    """

    values: dict[str, list[Metric]] = field(default_factory=dict)
    asked: int = 0
    cached: int = 0
    units: int = 0
    over_budget: int = 0
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Fault:
    words: str
    served: bool
    passing: bool


def paced(fetcher: Fetcher, specs: Sequence[ProviderSpec]) -> Fetcher:
    """The same way out at the pace the provider files state, for hosts whose pace the operator has not set."""
    hosts = dict(fetcher.settings.pace.hosts)
    for spec in specs:
        host = urlsplit(spec.url).netloc
        if host in fetcher.settings.pace.hosts:
            continue
        held = hosts.get(host)
        hosts[host] = HostPace(
            per_second=min(spec.file.per_second, held.per_second if held else spec.file.per_second),
            at_once=min(spec.file.at_once, held.at_once if held else spec.file.at_once),
        )
    allowed = fetcher.settings.pace.model_copy(update={"hosts": hosts})
    return replace(fetcher, settings=fetcher.settings.model_copy(update={"pace": allowed}))


async def ask_provider(
    fetcher: Fetcher,
    database: Database,
    spec: ProviderSpec,
    domains: Sequence[str],
    now: datetime,
    patience: RetryPolicy = RetryPolicy(),
    cache_days: int | None = None,
) -> ProviderResult:
    """Ask `spec` about `domains` (distinct registrable names). Answers are cached, also "not known there".

    After a fault that will not pass (a wrong key, say), or two failed batches in a row, it is given up: the other
    names are not asked, and nobody asks it until it has rested.
    """
    outcome = ProviderResult()
    if not spec.configured or not domains:
        return outcome
    async with database.read() as conn:
        outcome.values.update(await store.cached_answers(conn, spec, domains, now, cache_days))
        resting = await pace.blocked_until(conn, _rest_key(spec)) - fetcher.epoch()
    outcome.cached = len(outcome.values)
    waiting = [domain for domain in domains if domain not in outcome.values]
    if waiting and resting > 0:
        outcome.faults.append(f"not asked for another {resting:.0f} s, since it was given up after a fault")
        return outcome
    failed_in_a_row = 0
    while waiting:
        batch = await _affordable(database, spec, waiting[: spec.file.batch], now)
        if not batch:
            outcome.over_budget += len(waiting)
            break
        waiting = waiting[len(batch) :]
        fault = await _ask_batch(fetcher, database, spec, batch, now, patience, outcome)
        failed_in_a_row = failed_in_a_row + 1 if fault else 0
        if fault is not None:
            outcome.faults.append(f"{len(batch)} name{'s' if len(batch) > 1 else ''}: {fault.words}")
            if not fault.passing or failed_in_a_row == _FAULTS_IN_A_ROW:
                await _rest(fetcher, database, spec, patience.rest)
                break
    return outcome


async def end_cool_down(conn: AsyncConnection, spec: ProviderSpec) -> None:
    """Let a provider that was given up be asked at once: somebody looked after it."""
    await conn.execute(sa.delete(host_pace).where(host_pace.c.host == _rest_key(spec)))


async def _rest(fetcher: Fetcher, database: Database, spec: ProviderSpec, seconds: float) -> None:
    if seconds:
        async with database.write() as conn:
            await pace.block(conn, _rest_key(spec), fetcher.epoch() + seconds, "given up after a fault")


def _rest_key(spec: ProviderSpec) -> str:
    return f"provider {spec.name}"


async def _affordable(
    database: Database, spec: ProviderSpec, names: Sequence[str], now: datetime
) -> Sequence[str]:
    if len(names) == 1:  # nothing to make smaller: reserving says whether it can be paid for
        return names
    async with database.read() as conn:
        left = await store.units_left(conn, spec.name, spec.budget, now)
    if left is None or spec.cost(len(names)) <= left:
        return names
    per_item = spec.file.cost.per_item
    fit = (left - spec.file.cost.per_request) // per_item if per_item else 0
    return names[: max(fit, 0)]


async def _ask_batch(
    fetcher: Fetcher,
    database: Database,
    spec: ProviderSpec,
    batch: Sequence[str],
    now: datetime,
    patience: RetryPolicy,
    outcome: ProviderResult,
) -> _Fault | None:
    fault: _Fault | None = None
    for pause in (0.0, *patience.pauses):
        if pause:
            await _hold(fetcher, database, spec, pause)
        units = spec.cost(len(batch))
        async with database.write() as conn:
            if not await store.reserve(conn, spec.name, spec.budget, units, now):
                outcome.over_budget += len(batch)
                return fault
        answered = await _send(fetcher, database, spec, batch, now, patience)
        if isinstance(answered, ProviderAnswer):
            await _keep(database, spec, answered, now, outcome)
            outcome.asked += len(batch)
            outcome.units += units
            return None
        fault = answered
        if fault.served:
            outcome.units += units
        else:
            async with database.write() as conn:
                await store.give_back(conn, spec.name, units, now)
        if not fault.passing:
            break
    return fault


async def _keep(
    database: Database, spec: ProviderSpec, reading: ProviderAnswer, now: datetime, outcome: ProviderResult
) -> None:
    async with database.write() as conn:
        await store.save_answers(conn, spec, reading, now)
    for domain, values in reading.values.items():
        outcome.values[domain] = store.as_metrics(spec, values, now)
    outcome.values.update({domain: [] for domain in reading.not_found})
    outcome.notes = [*outcome.notes, *(redact(note, spec) for note in reading.notes)][:_NOTES_MOST]


async def _send(
    fetcher: Fetcher,
    database: Database,
    spec: ProviderSpec,
    batch: Sequence[str],
    now: datetime,
    patience: RetryPolicy,
) -> ProviderAnswer | _Fault:
    request = build_request(spec, batch, now.date())
    try:
        # No redirects: they would carry the keys to wherever they lead.
        answer = await fetcher.ask(
            request.method,
            request.url,
            headers=request.headers,
            json=request.json,
            timeout=spec.file.timeout_seconds,
            max_bytes=spec.file.answer.max_bytes,
            redirects=0,
            patience=patience.wait,
        )
    except UpstreamError as error:
        # The error's subject is the URL with its keys: only its message may go on.
        words = redact(error.message, spec)
        return _Fault(words, error.kind not in _UNSERVED, error.kind in _PASSING)
    if answer.status in spec.file.answer.not_found_status:
        return ProviderAnswer(not_found=frozenset(batch))
    if not 200 <= answer.status < 300:
        await _heed(fetcher, database, spec, answer)
        return _Fault(_said(answer.status), served=False, passing=answer.status >= 500)
    reading = read_answer(spec.file, answer.body, batch)
    if reading.fault is not None:
        return _Fault(redact(reading.fault, spec), served=True, passing=False)
    return reading


def _said(status: int) -> str:
    if status in (401, 403):
        return f"answered {status}: the key is wrong, or its plan does not include this"
    if 300 <= status < 400:
        return f"answered {status}, a redirect; redirects are not followed with keys: set the provider's url"
    return f"answered {status}"


async def _heed(fetcher: Fetcher, database: Database, spec: ProviderSpec, answer: Fetched) -> None:
    """A 503 may say when to come back; everybody waits for that."""
    asked = answer.headers.get("Retry-After")
    if answer.status == 503 and asked:
        await _hold(fetcher, database, spec, retry_after(asked, fetcher.epoch()))


async def _hold(fetcher: Fetcher, database: Database, spec: ProviderSpec, seconds: float) -> None:
    async with database.write() as conn:
        host = urlsplit(spec.url).netloc
        await pace.block(conn, host, fetcher.epoch() + seconds, f"pause after a fault of {spec.name}")
