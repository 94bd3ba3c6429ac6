"""What a report shows of single links: the strongest first, where they lead, and which are there today."""

from __future__ import annotations

from typing import Any, cast

from afterdrop.catalogue.shapes import FullReport
from afterdrop.web.site.links_view import link_targets, live_links, path_of, rank_line, sorted_links
from afterdrop.web.site.owners_view import OwnersLinks, WhoseLinks


def report(**members: Any) -> FullReport:
    return cast("FullReport", members)


def link(
    target: str | None, state: str | None, rating: int | None = None, era: int | None = None
) -> dict[str, Any]:
    today = {"state": state} if state else None
    return {"target": target, "today": today, "rating": rating, "era": era}


LINKS = [
    link("http://a.com/", "there", 10, 1),
    link("https://www.a.com/shop?page=2", "there", None, 2),
    link("http://a.com", "removed", 70, 1),
    link("http://a.com/shop?page=2", None, 5, None),
    link(None, "unread", None, 1),
    link("http://a.com/", None, None, None),
]


def test_links_by_the_address_they_lead_to() -> None:
    first, second = link_targets(report(links=LINKS))
    assert (first.path, first.links, first.there, first.strongest, first.eras) == ("/", 3, 1, 70, [1])
    assert (second.path, second.links, second.there, second.strongest, second.eras) == (
        "/shop?page=2", 2, 1, 5, [2]
    )  # fmt: skip
    assert link_targets(report()) == []


def test_the_strongest_links_come_first() -> None:
    assert [link["rating"] for link in sorted_links(report(links=LINKS))] == [70, 10, 5, None, None, None]


def test_paths_of_addresses() -> None:
    assert [path_of(address) for address in (None, "", "http://[a/b", "http://a.com/ä?b")] == [
        "",
        "",
        "",
        "/ä?b",
    ]


def owners() -> WhoseLinks:
    some = [OwnersLinks(number, f"Shop {number}", "2001–2009", 3, 0.5, None) for number in (1, 2, 3)]
    return WhoseLinks(6, 0, some, "of 6 known ones")


def test_what_became_of_the_links_in_words() -> None:
    counts = {"looked_at": 5, "there": 2, "removed": 1, "page_gone": 2, "domain_gone": 1, "unread": 0}
    found = live_links(report(links=LINKS, links_today=counts), owners())
    assert found is not None
    assert found.lost == "1 was taken away, 2 pages are gone, 1 referring domain is gone"
    assert [(owner.title, owner.links) for owner in found.owners] == [("Shop 1", 1), ("Shop 2", 1)]
    alone = live_links(report(links_today=counts), None)
    assert alone is not None and alone.owners == []
    assert (found.elsewhere, alone.elsewhere) == (0, 2)
    assert live_links(report(), None) is None


def test_the_course_of_the_cc_rank() -> None:
    places = [{"as_of": f"2025-0{month}-01", "rank": 70.0 + month} for month in (1, 2)]
    rising = rank_line(report(cc_rank={"places": places, "trend": "rising", "since": "2025-01-01"}))
    assert rising is not None and rising.word == "rising since Jan 2025" and rising.points.count(",") == 2
    single = rank_line(report(cc_rank={"places": places[:1], "trend": None, "since": None}))
    assert single is not None and (single.word, single.points) == ("", "")
    assert rank_line(report(cc_rank=None)) is None
