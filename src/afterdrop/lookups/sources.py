"""What the look-ups ask: registries, DNS resolvers and metric providers, opened once for each process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.dns.answers import DnsResult
from afterdrop.dns.client import DnsClient, open_dns
from afterdrop.http.batched_pace import ListFetcher
from afterdrop.http.client import Fetcher
from afterdrop.lookups.under_way import UnderWay
from afterdrop.metrics.provider_spec import ProviderSpec
from afterdrop.registry.bootstrap_file import BootstrapFile
from afterdrop.registry.rdap import RdapClient
from afterdrop.registry.rdap_answer import RegistryAnswer


@dataclass(frozen=True)
class Sources:
    """Everything a look-up needs. There is one for each process; open it with `open_sources`."""

    settings: Settings
    database: Database
    fetcher: Fetcher
    rdap: RdapClient
    dns: DnsClient
    providers: tuple[ProviderSpec, ...] = ()
    registrations_under_way: UnderWay[RegistryAnswer] = field(default_factory=UnderWay)
    dns_under_way: UnderWay[DnsResult] = field(default_factory=UnderWay)


def open_sources(
    settings: Settings, database: Database, fetcher: Fetcher, providers: Sequence[ProviderSpec] = ()
) -> Sources:
    """Open the sources over this process's HTTP client. At every paced host, look-ups go before the scan."""
    with_priority = ListFetcher.over(fetcher)
    registries = BootstrapFile(
        with_priority, settings.registry.bootstrap_url, settings.data_dir / "rdap-bootstrap.json"
    )
    rdap = RdapClient(with_priority, registries, timeout=settings.registry.timeout_seconds)
    return Sources(settings, database, with_priority, rdap, open_dns(settings), tuple(providers))
