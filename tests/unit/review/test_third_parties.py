"""Contacts, links and sentences that a page has from others: makers, mailers, lawyers."""

from __future__ import annotations

import pytest

from afterdrop.review.history.likeness import content_words
from afterdrop.review.page.identity import accounts, contacts, third_parties
from afterdrop.review.page.markup import parse

# A page's end, and whose contacts it gives.
CONTACTS = [
    ("Write to <a href='mailto:row@tarn-club.org'>us</a>, 01632 960110", {"tarn-club.org", "1632960110"}),
    ("row@gmail.com or bread@GMX.de", {"row@gmail.com", "bread@gmx.de"}),
    ("<a href='mailto:Row.Club@wanadoo.fr?subject=x'>mail</a>", {"row.club@wanadoo.fr"}),
    ("Website by <a href='http://pixelhof.com/'>Pixelhof</a>, 01632 960999, hi@pixelhof.com", set()),
    ("Website by <a href='http://pixelhof.com/'>Pixelhof</a> | 01632 960110", {"1632960110"}),
    ("Site problems? <a href='mailto:help@pixelhof.com'>help@pixelhof.com</a>", set()),
    ("Webdesign: Pixelhof GmbH, info@pixelhof.de", set()),
    ("Réalisation du site : Agence Pixelhof - contact@pixelhof.fr", set()),
    (
        "Sito realizzato da Pixelhof, tel. 02 9609990, info@pixelhof.it. Scrivici: info@tarn-remo.it",
        {"tarn-remo.it"},
    ),
    ("技术支持：某某网络 010-96099999", set()),
    ("<a href='mailto:hi@pixelhof.com'>Mail</a> Hosted by <a href=http://pixelhof.com>Pixelhof</a>", set()),
    (
        "Hosted by <a href=tel:+4416329609>us</a> at row@tarn-club.org. Phone 01632 960110",
        {"1632960110", "4416329609"},
    ),
    ("info@example.com, name@yourdomain.com, you@domain.com", set()),
    ("ISSN 1234-5678 9012, ISBN-13: 978-3-16-148410-0, ISBN 3 16 148410 0", set()),
    ("open 08.00-12.00 14.00-18.00, 2008 2009 2010", set()),
    ("<a href='tel:01632 960110'>call</a>", {"1632960110"}),
    ("We designed this boat. row@tarn-club.org", {"tarn-club.org"}),
]


@pytest.mark.parametrize(("end", "told"), CONTACTS)
def test_contacts_are_the_owners(end: str, told: set[str]) -> None:
    assert contacts(parse(f"<p>Lower Tarn Rowing Club</p><p>{end}</p>")) == told


def test_profiles_of_makers_are_nobodys() -> None:
    page = "<a href='https://www.facebook.com/wix'>F</a><a href='https://twitter.com/LowerTarn'>T</a>"
    assert accounts(parse(page), {}) == {"twitter:lowertarn"}


def test_a_makers_line_ends_where_another_begins() -> None:
    found = third_parties().makers(
        "Powered by Joomla! | Tarn Club. Site by Pixelhof. Write to us", [("Joomla!", "a.org")]
    )
    assert len(found.spans) == 2
    assert found.domains == {"a.org"}
    assert found.wrote(12)
    assert not found.wrote(22)
    assert third_parties().makers("No maker here", [("here", "b.org")]).domains == frozenset()


LAW = (
    "We process personal data only where the law permits it. Server log files hold browser type, system and host name."
    " Diese Website verwendet Cookies. Vous pouvez exercer vos droits sur vos données personnelles."
)


def test_sentences_of_law_are_nobodys() -> None:
    own = "The club meets at the boathouse. New members are welcome!"
    assert third_parties().owners_text(own) == own
    assert (
        third_parties().owners_text(f"{own} {LAW} Regatta in July").split()
        == f"{own} Regatta in July".split()
    )
    assert content_words(f"{own} {LAW} Powered by Joomla templates | Website by Pixelhof") == content_words(
        own
    )
