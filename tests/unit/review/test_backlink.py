"""Links to a domain on a page: what counts as one, what `rel` says, where it stands, and what is left of one."""

from __future__ import annotations

import gzip
import tomllib
from pathlib import Path

import pytest

from afterdrop.review.page.backlink import PageLook, look_at

URL = "http://www.friends.org/links/page.html"
WORDS = "<p>The walk along the river takes two hours and ends at the old mill, where there is a café.</p>" * 4


def look(
    inside: str, *, head: str = "", url: str = URL, tag: str = "", domain: str = "pennridge.com"
) -> PageLook:
    html = f"<html><head><title>Friends</title>{head}</head><body><main>{WORDS}{inside}</main></body></html>"
    return look_at(html.encode(), url, "text/html; charset=utf-8", tag, domain)


@pytest.mark.parametrize(
    "inside",
    [
        '<a href="http://pennridge.com/">x</a>',
        "<A HREF=HTTPS://WWW.PENNRIDGE.COM/about>x</A>",
        '<a href="//shop.pennridge.com/a?b=c#d">x</a>',
        '<a href=" http://pennridge.com:8080/ ">x</a>',
        '<a href="http://user@pennridge.com/">x</a>',
        '<a href="http://pennridge.com./">x</a>',
        '<map><area href="http://pennridge.com/" alt="x"></map>',
        '<a href="/go?to=http%3A%2F%2Fpennridge.com%2Fabout">x</a>',
        '<a href="out.php?url=http://pennridge.com/">x</a>',
        '<div><p><b><a href="http://pennridge.com/"><img src=x alt="x"></a>',
    ],
)
def test_links_in_every_form_are_seen(inside: str) -> None:
    seen = look(inside)
    assert seen.state == "there" and seen.link is not None
    assert seen.link.text in ("x", "")


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("\n http://penn\tridge.com\r\n/a ", "http://pennridge.com/a"),
        (r"https:\\pennridge.com\a?b=\c", r"https://pennridge.com/a?b=\c"),
        (r"\\pennridge.com/a", "http://pennridge.com/a"),
        ("///pennridge.com/a", "http://pennridge.com/a"),
        ("http:///pennridge.com/a", "http://pennridge.com/a"),
        ("https:/pennridge.com/a", "https://pennridge.com/a"),
        ("https:pennridge.com/a", "https://pennridge.com/a"),
        ("HTTPS://PENNRIDGE.com:443/A", "https://pennridge.com/A"),
        ("http://a:b@pennridge.com/", "http://a:b@pennridge.com/"),
        ("http://%70ennridge.com/", "http://pennridge.com/"),
        ("http://ｐennridge。com/", "http://pennridge.com/"),
    ],
)
def test_an_address_leads_where_browsers_go(href: str, target: str) -> None:
    seen = look(f'<a href="{href}">x</a>')
    assert seen.link is not None and (seen.link.target, seen.link.way_out) == (target, False)


@pytest.mark.parametrize(
    "href",
    [
        "http:pennridge.com/a",  # a relative one on a page of http
        "/pennridge.com/a",
        "http://pennridge.com:99999/",
        "http://penn ridge.com/",
        "http://example.org\\@pennridge.com/",
        "http://pennridge.com@example.org/",
        "&nbsp;http://pennridge.com/",
    ],
)
def test_an_address_that_leads_elsewhere_is_no_link(href: str) -> None:
    assert look(f'<a href="{href}">x</a>').state == "removed"


@pytest.mark.parametrize(
    "href",
    [
        "/go?url=http://pennridge.com/a",
        "/out.php?id=3&to=https%3A%2F%2Fpennridge.com%2Fa",
        "/?u=http%3A%2F%2Fpennridge.com/a",
        "/away?//pennridge.com/a",
        "https://nam01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fpennridge.com%2Fa&data=05%7C01",
        "https://www.google.com/url?sa=t&q=http://pennridge.com/a&usg=x",
        "https://l.facebook.com/l.php?u=https%3A%2F%2Fpennridge.com%2Fa%3Ffbclid%3Dx&h=AT0",
        "https://href.li/?https://pennridge.com/a",
        "https://out.reddit.com/t3_abc?url=https%3A%2F%2Fpennridge.com%2Fa",
        "https://www.youtube.com/redirect?event=video_description&q=https%3A%2F%2Fpennridge.com%2Fa",
        "https://vk.com/away.php?to=http%3A%2F%2Fpennridge.com%2Fa",
        "https://link.zhihu.com/?target=https%3A//pennridge.com/a",
    ],
)
def test_a_known_way_out_leads_to_the_address_in_its_query(href: str) -> None:
    seen = look(f'<a href="{href}">x</a>')
    assert seen.link is not None and seen.link.way_out
    assert seen.link.target.partition("://")[2].startswith("pennridge.com/a")


@pytest.mark.parametrize(
    "href",
    [
        "https://www.facebook.com/sharer/sharer.php?u=http://pennridge.com/a",
        "https://twitter.com/intent/tweet?url=http://pennridge.com/a",
        "https://www.google.com/search?q=http://pennridge.com/a",
        "https://validator.w3.org/check?uri=http://pennridge.com/a",
        "https://nothref.li/?https://pennridge.com/a",
        "https://href.li.example.org/?https://pennridge.com/a",
        "https://href.li/?https://example.org/?u=https://pennridge.com/a",
        "https://href.li/#https://pennridge.com/a",
        "/go?name=pennridge.com",
    ],
)
def test_what_names_an_address_and_is_no_way_out(href: str) -> None:
    assert look(f'<a href="{href}">x</a>').state == "removed"


@pytest.mark.parametrize(
    ("inside", "note"),
    [
        ("", ""),
        ('<a href="http://mypennridge.com/">x</a>', ""),
        ('<a href="http://pennridge.com.example.org/">x</a>', ""),
        ('<a href="http://example.org/pennridge.com">x</a>', ""),
        ('<a href="mailto:info@pennridge.com">write</a>', ""),
        (
            '<a href="https://web.archive.org/web/2018/http://pennridge.com/">x</a>',
            "it links to an archived copy now",
        ),
        ('<a href="https://archive.ph/2018/http://pennridge.com/">x</a>', "it links to an archived copy now"),
        ("Once at pennridge.com there was a site.", "the name is mentioned without a link"),
        ('<a href="http://other.org/share?u=http://pennridge.com/">x</a>', ""),
        ("<!-- <a href='http://pennridge.com/'>x</a> -->", ""),
        ('<a name="http://pennridge.com/">x</a>', ""),
        ('<a href="http://[pennridge.com/">x</a>', ""),
    ],
)
def test_what_is_no_link_is_removed_and_what_is_left_is_told(inside: str, note: str) -> None:
    assert look(inside) == PageLook("removed", note=note)


def test_an_address_in_letters_of_any_script_is_the_same_name() -> None:
    seen = look('<a href="http://peñanieve.org/">x</a>', domain="xn--peanieve-e3a.org")
    assert seen.state == "there"


def test_a_base_address_counts() -> None:
    seen = look('<a href="about.html">x</a>', head='<base href="http://pennridge.com/">')
    assert seen.link is not None and seen.link.target == "http://pennridge.com/about.html"


@pytest.mark.parametrize(
    ("rel", "head", "tag", "nofollow", "sponsored"),
    [
        ("", "", "", False, False),
        ("noopener external", "", "", False, False),
        ("nofollow", "", "", True, False),
        ("NOFOLLOW noopener", "", "", True, False),
        ("ugc", "", "", True, False),
        ("sponsored,nofollow", "", "", True, True),
        ("", '<meta name="ROBOTS" content="noindex, nofollow">', "", True, False),
        ("", '<meta name="robots" content="index,follow">', "", False, False),
        ("", '<meta name="robots" content="none">', "", True, False),
        ("", "", "nofollow", True, False),
        ("", "", "all", False, False),
        (
            "",
            '<meta name="robots" content="index"><meta name=" robots " content="NoFollow">',
            "",
            True,
            False,
        ),
        ("", '<meta name="robots" content="max-snippet:-1, nofollow">', "", True, False),
        ("", '<meta name="robots" content="max-image-preview:none, follow">', "", False, False),
        ("", '<meta name="robots" content="nofollow-images, x-none">', "", False, False),
        ("", '<meta name="googlebot" content="nofollow">', "", False, False),
        ("", "", "unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", True, False),
        ("", "", "max-snippet: -1,NONE", True, False),
        ("", "", "max-image-preview:none", False, False),
        ("", "", "googlebot: nofollow", False, False),
        ("", "", "otherbot: noindex, nofollow", False, False),
        ("", "", "nofollow, otherbot: noindex", True, False),
        ("", "", "otherbot: noindex\nnofollow", True, False),
        ("", "", "noindex\ngooglebot: none", False, False),
    ],
)
def test_whether_search_engines_follow(
    rel: str, head: str, tag: str, nofollow: bool, sponsored: bool
) -> None:
    seen = look(f'<a rel="{rel}" href="http://pennridge.com/">x</a>', head=head, tag=tag)
    assert seen.link is not None
    assert (seen.link.nofollow, seen.link.sponsored) == (nofollow, sponsored)


@pytest.mark.parametrize(
    ("around", "place"),
    [
        ("<article><p>{}</p></article>", "content"),
        ("<footer>{}</footer>", "footer"),
        ('<div id="site-footer"><p>{}</p></div>', "footer"),
        ('<div class="footnotes"><p>{}</p></div>', "content"),
        ("<nav><ul><li>{}</li></ul></nav>", "menu"),
        ('<div class="right sidebar">{}</div>', "menu"),
        ('<div class="widget widget_links">{}</div>', "menu"),
        ('<ol class="commentlist"><li>{}</li></ol>', "comment"),
        ('<div id="comments"><p>{}</p></div>', "comment"),
        ('<div class="navy"><p>{}</p></div>', "content"),
        ('<p class="commentary">{}</p>', "content"),
        ("<footer>" + "<b>" * 80 + "{}" + "</b>" * 80 + "</footer>", "content"),  # nobody looks up so far
    ],
)
def test_where_a_link_stands(around: str, place: str) -> None:
    seen = look(around.format('<a href="http://pennridge.com/">x</a>'))
    assert seen.link is not None and seen.link.place == place


LINK = '<a href="http://pennridge.com/">x</a>'
LIST = "<ul>" + '<li><a href="/archive">A month of the archive of this site</a></li>' * 60 + "</ul>"

LAID_OUT = tomllib.loads((Path(__file__).parent / "laid_out.toml").read_text(encoding="utf-8"))
PLACES = {"title": "content", "text": "content", "side": "menu", "foot": "footer", "comment": "comment"}


@pytest.mark.parametrize(
    ("generator", "part"),
    [(name, part) for name, html in LAID_OUT.items() for part in PLACES if f"{{{part}}}" in html],
)
def test_where_a_link_stands_in_pages_as_generators_lay_them_out(generator: str, part: str) -> None:
    parts = dict.fromkeys(PLACES, "") | {"text": WORDS, "side": LIST, "foot": "All rights reserved."}
    parts[part] += LINK
    html = (
        f"<html><head><title>A walk</title></head><body>{LAID_OUT[generator].format(**parts)}</body></html>"
    )
    seen = look_at(html.encode(), URL, "text/html", "", "pennridge.com")
    assert seen.link is not None and seen.link.place == PLACES[part]


def test_scripts_are_no_text_of_a_margin() -> None:
    side = f'<div class="sidebar"><script>{"var shown = true; " * 500}</script>{LINK}</div>'
    seen = look(side)
    assert seen.link is not None and seen.link.place == "menu"


def test_of_several_links_the_followed_one_in_the_text_counts() -> None:
    seen = look(
        '<nav><a href="http://pennridge.com/1">menu</a></nav><p><a rel="nofollow" href="http://pennridge.com/2">no</a>'
        '<a href="http://pennridge.com/3">text</a></p><footer><a href="http://pennridge.com/4">foot</a></footer>'
    )
    assert seen.link is not None and seen.link.text == "text"


@pytest.mark.parametrize(
    ("html", "state"),
    [
        (
            "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>",
            "page_gone",
        ),
        (
            "<html><head><title>Account Suspended</title></head><body><h1>Account Suspended</h1></body></html>",
            "domain_gone",
        ),
        (
            "<html><head><title>pennfriends.org is for sale</title></head><body><h1>This domain is for sale</h1>"
            "<p>Buy this domain. Make an offer for pennfriends.org.</p></body></html>",
            "domain_gone",
        ),
        (
            "<html><head><title>Hacked by Ghost</title></head><body><h1>Hacked by Ghost</h1>"
            "<p>Your security is zero.</p></body></html>",
            "removed",
        ),
        ("", "unread"),
        ("GIF89a\x00\x01", "unread"),
    ],
)
def test_what_stands_there_instead(html: str, state: str) -> None:
    assert look_at(html.encode(), URL, "text/html", "", "pennridge.com").state == state


@pytest.mark.parametrize(
    "body", [b"\x00\xff" * 500, b"<a href='" * 3000, b"<div>" * 5000 + b"<a href=//pennridge.com>"]
)
def test_any_bytes_are_read(body: bytes) -> None:
    assert look_at(body, URL, None, "", "pennridge.com").state in ("there", "removed", "unread")


UNREAD = [
    ("<title>App</title><div id=root></div><script src=/a.js></script>", "a script builds the page"),
    ("<title>App</title><noscript>Enable JavaScript.</noscript><script src=/a.js></script>", "a script builds the"
     " page"),
    ("<frameset><frame src=/a><frame src=/b></frameset>", "the page is made of frames"),
    ("<meta http-equiv=refresh content='0; /en/'>", "the page sends its visitors on"),
    ("<form>Name <input> Word <input type=password></form>", "the page asks for a password"),
    ("<h1>This blog is private</h1>", "the page does not let us in"),
    ("<h1>Age verification</h1><p>Confirm your age</p>", "the page lets only browsers in"),
    ("<h1>Before you continue</h1><p>We use cookies and data for ads.</p><button>Reject"
     " all</button><button>Accept all</button>",
     "the page asks for cookies to be accepted first"),
    (WORDS + "<p>far away" * 200_000, "the page could not be read to its end"),
    (WORDS + "<a href=/x>.</a>" * 5_001, "the page could not be read to its end"),
    ("<img src=a.jpg>", "the page has no words"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "why"), UNREAD)
def test_a_link_is_removed_only_from_a_page_that_was_read_whole(html: str, why: str) -> None:
    assert look_at(html.encode(), URL, "text/html", "", "pennridge.com") == PageLook("unread", note=why)
    assert look_at(WORDS.encode(), URL, "text/html", "", "pennridge.com").state == "removed"


def test_a_page_whose_coding_breaks_off_is_not_read_whole() -> None:
    body = gzip.compress("".join(f"<p>{number} boats on the tarn" for number in range(20_000)).encode())
    found = look_at(body[: len(body) // 2], URL, "text/html", "", "pennridge.com")
    assert found == PageLook("unread", note="the page could not be read to its end")
