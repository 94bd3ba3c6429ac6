"""A closeout from first sight to withdrawal: what list, report, mail and webhook say of it on three days."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue import store
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.status import ListName
from afterdrop.catalogue.summary import Links
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.feeds.preset_files import open_preset
from afterdrop.feeds.run_context import SourceRun
from afterdrop.watching.alert_mails import mail_matches
from afterdrop.watching.reminder_worker import remind
from tests.support import published
from tests.support.desk import DAY, FILTER, NOON, Desk
from tests.support.lists import list_page
from tests.support.world import World

SPEC = open_preset("godaddy_auctions").model_copy(update={"permission": "a test, 2026-11-25"})
PASSES = replace(FILTER, judge=lambda _figures: "pass")
NAME = "lakepoint.me"


def file(price: int | None) -> bytes:
    """GoDaddy's file of a day: the closeout at a price, with the end of the auction before it; None: without it."""
    link = "https://www.godaddy.com/domain-auctions/{}?isc=json"
    closeout = {
        "domainName": "LAKEPOINT.ME", "link": link.format("lakepoint-me-611223344"), "auctionType": "BuyNow",
        "auctionEndTime": "2026-05-20T16:16:00Z", "price": f"${price}", "majesticTf": 30, "majesticCf": 30,
    }  # fmt: skip
    auction = {
        **{**closeout, "domainName": "SHOP.IO", "link": link.format("shop-io-7"), "auctionType": "Bid"},
        **{"auctionEndTime": "2026-12-10T16:01:00Z", "price": "$1,324", "numberOfBids": 9},
    }
    return json.dumps({"data": [auction] if price is None else [closeout, auction]}).encode()


@dataclass
class Days:
    """The scan of a day, and what a Pro account with a rule, a webhook and a watch sees of the name then."""

    world: World
    account: int = 0

    @property
    def links(self) -> Links:
        return Links.of(self.world.settings)

    async def take(self, at: datetime, price: int | None) -> SourceRun:
        self.world.now = at
        return await Desk(self.world.database).take(file(price), at, spec=SPEC, authority_filter=PASSES)

    async def told(self) -> tuple[int, int]:
        """Matches and reminders are worked on; how many webhook deliveries and mails there are by now."""
        await self.world.match()
        await mail_matches(self.world.context, "instant")
        await remind(self.world.context)
        return len(await self.world.deliveries()), len(await self.world.mails())

    async def listed(self, which: ListName) -> list[dict[str, Any]]:
        viewer = Viewer(self.account, "pro")
        selection = ListSelection(ListContext(which, viewer, self.world.now), ListFilter())
        async with self.world.database.read() as conn:
            rows = (await list_page(conn, selection, self.links)).rows
        return [dict(row) for row in rows if row["domain"] == NAME]

    async def report(self) -> dict[str, Any]:
        async with self.world.database.read() as conn:
            viewer = Viewer(self.account, "pro")
            seen, report = await store.report(conn, NAME, viewer, self.world.now, self.links)
        assert seen == "full" and report is not None
        return dict(report)


@pytest.fixture
def days(database: Database, settings: Settings) -> Days:
    """The days of an empty deployment."""
    return Days(World(database, settings, NOON))


def offered(shown: dict[str, Any]) -> tuple[Any, ...]:
    """How a summary or report offers it."""
    listing = shown["listing"]
    return shown["status"], listing["type"], listing["price_usd"], listing["ends_at"], shown["found_at"]


async def test_a_closeout_from_first_sight_to_withdrawal(days: Days) -> None:
    world, noon = days.world, f"{NOON:%Y-%m-%dT%H:%M:%SZ}"
    days.account = await world.account(reminder_hours=[48, 24, 1])
    await world.endpoint(days.account)
    await world.rule(days.account, "Cheap", listing_types=["buy_now"], max_price=100)

    # Day one: it is new, though the end it carries passed half a year ago.
    assert (await days.take(NOON, 50)).counts == {"new": 2}
    await published.put_metrics(world.database, published.STRONG, NAME)
    await published.reviewed(world.database, published.history(NAME), NOON)
    await world.watch(days.account, NAME)
    assert await days.told() == (1, 1)
    first = ("listed", "buy_now", 50, None, noon)
    [row] = await days.listed("live")
    assert offered(row) == offered(await days.report()) == first
    [event] = await world.events()
    assert (event["type"], event["expires_at"]) == ("alert.matched", None)
    assert event["json"]["data"]["domain"] == row
    [mail] = await world.mails()
    assert mail["subject"] == f"{NAME} matches Cheap"
    assert "$50" in mail["text"] and "No fixed end" in mail["text"] and "No fixed end" in mail["html"]

    # Day two: the price fell. The list and the report follow; it is the same round, so nobody is told again.
    assert (await days.take(NOON + DAY, 40)).counts == {"refreshed": 1, "unchanged": 1}
    await published.refreshed(world.database, world.now, NAME)
    assert await days.told() == (1, 1)
    [row] = await days.listed("live")
    assert offered(row) == offered(await days.report()) == ("listed", "buy_now", 40, None, noon)
    assert await days.listed("archive") == []

    # Day three: the complete file no longer carries it. It ended when that was seen, without a reminder.
    gone = NOON + 2 * DAY
    assert (await days.take(gone, None)).counts == {"unchanged": 1, "withdrawn": 1}
    await published.refreshed(world.database, gone, NAME)
    assert await days.told() == (1, 1)
    assert await days.listed("live") == []
    [row] = await days.listed("archive")
    ended = ("ended", "buy_now", 40, f"{gone:%Y-%m-%dT%H:%M:%SZ}", noon)
    assert offered(row) == offered(await days.report()) == ended
    assert (await published.row_of(world.database, NAME))["round"] == 1
