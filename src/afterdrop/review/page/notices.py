"""Stage 2, signs: pages instead of a page. Errors, suspensions, listings, challenges, walls, and shells of scripts.

Pure. A page is judged by the markup of products that stand before sites, then by what its title says, or its heading,
or its first words when it has few: an article about "Error 404" has text, and a film called "Access denied" speaks of
no server. Markup counts only where it is not quoted: a programmer's page may show it. A wall of cookies has two of
three: it stands before the site, it can be accepted and refused, it speaks of cookies and whom they are for. Of what
scripts build, frames show or a log-in hides nothing can be said. Data: `data/errors.toml`, `data/consent.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import NotRequired, TypedDict, cast

from ahocorasick_rs import AhoCorasick, MatchKind
from selectolax.lexbor import LexborHTMLParser

from afterdrop.review.page.identity import contacts
from afterdrop.review.page.source import without_noscript
from afterdrop.review.page.text import UNSPACED, PhraseHit, Phrases, count_words, fold, quote, script_of
from afterdrop.review.page.values import FEW_WORDS, ErrorFinding, ErrorKind, Evidence, PageView, Parts, Zone

# The longest notice in words, and the words that a wall says of anything else.
NOTICE_WORDS, OTHER_WORDS = 400, 15
_SIGNS = 2
# Of a notice so many words have one that tells; menus and lists run on without a point.
_WORDS_A_SIGN = 20
# A wall has something to press.
_PRESSED = re.compile(r"<(?:button|input)\b|\bbtn\b|role=[\"']?button", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?。！？…]++[.!?。！？…]*+")


class Notices:
    """The data in searchable form."""

    def __init__(self, table: dict[str, dict[str, list[str]]]) -> None:
        self.before, self.accept, self.refuse, self.cookies, self.data = (
            Phrases(phrase for listed in table[name].values() for phrase in listed)
            for name in ("before", "accept", "refuse", "cookies", "data")
        )


@lru_cache(maxsize=1)
def notices() -> Notices:
    """The shipped data, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/consent.toml").read_text("utf-8")
    return Notices({name: listed for name, listed in tomllib.loads(text).items() if name != "version"})


def has_button(source: str) -> bool:
    """Whether a page's source has something to press."""
    return _PRESSED.search(source) is not None


@lru_cache(maxsize=1)  # the language of a page and its errors ask for the same text
def beside_notice(text: str) -> str | None:
    """A text without the sentences and buttons of its notice; None where it has none, by two of the three signs."""
    data = notices()
    asked = bool(data.accept.find(text)) and bool(data.refuse.find(text))
    told = bool(data.cookies.find(text)) and bool(data.data.find(text))
    if asked + told + bool(data.before.find(text)) < _SIGNS:
        return None
    words = (data.before, data.cookies, data.data)
    return " ".join(
        piece.strip()
        for sentence in _SENTENCE.finditer(text)
        for piece in _unpressed(sentence[0], data)
        if sum(len(each.find(piece)) for each in words) * _WORDS_A_SIGN < count_words(piece)
    )


def _unpressed(sentence: str, data: Notices) -> Iterator[str]:
    """The pieces of a sentence that buttons cut it into, without the buttons: a capital follows each, or the end."""
    start = 0
    for hit in sorted([*data.accept.find(sentence), *data.refuse.find(sentence)], key=_place):
        after = sentence[hit.end :].lstrip()[:1]
        if hit.start >= start and (not after or after.isupper()):
            yield sentence[start : hit.start]
            start = hit.end
    yield sentence[start:]


def _place(hit: PhraseHit) -> tuple[int, int]:
    return hit.start, -hit.end


TITLE_WORDS, HEADING_WORDS, SHORT_WORDS = 600, 400, 70
_FIRST_CHARS = 400
# Bare words that mean an error only where they are nearly all that is said.
_NEARLY_ALL = 2
# Share of a title or heading that error phrases must make up on a page with text of its own.
_SHARE_MISSING, _SHARE_OTHER = 0.35, 0.6
# Words of a page that only sends its visitors on, or waits for a script.
_SHELL_WORDS = 25
# Fewer than so many words may stand beside markup that only a product's own page has, and beside what all pages
# behind it have: there, with no more links than a notice has.
_MARKUP_WORDS, _PAGE_WORDS, _PAGE_LINKS = 200, 40, 3
# Share of a title that says nothing but its error (a challenge always says more on its page), and of one whose error
# is a server's or site's by its own words.
_SHARE_TITLE, _SHARE_NAMED = 0.95, 0.75
# Share of a short page's text that error phrases make up where it says nothing else, and words of a whole sentence,
# or letters where none stand apart.
_SHARE_TEXT, _SENTENCE_WORDS, _SENTENCE_LETTERS = 0.4, 6, 12
# Signs behind a boast of a break-in that are looked at, and words of the longest page that boasts.
_BOAST, _RANT = 80, 250
_LISTING = re.compile(
    r"^(?:(?:index of|directory of|index de|répertoire de|índice de|indice di|verzeichnis von|оглавление|indeks?) /"
    r"|directory listing for|contenu du répertoire|contenido del directorio|contenuto della directory|inhalt von /"
    r"|содержимое каталога|[\w-]+(?:\.[\w-]+)+(?::\d+)? - /)",
    re.IGNORECASE,
)
# A telephone number as it is written at home.
_PHONE = re.compile(r"\b0\d{1,5}[ /-]\d[\d /-]{4,16}\d")
_STATUS = re.compile(r"\b[45]\d\d\b")
_DENSE = UNSPACED | {"Hangul"}
_NAME = re.compile(r"^\W*+(?:www\.)?[\w-]{1,63}(?:\.[\w-]{1,63}){1,3}\W*+$")


class _Product(TypedDict):
    """A product that stands before sites: `markup` of its own pages, `page` of all pages behind it."""

    name: str
    kind: ErrorKind
    markup: list[str]
    page: NotRequired[list[str]]


class _Table(TypedDict):
    """The error data: phrases by kind and language, words of servers by language, products."""

    version: str
    phrases: dict[ErrorKind, dict[str, list[str]]]
    talk: dict[str, list[str]]
    product: list[_Product]


@dataclass(frozen=True, slots=True)
class _Mark:
    """A product's markup found in a page's source; `alone` when only its own pages have it."""

    product: str
    kind: ErrorKind
    alone: bool
    start: int
    end: int


class ErrorPhrases:
    """The error data in searchable form: (kind, phrase) by number."""

    def __init__(self, table: _Table) -> None:
        self.version = table["version"]
        self.said = tuple(
            (kind, phrase)
            for kind, languages in table["phrases"].items()
            for listed in languages.values()
            for phrase in listed
        )
        self.phrases = Phrases(phrase for _, phrase in self.said)
        self.talk = Phrases(word for listed in table["talk"].values() for word in listed)
        pieces = [(one, piece, True) for one in table["product"] for piece in one["markup"]]
        pieces += [(one, piece, False) for one in table["product"] for piece in one.get("page", ())]
        self._pieces = pieces
        self._search = AhoCorasick([piece for _, piece, _ in pieces], matchkind=MatchKind.Standard)

    def marks(self, parts: Parts) -> list[_Mark]:
        """Every product's markup in a page's source, without what the page only shows, in order of place."""
        lowered = parts.source.replace("İ", "i").lower()
        shown = f"{parts.title} {parts.text}".lower()
        found = self._search.find_matches_as_indexes(lowered, overlapping=True)
        return [
            _Mark(product["name"], product["kind"], alone, start, end)
            for product, piece, alone, start, end in (
                (*self._pieces[number], start, end) for number, start, end in found
            )
            if piece not in shown
        ]


@lru_cache(maxsize=1)
def error_phrases() -> ErrorPhrases:
    """The shipped error data, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/errors.toml").read_text("utf-8")
    return ErrorPhrases(cast(_Table, tomllib.loads(text)))


def find_error(parts: Parts, words: int, data: ErrorPhrases) -> ErrorFinding | None:
    """The kind of error page this is, or None. `words` is the count of visible words."""
    return _by_markup(parts, words, data) or _by_phrases(parts, words, data) or _wall(parts, words, data)


def _by_markup(parts: Parts, words: int, data: ErrorPhrases) -> ErrorFinding | None:
    marks = data.marks(parts) if words < _MARKUP_WORDS else []
    if not marks:
        return None
    untitled = words < _PAGE_WORDS and _says_nothing(parts, data)
    mark = next((mark for mark in marks if mark.alone or untitled), None)
    if mark is None:
        return None
    rule = f"error.markup: {mark.product}"
    item = Evidence("error_page", mark.kind, 1, "markup", "", rule, data.version)
    return ErrorFinding(mark.kind, (item,))


def _says_nothing(parts: Parts, data: ErrorPhrases) -> bool:
    """Whether a page has no title of its own, no description, no contact and hardly a link."""
    title = parts.title
    own = title and not _NAME.match(title) and _share(title, data.phrases.find(title)) < _SHARE_OTHER
    told = own or "description" in parts.metas or contacts(parts)
    return not told and len(parts.anchors) < _PAGE_LINKS


def _by_phrases(parts: Parts, words: int, data: ErrorPhrases) -> ErrorFinding | None:
    zones: list[tuple[Zone, str]] = []
    if words < TITLE_WORDS:
        zones.append(("title", parts.title))
    if words < HEADING_WORDS:
        zones += [("body", heading) for heading in parts.headings[:3]]
    short = words < SHORT_WORDS
    if short:
        zones.append(("body", parts.text[:_FIRST_CHARS]))
    told = short and _tells_of_servers(parts, data)
    for zone, text in zones:
        found = data.phrases.find(text)
        share = _share(text, found)
        for one in found:
            kind, phrase = data.said[one.phrase]
            titled = zone == "title" and share >= _SHARE_TITLE and kind != "challenge"
            named = share >= _SHARE_NAMED and bool(data.talk.find(phrase))
            meant = told or titled or named or not short or _is_sentence(phrase)
            if kind == "defaced":
                meant = _claims(one, text, words) and (told or not _tells_whom_to_reach(parts))
            if meant and _means_it(kind, phrase, text, share, words):
                return _finding(kind, phrase, zone, quote(text, one.start, one.end, parts.source), data)
    # A list of files under its server's own title: `example.com - /`.
    match = _LISTING.match(parts.title.strip())
    if match is None or words >= TITLE_WORDS or not parts.anchors:
        return None
    quoted = quote(parts.title, match.start(), match.end(), parts.source)
    return _finding("directory_index", "its title", "title", quoted, data)


def _wall(parts: Parts, words: int, data: ErrorPhrases) -> ErrorFinding | None:
    """A notice of cookies to agree to, and nothing else."""
    other = beside_notice(parts.text) if words < NOTICE_WORDS else None
    if other is None or count_words(other) >= OTHER_WORDS:
        return None
    if not has_button(parts.source) or contacts(parts):
        return None
    return _finding(
        "consent", "a notice of cookies", "body", quote(parts.text, 0, _FIRST_CHARS, parts.source), data
    )


def _is_sentence(phrase: str) -> bool:
    """Whether a phrase means one thing: it names a status, or is long enough."""
    if _STATUS.search(phrase) or phrase.count(" ") >= _SENTENCE_WORDS - 1:
        return True
    return " " not in phrase and _runs_on(phrase) and len(phrase) >= _SENTENCE_LETTERS


def _runs_on(phrase: str) -> bool:
    """Whether a phrase is in a script that writes no blanks between words."""
    return any(script_of(letter) in _DENSE for letter in phrase)


def _tells_of_servers(parts: Parts, data: ErrorPhrases) -> bool:
    """Whether a short page says hardly more than its error, or speaks of servers and sites beside it.

    Two words where it tells how to reach someone: a shop gives its site's address, too.
    """
    whole = f"{parts.title} \n {parts.text}"
    found = data.phrases.find(parts.text)
    if _share(parts.text, found) >= _SHARE_TEXT or not parts.text:
        return True
    hits = data.phrases.find(whole)
    spans = [(one.start, one.end) for one in hits]
    # Who serves in tennis makes a server's error, too.
    faults = [one for one in hits if data.said[one.phrase][0] == "server_error"]
    errors = {word for one in faults for word in fold(whole[one.start : one.end]).split()}
    talk = {
        said
        for one in data.talk.find(whole)
        if not any(start <= one.start < end for start, end in spans)
        if (said := fold(whole[one.start : one.end]).strip()) not in errors
    }
    return len(talk) > _tells_whom_to_reach(parts)


def _tells_whom_to_reach(parts: Parts) -> bool:
    return bool(contacts(parts)) or _PHONE.search(parts.text) is not None


def _claims(found: PhraseHit, text: str, words: int) -> bool:
    """Whether someone boasts of a break-in: he says so first, asks nothing, and says little more."""
    first = not any(map(str.isalnum, text[: found.start]))
    return first and "?" not in text[found.start :][:_BOAST] and words < _RANT


def _share(text: str, found: list[PhraseHit]) -> float:
    """How much of a title or heading is error phrases, 0 to 1."""
    letters = sum(map(str.isalnum, text))
    spans = {(one.start, one.end) for one in found}
    told = sum(map(str.isalnum, "".join(text[start:end] for start, end in spans)))
    return told / letters if letters else 0.0


def _means_it(kind: ErrorKind, phrase: str, text: str, share: float, words: int) -> bool:
    if kind == "directory_index":
        return bool(_LISTING.match(text.strip())) or (share > 0.5 and words < SHORT_WORDS)
    if kind == "empty":
        return share >= _SHARE_OTHER and words < _SHELL_WORDS
    if " " not in phrase and not _runs_on(phrase) and len(text.split()) > _NEARLY_ALL:
        return False
    if words < SHORT_WORDS or kind == "defaced":
        return True
    return share >= (_SHARE_MISSING if kind == "not_found" else _SHARE_OTHER)


def _finding(kind: ErrorKind, phrase: str, zone: Zone, quoted: str, data: ErrorPhrases) -> ErrorFinding:
    item = Evidence("error_page", kind, 1, zone, quoted, f"error.{kind}: {phrase}", data.version)
    return ErrorFinding(kind, (item,))


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
_FILLED_WORDS = 60
# A log-in has hardly any other word.
_LOG_IN_WORDS = 60


def is_shell(view: PageView) -> bool:
    """Whether scripts fill a page, which has few words of its own."""
    if view.words >= _FILLED_WORDS or not (view.marks["script"] or view.parts.frames):
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
