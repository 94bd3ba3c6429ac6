"""A report's page says whose the links are and offers each owner's old pages."""

from __future__ import annotations

from typing import Any

import pytest

from afterdrop.review.history.life import stored_life
from afterdrop.web.site.owners_view import first_links, kit_choices, owner_lines, share_words, whose_links
from tests.support import told_reports

BASE = "the 488 links we know by text, of 752 referring domains"
LINKS = [
    ("Harris bread", "2008-01-01"),
    ("here", "2009-01-01"),
    ("Adriatic charter", None),
    ("here", None),
]


def told(**figures: Any) -> Any:
    made = told_reports.turned()
    if figures:
        made = told_reports.judged([*told_reports.bread(2005, 2012)], told_reports.metrics(**figures), 222)
    return told_reports.listed_report(made, "oldmill-bakery.com", 222)


def test_the_texts_tell_whose_links_are_where_no_link_is_known() -> None:
    report = told()
    eras = stored_life(report["history"])
    found = whose_links(report, eras)
    assert found is not None
    assert [(each.era, each.years, each.links, each.gone) for each in found.owners] == [
        (1, "2005–2012", 268, 2012),
        (2, "2014–2024", 63, None),
    ]
    assert (found.known, found.unknown) == (488, 157)
    assert found.kinds == {"site": f"55% of {BASE}", "other": f"13% of {BASE}"}
    assert share_words(found, 2) == f"13% of {BASE}"
    assert [each.links for each in owner_lines(eras, found)] == [f"55% of {BASE}", f"13% of {BASE}"]
    assert share_words(found, None) == share_words(found, 7) == share_words(None, 1) == ""
    assert [each["era"] for each in report["anchors"]["top"]] == [1, None, 1, 2]


def test_single_links_are_counted_where_they_are_known() -> None:
    links = [
        {"domain": f"n{n}.org", "text": text, "target": None, "first_seen": first, "last_seen": None}
        for n, (text, first) in enumerate(LINKS)
    ]
    report = told(links=links)
    assert [each["era"] for each in report["links"]] == [1, 1, 1, 1]
    found = whose_links(report, stored_life(report["history"]))
    assert found is not None
    assert (found.known, found.unknown, len(found.owners)) == (4, 0, 1)
    assert found.base == "the 4 links we know, of 752 referring domains"


@pytest.mark.parametrize(
    ("known", "figures", "base"),
    [
        (60, {"backlinks": 1584, "referring_domains": 264}, "the 60 links we know, of 1,584 in all"),
        (60, {"backlinks": None, "referring_domains": 264}, "the 60 links we know, of 264 referring domains"),
        (1, {"backlinks": 2, "referring_domains": None}, "the one link we know, of 2 in all"),
        # A total that cannot be one is none: another index saw fewer links.
        (60, {"backlinks": 60, "referring_domains": 12}, "the 60 links we know"),
        (1200, {"backlinks": None, "referring_domains": None}, "the 1,200 links we know"),
    ],
)
def test_a_share_says_of_how_many_links_it_is(known: int, figures: dict[str, Any], base: str) -> None:
    links = {"known": known, "unknown": 0, "last_era": 2, "eras": [{"era": 1, "links": known, "share": 1.0}]}
    report: Any = {**told(), "link_eras": links, "links": [{}]}
    report["metrics"] = {**report["metrics"], **figures}
    eras = stored_life(report["history"])
    assert share_words(whose_links(report, eras), 1) == f"100% of {base}"
    assert first_links(eras, whose_links(report, eras)) == f" The first site earned 100% of {base}."
    assert first_links(eras[:1], whose_links(report, eras)) == ""


def test_next_to_nothing_is_not_told() -> None:
    links = {"known": 100, "unknown": 96, "last_era": 2, "eras": [{"era": 1, "links": 4, "share": 0.04}]}
    report: Any = {**told(), "link_eras": links}
    eras = stored_life(report["history"])
    assert first_links(eras, whose_links(report, eras)) == first_links(eras, None) == ""


def test_nothing_is_said_where_nothing_is_known() -> None:
    report = told(anchors=None)
    assert report["link_eras"] is None
    assert whose_links(report, stored_life(report["history"])) is None
    strangers: Any = {**told(), "link_eras": {"known": 3, "unknown": 3, "last_era": 2, "eras": []}}
    nobody: Any = whose_links(strangers, stored_life(strangers["history"]))
    assert [each.links for each in nobody.owners] == [0, 0]


def test_the_kit_of_the_longest_owner_is_chosen_unless_another_is() -> None:
    report = told()
    assert [(kit.era, kit.years, kit.chosen) for kit in kit_choices(report, None)] == [
        (2, "2014–2024", True),
        (1, "2005–2012", False),
    ]
    assert [kit.chosen for kit in kit_choices(report, 1)] == [False, True]
    assert [kit.chosen for kit in kit_choices(report, 9)] == [True, False]
    without: Any = {**report, "revival_kit": {"pages": 0, "url": None}}
    assert kit_choices(without, None) == []
