"""The report of a listed domain and its revival kit."""

from __future__ import annotations

from collections.abc import Sequence

from afterdrop.catalogue import store
from afterdrop.catalogue.kit_shapes import PageJson
from afterdrop.catalogue.shapes import BasicReport, FullReport
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.problems import not_found, plan_required
from afterdrop.web.strict_input import path_domain

NOT_LISTED = "The domain is not on the list."
LOCKED = "This domain is on the Pro list."


async def report(request: AccountRequest, domain: str) -> FullReport | BasicReport:
    """The report of a listed domain; its `detail` says how much of it. Raises `not_found`, `plan_required`."""
    name = path_domain(domain, request.sale_zones)
    async with request.context.database.read(single=True) as conn:
        access, report = await store.report(conn, name, request.viewer, request.now, request.context.links)
    if access == "locked":
        raise plan_required(LOCKED)
    if report is None:
        raise not_found(NOT_LISTED)
    return report


async def revival_kit(
    request: AccountRequest, domain: str, *, page: int, per_page: int, content: bool, era: int | None = None
) -> tuple[Sequence[PageJson], int]:
    """One page of a listed domain's archived pages, of one owner with `era`, and how many there are in all.

    With `content` also their text. Raises `not_found`, `plan_required`.
    """
    name = path_domain(domain, request.sale_zones)
    async with request.context.database.read() as conn:
        seen = await store.visible_domain(conn, name, request.viewer, request.now)
        if seen is None:
            raise not_found(NOT_LISTED)
        if seen.access != "full":
            raise plan_required("The revival kit of this domain is part of Pro.")
        return await store.pages(
            conn, name, request.context.links, page=page, per_page=per_page, content=content, era=era
        )
