"""Addresses built alike: their slugs and their families."""

from __future__ import annotations

import pytest

from afterdrop.review.page.text import families, slug_of

FARM = [f"/people/singer-{n}-net-worth.html" for n in range(30)]


@pytest.mark.parametrize(
    ("address", "slug"),
    [
        ("http://a.com/News/Boats-Are-Back.html?x=/y-z#a/b", "boats-are-back"),
        ("/cheap-flights/", "cheap-flights"),
        (".htaccess", ".htaccess"),
        ("mailto:x@a.com", ""),
        ("/", ""),
        ("", ""),
    ],
)
def test_the_last_piece_of_a_path_names_its_page(address: str, slug: str) -> None:
    assert slug_of(address) == slug


def test_families_share_two_words_at_one_end() -> None:
    addresses = [*FARM, "/how-to-row", "/how-to-sail-home", "/net-worth", "/a.html"]
    found = families({address: slug_of(address) for address in addresses})
    assert [len(family) for family in found[:2]] == [30, 2]
    assert families({}) == []
