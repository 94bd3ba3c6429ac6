"""The SQL of "What we rejected today": names of the last scan that may be shown, and those withdrawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.rejections import SHOWN, RejectedName, superb
from afterdrop.catalogue.store import last_finished_scan
from afterdrop.db.tables.catalogue import operator_actions
from afterdrop.db.tables.feeds import candidates, listings, metric_values
from afterdrop.db.tables.review import reviews
from afterdrop.metrics.model import DOMAIN_RATING, REFERRING_DOMAINS, TRUST_FLOW, Metric, Metrics

WITHDRAW: Final = "withdraw"
READMIT: Final = "readmit"
# After each of these an operator has spoken about the name, and only a later READMIT shows it again.
_DECISIONS: Final = ("remove", "restore", "ban", WITHDRAW, READMIT)
_ROLES: Final = (TRUST_FLOW, DOMAIN_RATING, REFERRING_DOMAINS)
# How many of the strongest are looked at for the few that are shown.
_LOOKED_AT: Final = 200


async def rejected_names(
    conn: AsyncConnection, *, most: int = SHOWN, withdrawn: bool = False
) -> list[RejectedName]:
    """The most impressive names of the last finished scan that were rejected for spam.

    Their listing and the figures are public. Names that an operator decided about are left out; `withdrawn` gives
    those that were withdrawn instead.
    """
    scan = await last_finished_scan(conn)
    if scan is None:
        return []
    c = candidates.c
    listed = sa.exists().where(listings.c.domain == c.domain, listings.c.gated.is_(False))
    decided = _last_decision()
    kept = decided == WITHDRAW if withdrawn else sa.func.coalesce(decided, READMIT) == READMIT
    chosen = (
        sa.select(c.domain)
        .join(reviews, reviews.c.domain == c.domain)
        .where(c.scan_id == scan["id"], c.state == "settled", c.outcome == "rejected")
        .where(reviews.c.spam.is_(True), listed, kept)
        .order_by(c.authority.desc(), c.domain)
        .limit(_LOOKED_AT)
    )
    metrics = await _public_metrics(conn, (await conn.execute(chosen)).scalars().all())
    names = superb(metrics, most)
    past = sa.select(reviews.c.domain, reviews.c.history).where(reviews.c.domain.in_(names))
    histories = {domain: history for domain, history in await conn.execute(past)}
    return [RejectedName(name, metrics[name], histories[name]) for name in names]


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
