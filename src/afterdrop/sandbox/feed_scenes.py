"""Behaviour of real feeds that the sandbox's ordinary days lack; each is switched on by name.

Pure. `closeouts`: GoDaddy goes on listing, at a price that falls each day, what nobody bid on, with the end of the
auction that is over; nobody bids then on what is won on ordinary days. `oldest_first`: NameSilo's pages begin with
auctions that ended long ago, whatever order is asked for. `error_page`: every file is what a broken server sends with
status 200. `may_drop`: Nominet's list reaches far ahead, and some of its names are renewed before they drop.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import orjson

from afterdrop.sandbox.story import Phase, Story
from afterdrop.sandbox.world import World

# The price of a closeout in US dollars, by full days since the end of the auction. Then it is gone.
CLOSEOUT_PRICES = (50, 40, 30, 11, 5)
# How many auctions that are over NameSilo still lists as running.
LONG_OVER = 60
_DAY = timedelta(days=1)
# By how many days the drops of Nominet's names are put off, in turn, while `may_drop` plays. Those in `RENEWED` are
# renewed two days after the world's day.
PUT_OFF = (0, 8, 40)
RENEWED = 8
_RENEWED_AFTER = 2 * _DAY


def unsold(story: Story) -> bool:
    """Whether nobody bids on an auction of GoDaddy while `closeouts` plays."""
    listing = story.listing
    if listing.feed != "godaddy_auctions" or listing.end is None or listing.withdrawn is not None:
        return False
    return story.scenario == "ended_won" or not listing.bids(listing.end)


def closeouts(world: World, moment: datetime) -> list[tuple[Story, int]]:
    """The names that nobody bid on at GoDaddy, with their price at `moment`."""
    found = []
    for story in world.stories:
        end = story.listing.end
        if end is not None and unsold(story):
            days = (moment - end) // _DAY
            if 0 <= days < len(CLOSEOUT_PRICES):
                found.append((story, CLOSEOUT_PRICES[days]))
    return found


def may_drop(world: World, moment: datetime) -> list[tuple[Story, datetime]]:
    """Nominet's list as it reaches far ahead: the names it has at `moment`, and when each drops if nobody renews it."""
    found = []
    for story, days in _put_off(world).values():
        assert story.listing.end is not None, "a drop has its day"
        ends = story.listing.end + days * _DAY
        if story.listing.start <= moment < ends and not (days == RENEWED and moment >= _renewed_at(world)):
            found.append((story, ends))
    return found


def phase_put_off(world: World, story: Story, moment: datetime) -> Phase | None:
    """The phase of a name at its registry while `may_drop` plays: that of ordinary days, so much later."""
    _, days = _put_off(world).get(story.index, (story, 0))
    phase, renewed_at = story.phase(moment - days * _DAY), _renewed_at(world)
    if phase is None or days != RENEWED or moment < renewed_at:
        return phase
    expires = renewed_at + 365 * _DAY
    return replace(
        phase, start=renewed_at, state="active", expires_at=expires, changed_at=renewed_at, delegated=True
    )


def _put_off(world: World) -> dict[int, tuple[Story, int]]:
    """Nominet's names by index, and by how many days each is put off."""
    names = [story for story in world.stories if story.listing.feed == "nominet_uk"]
    return {story.index: (story, PUT_OFF[number % len(PUT_OFF)]) for number, story in enumerate(names)}


def _renewed_at(world: World) -> datetime:
    return datetime.combine(world.day, time(0), UTC) + _RENEWED_AFTER


def broken_file(media_type: str) -> bytes:
    """The file of a server that is broken: an empty zip file, a word about it, or a page."""
    if media_type == "application/zip":
        out = io.BytesIO()
        zipfile.ZipFile(out, "w").close()
        return out.getvalue()
    if media_type == "text/plain":
        return b"Resource load error."
    return (
        b"<!DOCTYPE html>\n<html><head><title>503 Backend fetch failed</title></head><body></body></html>\n"
    )


def namesilo_page(world: World, moment: datetime, query: Mapping[str, str], oldest_first: bool) -> bytes:
    """A page of NameSilo's auctions, in the order that `query` asks for unless `oldest_first`."""
    rows = [
        _namesilo_row(number, f"over-{number}.com", moment - (LONG_OVER - number + 1) * _DAY)
        for number in range(1, LONG_OVER + 1)
        if oldest_first
    ]
    for number, story in enumerate(world.listed("dynadot_auctions", moment), LONG_OVER + 1):
        assert story.listing.end is not None, "auctions have an end"
        rows.append(_namesilo_row(number, story.domain, story.listing.end))
    if query.get("orderType") == "DESC" and not oldest_first:
        rows.reverse()
    page, size = int(query.get("page", "1")), int(query.get("pageSize", "500"))
    body = rows[(page - 1) * size : page * size]
    return orjson.dumps({"request": {"operation": "listAuctions"}, "reply": {"code": 300, "body": body}})


def _namesilo_row(number: int, domain: str, end: datetime) -> dict[str, object]:
    return {
        "id": 19_000_000 + number, "domain": domain, "statusId": 2, "typeId": 3, "openingBid": 1.0, "currentBid": 1.0,
        "bidsQuantity": 0, "hasBids": False, "auctionEndsOn": f"{end - timedelta(hours=7):%Y-%m-%d %H:%M:%S}",
        "auctionEndsOnUtc": f"{end:%Y-%m-%d %H:%M:%S}", "url": f"https://www.namesilo.com/auctions/{domain}",
    }  # fmt: skip
