"""Ask a registry about a domain over RDAP (RFC 7480): bootstrap, one paced request, a state with notes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from afterdrop.core.domain_names import registrable_domain
from afterdrop.core.errors import BadName, UpstreamError
from afterdrop.http.client import Fetcher
from afterdrop.registry.bootstrap_file import BootstrapFile
from afterdrop.registry.rdap_answer import RegistryAnswer, parse_answer, unknown
from afterdrop.registry.rdap_body import MAX_BODY

_ACCEPT = {"Accept": "application/rdap+json, application/json;q=0.9"}


@dataclass(frozen=True)
class RdapClient:
    """Live registry answers. The fetcher paces each RDAP host, follows redirects and refuses private addresses."""

    fetcher: Fetcher
    registries: BootstrapFile
    timeout: float = 15
    patience: float = 60

    async def ask(self, domain: str, now: datetime) -> RegistryAnswer:
        """What the registry says about `domain` (registrable, lowercase A-labels). Every failure is `unknown`.

        At most `patience` seconds are spent waiting for a host that asked to be left alone.
        """
        base = await self.registries.base(domain, now)
        if base is None:
            return unknown(
                domain, "no_rdap", f".{domain.rpartition('.')[2]} has no RDAP service known to IANA"
            )
        seller = _seller(domain)
        if seller != domain and base == await self.registries.base(seller, now):
            # That registry's "not found" would say nothing of a name sold under one of its own domains.
            return unknown(domain, "no_rdap", f"{domain} is sold under {seller}, which has no RDAP service")
        try:
            got = await self.fetcher.get(
                f"{base}domain/{domain}",
                headers=_ACCEPT,
                max_bytes=MAX_BODY,
                timeout=self.timeout,
                patience=self.patience,
            )
        except UpstreamError as error:
            reason = "rate_limited" if error.kind == "rate_limited" else "unreachable"
            return unknown(domain, reason, str(error))
        own = got.hops == 0 or urlsplit(got.url).netloc == urlsplit(base).netloc
        return parse_answer(
            got.status, got.headers.get("Content-Type"), got.body, domain, from_bootstrap_host=own
        )

    async def host(self, domain: str, now: datetime) -> str | None:
        """The RDAP host (with port) that answers for `domain`, None without one."""
        base = await self.registries.base(domain, now)
        return urlsplit(base).netloc if base else None


def _seller(domain: str) -> str:
    """The domain at a registry that `domain` is, or is sold under (`shop.uk.com` under `uk.com`)."""
    try:
        return registrable_domain(domain)
    except BadName:  # an extension itself: its registry may know it all the same
        return domain
