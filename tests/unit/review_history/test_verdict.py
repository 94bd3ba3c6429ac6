"""Spam, suspect or ok: each rule, and each way an honest site keeps clear of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from afterdrop.review.history.samples import Sample
from afterdrop.review.history.verdict import LINKS, SpamVerdict, spam_verdict
from afterdrop.review.page.values import Category, Evidence, OutLink, PageReading
from tests.support.histories import BREAD, INHERITED, day, evidence, page, sample, spam, stranger


def judged(*samples: Sample, paths: Sequence[str] = ()) -> SpamVerdict:
    return spam_verdict(samples, paths, INHERITED)


def hint(zone: str = "title", **given: Any) -> PageReading:
    """A suspect page of strangers, with one weighty phrase in `zone`."""
    values: dict[str, Any] = {"verdict": "suspect", "evidence": (evidence(zone, 2),)}
    return spam(zone, **{**values, **given})


def ours(**given: Any) -> PageReading:
    """A page of the bakery itself that reads like spam."""
    return spam(**{"brand_tokens": frozenset({"harris"}), "title": page().title, **given})


def deep(when: str, reading: PageReading) -> Sample:
    return replace(sample(when, reading), home=False)


def test_an_honest_life_is_ok() -> None:
    assert judged(sample("2010-01"), sample("2014-01", stranger())) == SpamVerdict("ok")
    assert judged() == SpamVerdict("ok")


def test_two_digests_of_spam_reject() -> None:
    found = judged(sample("2010-01"), sample("2014-01", spam("body")), sample("2015-02", spam("body")))
    assert found == SpamVerdict(
        "spam",
        ("Gambling spam from 2014-01-01 to 2015-02-01, in 2 captures we read: “…best online casino…”.",),
    )


def test_captures_of_several_trades_are_doorways_unless_most_are_of_one() -> None:
    def reasons(*trades: Category) -> tuple[str, ...]:
        bad = [sample(f"201{n}-02", spam("body", category=trade)) for n, trade in enumerate(trades, 4)]
        return judged(sample("2010-01"), *bad).reasons

    assert reasons("gambling", "pharma")[0].startswith(
        "Search-engine doorway spam from 2014-02-01 to 2015-02-01, in 2 captures"
    )
    assert reasons("gambling", "pharma", "pharma")[0].startswith(
        "Pill-shop spam from 2014-02-01 to 2016-02-01, in 3 captures"
    )


def test_one_digest_counts_once() -> None:
    same = [sample(when, spam("body"), digest="X") for when in ("2014-01", "2015-01")]
    assert judged(sample("2010-01"), *same, sample("2016-01", stranger())).outcome == "suspect"


def test_one_capture_with_its_phrase_in_the_title_rejects() -> None:
    assert judged(sample("2010-01"), sample("2014-01", spam("meta"))).reasons == (
        "Gambling spam in the title of the capture of 2014-01-01: “best online casino”.",
    )


def test_a_reason_says_what_the_page_does_where_more_than_its_words_is_known() -> None:
    def reason(**given: Any) -> str:
        (told,) = judged(sample("2010-01"), sample("2014-01", spam("meta", **given))).reasons
        return told

    def found(code: str, rule: str = "rule") -> tuple[Evidence, ...]:
        return (replace(evidence("meta"), code=code, rule=rule),)

    act = reason(evidence=found("spam_act", "act: sells forged papers"))
    assert act.endswith("of 2014-01-01: the page sells forged papers: “best online casino”.")
    assert ": the page is made of the same few sentences: " in reason(evidence=found("repeated_sentence"))
    assert ": the page has links to other sites that its visitors do not see: " in reason(
        evidence=found("hidden_link")
    )
    links = [
        OutLink(site, "go", False, True)
        for site in ("play-example.com", "facebook.com")
        for _ in range(LINKS)
    ]
    assert f": {LINKS} of the page's links lead to play-example.com: " in reason(links=tuple(links))
    assert "links" not in reason(links=tuple(links[1:]))


def test_one_capture_in_the_body_rejects_only_without_honest_pages_on_both_sides() -> None:
    assert judged(sample("2014-01", spam("body"))).outcome == "spam"
    assert judged(sample("2010-01"), sample("2014-01", spam("body"))).reasons == (
        "Gambling spam in the text of the capture of 2014-01-01: “…best online casino…”.",
    )
    both = judged(sample("2010-01"), sample("2014-01", spam("body")), sample("2016-01", stranger()))
    assert both == SpamVerdict("suspect", ("The capture of 2014-01-01 reads like gambling spam.",))


def test_one_capture_of_the_same_site_in_its_body_is_suspect() -> None:
    assert (
        judged(sample("2010-01"), sample("2014-01", ours(evidence=(evidence("body"),)))).outcome == "suspect"
    )
    mild = ours(verdict="suspect", evidence=(evidence("body", 2),))
    assert (
        judged(sample("2010-01", mild), sample("2014-01", ours(evidence=(evidence("body"),)))).outcome
        == "suspect"
    )


def test_the_same_site_before_and_after_is_suspect_only() -> None:
    worded = [sample(when, ours(evidence=(evidence("body"),))) for when in ("2014-01", "2014-06")]
    assert judged(sample("2010-01"), *worded, sample("2016-01")).outcome == "suspect"
    assert judged(sample("2010-01"), *worded).outcome == "spam"
    assert judged(sample("2010-01"), sample("2014-01", ours()), sample("2016-01")).outcome == "suspect"


def test_a_break_in_soon_mended_is_risky_though_its_title_is_anothers() -> None:
    broken_into = spam(text=BREAD)
    assert judged(sample("2010-01"), sample("2014-01", broken_into), sample("2015-01")).outcome == "suspect"
    assert judged(sample("2010-01"), sample("2014-01", spam()), sample("2015-01")).outcome == "spam"
    # Still broken into, or twice: rejected.
    assert judged(sample("2010-01"), sample("2014-01", broken_into)).outcome == "spam"
    twice = [sample("2014-01", broken_into), sample("2014-06", broken_into)]
    assert judged(sample("2010-01"), *twice, sample("2015-01")).outcome == "spam"


def test_titles_and_planted_links_on_two_captures_reject_even_when_mended() -> None:
    for zone in ("title", "hidden", "anchor"):
        bad = [sample(when, ours(evidence=(evidence(zone),))) for when in ("2014-01", "2014-06")]
        assert judged(sample("2010-01"), *bad, sample("2016-01")).outcome == "spam"


def test_one_odd_deep_page_decides_nothing() -> None:
    assert judged(sample("2010-01"), deep("2014-01", spam())).outcome == "suspect"
    assert judged(sample("2010-01"), deep("2014-01", spam()), deep("2014-02", spam())).outcome == "spam"


# Suspect pages


def test_suspects_that_took_anothers_place_reject() -> None:
    found = judged(
        sample("2010-01"),
        sample("2014-01", hint()),
        sample("2015-01", hint("body", evidence=(evidence("body", 2),) * 3)),
    )
    assert found.reasons == (
        "Gambling content from 2014-01-01 to 2015-01-01, in 2 captures we read, under a different owner than before:"
        " “best online casino”.",
    )


def test_suspects_without_weight_only_ask_for_a_look() -> None:
    found = judged(sample("2010-01"), sample("2014-01", hint("body")), sample("2015-01", hint("body")))
    assert found == SpamVerdict("suspect", ("The capture of 2014-01-01 may be gambling content.",))


def test_suspects_alone_need_three_digests_and_four_phrases() -> None:
    def three(reading: PageReading) -> list[Sample]:
        return [sample(f"{year}-01", reading) for year in (2012, 2013, 2014)]

    heavy = hint("body", evidence=(evidence("title", 2), *(evidence("body", 2),) * 3))
    text_only = hint("body", evidence=(evidence("body", 2),) * 6)
    assert judged(*three(heavy)).reasons == (
        "Gambling content from 2012-01-01 to 2014-01-01, in 3 captures we read, with no other site before:"
        " “…best online casino…”.",
    )
    assert judged(*three(heavy)[1:]).outcome == "suspect"
    assert judged(*three(heavy)[1:], sample("2015-01", spam("body"))).outcome == "spam"
    lighter = hint("title", evidence=(evidence("title", 2),) * 3)
    assert judged(*three(lighter)).outcome == "suspect"
    assert judged(*three(text_only)).outcome == "suspect"
    assert judged(*three(replace(heavy, category="doorway"))).outcome == "suspect"


def test_suspect_pages_of_the_site_itself_never_reject() -> None:
    own = hint(brand_tokens=frozenset({"harris"}))
    found = judged(sample("2010-01"), *(sample(f"{year}-01", own) for year in (2012, 2013, 2014)))
    assert found.outcome == "suspect"
    assert judged(sample("2010-01"), sample("2012-01", own)).outcome == "ok"


def test_categories_do_not_add_up() -> None:
    pills = hint(category="pharma")
    assert judged(sample("2010-01"), sample("2014-01", hint()), sample("2015-01", pills)).outcome == "suspect"


# Addresses

PATHS = [f"/casino-{n}" for n in range(12)]


def test_spam_addresses_confirmed_by_one_page_reject() -> None:
    found = judged(sample("2010-01"), deep("2014-01", hint("body")), paths=PATHS[:3])
    assert found.reasons == ("3 archived addresses point to spam, such as /casino-0.",)
    assert judged(sample("2010-01"), deep("2014-01", hint("body")), paths=PATHS[:2]).outcome != "spam"


def test_many_spam_addresses_reject_unless_one_was_read_as_honest() -> None:
    assert judged(sample("2010-01"), paths=PATHS).outcome == "spam"
    assert judged(sample("2010-01"), deep("2014-01", page()), paths=PATHS).outcome == "suspect"
    assert judged(sample("2010-01"), paths=PATHS[:3]).outcome == "suspect"


def test_what_a_menu_sells_tells_nothing_where_no_other_site_stood_before() -> None:
    def life(zone: str) -> SpamVerdict:
        likely = hint(zone, evidence=(evidence(zone, 2), evidence(zone, 2)), spam_chance=0.9)
        return judged(*(sample(f"201{year}-01", likely, digest=f"D{year}") for year in range(3)))

    assert life("link").outcome == "suspect"
    assert life("body").outcome == "spam"


def test_a_chance_tells_beside_a_phrase_only() -> None:
    def life(chance: float, severity: int) -> str:
        seen = hint("body", evidence=(evidence("body", severity),), spam_chance=chance)
        return judged(sample("2010-01"), sample("2014-01", seen), sample("2015-01", seen)).outcome

    assert life(0.979, 1) == "suspect"
    assert [life(0.84, 2), life(0.85, 2)] == ["suspect", "spam"]


def test_a_strangers_hidden_menu_or_named_publisher_only_asks_for_a_look() -> None:
    def life(**given: Any) -> str:
        seen = hint("body", **{"evidence": (evidence("body", 2),) * 3, **given})
        return judged(sample("2010-01"), sample("2014-01", seen), sample("2015-01", seen)).outcome

    assert life() == "spam"
    assert life(evidence=(evidence("hidden", 2),) * 3) == "suspect"
    assert life(evidence=(evidence("hidden", 2),) * 3 + (evidence("body", 2),)) == "spam"
    assert life(publisher_phrases=2) == "suspect"
    assert life(publisher_phrases=1) == "spam"


def test_a_reason_tells_the_times_and_captures_that_the_eras_show() -> None:
    """A page is known to have stood before the capture that was read; suspect ones of that stay count, too."""
    before, stay = sample("2009-01", hint("body")), sample("2013-06", hint("body"))
    bad = [sample("2014-01", spam("body")), deep("2015-02", spam("body"))]
    known = {bad[0].at: (day("2013-09"), day("2016-05"))}
    found = spam_verdict([before, sample("2010-01"), stay, *bad], (), INHERITED, None, known)
    assert found.reasons[0].startswith("Gambling spam from 2013-06-01 to 2016-05-01, in 3 captures we read: ")


def test_words_and_addresses_are_cut_whole() -> None:
    long = "Yatırım şartsız deneme bonusu veren güvenilir bahis siteleri burada listelenir"
    wordy = spam("body", evidence=(replace(evidence("body"), quote=long),))
    reason = judged(sample("2014-01", wordy), sample("2015-02", wordy)).reasons[0]
    assert reason.endswith(": “Yatırım şartsız deneme bonusu veren güvenilir bahis…”.")
