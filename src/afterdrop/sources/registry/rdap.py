"""The RDAP client (RFC 7480): asks a domain's registry with one paced request and returns a registration state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit

from afterdrop.core.domain_names import registrable_domain
from afterdrop.core.errors import BadName, UpstreamError
from afterdrop.http.client import Fetcher
from afterdrop.sources.registry.bootstrap_file import BootstrapFile
from afterdrop.sources.registry.rdap_answer import RegistryAnswer, parse_answer, unknown
from afterdrop.sources.registry.rdap_fields import MAX_BODY

_ACCEPT = {"Accept": "application/rdap+json, application/json;q=0.9"}


@dataclass(frozen=True)
class RdapClient:
    """Asks registries live. The fetcher paces each RDAP host, follows redirects and refuses private addresses."""

    fetcher: Fetcher
    registries: BootstrapFile
    timeout: float = 15
    patience: float = 60

    async def ask(
        self, domain: str, now: datetime, *, base: str | None = None, known: str | None = None
    ) -> RegistryAnswer:
        """The registry's answer about `domain` (registrable, lowercase A-labels). Every failure is `unknown`.

        The client waits at most `patience` seconds for a host that blocks us. `base` is a server that the bootstrap
        file does not name; its canary is the caller's to mind. `known` is a name that it can surely answer about: it
        is asked before the server is left alone because it failed at others.
        """
        if base is None:
            base = await self.registries.base(domain, now)
            if base is None:
                return unknown(
                    domain, "no_rdap", f".{domain.rpartition('.')[2]} has no RDAP service known to IANA"
                )
            sold = seller(domain)
            if sold != domain and base == await self.registries.base(sold, now):
                # That registry's "not found" would say nothing about a name that is sold under one of its domains.
                return unknown(domain, "no_rdap", f"{domain} is sold under {sold}, which has no RDAP service")
        try:
            got = await self.fetcher.get(
                f"{base}domain/{domain}",
                headers=_ACCEPT,
                max_bytes=MAX_BODY,
                timeout=self.timeout,
                patience=self.patience,
                subject=domain,
                known_good=f"{base}domain/{known}" if known else None,
            )
        except UpstreamError as error:
            reason = "rate_limited" if error.kind == "rate_limited" else "unreachable"
            return unknown(domain, reason, str(error))
        own = got.hops == 0 or urlsplit(got.url).netloc == urlsplit(base).netloc
        answer = parse_answer(
            got.status, got.headers.get("Content-Type"), got.body, domain, from_bootstrap_host=own
        )
        return replace(answer, raw=got.body)


def seller(domain: str) -> str:
    """The domain that the registry itself sells: `domain`, or the one it is sold under (`uk.com` for `shop.uk.com`)."""
    try:
        return registrable_domain(domain)
    except BadName:  # an extension itself: its registry may know it nevertheless
        return domain
