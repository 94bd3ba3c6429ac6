"""The main text of a page as Markdown, for people to read; rules read the full text instead.

Pure. trafilatura (fast mode) finds the text of articles best (F1 .962). Where it finds little of a page, as on many
home pages, or where visitors wrote it, the page without its menus stands in. Its import takes most of a second, so it
happens at the first call.
"""

from __future__ import annotations

import re
from itertools import takewhile

from afterdrop.review.page.charset import binary_kind, decode
from afterdrop.review.page.markdown import Element, markdown, one_line
from afterdrop.review.page.source import original_url, tame, without_archive
from afterdrop.review.page.text import count_words
from afterdrop.review.page.text_tree import (
    ARTICLE_WORDS,
    drop_unread,
    lay_out,
    place_of,
    seen_source,
    shelf_words,
    text_of,
    widened,
    without_comments,
    without_menus,
    words_of,
)

MARKDOWN_CHARS = 100_000
LEAST_WORDS = 5
# The place of an extract that has so many more words has other things beside it.
WIDER = 1.5
# The extractor needs far more for a tag than the parser does; honest pages have up to 20,000.
TAGS_MOST = 20_000
_ADDRESS = re.compile(r"\]\((?:<[^<>\n]*>|[^()\s]*)\)")
# What trafilatura raises on hostile markup.
_RAISED = (ValueError, TypeError, AttributeError, RecursionError)


def markdown_of(body: bytes, url: str, content_type: str | None = None) -> tuple[str | None, int]:
    """(Markdown, words) of an archived page's main text; (None, 0) when there is none. Never raises.

    The page's words are text: no front matter, no link but its own to http and https, no HTML. Comments that
    advertise are left out, which the last line says. At most MARKDOWN_CHARS characters.
    """
    decoded = decode(body, content_type)
    if binary_kind(body, decoded.text) or not decoded.text.strip():
        return None, 0
    source, _ = tame(seen_source(tame(without_archive(decoded.text), TAGS_MOST)[0]), TAGS_MOST)
    text, spam = _text(source, original_url(url))
    words = count_words(_ADDRESS.sub("", text))
    if words < LEAST_WORDS:
        return None, 0
    said = (
        f"\n\n*({spam} {'comment' if spam == 1 else 'comments'} with advertising left out.)*" if spam else ""
    )
    return _cut(text, MARKDOWN_CHARS - len(said)) + said, words


def _text(source: str, url: str) -> tuple[str, int]:
    """The Markdown of a page, and how many comments advertised."""
    from trafilatura import load_html  # noqa: PLC0415  # 0.75 s and 50 MB that only this needs

    page: Element = load_html(f"<html>{source}")
    if page is None:
        return "", 0
    body = page if page.find("body") is None else page.find("body")
    title = next((text_of(node) for node in page.iter("title")), "")
    drop_unread(body)
    thread, spam = without_comments(body, f"{url} {title}")
    lay_out(body, thread=thread)
    whole = without_menus(body)
    article = None if thread else _article(page)
    if article is None or _falls_short(article, whole):
        return markdown(whole, url), spam
    # The page's own elements have lines, lists and repetitions that the extract has lost.
    place, words = place_of(article, whole), words_of(article)
    if words_of(place) > WIDER * words and words_of(place) - shelf_words(place) > WIDER * words:
        place = article
    else:
        place = widened(place, whole)
    return "\n\n".join([*_headings(article, place, whole, title), markdown(place, url)]), spam


def _article(page: Element) -> Element | None:
    from trafilatura import bare_extraction  # noqa: PLC0415  # as above

    try:
        found: Element = bare_extraction(
            page,
            output_format="markdown",
            fast=True,
            include_formatting=True,
            include_links=True,
            include_comments=False,
        )
    except _RAISED:
        return None
    return None if found is None else found.body


def _falls_short(article: Element, whole: Element) -> bool:
    """Whether an extract is less than the page's text: little of it, or all of it without its lines.

    Looked at on 140 genuine pages: what is shorter than an article and half the page is a part of a home page. A
    short page has little beside its text.
    """
    flat = len(article) == 1 and "\n" in (article[0].text or "")
    words = words_of(whole)
    return flat or words_of(article) < min(ARTICLE_WORDS, words * (0.8 if words < ARTICLE_WORDS else 0.5))


def _headings(article: Element, place: Element, whole: Element, title: str) -> list[str]:
    """The headings above a text that are not in it: the extract's first ones, or the page's that its title repeats."""
    first = [text_of(node) for node in takewhile(lambda node: node.tag == "head", article)]
    own = (text_of(node) for node in whole.iter("h1", "h2", "h3"))
    above = first or [text for text in own if text and text in title][:1]
    inside = text_of(place)
    missing = [one_line(heading) for heading in above if heading and heading not in inside]
    return [f"{'##' if number else '#'} {heading}" for number, heading in enumerate(missing)]


def _cut(text: str, most: int) -> str:
    """The text's first `most` characters, to the end of a line where there is one."""
    return text if len(text) <= most else (text[:most].rpartition("\n")[0] or text[:most]).rstrip()
