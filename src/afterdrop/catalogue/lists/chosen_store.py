"""Rows of names that a viewer or somebody else chose, as the viewer may see them: of a share link, or with a tag."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final, cast

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.shapes import SiteRow
from afterdrop.catalogue.store import on_list, summary_select
from afterdrop.catalogue.summary import Links, access, site_row
from afterdrop.db.tables.catalogue import domains

_AT_ONCE: Final = 500


async def chosen(
    conn: AsyncConnection, names: Collection[str], viewer: Viewer, now: datetime, links: Links
) -> dict[str, SiteRow]:
    """The summaries of those names that a list shows this viewer.

    A name that is part of Pro is left out like one that is not listed: whoever pastes many names must not learn from
    it which of them the Pro list has. Unlike `store.summaries` this keeps nothing because somebody watches it.
    """
    wanted = sorted(set(names))
    found: dict[str, SiteRow] = {}
    for at in range(0, len(wanted), _AT_ONCE):
        some = summary_select().where(domains.c.domain.in_(wanted[at : at + _AT_ONCE]))
        for mapping in (await conn.execute(some.where(on_list()))).mappings():
            row = cast(SummaryRow, dict(mapping))
            if access(row, viewer, now) != "locked":
                found[row["domain"]] = site_row(row, viewer, now, links)
    return found
