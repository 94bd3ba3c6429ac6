"""The watchlist of an account, and its memory of the pages it has seen."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from afterdrop.catalogue import store
from afterdrop.catalogue.lists.chosen_store import chosen
from afterdrop.catalogue.shapes import SiteRow, Summary
from afterdrop.db.outages import is_outage, outage
from afterdrop.watching import desk_store as desk
from afterdrop.watching import watchlist
from afterdrop.watching.desk_rules import PageMemory
from afterdrop.watching.watchlist import FollowedNames
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.actions.reports import LOCKED, NOT_LISTED
from afterdrop.web.problems import not_found, plan_required
from afterdrop.web.strict_input import path_domain


async def watched(request: AccountRequest) -> Sequence[Summary]:
    """The domains the account watches: soonest end first, ended ones after."""
    async with request.context.database.read() as conn:
        return await watchlist.watchlist(conn, request.viewer, request.now, request.context.links)


async def watched_rows(request: AccountRequest) -> list[SiteRow]:
    """The same for the site."""
    async with request.context.database.read() as conn:
        return await watchlist.site_watchlist(conn, request.viewer, request.now, request.context.links)


async def watch(request: AccountRequest, domain: str) -> Summary:
    """Watch a listed domain and give its summary. Raises `not_found`, `plan_required` and TooManyWatches."""
    name = path_domain(domain, request.sale_zones)
    async with request.context.database.write() as conn:
        seen = await watchlist.watch(conn, request.viewer, name, request.limits, request.now)
        summaries = await store.summaries(conn, [name], request.viewer, request.now, request.context.links)
    if seen == "locked":
        raise plan_required(LOCKED)
    if seen == "hidden" or name not in summaries:
        raise not_found(NOT_LISTED)
    return summaries[name]


async def watch_all(request: AccountRequest, names: Sequence[str]) -> None:
    """Watch those of these domains that the viewer sees, in one transaction: all or none. Raises TooManyWatches."""
    viewer, now = request.viewer, request.now
    async with request.context.database.write() as conn:
        visible = await chosen(conn, names, viewer, now, request.context.links)
        await watchlist.watch_all(conn, viewer, visible, request.limits, now)


async def follow(request: AccountRequest, names: Sequence[str]) -> FollowedNames:
    """Follow registrable domains, on the lists or not: all or none. Raises `plan_required` and TooManyWatches."""
    viewer, now = request.viewer, request.now
    async with request.context.database.read() as conn:
        wanted = await watchlist.names_to_follow(conn, viewer, names, now)
    if wanted.locked:
        raise plan_required(LOCKED)
    async with request.context.database.write() as conn:
        new = await watchlist.follow_names(conn, viewer, wanted, request.limits, now)
        return {"followed": new, "watched": await watchlist.count_watches(conn, viewer.account_id)}


async def unwatch(request: AccountRequest, domain: str) -> bool:
    """Stop watching a domain; False when it is neither watched nor on the list."""
    name = path_domain(domain, request.sale_zones)
    async with request.context.database.write() as conn:
        return await watchlist.unwatch(conn, request.viewer, name, request.now)


async def remember_page(request: AccountRequest, remembered: PageMemory) -> None:
    """Remember that the page was opened, too. It writes only where there is something new.

    While the database does not answer this is left out: the page has been sent.
    """
    if remembered.fresh is None:
        return
    try:
        async with request.context.database.write() as conn:
            await desk.record(conn, request.viewer.account_id, remembered.fresh, request.now)
    except sa.exc.SQLAlchemyError as error:
        if not is_outage(error):
            raise
        outage.failed(error)
