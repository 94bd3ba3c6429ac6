"""Domain checks: ordering one or many for their cost, listing and reading those of an account."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from afterdrop.accounts.store import credit_balance
from afterdrop.checks import store
from afterdrop.checks.batch import (
    BatchItem,
    BatchOrder,
    CheckBatch,
    CheckFigures,
    CostsMore,
    batch_of,
    cost_of,
    credits_text,
    figures,
    order_batch,
    preview_batch,
)
from afterdrop.checks.order import (
    CheckDetail,
    CheckJson,
    CheckOrder,
    check_detail,
    check_json,
    order_check,
    reusable_check,
)
from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import BadName
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.problems import Invalid, not_found, out_of_scope
from afterdrop.web.strict_input import path_batch_id, path_check_id

# Characters that stand between pasted names; none of them can be in a name or an address.
_DOTS: Final = frozenset(".。．｡")
_BETWEEN: Final = re.compile(r"[\s,;|\"'<>]+")
# The best first: beside a column of domains, one of addresses or names has something else.
_HEADINGS: Final = (
    "domain", "domains", "domain name", "domain names", "host", "hostname", "name", "names", "url", "address",
)  # fmt: skip
# In an address, `#` follows a character of it; a heading may be the sign alone.
_COMMENT: Final = re.compile(r"(?:^|\s)#(?![,;\t])")
_MOST: Final = 5000


def only_spending(request: AccountRequest) -> None:
    """Let pass who may spend credits. Raises 403."""
    if request.scope == "no_spending":
        raise out_of_scope("This API key is not allowed to spend check credits.")


async def order(request: AccountRequest, domain: str) -> CheckOrder:
    """Order a check of a registrable domain, or give the one of the last 7 days back. Raises NoChecksLeft."""
    account_id = request.viewer.account_id
    # A client that polls by ordering again and again costs no write transaction.
    async with request.context.database.read() as conn:
        earlier = await reusable_check(conn, account_id, domain, request.now)
    if earlier is not None:
        return CheckOrder(earlier)
    only_spending(request)
    async with request.context.database.write() as conn:
        return await order_check(
            conn, account_id, domain, allowance=request.limits.checks_per_month, now=request.now
        )


async def list_checks(request: AccountRequest, page: int, per_page: int) -> tuple[Sequence[CheckJson], int]:
    """One page of the account's checks, newest first, and how many there are in all."""
    account_id = request.viewer.account_id
    async with request.context.database.read() as conn:
        total = await store.count_checks(conn, account_id)
        rows = await store.checks_of(conn, account_id, page=page, per_page=per_page)
    return [check_json(row, request.context.settings.site_url) for row in rows], total


async def get_check(request: AccountRequest, check_id: str) -> CheckDetail:
    """One of the account's checks with everything it found. Raises `not_found`."""
    async with request.context.database.read() as conn:
        row = await store.check_row(conn, request.viewer.account_id, path_check_id(check_id))
    if row is None:
        raise not_found()
    return check_detail(row, request.context.settings.site_url)


@dataclass(frozen=True, slots=True)
class Preview:
    """The known results of names, and the credits there are to pay for the rest."""

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


async def preview_names(request: AccountRequest, names: Sequence[str]) -> Preview:
    """The cost of an order of these names. Spends nothing."""
    async with request.context.database.read() as conn:
        items = await preview_batch(conn, request.viewer, names, request.now, request.context.settings)
        left = await credit_balance(
            conn, request.viewer.account_id, allowance=request.limits.checks_per_month, now=request.now
        )
    return Preview(items, left.available)


async def order_names(request: AccountRequest, names: Sequence[str], most_credits: int) -> CheckBatch:
    """Order the names for at most so many credits. Raises Invalid where they cost more, and NoChecksLeft."""
    if most_credits:
        only_spending(request)
    wanted = BatchOrder(request.viewer, names, most_credits, request.limits.checks_per_month)
    try:
        async with request.context.database.write() as conn:
            return await order_batch(conn, wanted, request.now, request.context.settings)
    except CostsMore as error:
        text = f"these names now cost {credits_text(error.cost)}, which is more than you agreed to"
        raise Invalid({"credits": [text]}) from None


async def get_batch(request: AccountRequest, batch_id: str) -> CheckBatch:
    """One of the account's batches with its checks as they are now. Raises `not_found`."""
    name = path_batch_id(batch_id)
    async with request.context.database.read() as conn:
        batch = await batch_of(conn, request.viewer, name, request.now, request.context.settings)
    if batch is None:
        raise not_found()
    return batch


async def batch_figures(request: AccountRequest, batch: CheckBatch) -> dict[str, CheckFigures]:
    """The figures of the finished checks of a batch, by their ids."""
    async with request.context.database.read() as conn:
        ids = [item.check["id"] for item in batch.items if item.check]
        return await figures(conn, request.viewer.account_id, ids)


def pasted_names(text: str, most: int = _MOST) -> list[str]:
    """The pieces of a pasted text that are meant as names, at most so many."""
    pieces: list[str] = []
    for line in text.splitlines():
        words = [word for word in _BETWEEN.split(line) if word]
        # A line without a dot is one thing that is no name, not as many as it has words.
        pieces += words if _DOTS & {*line} else filter(None, [" ".join(words)])
    return pieces[:most]


def names_of_file(text: str) -> list[str]:
    """The cells that are meant as names in a text file; see `cells_of_names`."""
    return [cell for _, cell in cells_of_names(text)]


def cells_of_names(text: str, most: int = _MOST) -> list[tuple[int, str]]:
    """The cells that are meant as names in a text file, at most so many, each with the number of its line.

    In a table that is the column whose heading says so, else the first one. Without a heading, and with nothing but
    names in its lines, a text is a list: of all of them. Text after # is a comment there.
    """
    rows = list(_rows(text.removeprefix("\ufeff"), most))
    headings = [cell.casefold().rstrip(":").replace("_", " ") for cell in rows[0][1]] if rows else []
    heading = next((heading for heading in _HEADINGS if heading in headings), None)
    if heading is not None:
        column = headings.index(heading)
        named = [(number, row[column : column + 1]) for number, row in rows[1:]]
    else:
        named = [(number, pasted_names(_told(" ".join(row)))) for number, row in rows]
        if not all(_looks_named(later, names[0]) for _, names in named for later in names[1:]):
            named = [(number, [_told(cell) for cell in row[:1]]) for number, row in rows]
    return [(number, name) for number, names in named for name in names if name][:most]


def _told(text: str) -> str:
    return _COMMENT.split(text, maxsplit=1)[0].strip()


def _looks_named(text: str, first: str) -> bool:
    """Whether a text after the first of its line is a name, too: an address only where that is one."""
    scheme, whole, rest = text.partition("://")
    host = re.split(r"[/?#:]", rest if whole else scheme, maxsplit=1)[0].rstrip(".")
    top = host.rpartition(".")[2]
    return top != host and (top.isalpha() or top.startswith("xn--")) and (not whole or "://" in first)


def _rows(text: str, most: int) -> Iterator[tuple[int, list[str]]]:
    told = ((number, line) for number, line in enumerate(text.splitlines(), 1) if _told(line))
    lines = list(islice(told, most + 1))
    head = lines[0][1] if lines else ""
    reader = csv.reader((line for _, line in lines), delimiter=max(("\t", ";", ","), key=head.count))
    try:
        for row in reader:
            yield lines[reader.line_num - 1][0], [cell.strip() for cell in row]
    except csv.Error:
        return
