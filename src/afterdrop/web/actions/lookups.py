"""Live look-ups: registry, availability, Domain Rating and DNS, each counted against the hour's quota first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from afterdrop.core.domain_names import exact_domain
from afterdrop.core.errors import BadName
from afterdrop.sources.dns.answers import DnsResult, lookup_host
from afterdrop.sources.lookups import dns, domain_rating, registry
from afterdrop.sources.registry.rdap_answer import RegistrationRecord
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.problems import Invalid, too_many

_MOST_NAMED: Final = 5


async def registration(request: AccountRequest, domain: str) -> registry.WhoisRecord:
    """The registration record of a registrable domain, with the days it may drop."""
    await _count(request, 1)
    return (await registry.whois(request.context.sources, domain, request.now)).as_json()


async def listed_registration(request: AccountRequest, domain: str) -> RegistrationRecord:
    """The registry's record of a name whose report the account sees in full. It is not counted: see `facts`."""
    return (await registry.facts(request.context.sources, domain, request.now)).as_json()


async def registrations(request: AccountRequest, domains: Sequence[str]) -> list[RegistrationRecord]:
    """One registration record for each of the distinct registrable domains."""
    await _count(request, len(domains))
    answers = await registry.availability(request.context.sources, domains, request.now)
    return [answer.as_json() for answer in answers]


async def domain_ratings(
    request: AccountRequest, domains: Sequence[str]
) -> list[domain_rating.RatingRowJson]:
    """One Domain Rating for each of the distinct registrable domains."""
    await _count(request, len(domains))
    rows = await domain_rating.domain_rating(request.context.sources, domains, request.now)
    return [row.as_json() for row in rows]


async def dns_records(request: AccountRequest, host: str) -> DnsResult:
    """The DNS records of a domain or subdomain. Raises Invalid for what is no host name."""
    try:
        name = lookup_host(host)
    except BadName as error:
        raise Invalid({"host": [error.message]}) from None
    await _count(request, 1)
    return await dns.dns(request.context.sources, name, request.now)


async def _count(request: AccountRequest, domains: int) -> None:
    """Count domains against the hour's quota, or raise `lookup_quota_exceeded` and count nothing."""
    meter = await request.context.rate_limits.limiter(request.viewer.account_id, request.now)
    agent = request.scope == "no_spending"
    take = meter.take_agent_lookups if agent else meter.take_lookups
    wait = take(request.limits, domains, int(request.now.timestamp()))
    if wait:
        quota = f"hour's quota of {request.limits.lookup_domains_per_hour}"
        if agent:
            quota += f", or this key's of {request.limits.agent_lookup_domains_per_day} a day for"
        text = f"The {quota} looked-up domains does not allow {domains} more. It resets in {wait} seconds."
        raise too_many(text, wait, "lookup_quota_exceeded")


def exact_domains(request: AccountRequest, names: Iterable[str], most: int) -> list[str]:
    """The distinct registrable domains among `names`, at most `most`. Raises Invalid for `domains`."""
    domains = only_exact("domains", names, request.sale_zones)
    if len(domains) > most:
        raise Invalid({"domains": [f"at most {most} domains per request on the {request.viewer.plan} plan"]})
    return domains


def only_exact(field: str, names: Iterable[str], sale_zones: tuple[str, ...]) -> list[str]:
    """Registrable domains as given, each once. Raises Invalid for `field` with the names that are none."""
    good: dict[str, None] = {}
    bad: list[str] = []
    for name in names:
        try:
            good[exact_domain(name, sale_zones)] = None
        except BadName as error:
            bad.append(str(error))
    if bad:
        more = len(bad) - _MOST_NAMED
        raise Invalid({field: bad[:_MOST_NAMED] + ([f"and {more} more"] if more > 0 else [])})
    return list(good)
