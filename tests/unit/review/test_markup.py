"""A page in parts: what is seen, what is hidden, where links lead."""

from __future__ import annotations

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from afterdrop.review.page.identity import brand_tokens, contacts, out_links, outlink_domains, site_of
from afterdrop.review.page.markup import HEADING_CHARS, TEXT_CHARS, domain_of, parse
from afterdrop.review.page.seen import hidden_nodes, sheet_names, unseen_style
from afterdrop.review.page.source import (
    DEEPEST,
    TAGS_MOST,
    Nesting,
    closed,
    flat,
    nesting_of,
    original_url,
    parse_refresh,
    tame,
    without_archive,
    without_noscript,
)
from afterdrop.review.page.text import quote, squeeze
from afterdrop.review.page.values import Refresh
from tests.support.speed import slowness


def test_parts() -> None:
    parts = parse(
        '<html lang="de-AT"><head><title> Ein  Titel </title><meta name=Description content="Kurz">'
        '<meta http-equiv=refresh content="5; url=/neu"><link rel=canonical href="https://a.at/x">'
        '<link rel=alternate hreflang=EN href=/en></head><body><h1>Kopf</h1><article><p>Absatz eins</p></article>'
        '<a href="http://www.b.de/x">B</a><a href="/c"><img alt="Bild C" src="http://a.at/i.png"></a>'
        '<a href="http://10.0.0.1/">Adresse</a><iframe src="http://f.de/"></iframe><form></form>'
        "<script>var x='nicht';</script><select><option>auch nicht</select></body></html>"
    )  # fmt: skip
    assert (parts.title, parts.metas["description"], parts.html_lang) == ("Ein Titel", "Kurz", "de")
    assert parts.refresh == Refresh(5, "/neu")
    assert (parts.canonical, parts.hreflangs) == ("https://a.at/x", frozenset({"en"}))
    assert parts.headings == ("Kopf",)
    assert parts.text == "Kopf Absatz eins B Adresse"
    assert parts.main == "Absatz eins"
    assert [(a.text, a.domain) for a in parts.anchors] == [("B", "b.de"), ("Bild C", None), ("Adresse", None)]
    assert (parts.frames, parts.forms, parts.article) == (("http://f.de/",), 1, True)


def test_empty_and_odd_sources() -> None:
    assert parse("").text == ""
    assert parse("<frameset><frame src=a.html></frameset>").frames == ("a.html",)
    assert parse('<meta http-equiv="refresh" content="30"><meta http-equiv=refresh>').refresh is None
    assert parse('<html lang="klingon-language">').html_lang is None
    assert parse("<meta property=og:locale content=pt_BR>").html_lang == "pt"
    assert parse("<a href=x title=Tip></a><a href=y></a>").anchors[0].text == "Tip"
    assert (
        parse("<meta name=a><svg><title>not me</title></svg><title></title><title>me</title>").title == "me"
    )
    assert parse("<!-- nothing -->").metas == {}


HIDDEN = [
    '<div style="display: none">SECRET</div>',
    '<div style="visibility:hidden">SECRET</div>',
    '<div style="position:absolute;left:-9999px">SECRET</div>',
    '<p style="text-indent:-5000px">SECRET</p>',
    '<span style="font-size:0px">SECRET</span>',
    '<div style="height:1px;width:1px;overflow:hidden">SECRET</div>',
    '<div style="overflow:hidden;height:0">SECRET</div>',
    "<div hidden>SECRET</div>",
    '<div style="overflow:auto; position:absolute; height:0pt; width:0pt">SECRET</div>',
    '<div style="overflow:auto;height:0">SECRET</div>',
    '<div style="overflow-y:scroll;max-height:0.0em">SECRET</div>',
    "<marquee height=1 width=1 scrollamount=3000>SECRET</marquee>",
    "<marquee width=0>SECRET</marquee>",
    '<div style="transform: scale(0)">SECRET</div>',
    '<div style="transform:scale(0, 1)">SECRET</div>',
    '<div style="clip-path: inset(100%)">SECRET</div>',
    '<div style="position:absolute;clip-path:circle(0)">SECRET</div>',
    """<div id="q8">SECRET</div><script>document.getElementById("q8").style.display="none";</script>""",
    "<div id=Q8>SECRET</div><script>document.getElementById('Q8').style.visibility = 'hidden'</script>",
    "<div id=q8>SECRET</div><script>$('#q8').hide();</script>",
    """<script>document.write('<div style="display:none">');</script>SECRET</div>""",
    """<script type="text/javascript"><!--
document.write("<div style='position:absolute;left:-5000px'>");//--></script>SECRET
<script>document.write('</div>')</script>""",
    "<style>.ghost{display:none}</style><div class='big ghost'>SECRET</div>",
    "<style>#ghost , p{left:-2000px}</style><div id=ghost>SECRET</div>",
    "<style>@media screen {.ghost{display:none}}</style><div class=ghost>SECRET</div>",
    '<body bgcolor="#FFFFFF"><font color="white">SECRET</font>',
    '<div style="color:#fff;background-color:white">SECRET</div>',
    '<body bgcolor="#fff"><span style="color: #ffffff">SECRET</span>',
    '<div style="background:#fff"><font color="white">SECRET</font></div>',
    '<div class=box style="background-color:#fff"><p><span style="color:#ffffff">SECRET</span></p></div>',
    '<table bgcolor="#000000"><tr><td><font color="#000">SECRET</font></table>',
]


@pytest.mark.parametrize("piece", HIDDEN)
def test_hidden_text_is_kept_apart(piece: str) -> None:
    parts = parse(f"{piece}<p>What everybody sees of this page, which is much more than that.</p>")
    assert parts.hidden == "SECRET"
    assert "SECRET" not in parts.text


SEEN = [
    '<div style="display:block;font-size:0.9em">SHOWN</div>',
    '<div style="font-size:10px;left:-10px">SHOWN</div>',
    '<body bgcolor="#ffffff"><table bgcolor="#000000"><tr><td><font color="#ffffff">SHOWN</font></table>',
    '<body bgcolor="#fff"><div class="dark"><span style="color:#fff">SHOWN</span></div>',
    '<span style="color:red">SHOWN</span>',
    '<div style="overflow:auto;height:300px">SHOWN</div>',
    '<div style="height:0">SHOWN</div>',
    "<marquee height=30 width=500>SHOWN</marquee>",
    '<div style="transform:scale(0.5)">SHOWN</div>',
    '<div style="clip-path:inset(0%)">SHOWN</div>',
    "<div id=q8>SHOWN</div><script>document.getElementById('q8').style.display='block'</script>",
    "<div id=q8>SHOWN</div><script>document.getElementById('q9').style.display='none'</script>",
    "<script>document.write('<div class=box>')</script>SHOWN</div>",
    "<script>document.write('<div>' + a + '</div>')</script><p>SHOWN</p>",
    '<body bgcolor="#fff"><div style="background:#000"><font color="#fff">SHOWN</font></div>',
    '<div style="background:#fff"><div style="background:#036"><font color="#fff">SHOWN</font></div></div>',
    '<div style="background:#fff"><div class=dark><font color="#fff">SHOWN</font></div></div>',
    '<div style="background:#fff url(x.png)"><font color="#000">SHOWN</font></div>',
    '<font color="white">SHOWN</font>',
    "<style>.a .ghost{display:none} .b:hover{display:none}</style><p class=ghost>SHOWN</p>",
    '<body bgcolor="#fff"><font color="#000">SHOWN</font>',
]


@pytest.mark.parametrize("piece", SEEN)
def test_what_only_looks_hidden_is_seen(piece: str) -> None:
    assert "SHOWN" in parse(f"{piece}<p>And more text.</p>").text


def test_a_page_hidden_as_a_whole_is_shown_late_not_hidden() -> None:
    parts = parse("<div style='display:none'>All there is on this page is in here</div>")
    assert parts.text == "All there is on this page is in here"
    assert parts.hidden == ""


def test_hidden_links_and_bounds() -> None:
    parts = parse(
        "<div style='display:none'><p><a href='//x.com/'>X</a></p></div><a href='//y.com'>Y and text</a>"
    )
    assert [(a.domain, a.hidden) for a in parts.anchors] == [("x.com", True), ("y.com", False)]
    many = LexborHTMLParser("<p class=g>x</p>" * 300)
    assert len(hidden_nodes(many, ".g{display:none}")) == 200
    assert sheet_names("p{color:red}") == set()
    assert unseen_style("CLIP: rect(0,0,0,0)")


@pytest.mark.parametrize(
    ("style", "unseen"),
    [
        ("opacity:0", True),
        ("color:red;opacity: 0.0;", True),
        ("opacity:0.4", False),
        ("fill-opacity:0", False),
        ("transform: translateX(-2000px)", True),
        ("transform:translate(0, -9999px)", True),
        ("transform:translate(-50px)", False),
        ("clip:rect(1px, 1px, 1px, 1px)", True),
        ("clip:rect(10px, 200px, 90px, 0)", False),
        ("font-size:1px", True),
        ("font-size:0.5px", True),
        ("font-size:0.9em", False),
        ("font-size:1em", False),
        ("font-size:11px", False),
    ],
)
def test_styles_that_nobody_sees(style: str, unseen: bool) -> None:
    assert unseen_style(style) is unseen


def test_domains() -> None:
    assert domain_of("https://user@www.example.co.uk:8080/x") == "example.co.uk"
    assert domain_of("//sub.example.org") == "example.org"
    assert domain_of("/relative") is None
    assert domain_of("mailto:a@b.com") is None
    assert domain_of("http://localhost/") is None


def test_the_archive_is_undone() -> None:
    page = (
        '<head><script src="//archive.org/includes/analytics.js"></script><script>wm()</script>'
        '<!-- End Wayback Rewrite JS Include --></head><!-- BEGIN WAYBACK TOOLBAR INSERT --><div>bar</div>'
        '<!-- END WAYBACK TOOLBAR INSERT --><a href="/web/20150301id_/http://a.com/x">a</a>'
        '<a href="https://web.archive.org/web/2015/b.com">b</a><!--\n     FILE ARCHIVED ON 10:00 -->'
    )  # fmt: skip
    assert without_archive(page) == '<head></head><a href="http://a.com/x">a</a><a href="b.com">b</a>'
    assert without_archive("<p>none</p>") == "<p>none</p>"
    assert without_archive("/web/ <!-- End Wayback Rewrite JS Include -->").startswith("/web/ <!--")
    assert without_archive("archive.org <!-- BEGIN WAYBACK TOOLBAR INSERT -->never ends").endswith("ends")
    assert original_url("http://host:8080/coll/20200101000000mp_/https://a.com/") == "https://a.com/"
    assert original_url("https://a.com/web/2015/") == "https://a.com/web/2015/"


def test_whose_page_it_is() -> None:
    assert site_of(parse(""), "http://x.com/", "given.org") == "given.org"
    assert site_of(parse(""), "https://web.archive.org/web/2015/http://x.com/", None) == "x.com"
    assert site_of(parse("<link rel=canonical href=https://c.net/>"), "", None) == "c.net"
    own = "<img src=http://own.de/i.png>" + "<a href=http://own.de/1>1</a>" * 3 + "<a href=//o.fr>2</a>"
    assert site_of(parse(own), "", None) == "own.de"
    assert site_of(parse("<a href=//m.de>1</a>" * 6 + "<a href=//o.fr>2</a>"), "", None) == "m.de"
    assert site_of(parse("<a href=//m.de>1</a>"), "", None) is None
    assert site_of(parse(""), "", None) is None


def test_links_out() -> None:
    parts = parse(
        "<a href=//own.de>1</a><a href=//out.org>2</a><a href=//facebook.com>3</a><a href=/in>4</a>"
    )
    links = out_links(parts, "own.de")
    assert [(link.target_domain, link.external) for link in links] == [
        ("own.de", False), ("out.org", True), ("facebook.com", True),
    ]  # fmt: skip
    assert outlink_domains(links) == 1
    assert not any(link.external for link in out_links(parts, None))


def test_who_owns_it() -> None:
    parts = parse(
        "<title>Home | Müller Orgelbau</title><meta property=og:site_name content='Müller Orgelbau'>"
        "<p>Telefon +49 (0)761 123456, info@orgelbau-mueller.de</p><a href='mailto:x@mail.orgelverein.org?s=1'>m</a>"
        "<a href='tel:0761-123456'>t</a><p>© 2015 Müller Orgelbau GmbH</p>"
    )
    assert {"müller", "orgelbau"} <= brand_tokens(parts)
    assert "home" not in brand_tokens(parts)
    assert contacts(parts) == {"orgelbau-mueller.de", "761123456", "490761123456", "orgelverein.org"}
    for said, number in (
        ("Ring 01865 240000. We are open", "1865240000"),
        ("Tel.0761 123456", "761123456"),
        ("電話 03-1234-5678。", "312345678"),
        ("Tél.: 01.42.68.53.00. Fax", "142685300"),
        ("(020) 7946 0018.", "2079460018"),
        ("+7 495 123-45-67.", "74951234567"),
    ):
        assert contacts(parse(f"<p>{said}</p>")) == {number}, said
    nothing = "v1.234567890, 2010.11.12. Since 1998-2004, 12/11/2010. 192.168.100.200.de"
    assert contacts(parse(f"<p>{nothing}</p>")) == frozenset()
    assert contacts(parse("<p>a@localhost and 12345 and 1234567890123456789012</p>")) == frozenset()


def test_absurd_nesting_is_flattened() -> None:
    deep = "<title>T</title>" + "<div>" * 5000 + "<a href=//x.com>link</a>text"
    source, notes = tame(deep)
    assert notes == ("tags nest 5001 deep: read as plain text",)
    parts = parse(source)
    assert (parts.title, parts.anchors[0].domain, parts.text) == ("T", "x.com", "link text")
    assert tame("<p>few</p>") == ("<p>few</p>", ())


def test_how_tags_nest_is_not_hidden_by_ends_that_close_nothing() -> None:
    assert nesting_of("<div></b>" * DEEPEST).absurd
    assert nesting_of("<div></div>" * 3) == Nesting(1, 3)
    assert nesting_of("<p><li><br>" * 5000) == Nesting()
    carried = "".join(f"<b c={n}>" for n in range(600)) + "<p>x" * 1000
    assert nesting_of(carried).reopened > 600_000
    assert nesting_of(carried).absurd


def test_drawings_and_scripts_are_no_depth() -> None:
    drawn = "<svg>" + "<path d='M0'/>" * 2000 + "</svg ><p>seen</p><SCRIPT>'<style>' + '<div>'</script>"
    source, notes = tame(drawn + "<style>never closed")
    assert (source, notes) == ("<p>seen</p><style>never closed", ())
    assert tame("<p>x</p>" + flat("<svg>")) == ("<p>x</p> ", ())


def test_only_the_first_tags_are_read() -> None:
    source, notes = tame("<p>x" * (TAGS_MOST + 5))
    assert (source, notes) == ("<p>x" * TAGS_MOST, (f"only the first {TAGS_MOST} tags were read",))
    assert tame("a < b " * 40_000)[1] == ()


def test_a_tag_of_very_many_attributes_is_ended() -> None:
    written = " ".join(f"a{n}='<>'" for n in range(1000))
    tree = LexborHTMLParser(closed(f"<p {written}>text"))
    assert [len(node.attributes) for node in tree.css("p")] == [300]
    several = "<html a=1><body b=2>" * 30
    assert closed(several + "text").count("<wbr") == 40
    assert closed("<html a=1><p b='x > y' c>") == "<html a=1><p b='x > y' c>"


def test_text_of_nested_elements_is_taken_until_there_is_enough() -> None:
    words = "many words of text " * 12_000
    parts = parse("<blockquote>" * 300 + words)
    assert len(parts.main) == TEXT_CHARS
    nested = "<table><tr><td><a href=/x>" * 300 + "<h1>" + words + "</h1>"
    read = parse(nested)
    assert read.anchors[0].text == squeeze(words)[:300]
    assert read.anchors[-1].text == ""  # the same text once more, five million letters later
    assert len(read.headings[0]) == HEADING_CHARS


@pytest.mark.parametrize("content", [" " * 200_000, "1" * 200_000, "url " * 50_000, "url" + " " * 200_000])
def test_a_refresh_of_blanks_takes_no_time(content: str) -> None:
    start = time.process_time()
    assert parse(f"<meta http-equiv=refresh content='{content}'>").refresh is None
    assert time.process_time() - start < 2 * slowness()


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("0; url=/en/", Refresh(0, "/en/")),
        ("0;URL='/a b'", Refresh(0, "/a b")),
        (' 5 , url = "x"y', Refresh(5, "x")),
        ("0; https://a.com/", Refresh(0, "https://a.com/")),
        ("0 https://a.com/", Refresh(0, "https://a.com/")),
        ("0,/en/", Refresh(0, "/en/")),
        ("0; 'q'", Refresh(0, "q")),
        ("0; urls/", Refresh(0, "urls/")),
        ("0; u", Refresh(0, "u")),
        (".9;url=x", Refresh(0, "x")),
        ("1800.5;url=x", Refresh(1800, "x")),
        ("99999999999999999999;url=x", Refresh(10**9, "x")),
        ("0https://a.com/", None),
        ("-1; url=x", None),
        ("url=x", None),
        ("0; url=", None),
        ("30", None),
        ("30;", None),
        ("٣; url=x", None),
        ("", None),
        (None, None),
    ],
)
def test_what_a_refresh_says(content: str | None, found: Refresh | None) -> None:
    assert parse_refresh(content) == found


def test_a_refresh_in_noscript_or_a_comment_is_none_to_a_visitor_with_scripts() -> None:
    onward = "<meta http-equiv=refresh content='0;url=/nojs'>"
    real = "<meta http-equiv=refresh content='0;url=/en'>"
    for unseen in (
        f"<head><noscript>{onward}</noscript>",
        f"<head><NOSCRIPT><img src=x>{onward}</NoScript>",
        f"<body><noscript><p>{onward}</noscript>",
        f"<noscript>{onward}",
        f"<noscript><!-- </noscript> -->{onward[:0]}",
    ):
        assert parse(unseen).refresh is None
        assert parse(unseen + "</noscript>" + real).refresh == Refresh(0, "/en")
    assert parse(f"<!-- <noscript> -->{real}<noscript>x</noscript>").refresh == Refresh(0, "/en")
    assert without_noscript("a<!-- open <noscript>") == "a"
    assert (
        without_noscript("İ<noscript>b") == "İ<noscript>b"
    )  # grows in small letters: places would not agree
    assert parse("<meta http-equiv=refresh content=x><meta http-equiv=refresh content='1;a'>").refresh == (
        1,
        "a",
    )


@pytest.mark.parametrize("piece", ["<noscript>", "<!--", "<noscript></noscript>", "<!---->"])
def test_many_noscripts_take_no_time(piece: str) -> None:
    start = time.process_time()
    without_noscript("<noscript></noscript>" + piece * 100_000)
    assert time.process_time() - start < 2 * slowness()


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("<svg><title>Tip</title></svg><p>x", ""),
        ("<title>Page</title><svg><title>Tip</title></svg>", "Page"),
        ("<body><svg><g><title>Tip</title></g></svg><title>Late</title>", "Late"),
        ("<svg><foreignObject><title>Inside</title></foreignObject></svg>", "Inside"),
        ("<math><title>Tip</title></math>", ""),
        ("<template><title>Later</title></template>", ""),
    ],
)
def test_the_title_is_the_first_of_html(source: str, title: str) -> None:
    assert parse(source).title == title


def test_words_of_a_match_cut_by_tags_are_quoted_as_they_stand() -> None:
    assert quote("cheap online casino bonus", 0, 25, "x online casino y bonus") == "online casino"
    assert quote("a bb a bb", 0, 9, "bb a") == "bb a"
    assert quote("nothing stands", 0, 14, "") == "nothing stands"
