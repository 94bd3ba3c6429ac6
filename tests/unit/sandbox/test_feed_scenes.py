"""What feeds do in the real world and not on the sandbox's ordinary days."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta

import orjson

from afterdrop.sandbox.feed_scenes import (
    CLOSEOUT_PRICES,
    LONG_OVER,
    PUT_OFF,
    RENEWED,
    broken_file,
    closeouts,
    may_drop,
    namesilo_page,
    phase_put_off,
    unsold,
)  # fmt: skip
from afterdrop.sandbox.feed_server import godaddy_with_closeouts
from afterdrop.sandbox.whois_server import ANSWERED
from tests.unit.sandbox.worlds import moment, world


def test_what_nobody_bid_on_is_offered_at_a_price_that_falls_until_it_is_gone() -> None:
    days = [{story.domain: price for story, price in closeouts(world(), moment(day))} for day in range(12)]
    seen = [[at[name] for at in days if name in at] for name in days[5]]
    assert seen
    assert all(prices == [*CLOSEOUT_PRICES][: len(prices)] for prices in seen if len(prices) == 5)
    for story, _ in closeouts(world(), moment(5)):
        assert story.listing.end is not None
        assert story.listing.end <= moment(5) < story.listing.end + timedelta(days=len(CLOSEOUT_PRICES))
        assert unsold(story)


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


def test_names_that_may_drop_stand_far_ahead_and_some_are_renewed() -> None:
    def put_off(day: float) -> set[int]:
        return {(ends - (story.listing.end or ends)).days for story, ends in may_drop(world(), moment(day))}

    assert put_off(0) == set(PUT_OFF)
    assert RENEWED not in put_off(2.5)


def test_the_registry_says_of_a_name_put_off_what_it_says_otherwise_but_later() -> None:
    put_off = {
        (ends - story.listing.end).days: story
        for story, ends in may_drop(world(), moment(0))
        if story.listing.end
    }
    eight = timedelta(days=RENEWED)
    # The name renewed is put off like the others until then, and is active for a year afterwards.
    assert phase_put_off(world(), put_off[RENEWED], moment(1)) == put_off[RENEWED].phase(moment(1) - eight)
    renewed = phase_put_off(world(), put_off[RENEWED], moment(3))
    assert renewed is not None
    assert (renewed.state, renewed.delegated, renewed.start) == ("active", True, moment(2))
    assert renewed.expires_at == moment(2) + timedelta(days=365)
    forty = put_off[PUT_OFF[2]]
    assert phase_put_off(world(), forty, moment(30)) == forty.phase(moment(30) - timedelta(days=PUT_OFF[2]))


def test_a_broken_file_is_an_empty_archive_a_word_or_a_page() -> None:
    assert zipfile.ZipFile(io.BytesIO(broken_file("application/zip"))).namelist() == []
    assert broken_file("text/plain") == b"Resource load error."
    assert broken_file("text/csv").startswith(b"<!DOCTYPE html>")


def test_namesilos_pages_come_in_the_order_asked_for_or_oldest_first() -> None:
    def ids(oldest_first: bool, **query: str) -> list[int]:
        page = orjson.loads(namesilo_page(world(), moment(1), query, oldest_first))
        return [row["id"] for row in page["reply"]["body"]]

    newest = ids(False, orderType="DESC")
    assert newest == sorted(ids(False), reverse=True) != []
    begins_with_what_is_over = ids(True, orderType="DESC", pageSize=str(LONG_OVER))
    assert begins_with_what_is_over == list(range(19_000_001, 19_000_001 + LONG_OVER))
    assert ids(True, page="2", pageSize=str(LONG_OVER)) == newest[::-1][:LONG_OVER]
