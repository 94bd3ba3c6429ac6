"""The sources that look-ups ask: registries, DNS resolvers and metric providers, opened once for each process.

Questions under way are shared: whoever asks the same at the same time gets the same answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.http.client import Fetcher
from afterdrop.sources.dns.answers import DnsResult
from afterdrop.sources.dns.client import DnsClient, open_dns
from afterdrop.sources.metrics.provider_spec import ProviderSpec
from afterdrop.sources.registry.bootstrap_file import BootstrapFile
from afterdrop.sources.registry.client import RegistryClient
from afterdrop.sources.registry.rdap import RdapClient
from afterdrop.sources.registry.rdap_answer import RegistryAnswer
from afterdrop.sources.registry.whois import WhoisClient

Answer = TypeVar("Answer")


@dataclass
class _Question(Generic[Answer]):
    """A question that was sent, and how many wait for its answer."""

    task: asyncio.Task[Answer]
    waiting: int = 0


@dataclass
class UnderWay(Generic[Answer]):
    """The questions under way, by key. An answer is kept for nobody who asks after it has come."""

    _questions: dict[str, _Question[Answer]] = field(default_factory=dict)

    def waiting(self, key: str) -> int:
        """How many wait for the answer to the question `key`."""
        question = self._questions.get(key)
        return question.waiting if question else 0

    async def ask(self, key: str, send: Callable[[], Coroutine[None, None, Answer]]) -> Answer:
        """The answer to the question `key` if it is under way, else the one to `send()`.

        A question is given up when the last one who waits for it is cancelled; before that it goes on for the others.
        """
        question = self._questions.get(key)
        if question is None or question.task.done():
            question = self._questions[key] = _Question(asyncio.create_task(send()))
        question.waiting += 1
        try:
            return await asyncio.shield(question.task)
        finally:
            question.waiting -= 1
            if not question.waiting:
                question.task.cancel()
                if self._questions.get(key) is question:
                    del self._questions[key]


@dataclass(frozen=True)
class Sources:
    """Everything a look-up needs. There is one for each process; open it with `open_sources`."""

    settings: Settings
    database: Database
    fetcher: Fetcher
    registry: RegistryClient
    dns: DnsClient
    providers: tuple[ProviderSpec, ...] = ()
    registrations_under_way: UnderWay[RegistryAnswer] = field(default_factory=UnderWay)
    dns_under_way: UnderWay[DnsResult] = field(default_factory=UnderWay)


def open_sources(
    settings: Settings, database: Database, fetcher: Fetcher, providers: Sequence[ProviderSpec] = ()
) -> Sources:
    """Open the sources over this process's HTTP client. At every paced host, look-ups go before the scan."""
    with_priority = fetcher.with_priority()
    registries = BootstrapFile(
        with_priority, settings.registry.bootstrap_url, settings.data_dir / "rdap-bootstrap.json"
    )
    rdap = RdapClient(with_priority, registries, timeout=settings.registry.timeout_seconds)
    whois = WhoisClient(with_priority, settings.registry)
    registry = RegistryClient(database, settings.registry, rdap, whois)
    return Sources(settings, database, with_priority, registry, open_dns(settings), tuple(providers))
