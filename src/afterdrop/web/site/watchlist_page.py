"""The watchlist: what the account follows, with its notes."""

from __future__ import annotations

from starlette.responses import Response

from afterdrop.alerts import store
from afterdrop.alerts import watchlist as watches
from afterdrop.web.site.attributions import credits_for
from afterdrop.web.site.site_request import SiteRequest


async def watchlist_page(visit: SiteRequest) -> Response:
    """The followed domains."""
    return await watchlist(visit)


async def watchlist(visit: SiteRequest, refused: str = "", status: int = 200) -> Response:
    """The same; `refused` is the domain whose note (in the form) was not taken."""
    async with visit.env.database.read() as conn:
        found = await watches.watchlist(conn, visit.viewer, visit.now, visit.env.links)
        kept = await store.notes(conn, visit.member.id)
    owed = credits_for(visit)
    return visit.page("watchlist.html", status, rows=found, notes=kept, refused=refused, credits=owed)
