"""Live look-ups: registry, availability, Domain Rating, DNS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from afterdrop.core.domain_names import exact_domain
from afterdrop.core.errors import BadName
from afterdrop.dns import host_names
from afterdrop.lookups import dns, domain_rating, registry
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.request import ApiRequest, Asked
from afterdrop.web.api.route import StrictRoute
from afterdrop.web.api.schemas.common import Data
from afterdrop.web.api.schemas.lookups import (
    DnsQuery,
    DnsResult,
    NamesQuery,
    RatingRow,
    RegistrationRecord,
    WhoisQuery,
    WhoisRecord,
)
from afterdrop.web.problems import Invalid
from afterdrop.web.responses import data_answer

router = APIRouter(route_class=StrictRoute, tags=["Look-ups"])
_MOST_NAMED = 5


@router.get(
    "/tools/whois",
    response_model=Data[WhoisRecord],
    operation_id="whois",
    summary="Registration record",
    responses=error_responses("lookup_quota_exceeded"),
)
async def whois_record(ask: Asked, query: Annotated[WhoisQuery, Query()]) -> Response:
    """Live from the registry via RDAP, with the days the name may drop."""
    domain = _exact({"domain": [query.domain]}, ask.zones)[0]
    ask.admission.take_lookups(1)
    return data_answer((await registry.whois(ask.env.sources, domain, ask.now)).as_json())


@router.get(
    "/tools/availability",
    response_model=Data[list[RegistrationRecord]],
    operation_id="availability",
    summary="Bulk availability",
    responses=error_responses("lookup_quota_exceeded"),
)
async def availability_rows(ask: Asked, query: Annotated[NamesQuery, Query()]) -> Response:
    """One record for each domain, in the order asked: at most 20 domains a request on free, 50 on Pro."""
    domains = _domains(ask, query, ask.limits.availability_domains)
    answers = await registry.availability(ask.env.sources, domains, ask.now)
    return data_answer([answer.record.as_json() for answer in answers])


@router.get(
    "/tools/domain-rating",
    response_model=Data[list[RatingRow]],
    operation_id="domainRating",
    summary="Domain Ratings",
    responses=error_responses("lookup_quota_exceeded"),
)
async def rating_rows(ask: Asked, query: Annotated[NamesQuery, Query()]) -> Response:
    """Domain Ratings, kept for 7 days: at most 10 domains a request on free, 25 on Pro."""
    domains = _domains(ask, query, ask.limits.rating_domains)
    rows = await domain_rating.domain_rating(ask.env.sources, domains, ask.now, operator=ask.viewer.operator)
    return data_answer([row.as_json() for row in rows])


@router.get(
    "/tools/dns",
    response_model=Data[DnsResult],
    operation_id="dns",
    summary="DNS records",
    responses=error_responses("lookup_quota_exceeded"),
)
async def dns_records(ask: Asked, query: Annotated[DnsQuery, Query()]) -> Response:
    """A, AAAA, CNAME, MX, NS, TXT, SOA and CAA records of a domain or subdomain, and what they tell."""
    try:
        host = host_names.lookup_host(query.host)
    except BadName as error:
        raise Invalid({"host": [error.message]}) from None
    ask.admission.take_lookups(1)
    return data_answer(await dns.dns(ask.env.sources, host, ask.now))


def _domains(ask: ApiRequest, query: NamesQuery, most: int) -> list[str]:
    """The distinct domains of a request, counted against the hour's quota."""
    domains = _exact({"domains": query.domains}, ask.zones)
    if len(domains) > most:
        raise Invalid({"domains": [f"at most {most} domains a request on the {ask.plan} plan"]})
    ask.admission.take_lookups(len(domains))
    return domains


def _exact(asked: dict[str, Iterable[str]], zones: tuple[str, ...]) -> list[str]:
    """Registrable domains as given, each once; one bad name refuses the request and is named."""
    ((field, names),) = asked.items()
    good: dict[str, None] = {}
    bad: list[str] = []
    for name in names:
        try:
            good[exact_domain(name, zones)] = None
        except BadName as error:
            bad.append(str(error))
    if bad:
        more = len(bad) - _MOST_NAMED
        raise Invalid({field: bad[:_MOST_NAMED] + ([f"and {more} more"] if more > 0 else [])})
    return list(good)
