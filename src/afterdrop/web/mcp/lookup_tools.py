"""Tools over the live look-ups. They count against the hour's quota, domain by domain, as the API's do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator, Field

from afterdrop.web.account_request import ApiRequest
from afterdrop.web.actions import lookups
from afterdrop.web.mcp import untrusted
from afterdrop.web.mcp.response_paging import ROWS, Position
from afterdrop.web.mcp.tool import Name, Paged, Tool, ToolResult, counted_from, single, tool
from afterdrop.web.schemas.envelope import RequestModel

# So many records always fit into one answer, so that none is looked up twice to be shown.
_BATCH = 10


def _distinct(names: list[str]) -> list[str]:
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(name.lower(), name)
    return list(first.values())


class OneName(RequestModel):
    """Which domain."""

    domain: Name = Field(description="A registrable domain, Unicode or A-labels")


class OneHost(RequestModel):
    """Which host."""

    host: Name = Field(description="A domain or subdomain")


class Names(Paged):
    """Which domains."""

    domains: Annotated[list[Name], Field(min_length=1, max_length=ROWS), AfterValidator(_distinct)] = Field(
        description="Up to 25 registrable domains; an answer has up to 10, and `cursor` brings the next ones"
    )


@tool("Look up a registration", "lookup")
async def whois(request: ApiRequest, args: OneName, position: Position) -> ToolResult:
    """The registration record of a domain, live from its registry, with the days on which it may drop. Counts as
    one look-up of this hour."""
    (domain,) = lookups.only_exact("domain", [args.domain], request.sale_zones)
    return single(untrusted.registration(await lookups.registration(request, domain)))


@tool("Look up availability", "lookup")
async def availability(request: ApiRequest, args: Names, position: Position) -> ToolResult:
    """Whether domains are registered, dropping or available, live from their registries. Each domain of the answer
    counts as one look-up of this hour."""
    found = await _batch(request, args, position, request.limits.availability_domains, lookups.registrations)
    return replace(found, rows=[untrusted.registration(row) for row in found.rows])


@tool("Look up Domain Ratings", "lookup")
async def domain_rating(request: ApiRequest, args: Names, position: Position) -> ToolResult:
    """Domain Ratings, kept for 7 days; null where no source knows one. Each domain of the answer counts as one look-up
    of this hour."""
    return await _batch(request, args, position, request.limits.rating_domains, lookups.domain_ratings)


@tool("Look up DNS records", "lookup")
async def dns(request: ApiRequest, args: OneHost, position: Position) -> ToolResult:
    """DNS records of a domain or subdomain, its mail policies and whether it is parked. Counts as one look-up
    of this hour."""
    return single(untrusted.dns(await lookups.dns_records(request, args.host)))


async def _batch(
    request: ApiRequest,
    args: Names,
    position: Position,
    most: int,
    look_up: Callable[[ApiRequest, Sequence[str]], Awaitable[Sequence[Mapping[str, object]]]],
) -> ToolResult:
    """The next of the names asked for; `most` is the plan's number a request."""
    names = args.domains[position.row :][: min(_BATCH, max(most, 1))]
    rows = await look_up(request, lookups.exact_domains(request, names, most)) if names else []
    more = position.row + len(names) < len(args.domains)
    return ToolResult(rows, counted_from(position.row), more)


TOOLS: tuple[Tool, ...] = (whois, availability, domain_rating, dns)
