"""Marks that stand in a page's source, whatever its language: one search finds all of them and counts each.

Pure.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from ahocorasick_rs import BytesAhoCorasick

from afterdrop.review.page.archive_traces import TRACES

# In small letters.
_MARKS = {
    "archive": TRACES,
    "sponsored": ("nofollow", "sponsored"),
    "countdown": ("countdown", "count-down", "data-deadline"),
    "struck": ("<s>", "<del", "<strike", "line-through"),
    "button": ("<button", "btn"),
    "star": ("★", "☆", "⭐", "rating"),
    "quoted": ("<blockquote", "testimonial", "comment"),
    "picture": ("<img",),
    "bold": ("<b>", "<strong"),
    "organisation": (
        'organization"', 'business"', '"person"', '"corporation"', "<address", "vcard", "postaladdress",
        "schema.org/person",
    ),
    "article": ("datepublished", "article:published", "blogposting", "newsarticle"),
    "product": ('"product"', '"offer"', "aggregateoffer", "schema.org/product", "schema.org/offer", "pricecurrency"),
    "feed": ("application/rss+xml", "application/atom+xml"),
    "measured": ("google-analytics", "googletagmanager", "matomo", "piwik"),
    "google property": ("ua-",),
    "google tag": ("gtm-",),
    "google publisher": ("ca-pub-",),
    "statcounter": ("sc_project",),
    "yandex": ("mc.yandex",),
    "mail field": ('type="email', "type='email", "type=email"),
    "password field": ('type="password', "type='password", "type=password"),
    "script": ("<script",),
    "packed": ("eval(", "unescape(", "atob(", "fromcharcode", "_0x", "\\x2"),
    "writes": ("document.write", "window.location", "location.href", "location.replace"),
}  # fmt: skip
# Those of services that count visitors.
MEASURED = ("measured", "google property", "yandex")


@lru_cache(maxsize=1)
def _search() -> tuple[BytesAhoCorasick, tuple[str, ...]]:
    """The search for all marks, and the name that each pattern belongs to."""
    pairs = [(mark.encode(), name) for name, marks in _MARKS.items() for mark in marks]
    return BytesAhoCorasick([mark for mark, _ in pairs]), tuple(name for _, name in pairs)


def marks_of(source: str) -> Counter[str]:
    """How often marks of each name stand in a source.

    Searched as bytes, whose small letters are made in no time.
    """
    search, names = _search()
    found = search.find_matches_as_indexes(source.encode("utf-8", "replace").lower())
    return Counter([names[number] for number, _, _ in found])
