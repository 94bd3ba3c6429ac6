"""Words that tags stand within are read as browsers show them; entries and cells stay apart."""

from __future__ import annotations

import pytest

from afterdrop.review.page.markup import parse
from afterdrop.review.page.reader import read_page

ONE_WORD = [
    ("<p><font size=7>W</font>elcome</p>", "Welcome"),
    ("<p><big><b>W</b></big>elcome</p>", "Welcome"),
    ("<p>Via<wbr>gra</p>", "Viagra"),
    ("<p>Via<!-- x > y -->gra</p>", "Viagra"),
    ("<p>Via<b></b>gra</p>", "Viagra"),
    ("<p>Via<!-- a --><i>gra</i></p>", "Viagra"),
    ("<p><span>V</span><span>i</span><span>a</span></p>", "Via"),
    ("<p><span class=drop>W</span>elcome</p>", "Welcome"),
    ("<p>Via<span>gra</span></p>", "Viagra"),
    ("<p>Via<span style='display:none'>xyz</span>gra</p>", "Viagra"),
    ("<p>亚<span>博</span>体育</p>", "亚博体育"),
    ("<p>З<strong>дравствуй</strong>те</p>", "Здравствуйте"),
    ("<p>caf&eacute;<b>s</b></p>", "cafés"),
    ("<p>R<b>&amp;</b>D</p>", "R&D"),
    ("<p>H<sub>2</sub>O</p>", "H2O"),
]
APART = [
    ("<p>a<br>b</p>", "a b"),
    ("<table><tr><td>one<td>two</table>", "one two"),
    ("<span>Home</span><span>About</span>", "Home About"),
    ("<span>home</span><span>about</span>", "home about"),
    ("<a>Home</a><a>About</a>", "Home About"),
    ("Home<span>3</span>", "Home 3"),
    ("Facebook<span class='sr-only'>opens in a new window</span>", "Facebook opens in a new window"),
    ("Shop<span class=x>News</span>", "Shop News"),
    ("Back<i class='fa fa-home'></i>Next", "Back Next"),
    ("<b>one</b> <i>two</i>", "one two"),
    ("plan<span>&nbsp;</span>b", "plan b"),
    ("plan<span>&amp;</span>price", "plan & price"),
]


@pytest.mark.parametrize(("source", "text"), ONE_WORD + APART)
def test_words(source: str, text: str) -> None:
    assert parse(source).text == text


def test_titles_and_headings_and_links() -> None:
    parts = parse(
        "<title>a<b>c</title><meta name=description content='x<b>y'>"
        "<h1><font>W</font>elcome</h1><a href=/x><b>N</b>ews</a><a href=/y title='p<i>q'></a>"
    )
    assert (parts.title, parts.metas["description"], parts.headings) == ("a<b>c", "x<b>y", ("Welcome",))
    assert [anchor.text for anchor in parts.anchors] == ["News", "p<i>q"]


def test_invisible_signs_of_a_title() -> None:
    assert parse("<title>Row\u200bing\u00ad \u202eClub\u2060</title>").title == "Rowing Club"
    assert parse("<title>می\u200cخواهم</title>").title == "می\u200cخواهم"


def test_spam_written_letter_by_letter() -> None:
    words = "Buy Viagra online without prescription. Cheap generic Cialis, lowest price guaranteed, free shipping."
    letters = "".join(f"<font color='#00000{n % 9}'>{letter}</font>" for n, letter in enumerate(words))
    assert read_page(f"<title>Shop</title><p>{letters}</p>".encode(), url="").verdict in {"spam", "suspect"}


def test_what_old_browsers_show_instead_of_a_plug_in_is_not_seen() -> None:
    assert parse("<noembed>Buy pills</noembed><p>Rowing club</p>").text == "Rowing club"
