"""One archived page read: bytes in, a PageReading out. Never raises, whatever the bytes.

Pure. Order of verdicts: a provider's parking markup, spam, error page, parked by its words, suspect, clean. A
lander may list casino searches and is still a lander; a 404 with one odd link is still a 404.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from afterdrop.review.page.archive_traces import original_url, without_archive
from afterdrop.review.page.charset import Decoded, decode
from afterdrop.review.page.error_pages import ErrorFinding, error_phrases, find_error
from afterdrop.review.page.identity import brand_tokens, contacts
from afterdrop.review.page.language import Spoken, detect_language
from afterdrop.review.page.links import out_links, outlink_domains, site_of
from afterdrop.review.page.markup import Parts, domain_of, parse
from afterdrop.review.page.nesting import tame
from afterdrop.review.page.reading import Category, Evidence, OutLink, PageReading, Verdict
from afterdrop.review.page.scripts import UNSPACED, script_of
from afterdrop.review.page.topics import Nearest, find_topic
from afterdrop.review.parked.page_parked import ParkedFinding, find_parked
from afterdrop.review.parked.providers import fingerprints
from afterdrop.review.spam.injected import InjectedFinding, find_injected
from afterdrop.review.spam.lexicon import lexicon
from afterdrop.review.spam.page_spam import SpamFinding, Zoned, find_spam

STORED_CHARS = 100_000
MAIN_LETTERS = 200
_BINARY = (
    (b"%PDF", "a PDF"), (b"\x89PNG", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a zip archive"), (b"RIFF", "a media file"), (b"\x00\x00\x01\x00", "an icon"),
    (b"\x7fELF", "a program"), (b"MZ", "a program"), (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"CWS", "a Flash film"), (b"FWS", "a Flash film"), (b"Rar!", "a rar archive"), (b"ID3", "a sound file"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Findings:
    parked: ParkedFinding | None
    spam: SpamFinding | None
    injected: InjectedFinding | None
    fault: ErrorFinding | None


def read_page(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    site: str | None = None,
    nearest: Nearest | None = None,
) -> PageReading:
    """Read one page. `url` is its address (replay addresses too, "" when unknown), `site` its registrable domain.

    `nearest` names topics by the optional embedding model. Reads at most 1.5 MB. What is odd (binary, cut gzip,
    frames only, a redirect page) becomes a note.
    """
    decoded = decode(body, content_type)
    if (unreadable := _no_page(body, decoded)) is not None:
        return unreadable
    source, nested = tame(without_archive(decoded.text))
    parts = parse(source)
    own = site_of(parts, url, site)
    words = count_words(parts.text)
    spoken = page_language(parts)
    links = out_links(parts, own)
    # A lander's links would name the provider as its site: only an address told may say that it is the provider.
    told = site or domain_of(original_url(url))
    findings = _find(parts, words, told, spoken, links, url, decoded.text)
    verdict, category, evidence = _decide(findings)
    return PageReading(
        verdict=verdict,
        category=category,
        parked_kind=findings.parked.kind if findings.parked and verdict == "parked" else None,
        provider=findings.parked.provider if findings.parked and verdict == "parked" else None,
        error_kind=findings.fault.kind if findings.fault and verdict == "error" else None,
        language=spoken.language,
        language_sure=spoken.sure,
        title=parts.title or None,
        description=parts.metas.get("description") or parts.metas.get("og:description"),
        text=parts.text[:STORED_CHARS],
        words=words,
        topic=find_topic(parts, spoken.language, nearest) if verdict in {"clean", "suspect"} else None,
        links=links,
        outlink_domains=outlink_domains(links),
        brand_tokens=brand_tokens(parts),
        contacts=contacts(parts),
        evidence=evidence,
        notes=decoded.notes + nested + _odd(parts, words),
        size=decoded.size,
        charset=decoded.charset,
        html_lang=parts.html_lang,
        hreflangs=parts.hreflangs,
        refresh_url=parts.refresh,
        frame_urls=parts.frames,
    )


def _no_page(body: bytes, decoded: Decoded) -> PageReading | None:
    """The reading of a body that holds no page at all."""
    if binary := binary_kind(body, decoded.text):
        return _unreadable(decoded, f"the body is {binary}, not a page", "not_html")
    if not decoded.text.strip():
        return _unreadable(decoded, "the body is empty", "empty")
    return None


def _unreadable(decoded: Decoded, note: str, kind: str) -> PageReading:
    return PageReading(
        verdict="error",
        error_kind="empty" if kind == "empty" else "not_html",
        notes=(*decoded.notes, note),
        size=decoded.size,
        charset=decoded.charset,
    )


def binary_kind(body: bytes, text: str) -> str | None:
    """What a body is when it is no text: a known file format, or bytes full of control characters."""
    for magic, name in _BINARY:
        if body.startswith(magic):
            return name
    head = text[:4000]
    controls = sum(1 for letter in head if (letter < " " and letter not in "\t\n\r\f\x1b") or letter == "�")
    return "binary" if controls * 8 > len(head) else None


def count_words(text: str) -> int:
    """Words of a text; scripts without blanks count one word for two characters."""
    plain = len(text.split())
    dense = sum(1 for letter in text if letter > "ก" and script_of(letter) in UNSPACED)
    return plain + dense // 2


def page_language(parts: Parts) -> Spoken:
    """The language of main text where there is enough, else of all text, else with title and description."""
    if sum(map(str.isalpha, parts.main)) >= MAIN_LETTERS:
        return detect_language(parts.main)
    if sum(map(str.isalpha, parts.text)) >= MAIN_LETTERS:
        return detect_language(parts.text)
    return detect_language(f"{parts.title}. {parts.metas.get('description', '')} {parts.text}")


def _find(
    parts: Parts,
    words: int,
    site: str | None,
    spoken: Spoken,
    links: tuple[OutLink, ...],
    url: str,
    source: str,
) -> _Findings:
    parked = find_parked(parts, words, site, fingerprints())
    pieces = [
        Zoned("title", parts.title),
        Zoned("meta", parts.metas.get("description", "")),
        Zoned("meta", parts.metas.get("keywords", "")),
        *(Zoned("meta", heading) for heading in parts.headings[:4]),
        Zoned("body", parts.text),
        Zoned("url", _path(url)),
    ]
    spam = find_spam(pieces, words, spoken.language, lexicon(), source)
    injected = find_injected(links, parts.hidden, spoken.language, lexicon(), source)
    return _Findings(parked, spam, injected, find_error(parts, words, error_phrases()))


def _path(url: str) -> str:
    try:
        split = urlsplit(original_url(url))
    except ValueError:
        return ""
    return re.sub(r"[-_/+.=&]+", " ", unquote(f"{split.path} {split.query}"))[:500]


def _decide(findings: _Findings) -> tuple[Verdict, Category | None, tuple[Evidence, ...]]:
    parked, spam, injected, fault = findings.parked, findings.spam, findings.injected, findings.fault
    odd = injected.evidence if injected else ()
    if parked and parked.sure:
        return "parked", None, parked.evidence
    if spam and spam.strict:
        return "spam", spam.category, spam.evidence + odd
    if injected and injected.strict:
        return "spam", injected.category, odd + (spam.evidence if spam else ())
    if fault:
        return "error", None, fault.evidence + odd
    if parked:
        return "parked", None, parked.evidence
    if spam or injected:
        category = spam.category if spam else injected.category if injected else None
        return "suspect", category, (spam.evidence if spam else ()) + odd
    return "clean", None, ()


def _odd(parts: Parts, words: int) -> tuple[str, ...]:
    notes = []
    if parts.frames and words < 20:
        notes.append(f"the page is frames only: {', '.join(parts.frames[:3])}"[:300])
    if parts.refresh and words < 20:
        notes.append(f"the page sends visitors on to {parts.refresh}"[:300])
    return tuple(notes)
