"""The watchlist."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from afterdrop.alerts import watchlist as watches
from afterdrop.catalogue import store
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.paths import DomainPath, path_domain
from afterdrop.web.api.request import Asked
from afterdrop.web.api.route import StrictRoute
from afterdrop.web.api.schemas.common import Data
from afterdrop.web.api.schemas.domains import Summary
from afterdrop.web.problems import not_found, plan_required
from afterdrop.web.responses import data_answer, no_content

router = APIRouter(route_class=StrictRoute, tags=["Watchlist"])


@router.get(
    "/watchlist",
    response_model=Data[list[Summary]],
    operation_id="listWatched",
    summary="Watched domains",
    responses=error_responses(),
)
async def watchlist(ask: Asked) -> Response:
    """The domains you follow: soonest end first, ended ones after, by most recent end."""
    async with ask.env.database.read() as conn:
        return data_answer(await watches.watchlist(conn, ask.viewer, ask.now, ask.env.links))


@router.put(
    "/watchlist/{domain}",
    response_model=Data[Summary],
    operation_id="watchDomain",
    summary="Watch a domain",
    responses=error_responses("not_found", "plan_required", "limit_reached"),
)
async def watch(ask: Asked, domain: DomainPath) -> Response:
    """Follow a listed domain; following it again changes nothing."""
    name = path_domain(domain, ask.zones)
    async with ask.env.database.write() as conn:
        seen = await watches.watch(conn, ask.viewer, name, limit=ask.limits.watched_domains, now=ask.now)
        found = await store.summaries(conn, [name], ask.viewer, ask.now, ask.env.links)
    if seen == "locked":
        raise plan_required("This domain is on the Pro list.")
    if seen == "hidden" or name not in found:
        raise not_found("The domain is not on the list.")
    return data_answer(found[name])


@router.delete(
    "/watchlist/{domain}",
    status_code=204,
    response_class=Response,
    operation_id="unwatchDomain",
    summary="Stop watching",
    responses=error_responses("not_found"),
)
async def unwatch(ask: Asked, domain: DomainPath) -> Response:
    """Stop following a domain."""
    async with ask.env.database.write() as conn:
        if not await watches.unwatch(conn, ask.viewer, path_domain(domain, ask.zones), ask.now):
            raise not_found("The domain is not on the list.")
    return no_content()
