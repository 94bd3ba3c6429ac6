"""Pages made to choke a reader of HTML, by class: `CASES` holds a function for each name `class: case`.

No page is kept as a file: they are large, and their recipe says more. Most are as long as a reader reads (1.5 MB).
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from functools import partial

SIZE = 1_500_000
# What is left of it beside 1,150 tags.
MOST = SIZE - 40_000
# Every element that a parser, a style or a rule of ours treats in a way of its own.
_NESTED = (
    "div", "p", "span", "b", "a", "font", "blockquote", "ul", "li", "dl", "table", "td", "form", "button", "select",
    "option", "optgroup", "object", "svg", "math", "template", "noscript", "article", "h1", "label", "marquee",
    "frameset", "iframe", "textarea", "title", "nobr", "ruby", "fieldset", "details", "custom-tag", "head", "body",
)  # fmt: skip
_MANY = (
    "b", "p", "br", "i", "a", "a href=x", "a href=//a.com", "h1", "q", "svg", "option", "form", "img src=x",
    "iframe src=x", "font color=red", "p style=color:red", "li", "td", "wbr", "script src=x", "blockquote",
)  # fmt: skip
_MISNESTED = ("b", "i", "a", "nobr", "font", "em")
_SHORT = 1_150  # levels that pass for an honest page's
_SHEET = "<style>.x{display:none}</style>"
CASES: dict[str, Callable[[], bytes]] = {}


def _filled(piece: str, size: int = SIZE) -> str:
    return piece * (size // len(piece.encode()))


def _case(name: str, make: Callable[[], str | bytes]) -> None:
    def made() -> bytes:
        page = make()
        return page if isinstance(page, bytes) else page.encode("utf-8", "surrogatepass")

    CASES[name] = made


def _each(kind: str, things: tuple[str, ...], make: Callable[[str], str]) -> None:
    between = "," if ":" in kind else ":"
    for thing in things:
        _case(f"{kind}{between} {thing}", partial(make, thing))


def _nested() -> None:
    _each("open tags", _NESTED, lambda tag: _filled(f"<{tag}>") + "😀 text")
    _each("some levels around much", _NESTED, _around_much)
    around = (
        "blockquote",
        "h1",
        "div hidden",
        "p hidden",
        "a href=/x",
        "div style='display:none'",
        "ul",
        "object",
    )
    _each(
        "some levels around text",
        around,
        lambda tag: f"<{tag}>" * 400 + "😀" + _filled("many words of text ", MOST),
    )
    _case("levels and levels: li in ul", lambda: _filled("<ul><li>"))
    _case("levels and levels: td in table", lambda: _filled("<table><tr><td>"))
    _case("levels and levels: hidden with end tags of p", lambda: _filled("<div hidden></p>"))
    _case("levels and levels: end tags that close nothing", lambda: _filled("<div></b>x"))
    _case("levels and levels: end tags hide depth", lambda: _filled("<div></i><div></u>"))
    _case("levels and levels: paragraphs in buttons", lambda: _filled("<button><p>"))
    _case("levels and levels: lists left open", lambda: _filled("<li><dd>"))
    _case("levels and levels: inside a comment's end", lambda: _filled("<!--></div--><div>"))
    _case("levels and levels: void tags spelled as ends", lambda: _filled("<div></br></p>"))
    ways = ("hidden", "style='display:none'", "class=x")
    _each(
        "hidden: 1,150 levels", ways, lambda way: _SHEET + f"<div {way}>" * _SHORT + _filled("<i>a</i>", MOST)
    )
    _each("hidden: siblings", ways, lambda way: _SHEET + _filled(f"<p {way}>a</p>"))
    deep = (
        "style=clip-path:inset(100%)",
        "style='transform:scale(0)'",
        "style='height:0;overflow:auto'",
        "style=font-size:0pt",
    )
    _each(
        "hidden: 10,000 levels",
        deep,
        lambda way: f"<div {way}>" * 10_000 + _filled("<a href=//a.com>b</a>", MOST // 2),
    )
    _case(
        "hidden: 10,000 levels, marquee",
        lambda: "<marquee height=1>" * 10_000 + _filled("<a href=/a>b</a>", MOST // 2),
    )
    written = "<script>document.write('<div style=display:none>')</script>"
    _case(
        "hidden: written by 10,000 scripts",
        lambda: written * 10_000 + _filled("<a href=//a.com>b</a>", MOST // 2),
    )
    named = "".join(f"<div id=a{n}>b</div><script>$('#a{n}').hide()</script>" for n in range(10_000))
    _case("hidden: each by its script", lambda: named + _filled("<a href=//a.com>b</a>", MOST // 2))
    group = "<i>a</i>" * 3000 + "</div>" * 300
    _each("hidden: in groups", ways, lambda way: _SHEET + _filled(f"<div {way}>" * 300 + group))


def _around_much(tag: str) -> str:
    return f"<{tag}>" * _SHORT + "😀" + _filled("<i>word</i> ", MOST) + f"</{tag}>" * _SHORT


def _misnested() -> None:
    _each("misnested: in p", _MISNESTED, lambda tag: _filled(f"<{tag}><p>x"))
    _each("misnested: closed late", _MISNESTED, lambda tag: f"<{tag}>" * 500 + _filled(f"<p></{tag}>x", MOST))
    _each(
        "misnested: all different",
        _MISNESTED,
        lambda tag: "".join(f"<{tag} c={n}><p>" for n in range(90_000)),
    )
    carried = "".join(f"<b a={n}>" for n in range(_SHORT - 50))
    _case("misnested: carried into every paragraph", lambda: carried + _filled("<p>x", MOST))
    _case(
        "misnested: carried into every cell",
        lambda: "<table>" + carried + _filled("<td>x<td>", MOST),
    )
    _case("misnested: text in tables", lambda: "<table>" + _filled("x<b>y<tr>"))
    _case("misnested: tables in tables", lambda: _filled("<table>x<a>"))
    _case("misnested: forms in tables", lambda: _filled("<table><form><input>"))
    _case("misnested: formatting over cells", lambda: "<table>" + _filled("<td><b><i><u><font>"))


def _attributes() -> None:
    _case("attributes: many", lambda: "<div " + " ".join(f"a{n}=1" for n in range(160_000)) + ">x")
    _case(
        "attributes: many, in tags of 3,900",
        lambda: _filled("<div " + " ".join(f"a{n}" for n in range(700)) + ">x"),
    )
    _case(
        "attributes: many, with less-than signs",
        lambda: "<p " + " ".join(f"a{n}=<" for n in range(150_000)) + ">x",
    )
    _case(
        "attributes: many, quoted signs",
        lambda: "<p " + " ".join(f"a{n}='<>'" for n in range(110_000)) + ">x",
    )
    _case("attributes: tags in tags", lambda: _filled("<a " * 299 + ">"))
    _case("attributes: the same", lambda: "<div " + _filled("a=1 ") + ">x")
    _case("attributes: without values", lambda: "<p " + _filled("a ") + ">x")
    _case("attributes: slashes", lambda: "<p" + _filled("/") + ">x")
    _case("attributes: a quote never closed", lambda: "<p title='" + _filled("a b "))
    _case("attributes: one value", lambda: "<p title='" + _filled("ab") + "'>x")
    _case("attributes: a link's address", lambda: "<a href='" + _filled("x/") + "'>x</a>")
    _case("attributes: addresses with users", lambda: _filled("<a href='//" + "a" * 900 + "'>x</a>"))
    _case("attributes: alt texts", lambda: _filled("<a href=x><img alt='" + "word " * 300 + "'></a>"))
    _case("attributes: html lang", lambda: "<html lang='" + _filled("en-") + "'>x")
    _case("attributes: html again and again", lambda: "".join(f"<html a{n}=1>" for n in range(100_000)))
    _case(
        "attributes: body again and again", lambda: "<p>x" + "".join(f"<body a{n}=1>" for n in range(100_000))
    )
    _case(
        "attributes: classes", lambda: "<style>.z{display:none}</style><p class='" + _filled("a b ") + "'>x"
    )
    _case(
        "attributes: classes of many",
        lambda: "<style>.z{display:none}</style>" + _filled("<p class='" + "a " * 900 + "'>x"),
    )


def _metas() -> None:
    values = {
        "4 kB of blanks": " " * 4_000, "1 MB of blanks": " " * 1_000_000, "digits": "1" * 1_000_000,
        "digits and blanks": "1 " * 500_000, "blanks and url": " " * 4_000 + "url", "urls": "url " * 250_000,
        "url and blanks": "url" + " " * 1_000_000, "a long address": "0;url=" + "x" * 1_000_000,
    }  # fmt: skip
    _each("refresh", tuple(values), lambda name: f"<meta http-equiv=refresh content='{values[name]}'>x")
    _case("refresh: many", lambda: _filled("<meta http-equiv=refresh content='" + " " * 3_000 + "'>"))
    _case("metas: many", lambda: _filled("<meta name=a content=b>"))
    _case("metas: a long one", lambda: "<meta name=description content='" + _filled("casino ") + "'>")
    _case("metas: titles", lambda: _filled("<title>x</title>"))
    _case("metas: a long title", lambda: "<title>" + _filled("casino "))
    _case("metas: links", lambda: _filled("<link rel=a hreflang=b>"))


def _texts() -> None:
    _case("entities: short", lambda: _filled("&lt;"))
    _case("entities: without end", lambda: _filled("&am"))
    _case("entities: numbers", lambda: _filled("&#128512;"))
    _case("entities: a long number", lambda: "&#" + _filled("9"))
    _case("entities: ampersands", lambda: _filled("&"))
    _case(
        "entities: in attributes", lambda: "<p title='" + _filled("&CounterClockwiseContourIntegral;") + "'>x"
    )
    _case("entities: two letters for one", lambda: _filled("&NotEqualTilde;"))
    _case("comments: one", lambda: "<!--" + _filled("x"))
    _case("comments: dashes", lambda: "<!--" + _filled("-"))
    _case("comments: short ones", lambda: _filled("<!-->"))
    _case(
        "comments: toolbars begun", lambda: "archive.org" + _filled("<!-- BEGIN WAYBACK TOOLBAR INSERT -->")
    )
    _case("comments: bogus", lambda: _filled("<!x><?x>"))
    _case("text: one word", lambda: _filled("a"))
    _case("text: blanks", lambda: _filled(" "))
    _case("text: less-than signs", lambda: _filled("<"))
    _case("text: less-than and letter", lambda: _filled("<a"))
    _case("text: line breaks", lambda: _filled("\n"))
    _case("text: dots", lambda: _filled("a."))
    _case("text: at signs", lambda: _filled("a@"))
    _case("text: mail addresses", lambda: _filled("a@a.a.a.a.a.a "))
    _case("text: digits", lambda: _filled("1"))
    _case("text: digits and blanks", lambda: _filled("1 2 "))
    _case("text: copyright signs", lambda: _filled("© "))
    _case("text: copyright and blanks", lambda: _filled("copyright" + " " * 40))
    _case("text: title of separators", lambda: "<title>" + " - " * 300 + " " * 900 + "</title>x")
    _case("text: brackets", lambda: "<p>" + _filled("["))
    _case("text: links of Markdown", lambda: "<p>" + _filled("[a]("))
    _case("text: labels", lambda: "<p>" + _filled("a-" * 31 + ".") + " for sale")
    _case("text: names for sale", lambda: "<p>" + "a.aa " * 100 + "for sale")
    _case("text: emoji", lambda: _filled("😀"))
    _case("text: marks on one letter", lambda: "a" + _filled("\u0301"))
    _case("text: dotted capital i", lambda: _filled("İ"))
    _case("text: ligatures that unfold", lambda: _filled("\ufdfa"))
    _case("text: phrases of spam", lambda: _filled("<p>online casino viagra </p>"))
    _case(
        "text: phrases of spam with guards",
        lambda: _filled("buy viagra online casino bonus news report study "),
    )
    _case(
        "text: what parked pages say", lambda: "<title>" + "for sale " * 110 + "</title>" + "<p>domain " * 40
    )
    words = ["casino", "online", *(f"w{n}" for n in range(60))]
    link = "<a href=//a.com>" + "<b></b>".join(f"{word} " for word in words) + "</a>"
    _case("text: link words cut by tags", lambda: link * 10 + _filled(f"<!--{' '.join(words[:5])}-->"))
    _case("text: web addresses", lambda: _filled("http://"))
    _case("text: archive addresses", lambda: "archive.org" + _filled("//web/"))
    _case("text: archive addresses with years", lambda: "archive.org" + _filled("/a/2010"))
    _case(
        "text: archive scripts",
        lambda: "archive.org" + _filled("<script ", 6_000) + "<!-- End Wayback Rewrite JS Include -->",
    )


def _many() -> None:
    _each("many", _MANY, lambda tag: _filled(f"<{tag}></{tag.split()[0]}>"))
    _each("many with text", _MANY, lambda tag: _filled(f"<{tag}>a</{tag.split()[0]}>"))
    _case(
        "many: colours in tables",
        lambda: "<body bgcolor=red>" + "<table><tr><td>" * 380 + _filled("<font color=red>a</font>"),
    )
    _case(
        "many: links to hosts", lambda: "".join(f"<a href=//h{n}.example{n}.com>x</a>" for n in range(40_000))
    )
    _case("many: links of one text", lambda: "<a href=x>" + _filled("<b>word</b> "))
    _case("many: links around links' images", lambda: _filled("<a href=x><img></a>"))
    _case("many: headings of text", lambda: _filled("<h1>" + "word " * 8_000 + "</h1>"))
    _case("many: paragraphs of one letter", lambda: _filled("<p>a"))
    _case("many: list items in articles", lambda: "<article>" + _filled("<li>a"))


def _scripts() -> None:
    _case("scripts: one", lambda: "<script>" + _filled("var a=1;"))
    _case("scripts: comments in scripts", lambda: "<script>" + _filled("<!--<script>"))
    _case("scripts: many", lambda: _filled("<script>a</script>"))
    _case("scripts: styles", lambda: _filled("<style>.a{display:none}</style>"))
    _case(
        "scripts: one style",
        lambda: "<style>" + _filled(".a{display:none}") + "</style>" + _filled("<p class=b>x", 500_000),
    )
    _case("scripts: braces", lambda: "<style>" + _filled("{"))
    _case("scripts: commas", lambda: "<style>" + _filled(",", 190_000) + "{display:none}</style><p class=a>x")
    _case("scripts: translate", lambda: _filled("<p style='" + "translate(" * 190 + "'>x"))
    _case("scripts: clip", lambda: _filled("<p style='" + "clip:rect( " * 190 + "'>x"))
    _case("scripts: blanks in styles", lambda: _filled("<p style='display" + " " * 1_900 + "'>x"))
    _case("scripts: colours", lambda: _filled("<p style='" + "color:" + " " * 1_900 + "'>x"))
    _case("scripts: one long style", lambda: "<p style='color" + _filled(" ") + "'>x")
    _case("scripts: one long style of colours", lambda: "<p style='" + _filled("color: ") + "'>x")
    _case("scripts: names", lambda: "<style>" + "".join(f".a{n}{{display:none}}" for n in range(9_000)) + "</style>"
          + "".join(f"<p class=a{n}>x" for n in range(80_000)))  # fmt: skip
    _case("scripts: cdata", lambda: "<svg>" + _filled("<![CDATA[x]]>"))
    _case("scripts: noscript", lambda: _filled("<noscript><div>"))
    _case("scripts: plaintext", lambda: _filled("<plaintext>"))


def _bytes() -> None:
    _case("bytes: gzip bomb", lambda: gzip.compress(b"<p>" + b"a " * 60_000_000))
    _case("bytes: gzip members", lambda: gzip.compress(b"<p>a") * 60_000)
    _case("bytes: gzip of nothing", lambda: gzip.compress(b"") * 70_000)
    _case("bytes: gzip in gzip", lambda: gzip.compress(gzip.compress(b"\0" * 90_000_000)))
    _case("bytes: gzip cut", lambda: gzip.compress(bytes(range(256)) * 40_000)[:-9])
    _case("bytes: gzip head of blanks", lambda: b"\x1f\x8b\x08\x08" + b"a" * SIZE)
    _case("bytes: deflate without head", lambda: zlib.compress(b"<p>" * 400_000))
    _case("bytes: nothing but high ones", lambda: bytes(range(128, 256)) * 11_000)
    _case("bytes: 5 MB of lines", lambda: b"\xe4\n" * 2_500_000)
    _case("bytes: cut UTF-8", lambda: b"\xf0\x9f\x98" * 500_000)
    _case("bytes: UTF-16", lambda: ("<div>" * 300_000).encode("utf-16"))
    _case("bytes: UTF-32", lambda: ("<div>😀" * 250_000).encode("utf-32"))
    _case("bytes: lone surrogates", lambda: b"\xff\xfe" + b"\x00\xd8" * 700_000)
    _case("bytes: ISO-2022-JP switches", lambda: b"<p>" + b"\x1b$B!!\x1b(J" * 150_000)
    _case("bytes: HZ", lambda: b"<meta charset=hz-gb-2312>" + b"~{" * 700_000)
    _case(
        "bytes: charset declarations",
        lambda: b"<meta " * 600 + b"charset=" + b" " * 3_000 + b"\xe4" * 1_000_000,
    )
    _case("bytes: charset blanks", lambda: b"<meta charset" + b" " * 4_000 + b"\xe4" * 1_000)
    _case("bytes: XML declarations", lambda: b" " * 4_000 + b"<?xml encoding" + b"\xe4" * 1_000)
    _case("bytes: NULs", lambda: b"<p>" + b"a\0" * 700_000)
    _case("bytes: one NUL in three", lambda: b"<p>aa\0" * 250_000)
    _case("bytes: EBCDIC letters", lambda: "<div>text".encode("cp037") * 150_000)
    _case("bytes: controls", lambda: b"<p>" + b"a" * 4_000 + bytes(range(1, 32)) * 40_000)
    _case("bytes: big5", lambda: b"<meta charset=big5>" + b"\xa4\x40\xff" * 480_000)


for _add in (_nested, _misnested, _attributes, _metas, _texts, _many, _scripts, _bytes):
    _add()
