"""Exchange rates over real HTTP: fetched once a day, the last good copy kept with its date."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from aiohttp import web

from afterdrop.core import clock
from afterdrop.core.settings import HostPace, Pace, Rates, Settings
from afterdrop.db.engine import Database
from afterdrop.feeds.currency import NO_RATES, usd
from afterdrop.feeds.exchange_rates import load_rates, rates_at_hand
from afterdrop.http.client import Fetcher, open_fetcher


class Bank:
    """Serves whatever document it holds."""

    def __init__(self) -> None:
        self.document = self.rates("2026-11-20", USD="1.25", JPY="180", GBP="0.9")
        self.status = 200
        self.asked = 0

    @staticmethod
    def rates(day: str, **per_euro: str) -> str:
        cubes = "".join(f"<Cube currency='{code}' rate='{rate}'/>" for code, rate in per_euro.items())
        return f"<Envelope><Cube><Cube time='{day}'>{cubes}</Cube></Cube></Envelope>"

    async def answer(self, _request: web.Request) -> web.Response:
        self.asked += 1
        return web.Response(text=self.document, status=self.status, content_type="text/xml")

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_get("/rates.xml", self.answer)
        runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
        await runner.cleanup()


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def bank() -> Bank:
    return Bank()


@pytest.fixture
async def way_out(database: Database, bank: Bank) -> AsyncIterator[Fetcher]:
    async with bank.serving() as origin:
        settings = Settings(
            trusted_origins=(origin,),
            rates=Rates(url=f"{origin}/rates.xml"),
            pace=Pace(default=HostPace(per_second=1000, at_once=4), hosts={}),
        )
        async with open_fetcher(settings, database, clock.epoch, random.Random(1)) as opened:
            yield opened


async def test_rates_are_fetched_once_and_kept(
    way_out: Fetcher, database: Database, bank: Bank, now: datetime
) -> None:
    first = await rates_at_hand(way_out, database, now)
    assert first.note is None and first.rates.day == date(2026, 11, 20)
    assert usd(Decimal("10"), "EUR", first.rates) == 13  # 12.50, half up
    again = await rates_at_hand(way_out, database, now + timedelta(hours=11))
    assert bank.asked == 1
    assert again.rates.day == first.rates.day and again.rates.per_usd.keys() == first.rates.per_usd.keys()
    assert usd(Decimal("10"), "EUR", again.rates) == 13
    await rates_at_hand(way_out, database, now + timedelta(hours=12))
    assert bank.asked == 2


@pytest.mark.parametrize(
    ("document", "status", "said"),
    [
        ("", 200, "the document is not well-formed XML"),
        ("<Envelope><Cube", 200, "the document is not well-formed XML"),
        ('<!DOCTYPE x [<!ENTITY a "a">]><x>&a;</x>', 200, "a document type declaration, which is refused"),
        ("<x/>", 500, "the document was not served (HTTP 500)"),
        ("<x>" + "y" * 300_000 + "</x>", 200, "is larger than 200,000 bytes"),
    ],
)
async def test_on_any_failure_the_last_good_copy_is_used_and_said(
    way_out: Fetcher, database: Database, bank: Bank, now: datetime, document: str, status: int, said: str
) -> None:
    good = bank.document
    bank.document, bank.status = document, status
    none = await rates_at_hand(way_out, database, now)
    assert none.rates == NO_RATES and none.note is not None and said in none.note
    assert none.note.endswith("prices in other currencies stay unknown.")
    bank.document, bank.status = good, 200
    await rates_at_hand(way_out, database, now)
    bank.document, bank.status = document, status
    kept = await rates_at_hand(way_out, database, now + timedelta(days=1))
    assert usd(Decimal(1000), "JPY", kept.rates) == 7
    assert kept.note is not None and kept.note.endswith("those of 2026-11-20 stay in use.")


async def test_older_rates_than_those_kept_are_not_taken(
    way_out: Fetcher, database: Database, bank: Bank, now: datetime
) -> None:
    await rates_at_hand(way_out, database, now)
    bank.document = bank.rates("2026-11-18", USD="2")
    got = await rates_at_hand(way_out, database, now + timedelta(days=1))
    assert got.rates.day == date(2026, 11, 20) and got.note is not None and "older than" in got.note


async def test_a_currency_no_longer_published_has_no_rate(
    way_out: Fetcher, database: Database, bank: Bank, now: datetime
) -> None:
    await rates_at_hand(way_out, database, now)
    bank.document = bank.rates("2026-11-21", USD="1.25")
    await rates_at_hand(way_out, database, now + timedelta(days=1))
    async with database.read() as conn:
        kept, _ = await load_rates(conn)
    assert set(kept.per_usd) == {"USD", "EUR"} and kept.day == date(2026, 11, 21)
