"""Who may read what was stored about a domain: the one predicate of licences, asked when it is read or sent.

Events, mails and reports of checks are stored as their account saw the domain when they were written. They keep their
bytes, but an account can stop being an operator's, and a licence can change. Every reader asks again; the list of
readers is in `tests/gates/stored_bodies.py`.
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

    Operators may. Others may unless it was written from what a licence `reserved` for operators, or is about a
    `domain` that as a whole is reserved for them today.
    """
    operator = sa.exists().where(accounts.c.id == account_id, accounts.c.operator.is_(True))
    return sa.or_(operator, everybody_may_read(reserved=reserved, domain=domain))


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


async def for_everybody(conn: AsyncConnection, names: Sequence[str]) -> list[str]:
    """Those names that no licence reserves for operators as a whole, in their order; unlisted ones are among them."""
    withheld: set[str] = set(await conn.scalars(_as_a_whole(names)))
    return [name for name in names if name not in withheld]


def _as_a_whole(names: Sequence[str]) -> sa.Select[tuple[str]]:
    return sa.select(domains.c.domain).where(domains.c.domain.in_(names), domains.c.gated.is_(True))
