"""The page at a name after its end: the site that was there, another one, a lander, an offer, spam, or nothing.

Pure. A page that was read today is held against a page of the last owner's, by what one owner keeps
(`same_owner.points`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urljoin, urlsplit

from afterdrop.core.domain_names import registrable_domain
from afterdrop.core.errors import BadName
from afterdrop.core.safe_text import one_line
from afterdrop.review.history.clones import sold_links
from afterdrop.review.history.findings import CATEGORY_WORDS, quoted
from afterdrop.review.history.likeness import MUCH, likeness
from afterdrop.review.history.same_owner import CLEARLY_ONE, points, traits
from afterdrop.review.history.samples import name_words
from afterdrop.review.page.reader import read_page
from afterdrop.review.page.text import QUOTE_CHARS, shortened
from afterdrop.review.page.values import FEW_WORDS, PageReading

# `same`: the site that was there before. `nothing`: no server, no page or an empty one. `unclear`: nobody can tell.
AfterLifeKind = Literal["same", "other", "parked", "for_sale", "redirected", "spam", "nothing", "unclear"]

_QUOTES: Final = 3
_TITLE_CHARS: Final = 200
# A page says what a name costs with a sign or a code before the figure, or after it.
_FIGURE = (
    r"(?:\d{1,3}(?:[., ’']\d{3}){1,2}(?:[.,]\d{2})?+|\d{1,3}+(?:[.,]\d{1,2})?+\s?(?:[kKmM]|million)\b"
    r"|\d{2,9}+(?:[.,]\d{2})?+)(?![.,]?\d|\s?(?:[kKmM]|million)\b)"
)
_CODE = r"\b(?:USD|EUR|GBP|CHF|JPY|AUD|CAD|NZD|BRL|INR|PLN|SEK)\b"
# A rent is no price of the name, nor is what a market says of its sales.
_OTHER = (
    r"(?!\+?\s?(?i:(?:/|per\b|an?\b|pro\b|par\b|al\b|por\b|je\b)\s?(?:mo|mth|month|mois|monat|m[eê]s|mese|maand|year|yr"
    r"|an|a[nñ]o|anno|jahr|jaar|week|woche|semaine|day|tag)\b|(?:monthly|yearly|annually|monatlich|mensual)"
    r"|(?:in|of|worth)\s(?:\w++\s){0,2}(?:sales|revenue|transactions|deals|volume|domains)\b))"
)
_PRICE: Final = re.compile(
    rf"(?:(?:(?<![A-Za-z])[A-Z]{{1,2}})?[$€£¥]|{_CODE})\s?{_FIGURE}{_OTHER}"
    rf"|(?<![\d.,]){_FIGURE}\s?(?:[$€£¥]|{_CODE})(?!\s?\d){_OTHER}"
)
_NOTHING: Final = {
    "not_found": "the server has no page there",
    "empty": "the page is empty",
    "directory_index": "a list of files stands there",
    "suspended": "the hosting account is suspended",
}
_SOLD: Final = "links are sold on the page of the site before"
_UNCLEAR: Final = {
    "challenge": "only browsers are let in",
    "blocked": "we are not let in",
    "consent": "it asks for cookies to be accepted first",
    "server_error": "the server is in trouble",
    "not_html": "it is no web page",
}


@dataclass(frozen=True, slots=True)
class AfterLife:
    """The page at a name on the day of a visit.

    `category` is the trade of spam. `price` is as the page says it, for one that is for sale. `to` is the other domain
    that visitors are sent to. `quotes` are the page's own words, `note` says why where the kind alone does not.
    """

    kind: AfterLifeKind
    title: str | None = None
    category: str | None = None
    quotes: tuple[str, ...] = ()
    price: str | None = None
    to: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class VisitedPage:
    """An answer to a visit: where it stands after redirects, its status, its body, and two of its headers."""

    url: str
    status: int
    body: bytes
    content_type: str | None = None
    refresh: str | None = None


@dataclass(frozen=True, slots=True)
class FormerPage:
    """An archived page of the last owner's site."""

    url: str
    body: bytes
    content_type: str | None = None


def was_site(domain: str, former: FormerPage) -> bool:
    """Whether an archived page is a site's own, and no lander, error or spam."""
    return _read(domain, former).verdict in ("clean", "suspect")


def after_life(domain: str, visited: VisitedPage, former: FormerPage | None) -> AfterLife:
    """The after-life of `domain` by the page that was read there; `former` None: of the site before, nothing is known.

    Never raises, whatever the bytes.
    """
    page = read_page(
        visited.body,
        url=visited.url,
        content_type=visited.content_type,
        site=domain,
        refresh=visited.refresh,
    )
    # The other domain that visitors of a name are sent to, by the server or by the page.
    onward = page.refresh_url if page.refresh_url and page.words < FEW_WORDS else ""
    to = other_domain(domain, visited.url) or other_domain(domain, _joined(visited.url, onward))
    title = one_line(page.title, _TITLE_CHARS) if page.title else None
    quotes = _distinct([one_line(quoted(page, item)) for item in page.evidence], title or "")
    if page.verdict == "spam":
        trade = CATEGORY_WORDS.get(page.category or "", page.category)
        return AfterLife("spam", title, trade, quotes, to=to)
    if page.verdict == "parked":
        if page.parked_kind == "for_sale":
            return AfterLife("for_sale", title, quotes=quotes, price=_price(page.text), to=to)
        return AfterLife("parked", title, quotes=quotes, to=to, note=page.provider or "")
    if to is not None:
        return AfterLife("redirected", title, to=to)
    if page.unseen and visited.status < 400:
        return AfterLife("unclear", title, note=page.unseen)
    if visited.status >= 400 or page.verdict == "error":
        status = visited.status
        kind = page.error_kind
        if kind == "defaced":
            return AfterLife("spam", title, "defaced", note="the page was defaced")
        if status in (404, 410) or (status < 400 and kind in _NOTHING):
            return AfterLife("nothing", title, note=_NOTHING.get(kind or "", _NOTHING["not_found"]))
        if status >= 400:
            return AfterLife("unclear", title, note=f"the server answers with status {status}")
        return AfterLife("unclear", title, note=_UNCLEAR.get(kind or "", "the page could not be read"))
    return _whose(domain, page, former, title)


def _distinct(quotes: Iterable[str], title: str) -> tuple[str, ...]:
    """The first few of the quotes, without those that the title or a longer quote has, too."""
    kept: list[str] = []
    for quote in quotes:
        words = quote.rstrip("…")
        if words and not any(words in other for other in (title, *kept)):
            kept = [other for other in kept if other.rstrip("…") not in quote]
            kept.append(quote)
    return tuple(kept[:_QUOTES])


def _whose(domain: str, page: PageReading, former: FormerPage | None, title: str | None) -> AfterLife:
    if page.words < FEW_WORDS and not (page.contacts or page.accounts):
        return AfterLife("unclear", title, note="the page says too little")
    if former is None:
        return AfterLife("other", title, note="of the site before, nothing is known")
    before = _read(domain, former)
    inherited = name_words(domain)
    ours, theirs = traits(page, inherited), traits(before, inherited)
    if theirs.silent:
        return AfterLife("unclear", title, note="of the site before, too little is known")
    if sold := sold_links(before, page):
        trade = next(iter(sold.values()))
        quotes = _distinct([one_line(shortened(words, QUOTE_CHARS)) for words in sold], title or "")
        return AfterLife("spam", title, CATEGORY_WORDS.get(trade, trade), quotes, note=_SOLD)
    alike = likeness(page.text, before.text)
    if points(ours, theirs) > CLEARLY_ONE or (alike is not None and alike >= MUCH):
        return AfterLife("same", title)
    return AfterLife("other", title)


def _read(domain: str, former: FormerPage) -> PageReading:
    return read_page(former.body, url=former.url, content_type=former.content_type, site=domain)


def other_domain(domain: str, url: str) -> str | None:
    """The registrable domain of an address of the web, where that is another one."""
    try:
        parts = urlsplit(url)
        site = registrable_domain(parts.hostname or "")
    except (BadName, ValueError):
        return None
    return site if parts.scheme in ("http", "https") and site != domain else None


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return base


def _price(text: str) -> str | None:
    match = _PRICE.search(text)
    return one_line(match[0]) if match else None
