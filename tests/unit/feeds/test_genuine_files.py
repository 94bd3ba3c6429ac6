"""Every genuine feed file at hand, read by the product's own reader, and the rows that it gives.

The files stay outside the project (`SOURCES.txt` beside them says where each is from); without them these tests skip.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

import pytest

from afterdrop.core.errors import FeedError
from afterdrop.feeds.mapping import BadRow, Row
from afterdrop.feeds.preset_files import open_preset
from afterdrop.feeds.row_outcome import CountedAs, StoredRow, decide
from afterdrop.feeds.run_context import RunContext
from tests.support.feed_inputs import read

# Domain, type, price and end; of a bad row its reason and line.
Told: TypeAlias = "tuple[str, str, int | None, datetime | None] | tuple[str, int]"


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]  # a date spelled by its numbers


def drop(name: str, *end: int) -> Told:
    return name, "pending_delete", None, at(*end)


# By file: the preset, how many rows it gives, and those rows; of a long file the first and the last.
FILES: dict[str, tuple[str, int, list[Told]]] = {
    "dns_pl_2023-12-31.txt": (
        "dns_pl",
        2285,
        [drop("1cew.pl", 2023, 12, 31, 23, 59, 59), drop("zyciemp3.pl", 2023, 12, 31, 23, 59, 59)],
    ),
    "dns_pl_2024-10-24.txt": (
        "dns_pl",
        2289,
        [drop("055.pl", 2024, 10, 24, 23, 59, 59), drop("zz9.pl", 2024, 10, 24, 23, 59, 59)],
    ),
    "dropcatch.csv": (
        "dropcatch_dropping",
        3,
        [
            drop(name, 2026, 10, 3, 20)
            for name in ("werkleittechnik.com", "pharmaindustrie.com", "huntingthugs.com")
        ],
    ),
    "dynadot_auctions.csv": ("dynadot_auctions", 1, [("xoly.ai", "bid", 101, at(2026, 10, 12, 5, 17, 4))]),
    "godaddy_closeout.json": (
        "godaddy_auctions",
        2,
        [("lakepoint.me", "buy_now", 5, None), ("shop.io", "bid", 1324, at(2026, 10, 13, 16, 1))],
    ),
    "namecheap_market_2026.csv": (
        "namecheap_market",
        2,
        [("sgs.cc", "bid", 1, at(2026, 2, 15, 16)), ("menu.pro", "bid", 1, at(2026, 3, 4, 16))],
    ),
    "namesilo_list_auctions_live.json": (
        "namesilo_auctions",
        3,
        [
            ("xd9.net", "bid", 1, at(2025, 7, 22, 15)),
            ("swaydboots.com", "bid", 1, at(2026, 3, 28, 15)),
            ("surronelectricride.com", "bid", 1, at(2026, 4, 16, 15)),
        ],
    ),
    "nominet_head.csv": (
        "nominet_uk",
        6,
        [
            drop("extrusionuk.co.uk", 2026, 6, 13, 11, 31, 21),
            drop("5thjuly.uk", 2026, 10, 1, 3, 1, 55),
            drop("mandemgpt.co.uk", 2026, 10, 1, 3, 3, 29),
            drop("laterdrop.co.uk", 2026, 10, 3, 23),
            drop("toofar.co.uk", 2026, 12, 5, 10),
            ("ends_at", 7),
        ],
    ),
    "parkio_auctions.json": ("parkio_auctions", 1, [("jellyfin.co", "auction", 99, at(2026, 10, 7, 16, 41, 1))]),
    "registry_mx_head.csv": (
        "registry_mx",
        4,
        [
            *(drop(f"{name}.mx", 2026, 10, 1, 23, 59, 59) for name in ("dibanhi.com", "ric77.com", "lennoxind")),
            ("type", 6),
        ],
    ),
    "sedo_topdomains_us.txt": (
        "sedo_topdomains",
        2,
        [("university.net", "buy_now", 200000, None), ("hogs.com", "buy_now", None, None)],
    ),
    "sedo_auctions_us.txt": ("sedo_auctions", 1, [("winfox.com", "auction", 30, at(2026, 10, 8, 8, 47, 9))]),
}  # fmt: skip


# What a registry's server once sent with status 200.
ERROR = "dns_pl_error_2022-08-12.txt"


def told(row: Row | BadRow) -> Told:
    if isinstance(row, BadRow):
        return row.reason, row.line
    return row.domain, row.type, None if row.price is None else int(row.price), row.ends_at


@pytest.mark.parametrize("name", FILES)
def test_a_genuine_file_gives_its_rows(real: Path, name: str) -> None:
    preset, count, wanted = FILES[name]
    rows = read(open_preset(preset), (real / "feeds" / name).read_bytes())
    assert len(rows) == count
    assert [told(row) for row in (rows if count == len(wanted) else (rows[0], rows[-1]))] == wanted


def test_no_genuine_file_is_left_out(real: Path) -> None:
    there = {file.name for file in (real / "feeds").iterdir()} - {"SOURCES.txt"}
    assert there == {*FILES, ERROR}


def test_what_a_broken_registry_really_answered_is_no_list(real: Path) -> None:
    with pytest.raises(FeedError, match=r"no @day .*'Resource load error\.'"):
        read(open_preset("dns_pl"), (real / "feeds" / ERROR).read_bytes())


def test_a_genuine_closeout_is_listed_long_after_the_auction_before_it(real: Path) -> None:
    spec = open_preset("godaddy_auctions")
    closeout, auction = read(spec, (real / "feeds" / "godaddy_closeout.json").read_bytes())
    assert isinstance(closeout, Row)
    assert isinstance(auction, Row)

    def outcome(row: Row, now: datetime) -> CountedAs:
        context = RunContext(spec, 1, 1, now, now, {}, timedelta(days=30))
        return decide(row, StoredRow(), "pass", context).counted_as

    later = at(2026, 10, 14)
    assert (outcome(closeout, later), outcome(auction, later)) == ("new", "ended")
    assert closeout.price == Decimal(5)
