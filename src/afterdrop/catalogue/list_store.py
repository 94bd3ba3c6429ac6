"""The SQL of the three lists: which rows a list has for a viewer, in which order, and how many.

`ListSelection` follows the same rules as `access`, `status` and `filters` do for one summary; a property test holds
them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.catalogue.filters import ListFilter, Order, Sort, order_of
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.status import AUCTIONS, ListName
from afterdrop.catalogue.store import audience_view, ended, live, on_list, summary_select
from afterdrop.db.dialects import Among
from afterdrop.db.tables.catalogue import domains

_PLAIN_COLUMNS: Final = {
    "score": "score",
    "dr": "domain_rating",
    "ref_domains": "referring_domains",
    "years": "archive_years",
    "found": "found_at",
    "name": "domain",
}


@dataclass(frozen=True, slots=True)
class ListSelection:
    """The SQL of one list as one viewer asks for it at `now`. `fees` are registration fees by extension.

    Without a `sort` the list has its default order.
    """

    which: ListName
    wanted: ListFilter
    viewer: Viewer
    now: datetime
    fees: Mapping[str, int] = field(default_factory=dict)
    sort: Sort | Order | None = None

    @property
    def pro(self) -> bool:
        """Whether the viewer's plan is Pro."""
        return self.viewer.plan == "pro"

    @property
    def tells_locked(self) -> bool:
        """Whether the viewer is told how many more rows the Pro list holds.

        Not where that would tell what became of a name that was asked for.
        """
        wanted = self.wanted
        named = wanted.q is not None or wanted.only is not None or bool(wanted.without)
        return self.viewer.plan == "free" and self.which != "archive" and not named

    @property
    def table(self) -> sa.FromClause:
        """The catalogue as the viewer's audience sees it."""
        return audience_view(self.viewer.operator)

    def page(self, page: int, per_page: int) -> sa.Select[Any]:
        """One page of rows, in order."""
        table = self.table
        chosen = summary_select(table).where(*self.where(table)).order_by(*self._order(table))
        return chosen.limit(per_page).offset((page - 1) * per_page)

    def count(self) -> sa.Select[int]:
        """How many rows there are on all pages."""
        table = self.table
        return sa.select(sa.func.count()).select_from(table).where(*self.where(table))

    def count_locked(self) -> sa.Select[int]:
        """How many more rows the Pro list holds. The Trust Flow filter does not count: free callers cannot use it."""
        table = self.table
        wanted = self.wanted.without_trust_flow()
        as_pro = replace(self, viewer=replace(self.viewer, plan="pro"), wanted=wanted)
        hidden = table.c.open_now.is_(False) if self.which == "live" else table.c.last_open_on.is_(None)
        return sa.select(sa.func.count()).select_from(table).where(*as_pro.where(table), hidden)

    def where(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        """Everything a row must meet to be on the list."""
        return [
            on_list(table, self.viewer.operator),
            *self._membership(table),
            *self._figures(table),
            *self._words(table),
            *self._times(table),
        ]

    def _membership(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        if self.which == "live":
            return (
                [live(table, self.now)] if self.pro else [live(table, self.now), table.c.open_now.is_(True)]
            )
        if self.which == "available":
            return [ended(table, self.now), self._available(table)]
        return [ended(table, self.now)]

    def _available(self, table: sa.FromClause) -> sa.ColumnElement[bool]:
        announced = table.c.announced.is_(True)
        return announced if self.pro else sa.and_(announced, table.c.last_open_on.is_not(None))

    def _figures(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        wanted, row, bids = self.wanted, table.c, self._bids(table)
        least = (
            (row.score, wanted.min_score),
            (row.domain_rating, wanted.min_dr),
            (row.trust_flow, wanted.min_tf),
            (row.citation_flow, wanted.min_cf),
            (row.referring_domains, wanted.min_ref_domains),
            (row.archive_years, wanted.min_archive_years),
            (bids, wanted.min_bids),
        )
        found = [column >= bound for column, bound in least if bound is not None]
        if wanted.max_bids is not None:
            found.append(bids <= wanted.max_bids)
        if wanted.needs_full and not self.pro:
            found.append(row.open_now.is_(True))
        if wanted.max_price is not None:
            price = self._price(table)
            cheap = price <= wanted.max_price
            found.append(sa.or_(price.is_(None), cheap) if wanted.unpriced else cheap)
        return found

    def _words(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        wanted, row = self.wanted, table.c
        chosen = (
            (row.tld, wanted.tlds),
            (row.type, wanted.types),
            (row.topic, wanted.topics),
            (row.language, wanted.langs),
            (row.source, wanted.sources),
        )
        found: list[sa.ColumnElement[bool]] = [
            column.in_(sorted(values)) for column, values in chosen if values
        ]
        if wanted.outcomes:
            found.append(self._outcome(table).in_(sorted(wanted.outcomes)))
        if wanted.clean:
            found += [row.verdict == "ok", row.flag_count == 0]
        if wanted.only is not None:
            found.append(Among(row.domain, wanted.only))
        if wanted.without:
            found.append(sa.not_(Among(row.domain, wanted.without)))
        if wanted.q is not None:
            found.append(_contains(row.search, wanted.q))
        return found

    def _times(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        wanted, row = self.wanted, table.c
        found: list[sa.ColumnElement[bool]] = []
        if wanted.since is not None:
            found.append(row.found_at >= wanted.since)
        if wanted.min_age is not None:
            found.append(row.archive_first_year <= self.now.year - wanted.min_age)
        window = wanted.window(self.now)
        if window is not None:
            found += [live(table, self.now), row.ends_at > window[0], row.ends_at <= window[1]]
        if wanted.drops_on is not None:
            found.append(row.type == "pending_delete")
        return found

    def _outcome(self, table: sa.FromClause) -> sa.ColumnElement[str]:
        """What `status.became` says; null of a live domain, and where the viewer may not know it."""
        row = table.c
        kept = sa.and_(row.resolved_at.is_not(None), row.availability == "registered")
        sold = sa.and_(row.type.in_(sorted(AUCTIONS)), row.bids > 0)
        untold = live(table, self.now)
        if not self.pro:
            untold = sa.or_(untold, row.last_open_on.is_(None))
        return sa.case(
            (untold, sa.null()),
            (row.announced.is_(True), "free"),
            (row.caught_after_drop.is_(True), "caught"),
            (sa.and_(kept, sold), "sold"),
            (kept, "renewed"),
            else_="unknown",
        )

    def _price(self, table: sa.FromClause) -> sa.ColumnElement[Any]:
        if self.which == "live":
            return table.c.price_usd
        fee: sa.ColumnElement[Any] = sa.null()
        if self.fees:
            fee = sa.case(*((table.c.tld == tld, price) for tld, price in sorted(self.fees.items())))
        return sa.case((self._available(table), fee), else_=table.c.price_usd)

    def _bids(self, table: sa.FromClause) -> sa.ColumnElement[int]:
        if self.which == "live":
            return table.c.bids
        return sa.case((self._available(table), 0), else_=table.c.bids)

    def _order(self, table: sa.FromClause) -> list[sa.ColumnElement[Any]]:
        row, order = table.c, order_of(self.which, self.sort)
        first = self._sorted_by(table, order.column)
        first = first.desc().nulls_last() if order.descending else first.asc().nulls_last()
        return [first, row.found_at.desc(), row.domain.asc()]

    def _sorted_by(self, table: sa.FromClause, column: str) -> sa.ColumnElement[Any]:
        row = table.c
        if column in _PLAIN_COLUMNS:
            return row[_PLAIN_COLUMNS[column]]
        if column in ("tf", "cf"):
            figure = row.trust_flow if column == "tf" else row.citation_flow
            return figure if self.pro else sa.case((row.open_now.is_(True), figure), else_=sa.null())
        if column == "ends":
            return row.ends_at if self.which == "live" else row.live_until
        if column == "marketplace":
            return sa.func.coalesce(row.source_title, row.source)
        return self._price(table) if column == "price" else self._bids(table)


def _contains(column: sa.ColumnElement[str], q: str) -> sa.ColumnElement[bool]:
    # No stored text holds a NUL or half a surrogate pair, and no driver sends one. A line break would span the lines.
    if "\n" in q or "\x00" in q or any("\ud800" <= char <= "\udfff" for char in q):
        return sa.false()
    return column.contains(q, autoescape=True)


async def count_rows(conn: AsyncConnection, count: sa.Select[int]) -> int:
    """What one of the counts of a `ListSelection` gives."""
    return int((await conn.execute(count)).scalar_one())


async def list_rows(
    conn: AsyncConnection, selection: ListSelection, page: int, per_page: int
) -> list[SummaryRow]:
    """One page of a list, in order."""
    found = await conn.execute(selection.page(page, per_page))
    return [cast(SummaryRow, dict(row)) for row in found.mappings()]


async def next_end(conn: AsyncConnection, now: datetime) -> datetime | None:
    """When the next domain ends; None when none has a known end."""
    soonest = sa.select(sa.func.min(domains.c.live_until)).where(domains.c.live_until > now)
    found: datetime | None = (await conn.execute(soonest)).scalar_one()
    return found
