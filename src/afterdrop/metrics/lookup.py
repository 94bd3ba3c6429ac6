"""Ask the metric providers, cheapest first: local link ranks, free providers, then paid ones for names worth it.

A failing or unconfigured provider gives nothing and is recorded; it never raises.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from afterdrop.db.engine import Database
from afterdrop.http.client import Fetcher
from afterdrop.metrics.model import LINK_FIGURES, NOTHING_KNOWN, Metric, Metrics, Role
from afterdrop.metrics.provider_client import ProviderResult, RetryPolicy, ask_provider, paced
from afterdrop.metrics.provider_spec import ProviderSpec
from afterdrop.metrics.store import metrics_of
from afterdrop.queue.context import QueueContext

log = logging.getLogger(__name__)

WorthPaying = Callable[[str, Metrics], bool]


class LocalRanks(Protocol):
    """A local table of link figures: free, first in order, no network."""

    @property
    def name(self) -> str:
        """The provider's name in metrics and counts."""
        ...

    async def metrics_of(self, domains: Sequence[str]) -> Mapping[str, Sequence[Metric]]:
        """What the table knows of `domains`; a name it does not know is absent."""
        ...


@dataclass(slots=True)
class BulkResult:
    """What the providers gave for the names, and what that took, by provider.

    `metrics`: new and cached values by name (names nobody knows are absent). `asked`: names sent; `cached`: names
    answered from the cache; `spent`: units; `over_budget`: names not asked for want of budget; `faults` and `notes`:
    sentences without keys; `unconfigured`: the environment variables that are missing.
    """

    metrics: dict[str, list[Metric]] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    cached: dict[str, int] = field(default_factory=dict)
    spent: dict[str, int] = field(default_factory=dict)
    over_budget: dict[str, int] = field(default_factory=dict)
    faults: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    unconfigured: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, provider: str, outcome: ProviderResult) -> None:
        """Take one provider's outcome in."""
        for domain, values in outcome.values.items():
            if values:
                self.metrics.setdefault(domain, []).extend(values)
        for counts, number in (
            (self.asked, outcome.asked),
            (self.cached, outcome.cached),
            (self.spent, outcome.units),
            (self.over_budget, outcome.over_budget),
        ):
            if number:
                counts[provider] = counts.get(provider, 0) + number
        if outcome.faults:
            self.faults.setdefault(provider, []).extend(outcome.faults)
        if outcome.notes:
            self.notes.setdefault(provider, []).extend(outcome.notes)

    def merged(self, domain: str, known: Metrics = NOTHING_KNOWN) -> Metrics:
        """Everything known of `domain`: `known` and what the providers gave."""
        values = self.metrics.get(domain)
        return known.plus(values) if values else known


class MetricsContext(QueueContext, Protocol):
    """What asking the metric providers needs."""

    @property
    def fetcher(self) -> Fetcher:
        """The way out to the web."""
        ...

    @property
    def providers(self) -> tuple[ProviderSpec, ...]:
        """The configured providers."""
        ...

    @property
    def local(self) -> tuple[LocalRanks, ...]:
        """Tables of this machine, asked first."""
        ...


def never(domain: str, metrics: Metrics) -> bool:
    """Worth paying for: nothing."""
    return False


def always(domain: str, metrics: Metrics) -> bool:
    """Worth paying for: everything (a check that somebody ordered)."""
    return True


async def ask_bulk(
    fetcher: Fetcher,
    database: Database,
    specs: Sequence[ProviderSpec],
    domains: Sequence[str],
    now: datetime,
    *,
    known: Mapping[str, Metrics] | None = None,
    worth_paying: WorthPaying = never,
    local: Sequence[LocalRanks] = (),
    patience: RetryPolicy = RetryPolicy(),
) -> BulkResult:
    """Ask the bulk providers about `domains` (distinct registrable names; some thousands a call).

    `known`: what feeds said. A provider is asked only about names it can tell something new about. `worth_paying`
    decides, on everything known so far, whether a name may cost units of a paid provider.
    """
    result = BulkResult()
    before = known or {}
    for ranks in local:
        found = await ranks.metrics_of(domains)
        result.add(ranks.name, ProviderResult({name: list(values) for name, values in found.items()}))
    way_out = paced(fetcher, specs)
    for spec in in_order(specs, "bulk"):
        if not spec.configured:
            result.unconfigured[spec.name] = spec.missing
            continue
        wanted = [
            domain
            for domain in domains
            if wants(spec, domain, result.merged(domain, before.get(domain, NOTHING_KNOWN)), worth_paying)
        ]
        result.add(spec.name, await ask_provider(way_out, database, spec, wanted, now, patience))
    return result


async def ask_domain(
    fetcher: Fetcher,
    database: Database,
    specs: Sequence[ProviderSpec],
    domain: str,
    now: datetime,
    *,
    known: Metrics = NOTHING_KNOWN,
    local: Sequence[LocalRanks] = (),
    patience: RetryPolicy = RetryPolicy(),
) -> BulkResult:
    """Ask everything about one name: for survivors of the review and for checks.

    Bulk providers come first, then the per-domain ones (anchors, topics, referring domains), free before paid.
    A provider all of whose figures are known is not asked.
    """
    result = BulkResult()
    for ranks in local:
        found = await ranks.metrics_of([domain])
        result.add(ranks.name, ProviderResult({name: list(values) for name, values in found.items()}))
    way_out = paced(fetcher, specs)
    for spec in [*in_order(specs, "bulk"), *in_order(specs, "per_domain")]:
        if not spec.configured:
            result.unconfigured[spec.name] = spec.missing
        elif spec.roles - result.merged(domain, known).by_role.keys():
            result.add(spec.name, await ask_provider(way_out, database, spec, [domain], now, patience))
    return result


async def link_profile(context: MetricsContext, domain: str) -> list[Metric]:
    """What the providers say of one survivor or checked name, anchors and topics included.

    A provider's faults are logged, never raised.
    """
    async with context.database.read() as conn:
        known = await metrics_of(conn, domain)
    answer = await ask_domain(
        context.fetcher,
        context.database,
        context.providers,
        domain,
        context.now(),
        known=known,
        local=context.local,
    )
    for provider, faults in answer.faults.items():
        log.warning("provider %s about %s: %s", provider, domain, "; ".join(faults)[:500])
    return answer.metrics.get(domain, [])


def in_order(specs: Sequence[ProviderSpec], kind: str) -> list[ProviderSpec]:
    """Providers of a kind, free before paid, else as the operator listed them."""
    return sorted(
        (spec for spec in specs if spec.file.kind == kind), key=lambda spec: spec.file.tier == "paid"
    )


def wants(spec: ProviderSpec, domain: str, metrics: Metrics, worth_paying: WorthPaying) -> bool:
    """True when the scan's filter should ask `spec` about a name of which `metrics` is known so far."""
    roles: frozenset[Role] = spec.roles & frozenset(LINK_FIGURES) or spec.roles
    new = roles - metrics.by_role.keys()
    return bool(new) and (spec.file.tier == "free" or worth_paying(domain, metrics))
