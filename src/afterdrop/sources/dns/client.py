"""The DNS client: asks the configured resolvers about a host's eight record types and mail policies at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

import dns.asyncresolver
import dns.exception
import dns.inet
import dns.nameserver
import dns.resolver

from afterdrop.core.domain_names import tld
from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings
from afterdrop.sources.dns.answers import TYPES, DnsReply, HostAnswers, dmarc_names, read_records

# The size that is not fragmented on today's paths (DNS flag day 2020). Longer answers come over TCP.
_PAYLOAD = 1232


@dataclass(frozen=True)
class DnsClient:
    """Asks the resolvers of the settings, never the machine's own, which may see private names."""

    resolver: dns.asyncresolver.Resolver
    lifetime: float

    async def ask(self, host: str) -> HostAnswers:
        """Every reply about `host` (lowercase A-labels, underscores allowed)."""
        asked = [(host, kind) for kind in TYPES]
        asked += [(name, "TXT") for name in dmarc_names(host) if len(name) <= 253]
        replies = await asyncio.gather(*(self.reply(name, kind) for name, kind in asked))
        return HostAnswers(host, dict(zip(TYPES, replies, strict=False)), tuple(replies[len(TYPES) :]))

    async def reply(self, name: str, kind: str) -> DnsReply:
        """The reply to one query: over UDP, over TCP when the answer was cut, from the next resolver on failure."""
        try:
            answer = await self.resolver.resolve(
                f"{name}.", kind, raise_on_no_answer=False, lifetime=self.lifetime, search=False
            )
        except dns.resolver.NXDOMAIN:
            return DnsReply("nxdomain")
        except dns.resolver.NoNameservers as error:
            return DnsReply("servfail" if _answered(error) else "timeout")
        except dns.exception.Timeout:
            return DnsReply("timeout")
        except dns.exception.DNSException:
            return DnsReply("servfail")
        alias = answer.canonical_name != answer.qname
        # Nameservers and SOA belong to a zone, and those of an alias's target to another one.
        if answer.rrset is None or (alias and kind in ("NS", "SOA")):
            return DnsReply("ok")
        return read_records(answer.rrset, answer.rrset.ttl)

    async def delegated(self, domain: str, unused: str) -> bool | None:
        """Whether the DNS knows `domain`; None when no resolver could tell.

        Where the resolver fails at a name whose parent zone it reaches, the servers of a delegation fail. A name
        without records has others below it (RFC 8020), unless its registry answers so for `unused`, too: a wildcard.
        """
        reply = await self.reply(domain, "NS")
        if reply.outcome == "servfail":
            parent = await self.reply(tld(domain), "SOA")
            return True if parent.outcome == "ok" else None
        if reply.outcome == "ok" and not reply.records:
            other = await self.reply(unused, "NS")
            known = other.outcome in ("ok", "nxdomain")
            return bool(other.outcome == "nxdomain" or other.records) if known else None
        return None if reply.outcome == "timeout" else bool(reply.records)


def _answered(error: dns.resolver.NoNameservers) -> bool:
    """Whether any resolver sent an answer (SERVFAIL, REFUSED), rather than none being reached."""
    return any(entry[4] is not None for entry in error.kwargs.get("errors", ()))


def open_dns(settings: Settings) -> DnsClient:
    """A client for the configured resolvers. SettingsError names one that is no address or address:port."""
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers = list(_nameservers(settings.dns.resolvers))
    resolver.timeout = max(settings.dns.timeout_seconds / 2, 0.1)
    resolver.use_edns(0, 0, _PAYLOAD)
    return DnsClient(resolver, settings.dns.timeout_seconds)


def _nameservers(resolvers: Iterable[str]) -> Iterable[dns.nameserver.Nameserver]:
    for text in resolvers:
        address, port = _address_and_port(text.strip())
        try:
            dns.inet.af_for_address(address)
            yield dns.nameserver.Do53Nameserver(address, int(port))
        except ValueError:
            raise SettingsError("dns.resolvers", f"{text!r} is no IP address or address:port") from None


def _address_and_port(text: str) -> tuple[str, str]:
    if text.startswith("["):
        address, _, rest = text[1:].partition("]")
        return address, rest.removeprefix(":") or "53"
    if text.count(":") == 1:
        address, _, port = text.partition(":")
        return address, port
    return text, "53"
