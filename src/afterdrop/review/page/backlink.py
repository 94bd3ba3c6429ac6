"""Links from a page to one domain: their text, what `rel` says of them, and where on the page they stand. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal
from urllib.parse import parse_qsl, unquote, urljoin

from pydantic_core import Url
from selectolax.lexbor import LexborHTMLParser, LexborNode

from afterdrop.core.safe_text import one_line
from afterdrop.review.page.charset import decode
from afterdrop.review.page.markup import domain_of
from afterdrop.review.page.reader import read_page
from afterdrop.review.page.seen import outermost
from afterdrop.review.page.source import tame

# Where a link stands: in the page's own content, its menu or margin, its footer, or among its readers' comments.
LinkPlace = Literal["content", "menu", "footer", "comment"]
# What became of a link, by the page that had it. `unread`: nobody can tell.
LinkState = Literal["there", "removed", "page_gone", "domain_gone", "unread"]

_ABOVE_MOST: Final = 60
_LINKS_MOST, _FOUND_MOST = 5_000, 50
_NO_FOLLOW: Final = frozenset({"nofollow", "sponsored", "ugc"})
_FOOTER: Final = re.compile(r"(?:^|[\s_-])(?:site-?)?foot(?:er)?(?:$|[\s_-])|colophon", re.IGNORECASE)
_COMMENT: Final = re.compile(
    r"(?:^|[\s_-])comments?(?:$|[\s_-]|list|body)|disqus|respond(?:$|\s)", re.IGNORECASE
)
_MENU: Final = re.compile(
    r"(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|side-?bar|blogroll|breadcrumbs?)(?:$|[\s_-])", re.IGNORECASE
)
# Page builders write the text itself in widgets, too: see `_ENTRY`. `elementor-widget-text` is none of a margin.
_WIDGET: Final = re.compile(r"(?:^|\s)widget(?:$|[\s_-])", re.IGNORECASE)
_ENTRY: Final = re.compile(
    r"(?:^|\s)(?:wp-block-|elementor-widget-theme-|td-|blog-|single-)?(?:(?:entry|post|article|node|story)"
    r"[_-]{0,2}(?:content|body|text)|hentry)(?:$|\s)",
    re.IGNORECASE,
)
# Names that say how a page is laid out, and not what stands inside: `no-sidebar`, `content-with-sidebar`, `menu-open`.
_LAYOUT: Final = re.compile(
    r"(?:^|[_-])(?:no|non|not|without|with|has)[_-]|^content[_-]side-?bar|[_-](?:open|opened|closed|collapsed"
    r"|expanded|active|inactive|visible|hidden|enabled|disabled|on|off|none)$",
    re.IGNORECASE,
)
# By the name of an element or its role.
_TAGS: Final[dict[str, LinkPlace]] = {
    "footer": "footer",
    "contentinfo": "footer",
    "nav": "menu",
    "navigation": "menu",
    "aside": "menu",
    "complementary": "menu",
}
# Rules for robots that have a colon of their own; before any other stands the name of the one robot that is meant.
_VALUED: Final = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
# What browsers drop around an address (WHATWG URL, "C0 control or space"), and everywhere in it.
_AROUND: Final = "".join(map(chr, range(0x21)))
_WITHIN: Final = dict.fromkeys(map(ord, "\t\n\r"))
# More than two slashes are two to browsers.
_SLASHES: Final = re.compile(r"^((?:https?:)?)/{2,}", re.IGNORECASE)
_WHOLE: Final = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_QUERY_MOST: Final = 4000
# Ways out of sites that others link through, too: hosts and beginnings of paths; the query holds the address.
_WAYS_OUT: Final = (
    (".anonym.to", "/"),
    (".awin1.com", "/cread.php"),
    (".click.linksynergy.com", "/"),
    (".deviantart.com", "/users/outgoing"),
    (".disq.us", "/url"),
    (".duckduckgo.com", "/l/"),
    (".exit.sc", "/"),
    (".go.skimresources.com", "/"),
    (".google.com", "/url"),
    (".href.li", "/"),
    (".l.facebook.com", "/l.php"),
    (".l.instagram.com", "/"),
    (".link.zhihu.com", "/"),
    (".linkedin.com", "/redir/redirect"),
    (".linkedin.com", "/safety/go"),
    (".lm.facebook.com", "/l.php"),
    (".medium.com", "/r/"),
    (".nullrefer.com", "/"),
    (".out.reddit.com", "/"),
    (".safelinks.protection.outlook.com", "/"),
    (".slack-redir.net", "/link"),
    (".steamcommunity.com", "/linkfilter/"),
    (".t.umblr.com", "/redirect"),
    (".vk.com", "/away.php"),
    (".weibo.cn", "/sinaurl"),
    (".youtube.com", "/redirect"),
)


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link to the domain.

    `way_out`: through an address of the page's own site, or a known one, which may lead there or not.
    """

    text: str
    target: str
    nofollow: bool
    sponsored: bool
    place: LinkPlace
    way_out: bool = False


@dataclass(frozen=True, slots=True)
class PageLook:
    """The state of a page's link to a domain today; `note` says why where the state alone does not."""

    state: LinkState
    link: Backlink | None = None
    note: str = ""


# What errors say of a link, and why others say nothing.
_ERRORS: Final = {
    "not_found": PageLook("page_gone", note="the page says that it was not found"),
    "suspended": PageLook("domain_gone", note="the linking site is suspended"),
    "defaced": PageLook("removed", note="the page was defaced"),
}
_UNREAD: Final = {
    "challenge": "the page lets only browsers in",
    "consent": "the page asks for cookies to be accepted first",
    "blocked": "the page does not let us in",
    "server_error": "the server is in trouble",
    "not_html": "it is no web page",
    "cut": "the page could not be read to its end",
    "empty": "the page has no words",
}


def look_at(body: bytes, url: str, content_type: str | None, robots_tag: str, domain: str) -> PageLook:
    """Whether a page that was read links to `domain`, and if not, what stands there instead.

    `robots_tag` is the answer's X-Robots-Tag, each header on a line. Never raises, whatever the bytes.
    """
    decoded = decode(body, content_type)
    source, untamed = tame(decoded.text)
    tree = LexborHTMLParser(source)
    tree.strip_tags(["script", "style"])
    links = list(islice(_links_to(tree, url, domain, robots_tag), _FOUND_MOST))
    if links:
        return PageLook("there", min(links, key=_weight))
    reading = read_page(body, url=url, content_type=content_type)
    if reading.verdict == "parked":
        return PageLook("domain_gone", note="the referring domain is parked")
    if told := _ERRORS.get(reading.error_kind or ""):
        return told
    cut = decoded.cut or untamed or len(tree.css("a[href],area[href]")) > _LINKS_MOST
    if reading.verdict == "error" or cut or reading.unseen or not reading.words:
        why = _UNREAD.get(reading.error_kind or "", reading.unseen or _UNREAD["cut" if cut else "empty"])
        return PageLook("unread", note=why)
    return PageLook("removed", note=_trace(tree, source, domain))


def _links_to(tree: LexborHTMLParser, url: str, domain: str, robots_tag: str) -> Iterator[Backlink]:
    base, own = _base(tree, url), domain_of(url)
    # Whether a rule for every robot says so; those for one robot, such as `<meta name=googlebot>`, are left
    # out.
    metas = islice(tree.css("meta[name]"), 200)
    told = (
        node.attributes.get("content") or ""
        for node in metas
        if (node.attributes.get("name") or "").strip().lower() == "robots"
    )
    all_nofollow = any(
        rule in ("nofollow", "none") for text in (*told, *robots_tag.splitlines()) for rule in _rules(text)
    )
    for node in islice(tree.css("a[href],area[href]"), _LINKS_MOST):
        target = _joined(base, node.attributes.get("href") or "")
        way_out = domain_of(target) != domain
        if way_out:
            target = next((inner for inner in _led_to(target, own) if domain_of(inner) == domain), "")
            if not target:
                continue
        rel = set((node.attributes.get("rel") or "").lower().replace(",", " ").split())
        yield Backlink(
            one_line(node.text(deep=True) or _image_text(node)),
            one_line(target, 2000),
            all_nofollow or bool(rel & _NO_FOLLOW),
            "sponsored" in rel,
            _place(node, tree.body),
            way_out,
        )


def _weight(link: Backlink) -> tuple[bool, bool, bool]:
    """Followed links in the text first."""
    return (link.way_out, link.nofollow, link.place != "content")


def _base(tree: LexborHTMLParser, url: str) -> str:
    node = tree.css_first("base[href]")
    return _joined(url, node.attributes.get("href") or "") if node else url


def _joined(base: str, href: str) -> str:
    """Where a browser goes from a page at `base`; "" where it goes nowhere."""
    written = href.strip(_AROUND).translate(_WITHIN)
    end = len(written.partition("?")[0].partition("#")[0])
    place = _SLASHES.sub(r"\1//", written[:end].replace("\\", "/"))
    try:
        return str(Url(urljoin(base, place + written[end:])))
    except ValueError:
        return ""


def _led_to(way: str, own: str | None) -> Iterator[str]:
    """The addresses that a way out of the page's own site, or a known one of another, may lead to."""
    place, _, query = way.partition("#")[0].partition("?")
    authority, slash, path = place.partition("//")[2].partition("/")
    host, path = f".{authority.rpartition('@')[2]}", slash + path
    known = any(host.endswith(site) and path.startswith(beginning) for site, beginning in _WAYS_OUT)
    if not known and domain_of(way) != own:
        return
    whole = unquote(query[:_QUERY_MOST])
    told = [whole] if _WHOLE.match(whole) else [value for _, value in parse_qsl(query[:_QUERY_MOST])]
    yield from (_joined(way, inner) for inner in told if _WHOLE.match(inner))


def _rules(text: str) -> Iterator[str]:
    """The rules for everybody; all that follow a robot's name are its own."""
    for rule in text.lower().split(","):
        name, colon, _ = rule.partition(":")
        if colon and name.strip() not in _VALUED:
            return
        yield rule.strip()


def _image_text(node: LexborNode) -> str:
    image = node.css_first("img[alt]")
    return (image.attributes.get("alt") or "") if image else ""


def _place(node: LexborNode, page: LexborNode | None) -> LinkPlace:
    """The nearest place whose element is named for it; the page's main text is none, but its comments are."""
    found: LinkPlace | None = None
    for above in _above(node):
        names = _names(above)
        if _COMMENT.search(names):
            return "comment"
        kinds = (above.tag or "", (above.attributes.get("role") or "").strip().lower())
        if "main" in kinds:
            break
        if found != "menu" and (place := next((_TAGS[kind] for kind in kinds if kind in _TAGS), None)):
            return place
        if _ENTRY.search(names):
            found = "content"
        elif above.tag == "article":
            found = found or "content"
        elif found is None and (place := _named(names)):
            return "content" if _holds_most(above, page) else place
        elif found is None and _WIDGET.search(names):
            found = "content" if _holds_most(above, page) else "menu"
    return found or "content"


def _above(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    for _ in range(_ABOVE_MOST):
        if above is None or above.tag in ("body", "html"):
            return
        yield above
        above = above.parent


def _names(node: LexborNode) -> str:
    names = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"[:500]
    return " ".join(name for name in names.split() if not _LAYOUT.search(name))


def _named(names: str) -> LinkPlace | None:
    if _FOOTER.search(names):
        return "footer"
    return "menu" if _MENU.search(names) else None


def _holds_most(node: LexborNode, page: LexborNode | None) -> bool:
    """Whether most of a page's text stands in an element, with its links and without: then its name says nothing.

    A margin may have most links of a page, and a footer the only sentence of a list of links.
    """
    if page is None or _length(node) * 2 <= _length(page):
        return False
    return _prose(node) * 2 > _prose(page)


def _prose(node: LexborNode) -> int:
    links = outermost(node.css("a")[:_LINKS_MOST])
    return _length(node) - sum(map(_length, links))


def _length(node: LexborNode) -> int:
    return sum(map(len, (node.text() or "").split()))


def _trace(tree: LexborHTMLParser, source: str, domain: str) -> str:
    """The trace of a link that was taken away."""
    if domain not in source:
        return ""
    archived = (
        "archive." in href and domain in href
        for node in islice(tree.css("a[href]"), _LINKS_MOST)
        if (href := node.attributes.get("href") or "")
    )
    if any(archived):
        return "it links to an archived copy now"
    body = tree.body.text() if tree.body else ""
    return "the name is mentioned without a link" if domain in body.lower() else ""
