"""The DNS records of one host, what they say about mail, and whether it is parked."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from afterdrop.core import domain_names
from afterdrop.sources.dns.answers import DnsResult, HostAnswers, dns_result
from afterdrop.sources.dns.parking import parked_at
from afterdrop.sources.lookups import store
from afterdrop.sources.lookups.sources import Sources

_MAX_CACHE_SECONDS = 300.0


async def dns(sources: Sources, host: str, now: datetime) -> DnsResult:
    """The contract's DNS result for `host` (as `lookup_host` returns it), with `status` and `errors`.

    A name that does not exist has empty `records`. Failing resolvers become `errors`, never an exception.
    """
    if not sources.settings.registry.answer_cache_seconds:
        return await _ask(sources, host)
    key = f"dns:{host}"
    async with sources.database.read() as conn:
        cached = (await store.cached_answers(conn, [key], now)).get(key)
    if cached is not None:
        return cast(DnsResult, cached)
    result = await _ask(sources, host)
    if not result["errors"]:
        async with sources.database.write() as conn:
            # How long to cache a result: the shortest TTL of its records, at most five minutes.
            ttls = [record["ttl"] for kind in result["records"].values() for record in kind]
            allowed = min(_MAX_CACHE_SECONDS, sources.settings.registry.answer_cache_seconds)
            await store.cache_answers(conn, {key: result}, now, float(min([allowed, *ttls])))
    return result


async def _ask(sources: Sources, host: str) -> DnsResult:
    async def asked() -> DnsResult:
        answers = await sources.dns.ask(host)
        # The parking provider of the host. A subdomain has no nameservers of its own, so its domain's are
        # asked for.
        servers = _values(answers, "NS")
        domain = domain_names.suffixes().registrable(answers.host)
        if not servers and domain is not None and domain != answers.host:
            parent = await sources.dns.reply(domain, "NS")
            servers = {record.value for record in parent.records}
        addresses = _values(answers, "A") | _values(answers, "AAAA")
        return dns_result(answers, parked_at(sorted(servers), sorted(addresses)))

    return await sources.dns_under_way.ask(host, asked)


def _values(answers: HostAnswers, kind: str) -> set[str]:
    reply = answers.replies.get(kind)
    return {record.value for record in reply.records} if reply else set()
