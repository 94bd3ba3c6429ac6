"""One archived page read: bytes in, a PageReading out. Never raises, whatever the bytes.

Pure. Order of verdicts: a provider's parking markup, spam, error page, parked by its words, suspect, clean. A
lander may list casino searches and is still a lander; a 404 with one odd link is still a 404.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from afterdrop.review.page.charset import decode
from afterdrop.review.page.error_pages import ErrorFinding, error_phrases, find_error
from afterdrop.review.page.identity import accounts, brand_tokens
from afterdrop.review.page.links import outlink_domains
from afterdrop.review.page.quotes import explains
from afterdrop.review.page.reading import (
    FEW_WORDS,
    Category,
    ErrorKind,
    Evidence,
    PageReading,
    PageVerdict,
    ParkedKind,
)
from afterdrop.review.page.topics import find_topic
from afterdrop.review.page.unseen import is_shell, why_unseen
from afterdrop.review.page.view import EMPTY, PageView, no_page, view_page
from afterdrop.review.parked.page_parked import ParkedFinding, find_parked, fingerprints
from afterdrop.review.spam.acts import acts, find_act
from afterdrop.review.spam.figures import PageSigns
from afterdrop.review.spam.filler import is_filler
from afterdrop.review.spam.injected import InjectedFinding, find_injected
from afterdrop.review.spam.lexicon import lexicon
from afterdrop.review.spam.page_model import Features, PageModel, features, page_model, telling_phrases
from afterdrop.review.spam.page_spam import (
    PUBLISHER,
    QUOTED_FROM,
    REPORTED,
    SpamFinding,
    combined_spam,
    find_repeated_sentences,
    find_spam,
    find_strange_head,
)
from afterdrop.review.spam.page_words import PageWords, page_words

STORED_CHARS = 100_000
# From which chance on a page of so few words is a placeholder though nothing that it says is known; where it tells how
# to reach someone, who may be its owner, or has a form, as a log-in does, from a higher one.
PARKED_FROM, PARKED_THOUGH_NAMED, PLACEHOLDER_WORDS = 0.5, 0.9, 400


# Errors whose words a placeholder says too: "please wait" for the opening, "this page has moved".
_OF_PLACEHOLDERS: frozenset[ErrorKind] = frozenset({"challenge", "empty"})
# Where parked names send their visitors: a host of the name itself, which nobody else calls so.
_PARKING_HOST = re.compile(r"(?:https?:)?//ww\d+\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Findings:
    parked: ParkedFinding | None
    spam: SpamFinding | None
    injected: InjectedFinding | None
    fault: ErrorFinding | None
    chance: float
    publisher_phrases: int


def read_page(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    site: str | None = None,
    refresh: str | None = None,
) -> PageReading:
    """Read one page. `url` is its address (replay addresses too, "" when unknown), `site` its registrable domain.

    `content_type` and `refresh` are the answer's headers of these names. Reads at most 1.5 MB. What is odd (binary, cut
    gzip, frames only, a redirect page) becomes a note.
    """
    decoded = decode(body, content_type)
    if (why := no_page(body, decoded)) is not None:
        return PageReading(
            verdict="error",
            error_kind="empty" if why == EMPTY and (decoded.text or not decoded.size) else "not_html",
            notes=(*decoded.notes, why),
            size=decoded.size,
            charset=decoded.charset,
        )
    return read_view(view_page(decoded, url, site, refresh))


def read_view(view: PageView, model: PageModel | None = None) -> PageReading:
    """Read a page from its view; `model` None: the one that ships."""
    parts = view.parts
    findings = _find(view, model or page_model())
    verdict, category, evidence = _decide(findings)
    return PageReading(
        verdict=verdict,
        category=category,
        parked_kind=findings.parked.kind if findings.parked and verdict == "parked" else None,
        provider=findings.parked.provider if findings.parked and verdict == "parked" else None,
        error_kind=findings.fault.kind if findings.fault and verdict == "error" else None,
        language=view.spoken.language,
        language_sure=view.spoken.sure,
        title=parts.title or None,
        description=parts.metas.get("description") or parts.metas.get("og:description"),
        text=parts.text[:STORED_CHARS],
        words=view.words,
        topic=find_topic(parts, view.spoken.language) if verdict in {"clean", "suspect"} else None,
        links=view.links,
        outlink_domains=outlink_domains(view.links),
        brand_tokens=brand_tokens(parts),
        contacts=view.contacts,
        accounts=accounts(parts, view.marks),
        evidence=_explained(evidence),
        notes=view.notes + _odd(view),
        size=view.decoded.size,
        charset=view.decoded.charset,
        html_lang=parts.html_lang,
        hreflangs=parts.hreflangs,
        refresh_url=view.refresh.url if view.refresh else None,
        refresh_after=view.refresh.seconds if view.refresh else 0,
        frame_urls=() if view.refresh and view.refresh.url == parts.mask else parts.frames,
        spam_chance=findings.chance,
        publisher_phrases=findings.publisher_phrases,
        unseen=why_unseen(view),
    )


def page_features(view: PageView) -> Features:
    """What the page model sees of a page."""
    return _seen(view)[0]


def _seen(view: PageView) -> tuple[Features, PageWords, PageSigns]:
    parts, source = view.parts, view.decoded.text
    words = page_words(view)
    found = PageSigns(
        find_injected(view.links, parts.hidden, view.spoken.language, lexicon(), source),
        find_parked(parts, view.words, view.told, fingerprints()),
        find_error(parts, view.words, error_phrases()),
    )
    return features(view, words, found), words, found


def _find(view: PageView, model: PageModel) -> _Findings:
    parts, source = view.parts, view.decoded.text
    seen, words, found = _seen(view)
    chance, publishers = model.spam.probability(seen), len(words.publisher_phrases)
    listed = find_spam(words.tallies, view.words, lexicon(), source, publishers)
    telling = (
        telling_phrases(model.spam.telling(seen), model.version, source, parts.title or parts.text)
        if chance >= QUOTED_FROM
        else ()
    )
    silent = publishers >= PUBLISHER or is_filler(parts.text)
    teaches = len(words.reports) >= REPORTED
    spam = combined_spam(listed, chance, words.tallies, telling, silent=silent, teaches=teaches)
    spam = spam or find_strange_head(parts, view.told, words.tallies, lexicon(), source)
    if found.planted and found.planted.strict and not (listed and listed.strict):
        spam = None  # what the model saw was put there by others
    spam = find_repeated_sentences(parts.text, source, lexicon().version) or spam
    if not (spam and spam.strict):
        spam = find_act(parts, len(words.reports) + publishers, view.told, acts()) or spam
    parked = found.parked or _parked_by_shape(view, seen, model)
    return _Findings(parked, spam, found.planted, found.fault, chance, publishers)


def _parked_by_shape(view: PageView, seen: Features, model: PageModel) -> ParkedFinding | None:
    """A placeholder in no words that are known: few of them under a title, and shaped as such pages are.

    A page of frames only, or one that sends its visitors on, shows another that is to be read. Of what scripts build
    nothing is known.
    """
    if not view.parts.title or view.words >= PLACEHOLDER_WORDS or _shows_another(view):
        return None
    used = view.parts.forms > 0 or bool(view.contacts)
    if model.parked.probability(seen) < (PARKED_THOUGH_NAMED if used else PARKED_FROM):
        return None
    kind: ParkedKind = "hosting_placeholder"
    if is_shell(view):
        return None
    told = telling_phrases(model.parked.telling(seen), model.version, view.decoded.text, view.parts.title)
    return ParkedFinding(kind, None, False, tuple(replace(item, category=kind) for item in told))


def _explained(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Without quotes too short to explain anything, where there are others."""
    return tuple(item for item in evidence if not item.quote or explains(item.quote)) or evidence


def _decide(findings: _Findings) -> tuple[PageVerdict, Category | None, tuple[Evidence, ...]]:
    parked, spam, injected, fault = findings.parked, findings.spam, findings.injected, findings.fault
    odd = injected.evidence if injected else ()
    if parked and parked.sure:
        return "parked", None, parked.evidence
    if spam and spam.strict:
        return "spam", spam.category, spam.evidence + odd
    if injected and injected.strict:
        return "spam", injected.category, odd + (spam.evidence if spam else ())
    said = parked is not None and any(item.code == "parking_phrase" for item in parked.evidence)
    if fault and not (said and fault.kind in _OF_PLACEHOLDERS):
        return "error", None, fault.evidence + odd
    if parked:
        return "parked", None, parked.evidence
    if spam or injected:
        category = spam.category if spam else injected.category if injected else None
        return "suspect", category, (spam.evidence if spam else ()) + odd
    return "clean", None, ()


def _shows_another(view: PageView) -> bool:
    onward = view.refresh is not None and not _PARKING_HOST.match(view.refresh.url)
    return view.words < FEW_WORDS and (onward or bool(view.parts.frames))


def _odd(view: PageView) -> tuple[str, ...]:
    notes = []
    if view.parts.frames and view.words < FEW_WORDS:
        notes.append(f"the page is frames only: {', '.join(view.parts.frames[:3])}"[:300])
    if view.refresh and view.words < FEW_WORDS:
        after = f" after {view.refresh.seconds} s" if view.refresh.seconds else ""
        notes.append(f"the page sends visitors on{after} to {view.refresh.url}"[:300])
    return tuple(notes)
