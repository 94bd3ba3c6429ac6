"""The look-up tools: the API's functions, counted in the same hour's quota."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

from starlette.responses import Response

from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import AfterdropError, BadName
from afterdrop.dns import host_names
from afterdrop.lookups import dns, domain_rating, registry
from afterdrop.metrics.model import DOMAIN_RATING
from afterdrop.web.admission import take_lookups
from afterdrop.web.problems import Invalid, Problem
from afterdrop.web.site.attributions import credits_for
from afterdrop.web.site.site_request import SiteRequest

Tool = Callable[[SiteRequest], Awaitable[Any]]
_MOST_NAMED: Final = 5
_PREFILLED: Final = ("domain", "domains", "host")


async def tools_page(visit: SiteRequest) -> Response:
    """The forms; names in the address are filled in, but asked only when sent."""
    query = visit.request.query_params
    visit.form.values = {name: [query[name][:2000]] for name in _PREFILLED if name in query}
    return await _shown(visit)


async def tools(visit: SiteRequest) -> Response:
    """Ask, and show the answer above the forms."""
    chosen = visit.form.text("tool")
    try:
        if chosen not in _TOOLS:
            raise Invalid({"form": ["Choose one of the tools."]})
        answer = await _TOOLS[chosen](visit)
    except AfterdropError as error:
        fields = error.fields if isinstance(error, Invalid) else None
        visit.form = visit.form.refused(fields or {"form": [error.message]})
        answer = await _shown(visit, error.status)
        answer.headers.update((isinstance(error, Problem) and error.headers) or {})
        return answer
    return await _shown(visit, tool=chosen, answer=answer)


async def _shown(visit: SiteRequest, status: int = 200, tool: str = "", answer: Any = None) -> Response:
    meter = await visit.env.usage.limiter(visit.member.id, visit.now)
    used = meter.lookups_this_hour(int(visit.now.timestamp()))
    owed = credits_for(visit, DOMAIN_RATING)
    return visit.page("tools.html", status, tool=tool, answer=answer, used=used, credits=owed)


async def _count(visit: SiteRequest, domains: int) -> None:
    meter = await visit.env.usage.limiter(visit.member.id, visit.now)
    take_lookups(meter, visit.limits, domains, visit.now)


async def _whois(visit: SiteRequest) -> Any:
    try:
        domain = domain_of_url(visit.form.text("domain"), visit.zones)
    except BadName as error:
        raise Invalid({"domain": [error.message]}) from None
    await _count(visit, 1)
    return (await registry.whois(visit.env.sources, domain, visit.now)).as_json()


async def _availability(visit: SiteRequest) -> Any:
    domains = _domains(visit.form.all("domains"), "domains", visit.limits.availability_domains, visit.zones)
    await _count(visit, len(domains))
    found = await registry.availability(visit.env.sources, domains, visit.now)
    return [each.record.as_json() for each in found]


async def _rating(visit: SiteRequest) -> Any:
    domains = _domains(visit.form.all("rated"), "rated", visit.limits.rating_domains, visit.zones)
    await _count(visit, len(domains))
    rows = await domain_rating.domain_rating(
        visit.env.sources, domains, visit.now, operator=visit.viewer.operator
    )
    return [row.as_json() for row in rows]


async def _dns(visit: SiteRequest) -> Any:
    try:
        host = host_names.lookup_host(visit.form.text("host"))
    except BadName as error:
        raise Invalid({"host": [error.message]}) from None
    await _count(visit, 1)
    return await dns.dns(visit.env.sources, host, visit.now)


_TOOLS: Final[dict[str, Tool]] = {
    "whois": _whois,
    "availability": _availability,
    "domain-rating": _rating,
    "dns": _dns,
}


def _domains(names: Iterable[str], field: str, most: int, zones: tuple[str, ...]) -> list[str]:
    """The distinct domains, each line or comma one, of pasted addresses too. Raises Invalid naming the bad ones."""
    good: dict[str, None] = {}
    bad: list[str] = []
    for name in " ".join(names).split():
        try:
            good[domain_of_url(name, zones)] = None
        except BadName as error:
            bad.append(str(error))
    if not good and not bad:
        bad.append("at least one domain is needed")
    if bad:
        raise Invalid({field: bad[:_MOST_NAMED]})
    if len(good) > most:
        raise Invalid({field: [f"at most {most} domains at once on your plan"]})
    return list(good)
