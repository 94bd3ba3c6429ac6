"""The credits owed where link figures are shown without their report: on lists, the watchlist, previews, tools."""

from __future__ import annotations

from contextlib import suppress

from afterdrop.catalogue.attribution import credits_owed
from afterdrop.catalogue.rows import Attribution
from afterdrop.metrics.model import Role
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.webgraph.release import attribution
from afterdrop.webgraph.table_dir import open_table_dir, release_of


def credits_for(visit: SiteRequest, role: Role | None = None) -> list[Attribution]:
    """`{text, url}` of every provider asked here whose values the viewer may see, and of the link ranks' release.

    With `role` only of the providers that tell it. From the settings and a table's file name: nothing is queried.
    """
    operator = visit.viewer.operator
    owed = [
        spec.file.attribution.model_dump()
        for spec in visit.env.providers
        if spec.file.attribution
        and spec.configured
        and (operator or not spec.gated)
        and (role is None or role in spec.roles)
    ]
    if role is None:
        # a folder that cannot be looked into is the operator's matter, not the reader's
        with suppress(OSError):
            if file := open_table_dir(visit.env.settings).in_use():
                owed.append(attribution(release_of(file)))
    return credits_owed(owed, ())
