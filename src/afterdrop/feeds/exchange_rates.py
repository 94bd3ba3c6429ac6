"""Today's exchange rates: the European Central Bank's document, fetched once a day, with the last good copy kept."""

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
from afterdrop.feeds.currency import NO_RATES, BadRates, Rates, read_rates
from afterdrop.http.client import Fetcher

# The bank publishes at about 15:00Z on working days, and there is one scan a day.
_FRESH: Final = timedelta(hours=12)
_MOST_BYTES: Final = 200_000


@dataclass(frozen=True, slots=True)
class RatesAtHand:
    """The rates to convert with. `note` says why they could not be renewed; they may then be old or empty."""

    rates: Rates
    note: str | None = None


async def rates_at_hand(
    fetcher: Fetcher, database: Database, now: datetime, patience: float = 60
) -> RatesAtHand:
    """Today's rates, fetched when the copy is older than half a day. On failure, the last good copy with a note."""
    async with database.read() as conn:
        kept, fetched_at = await load_rates(conn)
    if fetched_at is not None and now - fetched_at < _FRESH:
        return RatesAtHand(kept)
    try:
        answer = await fetcher.get(fetcher.settings.rates.url, max_bytes=_MOST_BYTES, patience=patience)
        if answer.status != 200:
            raise BadRates(f"was not served (HTTP {answer.status})")
        fresh = read_rates(answer.body)
    except (UpstreamError, BadRates) as error:
        said = error.message if isinstance(error, UpstreamError) else f"the document {error}"
        using = (
            f"those of {kept.day} stay in use" if kept.per_usd else "prices in other currencies stay unknown"
        )
        return RatesAtHand(kept, f"The exchange rates could not be updated ({said}); {using}.")
    if fresh.day < kept.day:
        return RatesAtHand(
            kept, f"The exchange rates on offer are from {fresh.day}, older than those of {kept.day}."
        )
    async with database.write() as conn:
        await _save(conn, fresh, now)
    return RatesAtHand(fresh)


async def load_rates(conn: AsyncConnection) -> tuple[Rates, datetime | None]:
    """The last good copy of the exchange rates and when it was fetched; no rates and None before the first fetch."""
    rows = (await conn.execute(sa.select(exchange_rates))).mappings().all()
    if not rows:
        return NO_RATES, None
    day = max(date.fromisoformat(row["day"]) for row in rows)
    # A currency that the bank stopped publishing keeps its old row, and its old rate is not today's.
    per_usd = {
        row["currency"]: Decimal(repr(row["per_usd"])) for row in rows if row["day"] == day.isoformat()
    }
    return Rates(day, per_usd), max(row["fetched_at"] for row in rows)


async def _save(conn: AsyncConnection, rates: Rates, now: datetime) -> None:
    """Store `rates` as the last good copy."""
    rows = [
        {"currency": code, "per_usd": float(rate), "day": rates.day.isoformat(), "fetched_at": now}
        for code, rate in rates.per_usd.items()
    ]
    await upsert(conn, exchange_rates, rows, ["currency"])
