"""Rejected names as strangers read them: nothing leads to the name, and the best-looking come first."""

from __future__ import annotations

import pytest

from afterdrop.catalogue.rejections import RejectedName, masked, rejection, superb
from afterdrop.sources.metrics.model import NOTHING_KNOWN, Metric, Metrics
from tests.support.rows import NOW

ERAS = [
    {
        "kind": "site",
        "start": "2006-03-01T00:00:00Z",
        "end": "2015-12-01T00:00:00Z",
        "title": "Harris & Sons, craft bread",
        "brand": ["harris"],
        "excerpt": "Harris bakes.",
        "url": "https://web.archive.org/web/2006/http://harris-bread.com/",
        "topic": "Shopping",
        "captures": 40,
        "days": 3000,
    },
    {
        "kind": "spam",
        "start": "2021-03-01T00:00:00Z",
        "end": "2023-12-01T00:00:00Z",
        "detail": "gambling",
        "captures": 11,
        "days": 900,
        "url": "https://web.archive.org/web/2021/http://harris-bread.com/",
        "excerpt": "harris-bread.com casino",
    },
]


def known(**figures: int) -> Metrics:
    """Figures of one provider."""
    return Metrics.of(Metric(role, value, "index", NOW) for role, value in figures.items())  # type: ignore[arg-type]  # roles


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("blue-anchor.com", "••••-••••••.com"),
        ("hilltop.co.uk", "•••••••.co.uk"),
        ("abcd.com", "••••.com"),
        ("a.de", "•.de"),
        ("xn--bcher-kva.com", "•••••••••••••.com"),
    ],
)
def test_a_name_is_masked_with_its_first_and_last_letters(name: str, shown: str) -> None:
    assert masked(name) == shown


def test_an_entry_tells_the_story_without_the_name_or_its_pages() -> None:
    figures = known(trust_flow=29, domain_rating=52, referring_domains=611)
    told = rejection(RejectedName("harris-bread.com", figures, {"eras": ERAS, "outcome": "spam"}))
    assert (told.trust_flow, told.domain_rating, told.referring_domains) == (30, 50, 600)
    assert (
        told.showed == "A site about Shopping 2006–2015, then gambling spam 2021–2023. Spam on 11 captures."
    )
    assert "arris" not in repr(told)


@pytest.mark.parametrize(
    ("known_figures", "shown"),
    [
        ({}, (None, None, None)),
        ({"trust_flow": 0, "domain_rating": 2, "referring_domains": 0}, (0, 0, 0)),
        ({"trust_flow": 3, "domain_rating": 98, "referring_domains": 9}, (5, 100, 9)),
        ({"trust_flow": 27, "domain_rating": 28, "referring_domains": 950}, (25, 30, 1000)),
        ({"trust_flow": 22, "domain_rating": 23, "referring_domains": 14_999}, (20, 25, 10_000)),
    ],
)
def test_figures_are_too_coarse_to_find_the_name_by(
    known_figures: dict[str, int], shown: tuple[int | None, ...]
) -> None:
    told = rejection(RejectedName("a.com", known(**known_figures), {"eras": ERAS}))
    assert (told.trust_flow, told.domain_rating, told.referring_domains) == shown


def test_spam_on_inner_pages_and_uncounted_captures_are_said_too() -> None:
    assert (
        rejection(RejectedName("a.com", NOTHING_KNOWN, {"eras": ERAS[:1]})).showed == "Spam on inner pages."
    )
    once = {**ERAS[1], "captures": 1}
    assert rejection(RejectedName("a.com", NOTHING_KNOWN, {"eras": [once]})).showed.endswith("on 1 capture.")
    uncounted = {**ERAS[1], "captures": 0}
    assert (
        rejection(RejectedName("a.com", NOTHING_KNOWN, {"eras": [uncounted]})).showed
        == "Gambling spam 2021–2023."
    )


def test_the_best_looking_come_first_and_those_without_figures_not_at_all() -> None:
    names = {
        "none.com": NOTHING_KNOWN,
        "links.com": known(referring_domains=900),
        "fair.com": known(trust_flow=20, domain_rating=20),
        "best.com": known(trust_flow=30, domain_rating=50),
        "also-fair.com": known(trust_flow=20, domain_rating=20),
    }
    assert superb(names) == ["best.com", "also-fair.com", "fair.com", "links.com"]
    assert superb(names, 1) == ["best.com"]
