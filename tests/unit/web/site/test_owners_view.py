"""A report's page says whose the links are and offers each owner's old pages."""

from __future__ import annotations

from typing import Any

from afterdrop.review.history.life import life
from afterdrop.web.site.owners_view import kit_choices, share_of, whose_links
from tests.support import told_reports

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
    eras = life(report["history"])
    found = whose_links(report, eras)
    assert found is not None
    assert [(each.era, each.years, each.links, each.gone) for each in found.owners] == [
        (1, "2005–2012", 268, 2012),
        (2, "2014–2024", 63, None),
    ]
    assert (found.known, found.unknown) == (488, 157)
    assert {kind: round(share, 2) for kind, share in found.kinds.items()} == {"site": 0.55, "other": 0.13}
    assert share_of(found, 2) == found.owners[1].share
    assert share_of(found, None) is None
    assert share_of(found, 7) is None
    assert share_of(None, 1) is None
    assert [each["era"] for each in report["anchors"]["top"]] == [1, None, 1, 2]


def test_single_links_are_counted_where_they_are_known() -> None:
    links = [
        {"domain": f"n{n}.org", "text": text, "target": None, "first_seen": first, "last_seen": None}
        for n, (text, first) in enumerate(LINKS)
    ]
    report = told(links=links)
    assert [each["era"] for each in report["links"]] == [1, 1, 1, 1]
    found = whose_links(report, life(report["history"]))
    assert found is not None
    assert (found.known, found.unknown, len(found.owners)) == (4, 0, 1)


def test_nothing_is_said_where_nothing_is_known() -> None:
    report = told(anchors=None)
    assert report["link_eras"] is None
    assert whose_links(report, life(report["history"])) is None
    strangers: Any = {**told(), "link_eras": {"known": 3, "unknown": 3, "last_era": 2, "eras": []}}
    nobody: Any = whose_links(strangers, life(strangers["history"]))
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
