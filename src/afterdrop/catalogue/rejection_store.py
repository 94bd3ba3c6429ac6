"""The SQL of "What we rejected today": names of the last scan that may be shown, and those withdrawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.rejections import SHOWN, RejectedName, superb
from afterdrop.db.tables.catalogue import operator_actions
from afterdrop.db.tables.feeds import candidates, listings, metric_values, scans
from afterdrop.db.tables.review import reviews
from afterdrop.metrics.model import DOMAIN_RATING, REFERRING_DOMAINS, TRUST_FLOW, Metric, Metrics

WITHDRAW: Final = "withdraw"
READMIT: Final = "readmit"
# After each of these an operator has spoken about the name, and only a later READMIT shows it again.
_DECISIONS: Final = ("remove", "restore", "ban", WITHDRAW, READMIT)
_ROLES: Final = (TRUST_FLOW, DOMAIN_RATING, REFERRING_DOMAINS)
# How many of the strongest are looked at for the few that are shown.
_LOOKED_AT: Final = 200
# A scan may reject nothing that is worth showing; then the one before is asked, so far back.
_SCANS: Final = 7


async def rejected_names(conn: AsyncConnection, *, most: int = SHOWN) -> list[RejectedName]:
    """The most impressive names that the newest scan with such names rejected for spam.

    Their listing and the figures are public. Names that an operator decided about are left out.
    """
    undecided = sa.func.coalesce(_last_decision(), READMIT) == READMIT
    for scan_id in await _finished_scans(conn):
        if found := await _rejected(conn, [scan_id], undecided, most):
            return found
    return []


async def withdrawn_names(conn: AsyncConnection, *, most: int) -> list[RejectedName]:
    """Names of the last scans that operators withdrew."""
    return await _rejected(conn, await _finished_scans(conn), _last_decision() == WITHDRAW, most)


async def _finished_scans(conn: AsyncConnection) -> Sequence[int]:
    finished = sa.select(scans.c.id).where(scans.c.finished_at.is_not(None))
    return (await conn.execute(finished.order_by(scans.c.id.desc()).limit(_SCANS))).scalars().all()


async def _rejected(
    conn: AsyncConnection, scan_ids: Sequence[int], decided: sa.ColumnElement[bool], most: int
) -> list[RejectedName]:
    c = candidates.c
    listed = sa.exists().where(listings.c.domain == c.domain, listings.c.gated.is_(False))
    chosen = (
        sa.select(c.domain, scans.c.day)
        .join(reviews, reviews.c.domain == c.domain)
        .join(scans, scans.c.id == c.scan_id)
        .where(c.scan_id.in_(scan_ids), c.state == "settled", c.outcome == "rejected")
        .where(reviews.c.spam.is_(True), listed, decided)
        .order_by(c.authority.desc(), c.domain)
        .limit(_LOOKED_AT)
    )
    days = {domain: day for domain, day in await conn.execute(chosen)}
    metrics = await _public_metrics(conn, list(days))
    names = superb(metrics, most)
    past = sa.select(reviews.c.domain, reviews.c.history).where(reviews.c.domain.in_(names))
    histories = {domain: history for domain, history in await conn.execute(past)}
    return [RejectedName(name, metrics[name], histories[name], days[name]) for name in names]


def _last_decision() -> sa.ScalarSelect[str]:
    action = operator_actions.c
    return (
        sa.select(action.action)
        .where(action.domain == candidates.c.domain, action.action.in_(_DECISIONS))
        .order_by(action.id.desc())
        .limit(1)
        .correlate(candidates)
        .scalar_subquery()
    )


async def _public_metrics(conn: AsyncConnection, names: Sequence[str]) -> dict[str, Metrics]:
    value = metric_values.c
    chosen = sa.select(metric_values).where(
        value.domain.in_(names), value.role.in_(_ROLES), value.gated.is_(False)
    )
    found: dict[str, list[Metric]] = defaultdict(list)
    for row in (await conn.execute(chosen)).mappings():
        found[row["domain"]].append(Metric(**{name: row[name] for name in Metric.__slots__}))
    return {name: Metrics.of(found[name]) for name in names}
