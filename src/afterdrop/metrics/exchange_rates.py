"""Keep the European Central Bank's reference rates: fetched once a day, the last good copy kept with its date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.errors import UpstreamError
from afterdrop.db.dialects import upsert
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import exchange_rates
from afterdrop.http.client import Fetcher
from afterdrop.metrics.currency import NO_RATES, Rates
from afterdrop.metrics.exchange_rates_xml import BadRates, read_rates

# The bank publishes around 15:00Z on working days; a scan a day needs no more than one look.
_FRESH: Final = timedelta(hours=12)
_MOST_BYTES: Final = 200_000


@dataclass(frozen=True, slots=True)
class RatesAtHand:
    """The rates to convert with, and `note` when they could not be renewed (they may then be old, or none)."""

    rates: Rates
    note: str | None = None


async def load_rates(conn: AsyncConnection) -> Rates:
    """The last good copy; no rates at all before the first one."""
    rows = (await conn.execute(sa.select(exchange_rates))).mappings().all()
    if not rows:
        return NO_RATES
    day = max(date.fromisoformat(row["day"]) for row in rows)
    # A currency the bank stopped publishing keeps its old row, and its old rate is not today's.
    return Rates(
        day,
        {row["currency"]: Decimal(repr(row["per_usd"])) for row in rows if row["day"] == day.isoformat()},
    )


async def save_rates(conn: AsyncConnection, rates: Rates, now: datetime) -> None:
    """Keep `rates` as the last good copy."""
    rows = [
        {"currency": code, "per_usd": float(rate), "day": rates.day.isoformat(), "fetched_at": now}
        for code, rate in rates.per_usd.items()
    ]
    await upsert(conn, exchange_rates, rows, ["currency"])


async def rates_at_hand(
    fetcher: Fetcher, database: Database, now: datetime, patience: float = 60
) -> RatesAtHand:
    """Today's rates, fetched when the copy is older than half a day; on any failure the last good copy and a note."""
    async with database.read() as conn:
        kept = await load_rates(conn)
        newest = (await conn.execute(sa.select(sa.func.max(exchange_rates.c.fetched_at)))).scalar_one()
    if newest is not None and now - newest < _FRESH:
        return RatesAtHand(kept)
    try:
        fresh = await _fetch(fetcher, patience)
    except (UpstreamError, BadRates) as error:
        return RatesAtHand(kept, _complaint(error, kept))
    if fresh.day < kept.day:
        return RatesAtHand(
            kept, f"The exchange rates offered are of {fresh.day}, older than those of {kept.day}."
        )
    async with database.write() as conn:
        await save_rates(conn, fresh, now)
    return RatesAtHand(fresh)


async def _fetch(fetcher: Fetcher, patience: float) -> Rates:
    answer = await fetcher.get(fetcher.settings.rates.url, max_bytes=_MOST_BYTES, patience=patience)
    if answer.status != 200:
        raise BadRates(f"was not served (HTTP {answer.status})")
    return read_rates(answer.body)


def _complaint(error: UpstreamError | BadRates, kept: Rates) -> str:
    said = error.message if isinstance(error, UpstreamError) else f"the document {error}"
    using = f"those of {kept.day} are used" if kept.per_usd else "prices in other currencies stay unknown"
    return f"The exchange rates could not be renewed ({said}); {using}."
