"""What a demo shows of the scenes that it plays; tests/integration/scan/test_feed_scenes.py has the rest."""

from __future__ import annotations

import io
import zipfile

import orjson

from afterdrop.sandbox.feed_scenes import closeouts
from afterdrop.sandbox.feed_server import godaddy_with_closeouts
from afterdrop.sandbox.whois_server import ANSWERED
from tests.unit.sandbox.worlds import moment, world


def test_a_demo_of_250_has_a_closeout_that_was_an_auction_on_its_earlier_days() -> None:
    today = [story for story, _ in closeouts(world(), moment(0)) if story.outcome == "published"]
    assert today
    for story in today:
        file = zipfile.ZipFile(io.BytesIO(godaddy_with_closeouts(world(), moment(-3))))
        rows = orjson.loads(file.read(file.namelist()[0]))["data"]
        [row] = [row for row in rows if row["domainName"].lower() == story.domain]
        assert (row["auctionType"], row["numberOfBids"]) == ("Bid", 0)
        assert row["price"] == f"${story.listing.first_price:,.0f}"


def test_a_demo_of_250_has_a_name_that_whois_alone_confirms_free() -> None:
    free = [story for story in world().stories if story.scenario == "dropped_free" and story.tld in ANSWERED]
    assert [phase.state for story in free if (phase := story.phase(moment(0)))] == ["free"]
