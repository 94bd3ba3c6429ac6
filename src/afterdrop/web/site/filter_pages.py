"""Saved filters: kept from a list under a name, opened, deleted, and made into alert rules."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl

from starlette.responses import Response

from afterdrop.catalogue.status import ListName
from afterdrop.core.errors import AfterdropError
from afterdrop.desk import store
from afterdrop.desk.rules import FILTER_NAME_LENGTH, filter_name_of
from afterdrop.desk.store import SavedFilter
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.site.forms import own_path, whole_number
from afterdrop.web.site.list_query import SiteQuery, filter_words, filters_of, query_string, tidy_query
from afterdrop.web.site.list_tabs import PATHS
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_query

_OF_A_PAGE: Final = ("page", "per_page", "open")


def filter_values(saved: SavedFilter) -> dict[str, str]:
    """The members of a saved filter's query string."""
    return dict(parse_qsl(saved["query"], keep_blank_values=True))


def filter_path(saved: SavedFilter) -> str:
    """The address of the list with the filter."""
    return PATHS[saved["list"]] + (f"?{saved['query']}" if saved["query"] else "")


def query_of(saved: SavedFilter) -> SiteQuery:
    """The query that a saved filter holds. Raises Invalid for one that the lists cannot read any more."""
    return read_query(saved["query"].encode(), SiteQuery)


async def filters_page(request: SiteRequest) -> Response:
    """All saved filters."""
    return await _filters(request)


async def change_filters(request: SiteRequest) -> Response:
    """Save the filter of a list (`list`, `query`, `name`), or delete one (`delete`)."""
    form = request.form
    if form.text("delete"):
        text = "This cannot be undone. Alert rules made from it stay."
        if asked := request.ask_once("Delete this filter?", text, "Delete the filter"):
            return asked
        async with request.context.database.write() as conn:
            gone = await store.delete_filter(conn, request.member.id, whole_number(form.text("delete")))
        if not gone:
            raise not_found("This filter does not exist.")
        return request.redirect("/account/filters")
    try:
        which = _list_of(form.text("list"))
        query = _tidy(form.text("query"))
        name = filter_name_of(form.text("name") or _named(query))
        async with request.context.database.write() as conn:
            await store.save_filter(conn, request.member.id, name, (which, query), request.now)
    except AfterdropError as error:
        request.form = form.refused(error)
        return await _filters(request, error.status)
    return request.redirect(own_path(form.text("back"), "/account/filters"))


async def _filters(request: SiteRequest, status: int = 200) -> Response:
    async with request.context.database.read() as conn:
        found = await store.filters_of(conn, request.member.id)
    shown = [
        {
            "saved": each,
            "path": filter_path(each),
            "words": list(filter_words(_filters_in(each)).values()),
            "rule": _filters_in(each) if each["list"] == "live" else None,
        }
        for each in found
    ]
    return request.page("filters.html", status, filters=shown)


def _filters_in(saved: SavedFilter) -> dict[str, str]:
    return filters_of(filter_values(saved))


def _list_of(text: str) -> ListName:
    for name in PATHS:
        if name == text:
            return name
    raise Invalid({"form": ["does not name a list"]})


def _tidy(query: str) -> str:
    """The query string as a list's address has it, without what belongs to one page of it. Raises Invalid."""
    _, values, _ = tidy_query(query.encode("utf-8", "replace"))
    tidy = query_string({name: value for name, value in values.items() if name not in _OF_A_PAGE})
    read_query(tidy.encode(), SiteQuery)
    return tidy


def _named(query: str) -> str:
    words = ", ".join(filter_words(dict(parse_qsl(query))).values()) or "Everything"
    return words if len(words) <= FILTER_NAME_LENGTH else words[: FILTER_NAME_LENGTH - 1] + "…"
