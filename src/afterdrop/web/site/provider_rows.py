"""Each provider of link metrics for operators, the link ranks too: how fresh it is, what was asked. Reads only."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.settings import Settings
from afterdrop.db.tables.feeds import provider_answers, provider_spend
from afterdrop.webgraph.errors import RanksError
from afterdrop.webgraph.table_dir import open_table_dir, release_of

if TYPE_CHECKING:
    from afterdrop.webgraph.manifest import Manifest

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


async def ranks_rows(settings: Settings) -> list[dict[str, Any]]:
    """The table of link ranks in use, if there is one: `release`, `imported_at`, `names`, `state`, `fault`."""
    file = open_table_dir(settings).in_use()
    if file is None:
        return []
    try:
        told = await asyncio.to_thread(_manifest, file)
    except RanksError as error:
        release = release_of(file)
        return [_ranks(release, None, None, "damaged", error.message)]
    return [_ranks(told.release, told.imported_at, told.nodes, "readable", None)]


def _manifest(file: Path) -> Manifest:
    from afterdrop.webgraph.table import open_table  # noqa: PLC0415  # a heavy engine that only this page needs

    with closing(open_table(file)) as table:
        return table.manifest


def _ranks(
    release: str, imported_at: datetime | None, names: int | None, state: str, fault: str | None
) -> dict[str, Any]:
    return {
        "release": release,
        "imported_at": imported_at,
        "names": names,
        "state": state,
        "fault": fault,
    }
