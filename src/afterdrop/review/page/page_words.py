"""The words of one page that rules look at: which of its text are lists of links, and the lexicon's phrases by trade.

Pure. Made once a page; the rules and the second opinion both read it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from afterdrop.review.page.archive_traces import original_url
from afterdrop.review.page.reading import Category
from afterdrop.review.page.view import PageView
from afterdrop.review.spam.lexicon import lexicon
from afterdrop.review.spam.link_lists import Span, link_lists
from afterdrop.review.spam.tally import Tally, Zoned, tally

_HEADINGS = 4
LEAST_CHARS = 400
# Names that only public bodies, schools and hospitals get: who cites them reports, and sellers do not.
_OFFICIAL = re.compile(
    r"\.(?:gov|edu|mil|int)$|\.(?:gov|edu|ac|gob|gouv|govt|go|nhs|police|mil)\.[a-z]{2}$|\.gc\.ca$|^(?:europa\.eu|admin\.ch"
    r"|bund\.de|who\.int|overheid\.nl)$"
)


@dataclass(frozen=True, slots=True)
class PageWords:
    """`lists` are spans of the page's text, `tallies` its phrases by trade.

    `publisher_phrases` say who stands behind the page; the names of public bodies that it links to are among them.
    """

    lists: tuple[Span, ...]
    tallies: Mapping[Category, Tally]
    publisher_phrases: frozenset[str]


def page_words(view: PageView) -> PageWords:
    """Search one page for the lexicon's phrases."""
    parts = view.parts
    lists = link_lists(parts.text, parts.anchors)
    if len(parts.text) - sum(end - start for start, end in lists) < LEAST_CHARS:
        lists = ()  # a page of links alone has no text for them to stand beside
    pieces = [
        Zoned("title", parts.title),
        Zoned("meta", parts.metas.get("description", "")),
        Zoned("meta", parts.metas.get("keywords", "")),
        *(Zoned("meta", heading) for heading in parts.headings[:_HEADINGS]),
        Zoned("body", parts.text, lists),
        Zoned("url", _path(view.url)),
    ]
    counted = tally(pieces, view.spoken.language, lexicon())
    official = {
        link.target_domain for link in view.links if link.external and _OFFICIAL.search(link.target_domain)
    }
    return PageWords(lists, counted.trades, counted.publisher_phrases | official)


def _path(url: str) -> str:
    try:
        split = urlsplit(original_url(url))
    except ValueError:
        return ""
    return re.sub(r"[-_/+.=&]+", " ", unquote(f"{split.path} {split.query}"))[:500]
