"""A history put together: figures, findings with their evidence, and a safe trip through JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pydantic import ValidationError

from afterdrop.review.flags.trademarks import famous_marks
from afterdrop.review.history.domain_history import History, review
from afterdrop.review.history.findings import PER_SAMPLE, of_evidence, of_samples
from afterdrop.review.page.values import Evidence
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.cdx_index import COMMON_CRAWL, WAYBACK, Index
from tests.support.agreement import disagreements
from tests.support.histories import (
    BROT,
    DOMAIN,
    NOW,
    day,
    evidence,
    index_of,
    page,
    parked,
    sample,
    spam,
    stranger,
)

LISTING = f"https://a.test/*/{DOMAIN}"


def test_nothing_archived() -> None:
    found = review(Index(DOMAIN), (), NOW)
    assert (found.outcome, found.archive_years, found.first_year, found.language) == ("ok", 0, None, None)
    assert found.parked_share is None
    assert found.good_years == ()


def test_a_site_kept_from_view() -> None:
    found = review(Index(DOMAIN, blocked=True), (), NOW)
    assert found.blocked
    assert (found.archive_years, found.archived_urls) == (None, None)
    assert found.notes == ("The web archive does not show this site.",)


def test_what_rests_on_one_archive_says_so() -> None:
    away = Index(DOMAIN, archives=(COMMON_CRAWL,), missing=(WAYBACK,))
    assert review(away, (), NOW).notes == (
        "The Wayback Machine did not answer, so all that is told rests on Common Crawl.",
    )
    (note,) = review(Index(DOMAIN, archives=(COMMON_CRAWL,)), (), NOW).notes
    assert note.startswith("All that is told rests on Common Crawl")
    assert review(Index(DOMAIN, archives=(WAYBACK, COMMON_CRAWL)), (), NOW).notes == ()


def test_figures_and_the_honest_sites_own_words() -> None:
    index = index_of(("2001-01", "A"), ("2003-01", "B"), ("2006-01", "C"), deep=["/a"])
    found = review(
        index,
        [
            sample("2001-01", page(topic="Shopping"), digest="A"),
            sample("2003-01", page(title="Harris, now with cakes", topic="Shopping"), digest="B"),
            sample("2006-01", parked(), digest="C"),
        ],
        NOW,
        listing_url=LISTING,
    )
    assert (found.archive_years, found.first_year, found.last_year) == (4, 2001, 2015)
    assert found.good_years == (2001, 2003, 2006, 2015)
    assert found.honest_years == (2001, 2003)
    assert found.archived_urls == 2
    assert (found.language, found.title, found.topic) == ("en", "Harris, now with cakes", "Shopping")
    assert [era.kind for era in found.eras] == ["site", "parked"]
    assert [finding.code for finding in found.findings] == ["parked", "gap", "gap", "parking_phrase"]
    gap = found.findings[1]
    assert gap.note == (
        "No page was archived in 2007–2014 (8 whole years), between captures of 2006 and 2015."
    )
    assert gap.url == LISTING
    assert [(one.kind, one.detail) for one in found.read][-1] == ("parked", "for_sale")
    assert not found.spam


def test_changes_are_told_with_both_titles() -> None:
    brot = page(language="de", text=BROT, title="Mühlenbrot", brand_tokens=frozenset({"brot"}))
    found = review(
        index_of(),
        [sample("2001-01"), sample("2003-01"), sample("2006-01", brot), sample("2008-01", brot)],
        NOW,
    )
    change = found.findings[0]
    assert (change.code, change.severity, change.category, change.at, change.changed) == (
        "owner_change",
        2,
        "de",
        day("2006-01"),
        ("lang_change",),
    )
    assert len(found.findings) == 1
    assert change.note == (
        "The site's owner and its language (from English to German) changed between 2003-01-01"
        " (“Harris & Sons, craft bread since 1911”) and 2006-01-01 (“Mühlenbrot”)."
    )
    assert len(found.eras) == 2
    assert (found.title, found.language) == ("Mühlenbrot", "de")
    english = [sample(f"20{year:02}-01") for year in range(1, 12)]
    late = review(index_of(), [*english, sample("2012-01", brot), sample("2013-01", brot)], NOW)
    assert (late.title, late.language) == ("Mühlenbrot", "de")  # the language of the title shown
    ships = [sample("2006-01", stranger(title=None)), sample("2008-01", stranger(title=None))]
    other = review(index_of(), [sample("2001-01"), sample("2003-01"), *ships], NOW)
    assert other.findings[0].note.startswith("The site's owner and its subject changed between")
    assert "“untitled”" in other.findings[0].note


def test_a_change_lies_between_its_captures_and_opens_both() -> None:
    """The page read in 2012 stood since 2009: the finding is of the capture of 2009, and opens it."""
    index = index_of(("2001-01", "A"), ("2003-01", "A"), ("2005-01", "A"), ("2009-01", "B"), ("2012-01", "B"))
    samples = [
        replace(
            sample(when, reading, digest=digest),
            replay_url=f"https://a.test/{when[:4]}0101000000/http://{DOMAIN}/",
        )
        for when, reading, digest in (("2001-01", page(), "A"), ("2012-01", stranger(), "B"))
    ]
    found = review(index, samples, NOW)
    [change] = [one for one in found.findings if one.code == "owner_change"]
    assert (change.before, change.at) == (day("2005-01"), day("2009-01"))
    assert change.before_url == f"https://a.test/20050101000000/http://{DOMAIN}/"
    assert change.url == f"https://a.test/20090101000000/http://{DOMAIN}/"
    assert "between 2005-01-01 (" in change.note and "and 2009-01-01 (" in change.note
    assert disagreements(found, NOW) == []


def test_a_title_is_cut_after_a_word() -> None:
    title = "Camins et fontaines in Morelia – rutas y refugio de la sierra vieja"
    ships = [sample("2006-01", stranger(title=title)), sample("2008-01", stranger(title=title))]
    change = review(index_of(), [sample("2001-01"), sample("2003-01"), *ships], NOW).findings[0]
    assert "“Camins et fontaines in Morelia – rutas y refugio de la…”" in change.note


def test_the_subjects_of_a_change_are_named_where_they_are_known() -> None:
    ours, theirs = page(topic="Shopping"), stranger(topic="Sports")
    life = [
        sample("2001-01", ours),
        sample("2003-01", ours),
        sample("2006-01", theirs),
        sample("2008-01", theirs),
    ]
    [change] = review(index_of(), life, NOW).findings
    assert change.note.startswith(
        "The site's owner and its subject (from Shopping to Sports) changed between"
    )


def test_spam_addresses_are_findings_of_the_index() -> None:
    index = index_of(("2001-01", "A"), deep=["/buy-viagra"])
    found = review(
        index, [sample("2001-01", digest="A")], NOW, paths=("/buy-viagra", "/gone"), listing_url=LISTING
    )
    first, second = found.findings[-2:]
    assert (first.code, first.quote, first.zone, first.at, first.url) == (
        "spam_paths", "/buy-viagra", "url", day("2015-01"), LISTING,
    )  # fmt: skip
    assert second.at is None


def test_evidence_is_quoted_with_date_and_address() -> None:
    one = sample("2010-05", spam())
    act = of_evidence(one, replace(evidence("meta"), code="spam_act", rule="act: sells forged papers"))
    assert " sells forged papers: “" in act.note and "content" not in act.note
    told = of_evidence(one, evidence())
    assert (
        told.note == "The home page of 2010-05-01 has gambling content in its text: “…best online casino…”."
    )
    assert (told.url, told.quote, told.lexicon) == (one.replay_url, "best online casino", "v")
    deep = replace(one, home=False)
    quoteless = Evidence("outlink_burst", "injected", 1, "link", "", "r", "v")
    assert of_evidence(deep, quoteless).note.startswith(
        "The page of 2010-05-01 has injected-link content in its links: outlink"
    )


def test_evidence_is_bounded_and_not_repeated() -> None:
    many = tuple(replace(evidence(), rule=f"r{n}", quote=f"casino {n}", severity=n % 4) for n in range(10))
    found = of_samples([sample(f"{year}-01", spam(evidence=many)) for year in range(2001, 2005)])
    assert len(found) == PER_SAMPLE * 2 + 2
    assert found[0].severity == 3
    assert of_samples([sample("2001-01")]) == ()
    twice = (replace(evidence(), rule="r2", severity=2), evidence())
    assert [one.rule for one in of_samples([sample("2001-01", spam(evidence=twice))])] == ["r"]
    assert of_samples([sample("2001-01", spam(evidence=()))]) == ()


def test_an_act_is_told_with_two_of_its_quotes_a_capture() -> None:
    act = replace(evidence(), code="spam_act", rule="act: a false line")
    quotes = [replace(act, quote=f"part {n}") for n in range(5)]
    others = [replace(evidence(), quote=f"word {n}") for n in range(3)]
    found = of_samples([sample("2001-01", spam(evidence=(*quotes, *others)))])
    assert [one.quote for one in found] == ["part 0", "part 1", "word 0", "word 1", "word 2"]


def test_notes_say_what_was_odd() -> None:
    lines = b"com,oldmill-bakery)/a 20010101000000 http://oldmill-bakery.com/a text/html 200 A 9\nbroken\n"
    index = read_index(lines, DOMAIN, limit=1)
    found = review(index, [sample("2001-01", failure="timeout")], NOW, notes=("First.",))
    assert found.notes == (
        "First.",
        "1 index lines could not be read (columns).",
        "The web archive has more captures than we asked for, so the counts cover only the first ones.",
        "The home page is not archived, so /a was read instead.",
        "The capture of 2001-01-01 could not be read: timeout.",
        "No page of 2001 could be read: nothing is known of what stood there then.",
    )
    assert found.with_notes(("More.",)).notes[-1] == "More."


def test_a_change_is_dated_by_every_capture_known_to_show_either_side() -> None:
    index = index_of(("2010-01", "A"), ("2012-01", "A"), ("2013-01", "B"), ("2015-01", "B"))
    found = review(index, [sample("2010-01", digest="A"), sample("2015-01", stranger(), digest="B")], NOW)
    [turn] = [finding for finding in found.findings if finding.code == "owner_change"]
    assert "between 2012-01-01" in turn.note
    assert "and 2013-01-01" in turn.note
    assert disagreements(found, NOW) == []


def test_years_that_rest_on_nothing_are_named() -> None:
    homes = [(f"{year}-01", f"D{year}") for year in (2001, 2003, 2004, 2006, 2008, 2009, 2012)]
    failed = [sample(f"{year}-01", failure="timeout") for year in (2003, 2006, 2009)]
    found = review(index_of(*homes), [sample("2001-01"), sample("2008-01"), *failed], NOW)
    assert found.notes[-1] == (
        "No page of 2003–2004, 2006, 2009 could be read: nothing is known of what stood there then."
    )
    again = review(index_of(*homes), [sample("2009-06"), *failed], NOW)
    assert again.notes[-1].startswith("No page of 2003–2004, 2006, 2008 could")


def test_what_was_read_is_believed_and_the_index_of_what_was_not() -> None:
    index = index_of(("2001-01", "A"), ("2002-01", "B"), ("2003-01", "C"), ("2003-02", "D"))
    at = [capture.at for capture in index.home]
    gone = [
        sample("2001-01", status=404, asked=at[0]),
        sample("2002-01", redirected_to="http://x.test/", asked=at[1]),
    ]
    found = review(index, [*gone, sample("2003-01", status=404, asked=at[2])], NOW)
    assert found.good_years == (2003,)
    plain = b"com,oldmill-bakery)/ 20050101000000 http://oldmill-bakery.com/ application/pdf 200 A 9"
    assert review(read_index(plain, DOMAIN), [sample("2005-01")], NOW).good_years == (2005,)


def test_the_most_archived_pages() -> None:
    rows = [
        f"com,oldmill-bakery)/{name} 20{year:02}0101000000 http://{DOMAIN}/{name} text/html 200 D{year} 9"
        for name, count in (("a", 3), ("b", 5), ("x" * 2100, 9))
        for year in range(count)
    ]
    index = read_index("\n".join(rows).encode(), DOMAIN)
    found = review(index, [sample("2002-01", digest="D2")], NOW)
    assert [(one.path, one.captures, one.last_capture, one.timestamp) for one in found.pages] == [
        ("/b", 4, "2004-01-01", "20040101000000"),
        ("/a", 2, "2002-01-01", "20020101000000"),
    ]


def test_a_trip_through_json_changes_nothing() -> None:
    found = review(
        index_of(("2001-01", "A"), ("2008-01", "B"), deep=["/casino"]),
        [sample("2001-01", digest="A"), sample("2008-01", spam(), digest="B")],
        NOW,
        paths=("/casino",),
    )
    assert found.spam
    assert History.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_what_no_database_takes_is_replaced() -> None:
    hostile = page(title="Bread\x00 & \ud800 butter")
    stored = review(index_of(("2001-01", "A")), [sample("2001-01", hostile, digest="A")], NOW).to_dict()
    assert stored["title"] == "Bread\ufffd & \ufffd butter"
    json.dumps(stored).encode()


def test_a_wrong_stored_history_is_refused() -> None:
    with pytest.raises(ValidationError):
        History.from_dict({"domain": DOMAIN, "reviewed_at": "never", "outcome": "ok"})


def test_an_operators_own_mark_is_a_finding() -> None:
    marks = famous_marks().plus([DOMAIN.partition(".")[0]])
    found = review(Index(DOMAIN), (), NOW, marks=marks).findings
    assert [finding.code for finding in found] == ["trademark"]
    assert review(Index(DOMAIN), (), NOW, marks=famous_marks()).findings == ()
