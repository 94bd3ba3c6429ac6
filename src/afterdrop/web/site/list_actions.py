"""What is done with a list's rows: a file of them, following, comparing, checking; and the choice of its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.responses import Response

from afterdrop.accounts.store import change_account, list_columns
from afterdrop.catalogue.chosen_store import chosen
from afterdrop.catalogue.status import ListName
from afterdrop.desk import store as desk
from afterdrop.web.actions import domains
from afterdrop.web.actions.check_batches import read_names
from afterdrop.web.problems import Invalid
from afterdrop.web.site.forms import own_path, whole_number
from afterdrop.web.site.list_columns import COLUMNS, arranged, with_choice
from afterdrop.web.site.list_pages import EXPORTED, asked_of
from afterdrop.web.site.list_query import SiteQuery, query_string, tidy_query
from afterdrop.web.site.list_tabs import PATHS
from afterdrop.web.site.mark_pages import MOST_NAMES, csv_file
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_query

# A full page: what is followed at once.
MOST_FOLLOWED: Final = 100


async def export(request: SiteRequest) -> Response:
    """The list as CSV, in its order, at most 1,000 rows."""
    request.count("form")  # a whole file costs as much as a form
    which: ListName = request.http.path_params["which"]
    text, _, _ = tidy_query(request.http.scope["query_string"])
    query = read_query(text.encode(), SiteQuery)
    async with request.context.database.read() as conn:
        asked = await asked_of(conn, request, which, query)
    found = await domains.site_page(request, asked, 1, EXPORTED)
    return await _csv(request, which, found.rows)


async def _csv(request: SiteRequest, name: str, rows: Sequence[Mapping[str, Any]]) -> Response:
    async with request.context.database.read() as conn:
        marks = await desk.marks(conn, request.member.id, [row["domain"] for row in rows])
    return csv_file(request, name, rows, marks)


async def pick(request: SiteRequest) -> Response:
    """What a list does with the chosen rows (`d`): follow, compare, check, CSV, names; or with one row's star."""
    form = request.form
    for deed in ("follow", "unfollow"):
        if form.text(deed):
            return await _star(request, form.text(deed), deed == "follow")
    names, _ = read_names(form.all("d")[:MOST_NAMES], request.sale_zones)
    do = form.text("do")
    if do == "compare":
        return request.redirect("/compare?" + query_string({"d": ",".join(names)}))
    if do == "check":
        return request.redirect("/checks/bulk?" + query_string({"names": ",".join(names)}))
    if do == "names":
        return Response("".join(f"{name}\n" for name in names), media_type="text/plain")
    if do == "csv":
        async with request.context.database.read() as conn:
            found = await chosen(conn, names, request.viewer, request.now, request.context.links)
        return await _csv(request, "chosen", [row for name in names if (row := found.get(name))])
    if do == "follow":
        if len(names) > MOST_FOLLOWED:
            raise Invalid({"d": [f"follow at most {MOST_FOLLOWED} domains at once"]})
        await domains.watch_all(request, names)
    return _back(request)


async def _star(request: SiteRequest, name: str, follow: bool) -> Response:
    await (domains.watch if follow else domains.unwatch)(request, name)
    if request.part:
        return request.page("list_part.html", part="star", name=name, followed=follow)
    return _back(request)


def _back(request: SiteRequest) -> Response:
    return request.redirect(own_path(request.form.text("back"), "/domains"))


async def keep_columns(request: SiteRequest) -> Response:
    """Keep the account's choice and order of a list's columns; `do=reset` gives the default back."""
    form = request.form
    which: ListName = next((name for name in PATHS if name == form.text("list")), "live")
    places = {key: whole_number(form.text(f"at-{key}")) or len(COLUMNS) for key in COLUMNS}
    ticked = [] if form.text("do") == "reset" else arranged(form.all("c"), places)
    async with request.context.database.write() as conn:
        kept = await list_columns(conn, request.member.id)
        await change_account(conn, request.member.id, list_columns=with_choice(kept, which, ticked))
    return _back(request)
