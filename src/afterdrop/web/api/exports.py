"""A whole list as NDJSON or CSV, streamed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from starlette.responses import Response, StreamingResponse

from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.shapes import Summary
from afterdrop.catalogue.status import ListName
from afterdrop.web.account_request import ApiRequest
from afterdrop.web.actions import lists
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.route import AdmittedRequest, RouteT, StrictRoute
from afterdrop.web.list_csv import csv_lines, head_line
from afterdrop.web.problems import too_many
from afterdrop.web.responses import json_bytes
from afterdrop.web.schemas.domains import ExportQuery

router = APIRouter(route_class=StrictRoute, tags=["Domains"])
_TYPES: Final = {"ndjson": "application/x-ndjson", "csv": "text/csv"}
_STREAMED: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "One domain per line, as the list shows it: a JSON object, or comma-separated values after a "
        "line with the column names",
        "content": {media: {"schema": {"type": "string"}} for media in _TYPES.values()},
    }
}


def _export_route(path: str, operation_id: str, summary: str) -> Callable[[RouteT], RouteT]:
    return router.get(
        path,
        response_class=StreamingResponse,
        operation_id=operation_id,
        summary=summary,
        responses=error_responses() | _STREAMED,
    )


@_export_route("/exports/live", "exportLive", "Export the live list")
async def export_live(request: AdmittedRequest, query: Annotated[ExportQuery, Query()]) -> Response:
    """All matching domains of the live list, in its order, as you see them there. Exports are limited per hour."""
    return await _export(request, "live", query)


@_export_route("/exports/available", "exportAvailable", "Export what is available now")
async def export_available(request: AdmittedRequest, query: Annotated[ExportQuery, Query()]) -> Response:
    """All matching domains available now, in the list's order, as you see them there. Exports are limited per hour."""
    return await _export(request, "available", query)


@_export_route("/exports/archive", "exportArchive", "Export the archive")
async def export_archive(request: AdmittedRequest, query: Annotated[ExportQuery, Query()]) -> Response:
    """All matching domains of the archive, in its order, as you see them there. Exports are limited per hour."""
    return await _export(request, "archive", query)


async def _export(request: ApiRequest, which: ListName, query: ExportQuery) -> Response:
    meter = await request.context.rate_limits.limiter(request.account.id, request.now)
    wait = meter.take_export(request.limits, int(request.now.timestamp()))
    if wait:
        most = request.limits.exports_per_hour
        text = f"Your plan allows {most} exports per hour. Try again in {wait} seconds."
        raise too_many(text, wait)
    asked = lists.selection(request, which, ListFilter.of(**query.asked()), query.sort)
    rows = await request.context.lists.whole(asked)
    ending = query.format
    name = f"afterdrop-{which}-{request.now:%Y-%m-%d}.{ending}"
    headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{name}"'}
    lines = _csv(rows) if ending == "csv" else _ndjson(rows)
    return StreamingResponse(lines, headers=headers, media_type=_TYPES[ending])


async def _ndjson(pages: AsyncIterator[Sequence[Summary]]) -> AsyncIterator[bytes]:
    async for rows in pages:
        yield b"".join(json_bytes(row) + b"\n" for row in rows)


async def _csv(pages: AsyncIterator[Sequence[Summary]]) -> AsyncIterator[str]:
    yield head_line()
    async for rows in pages:
        yield csv_lines(rows)
