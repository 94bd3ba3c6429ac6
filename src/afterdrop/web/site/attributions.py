"""The attributions owed where link figures are shown outside a report: on lists, the watchlist, previews, tools."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from afterdrop.catalogue.attribution import credits_owed
from afterdrop.metrics.model import Role
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.webgraph.release import attribution
from afterdrop.webgraph.table_dir import open_table_dir, release_of


def attributions_for(request: SiteRequest, role: Role | None = None) -> list[dict[str, Any]]:
    """`{text, url}` of every configured provider whose values the viewer may see, and of the release of link ranks.

    With `role` only of the providers that give it. It reads the settings and a file's name, and queries nothing.
    """
    operator = request.viewer.operator
    owed = [
        spec.file.attribution.model_dump()
        for spec in request.context.providers
        if spec.file.attribution
        and spec.configured
        and (operator or not spec.gated)
        and (role is None or role in spec.roles)
    ]
    if role is None:
        # A folder that cannot be read is the operator's matter, not the reader's.
        with suppress(OSError):
            if file := open_table_dir(request.context.settings).in_use():
                owed.append(attribution(release_of(file)))
    return credits_owed(owed, ())
