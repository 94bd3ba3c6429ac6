"""Asking all metric providers, cheapest first: local link ranks, free providers, then paid ones for names worth it.

A failing or unconfigured provider gives nothing. It is recorded and never raises. The plan of a bulk look-up says
beforehand how many names, requests and units it takes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.http.client import Fetcher
from afterdrop.queue.loop import QueueContext
from afterdrop.sources.metrics import store
from afterdrop.sources.metrics.model import LINK_FIGURES, NOTHING_KNOWN, Metric, Metrics, Role
from afterdrop.sources.metrics.provider_client import ProviderClient, ProviderResult
from afterdrop.sources.metrics.provider_spec import ProviderSpec
from afterdrop.sources.metrics.store import metrics_of

log = logging.getLogger(__name__)

WorthPaying = Callable[[str, Metrics], bool]


class LocalRanks(Protocol):
    """A local table of link metrics: free, asked first, without network."""

    @property
    def name(self) -> str:
        """The provider's name in metrics and counts."""
        ...

    async def metrics_of(self, domains: Sequence[str]) -> Mapping[str, Sequence[Metric]]:
        """The table's metrics of `domains`; an unknown name is absent."""
        ...


@dataclass(slots=True)
class BulkResult:
    """The providers' values for the names, and their cost, by provider.

    `metrics`: new and cached values by name; names that no provider knows are absent. `asked`: names sent. `cached`:
    names answered from the cache. `spent`: units. `over_budget`: names not asked because the budget is used up.
    `faults` and `notes`: sentences without keys. `unconfigured`: the environment variables that are missing.
    """

    metrics: dict[str, list[Metric]] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    cached: dict[str, int] = field(default_factory=dict)
    spent: dict[str, int] = field(default_factory=dict)
    over_budget: dict[str, int] = field(default_factory=dict)
    faults: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    unconfigured: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, provider: str, result: ProviderResult) -> None:
        """Add the result of one provider."""
        for domain, values in result.values.items():
            if values:
                self.metrics.setdefault(domain, []).extend(values)
        for counts, number in (
            (self.asked, result.asked),
            (self.cached, result.cached),
            (self.spent, result.units),
            (self.over_budget, result.over_budget),
        ):
            if number:
                counts[provider] = counts.get(provider, 0) + number
        if result.faults:
            self.faults.setdefault(provider, []).extend(result.faults)
        if result.notes:
            self.notes.setdefault(provider, []).extend(result.notes)

    def merged(self, domain: str, known: Metrics = NOTHING_KNOWN) -> Metrics:
        """Everything known of `domain`: `known`, and what the providers gave."""
        values = self.metrics.get(domain)
        return known.plus(values) if values else known


@dataclass(frozen=True, slots=True)
class LinkProfile:
    """The providers' values of one name, and the providers that did not answer: at fault, or out of budget."""

    values: Sequence[Metric] = ()
    silent: tuple[str, ...] = ()


class MetricsContext(QueueContext, Protocol):
    """The context in which the metric providers are asked."""

    @property
    def fetcher(self) -> Fetcher:
        """The HTTP client."""
        ...

    @property
    def providers(self) -> tuple[ProviderSpec, ...]:
        """The configured providers."""
        ...

    @property
    def local(self) -> tuple[LocalRanks, ...]:
        """Link tables on this machine, which are asked first."""
        ...


def never(domain: str, metrics: Metrics) -> bool:
    """Pay for no name."""
    return False


async def ask_bulk(
    client: ProviderClient,
    specs: Sequence[ProviderSpec],
    domains: Sequence[str],
    *,
    known: Mapping[str, Metrics] | None = None,
    worth_paying: WorthPaying = never,
    local: Sequence[LocalRanks] = (),
) -> BulkResult:
    """Ask the bulk providers about `domains` (distinct registrable names; some thousands at once).

    `known` is what feeds said. A provider is asked only about names of which it can tell something new. `worth_paying`
    decides, by everything known so far, whether a name may cost units of a paid provider.
    """
    result = BulkResult()
    before = known or {}
    await _ask_local(local, domains, result)
    paced = client.paced(specs)
    for spec in in_order(specs, "bulk"):
        if not spec.configured:
            result.unconfigured[spec.name] = spec.missing
            continue
        wanted = [
            domain
            for domain in domains
            if wants(spec, domain, result.merged(domain, before.get(domain, NOTHING_KNOWN)), worth_paying)
        ]
        result.add(spec.name, await paced.ask(spec, wanted))
    return result


async def ask_domain(
    client: ProviderClient,
    specs: Sequence[ProviderSpec],
    domain: str,
    *,
    known: Metrics = NOTHING_KNOWN,
    local: Sequence[LocalRanks] = (),
) -> BulkResult:
    """Ask every provider about one name: a survivor of the review, or a check.

    Bulk providers come first, then the per-domain ones (anchors, topics, referring domains), free before paid. A
    provider whose metrics are all known is not asked.
    """
    result = BulkResult()
    await _ask_local(local, [domain], result)
    paced = client.paced(specs)
    for spec in [*in_order(specs, "bulk"), *in_order(specs, "per_domain")]:
        if not spec.configured:
            result.unconfigured[spec.name] = spec.missing
        elif spec.roles - result.merged(domain, known).by_role.keys():
            result.add(spec.name, await paced.ask(spec, [domain]))
    return result


async def _ask_local(local: Sequence[LocalRanks], domains: Sequence[str], result: BulkResult) -> None:
    for ranks in local:
        found = await ranks.metrics_of(domains)
        result.add(ranks.name, ProviderResult({name: list(values) for name, values in found.items()}))


async def link_profile(context: MetricsContext, domain: str) -> LinkProfile:
    """The metrics of one survivor of the review or checked name, with anchors and topics.

    Faults of providers are logged, never raised.
    """
    async with context.database.read() as conn:
        known = await metrics_of(conn, domain)
    client = ProviderClient(context.fetcher, context.database, context.now())
    answer = await ask_domain(client, context.providers, domain, known=known, local=context.local)
    for provider, faults in answer.faults.items():
        log.warning("provider %s about %s: %s", provider, domain, "; ".join(faults)[:500])
    return LinkProfile(answer.metrics.get(domain, []), tuple(sorted({*answer.faults, *answer.over_budget})))


def in_order(specs: Sequence[ProviderSpec], kind: str) -> list[ProviderSpec]:
    """The providers of a kind: free before paid, else in the operator's order."""
    return sorted(
        (spec for spec in specs if spec.file.kind == kind), key=lambda spec: spec.file.tier == "paid"
    )


def wants(spec: ProviderSpec, domain: str, metrics: Metrics, worth_paying: WorthPaying) -> bool:
    """Whether the scan's filter should ask `spec` about a name whose known metrics are `metrics`."""
    roles: frozenset[Role] = spec.roles & frozenset(LINK_FIGURES) or spec.roles
    new = roles - metrics.by_role.keys()
    return bool(new) and (spec.file.tier == "free" or worth_paying(domain, metrics))


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """The question that one bulk provider would be asked.

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
