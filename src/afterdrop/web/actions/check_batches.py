"""Checks of many names: what they would cost, ordering them together, and how far they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from afterdrop.accounts.store import credit_balance
from afterdrop.catalogue.summary import Links
from afterdrop.checks.batch import (
    BatchItem,
    BatchOrder,
    CheckBatch,
    CostsMore,
    batch_of,
    cost_of,
    credits_text,
    order_batch,
    preview_batch,
)
from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import BadName
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.actions.checks import only_spending
from afterdrop.web.paths import path_batch_id
from afterdrop.web.problems import Invalid, not_found


@dataclass(frozen=True, slots=True)
class Preview:
    """What is known of each name, and the credits there are to pay for the rest."""

    items: Sequence[BatchItem]
    credits_available: int

    @property
    def cost(self) -> int:
        """The credits that an order takes."""
        return cost_of(self.items)


def read_names(texts: Sequence[str], sale_zones: tuple[str, ...]) -> tuple[list[str], dict[int, str]]:
    """Distinct registrable domains of domains, subdomains and URLs; by its place, what is wrong with any other text."""
    names, wrong = dict[str, None](), dict[int, str]()
    for place, text in enumerate(texts):
        try:
            names[domain_of_url(text, sale_zones)] = None
        except BadName as error:
            wrong[place] = error.message
    return list(names), wrong


def all_names(texts: Sequence[str], sale_zones: tuple[str, ...]) -> list[str]:
    """The same where every text must be right. Raises Invalid that names the others."""
    names, wrong = read_names(texts, sale_zones)
    if wrong:
        raise Invalid({"domains": [f"item {place + 1}: {message}" for place, message in wrong.items()]})
    return names


async def preview(request: AccountRequest, names: Sequence[str]) -> Preview:
    """What an order of these names would cost. Spends nothing."""
    async with request.context.database.read() as conn:
        items = await preview_batch(conn, request.viewer, names, request.now, _links(request))
        left = await credit_balance(
            conn, request.viewer.account_id, allowance=request.limits.checks_per_month, now=request.now
        )
    return Preview(items, left.available)


async def order(request: AccountRequest, names: Sequence[str], most_credits: int) -> CheckBatch:
    """Order the names for at most so many credits. Raises Invalid where they cost more, and NoChecksLeft."""
    if most_credits:
        only_spending(request)
    wanted = BatchOrder(request.viewer, names, most_credits, request.limits.checks_per_month)
    try:
        async with request.context.database.write() as conn:
            return await order_batch(conn, wanted, request.now, _links(request))
    except CostsMore as error:
        text = f"these names now cost {credits_text(error.cost)}, which is more than you agreed to"
        raise Invalid({"credits": [text]}) from None


async def batch(request: AccountRequest, batch_id: str) -> CheckBatch:
    """One of the account's batches with its checks as they are now. Raises `not_found`."""
    name = path_batch_id(batch_id)
    async with request.context.database.read() as conn:
        found = await batch_of(conn, request.viewer, name, request.now, _links(request))
    if found is None:
        raise not_found()
    return found


def _links(request: AccountRequest) -> Links:
    return request.context.links
