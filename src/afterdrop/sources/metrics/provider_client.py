"""Asking one metric provider about many names: from the cache, then in batches within its budgets, at its pace.

Nothing that a vendor does raises here: a fault is recorded as a sentence without keys, and gives no values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from afterdrop.core.errors import UpstreamError
from afterdrop.core.json_values import Json
from afterdrop.core.settings import HostPace
from afterdrop.db.engine import Database
from afterdrop.http.client import Fetcher
from afterdrop.sources.metrics import store
from afterdrop.sources.metrics.model import Metric
from afterdrop.sources.metrics.provider_answer import ProviderAnswer, read_answer
from afterdrop.sources.metrics.provider_request import build_request, redact
from afterdrop.sources.metrics.provider_spec import ProviderSpec

_FAULTS_IN_A_ROW: Final = 2
_MAX_NOTES: Final = 20
# A wrong key, an unpaid bill or another address: about who asks, whatever was asked. Other refusals may be of a name.
_ABOUT_US: Final = frozenset({401, 402, 403, *range(300, 400)})
# With these errors the request never reached an answer that could have been charged for.
_UNSERVED: Final = frozenset({"connect", "refused_address", "rate_limited", "paused"})
_TRANSIENT: Final = frozenset({"connect", "timeout", "truncated", "rate_limited"})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait for a provider and how often to retry.

    `wait`: seconds to wait for its host. `pauses`: seconds before each retry. `cool_down`: seconds for which the
    provider is not asked after it was given up (0: none), so that a wrong key is not tried with every batch of names.
    """

    wait: float = 600
    pauses: tuple[float, ...] = (5, 30)
    cool_down: float = 300


FAIL_FAST: Final = RetryPolicy(wait=3, pauses=(), cool_down=0)


@dataclass(slots=True)
class ProviderResult:
    """The result of asking one provider.

    `values`: metrics by name, [] where the provider does not know it; a name without an entry got no answer. `asked`
    names were sent, `cached` names answered from the cache, `units` spent, and `over_budget` names not asked because
    the budget is used up. `faults` and `notes` are sentences without keys. `items` are what the provider wrote of
    each name, where the client keeps it.
    """

    values: dict[str, list[Metric]] = field(default_factory=dict)
    asked: int = 0
    cached: int = 0
    units: int = 0
    over_budget: int = 0
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    items: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Fault:
    words: str
    served: bool
    transient: bool
    about_us: bool = False


@dataclass(frozen=True, slots=True)
class ProviderClient:
    """Asks providers at one moment, over one HTTP client. `keep_items`: results have the answers as they came, too."""

    fetcher: Fetcher
    database: Database
    now: datetime
    retry: RetryPolicy = RetryPolicy()
    keep_items: bool = False

    def paced(self, specs: Sequence[ProviderSpec]) -> ProviderClient:
        """The same client at the pace that the provider files state, for hosts whose pace the operator has not set."""
        settings = self.fetcher.settings
        hosts = dict(settings.pace.hosts)
        for spec in specs:
            host = urlsplit(spec.url).netloc
            if host in settings.pace.hosts:
                continue
            other = hosts.get(host)
            hosts[host] = HostPace(
                per_second=min(spec.file.per_second, other.per_second if other else spec.file.per_second),
                at_once=min(spec.file.at_once, other.at_once if other else spec.file.at_once),
            )
        pace = settings.pace.model_copy(update={"hosts": hosts})
        return replace(
            self, fetcher=replace(self.fetcher, settings=settings.model_copy(update={"pace": pace}))
        )

    async def ask(
        self, spec: ProviderSpec, domains: Sequence[str], cache_days: int | None = None
    ) -> ProviderResult:
        """Ask `spec` about `domains` (distinct registrable names). Answers are cached, also "not known there".

        The provider is given up after a fault that is about us (such as a wrong key), or after two failed batches in a
        row. The other names are then not asked, and nobody asks the provider until its cool-down ends.
        """
        result = ProviderResult()
        if not spec.configured or not domains:
            return result
        async with self.database.read() as conn:
            result.values.update(await store.cached_answers(conn, spec, domains, self.now, cache_days))
            now = self.fetcher.epoch()
            cooling = await store.cools_until(conn, spec.name, now) - now
        result.cached = len(result.values)
        waiting = [domain for domain in domains if domain not in result.values]
        if waiting and cooling > 0:
            result.faults.append(f"not asked for another {cooling:.0f} s after a fault")
            return result
        failed_in_a_row = 0
        while waiting:
            batch = await self._affordable(spec, waiting[: spec.file.batch])
            if not batch:
                result.over_budget += len(waiting)
                break
            waiting = waiting[len(batch) :]
            fault = await self._ask_batch(spec, batch, result)
            failed_in_a_row = failed_in_a_row + 1 if fault else 0
            if fault is not None:
                result.faults.append(f"{len(batch)} name{'s' if len(batch) > 1 else ''}: {fault.words}")
                if (
                    fault.about_us
                    or failed_in_a_row == _FAULTS_IN_A_ROW
                    or (not fault.transient and await self._refused_another(spec, batch))
                ):
                    await self._give_up(spec, fault)
                    break
        return result

    async def _refused_another(self, spec: ProviderSpec, batch: Sequence[str]) -> bool:
        """Whether the provider refused other names just before, in whatever call: else it may be one name's fault."""
        async with self.database.write() as conn:
            return await store.first_refused(conn, spec.name, batch[0]) not in batch

    async def _give_up(self, spec: ProviderSpec, fault: _Fault) -> None:
        """Keep the fault until the provider answers again; nobody asks it before its cool-down ends."""
        until = self.fetcher.epoch() + self.retry.cool_down
        async with self.database.write() as conn:
            await store.give_up(conn, spec.name, until, fault.words)

    async def _affordable(self, spec: ProviderSpec, names: Sequence[str]) -> Sequence[str]:
        """As many of `names` as the budget allows."""
        if (
            len(names) == 1
        ):  # a batch of one cannot shrink: reserving its units tells whether the budget allows it
            return names
        async with self.database.read() as conn:
            left = await store.units_left(conn, spec.name, spec.budget, self.now)
        if left is None or spec.cost(len(names)) <= left:
            return names
        per_item = spec.file.cost.per_item
        fit = (left - spec.file.cost.per_request) // per_item if per_item else 0
        return names[: max(fit, 0)]

    async def _ask_batch(
        self, spec: ProviderSpec, batch: Sequence[str], result: ProviderResult
    ) -> _Fault | None:
        fault: _Fault | None = None
        for pause in (0.0, *self.retry.pauses):
            if pause:
                until, host = self.fetcher.epoch() + pause, urlsplit(spec.url).netloc
                await self.fetcher.slots.block([host], until, f"pause after a fault of {spec.name}")
            units = spec.cost(len(batch))
            async with self.database.write() as conn:
                if not await store.reserve(conn, spec.name, spec.budget, units, self.now):
                    result.over_budget += len(batch)
                    return fault
            answered = await self._send(spec, batch)
            if isinstance(answered, ProviderAnswer):
                await self._cache(spec, answered, result)
                result.asked += len(batch)
                result.units += units
                return None
            fault = answered
            if fault.served:
                result.units += units
            else:
                async with self.database.write() as conn:
                    await store.give_back(conn, spec.name, units, self.now)
            if not fault.transient:
                break
        return fault

    async def _cache(self, spec: ProviderSpec, answer: ProviderAnswer, result: ProviderResult) -> None:
        async with self.database.write() as conn:
            await store.save_answers(conn, spec, answer, self.now)
            await store.end_cool_down(conn, spec.name)
        for domain, values in answer.values.items():
            result.values[domain] = store.as_metrics(spec, values, self.now)
        result.values.update({domain: [] for domain in answer.not_found})
        if self.keep_items:
            result.items.update(answer.items)
        result.notes = [*result.notes, *(redact(note, spec) for note in answer.notes)][:_MAX_NOTES]

    async def _send(self, spec: ProviderSpec, batch: Sequence[str]) -> ProviderAnswer | _Fault:
        request = build_request(spec, batch, self.now.date())
        try:
            # Redirects are not followed: they would carry the keys to another host.
            fetched = await self.fetcher.ask(
                request.method,
                request.url,
                headers=request.headers,
                json=request.json,
                timeout=spec.file.timeout_seconds,
                max_bytes=spec.file.answer.max_bytes,
                redirects=0,
                patience=self.retry.wait,
                subject=batch[0] if len(batch) == 1 else None,
            )
        except UpstreamError as error:
            # The subject of the error is the URL with its keys: only the message may be shown.
            words = redact(error.message, spec)
            return _Fault(words, error.kind not in _UNSERVED, error.kind in _TRANSIENT)
        if fetched.status in spec.file.answer.not_found_status:
            return ProviderAnswer(not_found=frozenset(batch))
        if not 200 <= fetched.status < 300:
            about_us = fetched.status in _ABOUT_US
            return _Fault(_status_words(fetched.status), False, fetched.status >= 500, about_us)
        answer = read_answer(spec.file, fetched.body, batch)
        if answer.fault is not None:
            return _Fault(redact(answer.fault, spec), served=not answer.reported, transient=False)
        return answer


def _status_words(status: int) -> str:
    if status == 402:
        return "answered 402: it wants to be paid, or its plan is used up"
    if status in (401, 403):
        return f"answered {status}: the key is wrong, or its plan does not include this"
    if 300 <= status < 400:
        return f"answered {status}, a redirect; redirects are not followed with keys: set the provider's url"
    return f"answered {status}"
