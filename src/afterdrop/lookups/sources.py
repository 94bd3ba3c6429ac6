"""Whom the look-ups ask: registries, resolvers, a source of Domain Ratings, and the cache between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from afterdrop.clients.dns import DnsClient, open_dns
from afterdrop.clients.http import Fetcher
from afterdrop.clients.rdap import RdapClient
from afterdrop.clients.registries import Registries
from afterdrop.db.engine import Database
from afterdrop.settings import Settings

# (nameservers, addresses) of a host → the parking provider's name, or None.
Parking = Callable[[Collection[str], Collection[str]], str | None]


class RatingSource(Protocol):
    """Where Domain Ratings come from."""

    async def ratings(self, domains: Collection[str], now: datetime) -> Mapping[str, int | None]:
        """The rating of each domain that was answered, None for one the source has no data on.

        A domain missing from the result could not be asked (upstream limit or fault).
        """
        ...


def never_parked(nameservers: Collection[str], addresses: Collection[str]) -> str | None:
    """No fingerprints at hand: nothing is called parked."""
    return None


@dataclass(frozen=True)
class Sources:
    """Everything a look-up needs. One for each process; open with `open_sources`."""

    settings: Settings
    database: Database
    rdap: RdapClient
    dns: DnsClient
    rating: RatingSource | None = None
    parking: Parking = never_parked


def open_sources(
    settings: Settings,
    database: Database,
    fetcher: Fetcher,
    *,
    rating: RatingSource | None = None,
    parking: Parking = never_parked,
) -> Sources:
    """Sources over this process's way out to the web; look-ups go before the scan at every paced host."""
    hurried = fetcher.hurried()
    registries = Registries(
        hurried, settings.registry.bootstrap_url, settings.data_dir / "rdap-bootstrap.json"
    )
    rdap = RdapClient(hurried, registries, timeout=settings.registry.timeout_seconds)
    return Sources(settings, database, rdap, open_dns(settings), rating, parking)
