"""Filters typed into the search box of a list."""

from __future__ import annotations

import pytest

from afterdrop.catalogue.lists.criteria import CRITERIA
from afterdrop.web.site.list_query import SiteQuery, tidy_query
from afterdrop.web.site.typed_query import EXAMPLES, SUGGESTIONS, typed_query
from afterdrop.web.strict_input import read_query


@pytest.mark.parametrize(
    ("text", "q", "filters"),
    [
        ("dr>30 lang:de,en price<300", "", {"min_dr": "31", "lang": "de,en", "max_price": "299"}),
        ("dr>=30 price<=300 garden", "garden", {"min_dr": "30", "max_price": "300"}),
        ("<=$1,500 rd>=1k", "", {"max_price": "1500", "min_ref_domains": "1000"}),
        ("rd>1.5k length<=12", "", {"min_ref_domains": "1501", "max_length": "12"}),
        ("first<2010 score>=50", "", {"max_first_year": "2009", "min_score": "50"}),
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
        # What people say for a filter's own word, and values as they write them.
        ("live>10 backlinks>=5", "", {"min_live_links": "11", "min_ref_domains": "5"}),
        ("ends<24h", "", {"ending_within_hours": "24"}),
        ("ends<2d", "", {"ending_within_hours": "48"}),
        ("left<=1.5d", "", {"ending_within_hours": "36"}),
        ("ending<1w", "", {"ending_within_hours": "168"}),
        ("usd<50 year<2005", "", {"max_price": "49", "max_first_year": "2004"}),
        ("archive-years>=5 taken>3", "", {"min_archive_years": "5", "min_extensions_taken": "4"}),
        ("tld=com without:casino", "", {"tld": "com", "exclude": "casino"}),
        ("starts:my suffix:shop", "", {"starts_with": "my", "ends_with": "shop"}),
        ("since:2026-11-20 drops_on:2026-11-30", "", {"since": "2026-11-20", "drops_on": "2026-11-30"}),
        ("value>100 volume>1k", "", {"min_valuation": "101", "min_searches": "1001"}),
        # No filters: they are searched for.
        ("- a-b 12:30 http://a.example/ 50% :) notes: -> => 5>3 a.b:c", None, {}),
        ("12:30 http://a.example/ 50% <3", "12:30 http://a.example/ 50%", {"max_price": "2"}),
        ("", "", {}),
    ],
)  # fmt: skip
def test_what_is_typed(text: str, q: str | None, filters: dict[str, str]) -> None:
    assert typed_query(text) == (text if q is None else q, filters, ())


@pytest.mark.parametrize(
    ("token", "why", "instead"),
    [
        ("foo>3", "", "dr>3"),
        ("sore>=5", "", "score>=5"),
        ("Lnag:de", "", "lang:de"),
        ("tdl:com", "", "tld:com"),
        ("größe>5", "", "score>5"),
        ("is:great", "", "is:clean"),
        ("is:no-digit", "", "is:no_digits"),
        ("$300", "", "<=$300"),
        ("$abc", "", ""),
        ("-dr>5", "only extensions and words can be left out", ""),
        ("-lang:de", "only extensions and words can be left out", ""),
        ("dr>abc", "DR takes a number from 0 to 100", "dr>20"),
        ("dr>300", "DR takes a number from 0 to 100", "dr>20"),
        ("dr>", "DR takes a number from 0 to 100", "dr>20"),
        ("dr<30", "DR takes a number from 0 to 100", "dr>20"),
        ("price>5", "Price takes a number", "price<100"),
        (">30", "Price takes a number", "price<100"),
        ("price<2d", "Price takes a number", "price<100"),
        ("ends<90d", "Ends within hours takes a number from 1 to 720", "ends<48"),
        ("ends<5k", "Ends within hours takes a number from 1 to 720", "ends<48"),
        ("live:10", "Links still there takes a number", "live>20"),
        (
            "type:foo",
            "Listing should be among bid, buy_now, pending_delete, auction",
            "type:auction",
        ),
        ("lang:xyz", "Language should be two-letter language codes", "lang:de"),
        (
            "since:today",
            "Found since must be an ISO 8601 time with Z or an offset, such as 2026-11-20T08:00:00Z",
            "since:2026-11-20",
        ),
    ],
)
def test_what_looks_like_a_filter_and_is_none_is_not_searched_for(token: str, why: str, instead: str) -> None:
    typed = typed_query(f"old {token} mill tf>=20")
    assert (typed.q, typed.filters, typed.unread) == ("old mill", {"min_tf": "20"}, ((token, why, instead),))
    assert typed.left == f"old mill {token}"
    if instead:
        assert typed_query(instead).filters


def test_every_suggestion_is_read_as_its_filter() -> None:
    assert {text: [*typed_query(text).filters] for text in EXAMPLES.values()} == {
        text: [name] for name, text in EXAMPLES.items()
    }
    said = {next(iter(typed_query(text).filters)) for text, _ in SUGGESTIONS}
    assert said == {each.name for each in CRITERIA.values() if "site" in each.places} - {"q"}


def test_what_was_not_understood_stays_in_the_box_and_narrows_nothing() -> None:
    query, values, changed = tidy_query(b"q=foo%3E3+mill+dr%3E%3D40")
    assert values == {"q": "mill foo>3", "min_dr": "40"} and changed
    assert tidy_query(query.encode()) == (query, values, False)
    read = read_query(query.encode(), SiteQuery)
    assert (read.q, read.asked()["min_dr"]) == ("mill", 40)
    assert read_query(b"q=foo%3E3", SiteQuery).asked() == {}


def test_typed_filters_join_those_of_the_form() -> None:
    query, values, changed = tidy_query(b"q=lang%3Ade+dr%3E%3D40+mill&lang=en&min_dr=10&max_price=50")
    assert values == {"q": "mill", "lang": "en,de", "min_dr": "40", "max_price": "50"}
    assert changed and tidy_query(query.encode()) == (query, values, False)
    assert tidy_query(b"q=mill") == ("q=mill", {"q": "mill"}, False)
    assert tidy_query(b"q=dr%3E%3D40")[1] == {"min_dr": "40"}
