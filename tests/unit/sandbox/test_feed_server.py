"""The feed files, read back with nothing but the standard library."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from afterdrop.core.domain_names import registrable_domain
from afterdrop.sandbox import feed_server
from afterdrop.sandbox.feed_server import FEEDS, rates
from afterdrop.sandbox.world import World
from tests.unit.sandbox.worlds import DAY, moment, world

NOON = moment(0.5)


def _unzipped(body: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return archive.read(archive.namelist()[0])


def _rows(body: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body.decode())))


def _names(preset: str, now: datetime) -> set[str]:
    return {story.domain for story in world().listed(preset, now)}


def test_every_feed_has_offers_and_is_the_same_file_twice() -> None:
    for preset, feed in FEEDS.items():
        assert _names(preset, NOON), preset
        assert feed.make(world(), NOON) == feed.make(world(), NOON), preset


@pytest.mark.parametrize(
    ("make", "preset", "column"),
    [
        (feed_server.namecheap, "namecheap_market", "name"),
        (feed_server.namecheap_buy_now, "namecheap_buy_now", "domain"),
        (feed_server.dynadot, "dynadot_auctions", "Domain"),
    ],
)
def test_market_tables(make: Callable[[World, datetime], bytes], preset: str, column: str) -> None:
    rows = _rows(make(world(), NOON))
    assert {row[column] for row in rows} - set(feed_server.BAD_NAMES) == _names(preset, NOON)
    assert all(None not in row for row in rows)


def test_ends_in_milliseconds() -> None:
    for row in _rows(feed_server.dynadot(world(), NOON)):
        assert int(row["End Timestamp"]) > NOON.timestamp() * 1000


def test_dropping_names_of_all_days_or_of_one() -> None:
    every = _rows(_unzipped(feed_server.dropcatch(world(), NOON)))
    assert {row["Domain"].lower() for row in every} == _names("dropcatch_dropping", NOON)
    third = _rows(_unzipped(feed_server.dropcatch(world(), NOON, 3)))
    assert third and {row["Drop Date"] for row in third} == {(DAY + timedelta(days=3)).isoformat()}


def test_deleting_names_stand_below_two_lines() -> None:
    lines = feed_server.snapnames(world(), NOON).decode().splitlines()
    assert lines[1] == "" and lines[2] == "Domain name,Current bid,Auction end date"
    names = {line.partition(",")[0] for line in lines[3:]}
    assert names - set(feed_server.BAD_NAMES) == _names("snapnames_deleting", NOON)


def test_semicolon_text_with_currencies_as_printed() -> None:
    lines = feed_server.sedo(world(), NOON).decode("iso-8859-1").splitlines()
    rows = [line.replace("&#163;", "GBP").split(";") for line in lines if not line.startswith("#")]
    assert {row[0] for row in rows} == _names("sedo_auctions", NOON)
    assert {row[4] for row in rows} <= {"$US", "EUR", "GBP"}
    assert all(len(row) == 7 and int(row[2]) > NOON.timestamp() for row in rows)


def test_auction_ends_in_year_day_month_and_new_york_time() -> None:
    rows = json.loads(feed_server.parkio(world(), NOON))["auctions"]
    assert {row["name"] for row in rows} == _names("parkio_auctions", NOON)
    for row in rows:
        day, time = row["close_date"].split("EST")
        datetime.strptime(day, "%Y-%d-%m")
        assert time.endswith("000") and len(time) == 11


def test_registry_lists() -> None:
    uk = _rows(gzip.decompress(feed_server.nominet(world(), NOON)))
    assert {row["domain"] for row in uk} == _names("nominet_uk", NOON)
    se = json.loads(feed_server.iis(world(), NOON))["data"]
    assert {registrable_domain(row["name"]) for row in se} == _names("iis_se", NOON)
    pl = feed_server.dns_pl(world(), NOON).decode().splitlines()
    assert pl[:2] == [DAY.isoformat(), ""] and set(pl[2:]) == _names("dns_pl", NOON)


def test_small_worlds_have_no_bad_rows() -> None:
    assert feed_server.bad_names(world(10)) == ()
    assert feed_server.bad_names(world(60)) == feed_server.BAD_NAMES
    assert json.loads(_unzipped(feed_server.godaddy(world(10), NOON)))["data"]


def test_a_feed_moves_with_the_moment() -> None:
    assert _names("godaddy_auctions", moment(-3)) != _names("godaddy_auctions", moment(1.5))


def test_rates_are_of_the_last_weekday() -> None:
    assert b"time='2026-11-20'" in rates(moment(0.7))
    assert b"time='2026-11-19'" in rates(moment(0.5))
    assert b"time='2026-11-20'" in rates(moment(2.5))
