"""The eight flags: found, clean, or unknown; and what they come to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from afterdrop.review.flags.link_flags import dr_inflated, not_indexed
from afterdrop.review.flags.risk_flags import (
    FLAGS,
    RiskCheck,
    found_flags,
    risk_checks,
    spam_reasons,
    verdict,
)
from afterdrop.review.history.domain_history import CaptureRead, History
from afterdrop.review.history.findings import Finding
from afterdrop.review.history.samples import Kind
from afterdrop.sources.metrics.model import (
    ANCHORS,
    AUTHORITY_SCORE,
    CITATION_FLOW,
    DOMAIN_AUTHORITY,
    DOMAIN_RATING,
    INDEXED_PAGES,
    LINK_RANK,
    NOTHING_KNOWN,
    PAGERANK,
    REFERRING_DOMAINS,
    TRUST_FLOW,
    Metric,
    Metrics,
    Role,
)
from tests.support.histories import DOMAIN, NOW, day

SITE = CaptureRead(day("2010-01"), "https://a.test/1", "site", "en", "Bread", 200)
HONEST = History(
    DOMAIN, NOW, "ok", good_years=(2010, 2011), language="en", read=(SITE, replace(SITE, at=day("2012-01")))
)


@pytest.mark.parametrize(
    ("kinds", "only"),
    [
        (["error"], True),
        (["error", "failed", "redirect"], True),
        (["error", "site"], False),
        (["failed"], False),
        ([], False),
    ],
)
def test_errors_alone_do_not_tell_what_stood_there(kinds: list[Kind], only: bool) -> None:
    read = tuple(replace(SITE, kind=kind) for kind in kinds)
    assert replace(HONEST, read=read).errors_only is only


TURN = Finding("owner_change", 0, "The owner changed.", at=day("2012-01"))


@pytest.mark.parametrize(
    ("flag", "history", "said"),
    [
        (
            "topic_change",
            HONEST,
            "The captures we read, from 2010 to 2012, are one owner’s and show no change of subject.",
        ),
        ("lang_change", HONEST, "The captures we read, from 2010 to 2012, are all in one language."),
        (
            "lang_change",
            replace(HONEST, read=(SITE, replace(SITE, language="de"))),
            "The captures we read, of 2010, are one owner’s, in more than one language.",
        ),
        (
            "lang_change",
            replace(HONEST, findings=(TURN,)),
            "The owner changed, but the captures we read, from 2010 to 2012, are all in one language.",
        ),
        (
            "topic_change",
            replace(HONEST, findings=(replace(TURN, category="one_subject"),)),
            "The owner changed, but the captures we read, from 2010 to 2012, are all about one subject.",
        ),
    ],
)
def test_a_clean_tick_says_what_it_covers(flag: str, history: History, said: str) -> None:
    assert (check(flag, history).result, check(flag, history).note) == ("clean", said)


def test_where_the_owner_changed_and_nothing_tells_the_rest_nothing_is_clean() -> None:
    spoken = replace(HONEST, findings=(TURN,), read=(SITE, replace(SITE, language="de", at=day("2012-01"))))
    for flag in ("topic_change", "lang_change"):
        assert check(flag, spoken).result == "unknown"
        assert check(flag, spoken).note.startswith("The owner changed. Too few captures")


def test_every_change_of_owner_that_raises_a_flag_is_told() -> None:
    """A second change of subject is as good a reason as the first; what an older review stored is told, too."""
    notes = [
        f"The site's owner and its subject changed between {y}-01-01 (“A”) and {y}-05-01 (“B”)."
        for y in (2011, 2015)
    ]
    turns = tuple(
        replace(TURN, severity=2, note=note, url=f"https://a.test/{n}", changed=("topic_change",))
        for n, note in enumerate(notes)
    )
    told = check("topic_change", replace(HONEST, findings=turns))
    assert (told.result, told.severity) == ("found", "risk")
    assert told.note == f"{notes[0][:-1]}; t{notes[1][1:-1]} (https://a.test/0)."
    assert check("lang_change", replace(HONEST, findings=turns)).result == "clean"
    old = Finding("topic_change", 2, "The site's subject changed between 2011 and 2012.")
    assert check("topic_change", replace(HONEST, findings=(old, TURN))).note == old.note


def metrics(**values: Any) -> Metrics:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    roles: dict[str, Role] = {
        "dr": DOMAIN_RATING, "tf": TRUST_FLOW, "cf": CITATION_FLOW, "rd": REFERRING_DOMAINS, "as_": AUTHORITY_SCORE,
        "da": DOMAIN_AUTHORITY, "pr": PAGERANK, "rank": LINK_RANK, "indexed": INDEXED_PAGES, "anchors": ANCHORS,
    }  # fmt: skip
    return Metrics.of(Metric(roles[name], value, "vendor", at) for name, value in values.items())


def check(
    flag: str, history: History | None = HONEST, known: Metrics = NOTHING_KNOWN, domain: str = DOMAIN
) -> RiskCheck:
    checks = {one.flag: one for one in risk_checks(history, known, domain)}
    return checks[flag]  # type: ignore[index]  # any text


def test_every_flag_once_in_the_tables_order() -> None:
    assert tuple(one.flag for one in risk_checks(None, NOTHING_KNOWN, DOMAIN)) == FLAGS
    assert set(check("gap").to_dict()) == {"flag", "label", "result", "severity", "note"}


def test_nothing_known_is_unknown_never_clean() -> None:
    results = {one.flag: one.result for one in risk_checks(None, NOTHING_KNOWN, DOMAIN)}
    assert results == {flag: "clean" if flag == "trademark" else "unknown" for flag in FLAGS}
    blocked = History(DOMAIN, NOW, "ok", blocked=True)
    assert check("parked", blocked).result == "unknown"
    empty = History(DOMAIN, NOW, "ok")
    assert [check(flag, empty).result for flag in ("parked", "gap", "lang_change", "topic_change")] == [
        "unknown"
    ] * 4


def test_an_honest_history_is_clean() -> None:
    for flag in ("parked", "gap", "lang_change", "topic_change"):
        assert check(flag).result == "clean"
    once = replace(HONEST, read=(SITE,))
    assert check("parked", once).result == "clean"
    assert check("lang_change", once).result == "unknown"
    wordless = replace(HONEST, read=(replace(SITE, words=0, language=None),) * 2)
    assert check("topic_change", wordless).result == "unknown"
    assert check("lang_change", wordless).result == "unknown"


def test_a_finding_of_the_history_is_told_with_date_and_address() -> None:
    mild = Finding(
        "parked",
        1,
        "On 2011-01-01 the domain showed a placeholder.",
        at=day("2011-01"),
        url="https://a.test/2",
    )
    grave = replace(mild, severity=2, note="On 2012-01-01 it was for sale.", url="https://a.test/3")
    found = check("parked", replace(HONEST, findings=(mild, grave)))
    assert (found.result, found.severity) == ("found", "risk")
    assert found.note == "On 2012-01-01 it was for sale (https://a.test/3)."
    assert check("parked", replace(HONEST, findings=(mild,))).severity == "info"
    bare = Finding("gap", 1, "No page was archived in 2006–2010.")
    assert check("gap", replace(HONEST, findings=(bare,))).note == bare.note


@pytest.mark.parametrize("flag", ["lang_change", "topic_change"])
def test_a_change_to_spam_is_unknown_and_not_clean(flag: str) -> None:
    later = replace(SITE, at=day("2012-01"))
    spam = replace(SITE, at=day("2015-01"), kind="spam", language="zh")
    turned = replace(HONEST, read=(SITE, later, spam))
    assert check(flag, turned).result == "unknown"
    assert check(flag, turned).note.startswith("One side of the change is spam")
    assert check(flag, replace(HONEST, read=(spam, SITE))).note.startswith("One side of the change is spam")
    doubtful = replace(turned, read=(SITE, later, replace(spam, kind="suspect")))
    assert check(flag, doubtful).result == "clean"
    assert check(flag, replace(doubtful, outcome="spam")).result == "unknown"
    assert check(flag, replace(turned, read=(spam, spam))).note.startswith("Too few captures")
    honest = Finding(flag, 2, "It changed.")
    assert check(flag, replace(turned, findings=(honest,))).result == "found"
    assert check("parked", turned).result == "clean"


def test_trademark() -> None:
    assert check("trademark", domain="adidas-outlet.com").note == "The name contains the trademark “adidas”."
    assert check("trademark", domain="apple.com").note == "The name is the trademark “apple”."
    assert check("trademark", domain="gooogle.com").severity == "risk"
    assert check("trademark").result == "clean"
    own = Finding("trademark", 2, "The name contains the trademark “oldmill”.", rule="trademark compound")
    assert check("trademark", replace(HONEST, findings=(own,))).note == own.note


# Link figures


def test_a_rating_nothing_bears_out_is_inflated() -> None:
    found = dr_inflated(metrics(dr=55, rd=30, tf=3, rank=4.0))
    assert isinstance(found, Finding)
    assert found.note == (
        "The other figures do not support a Domain Rating of 55: 30 referring domains, a Trust Flow of 3,"
        " an open link rank of 4 out of 100."
    )


@pytest.mark.parametrize(
    ("known", "result"),
    [
        ({}, "unknown"),
        ({"tf": 3}, "unknown"),
        ({"dr": 60}, "unknown"),
        ({"dr": 40, "rd": 500, "tf": 20}, "clean"),
        ({"dr": 40, "rd": 500, "tf": 3}, "clean"),
        ({"dr": 12, "tf": 0}, "clean"),
        ({"dr": 40, "tf": 3}, "found"),
        ({"dr": 60, "rd": 900, "as_": 5, "da": 6}, "found"),
        ({"dr": 60, "pr": 1.0, "rank": 4.0}, "found"),
        ({"dr": 60, "rank": 4.0}, "found"),
        ({"dr": 60, "rank": 4.0, "rd": 900}, "clean"),
        ({"dr": 60, "rank": 15.0}, "clean"),
        ({"dr": 45, "rank": 5.0}, "clean"),
        ({"dr": 30, "rank": 50.0}, "clean"),
        ({"dr": 60, "tf": 15, "cf": 70, "rd": 40}, "found"),
        ({"dr": 60, "tf": 15, "cf": 30, "rd": 900}, "clean"),
        ({"dr": 60, "tf": 15, "cf": 10, "rd": 900}, "clean"),
    ],
)
def test_inflation_needs_two_signs_or_no_voice_against(known: dict[str, float], result: str) -> None:
    assert check("dr_inflated", known=metrics(**known)).result == result


def test_not_indexed_only_from_a_known_zero() -> None:
    assert not_indexed(NOTHING_KNOWN) == "unknown"
    assert not_indexed(metrics(indexed=5)) == "clean"
    assert check("not_indexed", known=metrics(indexed=0)).result == "found"


# What it comes to


def test_found_flags_and_the_verdict() -> None:
    info = metrics(indexed=0)
    checks = risk_checks(HONEST, info, DOMAIN)
    assert found_flags(checks) == {"not_indexed": "info"}
    assert verdict(checks, HONEST, info) == "ok"
    assert verdict(risk_checks(HONEST, info, "google-shop.com")) == "risky"
    assert verdict(checks, replace(HONEST, outcome="suspect")) == "risky"


def anchors(*pairs: tuple[str, int]) -> Metrics:
    return metrics(anchors=[{"text": text, "referring_domains": count} for text, count in pairs])


def test_spam_links_ask_for_a_look_and_reject_in_number() -> None:
    few = anchors(("best online casino", 6), ("Harris bakery", 90))
    checks = risk_checks(HONEST, few, DOMAIN)
    assert verdict(checks, HONEST, few) == "risky"
    assert spam_reasons(HONEST, few) == ()
    many = anchors(("best online casino bonus", 60), ("Harris bakery", 40))
    assert spam_reasons(HONEST, many) == (
        "60 of the 100 referring domains whose link texts we know (60%) link with spam words,"
        " such as “best online casino bonus”.",
    )
    hijacked = replace(HONEST, outcome="spam", reasons=("Gambling spam.",))
    assert spam_reasons(hijacked, NOTHING_KNOWN) == ("Gambling spam.",)
    assert len(spam_reasons(hijacked, many)) == 2
