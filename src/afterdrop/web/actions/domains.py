"""Listed domains: the three lists, the report, the revival kit and the watchlist."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import orjson

from afterdrop.accounts.plans import Viewer
from afterdrop.alerts import watchlist
from afterdrop.alerts.criteria import Criteria
from afterdrop.alerts.preview import Preview, preview, preview_in_memory
from afterdrop.catalogue import lists, store
from afterdrop.catalogue.chosen_store import chosen
from afterdrop.catalogue.filters import ListFilter, Order, Sort
from afterdrop.catalogue.list_store import ListSelection
from afterdrop.catalogue.lists import ListPage, Row
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.snapshot import Snapshot
from afterdrop.catalogue.status import ListName
from afterdrop.catalogue.summary import DomainSummary, Links, SiteRow, site_row, summary
from afterdrop.catalogue.wider import Wider, wider
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.paths import path_domain
from afterdrop.web.problems import not_found, plan_required
from afterdrop.web.responses import page_meta
from afterdrop.web.schemas.domains import ListFilters, ListQuery

NOT_LISTED = "The domain is not on the list."
_LOCKED = "This domain is on the Pro list."
# Rows of a whole list that are made in one go: some milliseconds.
_AT_ONCE: Final = 250


@dataclass(frozen=True, slots=True)
class Asked:
    """One of the three lists with filters, in an order; None is the list's default."""

    which: ListName
    wanted: ListFilter
    sort: Sort | Order | None = None

    def selection(self, request: AccountRequest) -> ListSelection:
        """As the account asks for it now."""
        fees = request.context.links.fees
        return ListSelection(self.which, self.wanted, request.viewer, request.now, fees, self.sort)


async def list_page(request: AccountRequest, which: ListName, query: ListQuery) -> ListPage[DomainSummary]:
    """One page of a list as the account sees it."""
    asked = _asked(which, query)
    return await _page(request, asked, (query.page, query.per_page), Snapshot.summaries, summary)


async def list_page_json(
    request: AccountRequest, which: ListName, query: ListQuery
) -> ListPage[DomainSummary] | ListPage[orjson.Fragment]:
    """The same for those who only pass it on as JSON."""
    asked, paging = _asked(which, query), (query.page, query.per_page)
    selection = asked.selection(request)
    snapshot = await request.context.snapshots.current(request.viewer.operator)
    if snapshot is None:
        return await _stored(request, selection, paging, summary)
    found = snapshot.page(selection, *paging)
    return ListPage(snapshot.ready(found.rows, selection), found.total, found.locked)


Summaries = Sequence[DomainSummary]


async def whole_list(
    request: AccountRequest, which: ListName, query: ListFilters
) -> AsyncIterator[Summaries]:
    """All of a list as the account sees it, in its order, `_AT_ONCE` at a time so that none waits for it.

    From memory it is the list of one moment. From the database it is read page by page, and a domain that moves
    meanwhile may come twice or not at all.
    """
    selection = _asked(which, query).selection(request)
    snapshot = await request.context.snapshots.current(request.viewer.operator)
    if snapshot is None:
        number, rows = 1, [*(await _stored(request, selection, (1, _AT_ONCE), summary)).rows]
        while rows:
            yield rows
            number += 1
            rows = [*(await _stored(request, selection, (number, _AT_ONCE), summary)).rows]
        return
    found = snapshot.page(selection, 1, max(len(snapshot), 1)).rows
    for start in range(0, len(found), _AT_ONCE):
        yield snapshot.summaries(found[start : start + _AT_ONCE], selection)
        await asyncio.sleep(0)


async def site_page(request: AccountRequest, asked: Asked, page: int, per_page: int) -> ListPage[SiteRow]:
    """One page of a list for the site, whose filters and sorts are more than the API's."""
    return await _page(request, asked, (page, per_page), Snapshot.site_rows, site_row)


async def list_totals(request: AccountRequest, asked: Sequence[Asked]) -> list[int]:
    """How many domains each of these lists has for the account."""
    selections = [each.selection(request) for each in asked]
    snapshot = await request.context.snapshots.current(request.viewer.operator)
    if snapshot is not None:
        return [snapshot.total(selection) for selection in selections]
    async with request.context.database.read() as conn:
        return [await request.context.totals.total(conn, selection) for selection in selections]


async def wider_lists(request: AccountRequest, asked: Asked, most: int = 5) -> list[tuple[Wider, int]]:
    """What an empty list has with one filter wider or left out, and how much: closest to what was asked for first."""
    ways = wider(asked.wanted)
    totals = await list_totals(request, [replace(asked, wanted=way.wanted) for way in ways])
    return [(way, total) for way, total in zip(ways, totals, strict=True) if total][:most]


async def rule_preview(request: AccountRequest, criteria: Criteria) -> Preview:
    """What an alert rule of the account would match. The account is on Pro."""
    viewer, now, links = request.viewer, request.now, request.context.links
    snapshot = await request.context.snapshots.current(viewer.operator)
    if snapshot is not None:
        return preview_in_memory(snapshot, criteria, viewer, now, links)
    async with request.context.database.read() as conn:
        return await preview(conn, criteria, viewer, now, links)


async def _page(
    request: AccountRequest,
    asked: Asked,
    paging: tuple[int, int],
    shown: Callable[[Snapshot, Sequence[int], ListSelection], list[Row]],
    shaped: Callable[[SummaryRow, Viewer, datetime, Links], Row],
) -> ListPage[Row]:
    """A page from the snapshot, whose rows are made by `shown`, or else from the database, made by `shaped`."""
    selection = asked.selection(request)
    snapshot = await request.context.snapshots.current(request.viewer.operator)
    if snapshot is None:
        return await _stored(request, selection, paging, shaped)
    found = snapshot.page(selection, *paging)
    return ListPage(shown(snapshot, found.rows, selection), found.total, found.locked)


async def _stored(
    request: AccountRequest,
    selection: ListSelection,
    paging: tuple[int, int],
    shaped: Callable[[SummaryRow, Viewer, datetime, Links], Row],
) -> ListPage[Row]:
    context = request.context
    async with context.database.read() as conn:
        found = await lists.stored_page(conn, selection, *paging, context.totals)
    rows = [shaped(row, request.viewer, request.now, context.links) for row in found.rows]
    return ListPage(rows, found.total, found.locked)


def _asked(which: ListName, query: ListFilters) -> Asked:
    return Asked(which, list_filter(query), query.sort)


def list_meta(
    request: AccountRequest, which: ListName, query: ListQuery, found: ListPage[Any]
) -> dict[str, Any]:
    """The `meta` of a page of a list."""
    plan = request.viewer.plan
    meta: dict[str, Any] = {"list": which, **page_meta(found.total, query.page, query.per_page)}
    meta["plan"] = plan
    if found.locked is not None:
        meta["locked"] = found.locked
        meta["locked_note"] = locked_note(found.locked, trust_flow=bool(query.min_tf))
    note = filter_note(request, list_filter(query), found)
    if note is not None:
        meta["filter_note"] = note
    if plan == "free":
        meta["upgrade_url"] = f"{request.context.settings.site_url}/pricing"
    return meta


def locked_note(locked: int, *, trust_flow: bool) -> str:
    """A sentence that says how many more matches the Pro list has."""
    note = f"{locked} more matching domain{'s' if locked != 1 else ''} on the Pro list."
    if locked == 0:
        note = "No more domains match on the Pro list."
    return note + (
        " The Trust Flow filter is part of Pro and was not applied to this count." if trust_flow else ""
    )


_OF_TRUST_FLOW: Final = (
    "The Trust Flow filter is part of Pro: on the free plan it matches only domains you see in full, such as the "
    "day's open domains."
)
_OF_OUTCOMES: Final = (
    "What became of domains is part of Pro: on the free plan this filter matches only domains that were open "
    "on some day."
)


def filter_note(request: AccountRequest, wanted: ListFilter, found: ListPage[Any]) -> str | None:
    """What free callers are told of filters that are part of Pro; of Trust Flow, where no `locked` explains itself."""
    notes = [_OF_TRUST_FLOW] if wanted.min_tf and found.locked is None else []
    notes += [_OF_OUTCOMES] if wanted.outcomes else []
    return " ".join(notes) if notes and request.viewer.plan == "free" else None


def list_filter(query: ListFilters) -> ListFilter:
    """The filters of the API's query string."""
    return ListFilter.of(
        q=query.q,
        min_score=query.min_score,
        min_dr=query.min_dr,
        min_tf=query.min_tf,
        min_ref_domains=query.min_ref_domains,
        min_archive_years=query.min_archive_years,
        max_price=query.max_price,
        tlds=query.tld or (),
        types=query.type or (),
        topics=query.topic or (),
        langs=query.lang or (),
        clean=bool(query.clean),
        since=query.since,
        ending_within_hours=query.ending_within_hours,
    )


async def report(request: AccountRequest, domain: str) -> Mapping[str, Any]:
    """The report of a listed domain; its `detail` says how much of it. Raises `not_found`, `plan_required`."""
    name = path_domain(domain, request.sale_zones)
    async with request.context.database.read(single=True) as conn:
        access, found = await store.report(conn, name, request.viewer, request.now, request.context.links)
    if access == "locked":
        raise plan_required(_LOCKED)
    if found is None:
        raise not_found(NOT_LISTED)
    return found


async def revival_kit(
    request: AccountRequest, domain: str, *, page: int, per_page: int, content: bool
) -> tuple[Sequence[Mapping[str, Any]], int]:
    """One page of a listed domain's archived pages, and how many there are in all.

    With `content` also their text. Raises `not_found`, `plan_required`.
    """
    name = path_domain(domain, request.sale_zones)
    async with request.context.database.read() as conn:
        seen = await store.visible_domain(conn, name, request.viewer, request.now)
        if seen is None:
            raise not_found(NOT_LISTED)
        if seen.access != "full":
            raise plan_required("The revival kit of this domain is part of Pro.")
        return await store.pages(
            conn, name, request.context.links, page=page, per_page=per_page, content=content
        )


async def watched(request: AccountRequest) -> Sequence[Mapping[str, Any]]:
    """The domains the account watches: soonest end first, ended ones after."""
    async with request.context.database.read() as conn:
        return await watchlist.watchlist(conn, request.viewer, request.now, request.context.links)


async def watched_rows(request: AccountRequest) -> list[SiteRow]:
    """The same for the site."""
    async with request.context.database.read() as conn:
        return await watchlist.site_watchlist(conn, request.viewer, request.now, request.context.links)


async def watch(request: AccountRequest, domain: str) -> Mapping[str, Any]:
    """Watch a listed domain and give its summary. Raises `not_found`, `plan_required` and TooManyWatches."""
    name = path_domain(domain, request.sale_zones)
    async with request.context.database.write() as conn:
        seen = await watchlist.watch(
            conn, request.viewer, name, limit=request.limits.watched_domains, now=request.now
        )
        found = await store.summaries(conn, [name], request.viewer, request.now, request.context.links)
    if seen == "locked":
        raise plan_required(_LOCKED)
    if seen == "hidden" or name not in found:
        raise not_found(NOT_LISTED)
    return found[name]


async def watch_all(request: AccountRequest, names: Sequence[str]) -> None:
    """Watch those of these domains that the viewer sees, in one transaction: all or none. Raises TooManyWatches."""
    viewer, most, now = request.viewer, request.limits.watched_domains, request.now
    async with request.context.database.write() as conn:
        shown = await chosen(conn, names, viewer, now, request.context.links)
        await watchlist.watch_all(conn, viewer, shown, limit=most, now=now)


async def unwatch(request: AccountRequest, domain: str) -> bool:
    """Stop watching a domain; False when it is neither watched nor on the list."""
    name = path_domain(domain, request.sale_zones)
    async with request.context.database.write() as conn:
        return await watchlist.unwatch(conn, request.viewer, name, request.now)
