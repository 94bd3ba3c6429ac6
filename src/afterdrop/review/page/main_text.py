"""The main text of a page as Markdown, for people to read; rules read the full text instead.

Pure. trafilatura (fast mode) measured best on articles (F1 .962); where it finds nothing, as on many home pages,
the page's paragraphs stand in. Its import takes most of a second, so it happens at the first call.
"""

from __future__ import annotations

import re

from afterdrop.review.page.archive_traces import original_url, without_archive
from afterdrop.review.page.charset import decode
from afterdrop.review.page.markup import parse
from afterdrop.review.page.nesting import tame
from afterdrop.review.page.reader import binary_kind, count_words

MARKDOWN_CHARS = 100_000
LEAST_WORDS = 5
# The extractor needs far more for a tag than the parser does; honest pages have up to 20,000.
TAGS_MOST = 20_000
_LINK = re.compile(r"\[([^\[\]]{0,500})\]\((<[^<>\n]{0,2000}>|[^()\s]{0,2000})\)")
_WEB = re.compile(r"^https?://", re.IGNORECASE)
_MARK = re.compile(r"[\\`*_\[\]<>&~|]")
# What makes a heading, a list or a rule at the start of a line.
_LINE_MARK = re.compile(r"^[#+=-]|(?<=^\d)[.)]|(?<=^\d\d)[.)]")
_SILENT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


def markdown_of(body: bytes, url: str, content_type: str | None = None) -> tuple[str | None, int]:
    """(Markdown, words) of an archived page's main text; (None, 0) when there is none. Never raises.

    Links keep their address only when it is http or https; raw HTML in the text is left as text. At most
    MARKDOWN_CHARS characters.
    """
    decoded = decode(body, content_type)
    if binary_kind(body, decoded.text) or not decoded.text.strip():
        return None, 0
    source, _ = tame(without_archive(decoded.text), TAGS_MOST)
    text = _extract(source, original_url(url)) or _paragraphs(source)
    plain = _SILENT.sub("", _LINK.sub(_safe_link, text))[:MARKDOWN_CHARS].strip()
    words = count_words(_LINK.sub(r"\1", plain))
    return (plain, words) if words >= LEAST_WORDS else (None, 0)


def _extract(source: str, url: str) -> str:
    import trafilatura  # noqa: PLC0415  # 0.75 s and 50 MB that only this needs

    try:
        text: str | None = trafilatura.extract(
            source,
            url=url or None,
            output_format="markdown",
            fast=True,
            include_links=True,
            include_comments=False,
        )
    except (ValueError, TypeError, AttributeError, RecursionError):  # what hostile markup has made it raise
        return ""
    return text or ""


def _paragraphs(source: str) -> str:
    parts = parse(source)
    head = "\n\n".join(f"## {_escaped(heading)}" for heading in parts.headings[:1])
    return f"{head}\n\n{_escaped(parts.main)}".strip() if parts.main else ""


def _escaped(text: str) -> str:
    """One line of plain text as Markdown that shows just that text."""
    return _LINE_MARK.sub(r"\\\g<0>", _MARK.sub(r"\\\g<0>", text))


def _safe_link(match: re.Match[str]) -> str:
    return match[0] if _WEB.match(match[2].lstrip("<")) else match[1]
