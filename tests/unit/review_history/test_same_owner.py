"""Who is taken for one owner: what redesigns keep, what a new owner lacks, and pages that say nothing."""

from __future__ import annotations

import pytest

from afterdrop.review.history.eras import eras
from afterdrop.review.history.likeness import content_words, likeness
from afterdrop.review.history.same_owner import one_owner, owned, points, traits
from afterdrop.review.history.timeline import stretches
from afterdrop.review.page.values import OutLink, PageReading
from tests.support.histories import BREAD, BROT, INHERITED, SHIPS, day, index_of, page, sample, stranger

EMPTY = page(title=None, text="", brand_tokens=frozenset())


def between(ours: PageReading, theirs: PageReading) -> float:
    return points(traits(ours, INHERITED), traits(theirs, INHERITED))


def numbers(*readings: PageReading) -> list[int]:
    """The owner of each page, a year apart."""
    samples = [sample(f"{2001 + place}-01", reading) for place, reading in enumerate(readings)]
    return list(owned(stretches(index_of(), samples), INHERITED).owner.values())


def links(*domains: str) -> tuple[OutLink, ...]:
    return tuple(OutLink(domain, "", False, True) for domain in domains)


@pytest.mark.parametrize(
    "kept",
    [
        {"accounts": frozenset({"UA-1234567", "GTM-ABCD"})},
        {"contacts": frozenset({"4312345678", "mill.test"})},
        {"links": links("guild.test", "flour.test", "wheat.test")},
        {"hreflangs": frozenset({"en-gb"}), "language": "de", "text": BROT},
    ],
)
def test_a_renamed_site_of_other_words_keeps_something(kept: dict[str, object]) -> None:
    ours = page(
        **{name: value for name, value in kept.items() if name not in ("hreflangs", "language", "text")}
    )
    assert one_owner(ours, stranger(**kept), INHERITED)


def test_another_owner_lacks_it() -> None:
    ours = page(accounts=frozenset({"UA-1"}), links=links("guild.test", "facebook.com"))
    theirs = stranger(accounts=frozenset({"UA-2"}), links=links("guild.test", "facebook.com"))
    assert not one_owner(ours, theirs, INHERITED)
    assert not one_owner(page(), stranger(text=BROT, language="de"), INHERITED)


def test_one_word_of_many_in_common_is_no_name() -> None:
    club = frozenset({"larch", "cycling", "road", "touring", "madison"})
    gallery = frozenset({"marl", "print", "gallery", "etchings", "madison"})
    assert between(page(brand_tokens=club), stranger(brand_tokens=gallery)) == -1
    assert between(page(brand_tokens=club), stranger(brand_tokens=club)) == 1


def test_the_domain_s_own_name_is_anyone_s() -> None:
    mill = frozenset({"oldmill"})
    assert between(page(brand_tokens=mill), stranger(brand_tokens=mill)) == 0
    assert between(page(brand_tokens=mill), stranger()) == -2.5


def test_the_town_both_are_in_is_no_owner_if_only_one_is_called_as_the_domain() -> None:
    club = page(brand_tokens=frozenset({"oldmill", "touring", "cycling", "road", "madison"}))
    print_shop = page(
        brand_tokens=frozenset({"marl", "print", "woodcuts", "etchings", "madison"}), title="Prints"
    )
    assert between(club, print_shop) == between(page(), page(title="Prints")) - 3.5
    assert not one_owner(club, stranger(brand_tokens=print_shop.brand_tokens), INHERITED)


def test_texts_in_one_language_speak_as_well() -> None:
    some = stranger(text=BREAD[:120] + SHIPS)
    assert [between(page(), other) for other in (stranger(text=BREAD), some, stranger())] == [-0.5, -1.5, -3]


def test_a_page_that_says_nothing_belongs_to_who_was_there_before() -> None:
    assert numbers(EMPTY, page(), EMPTY, stranger(), EMPTY) == [1, 1, 1, 2, 2]
    assert numbers(EMPTY, EMPTY) == [1, 1]
    assert one_owner(EMPTY, page(), INHERITED)


def test_only_a_page_that_is_clearly_of_both_joins_two() -> None:
    vague = page(title="Welcome", brand_tokens=frozenset(), text=BROT, language="de")
    assert numbers(page(), vague, stranger()) == [1, 1, 2]
    bridge = page(title="Harris", brand_tokens=frozenset({"harris", "adriatic"}), text=BREAD + SHIPS)
    assert numbers(page(), bridge, stranger()) == [1, 1, 1]


def test_what_nothing_clearly_ties_to_the_pages_before_may_be_anothers() -> None:
    """No page says that the owner changed, and none that it did not: both are told."""
    vague = page(title="Welcome", brand_tokens=frozenset(), text=BROT * 3, language="de")
    samples = [sample("2001-01"), sample("2002-01"), sample("2003-01", vague), sample("2004-01", vague)]
    parts = stretches(index_of(), samples)
    told = owned(parts, INHERITED)
    assert list(told.owner.values()) == [1, 1, 1, 1]
    assert told.loose == {samples[2].at}
    found = eras(parts, told)
    assert [(era.start.year, era.end.year, era.owner, era.perhaps_other) for era in found] == [
        (2001, 2002, 1, False),
        (2003, 2004, 1, True),
    ]


def test_a_short_stay_of_few_words_is_a_fault() -> None:
    login = stranger(text="Log in", title="Control panel", brand_tokens=frozenset({"panel"}))
    index = index_of(("2001-01", "A"), ("2005-01", "B"), ("2005-02", "A2"))
    told = [
        sample("2001-01", digest="A"),
        sample("2005-01", login, digest="B"),
        sample("2005-02", digest="A2"),
    ]
    assert list(owned(stretches(index, told), INHERITED).owner.values()) == [1, 1, 1]
    assert numbers(login) == [1]


def test_who_takes_turns_twice_is_one() -> None:
    german = page(text=BROT, language="de", title="Brot", brand_tokens=frozenset({"weizen"}))
    assert numbers(page(), german, page(), german) == [1, 1, 1, 1]
    assert numbers(page(), stranger(), page()) == [1, 2, 1]


def test_who_comes_after_another_is_known_by_more_than_a_subject() -> None:
    """Two clubs of one kind, with a library between: their pages are alike, but name, town and telephone are not."""
    club = frozenset({"mountain", "routes", "shelter"})
    first = page(brand_tokens=club | {"oldmill", "morelia"}, contacts=frozenset({"4312345678"}), title="Club")
    second = stranger()
    third = page(brand_tokens=club | {"fountain", "cuenca"}, contacts=frozenset({"4387654321"}), title="Club")
    assert between(first, third) > 1
    assert numbers(first, first, second, second, third, third) == [1, 1, 2, 2, 3, 3]
    assert numbers(first, third) == [1, 1]
    back = page(brand_tokens=frozenset({"routes"}), contacts=first.contacts, title="Club")
    assert numbers(first, second, back) == [1, 2, 1]
    assert numbers(first, second, EMPTY) == [1, 2, 2]


def test_content_words() -> None:
    assert content_words("their bakery bakery") == {"bakery": 2}
    assert set(content_words("パン屋さん")) == {"パン", "さん"} | {"ン屋", "屋さ"}
    assert likeness(BREAD, BREAD) == pytest.approx(1)
    assert likeness(BREAD, "short") is None


AGENCY = frozenset({"pixel.test", "4309609990"})


def test_what_is_shared_beside_another_number_and_another_mail_is_a_third_partys() -> None:
    ours = page(contacts=AGENCY | {"mill.test", "431111111"}, links=links("loft.test", "guild.test"))
    theirs = {"contacts": AGENCY | {"ships.test", "432222222"}, "links": links("loft.test", "guild.test")}
    assert between(ours, stranger(**theirs)) == between(page(), stranger())
    assert not one_owner(ours, stranger(**theirs), INHERITED)
    # One that is kept beside another is the owner's.
    kept = stranger(contacts=frozenset({"ships.test", "431111111"}))
    assert between(ours, kept) == between(page(), stranger()) + 3
    assert numbers(page(), stranger(**theirs), ours) == [1, 2, 1]


def test_sites_that_any_owner_links_to_are_nobodys() -> None:
    linked = links(
        "joomla.org", "e-recht24.de", "wordpress.org", "europa.eu", "wikipedia.org", "amazon.com", "t.co"
    )
    assert between(page(links=linked), stranger(links=linked)) == between(page(), stranger())
    made = {
        "text": f"{SHIPS} Theme: Loft by Loft Themes",
        "links": (OutLink("loft.test", "Loft Themes", False, True),),
    }
    ours = page(text=f"{BREAD} Theme by Loft Themes", links=made["links"])
    assert between(ours, stranger(**made)) == between(page(), stranger())


REACHED = frozenset({"mill.test", "431111111"})
SOLD = links("bets.test")


@pytest.mark.parametrize(
    ("after", "owners"),
    [
        ({"contacts": frozenset({"431111111"})}, [1, 1, 2, 2]),
        ({"contacts": REACHED, "links": SOLD}, [1, 1, 2, 2]),
        ({"contacts": REACHED}, [1, 1, 1, 1]),
        ({"contacts": REACHED | {"432222222"}}, [1, 1, 1, 1]),
        ({"contacts": frozenset({"431111111"}), "text": f"{BREAD} Since 2014 we deliver."}, [1, 1, 1, 1]),
        ({"contacts": frozenset({"431111111"}), "text": BREAD[:160]}, [1, 1, 1, 1]),
    ],
)
def test_a_copy_put_up_after_the_name_was_away(after: dict[str, object], owners: list[int]) -> None:
    ours = page(contacts=REACHED)
    samples = [
        *(sample(f"200{n}-01", ours) for n in (1, 2)),
        *(sample(f"201{n}-01", page(**after)) for n in (0, 1)),
    ]
    parts = stretches(index_of(), samples)
    assert list(owned(parts, INHERITED, [day("2005-01")]).owner.values()) == owners
    assert set(owned(parts, INHERITED, [day("2011-06")]).owner.values()) == {1}
    assert set(owned(parts, INHERITED).owner.values()) == {1}


def selling(*words: str) -> tuple[OutLink, ...]:
    return tuple(OutLink(f"site-{place}.test", text, False, True) for place, text in enumerate(words))


CLONE = page(contacts=REACHED, links=selling("online casino", "essay help", "payday loans"))
POKER = "Poker night, poker league and a poker school for beginners, with poker chips for all. "


@pytest.mark.parametrize(
    ("years", "after", "owners"),
    [
        ((2001, 2003, 2010, 2011), [CLONE, CLONE], [1, 1, 2, 2]),
        ((2001, 2003, 2010, 2011), [page(contacts=REACHED), CLONE], [1, 1, 1, 2]),
        (
            (2001, 2003, 2010, 2011),
            [page(links=(OutLink("casino-slots.test", "", False, True), *CLONE.links))] * 2,
            [1, 1, 2, 2],
        ),
        # Somebody broke in: it was mended.
        ((2001, 2003, 2010, 2011), [CLONE, page(contacts=REACHED)], [1, 1, 1, 1]),
        # A sponsor, a paper's sources, and a trade of one's own.
        (
            (2001, 2003, 2010, 2011),
            [page(contacts=REACHED, links=selling("Grand Casino", "our bank", "flour"))] * 2,
            [1, 1, 1, 1],
        ),
        (
            (2001, 2003, 2010, 2011),
            [
                page(
                    links=selling(
                        *(f"a study of the online casino number {n} in this town" for n in range(3))
                    )
                )
            ]
            * 2,
            [1, 1, 1, 1],
        ),
    ],
)
def test_who_sells_links_on_the_old_page_is_not_its_owner(
    years: tuple[int, ...], after: list[PageReading], owners: list[int]
) -> None:
    ours = page(contacts=REACHED)
    told = [sample(f"{year}-01", each) for year, each in zip(years, [ours, ours, *after], strict=True)]
    assert list(owned(stretches(index_of(), told), INHERITED).owner.values()) == owners


def test_links_without_a_pause_or_of_the_own_trade_change_no_owner() -> None:
    ours = page(contacts=REACHED)
    close = [sample(when, each) for when, each in (("2010-01", ours), ("2010-09", CLONE), ("2011-03", CLONE))]
    assert set(owned(stretches(index_of(), close), INHERITED).owner.values()) == {1}
    gone = owned(stretches(index_of(), close), INHERITED, [day("2010-05")])
    assert list(gone.owner.values()) == [1, 2, 2]
    club = page(text=POKER * 4 + BREAD)
    rivals = page(text=POKER * 4 + BREAD, links=selling("poker", "online poker", "poker room"))
    assert numbers(club, rivals) == [1, 1]
    assert numbers(page(links=CLONE.links), CLONE) == [1, 1]
