"""Tools over the live look-ups. They count against the hour's quota, domain by domain, as the API's do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from starlette.responses import Response

from afterdrop.web.api import lookups
from afterdrop.web.api.request import ApiRequest
from afterdrop.web.api.schemas.lookups import DnsQuery, NamesQuery, WhoisQuery
from afterdrop.web.mcp import untrusted
from afterdrop.web.mcp.response_paging import ROWS, Place
from afterdrop.web.mcp.tool import Continued, Found, Name, Tool, after, body_of, one, tool

# So many records always fit into one answer, so that none is looked up twice to be shown.
_BATCH = 10


def _once(names: list[str]) -> list[str]:
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(name.lower(), name)
    return list(first.values())


class OneName(Continued):
    """Which domain."""

    domain: Name = Field(description="A registrable domain, Unicode or A-labels")


class OneHost(Continued):
    """Which host."""

    host: Name = Field(description="A domain or subdomain")


class Names(Continued):
    """Which domains."""

    domains: Annotated[list[Name], Field(min_length=1, max_length=ROWS), AfterValidator(_once)] = Field(
        description="Up to 25 registrable domains; an answer holds up to 10, the next ones come with `cursor`"
    )


@tool("Look up a registration", "lookup")
async def whois(ask: ApiRequest, args: OneName, place: Place) -> Found:
    """The registration record of a domain, live from its registry, with the days it may drop. Counts 1 against the
    hour's look-up quota."""
    body = body_of(await lookups.whois_record(ask, WhoisQuery(domain=args.domain)))
    return one(untrusted.registration(body["data"]) or {})


@tool("Look up availability", "lookup")
async def availability(ask: ApiRequest, args: Names, place: Place) -> Found:
    """Whether domains are registered, dropping or available, live from their registries. Counts the domains of the
    answer against the hour's look-up quota."""
    return await _batch(ask, args, place, ask.limits.availability_domains, lookups.availability_rows)


@tool("Look up Domain Ratings", "lookup")
async def domain_rating(ask: ApiRequest, args: Names, place: Place) -> Found:
    """Domain Ratings, kept for 7 days; null where no source knows one. Counts the domains of the answer against the
    hour's look-up quota."""
    return await _batch(ask, args, place, ask.limits.rating_domains, lookups.rating_rows)


@tool("Look up DNS records", "lookup")
async def dns(ask: ApiRequest, args: OneHost, place: Place) -> Found:
    """DNS records of a domain or subdomain, its mail policies and whether it is parked. Counts 1 against the hour's
    look-up quota."""
    return one(untrusted.dns(body_of(await lookups.dns_records(ask, DnsQuery(host=args.host)))["data"]))


async def _batch(
    ask: ApiRequest,
    args: Names,
    place: Place,
    most: int,
    look_up: Callable[[ApiRequest, Any], Awaitable[Response]],
) -> Found:
    """The next of the names asked for; `most` is the plan's number a request."""
    names = args.domains[place.row :][: min(_BATCH, max(most, 1))]
    rows = body_of(await look_up(ask, NamesQuery(domains=tuple(names))))["data"] if names else []
    shown = [untrusted.registration(row) or {} if "state" in row else row for row in rows]
    return Found(shown, after(place.row), place.row + len(names) < len(args.domains))


TOOLS: tuple[Tool, ...] = (whois, availability, domain_rating, dns)
