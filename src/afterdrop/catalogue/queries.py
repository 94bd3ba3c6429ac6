"""The lists as SQL, one builder for both databases: what is on which list for whom, filtered and in order.

The same rules as `visibility`, `status` and `filters` say about one summary; a property test holds them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from afterdrop.accounts.plans import Viewer
from afterdrop.catalogue.filters import ListFilter, Sort
from afterdrop.catalogue.status import ListName
from afterdrop.db.tables.catalogue import domains, reserved_views

_VIEW = [column.name for column in reserved_views.columns if column.name != "domain"]
# What a summary is made of; the report and the search text are large and stay in the database.
SUMMARY_COLUMNS = [
    *(
        "domain",
        "tld",
        "round",
        "found_at",
        "language",
        "title",
        "gated",
        "score",
        "verdict",
        "flags",
        "topic",
    ),
    *("archive_years", "archive_first_year", "archive_last_year"),
    *("domain_rating", "trust_flow", "citation_flow", "referring_domains"),
    *("source", "type", "price_usd", "bids", "ends_at", "url", "live_until", "turns_at", "later"),
    *("announced", "last_open_on", "open_now", "removed_at"),
]


def shown(operator: bool) -> sa.FromClause:
    """The catalogue as its audience sees it, with the columns of `domains`: the public view, or the operators'."""
    if not operator:
        return domains
    reserved = reserved_views.c.domain.is_not(None)
    columns = [
        sa.case((reserved, reserved_views.c[column.name]), else_=column).label(column.name)
        if column.name in _VIEW
        else column
        for column in domains.columns
    ]
    joined = domains.outerjoin(reserved_views, reserved_views.c.domain == domains.c.domain)
    return sa.select(*columns).select_from(joined).subquery("shown")


def on_list(table: sa.FromClause, operator: bool) -> sa.ColumnElement[bool]:
    """Neither taken off the list nor, for other eyes, reserved for operators as a whole."""
    standing = table.c.removed_at.is_(None)
    return standing if operator else sa.and_(standing, table.c.gated.is_(False))


def live(table: sa.FromClause, now: datetime) -> sa.ColumnElement[bool]:
    """Not ended at `now`."""
    return sa.or_(table.c.live_until.is_(None), table.c.live_until > now)


def ended(table: sa.FromClause, now: datetime) -> sa.ColumnElement[bool]:
    """Ended at `now` (a live_until that is null is neither)."""
    return table.c.live_until <= now


@dataclass(frozen=True, slots=True)
class ListSelection:
    """One list as one viewer asks for it at `now`. `fees` are registration fees by extension."""

    which: ListName
    wanted: ListFilter
    viewer: Viewer
    now: datetime
    fees: Mapping[str, int] = field(default_factory=dict)

    @property
    def pro(self) -> bool:
        """Whether the viewer's plan is Pro."""
        return self.viewer.plan == "pro"

    @property
    def table(self) -> sa.FromClause:
        """The catalogue as the viewer's audience sees it."""
        return shown(self.viewer.operator)

    def page(self, sort: Sort, page: int, per_page: int) -> sa.Select[Any]:
        """One page of rows, in order."""
        table = self.table
        chosen = sa.select(*(table.c[name] for name in SUMMARY_COLUMNS))
        order = self._order(table, sort)
        return chosen.where(*self.where(table)).order_by(*order).limit(per_page).offset((page - 1) * per_page)

    def count(self) -> sa.Select[int]:
        """How many rows there are on all pages."""
        table = self.table
        return sa.select(sa.func.count()).select_from(table).where(*self.where(table))

    def count_locked(self) -> sa.Select[int]:
        """How many more rows the Pro list holds, by every filter but Trust Flow, which free callers cannot ask."""
        table = self.table
        wanted = self.wanted.without_trust_flow()
        as_pro = replace(self, viewer=replace(self.viewer, plan="pro"), wanted=wanted)
        hidden = table.c.open_now.is_(False) if self.which == "live" else table.c.last_open_on.is_(None)
        return sa.select(sa.func.count()).select_from(table).where(*as_pro.where(table), hidden)

    def where(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        """Everything a row must meet to be on the list."""
        return [on_list(table, self.viewer.operator), *self._membership(table), *self._filters(table)]

    def _membership(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        if self.which == "live":
            return (
                [live(table, self.now)] if self.pro else [live(table, self.now), table.c.open_now.is_(True)]
            )
        if self.which == "available":
            return [ended(table, self.now), self._seen_free(table)]
        return [ended(table, self.now)]

    def _seen_free(self, table: sa.FromClause) -> sa.ColumnElement[bool]:
        announced = table.c.announced.is_(True)
        return announced if self.pro else sa.and_(announced, table.c.last_open_on.is_not(None))

    def _filters(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        wanted, row = self.wanted, table.c
        least = (
            (row.score, wanted.min_score),
            (row.domain_rating, wanted.min_dr),
            (row.trust_flow, wanted.min_tf),
            (row.referring_domains, wanted.min_ref_domains),
            (row.archive_years, wanted.min_archive_years),
        )
        chosen = ((row.tld, wanted.tlds), (row.type, wanted.types), (row.topic, wanted.topics))
        found = [column >= bound for column, bound in least if bound is not None]
        found += [column.in_(sorted(values)) for column, values in chosen if values]
        if wanted.langs:
            found.append(row.language.in_(sorted(wanted.langs)))
        if wanted.min_tf is not None and not self.pro:
            found.append(row.open_now.is_(True))
        if wanted.clean:
            found += [row.verdict == "ok", row.flag_count == 0]
        return found + self._more_filters(table)

    def _more_filters(self, table: sa.FromClause) -> list[sa.ColumnElement[bool]]:
        wanted, row = self.wanted, table.c
        found: list[sa.ColumnElement[bool]] = []
        if wanted.q is not None:
            found.append(_contains(row.search, wanted.q))
        if wanted.max_price is not None:
            price = self._price(table)
            found.append(sa.or_(price.is_(None), price <= wanted.max_price))
        if wanted.since is not None:
            found.append(row.found_at >= wanted.since)
        if wanted.ending_within_hours is not None:
            last = self.now + timedelta(hours=wanted.ending_within_hours)
            found += [live(table, self.now), row.ends_at > self.now, row.ends_at <= last]
        return found

    def _price(self, table: sa.FromClause) -> sa.ColumnElement[Any]:
        if self.which == "live":
            return table.c.price_usd
        fee: sa.ColumnElement[Any] = sa.null()
        if self.fees:
            fee = sa.case(*((table.c.tld == tld, price) for tld, price in sorted(self.fees.items())))
        return sa.case((self._seen_free(table), fee), else_=table.c.price_usd)

    def _order(self, table: sa.FromClause, sort: Sort) -> list[sa.ColumnElement[Any]]:
        row = table.c
        end = row.ends_at if self.which == "live" else row.live_until
        first = {
            "score": row.score.desc(),
            "dr": row.domain_rating.desc().nulls_last(),
            "ending": end.asc().nulls_last(),
            "ended": end.desc().nulls_last(),
            "newest": row.found_at.desc(),
            "price": self._price(table).asc().nulls_last(),
        }[sort]
        return [first, row.found_at.desc(), row.domain.asc()]


def _contains(column: sa.ColumnElement[str], q: str) -> sa.ColumnElement[bool]:
    # A NUL or half a surrogate pair can stand in no stored text and cannot be sent; a line break would span lines.
    if "\n" in q or "\x00" in q or any("\ud800" <= char <= "\udfff" for char in q):
        return sa.false()
    return column.contains(q, autoescape=True)
