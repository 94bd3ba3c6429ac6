"""Who may read what was stored about a domain: the one predicate of licences, asked when it is read or sent.

Events, mails and reports of checks are stored as their account saw the domain when they were written. They keep their
bytes, but an account can stop being an operator's, and a licence can change. Every reader asks again; the list of
readers is in `tests/gates/stored_bodies.py`.

What an account wrote itself (a name it follows, shares or checks) is marked `reserved` where it was written about a
name that only an operator could see, and is filtered by that mark. For everybody else such a name is one on no list,
whenever it is asked about: what changes with an operator's feed would tell what is in the feed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.catalogue import domains, reserved_views


def may_read(
    account_id: sa.ColumnElement[int],
    *,
    reserved: sa.ColumnElement[bool] | None = None,
    domain: sa.ColumnElement[str] | None = None,
) -> sa.ColumnElement[bool]:
    """Whether the account with this id may read a stored body now, by licence.

    Operators may. Others may unless it was written from what a licence `reserved` for operators, or tells of the
    listing of a `domain` that as a whole is reserved for them today.
    """
    return sa.or_(_is_operator(account_id), everybody_may_read(reserved=reserved, domain=domain))


def _is_operator(account_id: sa.ColumnElement[int] | int) -> sa.ColumnElement[bool]:
    mine = sa.exists().where(accounts.c.id == account_id, accounts.c.operator.is_(True))
    # The account's own row, also in a query of accounts.
    return mine.correlate_except(accounts)


def everybody_may_read(
    *, reserved: sa.ColumnElement[bool] | None = None, domain: sa.ColumnElement[str] | None = None
) -> sa.ColumnElement[bool]:
    """Whether a stranger may read a stored body now, by licence: none of `may_read`'s reasons withholds it."""
    withheld: list[sa.ColumnElement[bool]] = []
    if reserved is not None:
        withheld.append(reserved.is_(True))
    if domain is not None:
        withheld.append(sa.exists().where(domains.c.domain == domain, domains.c.gated.is_(True)))
    return ~sa.or_(*withheld)


async def reserved_names(conn: AsyncConnection, names: Collection[str]) -> set[str]:
    """Those of the names of which operators see something that a licence keeps from others. At most 1,000 a call."""
    wanted = sorted(set(names))
    partly = sa.select(reserved_views.c.domain).where(reserved_views.c.domain.in_(wanted))
    return set(await conn.scalars(_as_a_whole(wanted).union(partly)))


async def written_as_operator(conn: AsyncConnection, account_id: int, names: Collection[str]) -> set[str]:
    """Those of the names (at most 1,000) that this account knows as an operator alone: rows of them are `reserved`."""
    return set(await conn.scalars(_as_a_whole(sorted(names)).where(_is_operator(account_id))))


async def for_everybody(conn: AsyncConnection, names: Sequence[str]) -> list[str]:
    """Those names that no licence reserves for operators as a whole, in their order; unlisted ones are among them."""
    withheld: set[str] = set(await conn.scalars(_as_a_whole(names)))
    return [name for name in names if name not in withheld]


def _as_a_whole(names: Sequence[str]) -> sa.Select[tuple[str]]:
    return sa.select(domains.c.domain).where(domains.c.domain.in_(names), domains.c.gated.is_(True))
