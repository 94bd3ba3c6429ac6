"""What an account's desk needs of the service: what is new in a list, what a page showed, how the sources are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from afterdrop.catalogue import store
from afterdrop.catalogue.filters import ListFilter, Order
from afterdrop.catalogue.lists import ListPage
from afterdrop.catalogue.snapshot_store import lives
from afterdrop.catalogue.summary import SiteRow
from afterdrop.db.outages import is_outage, outage
from afterdrop.desk import store as desk
from afterdrop.desk.rules import PageMemory
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.actions import domains
from afterdrop.web.actions.domains import Asked
from afterdrop.worker.health import sources_answered

# The names of one answer about drops: the best of very many.
MOST_DROPS: Final = 300


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """When the last scan finished, and how many of the sources answered when they were last asked."""

    scanned_at: datetime | None
    answered: int
    sources: int


async def source_health(request: AccountRequest) -> SourceHealth:
    """The state of the sources, in figures that name none of them."""
    async with request.context.database.read() as conn:
        scan = await store.last_finished_scan(conn)
        answered, sources = await sources_answered(conn)
    return SourceHealth(None if scan is None else scan["finished_at"], answered, sources)


async def new_in(request: AccountRequest, asked: Asked, since: datetime, most: int) -> ListPage[SiteRow]:
    """What a list has that was found since then, and how much of it there is."""
    first = since if asked.wanted.since is None else max(since, asked.wanted.since)
    return await domains.site_page(
        request, replace(asked, wanted=replace(asked.wanted, since=first)), 1, most
    )


def dropping(after: datetime, until: datetime) -> Asked:
    """The pending deletes that end after the one time and until the other, best score first."""
    wanted = ListFilter.of(types=["pending_delete"], ends_after=after, ends_before=until)
    return Asked("live", wanted, Order("score", descending=True))


async def lives_of(request: AccountRequest, rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The packed lives of those domains that the account sees in full, by name."""
    full = {row["domain"]: row.get("life") for row in rows if row["detail"] == "full"}
    found = {domain: life for domain, life in full.items() if life is not None}
    if len(found) < len(full):
        async with request.context.database.read() as conn:
            found |= await lives(conn, [domain for domain in full if domain not in found])
    return found


async def remember_page(request: AccountRequest, remembered: PageMemory) -> None:
    """Remember that the page was opened, too. It writes only where there is something new.

    While the database does not answer this is left out: the page has been sent.
    """
    if remembered.fresh is None:
        return
    try:
        async with request.context.database.write() as conn:
            await desk.record(conn, request.viewer.account_id, remembered.fresh, request.now)
    except sa.exc.SQLAlchemyError as error:
        if not is_outage(error):
            raise
        outage.failed(error)
