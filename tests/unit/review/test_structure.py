"""What a page is for by its build: each figure on a page that has it and on one that has not."""

from __future__ import annotations

import pytest

from afterdrop.review.page.charset import decode
from afterdrop.review.page.figures import BUILT, structure
from afterdrop.review.page.reader import view_page

WORDS = "The boathouse opens in April and members row on the river every Sunday. "


def built(body: str, url: str = "") -> dict[str, float]:
    numbers = structure(view_page(decode(body.encode()), url))
    return dict(zip(BUILT, map(float, numbers), strict=True))


def linked(*addresses: str, text: str = "read on") -> str:
    return f"<p>{WORDS * 5}</p>" + "".join(f"<a href='{one}'>{text}</a>" for one in addresses)


STORY = linked(*["https://shop-example.com/offer?aff=12"] * 8)
PAPER = linked(
    "/", "/about-us", "/contact", "/news/boats-are-back-on-the-river", "https://oars-example.com/", "/sport"
)
FARM = linked(*(f"/{name}-net-worth/" for name in ("a-b", "c-d", "e-f", "g-h")))
SOCIETY = (
    "<meta name=author content='A. Rower'><meta property='og:site_name' content='Rowing'><link rel=alternate"
    " type='application/rss+xml' href=/feed><script>ga('create', 'UA-1234567-1')</script>"
    f"<article>{WORDS * 5}</article><a href='https://facebook.com/ourrowing'>us</a><address>Weir Lane 1</address>"
    "<p>Call +44 20 7946 0018 or write to row@club.example, founded 1987, © 2014 Rowing Club"
)
SALE = (
    "<meta name=keywords content='a,b,c,d,e,f'><title>Oars | Boats | Sale 2014 - Now</title>"
    "<h1>Why oars?</h1><h2>Sale</h2>"
    "<div id=countdown>00:12:31</div><del>$90</del><b>$9</b><button>Buy</button><blockquote>Great</blockquote>★★★★★"
    '<script type=\'application/ld+json\'>{"@type": "Product"}</script>'
    "<form><input type=email><input type=password></form>"
    f"<img src='https://pictures-example.com/a.png'>{WORDS * 5}"
)
DEFAULT = "<title>Welcome to nginx!</title><h1>www.example.org</h1><p>Put your files into /var/www/html.</p>"


@pytest.mark.parametrize(
    ("name", "has", "has_not"),
    [
        ("one address under links", STORY, PAPER),
        ("few addresses", STORY, PAPER),
        ("dead links", linked("#", "javascript:void(0)", "#top"), PAPER),
        ("tracked links", STORY, PAPER),
        ("long slugs", linked("/how-to-row-a-boat.html", "/what-is-a-river-weir"), STORY),
        ("slugs of one build", FARM, PAPER),
        ("slugs of letters and digits", linked("/x8f3k2b9", "/q7r1t5z2"), PAPER),
        ("links without text", linked("/a", "/b", text=""), PAPER),
        ("text in links", linked("/a", text=WORDS * 3), WORDS),
        ("one link text", STORY, linked("/a")),
        ("one outside domain", linked("https://shop-example.com/a", "https://shop-example.com/b"), PAPER),
        ("no way back home", STORY, PAPER),
        ("no way back home", STORY, linked("https://rowing.example/")),
        ("sponsored links", "<a rel='nofollow sponsored' href='https://a.example/'>x</a>", PAPER),
        ("links that shout", linked("/a", text="ORDER NOW!"), PAPER),
        ("pages about the site", PAPER, STORY),
        ("contacts", SOCIETY, PAPER),
        ("profiles", SOCIETY, PAPER),
        ("measured", SOCIETY, PAPER),
        ("copyright line", SOCIETY, PAPER),
        ("author named", SOCIETY, PAPER),
        ("site named", SOCIETY, PAPER),
        ("organisation marked", SOCIETY, PAPER),
        ("article marked", SOCIETY, PAPER),
        ("feed", SOCIETY, PAPER),
        ("years", SOCIETY, PAPER),
        ("product marked", SALE, PAPER),
        ("countdown", SALE, PAPER),
        ("struck prices", SALE, PAPER),
        ("buttons", SALE, PAPER),
        ("stars", SALE, PAPER),
        ("quotations", SALE, PAPER),
        ("pictures", SALE, PAPER),
        ("hotlinked pictures", SALE, PAPER),
        ("bold", SALE, PAPER),
        ("headings", SALE, PAPER),
        ("headings that ask", SALE, PAPER),
        ("keywords", SALE, PAPER),
        ("title in parts", SALE, DEFAULT),
        ("year in title", SALE, DEFAULT),
        ("title is the heading", "<title>Rowing Club</title><h1>Rowing</h1>", SALE),
        ("mail field", SALE, PAPER),
        ("password field", SALE, PAPER),
        ("inline scripts", SOCIETY, PAPER),
        ("packed scripts", "<script>eval(unescape('%41'))</script>" + WORDS, PAPER),
        ("writes itself", "<script>document.write('x')</script>" + WORDS, PAPER),
        ("title of another script", f"<title>格安バッグ通販</title>{WORDS}", f"<title>Rowing</title>{WORDS}"),
        ("server named", DEFAULT, PAPER),
        ("host named", DEFAULT, PAPER),
        ("server's paths", DEFAULT, PAPER),
        ("short and alone", DEFAULT, PAPER),
        ("short and unsigned", DEFAULT, SOCIETY),
        ("markup to text", "<div class=a><div class=b><div class=c>" * 50 + WORDS, WORDS * 5),
        ("style to text", "<style>p {color: red}</style><style>a {color: blue}" + WORDS, WORDS),
    ],
)
def test_a_figure_tells_pages_apart(name: str, has: str, has_not: str) -> None:
    assert built(has)[name] > built(has_not)[name]


def test_every_figure_is_told_by_a_page_and_within_bounds() -> None:
    for body in (
        "",
        STORY,
        PAPER,
        FARM,
        SOCIETY,
        SALE,
        DEFAULT,
        "<a href='http://[x'>a</a><a href='?a'>b</a>",
    ):
        numbers = built(body)
        assert all(0 <= number <= 3 for number in numbers.values()), numbers


def test_links_to_the_pages_own_domain_are_not_outside() -> None:
    both = linked("https://shop-example.com/a", "https://shop-example.com/b")
    assert built(both, "https://shop-example.com/")["one outside domain"] == 0
    assert built(both)["one outside domain"] > 0.5
