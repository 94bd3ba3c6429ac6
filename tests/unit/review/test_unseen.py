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
    "<title>Tarn</title><body><noscript><strong>Bitte aktivieren Sie JavaScript, um diese Seite zu"
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


@pytest.mark.parametrize("title", ["Home", "Welcome", "Index", ""])
@pytest.mark.parametrize("text", ["Please wait", "Redirecting...", "Loading", "x", "此"])
def test_the_shortest_pages_are_read(title: str, text: str) -> None:
    assert read_page(f"<title>{title}</title><p>{text}</p>".encode(), url="").verdict in (
        "error",
        "parked",
        "clean",
    )
