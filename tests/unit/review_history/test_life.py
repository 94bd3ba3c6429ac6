"""Eras as people are shown them, and the sentence that tells them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterdrop.review.history.domain_history import History, review
from afterdrop.review.history.life import LifeEra, packed, site_title, stored_life, story, unpacked
from afterdrop.review.history.samples import Sample
from afterdrop.review.page.values import PageReading
from tests.support.agreement import disagreements
from tests.support.histories import BROT, NOW, day, evidence, index_of, page, parked, sample, spam, stranger

HARRIS = "“Harris & Sons, craft bread since 1911”"


def reviewed(*samples: Sample) -> History:
    """The history of these captures, all of the home page."""
    index = index_of(*((f"{one.at:%Y-%m-%d}", one.digest) for one in samples if one.home))
    return review(index, samples, NOW)


def told(*samples: Sample) -> tuple[tuple[LifeEra, ...], str]:
    """The eras and the sentence."""
    found = reviewed(*samples)
    assert disagreements(found, NOW) == []
    eras = found.life
    return eras, story(eras)


def stored(kind: str, start: str, end: str, **more: object) -> dict[str, object]:
    """An era as a report stores it."""
    days = {"start": f"{start}T00:00:00Z", "end": f"{end}T00:00:00Z"}
    return {"kind": kind, **days, "captures": 3, "days": 3, "url": "", **more}


GAP = {"code": "gap", "severity": 1, "note": "", "years": [2004, 2007]}


def bread(first: int, last: int) -> list[Sample]:
    """The bakery's site, a capture a year."""
    return [sample(f"{year}-03") for year in range(first, last + 1)]


def ships(first: int, last: int) -> list[Sample]:
    """Another owner's site."""
    return [sample(f"{year}-03", stranger()) for year in range(first, last + 1)]


def test_one_site_all_along() -> None:
    eras, said = told(*bread(2001, 2006))
    assert [(era.kind, era.owner, era.years, era.captures) for era in eras] == [("site", 1, "2001–2006", 6)]
    assert said == f"{HARRIS} 2001–2006."
    assert eras[0].excerpt is not None
    assert eras[0].excerpt.startswith("Our sourdough loaves")
    assert 220 < len(eras[0].excerpt) <= 240
    assert eras[0].excerpt.endswith("…")
    assert f" {eras[0].excerpt[:-1].split()[-1]} " in f" {page().text} ".replace(",", " ")


def test_another_owner_follows() -> None:
    eras, said = told(*bread(2001, 2004), *ships(2006, 2009))
    assert [(era.kind, era.owner) for era in eras] == [("site", 1), ("other", 2)]
    assert said == (
        f"{HARRIS} 2001–2004, then another owner’s site, “Blue Adriatic yacht charter”, 2006–2009."
    )


def test_the_first_owner_may_come_back() -> None:
    eras, said = told(*bread(2001, 2004), *ships(2006, 2009), *bread(2011, 2013))
    assert [(era.kind, era.owner) for era in eras] == [("site", 1), ("other", 2), ("site", 1)]
    assert said.startswith(f"{HARRIS} 2001–2004 and 2011–2013; another owner’s site")


def test_years_that_meet_are_told_as_one() -> None:
    site = stored("site", "2001-01-01", "2004-02-01", owner=1)
    back = stored("site", "2004-09-01", "2006-01-01", owner=1)
    sale = stored("parked", "2004-04-01", "2004-05-01", detail="for_sale")
    eras = stored_life(
        {"eras": [site, sale, back], "findings": [{"code": "parked", "severity": 1, "note": ""}]}
    )
    assert story(eras) == "A site 2001–2006; for sale 2004."


def test_parking_is_for_sale_or_a_placeholder() -> None:
    eras, said = told(
        sample("2000-01", parked("hosting_placeholder")),
        *bread(2001, 2004),
        *(sample(f"{year}-03", parked("pay_per_click")) for year in (2005, 2006, 2007)),
        sample("2008-03", parked("coming_soon")),
    )
    assert [(era.kind, era.title) for era in eras] == [
        ("holder", "Placeholder"),
        ("site", "Harris & Sons, craft bread since 1911"),
        ("sale", "Paid links"),
        ("holder", "Coming soon"),
    ]
    assert said == (
        f"A placeholder 2000, then {HARRIS} 2001–2004, then a page of paid links 2005–2007, then a coming-soon page"
        " 2008."
    )


def test_a_placeholder_before_the_site_is_no_flag_but_not_denied_either() -> None:
    found = reviewed(sample("2000-01", parked("hosting_placeholder")), *bread(2001, 2006))
    assert disagreements(found, NOW) == []
    assert [era.kind for era in found.life] == ["holder", "site"]


def test_a_lone_parking_page_that_the_review_does_not_believe_is_no_era() -> None:
    eras, said = told(
        *bread(2001, 2004), sample("2004-09", parked("hosting_placeholder")), *bread(2005, 2009)
    )
    assert [(era.kind, era.years) for era in eras] == [("site", "2001–2009")]
    assert said == f"{HARRIS} 2001–2009."


def test_an_outage_passes_and_a_long_one_does_not() -> None:
    down = [sample(f"2005-{month:02}", status=503) for month in (2, 4, 6)]
    assert [era.kind for era in told(*bread(2001, 2004), *down[:2], *bread(2006, 2009))[0]] == ["site"]
    assert [era.kind for era in told(*bread(2001, 2004), *down, *bread(2006, 2009))[0]] == [
        "site",
        "error",
        "site",
    ]
    eras, said = told(*down, sample("2007-01", redirected_to="http://x.test/"))
    assert [era.title for era in eras] == ["Error pages", "Redirect elsewhere"]
    assert said == "Error pages 2005, then a redirect elsewhere 2007."


def test_a_gap_is_an_era_and_cuts_the_one_around_it() -> None:
    eras, said = told(*bread(2001, 2003), *bread(2008, 2010))
    assert [(era.kind, era.years, era.captures) for era in eras] == [
        ("site", "2001–2003", None),
        ("gap", "2004–2007", None),
        ("site", "2008–2010", None),
    ]
    assert said == f"{HARRIS} 2001–2003 and 2008–2010; nothing archived 2004–2007."
    # The last capture read is of 2010 and is no picture of the years before the gap.
    before, _, after = eras
    assert (before.url, before.at, before.excerpt) == ("", None, None)
    assert after.at is not None
    assert after.at.year == 2010
    assert after.url


def test_a_gap_leaves_room_for_what_stood_in_it() -> None:
    old = stored("error", "2005-03-01", "2006-03-01")
    eras = stored_life({"eras": [old], "findings": [GAP]})
    assert [(era.kind, era.years) for era in eras] == [
        ("gap", "2004–2005"),
        ("error", "2005–2006"),
        ("gap", "2006–2007"),
    ]


def test_a_gap_is_told_from_its_years_whatever_its_note_says() -> None:
    found = reviewed(*bread(2001, 2003), *bread(2008, 2010)).to_dict()
    [gap] = [finding for finding in found["findings"] if finding["code"] == "gap"]
    assert gap["years"] == [2004, 2007]
    gap["note"] = "in other words"
    assert [era.years for era in stored_life(found) if era.kind == "gap"] == ["2004–2007"]


def test_spam_rejects_and_suspects_stand_with_it() -> None:
    casino = spam(text=f"{BROT} Welcome to the best online casino in town {BROT}")
    eras, said = told(*bread(2001, 2004), *(sample(f"{year}-03", casino) for year in (2006, 2007, 2008)))
    assert [(era.kind, era.title) for era in eras[1:]] == [("spam", "Gambling spam")]
    assert said == f"{HARRIS} 2001–2004, then gambling spam 2006–2008."
    assert eras[1].excerpt is not None
    assert "best online casino" in eras[1].excerpt[:120]
    doubtful = stranger(verdict="suspect", category="gambling", evidence=(evidence("title", 2),))
    later = [sample(f"{year}-03", doubtful) for year in (2006, 2007, 2008)]
    assert [era.kind for era in told(*bread(2001, 2004), *later)[0]] == ["site", "spam"]


def test_a_spam_capture_that_does_not_reject_is_a_possible_one() -> None:
    eras, said = told(
        *bread(2001, 2004), sample("2005-01", spam("body", title=page().title)), *bread(2006, 2009)
    )
    assert [(era.kind, era.title) for era in eras] == [
        ("site", "Harris & Sons, craft bread since 1911"),
        ("spam", "Possible gambling spam"),
        ("site", "Harris & Sons, craft bread since 1911"),
    ]
    assert "possible gambling spam 2005" in said


@pytest.mark.parametrize("history", [None, {}, {"eras": None, "findings": None}])
def test_nothing_read_is_no_life(history: Any) -> None:
    assert stored_life(history) == ()
    assert story(stored_life(history)) == ""


def test_reports_of_earlier_rules_are_read_too() -> None:
    eras = stored_life({"eras": [stored("spam", "2015-01-01", "2016-01-01", detail=None)]})
    assert [(era.kind, era.title) for era in eras] == [("spam", "Spam")]
    calm = {"outcome": "ok", "eras": [stored("spam", "2015-01-01", "2015-01-01", title="x")]}
    assert stored_life(calm)[0].kind == "site"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        (None, None),
        ("Home", None),
        ("Home\u202e\n of bread", "Home of bread"),
        ("Home – The Old Mill", "The Old Mill"),
        ("Welcome | Site: Old Mill – bread", "Old Mill – bread"),
        ("Bakery, " * 20, ("Bakery, " * 10)[:-2] + "…"),
        ("x" * 100, "x" * 80 + "…"),
    ],
)
def test_titles_are_one_short_line_or_none(title: str | None, shown: str | None) -> None:
    assert site_title(title) == shown


def test_sites_without_a_title_are_told_by_their_topic() -> None:
    plain = stored("site", "2001-01-01", "2002-01-01")
    assert story(stored_life({"eras": [plain]})) == "A site 2001–2002."
    assert story(stored_life({"eras": [{**plain, "topic": "Arts"}]})) == "A site about Arts 2001–2002."
    later = stored("site", "2003-01-01", "2003-06-01", owner=2)
    for topic, said in (("News", " about News"), (None, "")):
        both = stored_life({"eras": [plain, {**later, "topic": topic}]})
        assert story(both) == f"A site 2001–2002, then another owner’s site{said} 2003."


PAGES: Sequence[Callable[[], PageReading]] = (
    page,
    lambda: page(title="Home", brand_tokens=frozenset()),
    stranger,
    lambda: page(title="Harris Brot", text=BROT, language="de"),
    lambda: stranger(title="Backstube Weiss", text=BROT, language="de", brand_tokens=frozenset({"weiss"})),
    spam,
    lambda: spam("body"),
    lambda: stranger(verdict="suspect", category="gambling", evidence=(evidence("title", 2),)),
    parked,
    lambda: parked("pay_per_click"),
    lambda: parked("hosting_placeholder"),
    lambda: parked("coming_soon"),
    lambda: page(verdict="error", error_kind="empty"),
)
MONTHS = st.lists(st.integers(0, 25 * 12), min_size=1, max_size=9, unique=True).map(sorted)


@settings(max_examples=300)
@given(MONTHS, st.data())
def test_whatever_stood_there_the_report_is_of_one_mind(months: list[int], data: st.DataObject) -> None:
    samples = []
    for month in months:
        when = f"{2000 + month // 12}-{month % 12 + 1:02}"
        reading = data.draw(st.sampled_from(PAGES))()
        digest = data.draw(st.sampled_from([when, "".join(filter(str.isalnum, reading.title or "none"))]))
        samples.append(sample(when, reading, digest=digest))
    found = reviewed(*samples)
    assert disagreements(found, NOW) == [], [(one.at, one.kind) for one in samples]
    assert day("2000-01") <= found.life[0].start


def test_a_packed_life_has_the_same_kinds_and_months() -> None:
    eras = (
        LifeEra("site", day("2004-3-5"), day("2012-2-3"), "Bakery", 1),
        LifeEra("gap", day("2012-6-1"), day("2015-5-9"), "Nothing archived"),
        LifeEra("spam", day("2016-1-1"), day("2019-12-31"), "Gambling spam"),
    )
    told = packed(eras)
    assert told == "s200403201202g201206201505x201601201912"
    again = unpacked(told)
    assert [era.kind for era in again] == ["site", "gap", "spam"]
    assert [era.years for era in again] == [era.years for era in eras]
    assert packed(again) == told
    assert unpacked("") == ()
    assert len(packed(eras * 20)) <= 400
