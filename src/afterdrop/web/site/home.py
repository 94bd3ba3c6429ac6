"""The start page."""

from __future__ import annotations

from starlette.responses import Response

from afterdrop.catalogue.stats import stats
from afterdrop.web.site.site_request import SiteRequest


async def home(visit: SiteRequest) -> Response:
    """What this is, with today's figures."""
    async with visit.env.database.read() as conn:
        figures = await stats(conn, visit.now)
    return visit.page("home.html", stats=figures)
