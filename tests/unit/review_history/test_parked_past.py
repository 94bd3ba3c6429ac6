"""Parking over a life: what is worth a flag."""

from __future__ import annotations

from afterdrop.review.history.findings import Finding
from afterdrop.review.history.parked_history import answered_alike, parked_finding
from afterdrop.review.history.timeline import stretches
from afterdrop.review.page.values import Evidence
from afterdrop.sources.archive.cdx import read_index
from tests.support.histories import INHERITED, index_of, page, parked, sample, stranger


def found(*samples: object) -> Finding | None:
    return parked_finding(stretches(index_of(), samples), INHERITED)  # type: ignore[arg-type]  # samples


def life(*odd: object) -> list[object]:
    return [*(sample(f"{year}-01") for year in range(2000, 2008)), *odd]


def test_never_parked() -> None:
    assert found(*life()) is None
    assert found() is None


def test_parked_at_the_end() -> None:
    told = found(*life(sample("2008-01", parked(provider="Sedo"))))
    assert told is not None
    assert told.severity == 1
    assert told.note == (
        "On 2008-01-01 the domain showed a for-sale page from Sedo. It was parked for less than 1% of the 8.0 years"
        " that the captures of its home page cover."
    )
    assert (told.url, told.quote, told.zone) == (
        sample("2008-01").replay_url,
        "this domain is for sale",
        "body",
    )


def test_a_share_of_the_time_says_of_how_much() -> None:
    told = found(sample("2014-01"), sample("2014-09", parked()), sample("2015-01"))
    assert told is not None
    assert told.note.endswith(
        "It was parked for 33% of the 12 months that the captures of its home page cover."
    )


def test_what_visitors_saw_is_quoted_before_the_source_of_a_page() -> None:
    source = Evidence("parking_markup", "for_sale", 3, "markup", "", "parking.markup: Dan", "v")
    said = Evidence("parking_phrase", "for_sale", 3, "title", "this name is for sale", "r", "v")
    told = found(*life(sample("2008-01", parked(evidence=(source, said)))))
    assert told is not None
    assert (told.quote, told.zone) == ("this name is for sale", "title")


def test_parked_for_a_quarter_of_the_time_is_a_risk_unless_it_was_a_placeholder() -> None:
    sold = found(sample("2000-01"), sample("2002-01", parked()), sample("2004-01"))
    assert sold is not None
    assert sold.severity == 2
    held = found(
        sample("2000-01"), sample("2002-01", parked("hosting_placeholder", evidence=())), sample("2004-01")
    )
    assert held is not None
    assert (held.severity, held.quote, held.rule) == (1, "", "")


def test_a_beginning_is_no_parking() -> None:
    soon = sample("1999-11", parked("coming_soon"))
    assert found(soon, *life()) is None
    assert found(sample("1999-11", parked("for_sale")), *life()) is not None
    assert found(soon) is not None


def test_one_lone_page_between_two_of_one_site_is_not_believed() -> None:
    lone = sample("2008-01", parked())
    assert (
        found(*life(lone, sample("2008-02"), *(sample(f"{year}-01") for year in range(2009, 2015)))) is None
    )
    sure = sample("2008-01", parked(severity=3))
    assert found(*life(sure, *(sample(f"{year}-01") for year in range(2008, 2015)))) is not None
    twice = (lone, sample("2008-02", parked()), *(sample(f"{year}-01") for year in range(2009, 2015)))
    assert found(*life(*twice)) is not None


def test_a_lone_page_between_two_owners_is_believed() -> None:
    after = [sample("2008-02", stranger()), *(sample(f"{year}-01", stranger()) for year in range(2009, 2015))]
    assert found(*life(sample("2008-01", parked()), *after)) is not None


def test_an_unnamed_kind() -> None:
    told = found(sample("2001-01", page(verdict="parked")))
    assert told is not None
    assert "a parking page. It" in told.note


def test_one_page_for_every_address_under_the_bare_name_is_a_placeholder() -> None:
    lines = [
        f"com,oldmill-bakery)/{n} 20100101000000 http://oldmill-bakery.com/{n} text/html 200 SAME 9"
        for n in range(6)
    ]
    index = read_index("\n".join(lines).encode(), "oldmill-bakery.com")
    bare = page(title="Welcome to oldmill-bakery.com", words=12, text="soon", brand_tokens=frozenset())
    seen = answered_alike(sample("2010-01", bare, digest="SAME"), index)
    assert (seen.kind, seen.page.parked_kind) == ("parked", "hosting_placeholder")
    assert seen.page.evidence[-1].rule == "6 addresses"
    for other in (
        sample("2010-01", bare, digest="OTHER"),
        sample("2010-01", page(words=12), digest="SAME"),
        sample("2010-01", page(title=None, words=300), digest="SAME"),
        sample("2010-01", parked(), digest="SAME"),
    ):
        assert answered_alike(other, index) is other
