"""Live look-ups: registry, availability, Domain Rating, DNS."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from afterdrop.sources.dns.answers import DnsResult
from afterdrop.sources.lookups.domain_rating import RatingRowJson
from afterdrop.sources.lookups.registry import WhoisRecord
from afterdrop.sources.registry.rdap_answer import RegistrationRecord
from afterdrop.web.actions import lookups
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.route import AdmittedRequest, StrictRoute
from afterdrop.web.responses import data_response
from afterdrop.web.schemas.envelope import Data
from afterdrop.web.schemas.lookups import DnsQuery, NamesQuery, WhoisQuery

router = APIRouter(route_class=StrictRoute, tags=["Look-ups"])


@router.get(
    "/tools/whois",
    response_model=Data[WhoisRecord],
    operation_id="whois",
    summary="Registration record",
    responses=error_responses("lookup_quota_exceeded"),
)
async def whois_record(request: AdmittedRequest, query: Annotated[WhoisQuery, Query()]) -> Response:
    """Read live from the registry over RDAP, with the days on which the name may drop."""
    (domain,) = lookups.only_exact("domain", [query.domain], request.sale_zones)
    return data_response(await lookups.registration(request, domain))


@router.get(
    "/tools/availability",
    response_model=Data[list[RegistrationRecord]],
    operation_id="availability",
    summary="Bulk availability",
    responses=error_responses("lookup_quota_exceeded"),
)
async def availability_rows(request: AdmittedRequest, query: Annotated[NamesQuery, Query()]) -> Response:
    """One record for each domain, in the order you asked. At most 20 domains per request on Free, 50 on Pro."""
    domains = lookups.exact_domains(request, query.domains, request.limits.availability_domains)
    return data_response(await lookups.registrations(request, domains))


@router.get(
    "/tools/domain-rating",
    response_model=Data[list[RatingRowJson]],
    operation_id="domainRating",
    summary="Domain Ratings",
    responses=error_responses("lookup_quota_exceeded"),
)
async def rating_rows(request: AdmittedRequest, query: Annotated[NamesQuery, Query()]) -> Response:
    """Domain Ratings, kept for 7 days. At most 10 domains per request on Free, 25 on Pro."""
    domains = lookups.exact_domains(request, query.domains, request.limits.rating_domains)
    return data_response(await lookups.domain_ratings(request, domains))


@router.get(
    "/tools/dns",
    response_model=Data[DnsResult],
    operation_id="dns",
    summary="DNS records",
    responses=error_responses("lookup_quota_exceeded"),
)
async def dns_records(request: AdmittedRequest, query: Annotated[DnsQuery, Query()]) -> Response:
    """A, AAAA, CNAME, MX, NS, TXT, SOA and CAA records of a domain or subdomain, and what they show."""
    return data_response(await lookups.dns_records(request, query.host))
