"""The texts of mails, with hostile content wherever it comes from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import (
    MailFrame,
    MailMessage,
    MatchedDomain,
    marketplace,
    moment,
    one_line,
    price,
    shown_name,
)
from tests.support.mail_texts import DOMAIN

LETTER = MailFrame(
    "Afterdrop", "https://drops.example", "Europe/Berlin", "https://drops.example/unsubscribe/abc"
)
REGISTRATION = {
    "checked_at": "2026-11-21T18:00:00Z",
    "register_url": "https://registrar.example/alpine-hut.com",
}
EVIL = 'x\r\nBcc: all@example.org\r\n\r\n<script>alert("1")</script>\u202e\u2028\x1b[31m\x00&'


def kinds(
    letter: MailFrame = LETTER, domain: dict[str, Any] = DOMAIN, text: str = "Huts"
) -> list[MailMessage]:
    """One mail of every kind."""
    finds = [MatchedDomain(domain, [text, "other"]), MatchedDomain(domain, [text])]
    return [
        message.matches(letter, finds),
        message.matches(letter, finds[1:]),
        message.digest(letter, finds, more=7),
        message.reminder(letter, domain, 24, "watchlist"),
        message.reminder(letter, domain, 1, "alert"),
        message.drop_notice(letter, domain, REGISTRATION, "watchlist"),
        message.drop_notice(letter, domain, {**REGISTRATION, "register_url": None}, "alert"),
        message.endpoint_off(letter, f"https://hooks.example/{text}", 15, text),
        message.endpoint_off(letter, "https://hooks.example/", 15, None),
        message.verification(letter, "https://drops.example/verify/t"),
        message.password_reset(letter, "https://drops.example/reset/t"),
    ]


def test_subjects_of_every_kind_of_mail() -> None:
    assert [mail.subject for mail in kinds()] == [
        "alpine-hut.com and 1 more match your rules",
        "alpine-hut.com matches Huts",
        "Daily digest: alpine-hut.com and 8 more match your rules",
        "alpine-hut.com ends in about 24 hours",
        "alpine-hut.com ends in about an hour",
        "alpine-hut.com dropped and is free to register",
        "alpine-hut.com dropped and is free to register",
        "Your webhook endpoint was switched off",
        "Your webhook endpoint was switched off",
        "Confirm your address for Afterdrop",
        "Choose a new password for Afterdrop",
    ]


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
    for text in (
        "score 61, $1,200, at Harbour Auctions, ends Sat 21 Nov 2026, 19:00 (Europe/Berlin)",
        "matches: Huts; other",
    ):
        assert text in found.text
    assert "score <strong>61</strong>, $1,200, at Harbour Auctions, ends" in found.html
    assert "matches: Huts\n" in single.text
    assert "And 7 more: https://drops.example/alerts" in digest.text
    assert "1 bid." in reminder.text
    assert "Bid at Harbour Auctions: https://market.example/1" in reminder.text
    assert "Bid at Harbour Auctions</a>" in reminder.html


def test_unknown_values_are_called_unknown() -> None:
    listing = {
        "source": None,
        "source_title": None,
        "price_usd": None,
        "ends_at": None,
        "bids": 0,
        "url": None,
    }
    nothing: dict[str, Any] = {"title": None, "flags": ["gap", "parked"]}
    found = message.matches(LETTER, [MatchedDomain({**DOMAIN, **nothing, "listing": listing}, ["r"])])
    ending = {**listing, "ends_at": "2026-11-21T18:00:00Z"}
    gone = {**DOMAIN, "purchase": []}
    reminder = message.reminder(LETTER, {**gone, **nothing, "listing": ending}, 1, "alert")
    drop = message.drop_notice(LETTER, {**gone, "listing": listing}, REGISTRATION, "alert")
    assert "no price yet, no fixed end" in found.text
    assert "no old title known" in found.text
    assert "worth a second look: gap, parked" in found.text
    assert "0 bids" in reminder.text
    assert "Bid at" not in reminder.text
    assert "registration costs" not in drop.text


def test_a_marketplace_is_called_by_its_name_else_by_its_identifier() -> None:
    listed = DOMAIN["listing"]
    assert marketplace(DOMAIN) == "Harbour Auctions"
    assert marketplace({**DOMAIN, "listing": {**listed, "source_title": None}}) == "market_a"
    assert marketplace({**DOMAIN, "listing": {"source": "market_a"}}) == "market_a"
    assert marketplace({**DOMAIN, "listing": {**listed, "source": None}}) == ""
    assert marketplace({**DOMAIN, "status": "available"}) == "", "nobody sells it any more"
    evil = {**DOMAIN, "listing": {**listed, "source_title": EVIL}}
    assert "\n" not in marketplace(evil)
    assert "<script>" not in message.matches(LETTER, [MatchedDomain(evil, ["r"])]).html


def test_hostile_text_stays_on_its_line_and_is_escaped() -> None:
    listing = {**DOMAIN["listing"], "url": "javascript:alert(1)"}
    evil = {**DOMAIN, "title": EVIL, "listing": listing}
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


def test_prices_and_times_as_people_read_them() -> None:
    assert (price(None), price(0), price(1234567)) == ("no price yet", "$0", "$1,234,567")
    assert moment("2026-11-05T08:05:00Z", "Asia/Kathmandu") == "Thu 5 Nov 2026, 13:50 (Asia/Kathmandu)"


@given(st.text(), st.integers(5, 60))
def test_one_line_is_one_line_and_short(text: str, most: int) -> None:
    line = one_line(text, most)
    assert len(line) <= most
    assert line.splitlines() in ([], [line])


@pytest.mark.parametrize("write", [message.verification, message.password_reset])
def test_links_are_in_the_text_and_in_the_html(write: Callable[[MailFrame, str], MailMessage]) -> None:
    mail = write(LETTER, "https://drops.example/x?a=1&b=2")
    assert "\nhttps://drops.example/x?a=1&b=2\n" in mail.text
    assert 'href="https://drops.example/x?a=1&amp;b=2"' in mail.html
