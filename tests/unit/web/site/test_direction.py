"""Titles, link texts and quotes from right to left change nothing around them, in pages and in mails."""

from __future__ import annotations

import re
from pathlib import Path

import afterdrop
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import MailFrame, MatchedDomain
from afterdrop.watching.notices import mail_domain
from afterdrop.web.site.templates import dated, highlighted
from tests.support.mail_texts import DOMAIN

HEBREW = "\u05d7\u05d3\u05e9\u05d5\u05ea"
TEMPLATES = Path(afterdrop.__file__).parent / "web" / "templates"
# What these expressions show was written by others or by the reader: titles, texts of links, registrars, paths, notes
# and tags, names of rules and filters. A domain name has the letters of its owner's language.
FOREIGN = re.compile(
    r"(?<=[ >(“])\{\{ (?:[^}]*\b(?:\w+\.title|anchor\.text|link\.text|registrar|note|tag"
    r"|(?:rule|alert|saved|key)\.name)\b[^}]*\| line\(\d+\)|[^}(]*\| name)(?P<then>[^}]*)\}\}"
)
OTHERS = ("tab.title", "block title", "placeholder", "<title>")


def test_every_title_and_link_text_of_a_page_is_isolated() -> None:
    shown = [
        (path.name, found[0], found["then"])
        for path in TEMPLATES.glob("*.html")
        for line in path.read_text(encoding="utf-8").splitlines()
        if not any(other in line for other in OTHERS)
        for found in FOREIGN.finditer(_without_attributes(line))
    ]
    assert len(shown) > 80
    assert [(name, text) for name, text, then in shown if not re.search(r"bdi|dated|evidence", then)] == []


def _without_attributes(line: str) -> str:
    """A line of a template without what stands in the attributes of its elements."""
    return re.sub(r'="[^"]*"?', "", line)


def test_quotes_are_isolated() -> None:
    assert highlighted(f"{HEBREW} casino <b>", ["casino"]) == (
        f"<bdi>{HEBREW} <mark>casino</mark> &lt;b&gt;</bdi>"
    )
    assert highlighted(HEBREW, []) == f"<bdi>{HEBREW}</bdi>"
    assert highlighted("buy casino", ["casino"]) == "buy <mark>casino</mark>"
    assert dated(f"“{HEBREW}” on 2015-05-03 & later") == f"“<bdi>{HEBREW}</bdi>” on 3 May 2015 &amp; later"


def test_titles_and_reasons_in_mails_are_isolated() -> None:
    frame = MailFrame("Afterdrop", "https://drops.example", "Europe/Berlin", None)
    shown = mail_domain({**DOMAIN, "title": f"{HEBREW} 2012"}, f"Spam stood there: “{HEBREW}”.")
    mail = message.instant_matches(frame, [MatchedDomain(shown, [f"{HEBREW} 1"])])
    for isolated in (
        f"<bdi>{HEBREW} 2012</bdi>",
        f"“<bdi>{HEBREW}</bdi>”",
        f"Matches: <bdi>{HEBREW}</bdi> 1",
    ):
        assert isolated in mail.html
    assert "<bdi>" not in mail.text and f"{HEBREW} 2012" in mail.text
