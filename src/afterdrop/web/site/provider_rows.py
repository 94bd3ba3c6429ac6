"""Each provider of link metrics for operators: when it last answered, and what was asked of it. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.db.tables.feeds import provider_answers, provider_spend

_answer = provider_answers.c
_spend = provider_spend.c


async def provider_rows(
    conn: AsyncConnection, configured: Iterable[str], now: datetime
) -> list[dict[str, Any]]:
    """`provider`, `last_answer` (None: never), `names_known`, `units_today`, `units_this_month`, by name."""
    newest = sa.func.max(_answer.asked_at, type_=_answer.asked_at.type)
    seen = await conn.execute(sa.select(_answer.provider, newest, sa.func.count()).group_by(_answer.provider))
    answered = {str(name): (last, int(count)) for name, last, count in seen}
    day, month = f"{now:%Y-%m-%d}", f"{now:%Y-%m}"
    used = await conn.execute(
        sa.select(_spend.provider, _spend.period, _spend.units).where(_spend.period.in_((day, month)))
    )
    spent = {(str(name), str(period)): int(units) for name, period, units in used}
    names = sorted({*configured, *answered, *(name for name, _ in spent)})
    return [
        {
            "provider": name,
            "last_answer": answered.get(name, (None, 0))[0],
            "names_known": answered.get(name, (None, 0))[1],
            "units_today": spent.get((name, day), 0),
            "units_this_month": spent.get((name, month), 0),
        }
        for name in names
    ]
