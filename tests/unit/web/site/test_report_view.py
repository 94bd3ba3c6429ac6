"""What the pages of a report show: verdict, eras, risks, and why the score is what it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from afterdrop.catalogue.attribution import named_inputs
from afterdrop.catalogue.drops import Drop, Window
from afterdrop.catalogue.shapes import ScoreInputJson, Summary
from afterdrop.review.history.domain_history import History, review
from afterdrop.review.history.life import stored_life
from afterdrop.scoring.conclusion import level
from afterdrop.scoring.judge import Judgement, judge
from afterdrop.sources.metrics.model import NOTHING_KNOWN
from afterdrop.web.site.compare_pages import compared, groups
from afterdrop.web.site.downloads import calendar_entry, drop_entry
from afterdrop.web.site.labels import language_name
from afterdrop.web.site.report_view import MOST_ERAS, in_use, report_values, report_view, risks
from afterdrop.web.site.score_view import comparison, reasons, score_rows, signed
from tests.support.histories import index_of, sample, spam
from tests.support.rows import NOW
from tests.support.told_reports import (
    bread,
    casino,
    check_values,
    judged,
    listed_report,
    metrics,
    nothing,
    steady,
    turned,
)

TITLES = {"linkindex": "Link index"}


def report(made: Judgement, domain: str = "oldmill-bakery.com") -> Any:
    """The report of an unlisted check."""
    return dict(check_values(made, domain)["report"])


def test_a_change_of_owner_is_told_in_one_sentence() -> None:
    view = report_values(report(turned()), NOW, TITLES)["view"]
    assert [owner.years for owner in view.owners] == ["2005–2012", "2014–2024"]
    assert view.verdict.conclusion == "second_look"
    assert (view.verdict.lead, view.verdict.missing) == ("", [])
    assert view.verdict.story.endswith(
        " The first site earned 55% of the 488 links we know by text, of 752 referring domains."
    )
    assert [card.era.kind for card in view.eras] == ["site", "other"]
    assert [row.code for row in view.risks.found] == ["topic_change"]
    assert [label.split(":")[0] for label, _ in view.risks.found[0].links] == ["before", "after"]
    assert "spam" in [row.code for row in view.risks.clean]


def test_on_paper_stand_three_eras_first_what_accuses_the_name() -> None:
    told = report(casino())
    site, *_ = told["history"]["eras"]
    years = [
        {**site, "start": f"{2000 + n}-01-01T00:00:00Z", "end": f"{2000 + n}-09-01T00:00:00Z"}
        for n in range(5)
    ]
    kinds = [("site", None), ("spam", "A"), ("site", "B"), ("spam", "C"), ("site", "D")]
    for era, (kind, quote) in zip(years, kinds, strict=True):
        era |= {"kind": kind, "excerpt": quote, "brand": [quote or kind], "detail": None}
    told["history"] |= {"eras": years, "findings": []}
    shown = report_values(told, NOW, TITLES)["view"].eras
    assert [card.era.excerpt for card in shown if card.printed] == ["A", "B", "C"]


def test_spam_is_rejected_and_says_where() -> None:
    told = report(casino())
    view = report_view(told, NOW, TITLES)
    assert told["standing"] == view.verdict.conclusion == "rejected"
    assert view.verdict.lead == "Gambling spam 2021–2023."
    assert told["score"] <= 40
    first = view.risks.found[0]
    assert (first.code, first.word, first.level) == ("spam", "rejects", "serious")
    assert [date for date, _ in first.links] == ["1 Mar 2021", "1 Mar 2022", "1 Mar 2023"]
    assert view.eras[-1].quotes == ("best online casino",)
    assert [row.label for row in view.score if row.line.points < 0] == ["Rejected for spam"]


def test_addresses_that_tell_of_spam_open_the_archives_list() -> None:
    """The list of captures is no capture of a day: beside captures it is left out."""
    told = report(casino())
    path = {
        "code": "spam_paths",
        "at": "2020-12-25T00:00:00Z",
        "severity": 2,
        "zone": "url",
        "url": "https://a.test/*/x",
        "note": "…",
    }
    captures = [date for date, _ in report_view(told, NOW, TITLES).risks.found[0].links]
    findings = told["history"]["findings"]
    both: Any = {**told, "history": {**told["history"], "findings": [path, *findings]}}
    assert [date for date, _ in report_view(both, NOW, TITLES).risks.found[0].links] == captures
    alone: Any = {**told, "history": {**told["history"], "findings": [path]}}
    assert report_view(alone, NOW, TITLES).risks.found[0].links == (("all captures", "https://a.test/*/x"),)


def test_a_report_stored_before_changes_had_both_captures_still_shows() -> None:
    told = report(turned())
    findings: Any = [
        {name: value for name, value in finding.items() if name not in ("before", "before_url", "changed")}
        for finding in told["history"]["findings"]
    ]
    old: Any = {**told, "history": {**told["history"], "findings": findings}}
    [row] = report_view(old, NOW, TITLES).risks.found
    assert (row.code, row.links) == ("topic_change", ())


def test_spam_elsewhere_is_named_by_its_place() -> None:
    told = report(casino())
    paths = {"code": "spam_paths", "severity": 2, "note": "", "at": None}
    calm: Any = {**told, "history": {**told["history"], "eras": [], "findings": [paths]}}
    assert report_view(calm, NOW, TITLES).verdict.lead == "Spam on pages below the home page."
    calm["history"]["findings"] = []
    assert report_view(calm, NOW, TITLES).verdict.lead == "Spam in the link texts."


def test_unknown_says_what_is_missing_and_how_to_get_it() -> None:
    view = report_view(report(nothing()), NOW, TITLES)
    assert view.verdict.conclusion == "unknown"
    assert view.verdict.story == (
        "The web archive has no page of this domain and no link figure is known, so nothing can be said about it."
    )
    assert [row.needed_for for row in view.verdict.missing] == [
        "Life, spam, parking, gaps, history, age",
        "Links, inflated rating",
        "Price",
    ]
    assert view.score == []
    assert view.eras == []
    assert len(view.risks.unknown) == 7
    kept = judge(
        History("a.com", NOW, "ok", blocked=True, notes=("The web archive does not show this site.",)),
        metrics(),
        9,
        NOW,
    )
    shown = report_view(listed_report(kept, "a.com", 9), NOW, TITLES)
    assert [row.happened for row in shown.verdict.missing] == ["The web archive does not show this site."]
    assert (
        shown.verdict.story
        == "The web archive has no page of this domain, so nothing can be said about its past."
    )
    assert shown.verdict.conclusion == "unknown"
    unread = judged([sample("2010-01", failure="timeout")], NOTHING_KNOWN)
    told = report_view(report(unread), NOW, TITLES).verdict
    assert (told.conclusion, "has 1 capture, but none" in told.story) == ("unread", True)
    assert next(row.happened for row in told.missing) == "No archived page could be read."
    weak = judged([sample("2010-01")], NOTHING_KNOWN)
    assert [row.needed_for for row in report_view(report(weak), NOW, TITLES).verdict.missing] == [
        "Links, inflated rating",
        "Price",
    ]


def test_suspected_and_overruled_spam_are_found_rows() -> None:
    single = judged([*bread(2001, 2010), sample("2011-01", spam("body")), *bread(2012, 2016)], metrics())
    rows = report_view(report(single), NOW, TITLES).risks.found
    assert [(row.label, row.level) for row in rows if row.code == "spam"] == [("Possible spam", "caution")]
    pages = [sample(f"{year}-03", spam()) for year in (2021, 2022)]
    index = index_of(*((f"{one.at:%Y-%m-%d}", one.digest) for one in pages))

    freed = judge(review(index, pages, NOW), metrics(), None, NOW, spam_overruled=True)
    told = report(freed)
    assert told["standing"] == "scored"
    [row] = [row for row in risks(told, ()).found if row.code == "spam"]
    assert row.label == "Spam, overruled"
    assert row.note.startswith("An operator looked at it and decided")


def test_flags_are_graded() -> None:
    assert [level("trademark", "risk"), level("topic_change", "risk"), level("gap", "info")] == [
        "serious",
        "caution",
        "minor",
    ]
    assert level("new_flag", "risk") == "caution"


def test_why_the_score_is_what_it_is() -> None:
    told = listed_report(turned(), "oldmill-bakery.com", 222)
    rows = {row.label: row for row in score_rows(told, TITLES)}
    assert sum(round(row.line.points * 10) for row in rows.values()) == 10 * told["score"]
    assert (rows["Trust Flow"].value, rows["Trust Flow"].source) == ("27", "Link index")
    assert rows["History"].value == "15 of 20 years"
    assert rows["History"].note == "8 years of earlier owners count half: 3.0 points less."
    assert rows["History"].at == told["history"]["reviewed_at"]
    assert rows["Age"].value == "21.7 years"
    assert rows["Price"].value == "$222"
    assert rows["Change of subject"].note == "12% off for this flag"
    unknown = rows["Unknown: page rank"]
    assert (
        unknown.note
        == f"Counted as the average of the known parts, less {unknown.line.missed} points for the doubt."
    )
    assert all(row.width <= 140 for row in rows.values())


def test_the_cap_of_a_serious_flag_is_a_row_of_its_own() -> None:
    names = [{"text": "ремонт холодильников", "referring_domains": 300}]
    rich = metrics(
        domain_rating=70, trust_flow=40, referring_domains=2000, vendor_a_authority_score=50, anchors=names
    )
    told = listed_report(judged(bread(2005, 2024), rich, 20), "a.com", 20)
    rows = {row.line.name: row for row in score_rows(told, TITLES)}
    assert (told["score"], told["conclusion"]) == (59, "serious_risk")
    assert rows["cap"].label == "Cap for a serious risk" and rows["cap"].line.points < 0
    assert rows["cap"].note == "With a serious risk the score is 59 at most."


def test_the_strongest_reasons_of_a_score() -> None:
    rated = metrics(domain_rating=70, trust_flow=3, referring_domains=30)
    assert report_view(report(judged(bread(2005, 2024), rated)), NOW, TITLES).reasons == [
        "Domain Rating 70 gives 20.0 of 20 points",
        "History 20 of 20 years gives 15.0 of 15 points",
        "Inflated rating takes 13.3 points",
    ]
    assert report_view(report(nothing()), NOW, TITLES).reasons == []
    fewer = score_rows(report(judged([], metrics(trust_flow=None))), TITLES)
    assert {row.line.kind for row in fewer} >= {"unknown", "part"}
    assert not any("Unknown" in reason for reason in reasons(fewer))
    untold: Any = {**report(steady()), "score_inputs": {}, "metrics": {}}
    assert "Domain Rating gives 14.0 of 20 points" in reasons(score_rows(untold, TITLES))


def test_figures_of_older_reports_come_from_their_metrics() -> None:
    told: Any = {**listed_report(turned(), "a.com", 222), "score_inputs": {}}
    rows = {row.label: row for row in score_rows(told, {})}
    assert (rows["Domain Rating"].value, rows["Price"].value, rows["Age"].value) == ("48", "$222", "–")
    assert rows["Domain Rating"].source == ""
    feed: dict[str, ScoreInputJson] = {
        "trust_flow": {"value": 27, "source": "feed:market"},
        "ref_domains": {"value": 1.5, "source": "new_index"},
    }
    fed: Any = {**told, "score_inputs": named_inputs(feed)}
    rows = {row.label: row for row in score_rows(fed, {})}
    assert rows["Trust Flow"].source == "The marketplace’s list"
    assert (rows["Referring domains"].source, rows["Referring domains"].value) == ("new index", "1.5")
    silent: Any = {**told, "risk_checks": []}
    assert [row.label for row in score_rows(silent, {}) if row.line.kind == "flag"] == ["Flags"]
    strange: Any = {
        **told,
        "risk_checks": [{**told["risk_checks"][0], "flag": "gap", "severity": "info", "result": "found"}],
    }
    assert [row.note for row in score_rows(strange, {}) if row.line.kind == "flag"] == [
        "3.2% off for this flag"
    ]


def test_two_reports_side_by_side() -> None:
    reports = [listed_report(turned(), "oldmill-bakery.com", 222), listed_report(steady(), "harris.com", 80)]
    first, second = compared(reports, NOW)
    assert first.against is None
    assert second.against is not None
    apart = reports[1]["score"] - reports[0]["score"]
    assert second.against.points == apart
    assert round(10 * (sum(row.points for row in second.against.rows) + second.against.rest)) == 10 * apart
    unsure = "Authority score 31, unknown for harris.com"
    assert second.against.one_sided == [unsure]
    assert second.against.summary.endswith(f" …; not comparable: {unsure}")
    assert "Authority score" not in {row.label for row in second.against.rows}
    assert all(row.x >= 0 and row.x + row.width <= 200.1 for row in second.against.rows)
    told = {
        label: [(cell.text, cell.best) for cell in cells]
        for group in groups(reports)
        for label, cells in group.rows
    }
    assert told["Trust Flow"] == [("27", True), ("19", False)]
    assert told["Price"] == [("$222", False), ("$80", True)]
    owners = [(owner.years, owner.links.split(" of ")[0]) for owner in first.owners]
    assert owners == [("2005–2012", "55%"), ("2014–2024", "13%")]
    assert [owner.years for owner in second.owners] == ["2009–2024"]
    assert told["Language"] == [("English", False), ("English", False)]
    assert "Page rank" not in told
    same = comparison(reports[0], reports[0])
    assert same is not None
    assert (same.points, list(same.rows), same.summary) == (0, [], "")
    basic: Any = {**reports[1], "score_breakdown": None}
    assert comparison(reports[0], basic) is None
    assert comparison(report(nothing()), reports[0]) is None
    assert compared(reports[:1], NOW)[0].against is None


def test_differences_name_every_line() -> None:
    listing = comparison(listed_report(turned(), "a.com", 222), report(casino(), "b.com"))
    assert listing is not None
    names = {row.label for row in listing.rows}
    assert {"Change of subject", "Rejected for spam"} <= names
    assert listing.one_sided == ["Price $222, unknown for b.com"]
    assert [signed(4.25), signed(-1.0), signed(0)] == ["+4.2", "−1.0", "0"]


def test_a_long_life_is_told_in_part_and_drawn_in_full() -> None:
    eras = [
        {
            "kind": kind,
            "start": f"{2000 + n}-01-01T00:00:00Z",
            "end": f"{2000 + n}-06-01T00:00:00Z",
            "detail": "for_sale",
            "captures": 9,
            "days": 9,
            "url": "",
        }
        for n in range(15)
        for kind in [("site", "error")[n % 2]]
    ]
    bare: Any = {
        "domain": "a.com",
        "score": 1,
        "conclusion": "clean",
        "spam": {"result": "clean", "note": "No page we read looks like spam."},
        "metrics": {},
        "listing": {"price_usd": 1},
        "history": {"captures": 9, "eras": eras},
    }
    view = report_view(bare, NOW, TITLES)
    assert (len(view.eras), view.more_eras, len(view.strip.marks)) == (MOST_ERAS, 3, 15)


def _ending(domain: str = "a.com", **changes: Any) -> Any:
    listing = {
        "type": "auction",
        "ends_at": "2026-12-01T18:15:00Z",
        "opens_at": None,
        "day": None,
        "certain": True,
    }
    return {"domain": domain, "report_url": "https://site.example/x", "listing": {**listing, **changes}}


def test_the_end_of_a_listing_for_a_calendar() -> None:
    text = calendar_entry(_ending(), "Bids; and, more\r\nBEGIN:VEVENT", NOW)
    assert "DTSTART:20261201T181500Z\r\n" in text
    assert "DTEND" not in text, "RFC 5545 section 3.8.2.2: an end is later than its begin"
    assert "SUMMARY:a.com ends at Bids\\; and\\, more BEGIN:VEVENT\r\n" in text
    assert text.count("\r\nBEGIN:VEVENT") == 1
    long = calendar_entry(_ending("ü" * 80 + ".com"), "", NOW)
    assert all(len(line.encode()) <= 75 for line in long.split("\r\n"))
    assert "SUMMARY:" + "ü" * 80 + ".com ends\r\n" in long.replace("\r\n ", "")


def test_a_drop_stands_in_the_calendar_from_its_opening() -> None:
    opens = "2026-12-01T16:15:00Z"
    text = calendar_entry(_ending(type="pending_delete", opens_at=opens), "", NOW)
    assert "DTSTART:20261201T161500Z\r\nDTEND:20261201T181500Z\r\nSUMMARY:a.com drops\r\n" in text
    assert "DESCRIPTION:a.com drops in an hour\r\n" in text


def test_a_drop_that_opens_as_it_ends_has_no_end_in_the_calendar() -> None:
    ends = "2026-12-01T18:15:00Z"
    for opens in (ends, "2026-12-01T19:00:00Z"):
        assert "DTEND" not in calendar_entry(_ending(type="pending_delete", opens_at=opens), "", NOW)
    window = Window(NOW, NOW)
    assert "DTEND" not in drop_entry(Drop(window, _dropping(["a.com"])), "https://example.org/drops", NOW)


def test_names_of_languages() -> None:
    assert [language_name("de"), language_name("xx"), language_name(None)] == ["German", "xx", "–"]


def _dropping(names: Sequence[str], *, certain: bool = True) -> tuple[Summary, ...]:
    listing = {"certain": certain}
    return tuple(
        cast(Summary, {"domain": name, "tld": name.partition(".")[2], "listing": listing}) for name in names
    )


def test_a_drop_window_for_a_calendar() -> None:
    opens = datetime(2026, 11, 22, 19, tzinfo=UTC)
    window = Window(opens, opens + timedelta(hours=2), opens + timedelta(hours=1))
    many = [f"n{number}.com" for number in range(31)]
    text = drop_entry(Drop(window, _dropping([*many, "a.net"])), "https://example.org/drops", opens)
    whole = text.replace("\r\n ", "")
    assert "DTSTART:20261122T190000Z\r\nDTEND:20261122T200000Z\r\n" in whole
    assert "SUMMARY:.com and .net: 32 names drop\r\n" in whole
    assert "n29.com and 2 more\r\n" in whole
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75


def test_a_listing_that_drops_on_a_day_takes_that_day() -> None:
    polish = {
        "type": "pending_delete",
        "ends_at": "2026-11-26T23:59:59Z",
        "opens_at": "2026-11-25T23:00:00Z",
        "day": "2026-11-26",
    }
    text = calendar_entry(_ending("a.pl", **polish), "", NOW)
    assert "DTSTART;VALUE=DATE:20261126\r\nSUMMARY:a.pl drops\r\n" in text
    assert "TRIGGER;VALUE=DATE-TIME:20261125T220000Z\r\n" in text
    assert "a.pl drops during 26 Nov\r\n" in text
    assert "DTEND" not in text


def test_a_calendar_does_not_promise_what_only_may_drop() -> None:
    window = Window(datetime(2026, 11, 22, 4, tzinfo=UTC), datetime(2026, 11, 22, 6, tzinfo=UTC))
    text = drop_entry(Drop(window, _dropping(["a.se"], certain=False)), "https://example.org/drops", NOW)
    assert "SUMMARY:.se: 1 name may drop\r\n" in text
    assert "DESCRIPTION:Names may drop in an hour\r\n" in text
    one = calendar_entry(_ending("a.se", type="pending_delete", certain=False), "", NOW)
    assert "SUMMARY:a.se may drop\r\n" in one
    assert "DESCRIPTION:a.se may drop in an hour\r\n" in one


@pytest.mark.parametrize(
    ("state", "expires", "samples", "used"),
    [
        ("registered", "2027-05-01T00:00:00Z", bread(2009, 2026), True),
        ("registered", None, bread(2009, 2026), True),
        ("registered", "2026-10-01T00:00:00Z", bread(2009, 2026), False),
        ("available", None, bread(2009, 2026), False),
        ("dropping", None, bread(2009, 2026), False),
        ("registered", None, bread(2009, 2024), False),
        ("registered", None, [], False),
    ],
)
def test_a_name_whose_site_stands_is_in_use(
    state: str, expires: str | None, samples: list[Any], used: bool
) -> None:
    told = report(judged(samples, metrics()))
    assert in_use(state, expires, stored_life(told["history"]), NOW) is used
