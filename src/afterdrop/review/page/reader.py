"""One archived page read: bytes in, a PageReading out. Never raises, whatever the bytes.

Pure. A page is parsed once (`view.py`), every rule is asked once (`signs.py`), then the page model, and one list says
who overrules whom (`judge.py`).
"""

from __future__ import annotations

from afterdrop.review.page.charset import decode
from afterdrop.review.page.identity import accounts, brand_tokens
from afterdrop.review.page.judge import judge
from afterdrop.review.page.links import outlink_domains
from afterdrop.review.page.reading import FEW_WORDS, PageReading
from afterdrop.review.page.signs import read_signs
from afterdrop.review.page.topics import find_topic
from afterdrop.review.page.unseen import why_unseen
from afterdrop.review.page.view import EMPTY, PageView, no_page, view_page
from afterdrop.review.spam.page_model import PageModel, features, page_model

STORED_CHARS = 100_000


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
    signs = read_signs(view)
    answer = (model or page_model()).asked(features(view, signs))
    judged = judge(view, signs, answer)
    return PageReading(
        verdict=judged.verdict,
        category=judged.category,
        parked_kind=judged.parked_kind,
        provider=judged.provider,
        error_kind=judged.error_kind,
        language=view.spoken.language,
        language_sure=view.spoken.sure,
        title=parts.title or None,
        description=parts.metas.get("description") or parts.metas.get("og:description"),
        text=parts.text[:STORED_CHARS],
        words=view.words,
        topic=find_topic(parts, view.spoken.language) if judged.verdict in {"clean", "suspect"} else None,
        links=view.links,
        outlink_domains=outlink_domains(view.links),
        brand_tokens=brand_tokens(parts),
        contacts=view.contacts,
        accounts=accounts(parts, view.marks),
        evidence=judged.evidence,
        notes=view.notes + _odd(view),
        size=view.decoded.size,
        charset=view.decoded.charset,
        html_lang=parts.html_lang,
        hreflangs=parts.hreflangs,
        refresh_url=view.refresh.url if view.refresh else None,
        refresh_after=view.refresh.seconds if view.refresh else 0,
        frame_urls=() if view.refresh and view.refresh.url == parts.mask else parts.frames,
        spam_chance=answer.spam,
        publisher_phrases=len(signs.words.publisher_phrases),
        unseen=why_unseen(view, shell=signs.shell),
    )


def _odd(view: PageView) -> tuple[str, ...]:
    notes = []
    if view.parts.frames and view.words < FEW_WORDS:
        notes.append(f"the page is frames only: {', '.join(view.parts.frames[:3])}"[:300])
    if view.refresh and view.words < FEW_WORDS:
        after = f" after {view.refresh.seconds} s" if view.refresh.seconds else ""
        notes.append(f"the page sends visitors on{after} to {view.refresh.url}"[:300])
    return tuple(notes)
