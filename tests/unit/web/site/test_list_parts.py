"""The parts of a list page that only decide: columns, tabs, rows, the query."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from afterdrop.catalogue.lists.criteria import CRITERIA
from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.catalogue.lists.sort_orders import Order
from afterdrop.catalogue.lists.wider import wider
from afterdrop.catalogue.status import Outcome
from afterdrop.watching.desk_rules import Marks
from afterdrop.web.problems import Invalid
from afterdrop.web.site.list_query import (
    FILTER_GROUPS,
    SiteQuery,
    chips_of,
    filter_words,
    list_options,
    presets,
    query_string,
    sorted_by,
    suggested,
    then_by,
    unkept_filters,
    widened,
)
from afterdrop.web.site.list_rows import (
    COLUMNS,
    DEFAULTS,
    RowAnnotations,
    arranged,
    columns_of,
    hunt_row,
    outcome_words,
    with_choice,
)
from afterdrop.web.site.templates import life_picture, short_left
from afterdrop.web.strict_input import read_query

NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)


def keys(kept: object, which: Any = "live") -> list[str]:
    """The keys of the columns shown."""
    return [column.key for column in columns_of(kept, which)]


@pytest.mark.parametrize(
    "kept", [None, {}, [], {"live": None}, {"live": []}, {"live": ["gone"]}, {"archive": ["tf"]}]
)
def test_without_a_choice_the_columns_are_the_lists_own(kept: object) -> None:
    assert keys(kept) == list(DEFAULTS["live"])


def test_chosen_columns_stand_in_the_order_of_their_places() -> None:
    chosen = arranged(["flags", "tf", "bogus", "score", "tf"], {"flags": 1, "score": 2})
    assert chosen == ["flags", "score", "tf"]
    kept = with_choice({"archive": ["dr"]}, "live", chosen)
    assert keys(kept) == chosen
    assert keys(kept, "archive") == ["dr"]
    assert with_choice(kept, "live", []) == {"archive": ["dr"]}
    assert with_choice(None, "live", ["tf"]) == {"live": ["tf"]}


def test_every_default_is_a_column_and_every_figure_sorts() -> None:
    assert all(key in COLUMNS for shown in DEFAULTS.values() for key in shown)
    assert {column.sort for column in COLUMNS.values() if column.number} == {
        *("tf", "cf", "dr", "ref_domains", "years", "price"),
        *("valuation", "searches", "cpc", "taken", "live_links"),
    }


def test_tabs_are_addresses_that_the_list_takes() -> None:
    tabs = presets("live", NOW, "Pacific/Auckland", NOW - timedelta(days=2))
    assert [tab.title for tab in tabs] == [
        *("All", "Ending today", "Under $100", "Drops tomorrow", "Free now", "New since Thursday"),
    ]
    for tab in tabs:
        read_query(query_string(tab.values).encode(), SiteQuery)
    # in Auckland it is the 21st already
    assert tabs[1].href == "/domains?ends_by=2026-11-21"
    assert tabs[3].href == "/domains?drops_on=2026-11-22"
    assert tabs[4].href == "/domains/available"
    assert tabs[2].shows("live", {"priced": "true", "max_price": "100", "page": "2", "sort": "tf-down"})
    assert not tabs[2].shows("archive", {"priced": "true", "max_price": "100"})
    assert presets("live", NOW, "UTC", NOW - timedelta(hours=3))[-1].title == "New since 15:00"
    assert presets("live", NOW, "UTC", NOW - timedelta(days=30))[-1].title == "New since 21 Oct"
    assert presets("live", NOW, "UTC", None)[-1].title == "Free now"
    assert [tab.href for tab in presets("archive", NOW, "UTC", NOW)][1] == "/domains/archive?outcome=caught"


def test_filters_in_use_are_not_suggested() -> None:
    assert [title for title, _ in suggested("live", {"lang": "de", "drops_on": "2026-11-21"})] == [
        *("No serious risk", "TF ≥ 20", "≤ $100"),
    ]
    assert "48 h" in [title for title, _ in suggested("live", {})]
    assert "48 h" not in [title for title, _ in suggested("archive", {})]


def test_every_filter_of_the_form_stands_in_one_group() -> None:
    grouped = [each.name for group in FILTER_GROUPS for each in group.filters]
    # the search box, what can only be typed, and what links and the addresses of 1.0 bring
    others = ["q", "source", "ends_by", "drops_on", "min_searches", "min_cpc"]
    on_site = [name for name, each in CRITERIA.items() if "site" in each.places]
    assert sorted([*grouped, *others]) == sorted(on_site)
    assert [group.title for group in FILTER_GROUPS if group.used({"lang": "de", "tag": "x"})] == [
        "Past",
        "Yours",
    ]


def test_choices_are_those_that_occur_and_those_in_use() -> None:
    occurring = {"language": {"pl": 1200, "de": 3}, "topic": {}, "marketplace": {"Catch & Co": 4}}
    options = list_options("live", occurring, {"lang": "de,cs", "marketplace": "Gone"})
    assert options["langs"] == [("pl", "Polish (1,200)"), ("de", "German (3)"), ("cs", "Czech (0)")]
    assert options["places"] == [("Catch & Co", "Catch & Co (4)"), ("Gone", "Gone (0)")]
    assert options["topics"] == []
    # what became of a name is asked of the archive, and nobody sells what is free
    assert [kind for kind in ("places", "outcomes") if kind in options] == ["places"]
    assert "outcomes" in list_options("archive", occurring, {})
    assert "places" not in list_options("available", occurring, {})


def query(text: str) -> SiteQuery:
    """The query string read."""
    return read_query(text.encode(), SiteQuery)


def test_the_site_sorts_by_every_column_and_as_the_api() -> None:
    assert query("sort=tf-up").order() == Order("tf", descending=False)
    assert query("sort=marketplace-down").order() == Order("marketplace", descending=True)
    assert query("sort=newest").order() == "newest"
    several = (
        Order("tf", descending=True),
        Order("price", descending=False),
        Order("name", descending=False),
    )
    assert query("sort=tf-down,price-up,name-up").order() == several
    assert query("").order() is None


@pytest.mark.parametrize(
    "text",
    [
        *("sort=tf-up,tf-down", "sort=tf-up,newest", "sort=tf-up,cf-up,dr-up,score-up"),
        *("sort=tf", "sort=age-up", "sort=tf-UP", "source=A", "source=a,B!", "tag=" + "x" * 31),
        *("outcome=gone", "ends_by=today", "drops_on=20261120", "drops_on=2026-02-30"),
        *("drops_on=9999-12-31", "min_age=99", "marketplace=" + "x" * 101),
        "open=" + "x" * 254,
    ],
)  # fmt: skip
def test_what_a_filter_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        query(text)


def test_filters_of_the_site_are_read_and_said() -> None:
    asked = query(
        "tag=Shortlist,own%20word&source=market_a&outcome=caught&ends_by=2026-11-20&min_age=10&priced=true"
    )
    values = asked.asked()
    assert values["tag"] == ("shortlist", "own word")
    assert values["ends_by"] == date(2026, 11, 20)
    days = asked.days("Asia/Tokyo")["ends_by"]
    assert days.bounds()[1] == datetime(2026, 11, 20, 14, 59, 59, tzinfo=UTC).timestamp()
    assert query("").days("UTC") == {}
    assert unkept_filters(asked) == [
        *(
            "10+ years old",
            "tagged shortlist, own word",
            "caught",
            "ends by 2026-11-20",
        ),
    ]
    assert filter_words({"ending_within_hours": "120"}) == {"ending_within_hours": "ends within 5 days"}
    assert filter_words({"ending_within_hours": "50"}) == {"ending_within_hours": "ends within 50 h"}


def test_a_click_on_a_column_sorts_by_it_first() -> None:
    score, price = Order("score", descending=True), Order("price", descending=False)
    assert sorted_by("price", False, [score], False) == "price-up"
    assert sorted_by("price", False, [score], True) == "price-up,score-down"
    assert sorted_by("price", False, [price, score], True) == "price-down,score-down"
    others = [price, score, Order("tf", descending=True)]
    assert sorted_by("dr", True, others, True) == "dr-down,price-up,score-down"


def test_a_click_with_the_shift_key_adds_a_column_to_the_order() -> None:
    score, price, tf = Order("score", descending=True), Order("price", False), Order("tf", descending=True)
    assert then_by("price", False, [score]) == "score-down,price-up"
    assert then_by("score", True, [score]) == "score-up"
    assert then_by("price", False, [score, price, tf]) == "score-down,price-down,tf-down"
    assert then_by("dr", True, [score, price, tf]) == "score-down,price-up,dr-down"


def test_chips_are_short_and_go_with_what_belongs_to_them() -> None:
    values = {
        "q": "x",
        "lang": "en,de",
        "min_tf": "20",
        "max_price": "100",
        "priced": "true",
        "topic": "Arts",
    }
    assert chips_of(values) == [
        ("English, German", ("lang",)),
        ("TF ≥ 20", ("min_tf",)),
        ("≤ $100", ("max_price", "priced")),
        ("Topic: Arts", ("topic",)),
    ]
    assert chips_of({"max_price": "50", "{}": "1"})[0] == (
        "Up to $50, or no price yet",
        ("max_price", "priced"),
    )
    assert chips_of({"priced": "true"}) == [("With a price", ("priced",))]


def test_ways_to_widen_are_links_that_change_one_filter() -> None:
    wanted = ListFilter.of(min_tf=20, lang=["en"], ending_within_hours=48, unseen=["a.com"])
    values = {"min_tf": "20", "lang": "en", "ending_within_hours": "48", "unseen": "true"}

    def here(**changes: Any) -> str:
        return query_string(
            {name: value for name, value in {**values, **changes}.items() if value is not None}
        )

    ways = widened([(way, 3) for way in wider(wanted)], here, filter_words(values))
    said = {text: query for text, query, _ in ways}
    assert said["Ends within 5 days"] == "min_tf=20&lang=en&ending_within_hours=120&unseen=true"
    assert said["TF from 10"] == "min_tf=10&lang=en&ending_within_hours=48&unseen=true"
    assert said["Without: language en"] == "min_tf=20&ending_within_hours=48&unseen=true"
    assert said["Without: not seen before"] == "min_tf=20&lang=en&ending_within_hours=48"


def item(**values: Any) -> Any:
    """A row of the site with what its strip and end need."""
    listing = {"ends_at": values.pop("ends_at", None), "opens_at": values.pop("opens_at", None)}
    return {"domain": "a.com", "detail": "full", "listing": listing, "outcome": None, **values}


def test_a_row_shows_the_life_to_those_who_see_the_report() -> None:
    kept = RowAnnotations(
        {"a.com": "s200403201509"}, {"a.com"}, {"a.com": Marks(("won",), "note")}, {"a.com"}
    )
    full = hunt_row(item(), kept, NOW, "a.com")
    assert full.life == "s200403201509"
    assert 'aria-label="site 2004–2015"' in life_picture(full.life, 2026)
    assert (full.followed, full.seen, full.opened, full.tags, full.note) == (
        True,
        True,
        True,
        ("won",),
        "note",
    )
    assert hunt_row(item(detail="basic"), kept, NOW, "").life is None
    plain = hunt_row(item(), RowAnnotations(), NOW, "")
    assert (plain.life, plain.followed, plain.opened, plain.tags) == (None, False, False, ())


def test_an_end_within_six_hours_is_soon() -> None:
    for hours, soon in ((-1, False), (5, True), (7, False)):
        ends_at = f"{NOW + timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}"
        assert hunt_row(item(ends_at=ends_at), RowAnnotations(), NOW, "").soon is soon
        later = f"{NOW + timedelta(hours=9):%Y-%m-%dT%H:%M:%SZ}"
        open_now = hours < 0
        assert hunt_row(item(ends_at=later, opens_at=ends_at), RowAnnotations(), NOW, "").soon is (
            soon or open_now
        )


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (None, ""),
        (Outcome(became="renewed", registrar=None, days=None), "Renewed"),
        (Outcome(became="caught", registrar="Gandi", days=2), "Caught by Gandi after 2 d"),
        (Outcome(became="caught", registrar=None, days=0), "Caught the same day"),
        (Outcome(became="caught", registrar=None, days=None), "Caught after the drop"),
    ],
)
def test_an_outcome_is_said_with_what_is_known(outcome: Outcome | None, words: str) -> None:
    assert outcome_words(outcome) == words


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        *((40, "40 m"), (130, "2 h 10 m"), (9 * 60 + 5, "9 h"), (28 * 60, "1 d 4 h"), (48 * 60, "2 d")),
        *((80 * 60, "3 d"), (-50, "50 m ago"), (-28 * 60, "1 d ago")),
    ],
)
def test_the_time_left_in_a_few_characters(minutes: int, words: str) -> None:
    assert short_left(NOW + timedelta(minutes=minutes), NOW) == words
    assert short_left(None, NOW) == "–"
