"""The three lists: one page, a whole list, totals, what is new or dropping, and the notes and credits beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from afterdrop.catalogue.attribution import credits_owed
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.comparisons import Days
from afterdrop.catalogue.lists.filters import EVERYTHING, ListFilter, ListSelection
from afterdrop.catalogue.lists.pages import SITE_ROWS, ListPage, Row
from afterdrop.catalogue.lists.snapshot_store import lives
from afterdrop.catalogue.lists.sort_orders import Order, Sort
from afterdrop.catalogue.lists.wider import Wider, wider
from afterdrop.catalogue.shapes import AttributionJson, SiteRow, Summary
from afterdrop.catalogue.status import ListName
from afterdrop.sources.metrics.model import Role
from afterdrop.sources.webgraph.release import attribution
from afterdrop.sources.webgraph.table_dir import open_table_dir, release_of
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.responses import page_meta

# The names of one answer about drops: the best of very many.
MOST_DROPS: Final = 300
# What a free list shows of the Pro list.
MASKED: Final = 5


def selection(
    request: AccountRequest,
    which: ListName,
    wanted: ListFilter = EVERYTHING,
    sort: Sort | Order | Sequence[Order] | None = None,
) -> ListSelection:
    """One of the three lists as the account asks for it now; without a `sort` in the list's default order."""
    fees = request.context.links.fees
    return ListSelection(ListContext(which, request.viewer, request.now, fees), wanted, sort)


async def visible_totals(request: AccountRequest, asked: Sequence[ListSelection]) -> list[int | None]:
    """The same for people: None where the number is part of Pro, because what a plan does not show is not 0."""
    totals = await request.context.lists.totals(asked)
    if request.viewer.plan == "pro":
        return [*totals]
    unseen = {
        at: each.as_pro()
        for at, (each, total) in enumerate(zip(asked, totals, strict=True))
        if not total and each.tells_locked
    }
    locked = dict(zip(unseen, await request.context.lists.totals(list(unseen.values())), strict=True))
    return [
        # Of outcomes even a number above 0 counts a part only, which no list of theirs tells.
        None
        if each.wanted.get("outcome")
        else visible_total(request, each, ListPage([], total, locked.get(at)))
        for at, (each, total) in enumerate(zip(asked, totals, strict=True))
    ]


def visible_total(request: AccountRequest, asked: ListSelection, page: ListPage[Row]) -> int | None:
    """How much a list has, for people; None where nothing is seen of it, and what there is is part of Pro."""
    hidden = page.locked or asked.wanted.needs_full or asked.wanted.get("outcome")
    return None if request.viewer.plan == "free" and not page.total and hidden else page.total


async def wider_lists(
    request: AccountRequest, asked: ListSelection, most: int = 5
) -> list[tuple[Wider, int]]:
    """The ways to widen an empty list by one filter, and how much each finds: closest to what was asked for first."""
    ways = wider(asked.wanted)
    totals = await request.context.lists.totals([replace(asked, wanted=way.wanted) for way in ways])
    return [(way, total) for way, total in zip(ways, totals, strict=True) if total][:most]


async def new_in(
    request: AccountRequest, asked: ListSelection, since: datetime, most: int
) -> ListPage[SiteRow]:
    """The rows of a list that were found since then, and how many there are."""
    first = max(since, asked.wanted.get("since") or since)
    newer = replace(asked, wanted=asked.wanted.changed(since=first))
    return await request.context.lists.page(newer, 1, most, SITE_ROWS)


def dropping(request: AccountRequest, days: Days) -> ListSelection:
    """The pending deletes that begin to drop on these days, best score first."""
    return selection(request, "live", ListFilter.of(drops_on=days), Order("score", descending=True))


async def lives_of(request: AccountRequest, rows: Iterable[Summary]) -> dict[str, str]:
    """The packed lives of those domains that the account sees in full, by name."""
    full = {row["domain"]: row.get("life") for row in rows if row["detail"] == "full"}
    packed = {domain: life for domain, life in full.items() if isinstance(life, str)}
    if len(packed) < len(full):
        async with request.context.database.read() as conn:
            packed |= await lives(conn, [domain for domain in full if domain not in packed])
    return packed


def list_meta(
    request: AccountRequest, asked: ListSelection, paging: tuple[int, int], page: ListPage[Row]
) -> dict[str, str | int]:
    """The `meta` of a page of a list."""
    plan, wanted = request.viewer.plan, asked.wanted
    meta: dict[str, str | int] = {"list": asked.at.which, **page_meta(page.total, *paging)}
    meta["plan"] = plan
    if page.locked is not None:
        meta["locked"] = page.locked
        meta["locked_note"] = locked_note(page.locked, trust_flow=wanted.needs_full)
    note = filter_note(request, wanted, page)
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
    "Outcomes of ended domains are part of Pro: on the free plan this filter matches only domains that were open "
    "on some day."
)


def filter_note(request: AccountRequest, wanted: ListFilter, page: ListPage[Row]) -> str | None:
    """The note to free callers on filters that are part of Pro; on Trust Flow, where no `locked` explains itself."""
    notes = [_OF_TRUST_FLOW] if wanted.needs_full and page.locked is None else []
    notes += [_OF_OUTCOMES] if wanted.get("outcome") else []
    return " ".join(notes) if notes and request.viewer.plan == "free" else None


def attributions_for(request: AccountRequest, role: Role | None = None) -> list[AttributionJson]:
    """`{text, url}` of every configured provider whose values the viewer may see, and of the release of link ranks.

    With `role` only of the providers that give it. It reads the settings and a file's name, and queries nothing.
    """
    owed = [
        spec.file.attribution.model_dump()
        for spec in request.context.providers
        if spec.file.attribution and spec.configured and (role is None or role in spec.roles)
    ]
    if role is None:
        # A folder that cannot be read is the operator's matter, not the reader's.
        with suppress(OSError):
            if file := open_table_dir(request.context.settings).in_use():
                owed.append(attribution(release_of(file)))
    return credits_owed(owed, ())
