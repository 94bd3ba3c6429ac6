"""The feed files, read back with nothing but the standard library."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile

import pytest

from afterdrop.core.domain_names import unicode_name
from afterdrop.sandbox import feed_server
from afterdrop.sandbox.feed_server import FEEDS, rates
from tests.unit.sandbox.worlds import moment, world

NOON = moment(0.5)


def _text(preset: str, size: int = 250) -> str:
    body = FEEDS[preset].make(world(size), NOON)
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            body = archive.read(archive.namelist()[0])
    elif body.startswith(b"\x1f\x8b"):
        body = gzip.decompress(body)
    return body.decode()


@pytest.mark.parametrize("preset", sorted(FEEDS))
def test_a_feed_names_what_it_offers_now_and_nothing_else(preset: str) -> None:
    text = _text(preset).lower()
    assert FEEDS[preset].make(world(), NOON) == FEEDS[preset].make(world(), NOON)
    named = {name for name in world().by_domain if {name, unicode_name(name)} & set(_words(text))}
    assert named == {story.domain for story in world().listed(preset, NOON)} != set()


def _words(text: str) -> list[str]:
    for mark in ',;"\r\n':
        text = text.replace(mark, " ")
    return text.split(" ")


@pytest.mark.parametrize("preset", ["namecheap_market", "namecheap_buy_now", "dynadot_auctions"])
def test_tables_have_a_cell_for_each_column(preset: str) -> None:
    header, *rows = csv.reader(io.StringIO(_text(preset)))
    assert {len(row) for row in rows} == {len(header)}


def test_small_worlds_have_no_bad_rows() -> None:
    for size, bad in ((10, False), (60, True)):
        assert (feed_server.BAD_NAMES[0] in _text("godaddy_auctions", size)) is bad


def test_rates_are_of_the_last_weekday() -> None:
    for days, day in ((0.7, 20), (0.5, 19), (2.5, 20)):
        assert f"time='2026-11-{day}'".encode() in rates(moment(days))
