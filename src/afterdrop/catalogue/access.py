"""What a viewer may see of a domain: the one predicate behind lists, report, pages, watchlist and MCP. Pure.

`full`: everything. `basic`: the summary without Trust Flow. `locked`: the domain is listed, but part of Pro.
`hidden`: for this viewer it is not on the list.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from afterdrop.accounts.plans import Viewer
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.status import is_live

Access = Literal["full", "basic", "locked", "hidden"]


def access(row: SummaryRow, viewer: Viewer, now: datetime) -> Access:
    """What `viewer` may see at `now` of the domain with this row (from `store.audience_view`)."""
    if row["removed_at"] is not None or (row["gated"] and not viewer.operator):
        return "hidden"
    if viewer.plan == "pro" or row["open_now"]:
        return "full"
    return "locked" if is_live(row["live_until"], now) else "basic"


def sees_availability(row: SummaryRow, viewer: Viewer) -> bool:
    """Only Pro learns that a domain is available; free callers learn it of domains that were open on some date.

    What became of a domain is told to the same callers: what became of the others would show which are available.
    """
    return viewer.plan == "pro" or row["last_open_on"] is not None
