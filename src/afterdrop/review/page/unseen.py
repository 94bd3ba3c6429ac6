"""Pages whose source does not show what their visitors see: built by scripts, of frames, behind a log-in.

Pure. Nothing can be said of what is missing on them.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from afterdrop.review.page.reading import FEW_WORDS
from afterdrop.review.page.refresh import without_noscript
from afterdrop.review.page.scripts import count_words
from afterdrop.review.page.view import PageView

# Elements that React, Vue, Angular, Svelte, Gatsby, Next, Nuxt, Quasar, GWT, Flutter and site builders fill.
_FILLED = (
    "#root,#app,#__next,#__nuxt,#___gatsby,#svelte,#app-root,#react-root,#main-app,#application,#q-app,#SITE_CONTAINER,"
    "app-root,my-app,app-main,flt-glass-pane,flutter-view,[ng-app],[ng-version],[data-reactroot],#__gwt_historyFrame,"
    "script[type=module][src],script[src*='main.dart.js'],script[src*='flutter_bootstrap'],script[src*='/app.js'],"
    "script[src*='nocache.js']"
)
# "Loading, please wait" stands in them until then.
_WAITING_WORDS = 5
# With a notice for those who have none.
_SHELL_WORDS = 60
# A log-in has hardly any other word.
_LOG_IN_WORDS = 60


def is_shell(view: PageView) -> bool:
    """Whether scripts fill a page, which has few words of its own."""
    if view.words >= _SHELL_WORDS or not (view.marks["script"] or view.parts.frames):
        return False
    source = view.parts.source
    seen = without_noscript(source)
    tree = LexborHTMLParser(seen)
    filled = any(
        node.tag == "script" or count_words(node.text() or "") < _WAITING_WORDS for node in tree.css(_FILLED)
    )
    tree.strip_tags(["script", "style", "template", "title"])
    if count_words(tree.text()) >= FEW_WORDS:
        return False
    said = source.lower().count("javascript") - seen.lower().count("javascript")
    return filled or said > 0


def why_unseen(view: PageView, *, shell: bool) -> str:
    """Why a page does not show what its visitors see; "" where it does. `shell`: scripts fill it."""
    few = view.words < FEW_WORDS
    if view.marks["password field"] and view.words < _LOG_IN_WORDS:
        return "the page asks for a password"
    if few and view.refresh:
        return "the page sends its visitors on"
    if shell:
        return "a script builds the page"
    return "the page is made of frames" if few and view.parts.frames else ""
