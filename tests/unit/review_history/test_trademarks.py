"""Marks in names: famous ones found, ordinary words left alone."""

from __future__ import annotations

import pytest

from afterdrop.review.flags.trademarks import famous_marks, find_mark


@pytest.mark.parametrize(
    ("domain", "mark", "form"),
    [
        ("adidas.com", "adidas", "whole"),
        ("a-d-i-d-a-s.com", "adidas", "whole"),
        ("apple.de", "apple", "whole"),
        ("g00gle.com", "google", "typo"),
        ("xn--ggle-55da.com", "google", "typo"),
        ("wwwgoogle.com", "google", "typo"),
        ("googel.com", "google", "typo"),
        ("gogle.com", "google", "typo"),
        ("gooogle.com", "google", "typo"),
        ("goodle.com", "google", "typo"),
        ("buy-lego-now.com", "lego", "compound"),
        ("legoshop.com", "lego", "compound"),
        ("cheaplego.com", "lego", "compound"),
        ("microsoftblog.com", "microsoft", "compound"),
        ("mymicrosoft.com", None, None),
        ("thefacebook.org", "facebook", "compound"),
        ("applelogin.com", "apple", "compound"),
        ("loginapple.com", "apple", "compound"),
    ],
)
def test_marks_are_found(domain: str, mark: str | None, form: str | None) -> None:
    found = find_mark(domain)
    assert (found.mark if found else None, found.form if found else None) == (mark, form)


ORDINARY = (
    "applewood shellfish targetpractice orangecounty deltawing gapyear rhondasbakery collegology windowsill costo"
    " metaphysics visacard fordham slackline pumapunku nestled diesels barbieri oldmill-bakery hermetic"
)


@pytest.mark.parametrize("name", ORDINARY.split())
def test_ordinary_names_are_nobodys_mark(name: str) -> None:
    assert find_mark(f"{name}.com") is None


def test_an_operators_own_marks_count_as_coined() -> None:
    marks = famous_marks().plus(["Old Mill!", "  "])
    part = find_mark("oldmill-bakery.com", marks)
    assert part is not None
    assert part.form == "compound"
    assert find_mark("oldmill-bakery.com") is None
    whole = find_mark("oldmill.com", marks)
    assert whole is not None
    assert (whole.mark, whole.form) == ("oldmill", "whole")
    assert find_mark("oldmillbread.com", marks) is not None
    assert find_mark("apple.com", famous_marks().plus(["apple"])) is not None
    assert marks.version
