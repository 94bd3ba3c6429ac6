"""Planted links against menus: where they lead, and what stands beside them."""

from __future__ import annotations

from afterdrop.review.page.planted import find_injected
from afterdrop.review.page.values import Category, Finding, OutLink, Spoken
from tests.unit.review.viewed import viewed

MENU = tuple(OutLink("example.com", f"Section {n}", True, True) for n in range(20))


def found(*links: OutLink) -> Finding[Category] | None:
    source = " ".join(link.text for link in links)
    return find_injected(viewed(source, links=links, spoken=Spoken("en")))


def hidden(text: str, domain: str = "pills.example", *, external: bool = True) -> OutLink:
    return OutLink(domain, text, True, external)


def test_a_hidden_link_to_the_own_domain_is_a_menu() -> None:
    own = tuple(hidden("Illinois sports betting sites", "paper.com", external=False) for _ in range(3))
    assert found(*own, OutLink("other.org", "A friend", False, True)) is None
    assert found(*own) is None


def test_a_hidden_link_elsewhere_is_planted() -> None:
    one = found(hidden("buy cialis online"))
    assert one is not None
    assert one.sure
    unknown = found(hidden("buy cialis online", external=False))
    assert unknown is not None
    assert unknown.sure


def test_one_label_in_a_hidden_menu_is_no_plant_but_three_are() -> None:
    one = found(*MENU, hidden("buy cialis online"))
    assert one is None or not one.sure
    three = found(
        *MENU,
        hidden("buy cialis online"),
        hidden("free spins no deposit"),
        hidden("payday loans no credit check"),
    )
    assert three is not None
    assert three.sure


def test_hidden_links_that_bear_one_medicines_name_to_two_sites_are_planted() -> None:
    both = found(hidden("cialis"), hidden("Cialis", "soft.org"))
    assert both is not None
    assert both.sure
    assert [item.quote for item in both.evidence] == ["cialis", "Cialis"]
    assert found(hidden("cialis"), hidden("Cialis")) is None
    assert (
        found(hidden("read about cialis and its history"), hidden("the history of cialis", "b.org")) is None
    )


def test_a_label_in_a_hidden_menu_of_other_sites_is_no_plant() -> None:
    menu = found(*MENU, hidden("Bingo", "bingo.org"), hidden("Bingo", "play.org"))
    assert menu is None or not menu.sure
