"""The texts of mails, with hostile content wherever it comes from outside."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from afterdrop.core.safe_text import one_line
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import (
    MailFrame,
    MailMessage,
    MatchedDomain,
    RegistryNews,
    TakeoverNews,
    moment,
    shown_name,
)
from afterdrop.watching.notices import mail_domain
from tests.support.mail_texts import DOMAIN

LETTER = MailFrame(
    "Afterdrop", "https://drops.example", "Europe/Berlin", "https://drops.example/unsubscribe/abc"
)
CHECKED = "2026-11-21T18:00:00Z"
EVIL = 'x\r\nBcc: all@example.org\r\n\r\n<script>alert("1")</script>\u202e\u2028\x1b[31m\x00&'


def kinds(
    letter: MailFrame = LETTER, domain: dict[str, Any] = DOMAIN, text: str = "Huts"
) -> list[MailMessage]:
    """One mail of every kind."""
    shown = mail_domain(domain)
    finds = [MatchedDomain(shown, [text, "other"]), MatchedDomain(shown, [text])]
    return [
        message.instant_matches(letter, finds),
        message.instant_matches(letter, finds[1:]),
        message.digest(letter, finds, more=7),
        message.reminder(letter, shown, 24, "watchlist"),
        message.reminder(letter, shown, 1, "alert"),
        message.drop_notice(letter, shown, CHECKED, "watchlist"),
        message.drop_notice(letter, shown, CHECKED, "alert"),
        message.endpoint_off(letter, f"https://hooks.example/{text}", 15, text),
        message.endpoint_off(letter, "https://hooks.example/", 15, None),
        message.verification(letter, "https://drops.example/verify/t"),
        message.password_reset(letter, "https://drops.example/reset/t"),
        message.operator(letter, "Alarm", "One line\nand one"),
        message.announcement(letter, "News", "One line\nand one\n\nAnother"),
    ]


def words(html: str) -> str:
    """A page's text on one line."""
    return " ".join(re.sub(r"<style.*?</style>|<[^>]*>", " ", html, flags=re.DOTALL).split())


def test_subjects_of_every_kind_of_mail() -> None:
    assert [mail.subject for mail in kinds()] == [
        "2 new for “Huts” and “other”, best 61",
        "alpine-hut.com matches Huts",
        "Daily digest: alpine-hut.com and 8 more match your rules",
        "alpine-hut.com ends in about 24 hours",
        "alpine-hut.com ends in about an hour",
        "alpine-hut.com has dropped and is free to register",
        "alpine-hut.com has dropped and is free to register",
        "Your webhook endpoint has been switched off",
        "Your webhook endpoint has been switched off",
        "Confirm your address for Afterdrop",
        "Choose a new password for Afterdrop",
        "Alarm",
        "News",
    ]


@pytest.mark.parametrize(
    ("rules", "subject"),
    [
        ([["Strong and clean"]] * 24, "24 new for Strong and clean, best 61"),
        ([["Huts"], ["Huts"], ["Clubs, cheap"]], "3 new for “Huts” and “Clubs, cheap”, best 61"),
        ([["a", "b"], ["c"]], "2 new for “a”, “b” and “c”, best 61"),
        ([["a", "b"], ["c", "d", "e"]], "2 new for “a”, “b” and 3 more rules, best 61"),
        ([["Huts", "other"]], "alpine-hut.com matches “Huts” and “other”"),
        ([["x" * 80]] * 2, f"2 new for {'x' * 80}, best 61"),
        ([["x" * 80], ["y" * 80]], f"2 new for “{'x' * 39}…” and “{'y' * 39}…”, best 61"),
        ([["Huts\r\nBcc: all@example.org"]] * 2, "2 new for Huts Bcc: all@example.org, best 61"),
        (
            [["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"]] * 2,
            "2 new for \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645, best 61",
        ),
        (
            [["pay\u200dpal \u0dc1\u0dca\u200d\u0dbb"]] * 2,
            "2 new for pay pal \u0dc1\u0dca\u200d\u0dbb, best 61",
        ),
    ],
)
def test_an_instant_mail_names_its_rules(rules: list[list[str]], subject: str) -> None:
    mail = message.instant_matches(LETTER, [MatchedDomain(mail_domain(DOMAIN), each) for each in rules])
    assert mail.subject == subject
    named = "; ".join(dict.fromkeys(one_line(rule) for each in rules for rule in each))
    lead = f"matching your alert rule{'s' if '; ' in named else ''} {named}"
    assert lead in mail.text and lead in words(mail.html)


def test_a_digest_of_one_name_names_it_and_its_rule() -> None:
    mail = message.digest(LETTER, [MatchedDomain(mail_domain(DOMAIN), ["Huts"])])
    assert mail.subject == "Daily digest: alpine-hut.com matches Huts"


def test_an_instant_mail_about_names_without_a_score_has_no_best() -> None:
    unknown = mail_domain({**DOMAIN, "conclusion": "unknown"})
    mail = message.instant_matches(LETTER, [MatchedDomain(unknown, ["Huts"])] * 2)
    assert mail.subject == "2 new for Huts"


def test_only_notifications_have_the_headers_of_one_click_unsubscription() -> None:
    for mail in kinds():
        if mail.topic is None:
            assert mail.headers == {}
            assert "unsubscribe" not in mail.text + mail.html
        else:
            assert mail.headers == {
                "List-Unsubscribe": "<https://drops.example/unsubscribe/abc>",
                "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            }
            assert "Stop these mails: https://drops.example/unsubscribe/abc" in mail.text
            assert 'href="https://drops.example/unsubscribe/abc"' in mail.html


def test_the_texts_say_what_matters() -> None:
    found, single, digest, reminder, *_ = kinds()
    for line in (
        "alpine-hut.com – 61 of 100",
        "  Alpine Hut",
        "  27 TF · 48 DR · 1,752 referring domains · 18 years archived",
        "  $1,200, 1 bid · Harbour Auctions",
        "  Ends Sat 21 Nov 2026, 19:00 (Berlin)",
        "  Matches: Huts; other",
        "  Bid at Harbour Auctions: https://market.example/1",
        "  Report: https://drops.example/domains/alpine-hut.com",
    ):
        assert line in found.text.splitlines()
    for text in (
        "alpine-hut.com Alpine Hut 61 / 100",
        "27 TF · 48 DR · 1,752 referring domains · 18 years archived",
        "$1,200, 1 bid · Harbour Auctions Ends Sat 21 Nov 2026, 19:00 (Berlin)",
        "Matches: Huts; other Bid at Harbour Auctions",
    ):
        assert text in words(found.html)
    assert "  Matches: Huts\n" in single.text
    assert "And 7 more: https://drops.example/alerts" in digest.text
    for mail in (found, reminder):
        assert 'href="https://market.example/1"' in mail.html
        assert "Worth a second look" not in mail.text + mail.html
        assert "ffiliate" not in mail.text + mail.html


def test_risks_are_said_in_words() -> None:
    two = {"topic_change": "caution", "gap": "minor"}
    risky = {**DOMAIN, "flag_levels": two, "conclusion": "second_look"}
    for mail in kinds(domain=risky)[:7]:
        for part in (mail.text, words(mail.html)):
            assert "Worth a second look: change of subject (caution), gap in the archive (minor)" in part
            assert "topic_change" not in part
    for mail in kinds(domain={**DOMAIN, "conclusion": "second_look"})[:7]:
        assert "Worth a second look: see the report" in mail.text
    for mail in kinds(domain={**DOMAIN, "flag_levels": {"gap": "minor"}})[:7]:
        assert "Flags: gap in the archive (minor)" in mail.text and "second look" not in mail.text
    serious = {**DOMAIN, "flag_levels": {"anchor_foreign": "serious"}, "conclusion": "serious_risk"}
    for mail in kinds(domain=serious)[:7]:
        assert 'class="badline"' in mail.html
        assert "Serious risk: foreign link texts (serious)" in words(mail.html)


def test_links_that_are_still_there_are_told_where_somebody_looked() -> None:
    for live, told in ((15, True), (0, True), (None, False)):
        mail = message.instant_matches(
            LETTER, [MatchedDomain(mail_domain({**DOMAIN, "live_links": live}), ["Huts"])]
        )
        for part in (mail.text, words(mail.html)):
            assert ("links still there" in part) == told
            assert not told or f"{live} links still there" in part or f"links still there {live}" in part


def test_a_rejected_domain_shows_its_reason_and_no_number() -> None:
    shown = mail_domain(DOMAIN, "Spam stood there in 2019.")
    for mail in (
        message.instant_matches(LETTER, [MatchedDomain(shown, ["Huts"])]),
        message.reminder(LETTER, shown, 24, "watchlist"),
        message.drop_notice(LETTER, shown, CHECKED, "watchlist"),
    ):
        for part in (mail.text, words(mail.html)):
            assert "REJECTED" in part
            assert "Spam stood there in 2019." in part
            assert "61" not in part
            assert "of 100" not in part and "/ 100" not in part
            assert "Bid at" not in part


def test_unknown_values_are_called_unknown() -> None:
    listing = dict.fromkeys(("source", "source_title", "type", "price_usd", "ends_at", "url"))
    listing |= {"bids": 0, "certain": True, "opens_at": None, "day": None}
    metrics = dict.fromkeys(("domain_rating", "referring_domains", "archive_years"))
    nothing = {**DOMAIN, "title": None, "conclusion": "unknown", "purchase": [], "listing": listing}
    nothing["metrics"] = metrics
    found, *_ = kinds(domain=nothing)
    assert "alpine-hut.com – not enough data" in found.text
    assert "No fixed end" in found.text
    assert "Not enough data" in words(found.html) and "No known title" in words(found.html)
    for part in (found.text, words(found.html)):
        for absent in ("TF", "DR", "None", "Bid at", "/ 100", "of 100"):
            assert absent not in part


def test_an_affiliate_link_is_called_one() -> None:
    way = {**DOMAIN["purchase"][0], "affiliate": True}
    for mail in kinds(domain={**DOMAIN, "purchase": [way]})[:7]:
        assert "Bid at Harbour Auctions (affiliate link): https://market.example/1" in mail.text
        assert "Affiliate link" in words(mail.html)


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({"status": "available", "price_usd": 12}, ["About $12 to register"]),
        ({"status": "available", "price_usd": None}, []),
        ({"type": "buy_now", "ends_at": None}, ["$1,200 · Harbour Auctions", "No fixed end"]),
        ({"price_usd": None, "bids": 2}, ["No price yet, 2 bids · Harbour Auctions", "Ends W"]),
        (
            {"status": "pending_delete", "type": "pending_delete", "price_usd": None},
            ["Harbour Auctions", "Drops by W"],
        ),
        (
            {
                "status": "pending_delete",
                "type": "pending_delete",
                "price_usd": None,
                "opens_at": "2026-11-21T16:00:00Z",
            },
            ["Harbour Auctions", "Drops from W"],
        ),
        (
            {"status": "pending_delete", "type": "pending_delete", "price_usd": None, "day": "2026-11-21"},
            ["Harbour Auctions", "Drops during 21 Nov 2026 (.com)"],
        ),
        (
            {"status": "pending_delete", "type": "pending_delete", "price_usd": None, "certain": False},
            ["Harbour Auctions", "May drop W"],
        ),
        ({"status": "ended"}, ["$1,200, 1 bid · Harbour Auctions", "Ended W"]),
    ],
)
def test_how_a_domain_is_offered(changes: dict[str, Any], lines: list[str]) -> None:
    listing = {**DOMAIN["listing"], **{name: changes[name] for name in changes if name != "status"}}
    shown = mail_domain({**DOMAIN, "status": changes.get("status", "listed"), "listing": listing})
    assert shown.listed(lambda _: "W") == lines


def test_a_reminder_does_not_promise_what_only_may_drop() -> None:
    may = mail_domain(
        {**DOMAIN, "listing": {**DOMAIN["listing"], "type": "pending_delete", "certain": False}}
    )
    written = message.reminder(MailFrame("Drops", "https://drops.example"), may, 24, "watchlist")
    assert written.subject == "alpine-hut.com may drop in about 24 hours"
    assert (
        "May drop Sat 21 Nov" in written.text
        and "ends" not in written.text.partition("You follow")[0].lower()
    )


def test_a_reminder_of_a_drop_names_its_opening() -> None:
    opens = {**DOMAIN["listing"], "type": "pending_delete", "opens_at": "2026-11-21T16:00:00Z"}
    drops = mail_domain({**DOMAIN, "status": "pending_delete", "listing": opens})
    written = message.reminder(MailFrame("Drops", "https://drops.example"), drops, 1, "watchlist")
    assert written.subject == "alpine-hut.com drops in about an hour"
    assert "Drops from Sat 21 Nov 2026, 16:00 (UTC)" in written.text


def test_a_reminder_of_a_day_counts_to_its_beginning() -> None:
    day = {
        **DOMAIN["listing"],
        "type": "pending_delete",
        "opens_at": "2026-11-20T23:00:00Z",
        "day": "2026-11-21",
    }
    drops = mail_domain({**DOMAIN, "status": "pending_delete", "listing": day})
    written = message.reminder(MailFrame("Drops", "https://drops.example"), drops, 24, "watchlist")
    assert written.subject == "alpine-hut.com drops during 21 Nov 2026 (.com), which begins in about 24 hours"
    assert "Drops during 21 Nov 2026 (.com)" in written.text
    assert "23:" not in written.text + written.html


def test_hostile_text_stays_on_its_line_and_is_escaped() -> None:
    listing = {**DOMAIN["listing"], "source_title": EVIL, "url": "javascript:alert(1)"}
    way = {**DOMAIN["purchase"][0], "label": EVIL, "place": EVIL}
    evil = {**DOMAIN, "title": EVIL, "listing": listing, "flag_levels": {EVIL: EVIL}, "purchase": [way]}
    for mail in kinds(MailFrame(EVIL, "https://drops.example"), evil, EVIL):
        assert "\n" not in mail.subject
        assert "\r" not in mail.subject + mail.text + mail.html
        assert "\nBcc:" not in mail.subject + mail.text + mail.html
        assert "<script" not in mail.html
        assert 'href="javascript:' not in mail.html
        for unseen in "\u202e\u2028\x1b\x00":
            assert unseen not in mail.subject + mail.text + mail.html


def test_internationalised_names_show_both_spellings() -> None:
    assert shown_name("xn--bcher-kva.de") == "bücher.de (xn--bcher-kva.de)"
    assert shown_name("a.com") == "a.com"


def test_a_name_of_symbols_is_shown_as_its_a_label() -> None:
    assert shown_name("xn--n3h.net") == "xn--n3h.net"


def test_times_as_people_read_them() -> None:
    assert moment("2026-11-05T08:05:00Z", "Asia/Kathmandu") == "Thu 5 Nov 2026, 13:50 (Kathmandu)"


@pytest.mark.parametrize("write", [message.verification, message.password_reset])
def test_links_are_in_the_text_and_in_the_html(write: Callable[[MailFrame, str], MailMessage]) -> None:
    mail = write(LETTER, "https://drops.example/x?a=1&b=2")
    assert "\nhttps://drops.example/x?a=1&b=2\n" in mail.text
    assert 'href="https://drops.example/x?a=1&amp;b=2"' in mail.html


@pytest.mark.parametrize(
    ("change", "expires_at", "drops", "subject", "said"),
    [
        (
            "renewed",
            "2028-06-07T18:00:00Z",
            None,
            "was renewed",
            "registered until Wed 7 Jun 2028, 20:00 (Berlin)",
        ),
        ("renewed", None, None, "was renewed", "Its holder keeps it."),
        ("redemption", None, None, "is in redemption", "Its holder can still get it back."),
        (
            *("pending_delete", None, ("2026-11-25", "2026-11-26"), "is pending delete"),
            "It may drop between 25 Nov 2026 and 26 Nov 2026.",
        ),
        (
            *("pending_delete", None, ("2026-11-25", "2026-11-25"), "is pending delete"),
            "It may drop on 25 Nov 2026.",
        ),
        ("dropped", None, None, "has dropped and is free to register", "nobody had registered it."),
        ("registered", None, None, "was registered anew", "after its last registration ended."),
    ],
)
def test_what_registries_say_of_followed_names(
    change: Any, expires_at: str | None, drops: tuple[str, str] | None, subject: str, said: str
) -> None:
    url = "https://registrar.example/?q=alpine-hut.com" if change == "dropped" else None
    mail = message.registry_notice(
        LETTER, RegistryNews("alpine-hut.com", change, CHECKED, expires_at, drops, url)
    )
    assert mail.subject == f"alpine-hut.com {subject}"
    for part in (mail.text, words(mail.html)):
        assert said in part
        assert "You follow this name." in part
    assert ("registrar.example" in mail.text) == ("registrar.example" in mail.html) == (url is not None)
    assert mail.topic == "watches"


def test_what_stands_at_a_followed_name_is_told_in_the_words_of_its_page() -> None:
    news = TakeoverNews(
        *("a.com", "for sale at $9<b>\n9", "A new holder since 3 December 2026."),
        "Title <script>alert(1)</script>\u202e",
        ("quote <img src=x>\r\nTo: you",),
        *(CHECKED, "https://drops.example/domains/a.com/takeover"),
    )
    mail = message.takeover_notice(LETTER, news)
    assert mail.subject == "a.com: for sale at $9<b> 9"
    assert mail.topic == "watches"
    for part in (mail.text, mail.html):
        assert news.url in part and "A new holder since 3 December 2026." in part
        assert "\u202e" not in part and "\r" not in part
    assert "<script" not in mail.html and "<img src=x" not in mail.html and "$9<b>" not in mail.html


def test_who_registered_a_followed_name_anew_and_when() -> None:
    news = RegistryNews(
        "a.com", "registered", CHECKED, None, None, None, "Rege<b>\u202egistrar", "2026-11-20T09:00:00Z"
    )
    mail = message.registry_notice(LETTER, news)
    assert "has registered it at Rege<b>" in mail.text and "on Fri 20 Nov 2026" in mail.text
    assert (
        "\u202e" not in mail.text + mail.html and "<b>" not in mail.html.partition("registered it at")[2][:60]
    )
