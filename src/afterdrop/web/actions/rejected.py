"""The names that scans rejected, for whoever may see reports. The operator can switch them off."""

from __future__ import annotations

from collections.abc import Sequence

from afterdrop.catalogue.rejections import (
    RejectedFilter,
    RejectedSummary,
    rejected_among,
    rejected_list,
    tells_rejected,
)
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.problems import not_found, plan_required

PART_OF_PRO = "The rejected names are part of Pro."


async def rejected(
    request: AccountRequest, wanted: RejectedFilter, *, page: int, per_page: int
) -> tuple[Sequence[RejectedSummary], int]:
    """A page of the rejected names, and how many there are. Raises `not_found`, `plan_required`."""
    if not request.context.settings.site.rejected_names:
        raise not_found("The rejected names are not shown here.")
    if not is_told(request):
        raise plan_required(PART_OF_PRO)
    async with request.context.database.read() as conn:
        return await rejected_list(conn, wanted, page=page, per_page=per_page)


def is_told(request: AccountRequest) -> bool:
    """Whether whoever asks is told what was rejected."""
    return tells_rejected(request.viewer, request.context.settings)


async def why_rejected(request: AccountRequest, domain: str) -> RejectedSummary | None:
    """Why a name (A-labels) was rejected; None where it was not, or where the account is not told."""
    if not is_told(request):
        return None
    async with request.context.database.read() as conn:
        return (await rejected_among(conn, [domain])).get(domain)
