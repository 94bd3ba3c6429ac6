"""The accounts that a page uses or names as its own."""

from __future__ import annotations

from afterdrop.review.page.identity import accounts
from afterdrop.review.page.markup import parse
from afterdrop.review.page.source import marks_of

PAGE = """<html><head><script>ga('create', 'UA-1234567-3'); gtag('config','G-ABCDEF1234');
var sc_project = 4567890;</script><script src="//mc.yandex.ru/watch/998877"></script>
<ins data-ad-client="ca-pub-1234567890123456"></ins></head><body>
<a href="https://www.facebook.com/OldMill">f</a> <a href="//twitter.com/#!/oldmill">t</a>
<a href="https://www.facebook.com/sharer.php?u=x">share</a> <a href="https://twitter.com/intent/tweet">tweet</a>
<a href="http://www.linkedin.com/company/old-mill">in</a> <a href="/facebook.com/no">own</a></body></html>"""


def named(source: str) -> frozenset[str]:
    return accounts(parse(source), marks_of(source))


def test_accounts_of_measurement_and_profiles_but_no_buttons() -> None:
    assert named(PAGE) == {
        "UA-1234567", "G-ABCDEF1234", "sc_project = 4567890", "mc.yandex.ru/watch/998877", "ca-pub-1234567890123456",
        "facebook:oldmill", "twitter:oldmill", "linkedin:company/old-mill",
    }  # fmt: skip
    many = "".join(f"<a href='https://twitter.com/name{n}'>x</a>" for n in range(200))
    assert len(named(many)) == 40
    assert named("") == frozenset()
