"""The lists that a database holds, read into memory for one question: rows written by hand are seen, too."""

from __future__ import annotations

from contextlib import aclosing

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import store
from afterdrop.catalogue.lists import snapshot_store
from afterdrop.catalogue.lists.filters import ListSelection
from afterdrop.catalogue.lists.pages import ListPage, page_of
from afterdrop.catalogue.lists.snapshot import Snapshot
from afterdrop.catalogue.shapes import Summary
from afterdrop.catalogue.summary import Links


async def snapshot_of(conn: AsyncConnection, links: Links) -> Snapshot:
    """The lists as they are stored."""
    made = Snapshot(links)
    async with aclosing(snapshot_store.all_rows(conn)) as every:
        async for rows in every:
            made.add(rows)
    made.show(await store.version(conn))
    return made


async def list_page(
    conn: AsyncConnection, selection: ListSelection, links: Links, *, page: int = 1, per_page: int = 25
) -> ListPage[Summary]:
    """One page of a list."""
    return page_of(await snapshot_of(conn, links), selection, page, per_page, Snapshot.summaries)
