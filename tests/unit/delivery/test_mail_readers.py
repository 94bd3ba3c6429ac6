"""Mails use only what the common readers of mails draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import MOST_LISTED, MatchedDomain
from afterdrop.watching.notices import mail_domain
from tests.support.mail_kinds import FRAME, every_kind
from tests.support.mail_readers import as_read_by, faults
from tests.support.mail_texts import DOMAIN

MAILS = every_kind()


def test_every_kind_of_mail_is_looked_at() -> None:
    pages = Path(message.__file__).with_name("templates").glob("*.html")
    assert {page.stem for page in pages} - {"layout", "parts", "match_rows"} == set(MAILS)


@pytest.mark.parametrize("kind", MAILS)
def test_a_mail_is_drawn_by_every_reader(kind: str) -> None:
    assert faults(MAILS[kind].html) == []


def test_the_longest_mail_is_not_cut_off() -> None:
    longest = {
        **DOMAIN, "domain": "w" * 63 + ".com", "title": "x" * 200,
        "flag_levels": {"topic_change": "caution", "gap": "minor"},
        "report_url": "https://drops.example/domains/" + "w" * 63 + ".com",
    }  # fmt: skip
    found = [MatchedDomain(mail_domain(longest), ["r" * 60])] * MOST_LISTED
    assert faults(message.digest(FRAME, found, more=1000).html) == []


def test_a_mail_of_many_matches_is_the_ten_best_and_the_others_by_name() -> None:
    found = [
        MatchedDomain(
            mail_domain({**DOMAIN, "domain": f"name-{number:02}.com", "title": "字" * 200}), ["Ü&Ö" * 20]
        )
        for number in range(50)
    ]
    for mail, more in (
        (message.instant_matches(FRAME, found), False),
        (message.digest(FRAME, found, 7), True),
    ):
        assert faults(mail.html) == []
        assert [mail.text.count(f"name-{number:02}.com – ") for number in range(50)] == [1] * 10 + [0] * 40
        also = mail.text.partition("Also: ")[2].partition("\n")[0]
        assert also.split(", ") == [f"name-{number:02}.com" for number in range(10, 50)]
        assert "name-49.com" in mail.html
        assert (">And 7 more</a>" in mail.html) == more
        assert (f"And 7 more: {FRAME.site_url}/alerts" in mail.text) == more
        assert "50 new" in mail.subject or "56 more" in mail.subject


@pytest.mark.parametrize("kind", MAILS)
def test_the_look_is_in_the_elements(kind: str) -> None:
    """Outlook on Windows and forwarded mails have no style sheet."""
    bare = as_read_by("Outlook on Windows", MAILS[kind].html)
    assert "<style" not in bare and "border-radius" not in bare
    for style in ("background-color:#f5f7f7", "background-color:#fff", "font-family:"):
        assert style in bare
    if 'class="button"' in bare:
        assert 'class="button" style="background-color:#0b5c57' in bare


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<script>x</script>", "<script>"),
        ('<div style="display:flex">', "display: flex"),
        ('<div style="gap:4px">', "gap: 4px"),
        ('<div style="position:absolute">', "position: absolute"),
        ('<div style="color:var(--ink)">', "color: var(--ink)"),
        ('<div style="background-color:url(https://x.example)">', "background-color: url(https"),
        ('<table role="presentation" onclick="x"></table>', "<table onclick>"),
        ("<table></table>", "<table> without role=presentation"),
        ('<img src="https://x.example/a.png">', "<img src=https://x.example/a.png>: only what is attached"),
        ('<a href="javascript:alert(1)">x</a>', "<a href=javascript:alert(1)>"),
        ("<style>.a { color: red }</style>", "style sheet: .a { color: red }"),
        ("<style>@media (max-width: 620px) {.a { float: left }}</style>", "float: left"),
        ("<style>@media (max-width: 620px) {td > a { color: #fff }}</style>", "style sheet: td > a { color: #fff }"),
        ("<style>@import url(x);</style>", "style sheet: @import url(x);"),
        ("x" * 103_000, "103000 bytes: Gmail cuts it off"),
    ],
)  # fmt: skip
def test_what_a_reader_would_not_draw_is_found(page: str, fault: str) -> None:
    assert any(found.startswith(fault) for found in faults(page)), faults(page)
