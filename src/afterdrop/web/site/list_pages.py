"""The three lists: live, available, archive."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from afterdrop.catalogue.filters import default_sort
from afterdrop.catalogue.lists import ListPage, list_page
from afterdrop.catalogue.status import ListName
from afterdrop.catalogue.store import ListSelection
from afterdrop.metrics.values import TOPICS
from afterdrop.web.api.domains import list_filter, locked_note
from afterdrop.web.api.schemas import values as v
from afterdrop.web.api.schemas.domains import ArchiveQuery, ListQuery, LiveQuery
from afterdrop.web.pagination import page_meta
from afterdrop.web.problems import Invalid
from afterdrop.web.site.attributions import credits_for
from afterdrop.web.site.csv_text import csv_text
from afterdrop.web.site.forms import Form
from afterdrop.web.site.list_query import encoded, filter_words, foreign_langs, rule_name, tidy, unkept
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


async def live(visit: SiteRequest) -> Response:
    """Auctions and drops not yet ended."""
    return await _list(visit, "live")


async def available(visit: SiteRequest) -> Response:
    """Dropped and nobody's."""
    return await _list(visit, "available")


async def archive(visit: SiteRequest) -> Response:
    """Everything that ended."""
    return await _list(visit, "archive")


async def _list(visit: SiteRequest, which: ListName) -> Response:
    values: dict[str, str] = {}
    query: ListQuery = _model(which)()
    status, found = 200, ListPage([], 0)
    try:
        text, values, changed = tidy(visit.request.scope["query_string"])
        if changed:
            return visit.go(PATHS[which] + (f"?{text}" if text else ""))
        query = read_query(text.encode(), _model(which))
        found = await _page(visit, which, query, query.page, query.per_page)
    except Invalid as error:
        status = 422
        visit.form = Form(faults=error.fields or {})
    visit.form.values = {name: [value] for name, value in values.items()}
    return visit.page("list.html", status, **_shown(visit, which, query, found, values))


def _model(which: ListName) -> type[ListQuery]:
    return ArchiveQuery if which == "archive" else LiveQuery


async def _page(visit: SiteRequest, which: ListName, query: ListQuery, page: int, per_page: int) -> ListPage:
    links, wanted = visit.env.links, list_filter(query)
    selection = ListSelection(which, wanted, visit.viewer, visit.now, links.fees, query.sort)
    async with visit.env.database.read() as conn:
        return await list_page(conn, selection, links, page=page, per_page=per_page, totals=visit.env.totals)


def _shown(
    visit: SiteRequest, which: ListName, query: ListQuery, found: ListPage, values: dict[str, str]
) -> dict[str, Any]:
    def here(**changes: Any) -> str:
        merged = {name: value for name, value in {**values, **changes}.items() if value is not None}
        return PATHS[which] + (f"?{encoded(merged)}" if merged else "")

    filters = {name: value for name, value in values.items() if name not in ("page", "per_page", "sort")}
    note = None
    if found.locked is not None:
        note = locked_note(found.locked, trust_flow=query.min_tf is not None)
    return {
        "which": which,
        "title": TITLES[which],
        "path": PATHS[which],
        "rows": found.rows,
        "meta": page_meta(found.total, query.page, query.per_page),
        "locked_note": note,
        "here": here,
        "without": lambda name: here(**{name: None, "page": None}),
        "chips": filter_words(filters),
        "sort": query.sort or default_sort(which),
        "filters": filters,
        "csv": f"/csv/{which}" + (f"?{encoded(values)}" if values else ""),
        "rule_name": rule_name(query),
        "credits": credits_for(visit),
        "unkept": unkept(query),
        "foreign_langs": foreign_langs(query),
        "choices": {"type": v.LISTING_TYPES, "topic": TOPICS},
        "exported": EXPORTED,
    }


async def export(visit: SiteRequest) -> Response:
    """The list as CSV, in its order, at most 1,000 rows."""
    which: ListName = visit.request.path_params["which"]
    text, _, _ = tidy(visit.request.scope["query_string"])
    query = read_query(text.encode(), _model(which))
    found = await _page(visit, which, query, 1, EXPORTED)
    name = f"afterdrop-{which}-{visit.now:%Y-%m-%d}.csv"
    return Response(
        csv_text(found.rows),
        media_type="text/csv",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
