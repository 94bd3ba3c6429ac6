"""The three lists, the report and the revival kit."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from afterdrop.catalogue import store
from afterdrop.catalogue.filters import ListFilter
from afterdrop.catalogue.lists import list_page
from afterdrop.catalogue.status import ListName
from afterdrop.web.api.error_responses import CONDITIONAL, NOT_MODIFIED, error_responses
from afterdrop.web.api.paths import DomainPath, path_domain
from afterdrop.web.api.request import ApiRequest, Asked
from afterdrop.web.api.route import StrictRoute
from afterdrop.web.api.schemas.common import Data
from afterdrop.web.api.schemas.domains import ArchiveQuery, DomainList, ListQuery, LiveQuery
from afterdrop.web.api.schemas.report import PageList, PagesQuery, Report
from afterdrop.web.pagination import page_meta
from afterdrop.web.problems import Invalid, not_found, plan_required
from afterdrop.web.responses import json_bytes, tagged_answer

router = APIRouter(route_class=StrictRoute, tags=["Domains"])
_CONTENT_DEFAULT, _CONTENT_MOST, _PLAIN_DEFAULT = 10, 20, 50


@router.get(
    "/domains",
    response_model=DomainList,
    operation_id="listLive",
    summary="Live list",
    responses=error_responses() | NOT_MODIFIED,
    openapi_extra=CONDITIONAL,
)
async def live(ask: Asked, query: Annotated[LiveQuery, Query()]) -> Response:
    """Auctions and drops not yet ended, best score first. On the free plan the day's open domains."""
    return await _list(ask, "live", query)


@router.get(
    "/domains/available",
    response_model=DomainList,
    operation_id="listAvailable",
    summary="Available now",
    responses=error_responses() | NOT_MODIFIED,
    openapi_extra=CONDITIONAL,
)
async def available(ask: Asked, query: Annotated[LiveQuery, Query()]) -> Response:
    """Listed domains that dropped and nobody registered, re-checked every two hours."""
    return await _list(ask, "available", query)


@router.get(
    "/domains/archive",
    response_model=DomainList,
    operation_id="listArchive",
    summary="Archive",
    responses=error_responses() | NOT_MODIFIED,
    openapi_extra=CONDITIONAL,
)
async def archive(ask: Asked, query: Annotated[ArchiveQuery, Query()]) -> Response:
    """Every listed domain whose auction or drop has ended, most recent first. Open to every plan."""
    return await _list(ask, "archive", query)


@router.get(
    "/domains/{domain}",
    response_model=Data[Report],
    operation_id="getReport",
    summary="Domain report",
    responses=error_responses("not_found", "plan_required") | NOT_MODIFIED,
    openapi_extra=CONDITIONAL,
)
async def report(ask: Asked, domain: DomainPath) -> Response:
    """The full report of a listed domain; with `detail` = `basic` the summary alone."""
    name = path_domain(domain, ask.zones)
    async with ask.env.database.read() as conn:
        access, found = await store.report(conn, name, ask.viewer, ask.now, ask.env.links)
    if access == "locked":
        raise plan_required("This domain is on the Pro list.")
    if found is None:
        raise not_found("The domain is not on the list.")
    return tagged_answer(json_bytes({"data": found}), ask.if_none_match)


@router.get(
    "/domains/{domain}/pages",
    response_model=PageList,
    operation_id="listPages",
    summary="Revival kit",
    responses=error_responses("not_found", "plan_required") | NOT_MODIFIED,
    openapi_extra=CONDITIONAL,
)
async def pages(ask: Asked, domain: DomainPath, query: Annotated[PagesQuery, Query()]) -> Response:
    """The old site's most-archived pages, with `include=content` also their text as Markdown."""
    content = query.include == "content"
    per_page = query.per_page or (_CONTENT_DEFAULT if content else _PLAIN_DEFAULT)
    if content and per_page > _CONTENT_MOST:
        raise Invalid({"per_page": [f"should be at most {_CONTENT_MOST} with include=content"]})
    name = path_domain(domain, ask.zones)
    async with ask.env.database.read() as conn:
        seen = await store.visible_domain(conn, name, ask.viewer, ask.now)
        if seen is None:
            raise not_found("The domain is not on the list.")
        if seen.access != "full":
            raise plan_required("The revival kit of this domain is part of Pro.")
        rows, total = await store.pages(
            conn, name, ask.env.links, page=query.page, per_page=per_page, content=content
        )
    meta = {"domain": name, **page_meta(total, query.page, per_page)}
    return tagged_answer(json_bytes({"data": rows, "meta": meta}), ask.if_none_match)


def list_filter(query: ListQuery) -> ListFilter:
    """The filters of a query."""
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


async def _list(ask: ApiRequest, which: ListName, query: ListQuery) -> Response:
    async def made() -> bytes:
        return await _list_body(ask, which, query)

    viewer = ask.viewer
    body = await ask.env.lists.body(
        which, query.model_dump_json(), viewer.plan, viewer.operator, ask.now, make=made
    )
    return tagged_answer(body, ask.if_none_match)


async def _list_body(ask: ApiRequest, which: ListName, query: ListQuery) -> bytes:
    wanted, links = list_filter(query), ask.env.links
    selection = store.ListSelection(which, wanted, ask.viewer, ask.now, links.fees, query.sort)
    async with ask.env.database.read() as conn:
        found = await list_page(
            conn, selection, links, page=query.page, per_page=query.per_page, totals=ask.env.totals
        )
    meta: dict[str, Any] = {"list": which, **page_meta(found.total, query.page, query.per_page)}
    meta["plan"] = ask.plan
    if found.locked is not None:
        meta["locked"] = found.locked
        meta["locked_note"] = locked_note(found.locked, trust_flow=wanted.min_tf is not None)
    if ask.plan == "free":
        meta["upgrade_url"] = f"{ask.settings.site_url}/pricing"
    return json_bytes({"data": found.rows, "meta": meta})


def locked_note(locked: int, *, trust_flow: bool) -> str:
    """`locked` in a sentence."""
    if locked == 0:
        note = "No more domains match on the Pro list."
    else:
        note = f"{locked} more matching domain{'s' if locked != 1 else ''} on the Pro list."
    return note + (" Counted without the Trust Flow filter, which is part of Pro." if trust_flow else "")
