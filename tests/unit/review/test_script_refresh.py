"""Pages that send their visitors on by a script, and pages whose scripts do something else."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page
from afterdrop.review.page.source import script_refresh

ON = [
    "location = '/site/'",
    'window.location="/site/";',
    "document.location.href = '/site/'",
    "self.location.replace('/site/')",
    "top.location.assign( `/site/` );",
    "window.location.href='\\/site\\/'",
    "<!--\nwindow.location = '/site/';\n//-->",
    "/* to the site */ location.href = '/site/' // now",
    "setTimeout(\"location.href='/site/'\", 500)",
    "setTimeout(function () { window.location.href = '/site/'; }, 500);",
    "window.onload = function() { location = '/site/' }",
    "document.addEventListener('DOMContentLoaded', () => { location.replace('/site/') })",
    "setTimeout(() => location.replace('/site/'), 100)",
    "$(function(){\n  location.href = '/site/';\n});",
    "(function(){try{location.replace('/site/')}catch(e){}})()",
    "function go() { location = '/site/' }\ngo();",
    "function go() { location = '/site/' }\nsetTimeout(go, 1000)",
    "var a = 1\nlocation = '/site/'",
    "if (a) { b() }\nlocation = '/site/'",
    "track()\nlocation = '/site/'",
    "}; { location = '/site/' }",
    "var now = location.href; location.href = '/site/'",
]
ON += [
    "var to = '/site/'; document.location.replace(to);",
    'const to = "/site/"\nwindow.location = to\n',
    "var to = '/site/'; var other = '/b/'; onload = function () { location.href = to }",
]
STAYS = [
    "location = to;",
    "var to = '/site/'; to = '/other/'; location = to;",
    "var to = '/site/'; to += page; location = to;",
    "var to = '/site/'; location = to + page;",
    "var to = '/site/', b = 1; location = to;",
    "",
    "var place = location.href;",
    "var location = 'Lower Tarn';",
    "club.location = '/site/'",
    "map = {location: '/site/'}",
    "if (location == '/site/') start()",
    "location = base + '/site/'",
    "location = '/site/' + page",
    "location.href = '/site/?from='.concat(page)",
    "location = `/site/${page}`",
    "location.hash = '#/site/'",
    "location.reload()",
    "// location = '/site/'",
    "/* location = '/site/' */",
    "if (screen.width < 700) location = '/m/'",
    "if (screen.width < 700)\n  location = '/m/'",
    "if (screen.width < 700) { location = '/m/' }",
    "if (old) { warn() } else { location = '/m/' }",
    "function go() { location = '/site/' }",
    "enter.onclick = function () { location = '/site/' }",
    "$('#lang').change(function () { location.href = '/de/' })",
    "b.addEventListener('click', () => location.replace('/site/'))",
    "} location",
    "} location = a\n} if (b)\n location = '/m/'",
    "b.addEventListener('click', function () { location.replace('/site/') })",
    "x ? location = '/a/' : 0",
    "ready && (location = '/a/')",
]


@pytest.mark.parametrize("code", ON)
def test_a_script_that_names_an_address_for_everybody_sends_on(code: str) -> None:
    assert script_refresh(code) == (0, "/site/")


@pytest.mark.parametrize(
    "code",
    [
        "{" * 100 + "location = '/site/'",
        "if (a) location = '/m/';" * 100 + "location = '/site/'",
        "/*" * 9_000,
    ],
)
def test_a_script_beyond_any_that_only_sends_on_is_not_looked_through(code: str) -> None:
    assert script_refresh(code) is None


@pytest.mark.parametrize("code", STAYS)
def test_any_other_script_sends_nobody_on(code: str) -> None:
    assert script_refresh(code) is None


def sent_to(source: str) -> str | None:
    return read_page(source.encode(), url="http://example.com/").refresh_url


GO = "location = '/site/'"
WORDS = "Our rowing club meets every Saturday morning at the boat house. New members are welcome for a trial."


@pytest.mark.parametrize(
    ("source", "to"),
    [
        (f"<title>Club</title><script>{GO}</script>", "/site/"),
        (f"<script type='text/javascript' language=JavaScript><!--\n{GO}\n//--></script>", "/site/"),
        (f"<script type=module>{GO}</script><p>Redirecting, please wait …", "/site/"),
        (f'<body onload="{GO}">', "/site/"),
        (f'<script>function go() {{ {GO} }}</script><body onload="go()">', "/site/"),
        (f"<script>{GO}</script><p>{WORDS} {WORDS}", None),
        (f"<!-- <script>{GO}</script> --><p>Enter", None),
        (f"<body><noscript><script>{GO}</script></noscript><p>Enter", None),
        (f"<template><script>{GO}</script></template><p>Enter", None),
        (f'<script type="text/x-template">{GO}</script><p>Enter', None),
        (f'<script src="a.js">{GO}</script><p>Enter', None),
        (f'<a href="#" onclick="{GO}">Enter</a>', None),
        (f"<script>function go() {{ {GO} }}</script><a href='#' onclick='go()'>Enter</a>", None),
        (f"<script>{'a = 1;' * 1000}{GO}</script>", None),
        (f"<meta http-equiv=refresh content='0; /en/'><script>{GO}</script>", "/en/"),
    ],
)
def test_only_a_page_of_few_words_is_left_for_what_its_script_names(source: str, to: str | None) -> None:
    assert sent_to(source) == to


def test_a_parked_name_that_sends_on_to_its_own_numbered_host_is_parked() -> None:
    source = '<html><head><title>{0}</title><script>window.location.replace("http://{1}/");</script></head><body></body></html>'
    parked = read_page(source.format("harbour-lights.com", "ww7.harbour-lights.com").encode(), url="")
    assert (parked.verdict, parked.refresh_url) == ("parked", "http://ww7.harbour-lights.com/")
    honest = read_page(source.format("harbour-lights.com", "www.harbour-lights.com").encode(), url="")
    assert honest.verdict == "clean"
