"""The three lists: live, available, archive."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from afterdrop.catalogue.filters import default_sort
from afterdrop.catalogue.lists import ListPage
from afterdrop.catalogue.status import ListName
from afterdrop.catalogue.summary import DomainSummary
from afterdrop.desk import store as desk
from afterdrop.metrics.values import TOPICS
from afterdrop.web.actions import domains
from afterdrop.web.problems import Invalid
from afterdrop.web.responses import page_meta
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import ArchiveQuery, ListQuery, LiveQuery
from afterdrop.web.site.attributions import attributions_for
from afterdrop.web.site.forms import Form
from afterdrop.web.site.list_query import (
    filter_words,
    foreign_langs,
    query_string,
    rule_name,
    tidy_query,
    unkept_filters,
)
from afterdrop.web.site.mark_pages import csv_file
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_query

PATHS: Final[dict[ListName, str]] = {
    "live": "/domains",
    "available": "/domains/available",
    "archive": "/domains/archive",
}
TITLES: Final[dict[ListName, str]] = {
    "live": "Live list",
    "available": "Available now",
    "archive": "Archive",
}
EXPORTED: Final = 1000


async def live(request: SiteRequest) -> Response:
    """Auctions and drops that have not ended."""
    return await _list(request, "live")


async def available(request: SiteRequest) -> Response:
    """Domains that dropped and are free to register."""
    return await _list(request, "available")


async def archive(request: SiteRequest) -> Response:
    """Everything that has ended."""
    return await _list(request, "archive")


async def _list(request: SiteRequest, which: ListName) -> Response:
    values: dict[str, str] = {}
    query: ListQuery = _model(which)()
    status = 200
    found: ListPage[DomainSummary] = ListPage([], 0)
    try:
        text, values, changed = tidy_query(request.http.scope["query_string"])
        if changed:
            return request.redirect(PATHS[which] + (f"?{text}" if text else ""))
        query = read_query(text.encode(), _model(which))
        found = await domains.list_page(request, which, query)
    except Invalid as error:
        status = 422
        request.form = Form(errors=error.fields or {})
    request.form.values = {name: [value] for name, value in values.items()}
    return request.page("list.html", status, **_shown(request, which, query, found, values))


def _model(which: ListName) -> type[ListQuery]:
    return ArchiveQuery if which == "archive" else LiveQuery


def _shown(
    request: SiteRequest,
    which: ListName,
    query: ListQuery,
    found: ListPage[DomainSummary],
    values: dict[str, str],
) -> dict[str, Any]:
    def here(**changes: Any) -> str:
        merged = {name: value for name, value in {**values, **changes}.items() if value is not None}
        return PATHS[which] + (f"?{query_string(merged)}" if merged else "")

    filters = {name: value for name, value in values.items() if name not in ("page", "per_page", "sort")}
    note = None
    if found.locked is not None:
        note = domains.locked_note(found.locked, trust_flow=bool(query.min_tf))
    return {
        "which": which,
        "title": TITLES[which],
        "path": PATHS[which],
        "rows": found.rows,
        "meta": page_meta(found.total, query.page, query.per_page),
        "locked_note": note,
        "filter_note": domains.filter_note(request, query, found),
        "here": here,
        "without": lambda name: here(**{name: None, "page": None}),
        "chips": filter_words(filters),
        "sort": query.sort or default_sort(which),
        "filters": filters,
        "csv": f"/csv/{which}" + (f"?{query_string(values)}" if values else ""),
        "rule_name": rule_name(query),
        "credits": attributions_for(request),
        "unkept": unkept_filters(query),
        "foreign_langs": foreign_langs(query),
        "choices": {"type": v.LISTING_TYPES, "topic": TOPICS},
        "exported": EXPORTED,
    }


async def export(request: SiteRequest) -> Response:
    """The list as CSV, in its order, at most 1,000 rows."""
    which: ListName = request.http.path_params["which"]
    text, _, _ = tidy_query(request.http.scope["query_string"])
    query = read_query(text.encode(), _model(which))
    whole = query.model_copy(update={"page": 1, "per_page": EXPORTED})
    found = await domains.list_page(request, which, whole)
    async with request.context.database.read() as conn:
        marks = await desk.marks(conn, request.member.id, [row["domain"] for row in found.rows])
    return csv_file(request, which, found.rows, marks)
