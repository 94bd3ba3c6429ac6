"""The text of an archived page as Markdown: all of it, in its lines, and nothing that a page could slip in."""

from __future__ import annotations

import pytest
from lxml.etree import Element, SubElement
from markdown_it import MarkdownIt

from afterdrop.review.page.main_text import MARKDOWN_CHARS, markdown_of
from afterdrop.review.page.text_tree import place_of

URL = "http://www.oldmill.com/club/page.html"
STORY = [
    f"<p>Boat number {number} was built by the club in the winter of {1950 + number}, from larch and oak of the valley,"
    f" and has won {number} regattas on the lake since then, most of them in a head wind.</p>"
    for number in range(2, 8)
]
AD = "<a href='http://pills-24.net/'>buy cheap viagra online</a>"
MENU = "<ul id=nav><li><a href=/>Home</a><li><a href=/a>Boats</a><li><a href=/b>Prices</a></ul>"


def text_of(body: str, head: str = "<title>Rowing</title>", url: str = URL) -> str:
    return markdown_of(f"<html><head>{head}</head><body>{body}</body></html>".encode(), url)[0] or ""


def article(inside: str) -> str:
    """What stands between the two halves of a long article."""
    text = text_of(f"{MENU}<article><h1>Boats</h1>{''.join(STORY[:3])}{inside}{''.join(STORY[3:])}</article>")
    assert text.startswith("# Boats\n\nBoat number 2")
    assert "Prices" not in text
    return (
        text.partition("4 regattas on the lake since then, most of them in a head wind.")[2]
        .partition("Boat n")[0]
        .strip()
    )


def links(text: str) -> list[str]:
    tokens = [child for token in MarkdownIt().enable("table").parse(text) for child in token.children or ()]
    assert not any(token.type == "html_inline" for token in tokens)
    return [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>Tarn, tarn<br>burning bright</p>", "Tarn, tarn  \nburning bright"),
        ("Loose words<br><br>in two parts", "Loose words\n\nin two parts"),
        ("<div>verse one</div><div>verse two</div>", "verse one\n\nverse two"),
        ("<pre>Tarn\n  burning</pre>", "```\nTarn\n  burning\n```"),
        ("<pre>``` x</pre>", "````\n``` x\n````"),
        ("<pre> \n</pre>", ""),
        ("<p>said <code>a_b</code> twice</p>", "said `a_b` twice"),
        (
            "<p>press <kbd>Enter</kbd>, <samp>ready</samp> or <tt>a|b</tt></p>",
            "press `Enter`, `ready` or `a|b`",
        ),
        ("<p>a <code>tick ` </code><code> </code> <code>{{ x }}</code></p>", "a tick \\` \\{\\{ x }}"),
        ("<p>see<code> <a href='http://a.org/'>row</a> </code></p>", "see [row](http://a.org/)"),
        ("<p>see<code> row </code>x</p>", "see `row` x"),
        (
            "<table><tr><td><code>a|b</code><td>1<tr><td>c<td>2</table>",
            "|  |  |\n|---|---|\n| `a\\|b` | 1 |\n| c | 2 |",
        ),
        ("<code>x\ny</code>", "```\nx\ny\n```"),
        ("<h3>Oars <i>and</i> sculls</h3><h4> </h4>", "### Oars *and* sculls"),
        ("<ul><li>one<ul><li>deep</ul><li>two<li> </ul>", "- one\n  - deep\n- two"),
        ("<ol><script>x</script><li>one<p>more</p><li>two</ol>", "1. one\n   more\n2. two"),
        ("<ol start=4><li>one<li value=9>two<li>three</ol>", "4. one\n9. two\n10. three"),
        ("<ol start=x><li>one<li value=-1>two</ol>", "1. one\n2. two"),
        ("<ol><li>one<ol start=3><li>deep</ol><li>two</ol>", "1. one\n   3. deep\n2. two"),
        ("<ol><li>one</li><ol><li>deep</ol><li>two</ol>", "1. one\n   1. deep\n2. two"),
        (
            "<ol><li><a href=/1>one</a><li><a href=/2>two</a><li><a href=/3>three</a></ol>",
            "1. [one](http://www.oldmill.com/1)\n2. [two](http://www.oldmill.com/2)\n3. [three](http://www.oldmill.com/3)",
        ),
        ("<ul>x<p>no item</p></ul>", "- no item"),
        ("<blockquote><p>one</p><p>two</p></blockquote><blockquote> </blockquote>", "> one\n>\n> two"),
        ("<dl><dt>Cox<dd>who steers</dl>", "Cox\n\nwho steers"),
        ("<p><b>bold</b> <i> thin </i> <b></b><b>a*b</b></p>", "**bold** *thin* **a\\*b**"),
        ("<p><b>one <b>two</b></b></p>", "one **two**"),
        ("<font><p>one</p><b>two</b></font>", "one\n\n**two**"),
        ("<font><b><p>one</p></b></font>", "one"),
        ("<h2><div>in a box</div></h2>", "## in a box"),
        (
            "<table><caption>Fares</caption><thead><tr><th>Day<th>Time</thead><tr><td>Mon<td>18 | 19<br>20<tr><td>Tue"
            "</table>",
            "Fares\n\n| Day | Time |\n|---|---|\n| Mon | 18 \\| 19 20 |\n| Tue |  |",
        ),
        (
            "<table><tr><td>Loaf<td>2.50<tr><td>Bun<td>0.80</table>",
            "|  |  |\n|---|---|\n| Loaf | 2.50 |\n| Bun | 0.80 |",
        ),
        ("<table><tr><td> <td><tr><td>Loaf<td>2.50</table>", "|  |  |\n|---|---|\n| Loaf | 2.50 |"),
        ("<table><tr><td> <td><tr><td> <td> </table>", ""),
        ("<table><tbody><tr><td>one cell of a frame</tbody></table>", "one cell of a frame"),
        (
            "<table><tr><td>left<td><h4>right</h4><tr><td>x<td>y<td>z<td>w</table>",
            "left\n\n#### right\n\nx\n\ny\n\nz\n\nw",
        ),
        (
            f"<table><tr><td>a<td>{'long ' * 60}<tr><td>b<td>c</table>",
            f"a\n\n{('long ' * 60).strip()}\n\nb c",
        ),
        (
            "<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>e</table>",
            "|  |  |\n|---|---|\n| a | b |\n| c | d |\n\ne",
        ),
    ],
)
def test_lines_lists_and_tables_stay(source: str, text: str) -> None:
    assert article(source) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>---</p><p>title: x</p><p>---</p>", "\\---\n\ntitle: x\n\n\\---"),
        ("<p>+++</p><p>===</p><p>:---|---</p>", "\\+++\n\n\\===\n\n\\:---\\|---"),
        ("<p># one</p><p>- two</p><p>1951. three</p><p>-5 C, +3, 2019.03.05</p>",
         "\\# one\n\n\\- two\n\n1951\\. three\n\n-5 C, +3, 2019.03.05"),
        ("<p>[sic](twice), arr[0](x) &amp;lt; R&amp;D</p>", "\\[sic\\](twice), arr\\[0\\](x) \\&lt; R&D"),
        ("<p>{{ site.key }} {% x %} {a}</p><pre>{{ x }}\ny</pre>",
         "\\{\\{ site.key }} \\{\\% x %} {a}\n\n\\{\\{ x }}  \ny"),
        ("<p>&lt;script&gt;alert(1)&lt;/script&gt; \\ ~~x~~</p>",
         "\\<script\\>alert(1)\\</script\\> \\\\ \\~\\~x\\~\\~"),
        ("<p>[x](javascript:a) &lt;javascript:b&gt; ![i](http://a.b/c)</p>",
         "\\[x\\](javascript:a) \\<javascript:b\\> !\\[i\\](http://a.b/c)"),
    ],
)  # fmt: skip
def test_what_a_page_says_is_text(source: str, text: str) -> None:
    found = article(source)
    assert found == text
    assert links(found) == []


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("http://a.org/x_(y)", "http://a.org/x_(y)"),
        ("http://a.org/a b|c", "http://a.org/a%20b%7Cc"),
        ("fixtures.html?a=1", "http://www.oldmill.com/club/fixtures.html?a=1"),
        ("//b.org/?x=[2]&amp;y", "http://b.org/?x=%5B2%5D&y"),
        ("HTTPS://c.org/&amp;amp;", "HTTPS://c.org/&amp;"),
        ("/web/20120501100000/http://d.org/f.html", "http://d.org/f.html"),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("mailto:a@b.org", None),
        ("#top", None),
        ("http://[bad", None),
        (f"http://a.org/{'x' * 2001}", None),
    ],
)
def test_links_lead_to_the_web_alone(address: str, target: str | None) -> None:
    found = article(
        f'<p>See <a href="{address}"> the [list] <b>here</b> </a> and <a href="{address}"></a> more.</p>'
    )
    assert "the \\[list\\] **here**" in found
    assert links(found) == [target] * (target is not None)


def test_comments_that_advertise_are_left_out_and_it_says_so() -> None:
    said = f"<h3>3 responses</h3><p>pharmguy says: {AD}</p><p>Ann says: what a fine boat</p><p>slots says: {AD}</p>"
    text = text_of(f"<article><h1>Boats</h1>{''.join(STORY)}{said}</article>")
    assert "viagra" not in text
    assert "Ann says: what a fine boat" in text
    assert text.endswith("\n\n*(2 comments with advertising left out.)*")
    whole = f"<div class=comment>{AD}</div><div class=comment>fine boats</div>"
    assert text_of(f"<article>{''.join(STORY)}</article>{whole}").endswith(
        "*(1 comment with advertising left out.)*"
    )
    # A page's own words, and its own links, are no comments.
    assert "viagra" in text_of(f"<article>{''.join(STORY)}<p>We were sent {AD}</p></article>")
    own = (
        f"<div class=comment><p>Ann says: {AD}</p></div>"
        + "<div class=comment>a long answer to Ann</div>" * 9
    )
    assert "viagra" in text_of(own, url="http://pills-24.net/")
    assert "viagra" in text_of(f"<div class=comment>So you can {AD} they say</div>")


def test_comments_are_left_out_of_an_article_and_are_the_text_of_a_thread() -> None:
    comments = "".join(
        f"<div class=comment><p>Answer {n}: I would take the red oar.</p></div>" for n in range(90)
    )
    text = text_of(f"<article><h1>Boats</h1>{''.join(STORY)}</article><div id=comments>{comments}</div>")
    assert "Boat number 2" in text
    assert "red oar" not in text
    thread = text_of(
        f"<h1>Which oar?</h1><div id=comments>{comments}</div>", "<title>Which oar? - Forum</title>"
    )
    assert thread.startswith("# Which oar?\n\nAnswer 0: I would take the red oar.\n\nAnswer 1")
    commentary = text_of(f"<div class=commentary>{''.join(STORY)}</div>")
    assert "Boat number 2" in commentary


BOARDS = {
    "phpBB": (
        "{}",
        "<div class='post bg{n}'><div class=inner><div class=postbody><p class=author>by <b>{user}</b>"
        "<div class=content>{said}</div></div><dl class=profile><dt><a href=u>{user}</a><dd>15 posts</dl></div></div>",
    ),
    "vBulletin": (
        "<ol id=posts class=posts>{}</ol>",
        "<li class=postcontainer id=post_{n}><div class=posthead>05-0{n}-2012</div><div class=userinfo>{user}</div>"
        "<div class=postbody><blockquote class=postcontent>{said}</blockquote></div></li>",
    ),
    "SMF": (
        "<div id=posts>{}</div>",
        "<div class=windowbg{n}><div class=poster><h4>{user}</h4><ul><li class=postgroup>Mitglied</ul></div>"
        "<div class=postarea><div class=post><div class=inner id=msg_{n}>{said}</div></div></div></div>",
    ),
    "Invision": (
        "<div id=feed>{}</div>",
        "<article class=cPost id=e_{n}><aside class=cAuthorPane><h3>{user}</h3></aside><div class=cPost_wrap>"
        "<div class=ipsType><p>{said}</div></div></article>",
    ),
    "Discourse": (
        "<main>{}</main>",
        "<div id=post_{n} class=topic-body><div class=meta><b class=creator>{user}</b><time class=t>May</time></div>"
        "<div class=post><p>{said}</p></div></div>",
    ),
    "a table": (
        "<table>{}</table>",
        "<tr><td valign=top><b>{user}</b><br>0{n}/05/2001</td><td>{said}</td></tr>",
    ),
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("longest", [0, 1, 4])
def test_a_thread_is_all_its_posts(board: str, longest: int) -> None:
    """The extractor takes the longest post for an article."""
    frame, post = BOARDS[board]
    said = [f"Answer {n} of a junior: the red oar is the better one for our lake." for n in range(4)]
    said = [text + STORY[0] * 9 if longest in (n, 4) else text for n, text in enumerate(said)]
    users = ("anna", "bert", "cora", "dirk")
    posts = "".join(post.format(n=n, user=users[n], said=text) for n, text in enumerate(said))
    text = text_of(MENU + frame.format(posts))
    assert [text.count(f"Answer {n} of") for n in range(4)] == [1] * 4
    assert all(user in text for user in users)
    assert "Prices" not in text
    if board != "a table":
        advertised = text_of(MENU + frame.format(posts.replace("Answer 2 of", f"{AD} of")))
        assert "viagra" not in advertised
        assert "Answer 3 of" in advertised
        assert advertised.endswith("*(1 comment with advertising left out.)*")


LOAVES = ("Anglesey", "Bara brith", "Cob", "Dark rye", "Elder cake", "Farl bread")
SHOPS = {
    "cards": (
        "<li class=product><a href=/{n}><h3>{name}</h3><span class=price>£<b>{n}.50</b></span></a>"
        "<a href=b>Add to basket</a></li>"
    ),
    "names": "<li><h2><a href=/{n}>{name}</a></h2><div class=box>{n},50 €</div><a href=w>Merken</a></li>",
    "dollars": "<li><a href=/{n}>{name}<br>$ {n}</a></li>",
}


@pytest.mark.parametrize("shop", SHOPS)
@pytest.mark.parametrize("words", [0, 1, 9])
def test_a_list_of_products_is_text(shop: str, words: int) -> None:
    goods = "".join(SHOPS[shop].format(n=n, name=name) for n, name in enumerate(LOAVES, 1))
    told = "".join(story.replace("lake", f"lake {n}") for n in range(words) for story in STORY)
    for page in (
        f"<div id=content><h1>Bread</h1>{told}<ul>{goods}</ul></div>",
        f"<div class=about><h1>Bread</h1>{told}</div><ul>{goods}</ul>",
    ):
        text = text_of(MENU + page)
        assert all(name in text for name in LOAVES)
        assert ("Boat number 7" in text) == bool(words)
        assert "Prices" not in text


@pytest.mark.parametrize(
    "block",
    [
        "<center>Regatta on the ninth of June</center>",
        "<div align=center><font size=4>Regatta on the ninth of June</font></div>",
        "<p align=CENTER><b>Regatta</b> on the ninth of June</p>",
        "<p style='text-align: center'>Regatta on the ninth of June</p>",
    ],
)
def test_centred_lines_beside_a_text_belong_to_it(block: str) -> None:
    for page in (f"{block}<div>{''.join(STORY)}</div>", f"<div>{''.join(STORY)}</div>{block}"):
        text = text_of(MENU + page + "<center>© 2004 by the club</center>")
        assert "on the ninth of June" in text
        assert "Boat number 7" in text
        assert "2004" not in text


@pytest.mark.parametrize(
    "beside",
    [
        "<div class=box><h4>Bestsellers</h4><ul><li><a href=1>Loaf</a> $1.50<li><a href=2>Bun</a> $10.50</ul></div>",
        "<ul><li><a href=1>Under $25</a><li><a href=2>$25 to $50</a><li><a href=3>$50 to $75</a><li><a href=4>$75"
        " to $99</a></ul>",
        "<div class=tags>" + "".join(f"<a href={n}>Loaf {n}</a> ({n}) " for n in range(9)) + "</div>",
        "<div class=x><div class=card><a href=1><h4>Loaf</h4></a><p>A teaser of a story</div></div>",
        "<center><a href=1>Loaf</a> | <a href=2>Bun</a> | <a href=3>Farl</a></center>",
        "<div class=x><ol><li><a href=1>Loaf</a><li><a href=2>Bun</a><li><a href=3>Farl</a></ol></div>",
        "<div class=box><div class=y><h4>Loaf</h4><p>of the lake</p></div></div>",
    ],
)
def test_what_stands_beside_a_text_is_left_out(beside: str) -> None:
    for page in (f"{{}}{beside}", f"{beside}{{}}"):
        text = text_of(MENU + page.format(f"<div class=box><div class=content>{''.join(STORY)}</div></div>"))
        assert "Boat number 7" in text
        assert not any(word in text for word in ("Loaf", "$25", "Farl"))


def test_guest_books_are_text_without_their_advertising() -> None:
    rows = "<tr><td>Name:<td>{}<tr><td>Words:<td>{}"
    book = rows.format("Bob", "Lovely boats, we came from far away and will come again.") + rows.format(
        "x", AD
    )
    text = text_of(f"<h1>Our book</h1><table>{book}</table>", "<title>Gästebuch</title>")
    assert text == (
        "# Our book\n\nName: Bob\n\nWords: Lovely boats, we came from far away and will come again.\n\n"
        "Name: x\n\nWords:\n\n"
        "*(1 comment with advertising left out.)*"
    )


def test_frames_have_the_text_for_those_who_cannot_show_them() -> None:
    frames = (
        "<html><title>x</title><frameset><frame src=a><noframes><body>{}</body></noframes></frameset></html>"
    )
    told = markdown_of(frames.format("<h1>Club</h1>We row every Saturday morning.").encode(), URL)[0]
    assert told == "# Club\n\nWe row every Saturday morning."
    assert markdown_of(frames.format("Sorry, your browser shows no frames at all.").encode(), URL) == (
        None,
        0,
    )
    many = "We show no frames but boats of larch and oak. " * 6
    assert markdown_of(frames.format(many).encode(), URL)[1] > 50


def test_what_nobody_sees_is_left_out_unless_it_is_the_page() -> None:
    style = "<style>.gone{display:none}</style>"
    assert (
        article(f"{style}<p class=gone>secret words</p><p style='display:none'>of others</p><p>seen</p>")
        == "seen"
    )
    late = f"<div style='display:none'>{''.join(STORY)}</div>"
    assert "Boat number 2" in text_of(late)


def test_menus_are_left_out_unless_they_are_the_page() -> None:
    friends = "".join(
        f"<li><a href='http://club-{n}.org/'>The rowing club of lake {n}</a>" for n in range(20)
    )
    assert "- [The rowing club of lake 3](http://club-3.org/)" in text_of(f"<ul class=sidebar>{friends}</ul>")
    most = f"<nav>Home Boats</nav><div class='content sidebar'>{''.join(STORY)}</div><div class=sidebar>Tea</div>"
    text = text_of(most + "<div id=footer>(c) 2004</div>")
    assert "Boat number 2" in text
    assert not any(word in text for word in ("Home Boats", "Tea", "(c)"))


def test_headings_above_the_text_stay() -> None:
    text = text_of(
        "<div><h1>Boats of the lake</h1><h2>x</h2></div><div><p>by Ann</p></div>"
        f"<div class=content>{''.join(STORY)}</div>",
        "<title>Boats of the lake - Rowing</title>",
    )
    assert text.startswith("# Boats of the lake\n\n")


def test_a_page_in_parts_is_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands far apart is taken as extracted, and what cannot be extracted as it is."""
    part = "<div class=content>{}</div><div><p>{}</p></div>"
    apart = "".join(
        part.format(story, "Tickets at the door and tea in the hall on most days. " * 9) for story in STORY
    )
    assert "Boat number 7" in text_of(apart)
    for fails in (ValueError("hostile"), RecursionError()):

        def fail(*_: object, error: Exception = fails, **__: object) -> None:
            raise error

        monkeypatch.setattr("trafilatura.bare_extraction", fail)
        assert "Boat number 7" in text_of("".join(STORY))
    monkeypatch.setattr("trafilatura.bare_extraction", lambda *_, **__: None)
    assert "Boat number 7" in text_of("".join(STORY))


def test_plain_words_fragments_and_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert markdown_of(b"<body><p>one part of a page alone</p>", URL) == ("one part of a page alone", 6)
    assert markdown_of(b"<!-- a comment --><p>one part of a page alone<?php x ?></p>", URL)[1] == 6
    assert markdown_of(b"", URL) == (None, 0)
    assert markdown_of(b"%PDF-1.4", URL) == (None, 0)
    assert markdown_of(b"just some words without tags", URL) == ("just some words without tags", 5)
    assert markdown_of(b"<p>too few words</p>", URL) == (None, 0)
    assert markdown_of(b"<html><frameset></frameset></html>", URL) == (None, 0)
    monkeypatch.setattr("trafilatura.load_html", lambda *_: None)
    assert markdown_of(b"just some words without tags", URL) == (None, 0)


def test_the_text_is_bounded_and_ends_with_a_line() -> None:
    text = text_of(
        "<article>" + "<p>Row, row, row the boat gently down the stream.</p>" * 4_000 + "</article>"
    )
    assert MARKDOWN_CHARS - 100 < len(text) <= MARKDOWN_CHARS
    assert text.endswith("stream.")
    assert len(text_of(f"<p>{'row ' * 40_000}</p>")) > MARKDOWN_CHARS - 10


@pytest.mark.parametrize("tag", ["div", "span", "b", "blockquote", "ul><li"])
def test_text_far_down_is_text(tag: str) -> None:
    assert "down here" in article(f"{'<div>' * 150}<p>there is text</p>down here")
    deep = text_of(f"<{tag}>" * (100 if ">" in tag else 200) + "seven words stand deep down in here")
    assert "seven words stand deep down in here" in deep
    beside = text_of(
        f"<p>Words stand up here.</p><p>And {f'<{tag}>' * 100}{'<b>' * 40} others stand deep down in here"
    )
    assert "others stand deep down in here" in beside


def test_short_words_belong_to_the_text() -> None:
    prices = "<p>Our prices are the same all year, as our hours are.</p>"
    prices += "<table><tr><td>Loaf<td>2.50<tr><td>Bun<td>0.80</table>"
    assert text_of(prices).endswith("|  |  |\n|---|---|\n| Loaf | 2.50 |\n| Bun | 0.80 |")
    assert text_of("<p>one two three four five six seven</p><p>1951. The year</p>").endswith(
        "\n\n1951\\. The year"
    )


def test_an_extract_with_words_of_its_own_has_no_place() -> None:
    page, extract = Element("body"), Element("body")
    SubElement(page, "p").text = "Words of the page that stand in it"
    SubElement(extract, "p").text = "Other words that nobody ever wrote"
    assert place_of(extract, page) is page
