"""What the pages of a report show: verdict, eras, risks, and why the score is what it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from afterdrop.catalogue.drops import Drop, Window
from afterdrop.catalogue.standing import standing
from afterdrop.catalogue.summary import DomainSummary
from afterdrop.catalogue.vetting import Vetting, vet
from afterdrop.metrics.model import NOTHING_KNOWN
from afterdrop.review.history.domain_history import History, review
from afterdrop.review.history.life import life
from afterdrop.web.site.calendar_entry import calendar_entry, drop_entry
from afterdrop.web.site.compared import compared, groups
from afterdrop.web.site.languages import language_name
from afterdrop.web.site.report_view import MOST_ERAS, report_values, report_view
from afterdrop.web.site.risk_rows import level, risks
from afterdrop.web.site.score_table import comparison, score_rows, signed
from tests.support.histories import index_of, sample, spam
from tests.support.rows import NOW
from tests.support.told_reports import (
    bread,
    casino,
    check_values,
    listed_report,
    metrics,
    nothing,
    steady,
    turned,
    vetted,
)

TITLES = {"linkindex": "Link index"}


def report(made: Vetting, domain: str = "oldmill-bakery.com") -> dict[str, Any]:
    """The report of an unlisted check."""
    return dict(check_values(made, domain)["report"])


def test_a_change_of_owner_is_told_in_one_sentence() -> None:
    view = report_values(report(turned()), NOW, TITLES)["view"]
    assert view.verdict.standing == "scored"
    assert (view.verdict.lead, view.verdict.missing) == ("", [])
    assert view.verdict.story.endswith("; 55% of the link texts still name the first site.")
    assert [card.era.kind for card in view.eras] == ["site", "other"]
    assert [row.code for row in view.risks.found] == ["topic_change"]
    assert "spam" in [row.code for row in view.risks.clean]


def test_spam_is_rejected_and_says_where() -> None:
    told = report(casino())
    view = report_view(told, NOW, TITLES)
    assert standing(told) == view.verdict.standing == "rejected"
    assert view.verdict.lead == "Gambling spam 2021–2023."
    assert told["score"] <= 40
    first = view.risks.found[0]
    assert (first.code, first.word, first.level) == ("spam", "rejects", "serious")
    assert [date for date, _ in first.links] == ["1 Mar 2021", "1 Mar 2022", "1 Mar 2023"]
    assert view.eras[-1].quotes == ("best online casino",)
    assert [row.label for row in view.score if row.line.points < 0] == ["Rejected for spam"]


def test_spam_elsewhere_is_named_by_its_place() -> None:
    told = report(casino())
    calm = {
        **told,
        "history": {**told["history"], "eras": [], "findings": [{"code": "spam_paths", "at": None}]},
    }
    assert report_view(calm, NOW, TITLES).verdict.lead == "Spam on pages below the home page."
    calm["history"]["findings"] = []
    assert report_view(calm, NOW, TITLES).verdict.lead == "Spam in the link texts."


def test_unknown_says_what_is_missing_and_how_to_get_it() -> None:
    view = report_view(report(nothing()), NOW, TITLES)
    assert view.verdict.standing == "unknown"
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
    assert len(view.risks.unknown) == 8
    kept = vet(
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
    assert shown.verdict.standing == "unknown"
    unread = vetted([sample("2010-01", failure="timeout")], NOTHING_KNOWN)
    assert "has 1 capture, but none" in report_view(report(unread), NOW, TITLES).verdict.story


def test_reports_without_parts_are_shown_with_what_they_have() -> None:
    bare = {"domain": "a.com", "score": 50, "metrics": {}, "listing": {"price_usd": None}}
    view = report_values(bare, NOW, TITLES)["view"]
    assert view.verdict.standing == "scored"
    assert (view.score, view.risks.found, view.risks.unknown[0].code) == ([], [], "spam")
    assert standing({**bare, "history": {"captures": 0}}) == "unknown"
    assert standing({**bare, "score_notes": {"penalty": "Rejected for spam: x"}}) == "rejected"
    assert standing({**bare, "score": None}) == "unknown"


def test_old_reports_tell_of_spam_in_other_places() -> None:
    eras = life(
        {"outcome": "suspect", "eras": [{"kind": "spam", "start": "2015-01-01", "end": "2015-01-01"}]}
    )
    bare: dict[str, Any] = {"score": 50}
    assert risks(bare, eras).found[0].label == "Possible spam"
    assert (
        risks(bare, life({"eras": [{"kind": "site", "start": "2015-01-01", "end": "2015-01-01"}]}))
        .clean[0]
        .code
        == "spam"
    )
    note = {"score": 30, "score_notes": {"penalty": "Rejected for spam: Casino."}}
    assert risks(note, ()).found[0].note == "Casino."


def test_suspected_and_overruled_spam_are_found_rows() -> None:
    single = vetted([*bread(2001, 2010), sample("2011-01", spam("body")), *bread(2012, 2016)], metrics())
    rows = report_view(report(single), NOW, TITLES).risks.found
    assert [(row.label, row.level) for row in rows if row.code == "spam"] == [("Possible spam", "caution")]
    pages = [sample(f"{year}-03", spam()) for year in (2021, 2022)]
    index = index_of(*((f"{one.at:%Y-%m-%d}", one.digest) for one in pages))

    freed = vet(review(index, pages, NOW), metrics(), None, NOW, spam_overruled=True)
    told = report(freed)
    assert standing(told) == "scored"
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
    assert rows["History"].value == "19 of 20 years"
    assert rows["History"].at == told["history"]["reviewed_at"]
    assert rows["Age"].value == "21.7 years"
    assert rows["Price"].value == "$222"
    assert rows["Change of subject"].note == "12% off for this flag"
    unknown = rows["Unknown: page rank"]
    assert (
        unknown.note
        == f"The known parts stand in for the unknown ones; {unknown.line.missed} points are not given."
    )
    assert all(row.width <= 140 for row in rows.values())


def test_figures_of_older_reports_come_from_their_metrics() -> None:
    told = {**listed_report(turned(), "a.com", 222), "score_inputs": {}}
    rows = {row.label: row for row in score_rows(told, {})}
    assert (rows["Domain Rating"].value, rows["Price"].value, rows["Age"].value) == ("48", "$222", "–")
    assert rows["Domain Rating"].source == ""
    feed = {
        "trust_flow": {"value": 27, "source": "feed:market"},
        "ref_domains": {"value": 1.5, "source": "new_index"},
    }
    rows = {row.label: row for row in score_rows({**told, "score_inputs": feed}, {})}
    assert rows["Trust Flow"].source == "The marketplace’s list"
    assert (rows["Referring domains"].source, rows["Referring domains"].value) == ("new index", "1.5")
    silent = {**told, "risk_checks": []}
    assert [row.label for row in score_rows(silent, {}) if row.line.kind == "flag"] == ["Flags"]
    strange = {
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
    assert sum(round(row.points * 10) for row in second.against.rows) == 10 * apart
    assert second.against.summary.endswith(" …")
    assert all(row.x >= 0 and row.x + row.width <= 200.1 for row in second.against.rows)
    told = {
        label: [(cell.text, cell.best) for cell in cells]
        for group in groups(reports)
        for label, cells in group.rows
    }
    assert told["Trust Flow"] == [("27", True), ("19", False)]
    assert told["Price"] == [("$222", False), ("$80", True)]
    assert told["Links that name the first owner"] == [("55%", False), ("–", False)]
    assert told["Language"] == [("English", False), ("English", False)]
    assert "Page rank" not in told
    same = comparison(reports[0], reports[0])
    assert same is not None
    assert (same.points, list(same.rows), same.summary) == (0, [], "")
    basic = {**reports[1], "score_breakdown": None}
    assert comparison(reports[0], basic) is None
    assert comparison(report(nothing()), reports[0]) is None
    assert compared(reports[:1], NOW)[0].against is None


def test_differences_name_every_line() -> None:
    listing = comparison(listed_report(turned(), "a.com", 222), report(casino()))
    assert listing is not None
    names = {row.label for row in listing.rows}
    assert {"Change of subject", "Rejected for spam", "What is unknown"} <= names
    assert [signed(4.25), signed(-1.0), signed(0)] == ["+4.2", "−1.0", "0"]


def test_a_long_life_is_told_in_part_and_drawn_in_full() -> None:
    eras = [
        {
            "kind": kind,
            "start": f"{2000 + n}-01-01",
            "end": f"{2000 + n}-06-01",
            "detail": "for_sale",
            "captures": 9,
        }
        for n in range(15)
        for kind in [("site", "error")[n % 2]]
    ]
    bare = {
        "domain": "a.com",
        "score": 1,
        "metrics": {},
        "listing": {"price_usd": 1},
        "history": {"captures": 9, "eras": eras},
    }
    view = report_view(bare, NOW, TITLES)
    assert (len(view.eras), view.more_eras, len(view.strip.marks)) == (MOST_ERAS, 3, 15)


def test_the_end_of_a_listing_for_a_calendar() -> None:
    ends = datetime(2026, 12, 1, 18, 15, tzinfo=UTC)
    text = calendar_entry(
        "a.com", ends, "Bids; and, more\r\nBEGIN:VEVENT", "https://site.example/domains/a.com", NOW
    )
    assert "DTSTART:20261201T181500Z\r\n" in text
    assert "SUMMARY:a.com ends at Bids\\; and\\, more BEGIN:VEVENT\r\n" in text
    assert text.count("\r\nBEGIN:VEVENT") == 1
    long = calendar_entry("ü" * 80 + ".com", ends, "", "https://site.example/", NOW)
    assert all(len(line.encode()) <= 75 for line in long.split("\r\n"))
    assert "SUMMARY:" + "ü" * 80 + ".com ends\r\n" in long.replace("\r\n ", "")


def test_names_of_languages() -> None:
    assert [language_name("de"), language_name("xx"), language_name(None)] == ["German", "xx", "–"]


def _dropping(names: Sequence[str]) -> tuple[DomainSummary, ...]:
    return tuple(cast(DomainSummary, {"domain": name, "tld": name.partition(".")[2]}) for name in names)


def test_a_drop_window_for_a_calendar() -> None:
    opens = datetime(2026, 11, 22, 19, tzinfo=UTC)
    window = Window(opens, opens + timedelta(hours=2))
    many = [f"n{number}.com" for number in range(31)]
    text = drop_entry(Drop(window, _dropping([*many, "a.net"])), "https://example.org/drops", opens)
    whole = text.replace("\r\n ", "")
    assert "DTSTART:20261122T190000Z\r\nDTEND:20261122T210000Z\r\n" in whole
    assert "SUMMARY:.com and .net: 32 names drop\r\n" in whole
    assert "n29.com and 2 more\r\n" in whole
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75


@pytest.mark.parametrize("closes", [datetime(2026, 11, 22, 23, 59, 59), datetime(2026, 11, 23)])
def test_a_drop_without_a_known_hour_takes_its_day(closes: datetime) -> None:
    drop = Drop(Window(None, closes.replace(tzinfo=UTC)), _dropping(["a.org"]))
    text = drop_entry(drop, "https://example.org/drops", datetime(2026, 11, 20, tzinfo=UTC))
    assert "DTSTART;VALUE=DATE:20261122\r\nSUMMARY:.org: 1 name drops\r\n" in text
