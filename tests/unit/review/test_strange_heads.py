"""A trade in a page's head of which the page itself says nothing; and honest heads."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page

NAME = "tarn-rowing.example"
CLUB = (
    "<h1>Tarn Rowing Club</h1><p>The season opens in April. Courses for beginners are on Sunday mornings, and"
    " boats can be"
    " hired after the crews have trained. The fee is forty pounds, and juniors row for half of it.</p><p>Write to"
    " secretary@tarn-rowing.example.</p>"
)
SLOT = "Situs slot gacor hari ini dengan RTP live tertinggi, daftar slot online deposit pulsa"
PILLS = "Buy viagra online without prescription, cheap cialis 20 mg"
HEADS = [
    f'<meta name="description" content="{SLOT}">',
    '<meta name="keywords" content="slot gacor, togel, judi bola, situs slot">',
    f'<meta property="og:title" content="{SLOT}">',
    f'<meta name="twitter:description" content="{PILLS}">',
    f'<script type="application/ld+json">{{"@type": "WebSite", "name": "Tarn", "description": "{SLOT}"}}</script>',
    f'<script type="application/ld+json">{{"@graph": [{{"@type": "Product", "name": "{PILLS}"}}]}}</script>',
    f"<script>document.title = '{SLOT}';</script>",
    '<link rel="amphtml" href="https://slot-gacor-maxwin.example.net/amp/">',
    '<link rel="canonical" href="https://slot-gacor-maxwin.example.net/">',
]
HONEST = [
    '<meta name="description" content="Rowing on the tarn, courses and boats for hire">',
    '<meta property="og:title" content="Slots in our courses: three free places in May">',
    '<meta name="keywords" content="rowing, gambling with the weather, casino night, raffle">',
    f'<link rel="amphtml" href="https://amp.{NAME}/slot-gacor/"><link rel="canonical" href="https://{NAME}/">',
    '<link rel="canonical" href="https://www.tarn-valley-clubs.example.org/rowing/">',
    '<script type="application/ld+json">{"@type": "SportsClub", "name": "Tarn Rowing Club"}</script>',
    "<script>document.title = 'Tarn Rowing Club: ' + document.title;</script>",
]


def page(head: str, body: str = CLUB) -> bytes:
    return f"<html><head><title>Tarn Rowing Club</title>{head}</head><body>{body}</body></html>".encode()


@pytest.mark.parametrize("head", HEADS)
def test_a_head_that_sells_what_the_page_does_not_name(head: str) -> None:
    found = read_page(page(head), url=f"http://{NAME}/", site=NAME)
    assert found.verdict == "suspect"
    assert found.evidence[0].quote


@pytest.mark.parametrize("head", HONEST)
def test_honest_heads(head: str) -> None:
    assert read_page(page(head), url=f"http://{NAME}/", site=NAME).verdict == "clean"


def test_a_page_that_reports_on_a_trade_may_say_so_in_its_head() -> None:
    body = (
        "<h1>Slot gacor: the police warn</h1><p>Police in Jakarta warn of slot gacor sites and of togel by phone. "
        + "Since March nine men were arrested, and the ministry had forty sites closed. " * 3
    )
    assert read_page(page(HEADS[1], body), url=f"http://{NAME}/", site=NAME).verdict == "clean"
