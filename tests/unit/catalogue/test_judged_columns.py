"""Judgement and placing: what is concluded, where it belongs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, cast

import pytest

from afterdrop.catalogue.judged_columns import judged_columns, review_columns, stored_title
from afterdrop.catalogue.link_table import known_links
from afterdrop.catalogue.listings import Listing, showing
from afterdrop.catalogue.placement import KnownDomain, Placement, _view, place
from afterdrop.catalogue.rows import DomainRow
from afterdrop.review.history.domain_history import CaptureRead, History
from afterdrop.review.history.eras import Era
from afterdrop.scoring.judge import Judgement, judge
from afterdrop.scoring.weights import PARTS
from afterdrop.sources.metrics.model import ROLES, Metric, Metrics

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
DAY = timedelta(days=1)
STRONG: dict[str, Any] = {"domain_rating": 50, "trust_flow": 30, "referring_domains": 400}


def history(**values: Any) -> History:
    given = {
        "first_capture": datetime(2004, 3, 1, tzinfo=UTC),
        "last_capture": datetime(2019, 6, 1, tzinfo=UTC),
        "good_years": tuple(range(2004, 2020)),
        "honest_years": tuple(range(2004, 2020)),
        "parked_share": 0.0,
        "captures": 300,
        "archived_urls": 80,
        "language": "en",
        "title": "Alpine Hut",
        "read": (
            CaptureRead(datetime(2019, 6, 1, tzinfo=UTC), "https://a.test/", "site", "en", "Alpine Hut", 200),
        ),
        **values,
    }
    return History("alpine-hut.org", NOW, given.pop("outcome", "ok"), **given)


def metrics(**values: Any) -> Metrics:
    credit = {"text": "Open", "url": "https://x.example"}
    return Metrics.of(Metric(role, values[role], "vendor", NOW, credit) for role in ROLES if role in values)


def offer(**values: Any) -> Listing:
    ends_at = values.pop("ends_at", NOW + DAY)
    given: dict[str, Any] = {
        **{"source": "market_a", "external_id": "x", "type": "auction", "price_usd": 10, "bids": 0},
        **{"ends_at": ends_at, "live_until": ends_at, "url": None, "first_seen_at": NOW},
    }
    return Listing(**{**given, **values})


def row(judgement: Judgement) -> dict[str, Any]:
    return {**review_columns(judgement.history), **judged_columns(judgement)}


def placed(known: KnownDomain, past: History | None = None) -> Placement:
    bound = partial(judge, now=NOW, spam_overruled=known.restored)
    return place(past or history(), known, bound, NOW, "2026-11-20")


def test_a_past_that_could_not_be_read_is_placed_nowhere() -> None:
    unread = history(captures=3, read=(CaptureRead(NOW, "http://a.com/", "failed"),))
    found = placed(KnownDomain([offer()], metrics()), unread)
    assert (found.outcome, found.reasons[0]) == ("unreadable", "No archived page of it could be read.")


def test_a_report_has_every_member_whatever_is_known() -> None:
    bare = row(judge(history(title=None, archived_urls=None), metrics(), None, NOW))["report"]
    assert set(bare["score_breakdown"]) == {*PARTS, "penalty"}
    assert bare["anchors"] == {"top": None, "spam_share": None}
    assert (bare["top_referring_domains"], bare["topical_trust_flow"]) == (None, None)
    assert len(bare["risk_checks"]) == 8
    assert bare["metrics"] == dict.fromkeys(
        (
            *("tf_cf_ratio", "backlinks", "link_rank", "archived_urls"),
            *("<vendor_a>_authority_score", "<vendor_b>_domain_authority", "<vendor_d>_pagerank"),
            "<search_engine>_indexed_pages",
        )
    )


def test_the_share_of_spam_anchors_is_by_referring_domains() -> None:
    anchors = [
        {"text": "alpine huts", "referring_domains": 30},
        {"text": "best online casino bonus", "referring_domains": 10},
    ]
    known = row(judge(history(), metrics(anchors=anchors), None, NOW))["report"]
    unknown = [{**anchor, "era": None} for anchor in anchors]
    assert known["anchors"] == {"top": unknown, "spam_share": 0.25}
    turned = row(judge(history(), metrics(anchors=anchors[::-1]), None, NOW))["report"]
    assert turned["anchors"]["top"] == unknown, "by referring domains, descending"
    none = row(judge(history(), metrics(anchors=[]), None, NOW))["report"]
    assert none["anchors"] == {"top": [], "spam_share": 0.0}


@pytest.mark.parametrize(
    ("values", "estimate", "topic", "estimated"),
    [
        ({"topic": "Games"}, "Arts", "Games", False),
        ({"topical_trust_flow": [{"topic": "Arts/Music", "trust_flow": 3}, {"topic": "sports/Golf", "trust_flow": 9}]},
         None, "Sports", False),
        ({"topical_trust_flow": [{"topic": "World/Deutsch", "trust_flow": 9}]}, "Arts", "Arts", True),
        ({"topical_trust_flow": []}, None, None, False),
        ({}, "News", "News", True),
    ],
)  # fmt: skip
def test_the_topic_is_stated_before_it_is_estimated(
    values: dict[str, Any], estimate: str | None, topic: str | None, estimated: bool
) -> None:
    made = row(judge(history(topic=estimate), metrics(**values), None, NOW))
    assert (made["topic"], made["report"]["topic_estimated"]) == (topic, estimated)


def test_flags_verdict_and_reasons() -> None:
    fine = judge(history(), metrics(**STRONG), 10, NOW)
    assert (fine.flags, fine.verdict, fine.reject_reasons) == ([], "ok", [])
    doubtful = judge(history(outcome="suspect"), metrics(**STRONG), 10, NOW)
    assert (doubtful.verdict, doubtful.reject_reasons) == ("risky", [])
    spam = judge(history(outcome="spam"), metrics(), None, NOW)
    assert spam.reject_reasons[0] == "The history contains spam."
    hidden = judge(history(blocked=True), metrics(**STRONG), 10, NOW)
    assert hidden.reject_reasons[0] == "The history review is not complete."
    nothing = judge(history(captures=0), metrics(search_engine_indexed_pages=3), 10, NOW)
    assert nothing.learned_nothing
    assert nothing.reject_reasons == ["The web archive has no capture.", "No link figure is known."]
    assert not judge(history(captures=0), metrics(domain_rating=9), 10, NOW).learned_nothing
    assert not judge(history(), metrics(), 10, NOW).learned_nothing
    unlisted = row(judge(history(), metrics(search_engine_indexed_pages=0), None, NOW))
    assert (unlisted["flags"], unlisted["flag_count"]) == (["not_indexed"], 1)


def test_spam_has_the_greatest_penalty_and_a_note_that_names_it() -> None:
    spam = judge(history(outcome="spam", reasons=("Pill-shop spam.",)), metrics(**STRONG), 10, NOW)
    assert (spam.score.breakdown["penalty"], spam.score.notes["penalty"]) == (
        0.6,
        "Rejected for spam: Pill-shop spam.",
    )
    assert spam.score.points <= 40
    overruled = judge(history(outcome="spam"), metrics(**STRONG), 10, NOW, spam_overruled=True)
    assert overruled.score == judge(history(), metrics(**STRONG), 10, NOW).score
    assert not overruled.refusals


def test_honest_years_make_the_history() -> None:
    known = metrics(**STRONG)
    half = history(honest_years=tuple(range(2004, 2012)))
    now = judge(half, known, 10, NOW).score
    assert (now.version, now.breakdown["history"]) == ("2026-11-23", 0.5)
    unread = judge(history(honest_years=(), parked_share=None), known, 10, NOW).score
    assert unread.breakdown["history"] is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (None, None),
        (" \x00\u200b ", None),
        ("a\r\n b\tc", "a b c"),
        ("x\ud800y", "x y"),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
        ("\u0c2c\u0c3e\u0c38\u0c4d\u200c \u0c2c", "\u0c2c\u0c3e\u0c38\u0c4d\u200c \u0c2c"),
        ("pay\u200cpal \U0001f468\u200d\U0001f469", "pay pal \U0001f468\u200d\U0001f469"),
        ("Fluss\xadschiff", "Flussschiff"),
        ("é" * 400, "é" * 299 + "…"),
    ],
)
def test_one_line(text: str | None, line: str | None) -> None:
    assert stored_title(text) == line


def stored(**values: Any) -> DomainRow:
    shown = showing([offer()], NOW)
    assert shown is not None
    view = _view(judge(history(), metrics(), 10, NOW), shown)
    given: dict[str, Any] = {"round": 1, "removed_at": None, "removed_reason": None}
    given |= {"found_at": NOW - DAY, "updated_at": NOW}
    return cast(DomainRow, {**view, **given, **values})


GOOD = metrics(**STRONG)
OVER = offer(ends_at=NOW - DAY)
GONE = stored(live_until=NOW - 9 * DAY)


@pytest.mark.parametrize(
    ("known", "outcome", "changes", "match"),
    [
        (KnownDomain([offer()], GOOD), "published", True, True),
        (KnownDomain([offer()], metrics()), "rejected", False, False),
        (KnownDomain([], GOOD), "not_reviewed_in_time", False, False),
        (KnownDomain([OVER], GOOD), "not_reviewed_in_time", False, False),
        (KnownDomain([OVER, offer(external_id="g")], GOOD), "published", True, True),
        (KnownDomain([offer()], GOOD, stored()), "refreshed", True, False),
        (KnownDomain([offer()], metrics(), stored()), "refreshed", True, False),
        (KnownDomain([OVER], GOOD, stored()), "refreshed", True, False),
        (KnownDomain([], GOOD, stored()), "rejected", False, False),
        (KnownDomain([offer()], GOOD, GONE), "published", True, True),
        (KnownDomain([offer()], GOOD, GONE, fresh=False), "rejected", False, False),
        (KnownDomain([offer()], metrics(), GONE), "rejected", False, False),
        (KnownDomain([offer()], GOOD, stored(removed_at=NOW, removed_reason="no")), "rejected", False, False),
        (KnownDomain([offer()], GOOD, stored(removed_at=NOW)), "rejected", False, False),
    ],
)
def test_where_a_domain_belongs(known: KnownDomain, outcome: str, changes: bool, match: bool) -> None:
    found = placed(known)
    assert (found.outcome, found.match, found.unlist_reason) == (outcome, match, None)
    assert found.changes is changes


def test_rounds_and_what_the_registry_said() -> None:
    new = placed(KnownDomain([offer()], GOOD)).row
    assert new is not None
    assert (new["round"], new["found_at"], new["hunt_day"]) == (1, NOW, "2026-11-20")
    assert "announced" not in new
    second = placed(KnownDomain([offer()], GOOD, GONE)).row
    assert second is not None
    assert (second["round"], second["announced"], second["registered_at"]) == (2, False, None)
    back = placed(KnownDomain([offer()], GOOD, stored(live_until=NOW - DAY))).row
    assert back is not None
    assert ("round" in back, back["announced"]) == (False, False)
    running = placed(KnownDomain([offer()], GOOD, stored(live_until=None))).row
    assert running is not None
    assert "announced" not in running


def test_a_price_that_could_not_be_converted_is_explained_in_the_report() -> None:
    unread = offer(price_usd=None, price_note="no exchange rate for XXX (20 XXX)")
    row = placed(KnownDomain([unread], GOOD)).row
    assert row is not None
    assert row["report"]["score_notes"]["price"] == "no exchange rate for XXX (20 XXX)"
    priced = placed(KnownDomain([offer(price_note="old")], GOOD)).row
    assert priced is not None
    assert "price" not in priced["report"]["score_notes"]


def test_spam_link_texts_reject_like_spam_pages() -> None:
    bought = [
        {"text": "online casino bonus", "referring_domains": 30},
        {"text": "Maple", "referring_domains": 20},
    ]
    few = [
        {"text": "online casino bonus", "referring_domains": 4},
        {"text": "Maple", "referring_domains": 60},
    ]
    rejected = judge(history(), metrics(domain_rating=60, anchors=bought), None, NOW)
    assert rejected.spam
    assert rejected.refusals[0].code == "spam_history"
    doubtful = judge(history(), metrics(domain_rating=60, anchors=few), None, NOW)
    assert not doubtful.spam
    assert doubtful.verdict == "risky"


def test_spam_takes_off_unless_an_operator_said_otherwise() -> None:
    spam = history(outcome="spam", reasons=("Pill-shop spam.",))
    assert placed(KnownDomain([offer()], GOOD), spam).unlist_reason is None
    off = placed(KnownDomain([offer()], GOOD, stored()), spam)
    assert (off.outcome, off.unlist_reason, off.changes) == ("rejected", "Pill-shop spam.", True)
    assert placed(KnownDomain([offer()], GOOD, stored(), restored=True), spam).outcome == "refreshed"
    assert placed(KnownDomain([offer()], GOOD, GONE, restored=True), spam).outcome == "published"
    assert placed(KnownDomain([offer()], metrics(), GONE, restored=True), spam).outcome == "rejected"


def test_links_tell_what_was_found_on_their_pages() -> None:
    page, gone, unseen = (f"https://{host}.example/a" for host in ("there", "gone", "unseen"))
    looked = {"text": "Huts", "nofollow": False, "sponsored": False, "place": "content", "note": ""}
    today = [
        {**looked, "page": page, "at": "2026-11-19", "state": "there"},
        {**looked, "page": gone, "at": "2026-11-20", "state": "page_gone", "note": "404"},
    ]
    # The home page of a site whose linking page nobody knows counts where it tells anything.
    home = {**looked, "page": "http://home.example/", "at": "2026-11-24", "state": "unread"}
    lost = {**home, "page": "http://lost.example/", "at": "2026-11-20", "state": "domain_gone"}
    links = [{"domain": at[8:-2], "page": at, "text": "Alpine Hut"} for at in (page, gone, unseen)]
    known = metrics(links=links, links_today=[*today, home, lost])
    told = known_links(judge(history(), known, None, NOW))
    assert told.links is not None
    assert [link["today"] and link["today"]["state"] for link in told.links] == ["there", "page_gone", None]
    assert told.today == {
        **{"looked_at": "2026-11-20", "pages": 3, "there": 1, "followed": 1},
        **{"removed": 0, "page_gone": 1, "domain_gone": 1, "unread": 0},
    }
    for nothing in ([], [home]):
        unlooked = known_links(judge(history(), metrics(links=links, links_today=nothing), None, NOW))
        assert unlooked.today is None


def _sites(*sites: tuple[str, int, int, str]) -> tuple[Era, ...]:
    """Sites one after the other, each of another owner: language, first and last year, title."""
    return tuple(
        Era(
            "site",
            datetime(first, 1, 1, tzinfo=UTC),
            datetime(last, 12, 31, tzinfo=UTC),
            9,
            300,
            "",
            language,
            title,
            owner=number,
        )
        for number, (language, first, last, title) in enumerate(sites, 1)
    )


_CLUB = ("Havgård Sejlklub", 40, 1)


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        # Spam is nobody's, whatever the language and however much of it there is.
        ("da", [_CLUB, ("online casino", 3, None), ("заказать реферат", 2, None)]),
        ("ru", [("ремонт холодильников", 40, 1), ("казино онлайн", 3, None)]),
        # Letters that no site of the name had are nobody's where there are many such links.
        ("da", [_CLUB, ("ремонт холодильников", 77, None), ("网站优化", 56, None)]),
        ("ja", [("ヨットクラブ", 40, 1), ("帆船", 10, 1), ("ремонт холодильников", 77, None)]),
        ("el", [("Ιστιοπλοϊκός όμιλος", 40, 1), ("sailing club", 30, 1), ("网站优化", 56, None)]),
        ("he", [("מועדון שיט", 40, 1), ("ремонт холодильников", 77, None)]),
        # A few honest links from abroad stay the owner's: a Russian forum likes a Danish club, too.
        ("da", [_CLUB, ("датский яхт-клуб", 3, 1), ("casino night at the club house", 2, 1)]),
        ("en", [("Alpine Hut", 40, 1), ("アルプスの山小屋", 4, 1), ("cabane alpine", 9, 1)]),
        ("uk", [("Яхт-клуб", 40, 1), ("яхтклуб в Одесі", 30, 1), ("https://club.example/", 20, 1)]),
        ("ar", [("نادي القوارب", 40, 1), ("boat club", 12, 1), ("viagra", 1, None)]),
    ],
)
def test_nobody_earned_a_link_text_that_was_planted(
    language: str, texts: list[tuple[str, int, int | None]]
) -> None:
    eras = _sites((language, 2004, 2019, "Club"))
    known = metrics(anchors=[{"text": text, "referring_domains": count} for text, count, _ in texts])
    told = known_links(judge(history(language=language, eras=eras), known, None, NOW))
    assert told.anchors is not None and told.eras is not None
    assert {each["text"]: each["era"] for each in told.anchors} == {text: era for text, _, era in texts}
    assert told.eras["unknown"] == sum(count for _, count, era in texts if era is None)


def test_letters_of_any_owner_are_nobody_elses_spam() -> None:
    eras = _sites(("ru", 2004, 2009, "Яхт-клуб"), ("da", 2012, 2019, "Sejlklub"))
    links = [
        {"domain": f"{n}.example", "text": text, "first_seen": seen}
        for n, (text, seen) in enumerate(
            [("яхты", "2005-01-01"), ("游艇", "2013-01-01"), ("Sejl", "2013-02-01")]
        )
    ]
    known = metrics(
        links=links,
        anchors=[{"text": "游艇", "referring_domains": 30}, {"text": "Sejl", "referring_domains": 9}],
    )
    told = known_links(judge(history(language="da", eras=eras), known, None, NOW))
    assert told.links is not None
    assert [link["era"] for link in told.links] == [1, None, 2]
