"""Stage 2, signs: what stands instead of a page. Errors, suspensions, listings, challenges, walls, and stubs.

Pure. A page is judged by the markup of products that stand before sites, then by what its title says, or its heading,
or its first words when it has few: an article about "Error 404" has text, and a film called "Access denied" speaks of
no server. Markup counts only where it is not quoted: a programmer's page may show it. Data: `data/errors.toml`,
`data/consent.toml`.

Stubs are told by their shape and a few words: a site that has moved, a shop without goods or name, a launch to come.
Each says next to nothing else: a shop that has moved to another street gives its number there, or a way to reach
it, and a museum tells the day on which it opens. A page that sends its visitors on by itself is none, for what it
shows is read instead. The words of stubs are in `data/parked.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import NotRequired, TypedDict, cast

from ahocorasick_rs import AhoCorasick, MatchKind

from afterdrop.review.page.markup import scripts_of
from afterdrop.review.page.source import script_refresh
from afterdrop.review.page.text import (
    NOTICE_WORDS,
    OTHER_WORDS,
    UNSPACED,
    PhraseHit,
    Phrases,
    beside_notice,
    count_words,
    fold,
    has_button,
    pattern_words,
    quote,
    script_of,
    squeeze,
)
from afterdrop.review.page.values import ErrorKind, Evidence, Finding, PageView, ParkedKind, Parts, Zone

TITLE_WORDS, HEADING_WORDS, SHORT_WORDS = 600, 400, 70
_FIRST_CHARS = 400
# Bare words that mean an error only where they are nearly all that is said.
_BARE_ERROR_WORDS = 2
# Share of a title or heading that error phrases must make up on a page with text of its own.
_SHARE_MISSING, _SHARE_OTHER = 0.35, 0.6
# Words of a page that only sends its visitors on, or waits for a script.
_SHELL_WORDS = 25
# Fewer than so many words may stand beside markup that only a product's own page has, and beside what all pages
# behind it have: there, with no more links than a notice has.
_MARKUP_WORDS, _SHARED_MARKUP_WORDS, _SHARED_MARKUP_LINKS = 200, 40, 3
# Share of a title that says nothing but its error (a challenge always says more on its page), and of one whose error
# is a server's or site's by its own words.
_SHARE_TITLE, _SHARE_NAMED = 0.95, 0.75
# Share of a short page's text that error phrases make up where it says nothing else, and words of a whole sentence,
# or letters where none stand apart.
_SHARE_TEXT, _SENTENCE_WORDS, _SENTENCE_LETTERS = 0.4, 6, 12
# Signs behind a boast of a break-in that are looked at, and words of the longest page that boasts.
_BOAST_CHARS, _RANT_WORDS = 80, 250
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


def find_error(page: PageView) -> Finding[ErrorKind] | None:
    """The kind of error page this is, or None."""
    data = error_phrases()
    return _by_markup(page, data) or _by_phrases(page, data) or _wall(page, data)


def _by_markup(page: PageView, data: ErrorPhrases) -> Finding[ErrorKind] | None:
    marks = data.marks(page.parts) if page.words < _MARKUP_WORDS else []
    if not marks:
        return None
    untitled = page.words < _SHARED_MARKUP_WORDS and _says_nothing(page, data)
    mark = next((mark for mark in marks if mark.alone or untitled), None)
    if mark is None:
        return None
    rule = f"error.markup: {mark.product}"
    item = Evidence("error_page", mark.kind, 1, "markup", "", rule, data.version)
    return Finding(mark.kind, (item,))


def _says_nothing(page: PageView, data: ErrorPhrases) -> bool:
    """Whether a page has no title of its own, no description, no contact and hardly a link."""
    parts, title = page.parts, page.parts.title
    own = title and not _NAME.match(title) and _share(title, data.phrases.find(title)) < _SHARE_OTHER
    told = own or "description" in parts.metas or page.contacts
    return not told and len(parts.anchors) < _SHARED_MARKUP_LINKS


def _by_phrases(page: PageView, data: ErrorPhrases) -> Finding[ErrorKind] | None:
    parts, words = page.parts, page.words
    zones: list[tuple[Zone, str]] = []
    if words < TITLE_WORDS:
        zones.append(("title", parts.title))
    if words < HEADING_WORDS:
        zones += [("body", heading) for heading in parts.headings[:3]]
    short = words < SHORT_WORDS
    if short:
        zones.append(("body", parts.text[:_FIRST_CHARS]))
    told = short and _tells_of_servers(page, data)
    for zone, text in zones:
        found = data.phrases.find(text)
        share = _share(text, found)
        for one in found:
            kind, phrase = data.said[one.phrase]
            titled = zone == "title" and share >= _SHARE_TITLE and kind != "challenge"
            named = share >= _SHARE_NAMED and bool(data.talk.find(phrase))
            meant = told or titled or named or not short or _is_sentence(phrase)
            if kind == "defaced":
                meant = _claims(one, text, words) and (told or not _tells_whom_to_reach(page))
            if meant and _means_it(kind, phrase, text, share, words):
                return _finding(kind, phrase, zone, quote(text, one.start, one.end, parts.source), data)
    # A list of files under its server's own title: `example.com - /`.
    match = _LISTING.match(parts.title.strip())
    if match is None or words >= TITLE_WORDS or not parts.anchors:
        return None
    quoted = quote(parts.title, match.start(), match.end(), parts.source)
    return _finding("directory_index", "its title", "title", quoted, data)


def _wall(page: PageView, data: ErrorPhrases) -> Finding[ErrorKind] | None:
    """A notice of cookies to agree to, and nothing else."""
    text, source = page.parts.text, page.parts.source
    other = beside_notice(text) if page.words < NOTICE_WORDS else None
    if other is None or count_words(other) >= OTHER_WORDS or not has_button(source) or page.contacts:
        return None
    return _finding("consent", "a notice of cookies", "body", quote(text, 0, _FIRST_CHARS, source), data)


def _is_sentence(phrase: str) -> bool:
    """Whether a phrase means one thing: it names a status, or is long enough."""
    if _STATUS.search(phrase) or phrase.count(" ") >= _SENTENCE_WORDS - 1:
        return True
    return " " not in phrase and _runs_on(phrase) and len(phrase) >= _SENTENCE_LETTERS


def _runs_on(phrase: str) -> bool:
    """Whether a phrase is in a script that writes no blanks between words."""
    return any(script_of(letter) in _DENSE for letter in phrase)


def _tells_of_servers(page: PageView, data: ErrorPhrases) -> bool:
    """Whether a short page says hardly more than its error, or speaks of servers and sites beside it.

    Two words where it tells how to reach someone: a shop gives its site's address, too.
    """
    parts = page.parts
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
    return len(talk) > _tells_whom_to_reach(page)


def _tells_whom_to_reach(page: PageView) -> bool:
    return bool(page.contacts) or _PHONE.search(page.parts.text) is not None


def _claims(found: PhraseHit, text: str, words: int) -> bool:
    """Whether someone boasts of a break-in: he says so first, asks nothing, and says little more."""
    first = not any(map(str.isalnum, text[: found.start]))
    return first and "?" not in text[found.start :][:_BOAST_CHARS] and words < _RANT_WORDS


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
    if " " not in phrase and not _runs_on(phrase) and len(text.split()) > _BARE_ERROR_WORDS:
        return False
    if words < SHORT_WORDS or kind == "defaced":
        return True
    return share >= (_SHARE_MISSING if kind == "not_found" else _SHARE_OTHER)


def _finding(kind: ErrorKind, phrase: str, zone: Zone, quoted: str, data: ErrorPhrases) -> Finding[ErrorKind]:
    item = Evidence("error_page", kind, 1, zone, quoted, f"error.{kind}: {phrase}", data.version)
    return Finding(kind, (item,))


Words = Mapping[str, list[str]]

MOVED_WORDS, MOVED_LINKS = 40, 3
SHOP_WORDS, SOON_WORDS, LAUNCH_WORDS, SOON_LINKS = 90, 60, 12, 12
DEFAULT_WORDS = 300

# A number in a street, and none of seconds: "You will be taken there in 5 seconds".
_SAYS = pattern_words("notices")
_HOUSE = re.compile(rf"\d(?!\d{{0,3}}\W{{0,2}}(?:{_SAYS['seconds']}))")
_HOST = re.compile(r"\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,2}\.[a-z]{2,12}\b", re.IGNORECASE)
_COUNTDOWN = re.compile(
    rf"\d{{1,4}}\s?(?:{_SAYS['days']})\W{{1,4}}\d{{1,2}}\s?(?:{_SAYS['hours']})\W{{1,4}}\d{{1,2}}\s?(?:{_SAYS['minutes']})",
    re.IGNORECASE,
)
# A launch with its year. An opening with its day is an exhibition's.
_LAUNCH = re.compile(
    rf"\b(?:{_SAYS['launch']})(?:[\W_]{{1,3}}[^\W\d_]{{1,10}}){{0,3}}[\W_]{{0,3}}(?:19|20)\d\d(?!\d)",
    re.IGNORECASE,
)
# A maker's name before it and nothing else; "Setting the default page" is a lesson.
_DEFAULT = re.compile(
    r"^(?!(?:the|a|set|change|edit|reset|new|your|my|no|custom)\b|\w+ing\b)[\w.&'-]{2,30} default (?:web )?page$",
    re.IGNORECASE,
)


class StubTable(TypedDict):
    """The words of stubs, by their meaning and by language."""

    moved: Words
    left: Words
    web: Words
    shop: Words
    no_goods: Words
    notify: Words


@dataclass(frozen=True, slots=True)
class Stub:
    """A stub's kind, the name of its rule, and the words that say so."""

    kind: ParkedKind
    rule: str
    zone: Zone
    text: str
    start: int
    end: int


class StubPhrases:
    """The words of stubs in searchable form."""

    def __init__(self, table: StubTable) -> None:
        self.moved = Phrases(_all(table["moved"]))
        self.left = Phrases(_all(table["left"]))
        self.web = Phrases(_all(table["web"]))
        self.no_goods = Phrases(_all(table["no_goods"]))
        self.notify = Phrases(_all(table["notify"]))
        self.shops = frozenset(_plain(name) for name in _all(table["shop"]))


def _all(words: Words) -> Iterator[str]:
    for listed in words.values():
        yield from listed


def _plain(name: str) -> str:
    return squeeze(fold(name))


def find_stub(page: PageView, data: StubPhrases) -> Stub | None:
    """The stub that a page is, or None."""
    parts, words = page.parts, page.words
    return (
        _moved(page, data)
        or _empty_shop(parts, words, data)
        or _launch(page, data)
        or _default_page(parts, words)
    )


def _moved(page: PageView, data: StubPhrases) -> Stub | None:
    parts = page.parts
    if page.words >= MOVED_WORDS or len(parts.anchors) > MOVED_LINKS:
        return None
    zones = _zones(parts)
    said = _first(zones, data.moved)
    if said is None and _of_sites(parts, data):
        said = _first(zones, data.left)
    if said is None or page.contacts or _sends_on(parts):
        return None
    return Stub("hosting_placeholder", "moved", *said)


def _of_sites(parts: Parts, data: StubPhrases) -> bool:
    """Whether who has moved is a site: a word of sites or a host's name, and no number of a house."""
    named = _HOST.search(parts.text) is not None or bool(data.web.find(f"{parts.title} \n {parts.text}"))
    return named and bool(parts.anchors or _HOST.search(parts.text)) and not _HOUSE.search(parts.text)


def _sends_on(parts: Parts) -> bool:
    """Whether a page shows another by itself."""
    scripted = "location" in parts.source and script_refresh(scripts_of(parts.source)) is not None
    return parts.refresh is not None or bool(parts.frames) or scripted


def _empty_shop(parts: Parts, words: int, data: StubPhrases) -> Stub | None:
    named = any(_plain(text) in data.shops for text in (parts.title, *parts.headings[:2]))
    said = _first(_zones(parts)[-1:], data.no_goods) if named and words < SHOP_WORDS else None
    return Stub("hosting_placeholder", "empty_shop", *said) if said else None


def _launch(page: PageView, data: StubPhrases) -> Stub | None:
    parts, words = page.parts, page.words
    if words >= SOON_WORDS or len(parts.anchors) > SOON_LINKS:
        return None
    counted = _COUNTDOWN.search(parts.text)
    said: tuple[Zone, str, int, int] | None = None
    if counted and _first(_zones(parts), data.notify):
        said = ("body", parts.text, counted.start(), counted.end())
    elif words < LAUNCH_WORDS:
        heads = ((zone, text, _LAUNCH.search(text)) for zone, text in _zones(parts)[:-1])
        said = next(((zone, text, *match.span()) for zone, text, match in heads if match), None)
    return Stub("coming_soon", "launch", *said) if said and not page.contacts else None


def _default_page(parts: Parts, words: int) -> Stub | None:
    title = parts.title.strip()
    if words >= DEFAULT_WORDS or parts.article or not _DEFAULT.match(title):
        return None
    return Stub("hosting_placeholder", "default_page", "title", parts.title, 0, len(parts.title))


def _zones(parts: Parts) -> list[tuple[Zone, str]]:
    """Title, headings and, last, the whole text."""
    return [
        ("title", parts.title),
        *(("body", heading) for heading in parts.headings[:3]),
        ("body", parts.text),
    ]


def _first(zones: list[tuple[Zone, str]], phrases: Phrases) -> tuple[Zone, str, int, int] | None:
    """The first phrase heard, with its zone and place."""
    heard = ((zone, text, found) for zone, text in zones for found in phrases.find(text)[:1])
    return next(((zone, text, found.start, found.end) for zone, text, found in heard), None)
