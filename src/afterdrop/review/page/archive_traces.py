"""Traces an archive leaves in a replayed page: toolbar, scripts, rewritten links. All are undone.

Pure. Forms of the Wayback Machine and of pywb; a page fetched with `id_` has none of them.
"""

from __future__ import annotations

import re

# One of these stands in every page that an archive changed.
TRACES = ("archive.org", "wombat", "/web/")
_BLOCKS = (
    ("<!-- BEGIN WAYBACK TOOLBAR INSERT -->", "<!-- END WAYBACK TOOLBAR INSERT -->"),
    ("<!-- BEGIN PYWB", "<!-- END PYWB"),
    ("<!-- WB Insert -->", "<!-- End WB Insert -->"),
    ("<!--\n     FILE ARCHIVED ON", "-->"),
    ("<!--\n     playback timings", "-->"),
)
_SCRIPTS_END = "<!-- End Wayback Rewrite JS Include -->"
_SCRIPTS_CHARS = 6_000
_ARCHIVE_SCRIPT = re.compile(r"<script[^>]{0,200}(?:archive\.org|/_static/)")
_REWRITTEN = re.compile(
    r"(?:https?:)?(?://[\w.:-]{1,100}+)?/[\w-]{1,40}+/\d{4,14}+(?:[a-z]{2}_|\*)?/"
    r"(?=(?:https?:)?//|https?:|mailto:|javascript:|ftp:)"
)
# The middle of it, which is found ten times as fast.
_STAMPED = re.compile(r"/\d{4,14}+(?:[a-z]{2}_|\*)?/(?:(?:https?:)?//|https?:|mailto:|javascript:|ftp:)")
_REWRITTEN_BARE = re.compile(r"(?:https?:)?//web\.archive\.org/web/\d{4,14}(?:[a-z]{2}_|\*)?/")


def without_archive(source: str) -> str:
    """Page source as the site served it, as far as the archive's changes can be told."""
    if not any(trace in source for trace in TRACES):
        return source
    for begin, end in _BLOCKS:
        kept: list[str] = []
        at = 0
        while (start := source.find(begin, at)) >= 0 and (stop := source.find(end, start)) >= 0:
            kept.append(source[at:start])
            at = stop + len(end)
        source = "".join((*kept, source[at:]))
    source = _without_scripts(source)
    if _STAMPED.search(source):
        source = _REWRITTEN.sub("", source)
    return _REWRITTEN_BARE.sub("", source) if "//web.archive.org/web/" in source else source


def original_url(url: str) -> str:
    """The archived address inside a replay address; any other address as it is.

    >>> original_url("https://web.archive.org/web/20150301id_/http://example.com/a")
    'http://example.com/a'
    """
    return _REWRITTEN_BARE.sub("", _REWRITTEN.sub("", url, count=1), count=1)


def _without_scripts(source: str) -> str:
    end = source.find(_SCRIPTS_END)
    if end < 0:
        return source
    near = max(0, end - _SCRIPTS_CHARS)
    first = _ARCHIVE_SCRIPT.search(source, near, end)
    return source[: first.start()] + source[end + len(_SCRIPTS_END) :] if first else source
