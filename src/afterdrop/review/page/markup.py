"""Stage 1, parsing: page source to the parts that rules look at: title, texts, headings, links, frames.

Pure. One parse with lexbor; all sizes bounded. Text the visitor sees and text he does not are kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from afterdrop.core.domain_names import registrable_domain
from afterdrop.core.errors import BadName
from afterdrop.review.page.seen import (
    hidden_by_scripts,
    hidden_nodes,
    marked,
    outermost,
    unmarked,
    with_written,
)
from afterdrop.review.page.source import parse_refresh, without_noscript
from afterdrop.review.page.text import squeeze
from afterdrop.review.page.values import PageLink, Parts, Refresh

TEXT_CHARS = 200_000
HEADING_CHARS = 20_000
# Elements in elements repeat their text: no more of it is looked at, several times that of any whole page.
REPEATED_CHARS = 5_000_000
LINKS_MOST = 3_000
SCRIPT_CHARS = 5_000
SCRIPTS_MOST = 20
# Signs that nobody sees; the joiners of Persian and Indian scripts change how letters look.
_INVISIBLE = re.compile(r"[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
# A set of frames that hides an address has an empty one beside it.
_MASK_FRAMES = 2
_HIDING = re.compile(r"\.style\b|\.hide\(")
# Metas that say what a page is.
_HEADS = (
    "description", "keywords", "og:title", "og:description", "og:site_name", "twitter:title", "twitter:description",
)  # fmt: skip
_TOLD = re.compile(
    r"""(?:["'](?:name|headline|alternateName|description|keywords)["']\s{0,5}:|document\s{0,5}\.\s{0,5}title\s{0,5}=)\s{0,5}
    (?P<quote>["'])(?P<text>[^"'\\]{4,2000}+)(?P=quote)""",
    re.VERBOSE,
)
_SCRIPT = re.compile(r"(?:java|ecma|j)script|module", re.IGNORECASE)
_MEDIA = frozenset(
    {
        "script",
        "style",
        "noframes",
        "noembed",
        "template",
        "svg",
        "option",
        "textarea",
        "head",
        "object",
        "math",
    }
)
_FRAMES = frozenset({"frame", "iframe"})
_UNTOLD = _MEDIA - {"script"}
_ASSETS = _FRAMES | {"script", "img"}
# Each search walks the whole tree: what is looked for in the same tree is looked for together, each element once.
_FIRST = ",".join(("title", "meta", "link", "a[hreflang]", "img[src]", *sorted(_FRAMES | _MEDIA)))
_SECOND = "a[href],area[href],h1,h2,form"
_ARTICLE = "article,[itemtype*=Article],[itemprop=articleBody],[class*=byline],time[datetime]"
_HOST = re.compile(r"^(?:https?:)?//(?:[^/?#@]*@)?([^/?#:\\\s]{1,253})", re.IGNORECASE)
# Elements of SVG and MathML in which HTML begins again (HTML Standard, "HTML integration point").
_HTML_AGAIN = frozenset({"foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"})


@lru_cache(maxsize=4096)
def domain_of_host(host: str) -> str | None:
    """The registrable domain of a host name, None for addresses and what is no public name."""
    try:
        return registrable_domain(unquote(host))
    except BadName:
        return None


def domain_of(url: str) -> str | None:
    """The registrable domain of an absolute URL, None for relative ones and other schemes."""
    match = _HOST.match(url.strip())
    return domain_of_host(match[1].lower()) if match else None


def parse(source: str) -> Parts:
    """All parts of a page's source; an empty source gives empty parts."""
    tree = LexborHTMLParser(marked(with_written(source)))
    first = [_element(node) for node in tree.css(_FIRST)]
    metas = _metas(one.attributes for one in first if one.tag == "meta")
    links = {one.value("rel"): one.value("href") for one in first if one.tag == "link" and one.has("rel")}
    sources = [(one.tag, one.value("src")) for one in first if one.tag in _ASSETS and one.has("src")]
    title = next(filter(None, _titles(first)), "")
    sheet = "\n".join(one.node.text() or "" for one in first if one.tag == "style")
    scripts = [one.node.text() or "" for one in first if one.tag == "script" and not one.has("src")]
    if _HIDING.search(source):
        sheet += hidden_by_scripts("\n".join(scripts))
    html_lang = _html_lang(tree.root, metas)
    article = metas.get("og:type", "").lower() == "article" or bool(tree.css_first(_ARTICLE))
    for node in outermost([one.node for one in first if one.tag in _MEDIA]):
        node.decompose()
    # From here on nodes are kept in lists: nothing may be freed before the texts are taken.
    unseen = hidden_nodes(tree, sheet)
    second = tree.css(_SECOND)
    headings = _texts_of([node for node in second if node.tag in {"h1", "h2"}][:40])
    inside = {node.mem_id for outer in unseen for node in outer.css("a")}
    anchors = _anchors([node for node in second if node.tag in {"a", "area"}], inside)
    told = tuple(text[:HEADING_CHARS] for text in headings if text)
    forms = sum(node.tag == "form" for node in second)
    hidden, text, main = _texts(tree, unseen)
    return Parts(
        source=source,
        title=title[:1000],
        metas=metas,
        headings=told,
        text=text,
        main=main,
        hidden=hidden,
        anchors=anchors,
        assets=tuple(address for _, address in sources[:2000]),
        frames=tuple(address for tag, address in sources if tag in _FRAMES)[:20],
        refresh=_refresh([one.attributes for one in first if one.tag == "meta"], source),
        html_lang=html_lang,
        hreflangs=frozenset(one.value("hreflang").lower() for one in first if one.has("hreflang")) - {""},
        canonical=links.get("canonical") or metas.get("og:url"),
        forms=forms,
        article=article,
        heads=(*(metas[name] for name in _HEADS if name in metas), *_told_by_scripts(scripts)),
        amphtml=links.get("amphtml"),
        mask=_mask([one for one in first if one.tag in _FRAMES and one.has("src")]),
    )


def _mask(frames: Sequence[_Element]) -> str | None:
    """The address of the one frame that covers the page: of several in a set, the only one with a host."""
    covering = [one.value("src") for one in frames if one.tag == "frame" or _covers(one)]
    with_host = [address for address in covering if _HOST.match(address)]
    return with_host[0] if len(with_host) == 1 and len(covering) <= _MASK_FRAMES else None


def _covers(frame: _Element) -> bool:
    size = f"{frame.value('width')} {frame.value('height')} {frame.value('style')}".lower()
    return size.count("100%") + size.count("100vh") + size.count("100vw") > 1 or "fixed" in size


def _told_by_scripts(scripts: Iterable[str]) -> Iterator[str]:
    """Titles and descriptions in a page's JSON-LD, and the title that a script sets."""
    for code in scripts:
        for found in _TOLD.finditer(code[:SCRIPT_CHARS]):
            yield _plain(found["text"])[:4000]


class _Element(NamedTuple):
    """An element with its attributes, which are read once."""

    tag: str
    attributes: Mapping[str, str | None]
    node: LexborNode

    def has(self, name: str) -> bool:
        return name in self.attributes

    def value(self, name: str) -> str:
        return self.attributes.get(name) or ""


def _element(node: LexborNode) -> _Element:
    tag = node.tag or ""
    return _Element(tag, {} if tag in _UNTOLD else node.attributes, node)


def _titles(elements: Iterable[_Element]) -> Iterator[str]:
    """The words of each title of the page, without signs that nobody sees."""
    for one in elements:
        if one.tag == "title" and _of_html(one.node):
            yield _INVISIBLE.sub("", _plain(one.node.text()))


def _texts_of(nodes: Iterable[LexborNode]) -> Iterator[str]:
    """The text of each node; empty ones once REPEATED_CHARS were looked at."""
    left = REPEATED_CHARS
    for node in nodes:
        text = (node.text(separator=" ") or "") if left > 0 else ""
        left -= len(text)
        yield _plain(text)


def _plain(text: str | None) -> str:
    """A text with single blanks, words joined that tags stand within."""
    return unmarked(squeeze(text or ""))


def _anchors(linked: list[LexborNode], inside: set[int]) -> tuple[PageLink, ...]:
    linked = linked[:LINKS_MOST]
    return tuple(_anchor(node, text, inside) for node, text in zip(linked, _texts_of(linked), strict=True))


def _anchor(node: LexborNode, text: str, inside: set[int]) -> PageLink:
    href = (node.attrs.get("href") or "").strip()[:2000]
    if not text:
        image = node.css_first("img[alt]")
        text = _plain(image.attrs.get("alt") if image else node.attrs.get("title"))
    domain = domain_of(href) if "//" in href[:8] else None
    return PageLink(text[:300], href, domain, node.mem_id in inside)


def _metas(elements: Iterable[Mapping[str, str | None]]) -> dict[str, str]:
    metas: dict[str, str] = {}
    for attributes in islice(elements, 200):
        name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv")
        content = attributes.get("content")
        if name and content:
            metas.setdefault(name.strip().lower(), _plain(content)[:4000])
    return metas


def _of_html(title: LexborNode) -> bool:
    """Whether a title is the page's: in SVG it is a tooltip, and what stands in a template is not shown."""
    node = title.parent
    while node is not None:
        tag = (node.tag or "").lower()
        if tag in _HTML_AGAIN:
            return True
        if tag in ("svg", "math", "template"):
            return False
        node = node.parent
    return True


def _refresh(metas: Iterable[Mapping[str, str | None]], source: str) -> Refresh | None:
    found = _first_refresh(metas)
    seen = without_noscript(source) if found else source
    if seen is source:
        return found
    return _first_refresh(node.attributes for node in LexborHTMLParser(seen).css("meta"))


def scripts_of(source: str) -> str:
    """The code a page's own scripts run when it is loaded, one after another: no long ones, which do something else."""
    tree = LexborHTMLParser(source)
    codes = [
        node.text() or ""
        for node in tree.css("script:not([src])")
        if _SCRIPT.search(node.attributes.get("type") or "javascript") and not _unseen(node)
    ]
    onload = [body.attributes.get("onload") or "" for body in tree.css("body[onload]")]
    return "\n;".join([*onload, *(code for code in codes if len(code) <= SCRIPT_CHARS)][:SCRIPTS_MOST])


def _unseen(script: LexborNode) -> bool:
    node = script.parent
    while node is not None and node.tag not in ("noscript", "template"):
        node = node.parent
    return node is not None


def _first_refresh(metas: Iterable[Mapping[str, str | None]]) -> Refresh | None:
    for attributes in metas:
        if (attributes.get("http-equiv") or "").strip().lower() == "refresh":
            found = parse_refresh(attributes.get("content"))
            if found:
                return found
    return None


def _html_lang(root: LexborNode | None, metas: dict[str, str]) -> str | None:
    attributes = root.attributes if root is not None else {}
    raw = (
        attributes.get("lang")
        or attributes.get("xml:lang")
        or metas.get("content-language")
        or metas.get("og:locale")
    )
    code = re.split(r"[-_,; ]", raw.strip().lower())[0] if raw else ""
    return code if re.fullmatch(r"[a-z]{2,3}", code) else None


def _texts(tree: LexborHTMLParser, unseen: list[LexborNode]) -> tuple[str, str, str]:
    """(hidden, visible, main) texts. Takes the tree apart."""
    everything = _plain(tree.text(separator=" "))
    parts = [_plain(node.text(separator=" ")) for node in unseen]
    hidden = " ".join(part for part in parts if part)
    if len(hidden) * 10 <= len(everything) * 9:
        for node in unseen:
            node.decompose()
        visible = _plain(tree.text(separator=" ")) if hidden else everything
    else:  # shown by a script, as most of the page: not hidden but late
        hidden, visible = "", everything
    # Texts with a blank between them, until there are TEXT_CHARS.
    texts = _texts_of(tree.css("p,article li,blockquote")[:400])
    taken: list[str] = []
    size = 0
    for text in texts:
        taken.append(text)
        size += len(text) + 1
        if size > TEXT_CHARS:
            break
    main = " ".join(taken)
    return hidden[:TEXT_CHARS], visible[:TEXT_CHARS], main[:TEXT_CHARS]
