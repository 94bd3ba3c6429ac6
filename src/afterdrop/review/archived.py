"""Traces an archive leaves in a replayed page: toolbar, scripts, rewritten links. All are undone.

Pure. Forms of the Wayback Machine and of pywb; a page fetched with `id_` has none of them.
"""

from __future__ import annotations

import re

_BLOCKS = (
    re.compile(r"<!-- BEGIN WAYBACK TOOLBAR INSERT -->.*?<!-- END WAYBACK TOOLBAR INSERT -->", re.DOTALL),
    re.compile(
        r"<script[^>]{0,200}(?:archive\.org/includes|/_static/js/|/static/js/)[^>]{0,200}>.{0,4000}?"
        r"<!-- End Wayback Rewrite JS Include -->",
        re.DOTALL,
    ),
    re.compile(r"<!-- BEGIN PYWB.{0,200}? -->.*?<!-- END PYWB.{0,200}? -->", re.DOTALL),
    re.compile(r"<!-- WB Insert -->.*?<!-- End WB Insert -->", re.DOTALL),
    re.compile(r"<!--\s*FILE ARCHIVED ON.*?-->", re.DOTALL),
    re.compile(r"<!--\s*playback timings.*?-->", re.DOTALL),
)
_REWRITTEN = re.compile(
    r"(?:https?:)?(?://[\w.:-]{1,100})?/(?:web|[\w-]{1,40})/\d{4,14}(?:[a-z]{2}_|\*)?/"
    r"(?=(?:https?:)?//|https?:|mailto:|javascript:|ftp:)"
)
_REWRITTEN_BARE = re.compile(r"(?:https?:)?//web\.archive\.org/web/\d{4,14}(?:[a-z]{2}_|\*)?/")


def without_archive(source: str) -> str:
    """Page source as the site served it, as far as the archive's changes can be told."""
    if "archive.org" not in source and "wombat" not in source and "/web/" not in source:
        return source
    for block in _BLOCKS:
        source = block.sub("", source)
    return _REWRITTEN_BARE.sub("", _REWRITTEN.sub("", source))


def original_url(url: str) -> str:
    """The archived address inside a replay address; any other address as it is.

    >>> original_url("https://web.archive.org/web/20150301id_/http://example.com/a")
    'http://example.com/a'
    """
    return _REWRITTEN_BARE.sub("", _REWRITTEN.sub("", url, count=1), count=1)
