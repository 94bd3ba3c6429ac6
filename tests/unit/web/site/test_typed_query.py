"""Filters typed into the search box of a list."""

from __future__ import annotations

import pytest

from afterdrop.web.site.list_query import tidy_query
from afterdrop.web.site.typed_query import typed_query


@pytest.mark.parametrize(
    ("text", "q", "filters"),
    [
        ("dr>30 lang:de,en price<300", "", {"min_dr": "31", "lang": "de,en", "max_price": "299"}),
        ("dr>=30 price<=300 garden", "garden", {"min_dr": "30", "max_price": "300"}),
        ("<=$1,500 rd>=1k", "", {"max_price": "1500", "min_ref_domains": "1000"}),
        ("rd>1.5k length<=12", "", {"min_ref_domains": "1501", "max_length": "12"}),
        ("first<2010 first>1990", "first>1990", {"max_first_year": "2009"}),
        ("score>89.5 price<99.5", "", {"min_score": "90", "max_price": "99"}),
        ("lang:German lang:french", "", {"lang": "de,fr"}),
        ("tld:com,org -tld:xyz topic:arts type:auction", "", {
            "tld": "com,org", "exclude_tld": "xyz", "topic": "arts", "type": "auction",
        }),
        ("-casino -loan old mill", "old mill", {"exclude": "casino,loan"}),
        ("is:clean is:priced", "", {"clean": "true", "priced": "true"}),
        ("DR>20 Lang:EN Garten", "Garten", {"min_dr": "21", "lang": "en"}),
        ("tf>20 tf>40", "", {"min_tf": "41"}),
        ("price<0", "", {"max_price": "0"}),
        # No filters: they are searched for.
        ("dr<30 bigger>5 dr>x dr> >30 - a-b c:d is:great -is:clean -lang:de exclude:x", None, {}),
        ("12:30 http://a.example/ 50% <3", "12:30 http://a.example/ 50%", {"max_price": "2"}),
        ("", "", {}),
    ],
)  # fmt: skip
def test_what_is_typed(text: str, q: str | None, filters: dict[str, str]) -> None:
    assert typed_query(text) == (text if q is None else q, filters)


def test_typed_filters_join_those_of_the_form() -> None:
    query, values, changed = tidy_query(b"q=lang%3Ade+dr%3E%3D40+mill&lang=en&min_dr=10&max_price=50")
    assert values == {"q": "mill", "lang": "en,de", "min_dr": "40", "max_price": "50"}
    assert changed and tidy_query(query.encode()) == (query, values, False)
    assert tidy_query(b"q=mill") == ("q=mill", {"q": "mill"}, False)
    assert tidy_query(b"q=dr%3E%3D40")[1] == {"min_dr": "40"}
