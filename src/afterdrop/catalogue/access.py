"""What a viewer may see of a domain: the one predicate behind lists, report, pages, watchlist and MCP. Pure.

`full`: everything. `basic`: the summary without Trust Flow. `locked`: it is there, but part of Pro.
`hidden`: for this viewer it is not on the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from afterdrop.accounts.plans import Viewer
from afterdrop.catalogue.status import is_live

Access = Literal["full", "basic", "locked", "hidden"]


def access(row: Mapping[str, Any], viewer: Viewer, now: datetime) -> Access:
    """What `viewer` may see at `now` of the domain whose row (as `queries.shown` gives it) this is."""
    if row["removed_at"] is not None or (row["gated"] and not viewer.operator):
        return "hidden"
    if viewer.plan == "pro" or row["open_now"]:
        return "full"
    return "locked" if is_live(row["live_until"], now) else "basic"


def sees_availability(row: Mapping[str, Any], viewer: Viewer) -> bool:
    """That a domain is available is a Pro fact; free callers learn it of domains that were open on some date."""
    return viewer.plan == "pro" or row["last_open_on"] is not None
