"""The three lists, the report and the revival kit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.lists.pages import FRAGMENTS
from afterdrop.catalogue.status import ListName
from afterdrop.web.account_request import ApiRequest
from afterdrop.web.actions import lists, rejected, reports
from afterdrop.web.api.error_responses import CONDITIONAL, NOT_MODIFIED, error_responses
from afterdrop.web.api.route import AdmittedRequest, RouteT, StrictRoute
from afterdrop.web.problems import Invalid
from afterdrop.web.responses import data_response, etag_response, json_bytes, page_meta
from afterdrop.web.schemas.domains import (
    ArchiveQuery,
    DomainList,
    ListQuery,
    LiveQuery,
    PageList,
    PagesQuery,
    RejectedList,
    RejectedQuery,
    Report,
)
from afterdrop.web.schemas.envelope import Data
from afterdrop.web.strict_input import DomainPath, path_domain

router = APIRouter(route_class=StrictRoute, tags=["Domains"])
_CONTENT_DEFAULT, _CONTENT_MOST, _PLAIN_DEFAULT = 10, 20, 50


def _list_route(path: str, operation_id: str, summary: str) -> Callable[[RouteT], RouteT]:
    return router.get(
        path,
        response_model=DomainList,
        operation_id=operation_id,
        summary=summary,
        responses=error_responses() | NOT_MODIFIED,
        openapi_extra=CONDITIONAL,
    )


@_list_route("/domains", "listLive", "Live list")
async def live(request: AdmittedRequest, query: Annotated[LiveQuery, Query()]) -> Response:
    """Auctions and drops that have not ended, best score first. On the free plan, the day's open domains."""
    return await _list(request, "live", query)


@_list_route("/domains/available", "listAvailable", "Available now")
async def available(request: AdmittedRequest, query: Annotated[LiveQuery, Query()]) -> Response:
    """Listed domains that dropped and that nobody has registered since. Re-checked every two hours."""
    return await _list(request, "available", query)


@_list_route("/domains/archive", "listArchive", "Archive")
async def archive(request: AdmittedRequest, query: Annotated[ArchiveQuery, Query()]) -> Response:
    """Every listed domain whose auction or drop has ended, most recent first. Open to both plans."""
    return await _list(request, "archive", query)


@router.get(
    "/domains/rejected",
    response_model=RejectedList,
    operation_id="listRejected",
    summary="Rejected names",
    responses=error_responses("not_found", "plan_required"),
)
async def rejected_names(request: AdmittedRequest, query: Annotated[RejectedQuery, Query()]) -> Response:
    """Names that scans rejected, the newest first, with the reason and the capture that shows it."""
    rows, total = await rejected.rejected(request, query.wanted(), page=query.page, per_page=query.per_page)
    return data_response(rows, meta=page_meta(total, query.page, query.per_page))


@router.get(
    "/domains/{domain}",
    response_model=Data[Report],
    operation_id="getReport",
    summary="Domain report",
    responses=error_responses("not_found", "plan_required") | NOT_MODIFIED,
    openapi_extra=CONDITIONAL,
)
async def report(request: AdmittedRequest, domain: DomainPath) -> Response:
    """The report of a listed domain; where `detail` is `basic`, only its summary."""
    found = await reports.report(request, domain)
    return etag_response(json_bytes({"data": found}), request.if_none_match)


@router.get(
    "/domains/{domain}/pages",
    response_model=PageList,
    operation_id="listPages",
    summary="Revival kit",
    responses=error_responses("not_found", "plan_required") | NOT_MODIFIED,
    openapi_extra=CONDITIONAL,
)
async def pages(
    request: AdmittedRequest, domain: DomainPath, query: Annotated[PagesQuery, Query()]
) -> Response:
    """The old site's most archived pages, with `era` those of one owner; with `include=content`, also their text."""
    content = query.include == "content"
    per_page = query.per_page or (_CONTENT_DEFAULT if content else _PLAIN_DEFAULT)
    if content and per_page > _CONTENT_MOST:
        raise Invalid({"per_page": [f"should be at most {_CONTENT_MOST} with include=content"]})
    rows, total = await reports.revival_kit(
        request, domain, page=query.page, per_page=per_page, content=content, era=query.era
    )
    meta = {"domain": path_domain(domain, request.sale_zones), **page_meta(total, query.page, per_page)}
    return etag_response(json_bytes({"data": rows, "meta": meta}), request.if_none_match)


async def _list(request: ApiRequest, which: ListName, query: ListQuery) -> Response:
    async def made() -> bytes:
        asked = lists.selection(request, which, ListFilter.of(**query.asked()), query.sort)
        found = await request.context.lists.page(asked, query.page, query.per_page, FRAGMENTS)
        meta = lists.list_meta(request, asked, (query.page, query.per_page), found)
        return json_bytes({"data": found.rows, "meta": meta})

    viewer = request.viewer
    body = await request.context.list_cache.body(
        which, query.model_dump_json(), viewer.plan, request.now, make=made
    )
    return etag_response(body, request.if_none_match)
