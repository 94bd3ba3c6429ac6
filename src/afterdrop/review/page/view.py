"""One archived page made ready for the rules: bytes in, its parts, words, language and links out.

Pure. Every rule looks at the same view, so that a page is parsed once and its text is made once.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby, islice

from afterdrop.review.page.archive_traces import original_url, without_archive
from afterdrop.review.page.charset import Decoded
from afterdrop.review.page.consent import NOTICE_WORDS, OTHER_WORDS, beside_notice
from afterdrop.review.page.identity import contacts
from afterdrop.review.page.language import Spoken, detect_language
from afterdrop.review.page.links import out_links, site_of
from afterdrop.review.page.marks import marks_of
from afterdrop.review.page.markup import Parts, domain_of, parse, scripts_of
from afterdrop.review.page.nesting import tame
from afterdrop.review.page.reading import FEW_WORDS, OutLink
from afterdrop.review.page.refresh import Refresh, parse_refresh, script_refresh
from afterdrop.review.page.scripts import count_words, unspaced_letters

MAIN_LETTERS = 200
DETECTORS, FEW_LETTERS = 3, 400
# Paragraphs of so many letters say in which language a list of names stands.
NAMED_LETTERS = 40
_JOINING = 2
_BINARY = (
    (b"%PDF", "a PDF"), (b"\x89PNG", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a zip archive"), (b"RIFF", "a media file"), (b"\x00\x00\x01\x00", "an icon"),
    (b"\x7fELF", "a program"), (b"MZ", "a program"), (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"CWS", "a Flash film"), (b"FWS", "a Flash film"), (b"Rar!", "a rar archive"), (b"ID3", "a sound file"),
)  # fmt: skip


_CONTROL = re.compile(r"[^ -\ufffc\ufffe-\U0010ffff\t\n\r\f\x1b]")


@dataclass(frozen=True, slots=True)
class PageView:
    """What the rules look at. Evidence is quoted from the decoded text.

    `site` is the page's own registrable domain where it is told or shows, `told` only where it is told. `words` counts
    the visible words. `notes` name what was odd, `contacts` are the mail domains and telephone numbers it gives,
    `marks` how often marks of each name stand in its source.
    """

    url: str
    decoded: Decoded
    parts: Parts
    words: int
    spoken: Spoken
    site: str | None
    told: str | None
    links: tuple[OutLink, ...]
    notes: tuple[str, ...]
    contacts: frozenset[str]
    marks: Counter[str]
    refresh: Refresh | None = None


def view_page(decoded: Decoded, url: str, site: str | None = None, refresh: str | None = None) -> PageView:
    """The view of a decoded page. `url` is its address ("" when unknown), `site` its registrable domain.

    `refresh` is the answer's `Refresh` header, which counts before the page's own.
    """
    marks = marks_of(decoded.text)
    served = decoded.text
    if "archive" in marks:
        served = without_archive(served)
        marks = marks_of(served)
    source, nested = tame(served)
    parts = parse(source)
    own = site_of(parts, url, site)
    # The same for a text with single blanks, which is not taken apart for it.
    text = parts.text
    words = text.rstrip().count(" ") + bool(text) + unspaced_letters(text) // 2
    return PageView(
        url=url,
        decoded=decoded,
        parts=parts,
        words=words,
        spoken=_beside_notice(parts, words) or page_language(parts),
        site=own,
        # A lander's links would name the provider as its site: only an address told may say that it is the provider.
        told=site or domain_of(original_url(url)),
        links=out_links(parts, own),
        notes=decoded.notes + nested,
        contacts=contacts(parts),
        marks=marks,
        refresh=parse_refresh(refresh)
        or parts.refresh
        or (_by_script(source) or _masked(parts, own) if words < FEW_WORDS else None),
    )


def _masked(parts: Parts, site: str | None) -> Refresh | None:
    """A frame that shows another site as the page's own, which sends visitors on without telling them."""
    other = domain_of(parts.mask) if parts.mask else None
    return Refresh(0, parts.mask) if parts.mask and other not in (None, site) else None


def _by_script(source: str) -> Refresh | None:
    return script_refresh(scripts_of(source)) if "location" in source else None


def no_page(body: bytes, decoded: Decoded) -> str | None:
    """Why a body holds no page at all, None where it holds one."""
    if binary := binary_kind(body, decoded.text):
        return f"the body is {binary}, not a page"
    return EMPTY if not decoded.text or decoded.text.isspace() else None


EMPTY = "the body is empty"


def binary_kind(body: bytes, text: str) -> str | None:
    """What a body is when it is no text: a known file format, or bytes full of control characters."""
    for magic, name in _BINARY:
        if body.startswith(magic):
            return name
    head = text[:4000]
    return "binary" if len(_CONTROL.findall(head)) * 8 > len(head) else None


def _beside_notice(parts: Parts, words: int) -> Spoken | None:
    """The language of what a page says beside a notice that has most of its words."""
    other = beside_notice(parts.text) if words < NOTICE_WORDS else None
    own = count_words(other or "")
    return detect_language(other) if other and OTHER_WORDS <= own < words / 2 else None


def page_language(parts: Parts) -> Spoken:
    """The language of main text where there is enough, else of all text, else with title and description.

    Quotations, examples and lists of places can fill the paragraphs of a page in another language: where the page
    declares another one, or the detectors are at odds, all of its text is asked, too.
    """
    if not _has_letters(parts.main):
        if _has_letters(parts.text):
            return _beside_names(parts, detect_language(parts.text))
        return detect_language(f"{parts.title}. {parts.metas.get('description', '')} {parts.text}")
    main = detect_language(parts.main)
    if main.agreed == DETECTORS and parts.html_lang in {None, main.language} and main.letters >= FEW_LETTERS:
        return main
    whole = detect_language(parts.text)
    declared = whole.language == parts.html_lang and whole.agreed >= DETECTORS - 1
    outweighs = main.agreed < DETECTORS or whole.letters * 2 > main.letters * 3
    few = main.letters < FEW_LETTERS and whole.agreed == DETECTORS and whole.letters > 3 * main.letters
    if (declared and outweighs) or few:
        return whole
    return whole if main.agreed < DETECTORS - 1 and whole.agreed == DETECTORS else main


def _beside_names(parts: Parts, whole: Spoken) -> Spoken:
    """The language of few paragraphs, where the rest is names: a list of Dutch towns makes no Dutch page."""
    if sum(map(str.isalpha, parts.main[:MAIN_LETTERS])) < NAMED_LETTERS:
        return whole
    main = detect_language(parts.main)
    if main.agreed < DETECTORS or main.language == whole.language:
        return whole
    # A text without capitalised words and the one or two small ones that join them, as in "Capelle aan den
    # IJssel".
    runs = [list(run) for small, run in groupby(parts.text.split(), lambda word: word[:1].islower()) if small]
    plain = detect_language(" ".join(word for run in runs if len(run) > _JOINING for word in run))
    return plain if plain.language == main.language else whole


def _has_letters(text: str) -> bool:
    """Whether a text has MAIN_LETTERS letters; most of a long one is not looked at."""
    return sum(1 for _ in islice(filter(str.isalpha, text), MAIN_LETTERS)) == MAIN_LETTERS
