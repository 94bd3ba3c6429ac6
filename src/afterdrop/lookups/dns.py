"""The DNS records of one host, what they say about mail, and whether it is parked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from afterdrop.core import domain_names
from afterdrop.dns.answers import HostAnswers, merged
from afterdrop.dns.parking import parked_at
from afterdrop.lookups import cache
from afterdrop.lookups.sources import Sources

_MOST_SECONDS = 300.0


async def dns(sources: Sources, host: str, now: datetime) -> dict[str, Any]:
    """The contract's DNS result for `host` (as `hosts.lookup_host` gives it), with `status` and `errors` beside.

    A name that does not exist has empty `records`; resolvers that fail are `errors`, never an exception.
    """
    key = f"dns:{host}"
    async with sources.database.read() as conn:
        kept: dict[str, Any] | None = (await cache.kept_answers(conn, [key], now)).get(key)
    if kept is not None:
        return kept
    answers = await sources.dns.ask(host)
    result = merged(answers, await _parked_at(sources, answers))
    if not result["errors"]:
        async with sources.database.write() as conn:
            await cache.keep_answers(conn, {key: result}, now, _seconds(sources, result))
    return result


async def _parked_at(sources: Sources, answers: HostAnswers) -> str | None:
    """A host below a domain has no nameservers of its own: its domain's tell who parks it."""
    servers = _values(answers, "NS")
    domain = domain_names.suffixes().registrable(answers.host)
    if not servers and domain is not None and domain != answers.host:
        above = await sources.dns.reply(domain, "NS")
        servers = {record.value for record in above.records}
    addresses = _values(answers, "A") | _values(answers, "AAAA")
    return parked_at(sorted(servers), sorted(addresses))


def _values(answers: HostAnswers, kind: str) -> set[str]:
    reply = answers.replies.get(kind)
    return {record.value for record in reply.records} if reply else set()


def _seconds(sources: Sources, result: dict[str, Any]) -> float:
    """As long as the records themselves allow, at most minutes."""
    ttls = [record["ttl"] for kind in result["records"].values() for record in kind]
    allowed = min(_MOST_SECONDS, sources.settings.registry.answer_cache_seconds)
    return float(min([allowed, *ttls]))
