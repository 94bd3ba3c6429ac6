"""The look-up tools, counted in the same hour's quota as the API's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from starlette.responses import Response

from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import AfterdropError, BadName
from afterdrop.sources.dns.answers import DnsResult
from afterdrop.sources.metrics.model import DOMAIN_RATING
from afterdrop.web.actions import lookups
from afterdrop.web.actions.lists import attributions_for
from afterdrop.web.problems import Invalid, Problem
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_domain

Tool = Callable[[SiteRequest], Awaitable[object]]
_MOST_NAMED: Final = 5
_PREFILLED: Final = ("domain", "domains", "host")


async def tools_page(request: SiteRequest) -> Response:
    """The forms. Names in the address are filled in and looked up only when the form is sent."""
    query = request.http.query_params
    request.form.values = {name: [query[name][:2000]] for name in _PREFILLED if name in query}
    return await _shown(request)


async def look_up(request: SiteRequest) -> Response:
    """Look up, and show the answer above the forms."""
    chosen = request.form.text("tool")
    try:
        if chosen not in _TOOLS:
            raise Invalid({"form": ["Choose one of the tools."]})
        answer = await _TOOLS[chosen](request)
    except AfterdropError as error:
        fields = error.fields if isinstance(error, Invalid) else None
        request.form = request.form.with_errors(fields or {"form": [error.message]})
        answer = await _shown(request, error.status)
        answer.headers.update((isinstance(error, Problem) and error.headers) or {})
        return answer
    return await _shown(request, tool=chosen, answer=answer)


async def _shown(request: SiteRequest, status: int = 200, tool: str = "", answer: object = None) -> Response:
    confirmation = None
    if tool == "whois":
        asked = read_domain(request.form.text("domain"), request.sale_zones)
        async with request.context.database.read() as conn:
            confirmation = await request.context.confirmation(conn, asked)
    meter = await request.context.rate_limits.limiter(request.member.id, request.now)
    used = meter.lookups_this_hour(int(request.now.timestamp()))
    credits = attributions_for(request, DOMAIN_RATING)
    return request.page(
        "tools.html", status, tool=tool, answer=answer, confirmation=confirmation, used=used, credits=credits
    )


async def _whois(request: SiteRequest) -> object:
    domain = read_domain(request.form.text("domain"), request.sale_zones)
    return await lookups.registration(request, domain)


async def _availability(request: SiteRequest) -> object:
    domains = _domains(
        request.form.all("domains"), "domains", request.limits.availability_domains, request.sale_zones
    )
    return await lookups.registrations(request, domains)


async def _rating(request: SiteRequest) -> object:
    domains = _domains(request.form.all("rated"), "rated", request.limits.rating_domains, request.sale_zones)
    return await lookups.domain_ratings(request, domains)


async def _dns(request: SiteRequest) -> DnsResult:
    return await lookups.dns_records(request, request.form.text("host"))


_TOOLS: Final[dict[str, Tool]] = {
    "whois": _whois,
    "availability": _availability,
    "domain-rating": _rating,
    "dns": _dns,
}


def _domains(names: Iterable[str], field: str, most: int, sale_zones: tuple[str, ...]) -> list[str]:
    """The distinct domains of pasted names and addresses. Raises Invalid that names the bad ones."""
    good: dict[str, None] = {}
    bad: list[str] = []
    for name in " ".join(names).split():
        try:
            good[domain_of_url(name, sale_zones)] = None
        except BadName as error:
            bad.append(str(error))
    if not good and not bad:
        bad.append("enter at least one domain")
    if bad:
        raise Invalid({field: bad[:_MOST_NAMED]})
    if len(good) > most:
        raise Invalid({field: [f"at most {most} domains at once on your plan"]})
    return list(good)
