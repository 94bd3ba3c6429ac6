"""The rejected names with the reasons: the page with its search, and the page of one rejected name."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from starlette.responses import Response

from afterdrop.catalogue.rejections import RejectedFilter, RejectedSummary
from afterdrop.core.errors import BadName
from afterdrop.web.actions import rejected
from afterdrop.web.problems import Problem
from afterdrop.web.responses import page_meta
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import path_domain

_A_PAGE: Final = 50
# How many rejected names an empty search tells of.
_MATCHES: Final = 3


async def rejected_page(request: SiteRequest) -> Response:
    """The rejected names, the newest first; a free account reads that they are part of Pro."""
    asked = request.http.query_params
    page = max(1, whole_number(asked.get("page") or "1"))
    wanted = RejectedFilter.of(
        asked.get("q", "")[:100], asked.get("tld", "")[:63], spam=asked.get("spam") == "true"
    )
    try:
        rows, total = await rejected.rejected(request, wanted, page=page, per_page=_A_PAGE)
    except Problem as problem:
        if problem.code != "plan_required":
            raise
        return request.page("rejected.html", wanted=wanted, rows=None, meta=None)
    return request.page("rejected.html", wanted=wanted, rows=rows, meta=page_meta(total, page, _A_PAGE))


async def one_rejected(request: SiteRequest, name: str) -> Response | None:
    """The page of a rejected name; None where there is nothing to tell."""
    found = await rejected.why_rejected(request, name)
    return None if found is None else request.page("rejected_one.html", 404, name=found)


async def rejected_match(request: SiteRequest, text: str | None) -> tuple[Sequence[RejectedSummary], int]:
    """The newest rejected names that somebody searched for by a part of the name, and how many there are."""
    if not text or not rejected.is_told(request):
        return (), 0
    with suppress(BadName, Problem):  # an address, or a name in another script
        text = path_domain(text.strip(), request.sale_zones) if "." in text else text
    return await rejected.rejected(
        request, RejectedFilter.of(text[:100], "", spam=False), page=1, per_page=_MATCHES
    )
