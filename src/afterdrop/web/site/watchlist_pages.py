"""The watchlist: followed names as a list of their own, and those on no list with what their registries say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from starlette.responses import Response

from afterdrop.accounts.store import list_columns
from afterdrop.catalogue.availability.store import StateRow
from afterdrop.catalogue.drops import due
from afterdrop.catalogue.lists.columns import SORTED_BY
from afterdrop.catalogue.lists.criteria import facts_of
from afterdrop.catalogue.lists.sort_orders import Order, orders_of
from afterdrop.catalogue.shapes import SiteRow
from afterdrop.catalogue.status import BECAME
from afterdrop.core.errors import AfterdropError
from afterdrop.core.plan_limits import MOST_UNLISTED
from afterdrop.watching import desk_store as desk
from afterdrop.watching import store, takeovers, watchlist
from afterdrop.watching.criteria import matches, restricting
from afterdrop.watching.desk_rules import DECISIONS
from afterdrop.web.actions import watching
from afterdrop.web.actions.checks import names_of_file, pasted_names, read_names
from afterdrop.web.actions.lists import attributions_for, lives_of
from afterdrop.web.problems import Invalid, Problem
from afterdrop.web.responses import page_meta
from afterdrop.web.schemas.rules import NewRule
from afterdrop.web.site import labels
from afterdrop.web.site.forms import validated
from afterdrop.web.site.list_query import (
    SiteQuery,
    filters_of,
    query_string,
    rule_members,
    tidy_query,
    unkept_filters,
)
from afterdrop.web.site.list_rows import COLUMNS, RowAnnotations, columns_of, hunt_row
from afterdrop.web.site.mark_pages import PER_PAGE, csv_file
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.site.templates import day
from afterdrop.web.site.typed_query import typed_query
from afterdrop.web.strict_input import path_domain, read_query

PATH: Final = "/account/watchlist"
# What the address says of the form before.
_DONE: Final = ("unfollowed", "followed")
_TOLD: Final = 10


class WatchlistQuery(SiteQuery):
    """The query string of the watchlist: a list's, the page of names on no list, and what was just done."""

    unfollowed: str = ""
    followed: int = 0


async def watchlist_page(request: SiteRequest) -> Response:
    """The followed names of the lists, filtered and sorted as a list is; then those on no list."""
    text, values, changed = tidy_query(request.http.scope["query_string"])
    if changed:
        return request.redirect(f"{PATH}?{text}")
    return await _watchlist(request, values)


async def follow(request: SiteRequest) -> Response:
    """Follow the names that somebody wrote or sent as a file, on the lists or not.

    Where some are none, they are named, and the others are followed once that is confirmed (`do=rest`).
    """
    form = request.form
    texts = [*pasted_names(form.text("names"), MOST_UNLISTED), *names_of_file(form.raw("file"))]
    names, wrong = read_names(texts, request.sale_zones)
    try:
        if wrong and (form.text("do") != "rest" or not names):
            faults = [f"“{texts[place][:80]}”: {message}" for place, message in wrong.items()]
            more = [f"{len(faults) - _TOLD} more"] if len(faults) > _TOLD else []
            raise Invalid({"names": [*faults[:_TOLD], *more]})
        if not names:
            raise Invalid({"names": ["write at least one name"]})
        done = await watching.follow(request, names)
    except AfterdropError as error:
        request.form = form.refused(error, "names")
        request.form.values["names"] = ["\n".join(texts)]
        return await _watchlist(request, {}, error.status, len(names) if wrong else 0)
    return request.redirect(f"{PATH}?followed={done['followed']}")


async def watchlist_file(request: SiteRequest) -> Response:
    """The watchlist as CSV, with tags and notes."""
    request.count("form")  # a whole file costs as much as a form
    async with request.context.database.read() as conn:
        rows = await watchlist.watchlist(conn, request.viewer, request.now, request.context.links)
        marks = await desk.marks(conn, request.member.id)
    return csv_file(request, "watchlist", rows, marks)


async def _watchlist(
    request: SiteRequest, values: Mapping[str, str], status: int = 200, rest: int = 0
) -> Response:
    """The page with a query; `rest` is how many names of a refused form can be followed."""
    query = read_query(query_string(values).encode(), WatchlistQuery)

    def here(**changes: str | int | None) -> str:
        merged = {**values, **dict.fromkeys(_DONE), **changes}
        kept = {name: value for name, value in merged.items() if value is not None}
        return f"{PATH}?{query_string(kept)}" if kept else PATH

    every = await watching.watched_rows(request)
    rows = _sorted(_filtered(every, query), query)
    async with request.context.database.read() as conn:
        names = [row["domain"] for row in rows]
        marks = await desk.marks(conn, request.member.id, names)
        states = await watchlist.registry_states(conn, request.viewer, names)
        total = await store.count_watches(conn, request.member.id)
        unlisted = await watchlist.unlisted(conn, request.viewer, PER_PAGE, (query.page - 1) * PER_PAGE)
        shown = [*names, *(name for name, _ in unlisted)] if request.plan == "pro" else []
        visits = await takeovers.stands_at(conn, request.member.id, shown)
        columns = columns_of(await list_columns(conn, request.member.id), "live")
    stands = {name: labels.AFTER_LIVES[row["kind"] or "unclear"] for name, row in visits.items()}
    kept = RowAnnotations(
        await lives_of(request, rows), names, marks, (), _stages(request, rows, states), stands
    )
    became = [row["outcome"]["became"] for row in every if row["outcome"]]
    return request.page(
        "watchlist.html",
        status,
        rows=[hunt_row(row, kept, request.now, "") for row in rows],
        columns=[*columns, *(COLUMNS[key] for key in ("outcome", "tags") if COLUMNS[key] not in columns)],
        orders=orders_of("live", query.order() or Order("ends", descending=False)),
        sorted=query.sort is not None,
        here=here,
        filters={
            name: value for name, value in filters_of(values).items() if name not in (*_DONE, "outcome")
        },
        hidden={name: value for name, value in values.items() if name not in (*_DONE, "q", "page")},
        outcome=values.get("outcome"),
        unread=typed_query(values.get("q", "")).unread,
        credits=attributions_for(request),
        unfollowed=_unfollowed(request, query),
        followed=query.followed,
        rest=rest,
        watched=len(every),
        unlisted=unlisted,
        stands=stands,
        meta=page_meta(total - len(every), query.page, PER_PAGE),
        most_unlisted=watchlist.most_unlisted(request.viewer, request.limits),
        stages=labels.STAGES,
        counts={what: became.count(what) for what in BECAME if what in became},
        decisions=DECISIONS,
    )


def _filtered(rows: Sequence[SiteRow], query: WatchlistQuery) -> list[SiteRow]:
    """The rows that pass the filters, which are those of alert rules, and what became of a name.

    A row whose figures the reader does not see in full passes none. Raises Invalid for other filters.
    """
    outcomes = query.asked().get("outcome", ())
    found = [row for row in rows if not outcomes or (row["outcome"] and row["outcome"]["became"] in outcomes)]
    others = query.model_copy(update={"outcome": ()})
    if unkept := unkept_filters(others):
        raise Invalid({"q": [f"the watchlist cannot be filtered by: {', '.join(unkept)}"]})
    criteria = restricting(validated({**rule_members(others), "name": "watchlist"}, NewRule).model_dump())
    if not criteria:
        return found
    return [row for row in found if row["detail"] == "full" and matches(criteria, facts_of(row))]


def _sorted(rows: list[SiteRow], query: WatchlistQuery) -> list[SiteRow]:
    """The rows in the order that was asked for; those without a value come last. Without one the soonest end first."""
    if query.sort is None:
        return rows
    for order in reversed(orders_of("live", query.order())):
        known = [(value, row) for row in rows if (value := _value(order.column, row)) is not None]
        known.sort(key=lambda each: each[0], reverse=order.descending)
        rows = [row for _, row in known] + [row for row in rows if _value(order.column, row) is None]
    return rows


def _value(column: str, row: SiteRow) -> Any:
    """The value by which a row is sorted; None where it has no such value, or its reader does not see it."""
    beside = {"ends": due(row["listing"]), "name": row["domain"], "found": row["found_at"]}
    known = SORTED_BY[column]
    if known.fact is None:
        return beside[column]
    return None if known.full and row["detail"] != "full" else known.fact(row)


def _stages(request: SiteRequest, rows: Sequence[SiteRow], states: Mapping[str, StateRow]) -> dict[str, str]:
    """The registries' states of ended names whose outcome the reader may know, by name."""
    told = {}
    for row in rows:
        state = states.get(row["domain"]) if row["outcome"] else None
        if state and state["stage"]:
            since = (state["registered_at"] if state["stage"] == "active" else None) or state["since"]
            on = f" since {day(since, request.zone)}" if since else ""
            told[row["domain"]] = labels.STAGES[state["stage"]] + on
    return told


def _unfollowed(request: SiteRequest, query: WatchlistQuery) -> str:
    """The domain that is no longer followed since the request before; empty for none."""
    with suppress(Problem):
        return path_domain(query.unfollowed, request.sale_zones) if query.unfollowed else ""
    return ""
