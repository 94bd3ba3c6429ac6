"""Farms: which addresses are one, which of their pages are read, and what both come to."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from afterdrop.review.history.farm import Farm, farmed, find_farm
from afterdrop.review.page.values import PageReading
from afterdrop.sources.archive.cdx_index import Index
from tests.support.histories import index_of

SINGERS = [f"/people/singer-{n:02}-net-worth.html" for n in range(30)]


def found(*addresses: str) -> Farm | None:
    return find_farm(index_of(("2010-01", "A"), deep=addresses))


def test_thirty_addresses_of_one_build_are_a_farm_and_a_shelf_is_none() -> None:
    assert found(*SINGERS[1:]) is None
    farm = found(*SINGERS, "/how-to-row")
    assert farm is not None
    assert (farm.alike, farm.total, farm.example) == (30, 32, SINGERS[0])
    assert [page.path for page in farm.pages] == [SINGERS[0], SINGERS[-1]]
    assert farm.share == 30 / 32


def test_an_address_of_two_families_counts_once() -> None:
    both = [f"/cheap-flights-to-town-{n}-by-air" for n in range(30)]
    farm = found(*both)
    assert farm is not None
    assert (farm.alike, len(farm.pages)) == (30, 2)


@pytest.mark.parametrize(
    "address", ["/singer-{}-net-worth/", "/singer-{}-net-worth/index.html", "/{}-singer-net-worth-2021"]
)
def test_folders_their_front_pages_and_running_numbers_are_seen_through(address: str) -> None:
    assert found(*(address.format(f"{n:02}") for n in range(30))) is not None


def test_the_months_of_a_newspaper_are_no_family() -> None:
    assert (
        found(
            *(f"/2015-05-{n:02}-{word}.html" for n, word in enumerate("abcdefghijklmnopqrstuvwxyzäöüßñ", 1))
        )
        is None
    )
    assert find_farm(Index("a.com")) is None


def farm_of(alike: int, total: int) -> Farm:
    return Farm(alike, total, "/a-net-worth", ())


def pages(*chances: float) -> Sequence[PageReading]:
    return [PageReading("clean", spam_chance=chance) for chance in chances]


@pytest.mark.parametrize(
    ("farm", "chances", "outcome"),
    [
        (farm_of(30, 3_000), (0.5, 0.9), "spam"),
        (farm_of(30, 3_000), (0.99, 0.49), "suspect"),
        (farm_of(30, 3_000), (0.3, 0.3), "suspect"),
        (farm_of(30, 3_000), (0.99, 0.29), None),
        (farm_of(600, 3_000), (0.15, 0.2), "suspect"),
        (farm_of(599, 3_000), (0.15, 0.2), None),
        (farm_of(600, 3_000), (0.9,), None),
        (farm_of(600, 3_000), (0.9, 0.14), None),
        (farm_of(800, 2_000), (0.0,), "suspect"),
        (farm_of(799, 2_000), (0.0,), None),
        (farm_of(1_999, 1_999), (0.0, 0.0), None),
        (farm_of(9_000, 9_000), (), None),
    ],
)
def test_two_doubtful_pages_or_thousands_of_addresses(
    farm: Farm, chances: tuple[float, ...], outcome: str | None
) -> None:
    assert farmed(farm, pages(*chances)) == outcome
