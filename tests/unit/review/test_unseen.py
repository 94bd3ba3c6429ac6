"""Pages that do not show what visitors see: shells that scripts fill, frames, log-ins."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page

APP = '<script src="/static/js/main.3f2.js"></script>'
SHELLS = [
    "<title>React App</title><noscript>You need to enable JavaScript to run this app.</noscript><div"
    " id=root></div>" + APP,
    '<title>Vite App</title><script type=module src=/assets/a.js></script><div id="app"></div>',
    "<title>tarn.example</title><div id='root'></div>" + APP,
    "<title>Home</title><div id=svelte></div>" + APP,
    "<title>Welcome</title><div id=__next></div>" + APP,
    "<title>Tarn</title><app-root>Loading...</app-root>" + APP,
    "<title>Tarn</title><noscript><strong>Bitte aktivieren Sie JavaScript, um diese Seite zu"
    " sehen.</strong></noscript>" + APP,
    "<title>Tarn</title><script src=flutter_bootstrap.js async></script>",
    "<title>Tarn | Builder</title><div id=SITE_CONTAINER></div>" + APP,
    "<title>Tarn</title><iframe src=\"javascript:''\" id=__gwt_historyFrame></iframe><noscript>Your web browser"
    " must have"
    " JavaScript enabled in order for this application to display correctly.</noscript>",
]  # fmt: skip
TEXT = "<h1>Tarn Club</h1><p>" + "The club rows on the tarn every Saturday morning, and the tea is free. " * 6
SEEN = [
    "<title>Tarn</title>" + TEXT + APP,
    "<title>Tarn</title><div id=root>" + TEXT + "</div>" + APP,
    "<title>Tarn</title><noscript>Enable JavaScript for the map.</noscript>" + TEXT + APP,
    "<title>Tarn</title>" + TEXT + "<form><input name=u><input type=password></form>",
    "<title>Tarn</title>" + TEXT + "<iframe src=/map></iframe>",
    "<title>tarn.example</title><h1>tarn.example</h1><p>Coming soon" + APP,
]
REASONS = [
    ("<title>Tarn</title><frameset><frame src=/a><frame src=/b></frameset>", "the page is made of frames"),
    ("<title>Tarn</title><meta http-equiv=refresh content='0; /en/'>", "the page sends its visitors on"),
    ("<title>Tarn</title><script>location.href='/en/'</script>", "the page sends its visitors on"),
    (
        "<title>Tarn</title><form>Name <input> Word <input type=password></form>",
        "the page asks for a password",
    ),
]


@pytest.mark.parametrize("html", SHELLS)
def test_shells_are_unseen_and_never_parked(html: str) -> None:
    found = read_page(html.encode(), url="http://tarn.example/", site="tarn.example")
    assert found.unseen == "a script builds the page"
    assert found.verdict != "parked"


@pytest.mark.parametrize("html", SEEN)
def test_pages_with_words_of_their_own_are_seen(html: str) -> None:
    assert not read_page(html.encode(), url="http://tarn.example/", site="tarn.example").unseen


@pytest.mark.parametrize(("html", "why"), REASONS)
def test_other_pages_say_why(html: str, why: str) -> None:
    assert read_page(html.encode(), url="http://tarn.example/", site="tarn.example").unseen == why


MASKS = [
    "<iframe src='https://lander.example.net/?d=tarn.example' width=100% height=100%></iframe>",
    "<frameset rows='100%,*'><frame src='http://club.example.net/'><frame src='about:blank'></frameset>",
    "<iframe style='position:fixed;top:0;left:0;width:100%;height:100%' src='//club.example.net/x'></iframe>",
]
FRAMED = [
    "<frameset rows='100%,*'><frame src='http://www.tarn.example/main.htm'></frameset>",
    "<frameset cols='20%,*'><frame src='menu.htm'><frame src='main.htm'></frameset>",
    "<frameset rows='9%,*'><frame src='http://ads.example.net/'><frame src='http://club.example.net/'></frameset>",
    "<iframe src='https://www.videos.example.net/embed/1' width=560 height=315></iframe>",
]


@pytest.mark.parametrize("html", MASKS)
def test_one_frame_of_another_site_sends_visitors_on(html: str) -> None:
    found = read_page(f"<title>Tarn</title>{html}".encode(), url="http://tarn.example/", site="tarn.example")
    assert "example.net" in (found.refresh_url or "")
    assert not found.frame_urls


@pytest.mark.parametrize("html", FRAMED)
def test_other_frames_are_parts_of_the_page(html: str) -> None:
    found = read_page(f"<title>Tarn</title>{html}".encode(), url="http://tarn.example/", site="tarn.example")
    assert found.refresh_url is None
    assert found.frame_urls


@pytest.mark.parametrize("title", ["Home", "Welcome", "Index", ""])
@pytest.mark.parametrize("text", ["Please wait", "Redirecting...", "Loading", "x", "此"])
def test_the_shortest_pages_are_read(title: str, text: str) -> None:
    assert read_page(f"<title>{title}</title><p>{text}</p>".encode(), url="").verdict in (
        "error",
        "parked",
        "clean",
    )
